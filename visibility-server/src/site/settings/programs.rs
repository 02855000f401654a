//! Programs that a person has let in, in the settings.

use maud::{Markup, html};

use super::notice::Notice;
use super::overview::{Remarks, confirmed, fact, moment, titled_section};
use super::{Change, Section, Visit};
use crate::access::accounts::form::{self, FormData};
use crate::http::response::ApiError;
use crate::state::AppState;
use crate::stores::state::oauth_grants::{GrantId, StoredGrant};
use visibility_core::text::markup::shown;

/// Ends the access of a program.
pub(super) async fn change(
    state: &AppState,
    visit: &Visit,
    form: &FormData,
) -> Result<Change, ApiError> {
    if form.get("action") != "end" {
        return Err(form::broken());
    }
    let id = form.get("id").parse::<GrantId>().ok();
    let (user, now) = (visit.user().clone(), visit.now);
    let ended = state
        .blocking(move |state| {
            let state_store = state.shared().stores.state_store();
            let end = || {
                let grants = state_store.grants(Some(&user.tenant), now)?;
                // Access that another person has given is not theirs to end.
                let own = grants.iter().filter(|grant| grant.grant.user == user.id);
                let found = own.map(|grant| grant.grant.id).find(|own| Some(*own) == id);
                found.map_or(Ok(None), |id| state_store.revoke_grant(id, now))
            };
            end().map_err(|error| ApiError::store(&error))
        })
        .await?;
    if ended.is_none() {
        return Ok(Change::conflict(visit, Section::Programs, visit.text("no-program")));
    }
    let user = visit.user();
    tracing::info!(user = %user.id, tenant = %user.tenant, "ended the access of a program");
    Ok(Change::Done(Notice::AccessEnded))
}

/// The part of the page.
pub(super) fn section(visit: &Visit, programs: &[StoredGrant], remarks: &Remarks) -> Markup {
    let body = html! {
        p { (visit.text("programs-about")) }
        (remarks.alert(Section::Programs))
        @if programs.is_empty() {
            p { (visit.text("programs-none")) }
        } @else {
            ul.items { @for program in programs { (item(visit, program)) } }
        }
    };
    titled_section(visit, "programs", &body)
}

fn item(visit: &Visit, program: &StoredGrant) -> Markup {
    let grant = &program.grant;
    let name = shown(&*grant.client_name);
    let may = grant.scopes.intersection(&program.user_scopes);
    let fields = html! {
        p { (visit.text("end-about")) }
        input type="hidden" name="id" value=(grant.id.to_string());
        button.danger type="submit" name="action" value="end" { (visit.text("end-access")) }
    };
    html! {
        li.card {
            h3 { (name) }
            dl.facts {
                (fact(&visit.text("may"), &html! {
                    ul.plain {
                        @for scope in may {
                            li { (visit.context.text("scopes", scope.as_str())) " " code { (scope) } }
                        }
                    }
                }))
                (fact(&visit.text("since"), &moment(grant.created_at)))
                (fact(&visit.text("expires"), &moment(program.expires_at)))
                (fact(&visit.text("client"), &html! { code { (shown(&*grant.client_id)) } }))
            }
            div.actions {
                (confirmed(&visit.text("end"), Some(&name), &visit.form(Section::Programs, None, &fields)))
            }
        }
    }
}
