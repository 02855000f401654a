//! The sign-in page.

use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::response::Response;
use maud::html;

use super::{PageContent, PageContext, PageKind, STRICT, hidden, respond};
use crate::http::response::whole_seconds;
use crate::oauth::request::AuthorizationRequest;
use crate::site::markup::shown;

/// Longest name echoed in an error message, in characters.
const MAX_NAME_CHARS: usize = 64;
/// After how long to try again when too many others sign in.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// Why the sign-in page is shown again.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum SignInNotice {
    /// Name or password are wrong.
    Refused,
    /// There were too many failures; so long it takes until there may be another try.
    TooMany(Duration),
    /// Too many others sign in at the moment.
    Busy,
}

/// The page; with trouble also the name that was sent.
pub(in super::super) fn sign_in(
    context: &PageContext,
    request: &AuthorizationRequest,
    sign: &str,
    trouble: Option<(SignInNotice, &str)>,
) -> Response {
    let text = |id| context.text("sign-in", id);
    let name: String =
        trouble.map(|(_, name)| name.chars().take(MAX_NAME_CHARS).collect()).unwrap_or_default();
    let (kind, alert, wait) = match trouble {
        None => (PageKind::Wanted, None, None),
        Some((SignInNotice::Refused, _)) => (PageKind::Refused, Some(text("refused")), None),
        Some((SignInNotice::TooMany(wait), _)) => {
            let minutes = whole_seconds(wait).div_ceil(60).to_string();
            let alert = context.fill("sign-in", "too-many", ("minutes", &minutes));
            (PageKind::TooManyRequests, Some(alert), Some(wait))
        }
        Some((SignInNotice::Busy, _)) => {
            (PageKind::Unavailable, Some(text("busy")), Some(TRY_AGAIN))
        }
    };
    let described = alert.as_ref().map(|_| "alert");
    let body = html! {
        h1 { (text("title")) }
        p { (context.fill("sign-in", "lead", ("client", &request.client.name))) }
        @if let Some(alert) = &alert {
            p.alert role="alert" #alert { (alert) }
        }
        form.card method="post" action=(context.address()) {
            (hidden(context, sign))
            label for="name" { (text("name")) }
            input #name name="name" type="text" value=(shown(name)) autocomplete="username"
                autocapitalize="none" spellcheck="false" maxlength="64" required
                aria-describedby=[described];
            label for="password" { (text("password")) }
            input #password name="password" type="password" autocomplete="current-password"
                maxlength="1024" required aria-describedby=[described];
            button type="submit" { (text("submit")) }
        }
        p { small { (text("no-account")) } }
    };
    let page = PageContent { kind, title: &text("title"), body, policy: STRICT };
    let mut response = respond(context, page);
    if let Some(wait) = wait {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
    }
    response
}
