//! The consent page.

use std::collections::BTreeSet;

use axum::response::Response;
use maud::{Markup, html};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::user::User;

use super::LEADING_AWAY;
use crate::http::urls::SIGN_OUT_PATH;
use crate::oauth::request::AuthorizationRequest;
use crate::site::layout::FrameKind;
use crate::site::page::{PageContent, PageContext, PageKind, hidden, respond};
use visibility_core::text::markup::shown;

/// Renders the page for a signed-in person.
pub(in super::super) fn consent(
    context: &PageContext,
    request: &AuthorizationRequest,
    sign: &str,
    user: &User,
) -> Response {
    let text = |id| context.text("consent", id);
    let title = context.fill("consent", "title", ("client", &request.client.name));
    let hidden = hidden(context, sign);
    let body = html! {
        h1 { (title) }
        p { (text("lead")) }
        (facts(context, request, user))
        @if request.is_local_program() {
            p.notice { (text("loopback")) }
        }
        (scopes(context, request, user))
        form.decision method="post" action=(context.address()) {
            (hidden)
            @if !request.grantable(&user.scopes).is_empty() {
                button type="submit" name="decision" value="approve" { (text("approve")) }
            }
            button.plain type="submit" name="decision" value="deny" { (text("deny")) }
        }
        form.other method="post" action=(context.base.link(SIGN_OUT_PATH)) {
            (hidden)
            input type="hidden" name="request" value=(shown(&*context.query));
            button.link type="submit" { (text("other")) }
        }
    };
    let page = PageContent::new(PageKind::Wanted, title, FrameKind::Gate, body);
    respond(context, PageContent { policy: LEADING_AWAY, ..page })
}

/// Who asks, where the browser will go, and for whom.
fn facts(context: &PageContext, request: &AuthorizationRequest, user: &User) -> Markup {
    let text = |id| context.text("consent", id);
    let client = &request.client;
    html! {
        dl.facts.card {
            dt { (text("client")) }
            dd { strong { (shown(&*client.name)) } }
            dt { (text("domain")) }
            dd {
                @match &client.verified_host {
                    Some(host) => code { (shown(&**host)) },
                    None => span.warn { (text("unverified")) },
                }
            }
            dt { (text("redirect")) }
            dd { code { (shown(request.redirect_host())) } }
            dt { (text("user")) }
            dd { code { (shown(user.name.as_str())) } }
            dt { (text("tenant")) }
            dd { code { (user.tenant.as_str()) } }
        }
    }
}

/// What the client will be able to do, and what it asks for in vain.
fn scopes(context: &PageContext, request: &AuthorizationRequest, user: &User) -> Markup {
    let granted = request.grantable(&user.scopes);
    let refused = request.scopes.difference(&granted).copied().collect();
    let section = |id, scopes: &BTreeSet<Scope>| {
        html! {
            @if !scopes.is_empty() {
                h2 { (context.text("consent", id)) }
                ul {
                    @for scope in scopes {
                        li { (context.text("scopes", scope.as_str())) " " code { (scope) } }
                    }
                }
            }
        }
    };
    html! { (section("able", &granted)) (section("unable", &refused)) }
}
