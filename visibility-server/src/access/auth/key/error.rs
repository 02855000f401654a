//! Errors of API keys and their responses.

use serde_json::json;
use visibility_core::accounts::api_key::KeyId;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::TokenKind;
use visibility_core::error::{ErrorCode, Problem};

use super::INVALID_TOKEN;
use crate::http::response::ApiError;

/// Why a request is not that of anybody, or may not do what it wants.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::access::auth) enum ApiKeyError {
    /// There is no `Authorization`.
    Missing,
    /// There is something else than one well-formed key.
    Malformed,
    /// It begins like a token of another kind.
    OtherKind(TokenKind),
    /// It is well formed, and unknown.
    Invalid,
    /// Its time is over.
    Expired,
    /// It was revoked.
    Revoked,
    /// Its tenant is disabled.
    TenantDisabled,
    /// It may not be used from there.
    Address,
    /// It may not be used for that.
    Scope {
        /// What it needs.
        required: Scope,
        /// What it has.
        granted: Vec<Scope>,
    },
}

impl ApiKeyError {
    /// Logs what the holder of a known key tried. Unknown keys show in the count of 401 alone,
    /// as there may be any number of it.
    pub(super) fn log(&self, key: Option<KeyId>) {
        if let Some(key) = key {
            tracing::info!(%key, reason = ?self, "refused a key");
        } else {
            tracing::debug!(reason = ?self, "refused an unknown key");
        }
    }

    /// What is answered.
    pub(super) fn problem(&self) -> Problem {
        let refused = |reason: &str, hint| {
            Problem::new(ErrorCode::Unauthorized, "key")
                .with_hint_from(["errors", hint])
                .detail("reason", reason)
        };
        match self {
            Self::Missing => refused("missing", "key-missing"),
            Self::Malformed => refused("malformed", "key-malformed"),
            Self::OtherKind(TokenKind::Ingestion) => refused("invalid", "key-is-ingestion-token"),
            Self::OtherKind(TokenKind::Access) => refused("invalid", "key-is-access-token"),
            Self::OtherKind(_) | Self::Invalid => refused("invalid", "key-invalid"),
            Self::Expired => refused("expired", "key-expired"),
            // To the holder it is the same: the operator has taken the access away.
            Self::Revoked | Self::TenantDisabled => refused("revoked", "key-revoked"),
            Self::Address => Problem::new(ErrorCode::Forbidden, "key-address"),
            Self::Scope { required, granted } => {
                let granted: Vec<&str> = granted.iter().map(|scope| scope.as_str()).collect();
                Problem::new(ErrorCode::InsufficientScope, "key-scope")
                    .value("required", required)
                    .detail("required", required.as_str())
                    .detail("granted", json!(granted))
            }
        }
    }
}

impl From<ApiKeyError> for ApiError {
    fn from(refusal: ApiKeyError) -> Self {
        let is_presented = refusal != ApiKeyError::Missing;
        let error = Self::from(refusal.problem());
        if is_presented && error.is_unauthorized() { error.challenge(INVALID_TOKEN) } else { error }
    }
}
