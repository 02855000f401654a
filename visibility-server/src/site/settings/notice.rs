//! What was done last, which the settings say once.
//!
//! It is a cookie and not a part of the address, so that no link of a stranger can claim that something was done.

use axum::http::{HeaderMap, HeaderValue};

use crate::http::cookie;
use crate::settings::Settings;

const COOKIE: &str = "visibility_notice";
/// Seconds for which a browser keeps it that does not come back.
const MAX_AGE: u32 = 60;

/// Something that was done.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Notice {
    KeyRevoked,
    TokenRevoked,
    AccessEnded,
    SessionEnded,
    OtherSessionsEnded,
    PasswordChanged,
}

impl Notice {
    const ALL: [Self; 6] = [
        Self::KeyRevoked,
        Self::TokenRevoked,
        Self::AccessEnded,
        Self::SessionEnded,
        Self::OtherSessionsEnded,
        Self::PasswordChanged,
    ];

    /// Its name in the cookie, and of its sentence in `locales/`.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::KeyRevoked => "key-revoked",
            Self::TokenRevoked => "token-revoked",
            Self::AccessEnded => "access-ended",
            Self::SessionEnded => "session-ended",
            Self::OtherSessionsEnded => "other-sessions-ended",
            Self::PasswordChanged => "password-changed",
        }
    }

    /// The one that a browser has been given.
    pub(super) fn read(headers: &HeaderMap) -> Option<Self> {
        let id = cookie::read(headers, COOKIE)?;
        Self::ALL.into_iter().find(|notice| notice.id() == id)
    }

    pub(super) fn set_header(self, settings: &Settings) -> Option<HeaderValue> {
        cookie::field(settings, COOKIE, self.id(), Some(MAX_AGE))
    }

    pub(super) fn clear_header(settings: &Settings) -> Option<HeaderValue> {
        cookie::field(settings, COOKIE, "", Some(0))
    }
}
