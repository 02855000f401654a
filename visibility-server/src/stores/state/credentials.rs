//! Tenants and their tokens.
//!
//! A token is active until it expires or is revoked, or its tenant is disabled. At most
//! [`MAX_ACTIVE_TOKENS`] of a tenant are active at the same time: the one in use, and its successor while
//! senders change over. All times are arguments; the same call at another time may come out otherwise.

use chrono::{DateTime, Utc};
use subtle::ConstantTimeEq;
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::TokenDigest;
use visibility_core::limits::MAX_ACTIVE_TOKENS;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::{optional_time, parsed, slug, time};
use super::tenant_state::{TenantState, find_tenant_state};
use crate::stores::database::{Row, SqlError, Statements, failed, params};

/// The use of a token is noted once in this many microseconds, not for every request.
const NOTE_USE_EVERY: i64 = 3_600_000_000;

/// A tenant as it is kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Tenant {
    /// The unique name of the tenant.
    pub slug: TenantSlug,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Since when all its tokens are refused.
    pub disabled_at: Option<DateTime<Utc>>,
    /// How many of its tokens are active; those of a disabled tenant are not.
    pub active_tokens: u64,
}

/// A token that is to be kept.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Its id, by which it is listed and revoked. No secret.
    pub id: Uuid,
    /// The tenant that it belongs to.
    pub tenant: TenantSlug,
    /// What it is recognized by.
    pub digest: TokenDigest,
    /// From when it is valid.
    pub created_at: DateTime<Utc>,
    /// When it stops being valid.
    pub expires_at: DateTime<Utc>,
}

/// A token as it is kept.
#[derive(Clone, Debug)]
pub struct StoredToken {
    /// The id by which it is revoked.
    pub id: Uuid,
    /// The tenant that it belongs to.
    pub tenant: TenantSlug,
    /// What it is recognized by.
    pub digest: TokenDigest,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it stops being valid.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// When it was used, to the hour.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Since when its tenant is disabled.
    pub tenant_disabled_at: Option<DateTime<Utc>>,
}

/// Whether a token is valid, and if not, why.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenState {
    /// Valid.
    Active,
    /// Its time is over.
    Expired,
    /// It was revoked.
    Revoked,
    /// Its tenant is disabled.
    TenantDisabled,
}

impl TokenState {
    /// The state for people.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
            Self::TenantDisabled => "tenant disabled",
        }
    }
}

/// Why a tenant or a token was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// A tenant of that name was created before.
    #[error("the tenant `{0}` already exists")]
    TenantExists(TenantSlug),
    /// No tenant has that name.
    #[error("there is no tenant `{0}`")]
    NoTenant(TenantSlug),
    /// The tenant is disabled, so that a token would be of no use.
    #[error("tenant `{0}` is disabled")]
    TenantDisabled(TenantSlug),
    /// No token has that id.
    #[error("there is no token `{0}`")]
    NoToken(Uuid),
    /// Another token would be one too many.
    #[error("tenant `{tenant}` already has {} active tokens, which is the limit", active.len())]
    TooManyTokens {
        /// Whose tokens.
        tenant: TenantSlug,
        /// The tokens, the oldest first.
        active: Vec<StoredToken>,
    },
    /// There is no active token that another could follow.
    #[error("tenant `{0}` has no active token to rotate")]
    NothingToRotate(TenantSlug),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StoredToken {
    /// What the token is worth at a time.
    pub fn state(&self, now: DateTime<Utc>) -> TokenState {
        if self.revoked_at.is_some() {
            TokenState::Revoked
        } else if self.expires_at <= now {
            TokenState::Expired
        } else if self.tenant_disabled_at.is_some() {
            TokenState::TenantDisabled
        } else {
            TokenState::Active
        }
    }
}

impl StateStore {
    /// Creates a tenant.
    ///
    /// # Errors
    ///
    /// [`CredentialError::TenantExists`], or when the database fails.
    pub fn create_tenant(
        &self,
        slug: &TenantSlug,
        now: DateTime<Utc>,
    ) -> Result<(), CredentialError> {
        let sql = "INSERT INTO tenant (slug, created_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        let created = self
            .write(|statements| {
                statements.execute(sql, params![slug.as_str(), now.timestamp_micros()])
            })
            .map_err(failed(|| format!("create tenant {slug}")))?;
        if created == 0 { Err(CredentialError::TenantExists(slug.clone())) } else { Ok(()) }
    }

    /// All tenants by name.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn tenants(&self, now: DateTime<Utc>) -> Result<Vec<Tenant>, StoreError> {
        const SQL: &str = "
            SELECT slug, created_at, disabled_at,
                   (SELECT count(*) FROM token
                    WHERE tenant = slug AND disabled_at IS NULL
                          AND revoked_at IS NULL AND expires_at > ?1)
            FROM tenant ORDER BY slug";
        self.read(|statements| {
            statements.query_all(SQL, params![now.timestamp_micros()], |row| {
                Ok(Tenant {
                    slug: slug(row, 0)?,
                    created_at: time(row, 1)?,
                    disabled_at: optional_time(row, 2)?,
                    active_tokens: row.get(3)?,
                })
            })
        })
        .map_err(failed(|| "list the tenants".to_owned()))
    }

    /// Disables a tenant, or enables it again. A second time changes nothing.
    ///
    /// # Errors
    ///
    /// [`CredentialError::NoTenant`], or when the database fails.
    pub fn set_tenant_disabled(
        &self,
        slug: &TenantSlug,
        disabled_at: Option<DateTime<Utc>>,
    ) -> Result<(), CredentialError> {
        let changed = self
            .write(|statements| match disabled_at {
                Some(at) => statements.execute(
                    "UPDATE tenant SET disabled_at = coalesce(disabled_at, ?2) WHERE slug = ?1",
                    params![slug.as_str(), at.timestamp_micros()],
                ),
                None => statements.execute(
                    "UPDATE tenant SET disabled_at = NULL WHERE slug = ?1",
                    params![slug.as_str()],
                ),
            })
            .map_err(failed(|| format!("change tenant {slug}")))?;
        if changed == 0 { Err(CredentialError::NoTenant(slug.clone())) } else { Ok(()) }
    }

    /// Keeps another token of a tenant.
    ///
    /// # Errors
    ///
    /// When the tenant does not exist, is disabled or has [`MAX_ACTIVE_TOKENS`], or when the database
    /// fails.
    pub fn create_token(&self, token: &NewToken) -> Result<(), CredentialError> {
        self.change_tokens(token, |_, _| Ok(()))
    }

    /// Keeps the successor of the active token, which works on until `overlap_ends`, unless it expires
    /// before; says what became of it.
    ///
    /// # Errors
    ///
    /// As for [`create_token`](Self::create_token), and when there is no active token.
    pub fn rotate_token(
        &self,
        token: &NewToken,
        overlap_ends: DateTime<Utc>,
    ) -> Result<StoredToken, CredentialError> {
        self.change_tokens(token, |statements, active| {
            let Some(old) = active.first() else {
                return Err(CredentialError::NothingToRotate(token.tenant.clone()));
            };
            let expires_at = old.expires_at.min(overlap_ends);
            statements
                .execute(
                    "UPDATE token SET expires_at = ?2 WHERE id = ?1",
                    params![old.id.to_string(), expires_at.timestamp_micros()],
                )
                .map_err(failed(|| format!("shorten token {}", old.id)))?;
            Ok(StoredToken { expires_at, ..old.clone() })
        })
    }

    /// Adds a token in the same transaction in which there was room for it.
    fn change_tokens<T>(
        &self,
        token: &NewToken,
        change: impl Fn(&dyn Statements, &[StoredToken]) -> Result<T, CredentialError>,
    ) -> Result<T, CredentialError> {
        let describe = || format!("keep a token of {}", token.tenant);
        self.change(describe, |statements| {
            match find_tenant_state(statements, &token.tenant).map_err(failed(describe))? {
                None => return Err(CredentialError::NoTenant(token.tenant.clone())),
                Some(TenantState::Disabled) => {
                    return Err(CredentialError::TenantDisabled(token.tenant.clone()));
                }
                Some(TenantState::Active) => {}
            }
            let mut active = tokens(statements, Some(&token.tenant)).map_err(failed(describe))?;
            active.retain(|held| held.state(token.created_at) == TokenState::Active);
            if active.len() >= MAX_ACTIVE_TOKENS {
                return Err(CredentialError::TooManyTokens {
                    tenant: token.tenant.clone(),
                    active,
                });
            }
            let changed = change(statements, &active)?;
            insert(statements, token).map_err(failed(describe))?;
            Ok(changed)
        })
    }

    /// The tokens of one tenant or of all, the oldest of each tenant first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn tokens(&self, tenant: Option<&TenantSlug>) -> Result<Vec<StoredToken>, StoreError> {
        self.read(|statements| tokens(statements, tenant))
            .map_err(failed(|| "list the tokens".to_owned()))
    }

    /// Revokes a token at once. A second time changes nothing.
    ///
    /// # Errors
    ///
    /// [`CredentialError::NoToken`], or when the database fails.
    pub fn revoke_token(&self, id: Uuid, now: DateTime<Utc>) -> Result<(), CredentialError> {
        let changed = self
            .write(|statements| {
                statements.execute(
                    "UPDATE token SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1",
                    params![id.to_string(), now.timestamp_micros()],
                )
            })
            .map_err(failed(|| format!("revoke token {id}")))?;
        if changed == 0 { Err(CredentialError::NoToken(id)) } else { Ok(()) }
    }

    /// The token with a digest, valid or not: see [`StoredToken::state`].
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn token(&self, digest: &TokenDigest) -> Result<Option<StoredToken>, StoreError> {
        let sql = format!("{SELECT_TOKEN} WHERE digest = ?1");
        let found = self
            .read(|statements| statements.query_opt(&sql, params![digest.as_bytes()], stored_token))
            .map_err(failed(|| "look up a token".to_owned()))?;
        // The index compares byte by byte; this says the same again in constant time.
        let is_same = |token: &StoredToken| token.digest.as_bytes().ct_eq(digest.as_bytes()).into();
        Ok(found.filter(is_same))
    }

    /// Notes that a token was used; not more than once an hour, as it costs a write.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn note_token_use(
        &self,
        token: &StoredToken,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let now = now.timestamp_micros();
        let noted = token.last_used_at.map(|at| at.timestamp_micros());
        if noted.is_some_and(|noted| now.saturating_sub(noted) < NOTE_USE_EVERY) {
            return Ok(());
        }
        let sql = "UPDATE token SET last_used_at = ?2 WHERE id = ?1";
        self.write(|statements| statements.execute(sql, params![token.id.to_string(), now]))
            .map(|_rows| ())
            .map_err(failed(|| format!("note the use of token {}", token.id)))
    }
}

const SELECT_TOKEN: &str = "
    SELECT id, tenant, digest, token.created_at, expires_at, revoked_at, last_used_at, disabled_at
    FROM token JOIN tenant ON tenant.slug = token.tenant";

fn tokens(
    statements: &dyn Statements,
    tenant: Option<&TenantSlug>,
) -> Result<Vec<StoredToken>, SqlError> {
    let sql = format!(
        "{SELECT_TOKEN} WHERE token.tenant = coalesce(?1, token.tenant)
         ORDER BY token.tenant, token.created_at, id"
    );
    statements.query_all(&sql, params![tenant.map(TenantSlug::as_str)], stored_token)
}

fn insert(statements: &dyn Statements, token: &NewToken) -> Result<u64, SqlError> {
    statements.execute(
        "INSERT INTO token (id, tenant, digest, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            token.id.to_string(),
            token.tenant.as_str(),
            token.digest.as_bytes(),
            token.created_at.timestamp_micros(),
            token.expires_at.timestamp_micros(),
        ],
    )
}

fn stored_token(row: Row<'_>) -> Result<StoredToken, SqlError> {
    Ok(StoredToken {
        id: parsed(row, 0)?,
        tenant: slug(row, 1)?,
        digest: row.get::<[u8; 32]>(2)?.into(),
        created_at: time(row, 3)?,
        expires_at: time(row, 4)?,
        revoked_at: optional_time(row, 5)?,
        last_used_at: optional_time(row, 6)?,
        tenant_disabled_at: optional_time(row, 7)?,
    })
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};

    use super::super::testing::TestStore;
    use super::*;

    fn start() -> DateTime<Utc> {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }

    fn after(days: i64) -> DateTime<Utc> {
        start() + TimeDelta::days(days)
    }

    fn acme() -> TenantSlug {
        "acme".parse().unwrap()
    }

    fn database() -> TestStore {
        let state_store = TestStore::new();
        state_store.create_tenant(&acme(), start()).unwrap();
        state_store
    }

    fn token(seed: u8, created_at: DateTime<Utc>) -> NewToken {
        NewToken {
            id: Uuid::from_u128(seed.into()),
            tenant: acme(),
            digest: Token::generate(TokenKind::Ingestion, &[seed; RANDOM_BYTES]).digest(),
            created_at,
            expires_at: created_at + TimeDelta::days(97),
        }
    }

    fn state(state_store: &StateStore, token: &NewToken, now: DateTime<Utc>) -> Option<TokenState> {
        state_store.token(&token.digest).unwrap().map(|stored| stored.state(now))
    }

    #[test]
    fn a_token_is_found_by_its_digest_alone() {
        let state_store = database();
        let kept = token(1, start());
        state_store.create_token(&kept).unwrap();
        let found = state_store.token(&kept.digest).unwrap().unwrap();
        assert_eq!((found.id, found.tenant, found.expires_at), (kept.id, acme(), after(97)));
        assert!(state_store.token(&token(2, start()).digest).unwrap().is_none());
    }

    #[test]
    fn a_token_is_valid_until_the_very_moment_of_its_end() {
        let state_store = database();
        let kept = token(1, start());
        state_store.create_token(&kept).unwrap();
        let end = after(97);
        let before = end - TimeDelta::microseconds(1);
        assert_eq!(state(&state_store, &kept, before), Some(TokenState::Active));
        assert_eq!(state(&state_store, &kept, end), Some(TokenState::Expired));
    }

    #[test]
    fn a_third_active_token_is_refused() {
        let state_store = database();
        state_store.create_token(&token(1, after(0))).unwrap();
        state_store.create_token(&token(2, after(1))).unwrap();
        let error = state_store.create_token(&token(3, after(2))).unwrap_err();
        let CredentialError::TooManyTokens { active, .. } = error else { panic!("{error}") };
        let ids: Vec<u128> = active.iter().map(|token| token.id.as_u128()).collect();
        assert_eq!(ids, [1, 2]);
        let error = state_store.rotate_token(&token(3, after(2)), after(9)).unwrap_err();
        assert!(matches!(error, CredentialError::TooManyTokens { .. }), "{error}");
        assert_eq!(state_store.tokens(None).unwrap().len(), 2);
    }

    #[test]
    fn expired_and_revoked_tokens_make_room() {
        let state_store = database();
        state_store.create_token(&token(1, after(0))).unwrap();
        state_store.create_token(&token(2, after(10))).unwrap();
        state_store.create_token(&token(3, after(97))).unwrap();
        state_store.revoke_token(Uuid::from_u128(2), after(98)).unwrap();
        state_store.create_token(&token(4, after(98))).unwrap();
        assert_eq!(state_store.tenants(after(98)).unwrap()[0].active_tokens, 2);
    }

    #[test]
    fn rotation_leaves_the_old_token_its_overlap() {
        let state_store = database();
        let (old, new) = (token(1, start()), token(2, after(80)));
        state_store.create_token(&old).unwrap();
        let shortened = state_store.rotate_token(&new, after(87)).unwrap();
        assert_eq!((shortened.id, shortened.expires_at), (old.id, after(87)));
        assert_eq!(state(&state_store, &old, after(86)), Some(TokenState::Active));
        assert_eq!(state(&state_store, &old, after(87)), Some(TokenState::Expired));
        assert_eq!(state(&state_store, &new, after(176)), Some(TokenState::Active));
    }

    #[test]
    fn rotation_never_lengthens_a_token() {
        let state_store = database();
        state_store.create_token(&token(1, start())).unwrap();
        let old = state_store.rotate_token(&token(2, after(96)), after(103)).unwrap();
        assert_eq!(old.expires_at, after(97));
    }

    #[test]
    fn without_an_active_token_there_is_nothing_to_rotate() {
        let state_store = database();
        let error = state_store.rotate_token(&token(1, start()), after(7)).unwrap_err();
        assert!(matches!(error, CredentialError::NothingToRotate(_)), "{error}");
        assert!(state_store.tokens(None).unwrap().is_empty());
    }

    #[test]
    fn a_disabled_tenant_has_no_valid_token() {
        let state_store = database();
        let kept = token(1, start());
        state_store.create_token(&kept).unwrap();
        state_store.set_tenant_disabled(&acme(), Some(after(1))).unwrap();
        state_store.set_tenant_disabled(&acme(), Some(after(2))).unwrap();
        assert_eq!(state(&state_store, &kept, after(1)), Some(TokenState::TenantDisabled));
        let tenant = state_store.tenants(after(1)).unwrap().remove(0);
        assert_eq!((tenant.disabled_at, tenant.active_tokens), (Some(after(1)), 0));
        let error = state_store.create_token(&token(2, after(1))).unwrap_err();
        assert!(matches!(error, CredentialError::TenantDisabled(_)), "{error}");
        state_store.set_tenant_disabled(&acme(), None).unwrap();
        assert_eq!(state(&state_store, &kept, after(1)), Some(TokenState::Active));
    }

    #[test]
    fn what_does_not_exist_is_named() {
        let state_store = database();
        let unknown: TenantSlug = "unknown".parse().unwrap();
        let stray = NewToken { tenant: unknown.clone(), ..token(1, start()) };
        let errors = [
            state_store.create_tenant(&acme(), start()).unwrap_err(),
            state_store.set_tenant_disabled(&unknown, None).unwrap_err(),
            state_store.create_token(&stray).unwrap_err(),
            state_store.revoke_token(Uuid::nil(), start()).unwrap_err(),
        ];
        assert_eq!(
            errors.map(|error| error.to_string()),
            [
                "the tenant `acme` already exists",
                "there is no tenant `unknown`",
                "there is no tenant `unknown`",
                "there is no token `00000000-0000-0000-0000-000000000000`",
            ]
        );
    }

    #[test]
    fn use_is_noted_once_an_hour() {
        let state_store = database();
        let kept = token(1, start());
        state_store.create_token(&kept).unwrap();
        let mut seen = Vec::new();
        for minutes in [0, 59, 60] {
            let stored = state_store.token(&kept.digest).unwrap().unwrap();
            state_store.note_token_use(&stored, start() + TimeDelta::minutes(minutes)).unwrap();
            seen.push(state_store.token(&kept.digest).unwrap().unwrap().last_used_at.unwrap());
        }
        assert_eq!(seen, [start(), start(), start() + TimeDelta::minutes(60)]);
    }
}
