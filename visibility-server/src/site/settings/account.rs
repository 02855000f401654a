//! What the settings show, read from the database in one go.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::Visit;
use crate::http::response::ApiError;
use crate::state::AppState;
use crate::stores::state::StateStore;
use crate::stores::state::credentials::{StoredToken, TokenState};
use crate::stores::state::keys::StoredKey;
use crate::stores::state::oauth_grants::StoredGrant;
use crate::stores::state::sessions::StoredSession;

/// Keys that have ended and are still listed.
const MAX_ENDED_KEYS: usize = 20;

/// The keys and tokens of a tenant.
#[derive(Debug, Default)]
pub(super) struct TenantCredentials {
    /// Keys that work, by name.
    pub(super) keys: Vec<StoredKey>,
    /// Keys that have ended, the last one first.
    pub(super) ended_keys: Vec<StoredKey>,
    /// Tokens that work, the oldest first.
    pub(super) tokens: Vec<StoredToken>,
}

/// What a person has.
#[derive(Debug)]
pub(super) struct Account {
    /// Without the scope to manage them they are not even read.
    pub(super) credentials: Option<TenantCredentials>,
    /// Programs that the person has let in.
    pub(super) programs: Vec<StoredGrant>,
    pub(super) sessions: Vec<StoredSession>,
}

impl Account {
    /// That of a visit.
    pub(super) async fn load(state: &AppState, visit: &Visit) -> Result<Self, ApiError> {
        let (user, now, may_manage) = (visit.user().clone(), visit.now, visit.may_manage());
        let loaded = state.blocking(move |state| {
            let state_store = state.shared().stores.state_store();
            let load = || -> Result<Self, StoreError> {
                let credentials = may_manage
                    .then(|| TenantCredentials::load(state_store, &user.tenant, now))
                    .transpose()?;
                let mut programs = state_store.grants(Some(&user.tenant), now)?;
                programs.retain(|grant| grant.grant.user == user.id && !grant.is_ended());
                Ok(Self { credentials, programs, sessions: state_store.sessions(&user.id, now)? })
            };
            load().map_err(|error| ApiError::store(&error))
        });
        loaded.await
    }
}

impl TenantCredentials {
    fn load(
        state_store: &StateStore,
        tenant: &TenantSlug,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let mut tokens = state_store.tokens(Some(tenant))?;
        tokens.retain(|token| token.state(now) == TokenState::Active);
        let all = state_store.keys(Some(tenant))?;
        let (keys, mut ended_keys): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|key| key.state(now) == TokenState::Active);
        ended_keys.sort_by_key(|key| Reverse(key.revoked_at.or(key.expires_at)));
        ended_keys.truncate(MAX_ENDED_KEYS);
        Ok(Self { keys, ended_keys, tokens })
    }
}
