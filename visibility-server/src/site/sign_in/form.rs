//! The form to sign in.

use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::response::Response;
use maud::html;

use crate::access::accounts::cookies::{Cookie, CookieSecret};
use crate::access::accounts::sign_in::SignInError;
use crate::http::response::{ApiError, whole_seconds};
use crate::site::layout::FrameKind;
use crate::site::page::{PageContent, PageContext, PageKind, hidden, respond};
use crate::state::AppState;
use visibility_core::text::markup::{Shown, shown};

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

impl SignInNotice {
    /// Why a sign-in failed.
    ///
    /// # Errors
    ///
    /// The error of a store, which has a page of its own.
    pub(crate) fn from_error(error: SignInError) -> Result<Self, ApiError> {
        match error {
            SignInError::Refused => Ok(Self::Refused),
            SignInError::TooMany(wait) => Ok(Self::TooMany(wait)),
            SignInError::Busy => Ok(Self::Busy),
            SignInError::Failed(error) => Err(error),
        }
    }

    pub(crate) fn kind(self) -> PageKind {
        match self {
            Self::Refused => PageKind::Refused,
            Self::TooMany(_) => PageKind::TooManyRequests,
            Self::Busy => PageKind::Unavailable,
        }
    }

    pub(crate) fn text(self, context: &PageContext) -> Shown<'static> {
        match self {
            Self::Refused => context.text("sign-in", "refused"),
            Self::TooMany(wait) => {
                let minutes = whole_seconds(wait).div_ceil(60).to_string();
                context.fill("sign-in", "too-many", ("minutes", &minutes))
            }
            Self::Busy => context.text("sign-in", "busy"),
        }
    }

    /// Says in the answer when to try again, if that helps.
    pub(crate) fn put_retry_after(self, response: &mut Response) {
        let wait = match self {
            Self::Refused => return,
            Self::TooMany(wait) => wait,
            Self::Busy => TRY_AGAIN,
        };
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
    }
}

/// What the form shows.
#[derive(Debug)]
pub(crate) struct SignInForm<'a> {
    /// Why to sign in.
    lead: Shown<'static>,
    sign: String,
    /// Whether there is any user.
    has_users: bool,
    /// What went wrong, and the name that was sent.
    notice: Option<(SignInNotice, &'a str)>,
}

impl<'a> SignInForm<'a> {
    /// The form for a visitor, empty or with what went wrong.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) async fn load(
        state: &AppState,
        lead: Shown<'static>,
        visitor: &CookieSecret,
        notice: Option<(SignInNotice, &'a str)>,
    ) -> Result<Self, ApiError> {
        let accounts = &state.shared().accounts;
        let has_users = accounts.has_users().await?;
        let sign = accounts.form_key.sign(Cookie::Visitor, visitor);
        Ok(Self { lead, sign, has_users, notice })
    }

    /// The answer with the page.
    pub(crate) fn respond(&self, context: &PageContext, frame: FrameKind<'_>) -> Response {
        let text = |id| context.text("sign-in", id);
        let name: String = self
            .notice
            .map(|(_, name)| name.chars().take(MAX_NAME_CHARS).collect())
            .unwrap_or_default();
        let notice = self.notice.map(|(notice, _)| notice);
        let kind = notice.map_or(PageKind::Wanted, SignInNotice::kind);
        let alert = notice.map(|notice| notice.text(context));
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
                (hidden(context, &self.sign))
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
        if let Some(notice) = notice {
            notice.put_retry_after(&mut response);
        }
        response
    }
}
