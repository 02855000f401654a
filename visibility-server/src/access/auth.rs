//! Authenticates senders of logs: a bearer token and the tenant that it belongs to.

mod access_token;
pub(crate) mod external;
pub(crate) mod key;
pub(crate) mod signed_in;

use std::sync::Arc;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName};
use chrono::{DateTime, Utc};
use subtle::ConstantTimeEq;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::{Token, TokenDigest, TokenKind};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::store::StoreError;

use self::external::ExternalIssuer;
use self::key::lookup_cache::LookupCache;
use crate::http::response::ApiError;
use crate::runtime::clock;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::stores::state::StateStore;
use crate::stores::state::credentials::TokenState;
use crate::stores::state::keys::StoredKey;
use crate::stores::state::oauth_tokens::StoredAccess;

/// What it takes to know who asks.
pub(crate) struct Authenticator {
    pub(crate) settings: Arc<Settings>,
    pub(crate) stores: Arc<Stores>,
    /// Keys that were looked up in the last second.
    pub(crate) key_cache: LookupCache<StoredKey>,
    /// Access tokens of ours that were looked up in the last second.
    pub(crate) token_cache: LookupCache<StoredAccess>,
    /// Another authorization server, if the operator has named one.
    pub(crate) external: Option<ExternalIssuer>,
}

/// The header that names the tenant.
const X_SERVICE_TENANT: HeaderName = HeaderName::from_static("x-service-tenant");

/// Why a request has no tenant.
#[derive(Debug, thiserror::Error)]
enum AuthError {
    /// No valid token. The response says no more; the reason is for the log.
    #[error("{0}")]
    Refused(&'static str),
    /// Tokens cannot be looked up.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The tenant of a request, or the one answer to all that have none. Blocks.
///
/// # Errors
///
/// That there is no valid token, or that a store failed.
pub(crate) fn tenant(stores: &Stores, headers: &HeaderMap) -> Result<TenantSlug, ApiError> {
    let now = stores.trusted_time(clock::now());
    authenticate(headers, stores.state_store(), now).map_err(|error| match error {
        AuthError::Refused(reason) => {
            tracing::info!(reason, "refused a token");
            unauthorized(bearer(headers)).into()
        }
        AuthError::Store(error) => ApiError::store(&error),
    })
}

/// The error for an invalid token. The hint depends only on the prefix of the text that was
/// sent.
fn unauthorized(text: Option<&str>) -> Problem {
    let hint = match text.and_then(TokenKind::from_prefix) {
        Some(TokenKind::ApiKey) => "token-is-api-key",
        Some(TokenKind::Access) => "token-is-access-token",
        _ => "token",
    };
    Problem::new(ErrorCode::Unauthorized, "token").with_hint_from(["errors", hint])
}

/// The tenant that a valid token is for.
///
/// Whatever is wrong with a token or a tenant, the same work is done, so that neither the answer nor
/// its time says whether a tenant exists.
///
/// # Errors
///
/// [`AuthError`].
fn authenticate(
    headers: &HeaderMap,
    state_store: &StateStore,
    now: DateTime<Utc>,
) -> Result<TenantSlug, AuthError> {
    let text = bearer(headers).unwrap_or_default();
    let stored = state_store.token(&TokenDigest::new(text))?;
    let token = text.parse::<Token>().ok();
    let named = single_value(headers, &X_SERVICE_TENANT).unwrap_or_default();
    let tenant = stored.as_ref().map_or("", |stored| stored.tenant.as_str());
    let is_named: bool = tenant.as_bytes().ct_eq(named).into();
    if token.is_none_or(|token| token.kind() != TokenKind::Ingestion) {
        return Err(AuthError::Refused("no token, or not an ingestion token"));
    }
    let Some(stored) = stored else {
        return Err(AuthError::Refused("an unknown token"));
    };
    match stored.state(now) {
        TokenState::Active if is_named => {}
        TokenState::Active => return Err(AuthError::Refused("a token of another tenant")),
        TokenState::Expired => return Err(AuthError::Refused("an expired token")),
        TokenState::Revoked => return Err(AuthError::Refused("a revoked token")),
        TokenState::TenantDisabled => return Err(AuthError::Refused("a disabled tenant")),
    }
    if let Err(error) = state_store.note_token_use(&stored, now) {
        // When it was last used is for people; a store that is full refuses the batch later.
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "cannot record the use of a token"
        );
    }
    Ok(stored.tenant)
}

/// The value of a header that appears exactly once.
fn single_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value.as_bytes()),
        _ => None,
    }
}

/// The token of `Authorization: Bearer <token>`: the scheme in any case, then at least one space (RFC
/// 9110 section 11.1, RFC 6750 section 2.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = str::from_utf8(single_value(headers, &AUTHORIZATION)?).ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use visibility_core::text::locale::Lang;

    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_token_of_another_kind_is_recognized_by_its_prefix_alone() {
        let hint = |text| unauthorized(text).object(Lang::En).hint;
        for (text, words) in [
            (None, "X-Service-Tenant"),
            (Some(""), "X-Service-Tenant"),
            (Some("svc_pk_live_x"), "X-Service-Tenant"),
            (Some("service_live_"), "looks like an API key"),
            (Some("service_oat_x"), "looks like an OAuth token"),
        ] {
            assert!(hint(text).unwrap().contains(words), "{text:?}");
            assert!(unauthorized(text).object(Lang::En).details.is_empty());
        }
    }

    #[test]
    fn there_is_one_authorization_with_the_bearer_scheme() {
        for value in ["Bearer abc", "bearer abc", "BEARER abc", "Bearer   abc"] {
            assert_eq!(bearer(&headers(&[value])), Some("abc"), "{value}");
        }
        for values in [
            &[][..],
            &["abc"],
            &["Basic abc"],
            &["Bearer"],
            &["Bearerabc"],
            &["Bearer\tabc"],
            &["Bearer abc", "Bearer abc"],
        ] {
            assert_eq!(bearer(&headers(values)), None, "{values:?}");
        }
    }
}
