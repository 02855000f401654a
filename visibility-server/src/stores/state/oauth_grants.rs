//! Grants: what users allowed clients to do.
//!
//! A grant begins with a code, lives as long as its refresh tokens, and ends at once when its person may do
//! nothing any more, or has changed the password since. All times are arguments.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::TokenDigest;
use visibility_core::accounts::user::{UserId, UserName};
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::{join_list, optional_time, parsed, slug, split_list, time};
use crate::stores::database::{Row, SqlError, Statements, failed, params};

/// How long a code can be redeemed.
pub const CODE_LIFETIME: TimeDelta = TimeDelta::seconds(60);
/// How long a grant lives, however often its tokens are refreshed.
pub const GRANT_LIFETIME: TimeDelta = TimeDelta::days(180);
/// Grants of one person; the oldest go.
const MAX_GRANTS: i64 = 200;
/// What an id begins with.
const ID_PREFIX: &str = "grant_";

/// The id of a grant: `grant_` and 32 hexadecimal digits. No secret.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct GrantId(Uuid);

/// A text that is not an id of a grant.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the id of a grant is `grant_` followed by 32 hexadecimal digits")]
pub struct GrantIdError;

impl From<Uuid> for GrantId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl FromStr for GrantId {
    type Err = GrantIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix(ID_PREFIX).filter(|digits| digits.len() == 32);
        let id = digits.and_then(|digits| Uuid::try_parse(digits).ok());
        id.map(Self).ok_or(GrantIdError)
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{ID_PREFIX}{}", self.0.simple())
    }
}

/// A grant that is to be kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewGrant {
    /// The id of the grant.
    pub id: GrantId,
    /// Who lets a program do something.
    pub user: UserId,
    /// The program.
    pub client_id: String,
    /// What the program calls itself.
    pub client_name: String,
    /// What it may do.
    pub scopes: BTreeSet<Scope>,
    /// What its tokens are for.
    pub resource: String,
    /// When it began.
    pub created_at: DateTime<Utc>,
}

/// The code that a grant begins with.
#[derive(Clone, Debug)]
pub struct NewCode {
    /// What it is recognized by.
    pub digest: TokenDigest,
    /// Where it was sent.
    pub redirect_uri: String,
    /// What the verifier must meet.
    pub challenge: String,
}

/// By what a person is known who grants something.
#[derive(Clone, Copy, Debug)]
pub struct Consent {
    /// The session in which it was granted.
    pub session: TokenDigest,
    /// Since when the password of the person counted, as it was when the session was looked up.
    pub credentials_changed_at: DateTime<Utc>,
}

/// A grant as it is kept, with what is known of its person.
#[derive(Clone, Debug)]
pub struct StoredGrant {
    /// What it was made as.
    pub grant: NewGrant,
    /// When its last token ends.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Whose records its tokens read.
    pub tenant: TenantSlug,
    /// What its person signs in as.
    pub user_name: UserName,
    /// What its person still may do.
    pub user_scopes: BTreeSet<Scope>,
    /// Since when its person may do nothing, or the whole tenant.
    pub disabled_at: Option<DateTime<Utc>>,
    /// Since when what its person grants counts: the password was set then, or the person disabled.
    pub credentials_changed_at: DateTime<Utc>,
}

impl StoredGrant {
    /// Whether it was taken back: by itself, with its person, or by a new password.
    pub fn is_ended(&self) -> bool {
        self.revoked_at.is_some()
            || self.disabled_at.is_some()
            || self.grant.created_at < self.credentials_changed_at
    }
}

impl StateStore {
    /// Keeps a grant and its code, unless the session of the consent was ended, the password changed, or the
    /// person or the tenant disabled meanwhile. Says whether there is a grant now.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn begin_grant(
        &self,
        grant: &NewGrant,
        code: &NewCode,
        consent: &Consent,
    ) -> Result<bool, StoreError> {
        self.write(|statements| insert(statements, grant, code, consent))
            .map_err(failed(|| format!("keep {}", grant.id)))
    }

    /// The grants of one tenant or of all that are not over, the oldest first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn grants(
        &self,
        tenant: Option<&TenantSlug>,
        now: DateTime<Utc>,
    ) -> Result<Vec<StoredGrant>, StoreError> {
        let sql = format!(
            "{SELECT_GRANT} WHERE person.tenant = coalesce(?1, person.tenant) AND oauth_grant.expires_at > ?2
             ORDER BY oauth_grant.created_at, oauth_grant.id"
        );
        let tenant = tenant.map(TenantSlug::as_str);
        self.read(|statements| {
            statements.query_all(&sql, params![tenant, now.timestamp_micros()], stored_grant)
        })
        .map_err(failed(|| "list the grants".to_owned()))
    }

    /// Revokes a grant with all of its tokens at once, and gives it as it is then. A second time changes
    /// nothing; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn revoke_grant(
        &self,
        id: GrantId,
        now: DateTime<Utc>,
    ) -> Result<Option<StoredGrant>, StoreError> {
        self.write(|statements| {
            revoke(statements, id, now)?;
            find(statements, id)
        })
        .map_err(failed(|| format!("revoke {id}")))
    }

    /// Removes the grants that were over at a time, and access tokens that were; says how many.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn remove_grants(&self, until: DateTime<Utc>) -> Result<u64, StoreError> {
        let until = until.timestamp_micros();
        self.write(|statements| {
            let grants = statements.execute(
                "DELETE FROM oauth_grant
                 WHERE expires_at < ?1 OR revoked_at IS NOT NULL AND revoked_at < ?1",
                params![until],
            )?;
            let access = "DELETE FROM oauth_access_token WHERE expires_at < ?1";
            statements.execute(access, params![until])?;
            let refresh = "DELETE FROM oauth_refresh_token WHERE expires_at < ?1";
            statements.execute(refresh, params![until])?;
            Ok(grants)
        })
        .map_err(failed(|| "remove old grants".to_owned()))
    }
}

fn insert(
    statements: &dyn Statements,
    grant: &NewGrant,
    code: &NewCode,
    consent: &Consent,
) -> Result<bool, SqlError> {
    let now = grant.created_at.timestamp_micros();
    let code_ends = (grant.created_at + CODE_LIFETIME).timestamp_micros();
    let (id, user) = (grant.id.to_string(), grant.user.to_string());
    let kept = statements.execute(
        "INSERT INTO oauth_grant (id, user_id, client_id, client_name, scopes, resource,
                                  created_at, expires_at)
         SELECT ?1, person.id, ?3, ?4, ?5, ?6, ?7, ?8
         FROM session
         JOIN person ON person.id = session.person
         JOIN tenant ON tenant.slug = person.tenant
         WHERE session.digest = ?9 AND person.id = ?2 AND credentials_changed_at = ?10
               AND person.disabled_at IS NULL AND tenant.disabled_at IS NULL",
        params![
            id,
            user,
            grant.client_id,
            grant.client_name,
            join_list(&grant.scopes),
            grant.resource,
            now,
            code_ends,
            consent.session.as_bytes(),
            consent.credentials_changed_at.timestamp_micros()
        ],
    )?;
    if kept == 0 {
        return Ok(false);
    }
    statements.execute(
        "INSERT INTO oauth_code (digest, grant_id, redirect_uri, challenge, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![code.digest.as_bytes(), id, code.redirect_uri, code.challenge, code_ends],
    )?;
    statements.execute(
        "UPDATE oauth_client SET last_used_at = ?2 WHERE id = ?1",
        params![grant.client_id, now],
    )?;
    statements.execute(
        "DELETE FROM oauth_grant WHERE id IN (
             SELECT id FROM oauth_grant WHERE user_id = ?1
             ORDER BY created_at DESC, id DESC LIMIT 9223372036854775807 OFFSET ?2)",
        params![user, MAX_GRANTS],
    )?;
    Ok(true)
}

/// What [`stored_grant`] reads.
const SELECT_GRANT: &str = "
    SELECT oauth_grant.id, user_id, client_id, client_name, oauth_grant.scopes, resource,
           oauth_grant.created_at, expires_at, revoked_at, person.tenant, person.scopes,
           coalesce(person.disabled_at, tenant.disabled_at), credentials_changed_at, person.name
    FROM oauth_grant
    JOIN person ON person.id = oauth_grant.user_id
    JOIN tenant ON tenant.slug = person.tenant";

/// The grant of a row.
fn stored_grant(row: Row<'_>) -> Result<StoredGrant, SqlError> {
    let made = NewGrant {
        id: parsed(row, 0)?,
        user: parsed(row, 1)?,
        client_id: row.get(2)?,
        client_name: row.get(3)?,
        scopes: split_list(row, 4)?,
        resource: row.get(5)?,
        created_at: time(row, 6)?,
    };
    Ok(StoredGrant {
        grant: made,
        expires_at: time(row, 7)?,
        revoked_at: optional_time(row, 8)?,
        tenant: slug(row, 9)?,
        user_scopes: split_list(row, 10)?,
        disabled_at: optional_time(row, 11)?,
        credentials_changed_at: time(row, 12)?,
        user_name: parsed(row, 13)?,
    })
}

/// The grant with an id.
pub(super) fn find(
    statements: &dyn Statements,
    id: GrantId,
) -> Result<Option<StoredGrant>, SqlError> {
    let sql = format!("{SELECT_GRANT} WHERE oauth_grant.id = ?1");
    statements.query_opt(&sql, params![id.to_string()], stored_grant)
}

/// Revokes a grant.
pub(super) fn revoke(
    statements: &dyn Statements,
    id: GrantId,
    now: DateTime<Utc>,
) -> Result<u64, SqlError> {
    statements.execute(
        "UPDATE oauth_grant SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1",
        params![id.to_string(), now.timestamp_micros()],
    )
}
