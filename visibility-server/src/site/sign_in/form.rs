//! The form to sign in.

use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::response::Response;
use maud::html;

use crate::http::response::whole_seconds;
use crate::site::layout::FrameKind;
use crate::site::markup::{Shown, shown};
use crate::site::page::{PageContent, PageContext, PageKind, hidden, respond};

/// Longest name echoed in an error message, in characters.
const MAX_NAME_CHARS: usize = 64;
/// After how long to try again when too many others sign in.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// How the first user is made.
const FIRST_USER: &str = "visibility-server tenants create acme
visibility-server users create acme you@example.com";

/// Why the form is shown again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SignInNotice {
    /// Name or password are wrong.
    Refused,
    /// There were too many failures; so long it takes until there may be another try.
    TooMany(Duration),
    /// Too many others sign in at the moment.
    Busy,
}

/// What the form shows.
#[derive(Debug)]
pub(crate) struct SignInForm<'a> {
    /// Why to sign in.
    pub(crate) lead: Shown<'static>,
    pub(crate) sign: &'a str,
    /// Whether anybody can sign in.
    pub(crate) has_users: bool,
    /// What went wrong, and the name that was sent.
    pub(crate) notice: Option<(SignInNotice, &'a str)>,
}

impl SignInForm<'_> {
    /// The answer with the page.
    pub(crate) fn respond(&self, context: &PageContext, frame: FrameKind<'_>) -> Response {
        let text = |id| context.text("sign-in", id);
        let name: String = self
            .notice
            .map(|(_, name)| name.chars().take(MAX_NAME_CHARS).collect())
            .unwrap_or_default();
        let (kind, alert, wait) = match self.notice {
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
            p { (self.lead) }
            @if !self.has_users {
                div.notice {
                    p { (text("no-user")) }
                    pre tabindex="0" { code { (FIRST_USER) } }
                }
            }
            @if let Some(alert) = &alert {
                p.alert role="alert" #alert { (alert) }
            }
            form.card method="post" action=(context.address()) {
                (hidden(context, self.sign))
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
        let page = PageContent::new(kind, text("title"), frame, body);
        let mut response = respond(context, page);
        if let Some(wait) = wait {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
        }
        response
    }
}
