//! Issues tokens for a code or a refresh token, within one transaction.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::TokenDigest;

use super::super::column::{join_list, optional_time, parsed, time};
use super::super::oauth_grants::{GRANT_LIFETIME, GrantId, StoredGrant, find, revoke};
use super::{
    ACCESS_LIFETIME, GRACE, Issued, LONGEST_GRACE, MAX_ACCESS_TOKENS, MAX_REFRESH_TOKENS,
    MAX_ROTATIONS, NewTokens, REFRESH_LIFETIME, Redemption, Rotation, TokenIssueError,
};
use crate::stores::database::{SqlError, Statements, params};

/// Redeems a code: it may be used once, and using it again revokes the grant.
pub(super) fn redeem(
    statements: &dyn Statements,
    redemption: &Redemption<'_>,
    is_met: impl Fn(&str) -> bool,
    now: DateTime<Utc>,
) -> Result<Issued, SqlError> {
    let refused = |why| Ok(Issued::Refused(why));
    let Some(code) = StoredCode::find(statements, &redemption.code)? else {
        return refused(TokenIssueError::Unknown);
    };
    if code.used_at.is_some() {
        revoke(statements, code.grant, now)?;
        return refused(TokenIssueError::Replayed(code.grant));
    }
    let Some(grant) = find(statements, code.grant)? else {
        return refused(TokenIssueError::Ended);
    };
    if grant.is_ended() {
        return refused(TokenIssueError::Ended);
    }
    if code.expires_at <= now {
        return refused(TokenIssueError::Expired);
    }
    if grant.grant.client_id != redemption.client_id {
        return refused(TokenIssueError::OtherClient);
    }
    if redemption.redirect_uri.is_some_and(|uri| uri != code.redirect_uri) {
        return refused(TokenIssueError::Redirect);
    }
    if !is_met(&code.challenge) {
        return refused(TokenIssueError::Verifier);
    }
    if grant.grant.resource != redemption.resource {
        return refused(TokenIssueError::Resource);
    }
    statements.execute(
        "UPDATE oauth_code SET used_at = ?2 WHERE digest = ?1",
        params![redemption.code.as_bytes(), now.timestamp_micros()],
    )?;
    let scopes = grant.grant.scopes.clone();
    let minted = MintedTokens { tokens: redemption.tokens, parent: None, scopes, now };
    minted.store(statements, &grant)
}

/// Replaces a refresh token. Using a replaced one after its grace period revokes the grant.
pub(super) fn rotate(
    statements: &dyn Statements,
    rotation: &Rotation<'_>,
    now: DateTime<Utc>,
) -> Result<Issued, SqlError> {
    let refused = |why| Ok(Issued::Refused(why));
    let Some(token) = StoredRefresh::find(statements, &rotation.token)? else {
        return refused(TokenIssueError::Unknown);
    };
    let Some(grant) = find(statements, token.grant)? else {
        return refused(TokenIssueError::Ended);
    };
    if grant.grant.client_id != rotation.client_id {
        return refused(TokenIssueError::OtherClient);
    }
    if grant.is_ended() {
        return refused(TokenIssueError::Ended);
    }
    if token.expires_at <= now {
        return refused(TokenIssueError::Expired);
    }
    if token.is_spent(now) {
        revoke(statements, token.grant, now)?;
        return refused(TokenIssueError::Replayed(token.grant));
    }
    if grant.grant.resource != rotation.resource {
        return refused(TokenIssueError::Resource);
    }
    let scopes = rotation.scopes.unwrap_or(&grant.grant.scopes);
    if !scopes.is_subset(&grant.grant.scopes) {
        return refused(TokenIssueError::Scope);
    }
    let family = RefreshFamily::load(statements, token.grant, now)?;
    if family.total >= MAX_REFRESH_TOKENS {
        revoke(statements, token.grant, now)?;
        return refused(TokenIssueError::TooMany(token.grant));
    }
    if family.recent >= MAX_ROTATIONS {
        let first = family.first_recent.unwrap_or(now);
        return refused(TokenIssueError::TooOften(first + LONGEST_GRACE - now));
    }
    let at = now.timestamp_micros();
    statements.execute(
        "UPDATE oauth_refresh_token SET replaced_at = coalesce(replaced_at, ?2) WHERE digest = ?1",
        params![rotation.token.as_bytes(), at],
    )?;
    statements.execute(
        "UPDATE oauth_refresh_token SET successor_used_at = coalesce(successor_used_at, ?2)
         WHERE digest = ?1",
        params![token.parent, at],
    )?;
    let scopes = scopes.clone();
    let minted =
        MintedTokens { tokens: rotation.tokens, parent: Some(rotation.token), scopes, now };
    minted.store(statements, &grant)
}

/// Counts of the refresh tokens that were issued for a grant.
struct RefreshFamily {
    total: i64,
    /// Those of the last [`LONGEST_GRACE`].
    recent: i64,
    first_recent: Option<DateTime<Utc>>,
}

impl RefreshFamily {
    fn load(
        statements: &dyn Statements,
        grant: GrantId,
        now: DateTime<Utc>,
    ) -> Result<Self, SqlError> {
        let sql = "SELECT count(*), count(*) FILTER (WHERE created_at > ?2),
                          min(created_at) FILTER (WHERE created_at > ?2)
                   FROM oauth_refresh_token WHERE grant_id = ?1";
        let (grant, from) = (grant.to_string(), (now - LONGEST_GRACE).timestamp_micros());
        statements.query_one(sql, params![grant, from], |row| {
            Ok(Self {
                total: row.get(0)?,
                recent: row.get(1)?,
                first_recent: optional_time(row, 2)?,
            })
        })
    }
}

/// New tokens of a grant.
struct MintedTokens {
    tokens: NewTokens,
    parent: Option<TokenDigest>,
    scopes: BTreeSet<Scope>,
    now: DateTime<Utc>,
}

impl MintedTokens {
    fn store(self, statements: &dyn Statements, grant: &StoredGrant) -> Result<Issued, SqlError> {
        let now = self.now;
        let id = grant.grant.id.to_string();
        let last = grant.grant.created_at + GRANT_LIFETIME;
        let refresh_ends = (now + REFRESH_LIFETIME).min(last);
        let access_ends = (now + ACCESS_LIFETIME).min(last);
        statements.execute(
            "INSERT INTO oauth_refresh_token (digest, grant_id, parent, created_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                self.tokens.refresh.as_bytes(),
                id,
                self.parent.as_ref().map(TokenDigest::as_bytes),
                now.timestamp_micros(),
                refresh_ends.timestamp_micros()
            ],
        )?;
        statements.execute(
            "INSERT INTO oauth_access_token (digest, grant_id, scopes, created_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                self.tokens.access.as_bytes(),
                id,
                join_list(&self.scopes),
                now.timestamp_micros(),
                access_ends.timestamp_micros()
            ],
        )?;
        statements.execute(
            "DELETE FROM oauth_access_token WHERE digest IN (
                 SELECT digest FROM oauth_access_token WHERE grant_id = ?1
                 ORDER BY created_at DESC LIMIT 9223372036854775807 OFFSET ?2)",
            params![id, MAX_ACCESS_TOKENS],
        )?;
        statements.execute(
            "UPDATE oauth_grant SET expires_at = ?2 WHERE id = ?1",
            params![id, refresh_ends.timestamp_micros()],
        )?;
        statements.execute(
            "UPDATE oauth_client SET last_used_at = ?2 WHERE id = ?1",
            params![grant.grant.client_id, now.timestamp_micros()],
        )?;
        Ok(Issued::Tokens { scopes: self.scopes, lifetime: access_ends - now })
    }
}

struct StoredCode {
    grant: GrantId,
    redirect_uri: String,
    challenge: String,
    expires_at: DateTime<Utc>,
    used_at: Option<DateTime<Utc>>,
}

impl StoredCode {
    fn find(statements: &dyn Statements, digest: &TokenDigest) -> Result<Option<Self>, SqlError> {
        let sql = "SELECT grant_id, redirect_uri, challenge, expires_at, used_at
                   FROM oauth_code WHERE digest = ?1";
        statements.query_opt(sql, params![digest.as_bytes()], |row| {
            Ok(Self {
                grant: parsed(row, 0)?,
                redirect_uri: row.get(1)?,
                challenge: row.get(2)?,
                expires_at: time(row, 3)?,
                used_at: optional_time(row, 4)?,
            })
        })
    }
}

/// A refresh token as it is stored.
pub(super) struct StoredRefresh {
    pub(super) grant: GrantId,
    pub(super) parent: Option<[u8; 32]>,
    pub(super) expires_at: DateTime<Utc>,
    pub(super) replaced_at: Option<DateTime<Utc>>,
    pub(super) successor_used_at: Option<DateTime<Utc>>,
}

impl StoredRefresh {
    pub(super) fn find(
        statements: &dyn Statements,
        digest: &TokenDigest,
    ) -> Result<Option<Self>, SqlError> {
        let sql = "SELECT grant_id, parent, expires_at, replaced_at, successor_used_at
                   FROM oauth_refresh_token WHERE digest = ?1";
        statements.query_opt(sql, params![digest.as_bytes()], |row| {
            Ok(Self {
                grant: parsed(row, 0)?,
                parent: row.get(1)?,
                expires_at: time(row, 2)?,
                replaced_at: optional_time(row, 3)?,
                successor_used_at: optional_time(row, 4)?,
            })
        })
    }

    /// Whether its grace period after the replacement is over.
    fn is_spent(&self, now: DateTime<Utc>) -> bool {
        let Some(replaced_at) = self.replaced_at else { return false };
        let latest = replaced_at + LONGEST_GRACE;
        let used_at = self.successor_used_at.unwrap_or(latest);
        let end = used_at.max(replaced_at + GRACE).min(latest);
        now >= end
    }
}
