//! Codes and tokens of grants, by their digests.
//!
//! A code works once: a second use means that it was stolen, and ends the grant. A refresh token is
//! replaced by each use, and works on for a while beside its successor, as programs lose answers and run
//! twice; its use after that means the same as for a code.

mod issue;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use subtle::ConstantTimeEq;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::TokenDigest;
use visibility_core::store::StoreError;

use self::issue::{StoredRefresh, redeem, rotate};
use super::StateStore;
use super::column::{optional_time, parsed, split_list, time};
use super::oauth_grants::{GrantId, StoredGrant, find, revoke};
use crate::stores::database::{SqlError, Statements, failed, params};

/// How long an access token works.
pub const ACCESS_LIFETIME: TimeDelta = TimeDelta::hours(1);
/// How long a refresh token works that is not used.
pub const REFRESH_LIFETIME: TimeDelta = TimeDelta::days(30);
/// How long a refresh token works on at least after it was replaced.
pub const GRACE: TimeDelta = TimeDelta::minutes(10);
/// How long it does at most, while no successor is used.
pub const LONGEST_GRACE: TimeDelta = TimeDelta::minutes(30);
/// Access tokens that a grant has; the oldest go.
const MAX_ACCESS_TOKENS: i64 = 64;
/// Refresh tokens that a grant makes within [`LONGEST_GRACE`].
const MAX_ROTATIONS: i64 = 64;
/// Refresh tokens of a grant, spent ones included. None is deleted before it
/// expires, so that reuse is detected: a grant with so many ends.
const MAX_REFRESH_TOKENS: i64 = 10_000;

/// A code that is to become tokens.
#[derive(Clone, Copy, Debug)]
pub struct Redemption<'a> {
    /// The digest of the code.
    pub code: TokenDigest,
    /// Who redeems it.
    pub client_id: &'a str,
    /// Where the client says that it was sent.
    pub redirect_uri: Option<&'a str>,
    /// What tokens are for now.
    pub resource: &'a str,
    /// The tokens.
    pub tokens: NewTokens,
}

/// A refresh token that is to become new tokens.
#[derive(Clone, Copy, Debug)]
pub struct Rotation<'a> {
    /// The refresh token.
    pub token: TokenDigest,
    /// Who uses it.
    pub client_id: &'a str,
    /// What the access token is to be for; all that was granted without it.
    pub scopes: Option<&'a BTreeSet<Scope>>,
    /// What tokens are for now.
    pub resource: &'a str,
    /// The new tokens.
    pub tokens: NewTokens,
}

/// The digests of new tokens.
#[derive(Clone, Copy, Debug)]
pub struct NewTokens {
    /// Of the access token.
    pub access: TokenDigest,
    /// Of the refresh token.
    pub refresh: TokenDigest,
}

/// The outcome of redeeming a code or a refresh token.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Issued {
    /// Tokens.
    Tokens {
        /// What the access token may be used for.
        scopes: BTreeSet<Scope>,
        /// How long it works.
        lifetime: TimeDelta,
    },
    /// No tokens; the reason says why.
    Refused(TokenIssueError),
}

/// Why there are no tokens.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TokenIssueError {
    /// The code or token does not exist.
    Unknown,
    /// It was used before; the grant was revoked.
    Replayed(GrantId),
    /// Its grant has made too many lately; after that time it may make more.
    TooOften(TimeDelta),
    /// Its grant has made too many in all; it was revoked.
    TooMany(GrantId),
    /// Its time is over.
    Expired,
    /// What it is of was taken back.
    Ended,
    /// It is another client's.
    OtherClient,
    /// It was sent elsewhere.
    Redirect,
    /// The verifier does not meet the challenge.
    Verifier,
    /// It is for an address that the service no longer has.
    Resource,
    /// The request asks for more than was granted.
    Scope,
}

/// An access token as it is kept.
#[derive(Clone, Debug)]
pub struct StoredAccess {
    /// What it is recognized by.
    pub digest: TokenDigest,
    /// What it may be used for as far as its person may.
    pub scopes: BTreeSet<Scope>,
    /// When it stops being valid.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked by itself.
    pub revoked_at: Option<DateTime<Utc>>,
    /// What it is of.
    pub grant: StoredGrant,
}

impl StoredAccess {
    /// Whether it was taken back.
    pub fn is_revoked(&self) -> bool {
        self.revoked_at.is_some() || self.grant.is_ended()
    }

    /// What it may be used for: what was granted, as far as its person may.
    pub fn usable_scopes(&self) -> BTreeSet<Scope> {
        self.scopes.intersection(&self.grant.user_scopes).copied().collect()
    }
}

impl StateStore {
    /// Makes tokens of a code; `is_met` says whether the verifier meets the challenge.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn redeem_code(
        &self,
        redemption: &Redemption<'_>,
        is_met: impl Fn(&str) -> bool,
        now: DateTime<Utc>,
    ) -> Result<Issued, StoreError> {
        if !self.is_kept("SELECT 1 FROM oauth_code WHERE digest = ?1", &redemption.code)? {
            return Ok(Issued::Refused(TokenIssueError::Unknown));
        }
        self.issue("redeem a code", |statements| redeem(statements, redemption, &is_met, now))
    }

    /// Makes new tokens of a refresh token.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn rotate_refresh_token(
        &self,
        rotation: &Rotation<'_>,
        now: DateTime<Utc>,
    ) -> Result<Issued, StoreError> {
        let sql = "SELECT 1 FROM oauth_refresh_token WHERE digest = ?1";
        if !self.is_kept(sql, &rotation.token)? {
            return Ok(Issued::Refused(TokenIssueError::Unknown));
        }
        self.issue("rotate a refresh token", |statements| rotate(statements, rotation, now))
    }

    /// Whether there is a row for a digest, so that strangers' guesses do not wait for the one connection
    /// that writes.
    fn is_kept(&self, sql: &str, digest: &TokenDigest) -> Result<bool, StoreError> {
        self.read(|statements| statements.exists(sql, params![digest.as_bytes()]))
            .map_err(failed(|| "look up a token".to_owned()))
    }

    fn issue(
        &self,
        action: &'static str,
        work: impl Fn(&dyn Statements) -> Result<Issued, SqlError>,
    ) -> Result<Issued, StoreError> {
        // A refusal is committed as well: it may have revoked the grant.
        self.write(work).map_err(failed(|| action.to_owned()))
    }

    /// The access token with a digest, valid or not.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn access_token(&self, digest: &TokenDigest) -> Result<Option<StoredAccess>, StoreError> {
        let found = self
            .read(|statements| access(statements, digest))
            .map_err(failed(|| "look up a token".to_owned()))?;
        // The index compares byte by byte; this says the same again in constant time.
        let is_same =
            |access: &StoredAccess| access.digest.as_bytes().ct_eq(digest.as_bytes()).into();
        Ok(found.filter(is_same))
    }

    /// Revokes a token of a client: an access token alone, a refresh token with its whole grant. What is
    /// not its own stays as it is. Gives the grant that was revoked.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn revoke_oauth_token(
        &self,
        digest: &TokenDigest,
        client_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<GrantId>, StoreError> {
        let known = "SELECT 1 FROM oauth_access_token WHERE digest = ?1
                     UNION ALL SELECT 1 FROM oauth_refresh_token WHERE digest = ?1";
        if !self.is_kept(known, digest)? {
            return Ok(None);
        }
        self.write(|statements| revoke_own(statements, digest, client_id, now))
            .map_err(failed(|| "revoke a token".to_owned()))
    }
}

fn access(
    statements: &dyn Statements,
    digest: &TokenDigest,
) -> Result<Option<StoredAccess>, SqlError> {
    let sql = "SELECT grant_id, scopes, expires_at, revoked_at, digest
               FROM oauth_access_token WHERE digest = ?1";
    let token = statements.query_opt(sql, params![digest.as_bytes()], |row| {
        let grant: GrantId = parsed(row, 0)?;
        let scopes: BTreeSet<Scope> = split_list(row, 1)?;
        let digest: [u8; 32] = row.get(4)?;
        Ok((grant, scopes, time(row, 2)?, optional_time(row, 3)?, digest))
    })?;
    let Some((grant, scopes, expires_at, revoked_at, digest)) = token else { return Ok(None) };
    let grant = find(statements, grant)?;
    Ok(grant.map(|grant| StoredAccess {
        digest: digest.into(),
        scopes,
        expires_at,
        revoked_at,
        grant,
    }))
}

fn revoke_own(
    statements: &dyn Statements,
    digest: &TokenDigest,
    client_id: &str,
    now: DateTime<Utc>,
) -> Result<Option<GrantId>, SqlError> {
    let is_own = |grant: &StoredGrant| grant.grant.client_id == client_id;
    if let Some(token) = StoredRefresh::find(statements, digest)? {
        let grant = find(statements, token.grant)?.filter(is_own);
        if grant.is_some() {
            revoke(statements, token.grant, now)?;
        }
        return Ok(grant.map(|grant| grant.grant.id));
    }
    if access(statements, digest)?.is_some_and(|token| is_own(&token.grant)) {
        statements.execute(
            "UPDATE oauth_access_token SET revoked_at = coalesce(revoked_at, ?2) WHERE digest = ?1",
            params![digest.as_bytes(), now.timestamp_micros()],
        )?;
    }
    Ok(None)
}
