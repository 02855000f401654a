//! `WWW-Authenticate`: RFC 6750 section 3, with the metadata of RFC 9728 section 5.1.

use axum::http::HeaderValue;
use visibility_core::scope::Scope;

use crate::settings::Settings;

/// Why somebody is asked for another token.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Failure {
    /// The one that was sent is not valid.
    InvalidToken,
    /// It is valid, and does not cover these.
    InsufficientScope(Vec<Scope>),
}

/// What a client is told that has no token, or none that is enough, for a path of this service.
pub(crate) fn challenge(
    settings: &Settings,
    resource_path: &str,
    failure: Option<Failure>,
) -> HeaderValue {
    let base = settings.public_url();
    let (scopes, error) = match failure {
        None => (Scope::ALL.to_vec(), None),
        Some(Failure::InvalidToken) => (Scope::ALL.to_vec(), Some("invalid_token")),
        Some(Failure::InsufficientScope(scopes)) => (scopes, Some("insufficient_scope")),
    };
    let scopes: Vec<&str> = scopes.into_iter().map(Scope::as_str).collect();
    let mut value = format!(
        "Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource{resource_path}\", scope=\"{}\"",
        scopes.join(" ")
    );
    if let Some(error) = error {
        value.push_str(&format!(", error=\"{error}\""));
    }
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("Bearer"))
}
