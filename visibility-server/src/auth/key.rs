//! Who asks the public API: an API key, and what it may do.

use std::net::SocketAddr;

use axum::http::HeaderMap;
use visibility_core::scope::Scope;
use visibility_core::tenant::TenantSlug;

use crate::response::ApiError;
use crate::state::AppState;

/// Who asks, after the key was checked.
#[derive(Clone, Debug)]
pub(crate) struct Principal {
    /// Whose key it is.
    pub(crate) tenant: TenantSlug,
    /// Whom limits count: the same for a key and its successor.
    pub(crate) subject: String,
}

/// Who asks, or why nobody is known: no valid key, or one without the scope.
///
/// # Errors
///
/// 401, 403, or that a store failed.
pub(crate) async fn principal(
    _state: &AppState,
    _headers: &HeaderMap,
    _peer: SocketAddr,
    _scope: Scope,
) -> Result<Principal, ApiError> {
    Err(ApiError::unauthorized())
}
