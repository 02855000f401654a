//! The tenant of requests with a token of another authorization server, and whether it is enabled.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use crate::access::auth::key::lookup_cache::FRESH_FOR;
use crate::http::blocking::blocking;
use crate::http::response::ApiError;
use crate::stores::Stores;
use crate::stores::state::StateStore;
use crate::stores::state::tenant_state::TenantState;

/// A tenant, and what was found of it in the last second.
pub(super) struct CachedTenant {
    tenant: TenantSlug,
    seen: Mutex<Option<CachedState>>,
}

#[derive(Clone, Copy)]
struct CachedState {
    is_active: bool,
    until: Instant,
}

impl CachedTenant {
    pub(super) fn new(tenant: TenantSlug) -> Self {
        Self { tenant, seen: Mutex::default() }
    }

    pub(super) fn tenant(&self) -> &TenantSlug {
        &self.tenant
    }

    /// Whether it exists and is not disabled. Another process may have disabled it since it was looked up.
    pub(super) async fn is_active(&self, stores: &Arc<Stores>) -> Result<bool, ApiError> {
        let asked = Instant::now();
        if let Some(is_active) = self.cached(asked) {
            return Ok(is_active);
        }
        let (stores, tenant) = (Arc::clone(stores), self.tenant.clone());
        let found = blocking(move || {
            let found = stores.state_store().tenant_state(&tenant);
            found.map_err(|error| ApiError::store(&error))
        });
        let is_active = found.await? == Some(TenantState::Active);
        self.store(is_active, asked);
        Ok(is_active)
    }

    /// Warns of a tenant that no token is taken for.
    pub(super) fn warn_if_unusable(&self, state_store: &StateStore) -> Result<(), StoreError> {
        let tenant = &self.tenant;
        match state_store.tenant_state(tenant)? {
            Some(TenantState::Active) => {}
            Some(TenantState::Disabled) => {
                tracing::warn!(%tenant, "`oauth.tenant` is disabled: tokens of the issuer are refused");
            }
            None => {
                tracing::warn!(%tenant, "`oauth.tenant` does not exist: tokens of the issuer are refused \
                    until you run `tenants create`");
            }
        }
        Ok(())
    }

    fn cached(&self, now: Instant) -> Option<bool> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.filter(|seen| now < seen.until).map(|seen| seen.is_active)
    }

    fn store(&self, is_active: bool, asked: Instant) {
        let seen = CachedState { is_active, until: asked + FRESH_FOR };
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::Utc;

    use super::*;

    #[test]
    fn what_was_found_counts_for_less_than_a_second() {
        let home = CachedTenant::new("acme".parse().unwrap());
        let asked = Instant::now();
        assert_eq!(home.cached(asked), None);
        for is_active in [true, false] {
            home.store(is_active, asked);
            assert_eq!(home.cached(asked), Some(is_active));
            assert_eq!(home.cached(asked + Duration::from_secs(1)), None);
        }
    }

    #[tokio::test]
    async fn a_tenant_that_is_unknown_or_disabled_is_not_active() {
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let state_store = stores.state_store();
        let tenant: TenantSlug = "acme".parse().unwrap();
        let is_active =
            async || CachedTenant::new(tenant.clone()).is_active(&stores).await.unwrap();
        assert!(!is_active().await);
        state_store.create_tenant(&tenant, Utc::now()).unwrap();
        assert!(is_active().await);
        state_store.set_tenant_disabled(&tenant, Some(Utc::now())).unwrap();
        assert!(!is_active().await);
    }
}
