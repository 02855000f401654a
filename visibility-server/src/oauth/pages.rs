//! The pages on which a person decides. They work without scripts, and load our stylesheet and
//! nothing else.

mod consent;
mod notice;

use axum::http::HeaderValue;

pub(super) use self::consent::consent;
pub(super) use self::notice::client_error;

/// The policy of the page on which a person decides, without `form-action`: Chrome and Safari apply that to
/// every redirect that follows a form, and this form ends at the client. To name the redirect URI is not
/// enough, as hosted clients send the browser on to a program of theirs, such as from
/// `https://claude.ai/api/mcp/auth_callback` to `claude:`. The page has no secret but the sign of its form,
/// and where the browser goes was checked before.
const LEADING_AWAY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
);
