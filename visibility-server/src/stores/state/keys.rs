//! API keys.
//!
//! Keys of one tenant and one name are one credential: the key in use, and while its clients change over
//! its successor, hence at most [`MAX_ACTIVE_KEYS`]. All times are arguments, as for tokens.

mod row;

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use ipnet::IpNet;
use subtle::ConstantTimeEq;
use visibility_core::accounts::api_key::{KeyId, KeyName};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::TokenDigest;
use visibility_core::store::StoreError;

use self::row::{SELECT_KEY, insert, stored_key};
use super::StateStore;
use super::credentials::TokenState;
use super::tenant_state::{TenantState, find_tenant_state};
use crate::stores::database::{Statements, Transaction, failed, params};

/// Keys of one credential that are active at the same time.
pub const MAX_ACTIVE_KEYS: usize = 2;
/// The use of a key is noted once in this time, not for every request.
const NOTE_USE_EVERY: TimeDelta = TimeDelta::minutes(1);

/// A key that is to be kept.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its id. No secret.
    pub id: KeyId,
    /// Whose key it is.
    pub tenant: TenantSlug,
    /// What it is called.
    pub name: KeyName,
    /// What lists show of it.
    pub abbreviated: String,
    /// What it is recognized by.
    pub digest: TokenDigest,
    /// What it may be used for.
    pub scopes: BTreeSet<Scope>,
    /// Networks that may use the key; empty allows all.
    pub networks: Vec<IpNet>,
    /// The user of the operating system who made it, if that is known.
    pub created_by: Option<String>,
    /// From when it is valid.
    pub created_at: DateTime<Utc>,
    /// How long it is valid; without it until it is revoked.
    pub lifetime: Option<TimeDelta>,
}

/// The secret of a key's successor, and who makes it.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The id by which it is revoked.
    pub id: KeyId,
    /// What lists show of it.
    pub abbreviated: String,
    /// What it is recognized by.
    pub digest: TokenDigest,
    /// The user of the operating system who made it, if that is known.
    pub created_by: Option<String>,
    /// From when it is valid.
    pub created_at: DateTime<Utc>,
}

/// A key as it is kept.
#[derive(Clone, Debug)]
pub struct StoredKey {
    /// What it was made as.
    pub key: NewKey,
    /// When it stops being valid.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// The key that replaced it.
    pub replaced_by: Option<KeyId>,
    /// When it was used, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// From what network it was used then.
    pub last_used_from: Option<IpNet>,
    /// Since when its tenant is disabled.
    pub tenant_disabled_at: Option<DateTime<Utc>>,
}

/// Why a key was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// No tenant has that name.
    #[error("there is no tenant `{0}`")]
    NoTenant(TenantSlug),
    /// The tenant is disabled, so that a key would be of no use.
    #[error("tenant `{0}` is disabled")]
    TenantDisabled(TenantSlug),
    /// No key has that id.
    #[error("there is no key `{0}`")]
    NoKey(KeyId),
    /// There is an active key of that name.
    #[error("tenant `{}` already has a key `{}`", .0.key.tenant, .0.key.name)]
    NameTaken(Box<StoredKey>),
    /// A successor would be one too many.
    #[error("key `{name}` of tenant `{tenant}` was rotated and its old version still works")]
    TooManyKeys {
        /// Whose keys.
        tenant: TenantSlug,
        /// What they are called.
        name: KeyName,
        /// The keys, the oldest first.
        active: Vec<StoredKey>,
    },
    /// A key that is not valid has no successor.
    #[error("key `{id}` is not active")]
    NotActive {
        /// The id of the key.
        id: KeyId,
        /// Whose key.
        tenant: TenantSlug,
        /// What it is called.
        name: KeyName,
        /// An active key of that name.
        active: Option<KeyId>,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StoredKey {
    /// What the key is worth at a time.
    pub fn state(&self, now: DateTime<Utc>) -> TokenState {
        if self.revoked_at.is_some() {
            TokenState::Revoked
        } else if self.expires_at.is_some_and(|end| end <= now) {
            TokenState::Expired
        } else if self.tenant_disabled_at.is_some() {
            TokenState::TenantDisabled
        } else {
            TokenState::Active
        }
    }

    /// Whether its use is to be noted.
    pub(crate) fn is_note_due(&self, now: DateTime<Utc>) -> bool {
        // A clock that was set back must not keep it from being noted for as long.
        self.last_used_at.is_none_or(|at| now - at >= NOTE_USE_EVERY || at > now)
    }
}

impl NewKey {
    /// When it stops being valid if nothing happens before.
    pub fn expires_at(&self) -> Option<DateTime<Utc>> {
        self.lifetime.and_then(|lifetime| self.created_at.checked_add_signed(lifetime))
    }
}

impl StateStore {
    /// Keeps the first key of a credential.
    ///
    /// # Errors
    ///
    /// When the tenant does not exist or is disabled, when there is an active key of that name, or when
    /// the database fails.
    pub fn create_key(&self, key: &NewKey) -> Result<(), KeyError> {
        self.change_keys(key.created_at, |statements| {
            let describe = || format!("keep a key of {}", key.tenant);
            expect_active_tenant(statements, &key.tenant)?;
            let mut active = active(statements, &key.tenant, &key.name, key.created_at)?;
            if let Some(last) = active.pop() {
                return Err(KeyError::NameTaken(Box::new(last)));
            }
            insert(statements, key).map_err(failed(describe))?;
            Ok(())
        })
    }

    /// Keeps the successor of a key: same tenant, name, scopes, networks and lifetime. The key works on
    /// until `overlap_ends`, unless it expires before. Gives the key as it is now, and its successor.
    ///
    /// # Errors
    ///
    /// When there is no such key, when it is not active or its credential has [`MAX_ACTIVE_KEYS`], or
    /// when the database fails.
    pub fn rotate_key(
        &self,
        id: KeyId,
        successor: &Successor,
        overlap_ends: DateTime<Utc>,
    ) -> Result<(StoredKey, NewKey), KeyError> {
        let now = successor.created_at;
        self.change_keys(now, |statements| {
            let old = find(statements, id)?;
            let NewKey { tenant, name, .. } = old.key.clone();
            let active = active(statements, &tenant, &name, now)?;
            match old.state(now) {
                TokenState::Active => {}
                TokenState::TenantDisabled => return Err(KeyError::TenantDisabled(tenant)),
                TokenState::Expired | TokenState::Revoked => {
                    let active = active.last().map(|key| key.key.id);
                    return Err(KeyError::NotActive { id, tenant, name, active });
                }
            }
            if active.len() >= MAX_ACTIVE_KEYS {
                return Err(KeyError::TooManyKeys { tenant, name, active });
            }
            let new = NewKey {
                id: successor.id,
                abbreviated: successor.abbreviated.clone(),
                digest: successor.digest,
                created_by: successor.created_by.clone(),
                created_at: now,
                ..old.key.clone()
            };
            let expires_at = old.expires_at.map_or(overlap_ends, |end| end.min(overlap_ends));
            let describe = || format!("keep the successor of {id}");
            insert(statements, &new).map_err(failed(describe))?;
            statements
                .execute(
                    "UPDATE api_key SET expires_at = ?2, replaced_by = ?3 WHERE id = ?1",
                    params![id.to_string(), expires_at.timestamp_micros(), new.id.to_string()],
                )
                .map_err(failed(describe))?;
            let old = StoredKey { expires_at: Some(expires_at), replaced_by: Some(new.id), ..old };
            Ok((old, new))
        })
    }

    /// Keeps a key in place of those of the same name. The newest of them works on until `overlap_ends`, unless it expires
    /// before; the others are revoked.
    ///
    /// # Errors
    ///
    /// When the tenant does not exist or is disabled, or when the database fails.
    pub(crate) fn replace_key(
        &self,
        key: &NewKey,
        overlap_ends: DateTime<Utc>,
    ) -> Result<(), KeyError> {
        let now = key.created_at;
        self.change_keys(now, |statements| {
            let describe = || format!("replace the key {} of {}", key.name, key.tenant);
            expect_active_tenant(statements, &key.tenant)?;
            let mut active = active(statements, &key.tenant, &key.name, now)?;
            insert(statements, key).map_err(failed(describe))?;
            let newest = active.pop();
            for old in active {
                statements
                    .execute(
                        "UPDATE api_key SET revoked_at = ?2, replaced_by = ?3 WHERE id = ?1",
                        params![old.key.id.to_string(), now.timestamp_micros(), key.id.to_string()],
                    )
                    .map_err(failed(describe))?;
            }
            if let Some(old) = newest {
                let expires_at = old.expires_at.map_or(overlap_ends, |end| end.min(overlap_ends));
                statements
                    .execute(
                        "UPDATE api_key SET expires_at = ?2, replaced_by = ?3 WHERE id = ?1",
                        params![
                            old.key.id.to_string(),
                            expires_at.timestamp_micros(),
                            key.id.to_string()
                        ],
                    )
                    .map_err(failed(describe))?;
            }
            Ok(())
        })
    }

    /// Revokes a key at once, and gives it as it is then. A second time changes nothing.
    ///
    /// # Errors
    ///
    /// [`KeyError::NoKey`], or when the database fails.
    pub fn revoke_key(&self, id: KeyId, now: DateTime<Utc>) -> Result<StoredKey, KeyError> {
        self.change_keys(now, |statements| {
            statements
                .execute(
                    "UPDATE api_key SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1",
                    params![id.to_string(), now.timestamp_micros()],
                )
                .map_err(failed(|| format!("revoke {id}")))?;
            find(statements, id)
        })
    }

    fn change_keys<T>(
        &self,
        now: DateTime<Utc>,
        change: impl Fn(&dyn Statements) -> Result<T, KeyError>,
    ) -> Result<T, KeyError> {
        self.change(|| format!("change the keys at {now}"), change)
    }

    /// The keys of one tenant or of all: by tenant and name, the oldest first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn keys(&self, tenant: Option<&TenantSlug>) -> Result<Vec<StoredKey>, StoreError> {
        let sql = format!(
            "{SELECT_KEY} WHERE api_key.tenant = coalesce(?1, api_key.tenant)
             ORDER BY api_key.tenant, name, api_key.created_at, id"
        );
        let tenant = tenant.map(TenantSlug::as_str);
        self.read(|statements| statements.query_all(&sql, params![tenant], stored_key))
            .map_err(failed(|| "list the keys".to_owned()))
    }

    /// The key with a digest, valid or not: see [`StoredKey::state`].
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn key(&self, digest: &TokenDigest) -> Result<Option<StoredKey>, StoreError> {
        let sql = format!("{SELECT_KEY} WHERE digest = ?1");
        let found = self
            .read(|statements| statements.query_opt(&sql, params![digest.as_bytes()], stored_key))
            .map_err(failed(|| "look up a key".to_owned()))?;
        // The index compares byte by byte; this says the same again in constant time.
        let is_same = |key: &StoredKey| key.key.digest.as_bytes().ct_eq(digest.as_bytes()).into();
        Ok(found.filter(is_same))
    }

    /// Notes that a key was used, and from what network; not more than once a minute, as it costs a
    /// write.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn note_key_use(
        &self,
        id: KeyId,
        now: DateTime<Utc>,
        from: IpNet,
    ) -> Result<(), StoreError> {
        let at = now.timestamp_micros();
        let recent = at - NOTE_USE_EVERY.num_microseconds().unwrap_or(i64::MAX) + 1;
        self.write_as(Transaction::until_power_loss(), |statements| {
            statements.execute(
                "UPDATE api_key SET last_used_at = ?2, last_used_from = ?3
                 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at NOT BETWEEN ?4 AND ?2)",
                params![id.to_string(), at, from.to_string(), recent],
            )
        })
        .map(|_rows| ())
        .map_err(failed(|| format!("note the use of {id}")))
    }
}

/// Refuses a tenant that does not exist or is disabled.
fn expect_active_tenant(statements: &dyn Statements, tenant: &TenantSlug) -> Result<(), KeyError> {
    let state = find_tenant_state(statements, tenant)
        .map_err(failed(|| format!("look up the tenant {tenant}")))?;
    match state {
        None => Err(KeyError::NoTenant(tenant.clone())),
        Some(TenantState::Disabled) => Err(KeyError::TenantDisabled(tenant.clone())),
        Some(TenantState::Active) => Ok(()),
    }
}

fn find(statements: &dyn Statements, id: KeyId) -> Result<StoredKey, KeyError> {
    statements
        .query_opt(&format!("{SELECT_KEY} WHERE id = ?1"), params![id.to_string()], stored_key)
        .map_err(failed(|| format!("look up {id}")))?
        .ok_or(KeyError::NoKey(id))
}

/// The active keys of a credential, the oldest first.
fn active(
    statements: &dyn Statements,
    tenant: &TenantSlug,
    name: &KeyName,
    now: DateTime<Utc>,
) -> Result<Vec<StoredKey>, StoreError> {
    let sql = format!(
        "{SELECT_KEY} WHERE api_key.tenant = ?1 AND name = ?2 ORDER BY api_key.created_at, id"
    );
    let mut keys: Vec<StoredKey> = statements
        .query_all(&sql, params![tenant.as_str(), name.as_str()], stored_key)
        .map_err(failed(|| format!("list the keys `{name}` of {tenant}")))?;
    keys.retain(|key| key.state(now) == TokenState::Active);
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;
    use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};

    use super::super::testing::TestStore;
    use super::*;

    /// A database with the tenant `acme`.
    fn database() -> TestStore {
        let state_store = TestStore::new();
        state_store.create_tenant(&acme(), after(0)).unwrap();
        state_store
    }

    fn acme() -> TenantSlug {
        "acme".parse().unwrap()
    }

    fn after(days: i64) -> DateTime<Utc> {
        "2026-03-01T12:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::days(days)
    }

    fn id(number: u8) -> KeyId {
        Uuid::from_u128(number.into()).into()
    }

    fn key(seed: u8, created_at: DateTime<Utc>) -> NewKey {
        let token = Token::generate(TokenKind::ApiKey, &[seed; RANDOM_BYTES]);
        NewKey {
            id: id(seed),
            tenant: acme(),
            name: "web app".parse().unwrap(),
            abbreviated: token.abbreviated(),
            digest: token.digest(),
            scopes: BTreeSet::from([Scope::LogsRead, Scope::ScanRead]),
            networks: ["192.0.2.0/24", "2001:db8::/32"].map(|text| text.parse().unwrap()).to_vec(),
            created_by: Some("ada".to_owned()),
            created_at,
            lifetime: Some(TimeDelta::days(90)),
        }
    }

    fn successor(seed: u8, created_at: DateTime<Utc>) -> Successor {
        let NewKey { id, abbreviated: shown, digest, .. } = key(seed, created_at);
        Successor { id, abbreviated: shown, digest, created_by: None, created_at }
    }

    fn state(state_store: &StateStore, seed: u8, now: DateTime<Utc>) -> Option<TokenState> {
        state_store.key(&key(seed, now).digest).unwrap().map(|stored| stored.state(now))
    }

    #[test]
    fn what_is_kept_is_found_by_its_digest_alone() {
        let state_store = database();
        let made = key(1, after(0));
        state_store.create_key(&made).unwrap();
        let stored = state_store.key(&made.digest).unwrap().unwrap();
        assert_eq!(format!("{:?}", stored.key), format!("{made:?}"));
        assert_eq!(stored.expires_at, Some(after(90)));
        assert_eq!((stored.revoked_at, stored.replaced_by), (None, None));
        assert!(state_store.key(&key(2, after(0)).digest).unwrap().is_none());
        assert!(state_store.token(&made.digest).unwrap().is_none(), "a key is no ingestion token");
    }

    #[test]
    fn a_key_without_a_lifetime_is_valid_until_it_is_revoked() {
        let state_store = database();
        let made = NewKey { lifetime: None, networks: Vec::new(), ..key(1, after(0)) };
        state_store.create_key(&made).unwrap();
        assert_eq!(state(&state_store, 1, after(100_000)), Some(TokenState::Active));
        assert_eq!(state_store.revoke_key(id(1), after(1)).unwrap().revoked_at, Some(after(1)));
        assert_eq!(state_store.revoke_key(id(1), after(2)).unwrap().revoked_at, Some(after(1)));
        assert_eq!(state(&state_store, 1, after(1)), Some(TokenState::Revoked));
    }

    #[test]
    fn a_name_is_taken_as_long_as_its_key_is_active() {
        let state_store = database();
        state_store.create_key(&key(1, after(0))).unwrap();
        let error = state_store.create_key(&key(2, after(89))).unwrap_err();
        let KeyError::NameTaken(taken) = error else { panic!("{error}") };
        assert_eq!(taken.key.id, id(1));
        let other = NewKey { name: "ci".parse().unwrap(), ..key(3, after(89)) };
        state_store.create_key(&other).unwrap();
        state_store.create_key(&key(2, after(90))).unwrap();
        state_store.revoke_key(id(2), after(91)).unwrap();
        state_store.create_key(&key(4, after(91))).unwrap();
        assert_eq!(state_store.keys(Some(&acme())).unwrap().len(), 4);
    }

    #[test]
    fn a_successor_is_what_the_key_was_but_for_its_secret() {
        let state_store = database();
        state_store.create_key(&key(1, after(0))).unwrap();
        let (old, new) =
            state_store.rotate_key(id(1), &successor(2, after(80)), after(87)).unwrap();
        assert_eq!((old.expires_at, old.replaced_by), (Some(after(87)), Some(id(2))));
        assert_eq!((new.created_by.as_deref(), new.expires_at()), (None, Some(after(170))));
        let stored = state_store.key(&new.digest).unwrap().unwrap();
        assert_eq!(stored.key.scopes, key(1, after(0)).scopes);
        assert_eq!(stored.key.networks, key(1, after(0)).networks);
        assert_eq!(state(&state_store, 1, after(86)), Some(TokenState::Active));
        assert_eq!(state(&state_store, 1, after(87)), Some(TokenState::Expired));
        assert_eq!(state(&state_store, 2, after(87)), Some(TokenState::Active));
    }

    #[test]
    fn rotation_never_lengthens_a_key() {
        let state_store = database();
        state_store.create_key(&key(1, after(0))).unwrap();
        let (old, _new) =
            state_store.rotate_key(id(1), &successor(2, after(89)), after(96)).unwrap();
        assert_eq!(old.expires_at, Some(after(90)));
    }

    #[test]
    fn an_overlap_of_nothing_ends_the_key_at_once() {
        let state_store = database();
        state_store.create_key(&key(1, after(0))).unwrap();
        state_store.rotate_key(id(1), &successor(2, after(1)), after(1)).unwrap();
        assert_eq!(state(&state_store, 1, after(1)), Some(TokenState::Expired));
        state_store.rotate_key(id(2), &successor(3, after(1)), after(8)).unwrap();
    }

    #[test]
    fn a_third_active_key_of_a_name_is_refused_whichever_is_rotated() {
        let state_store = database();
        state_store.create_key(&key(1, after(0))).unwrap();
        state_store.rotate_key(id(1), &successor(2, after(1)), after(8)).unwrap();
        for number in [1, 2] {
            let error = state_store.rotate_key(id(number), &successor(3, after(2)), after(9));
            let error = error.unwrap_err();
            let KeyError::TooManyKeys { active, .. } = error else { panic!("{error}") };
            assert_eq!(active.len(), MAX_ACTIVE_KEYS);
        }
        assert_eq!(state_store.keys(None).unwrap().len(), 2, "a refused rotation changes nothing");
        state_store.rotate_key(id(2), &successor(3, after(8)), after(15)).unwrap();
    }

    #[test]
    fn the_lifetime_is_that_of_the_first_key_however_often_it_is_rotated() {
        let state_store = database();
        state_store.create_key(&key(1, after(0))).unwrap();
        state_store.rotate_key(id(1), &successor(2, after(10)), after(17)).unwrap();
        state_store.revoke_key(id(2), after(11)).unwrap();
        let (_old, new) =
            state_store.rotate_key(id(1), &successor(3, after(11)), after(18)).unwrap();
        assert_eq!(new.expires_at(), Some(after(101)));
    }

    #[test]
    fn what_cannot_be_done_is_named() {
        let state_store = database();
        let stray = NewKey { tenant: "unknown".parse().unwrap(), ..key(1, after(0)) };
        let no_tenant = state_store.create_key(&stray).unwrap_err();
        state_store.create_key(&key(1, after(0))).unwrap();
        let too_late =
            state_store.rotate_key(id(1), &successor(2, after(90)), after(97)).unwrap_err();
        state_store.set_tenant_disabled(&acme(), Some(after(1))).unwrap();
        assert_eq!(state(&state_store, 1, after(1)), Some(TokenState::TenantDisabled));
        let errors = [
            no_tenant,
            too_late,
            state_store.create_key(&key(2, after(1))).unwrap_err(),
            state_store.rotate_key(id(1), &successor(2, after(1)), after(8)).unwrap_err(),
            state_store.rotate_key(id(9), &successor(2, after(1)), after(8)).unwrap_err(),
            state_store.revoke_key(id(9), after(1)).unwrap_err(),
        ];
        assert_eq!(
            errors.map(|error| error.to_string()),
            [
                "there is no tenant `unknown`",
                "key `key_00000000000000000000000000000001` is not active",
                "tenant `acme` is disabled",
                "tenant `acme` is disabled",
                "there is no key `key_00000000000000000000000000000009`",
                "there is no key `key_00000000000000000000000000000009`",
            ]
        );
    }

    #[test]
    fn use_is_noted_once_a_minute_with_its_network() {
        let state_store = database();
        let made = key(1, after(0));
        state_store.create_key(&made).unwrap();
        let stored = || state_store.key(&made.digest).unwrap().unwrap();
        assert!(stored().is_note_due(after(0)));
        let network = |text: &str| text.parse::<IpNet>().unwrap();
        for (seconds, from, is_noted) in [
            (0, "192.0.2.0/24", true),
            (59, "198.51.100.0/24", false),
            (60, "2001:db8::/48", true),
            // The clock was set back.
            (-3600, "203.0.113.0/24", true),
        ] {
            let now = after(0) + TimeDelta::seconds(seconds);
            assert_eq!(stored().is_note_due(now), is_noted, "{seconds}");
            state_store.note_key_use(id(1), now, network(from)).unwrap();
            assert_eq!(stored().last_used_at == Some(now), is_noted, "{seconds}");
            assert_eq!(stored().last_used_from == Some(network(from)), is_noted, "{seconds}");
        }
    }
}
