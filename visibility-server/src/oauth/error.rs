//! Errors of the endpoints for clients: RFC 6749 section 5.2, which is not the error object of the API.

use std::time::Duration;

use axum::http::header::{CACHE_CONTROL, CONNECTION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use visibility_core::store::StoreError;

use crate::http::response::{self, whole_seconds};

/// After how long a client may ask again when nothing better is known.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// What a status depends on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum OAuthErrorKind {
    /// The request cannot be granted.
    Refused,
    UnknownClient,
    BodyTooLarge,
    OtherMediaType,
    BodyTooSlow,
    TooManyRequests,
    Unavailable,
}

/// The one place that gives errors of OAuth a status.
fn status_of(kind: OAuthErrorKind) -> StatusCode {
    match kind {
        OAuthErrorKind::Refused => StatusCode::BAD_REQUEST,
        OAuthErrorKind::UnknownClient => StatusCode::UNAUTHORIZED,
        OAuthErrorKind::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        OAuthErrorKind::OtherMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        OAuthErrorKind::BodyTooSlow => StatusCode::REQUEST_TIMEOUT,
        OAuthErrorKind::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        OAuthErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Why a program does not get what it asks for. Nothing of it is a stranger's text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct OAuthError {
    kind: OAuthErrorKind,
    error: &'static str,
    description: &'static str,
    retry_after: Option<Duration>,
    closes: bool,
    /// Whether the client has tried to authenticate by `Authorization`.
    is_basic: bool,
}

#[derive(Serialize)]
struct ErrorBody {
    error: &'static str,
    error_description: &'static str,
}

impl OAuthError {
    /// A refusal with a code of the standard, and a sentence for developers.
    pub(super) fn new(error: &'static str, description: &'static str) -> Self {
        let kind = OAuthErrorKind::Refused;
        Self { kind, error, description, retry_after: None, closes: false, is_basic: false }
    }

    /// A request that is not well formed.
    pub(super) fn invalid_request(description: &'static str) -> Self {
        Self::new("invalid_request", description)
    }

    /// The client does not exist; many clients register again on this error.
    pub(super) fn invalid_client(is_basic: bool) -> Self {
        let refused = Self::new("invalid_client", "The client is unknown and has to register.");
        Self { kind: OAuthErrorKind::UnknownClient, is_basic, ..refused }
    }

    /// Not now.
    pub(super) fn unavailable() -> Self {
        Self {
            kind: OAuthErrorKind::Unavailable,
            ..Self::new("temporarily_unavailable", "The server is temporarily unavailable.")
        }
        .retry_after(TRY_AGAIN)
    }

    /// Not now, as a store failed. How is for the log alone.
    pub(super) fn store(error: &StoreError) -> Self {
        let cause = error.source.as_deref().map(ToString::to_string).unwrap_or_default();
        tracing::error!(%error, cause, kind = ?error.kind, "a store failed");
        Self::unavailable()
    }

    /// Too many requests.
    pub(super) fn too_many(description: &'static str, wait: Duration) -> Self {
        Self {
            kind: OAuthErrorKind::TooManyRequests,
            ..Self::new("temporarily_unavailable", description)
        }
        .retry_after(wait)
    }

    /// Of another kind, at the end of the connection.
    pub(super) fn close_connection(self, kind: OAuthErrorKind) -> Self {
        Self { kind, closes: true, ..self }
    }

    fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let body = ErrorBody { error: self.error, error_description: self.description };
        let mut response = response::json(status_of(self.kind), &body);
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(wait) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
        }
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if self.is_basic {
            let challenge = HeaderValue::from_static("Basic realm=\"visibility\"");
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}
