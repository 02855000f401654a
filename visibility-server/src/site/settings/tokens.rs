//! Tokens for ingestion in the settings.

use chrono::{DateTime, TimeDelta, Utc};
use maud::{Markup, html};
use uuid::Uuid;
use visibility_core::accounts::token::Token;
use visibility_core::limits::{MAX_ACTIVE_TOKENS, TOKEN_OVERLAP_DAYS, TOKEN_ROTATION_DAYS};

use super::account::TenantCredentials;
use super::notice::Notice;
use super::overview::{
    Remarks, confirmed, fact, minute, moment, overlap, overlap_field, titled_section,
};
use super::{Change, NewSecret, Section, Visit};
use crate::access::accounts::form::{self, FormData};
use crate::access::issue;
use crate::http::response::ApiError;
use crate::state::AppState;
use crate::stores::state::credentials::{CredentialError, NewToken, StoredToken};
use visibility_core::text::markup::shown;

/// Days before its end when a token is marked.
const SOON: i64 = TOKEN_OVERLAP_DAYS;

/// Makes, rotates or revokes a token.
pub(super) async fn change(
    state: &AppState,
    visit: &Visit,
    form: &FormData,
) -> Result<Change, ApiError> {
    match form.get("action") {
        "create" => create(state, visit).await,
        "rotate" => rotate(state, visit, form).await,
        "revoke" => revoke(state, visit, form).await,
        _ => Err(form::broken()),
    }
}

async fn create(state: &AppState, visit: &Visit) -> Result<Change, ApiError> {
    let (token, kept) = new_token(visit)?;
    let made = kept.clone();
    let created = state
        .blocking(move |state| Ok(state.shared().stores.state_store().create_token(&made)))
        .await?;
    match created {
        Ok(()) => Ok(Change::Secret(new_secret(state, visit, &token, &kept, None))),
        Err(error) => refused(visit, error),
    }
}

async fn rotate(state: &AppState, visit: &Visit, form: &FormData) -> Result<Change, ApiError> {
    let overlap = overlap(form.get("overlap")).ok_or_else(form::broken)?;
    let (token, kept) = new_token(visit)?;
    let (made, ends) = (kept.clone(), visit.now + overlap);
    let rotated = state
        .blocking(move |state| Ok(state.shared().stores.state_store().rotate_token(&made, ends)))
        .await?;
    match rotated {
        Ok(old) => Ok(Change::Secret(new_secret(state, visit, &token, &kept, Some(&old)))),
        Err(error) => refused(visit, error),
    }
}

fn new_token(visit: &Visit) -> Result<(Token, NewToken), ApiError> {
    let lifetime = TimeDelta::days(TOKEN_ROTATION_DAYS + TOKEN_OVERLAP_DAYS);
    issue::ingestion_token(&visit.user().tenant, lifetime, visit.now).map_err(ApiError::randomness)
}

fn new_secret(
    state: &AppState,
    visit: &Visit,
    token: &Token,
    kept: &NewToken,
    old: Option<&StoredToken>,
) -> NewSecret {
    let (user, tenant) = (visit.user(), &kept.tenant);
    tracing::info!(user = %user.id, %tenant, token = %kept.id, "made a token");
    let secret = token.reveal();
    let url = state.shared().settings.ingestion_url();
    let command = format!(
        "INGEST_TOKEN='{secret}'\n\
         curl -sS {url}/v1/logs/stats \\\n  -H \"Authorization: Bearer $INGEST_TOKEN\" \\\n  \
         -H 'X-Service-Tenant: {tenant}'"
    );
    NewSecret {
        title: visit.text("new-token"),
        secret: secret.to_owned(),
        command,
        about_command: visit.text("try-token"),
        old: old.map(|old| visit.overlap_end("token", old.expires_at)),
    }
}

async fn revoke(state: &AppState, visit: &Visit, form: &FormData) -> Result<Change, ApiError> {
    let id = form.get("id").parse::<Uuid>().ok();
    let (tenant, now) = (visit.user().tenant.clone(), visit.now);
    let revoked = state
        .blocking(move |state| {
            let state_store = state.shared().stores.state_store();
            let tokens =
                state_store.tokens(Some(&tenant)).map_err(|error| ApiError::store(&error))?;
            // A token of another tenant is none.
            let own = tokens.iter().map(|token| token.id).find(|own| Some(*own) == id);
            Ok(own.map(|id| state_store.revoke_token(id, now)))
        })
        .await?;
    match revoked {
        Some(Ok(())) => {
            let user = visit.user();
            tracing::info!(user = %user.id, tenant = %user.tenant, token = ?id, "revoked a token");
            Ok(Change::Done(Notice::TokenRevoked))
        }
        Some(Err(error)) => refused(visit, error),
        None => Ok(Change::conflict(visit, Section::Tokens, visit.text("no-token"))),
    }
}

/// Why the tokens stay as they are.
fn refused(visit: &Visit, error: CredentialError) -> Result<Change, ApiError> {
    let text = match error {
        CredentialError::Store(error) => return Err(ApiError::store(&error)),
        CredentialError::TooManyTokens { active, .. } => {
            let first = active.iter().map(|token| token.expires_at).min();
            visit.fill("tokens-many", ("time", &first.map(minute).unwrap_or_default()))
        }
        CredentialError::NothingToRotate(_) => visit.text("nothing-to-rotate"),
        CredentialError::NoToken(_) => visit.text("no-token"),
        CredentialError::TenantDisabled(_)
        | CredentialError::NoTenant(_)
        | CredentialError::TenantExists(_) => visit.text("tenant-disabled"),
    };
    Ok(Change::conflict(visit, Section::Tokens, text))
}

/// The part of the page.
pub(super) fn section(visit: &Visit, credentials: &TenantCredentials, remarks: &Remarks) -> Markup {
    let tokens = &credentials.tokens;
    let body = html! {
        p { (visit.text("tokens-about")) }
        (remarks.alert(Section::Tokens))
        @if tokens.is_empty() {
            p { (visit.text("tokens-none")) }
            (visit.form(Section::Tokens, None, &html! {
                button type="submit" name="action" value="create" { (visit.text("token-create")) }
            }))
        } @else {
            ul.items { @for token in tokens { (item(visit, token)) } }
            @if tokens.len() < MAX_ACTIVE_TOKENS {
                (confirmed(&visit.text("token-rotate"), None, &rotation(visit)))
            } @else {
                p { (visit.text("tokens-both")) }
            }
        }
    };
    titled_section(visit, "tokens", &body)
}

fn rotation(visit: &Visit) -> Markup {
    let fields = html! {
        p { (visit.text("token-rotate-about")) }
        (overlap_field(visit, "overlap-token"))
        button type="submit" name="action" value="rotate" { (visit.text("token-rotate")) }
    };
    visit.form(Section::Tokens, None, &fields)
}

fn item(visit: &Visit, token: &StoredToken) -> Markup {
    let hint = token.digest.hint();
    html! {
        li.card {
            h3 { (visit.text("token")) " " code { (hint) } }
            dl.facts {
                (fact(&visit.text("created"), &moment(token.created_at)))
                (fact(&visit.text("expires"), &expiry(visit, token)))
                (fact(&visit.text("last-used"), &html! {
                    @match token.last_used_at {
                        Some(time) => (moment(time)),
                        None => (visit.text("never")),
                    }
                }))
            }
            div.actions { (confirmed(&visit.text("revoke"), Some(&shown(&*hint)), &revocation(visit, token))) }
        }
    }
}

/// The end of a token, and the days that are left.
fn expiry(visit: &Visit, token: &StoredToken) -> Markup {
    let days = days_left(token.expires_at, visit.now);
    html! {
        (moment(token.expires_at)) " "
        span class=[(days <= SOON).then_some("warn")] {
            (visit.fill("days-left", ("days", &days.to_string())))
        }
    }
}

/// Days until a time; one that has begun counts.
fn days_left(end: DateTime<Utc>, now: DateTime<Utc>) -> i64 {
    (end - now + TimeDelta::days(1) - TimeDelta::seconds(1)).num_days().max(0)
}

fn revocation(visit: &Visit, token: &StoredToken) -> Markup {
    let fields = html! {
        p { (visit.text("revoke-about")) }
        input type="hidden" name="id" value=(token.id);
        button.danger type="submit" name="action" value="revoke" { (visit.text("revoke-token")) }
    };
    visit.form(Section::Tokens, None, &fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_that_has_begun_counts() {
        let now = DateTime::UNIX_EPOCH;
        for (seconds, days) in
            [(-1, 0), (0, 0), (1, 1), (86_400, 1), (86_401, 2), (97 * 86_400, 97)]
        {
            assert_eq!(days_left(now + TimeDelta::seconds(seconds), now), days, "{seconds}");
        }
    }
}
