//! The pages on which a person signs in and decides. They work without scripts, and load our stylesheet and
//! nothing else.

mod consent;
mod notice;

use axum::http::HeaderValue;
use axum::response::Response;

pub(super) use self::consent::consent;
pub(super) use self::notice::client_error;
use super::request::AuthorizationRequest;
use crate::site::layout::FrameKind;
use crate::site::page::PageContext;
use crate::site::sign_in::form::{SignInForm, SignInNotice};

/// Where people sign in and decide.
pub(super) const PATH: &str = "/authorize";

/// The policy of the page on which a person decides, without `form-action`: Chrome and Safari apply that to
/// every redirect that follows a form, and this form ends at the client. To name the redirect URI is not
/// enough, as hosted clients send the browser on to a program of theirs, such as from
/// `https://claude.ai/api/mcp/auth_callback` to `claude:`. The page has no secret but the sign of its form,
/// and where the browser goes was checked before.
const LEADING_AWAY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
);

/// The sign-in page; with a notice also the name that was sent.
pub(super) fn sign_in(
    context: &PageContext,
    request: &AuthorizationRequest,
    (sign, has_users): (&str, bool),
    notice: Option<(SignInNotice, &str)>,
) -> Response {
    let lead = context.fill("sign-in", "lead-program", ("client", &request.client.name));
    SignInForm { lead, sign, has_users, notice }.respond(context, FrameKind::Gate)
}
