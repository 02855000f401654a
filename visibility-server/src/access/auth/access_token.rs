//! Authenticates requests with an OAuth access token that this service issued.

use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};
use visibility_core::accounts::token::{Token, TokenDigest, TokenKind};
use visibility_core::error::{ErrorCode, Problem};

use super::Authenticator;
use super::key::{INVALID_TOKEN, Principal};
use crate::access::audience;
use crate::access::limiter::subject::Subject;
use crate::http::blocking::blocking;
use crate::http::response::ApiError;
use crate::runtime::clock;
use crate::stores::Stores;
use crate::stores::state::oauth_tokens::StoredAccess;

/// Why a token is not taken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum AccessTokenError {
    /// It has not the form of one.
    Malformed,
    /// It is unknown, or for another service.
    Invalid,
    /// Its time is over.
    Expired,
    /// It, its grant or what its person may do was taken back.
    Revoked,
}

/// Whether a text is meant as an access token of ours.
pub(super) fn looks_like_access_token(text: &str) -> bool {
    TokenKind::from_prefix(text) == Some(TokenKind::Access)
}

/// Who holds a token.
///
/// As for keys, it is looked up before anybody looks at its form, and remembered for less than a second.
///
/// # Errors
///
/// 401, or that a store failed.
pub(super) async fn principal(auth: &Authenticator, text: &str) -> Result<Principal, ApiError> {
    let (digest, asked) = (TokenDigest::new(text), Instant::now());
    let found = match auth.token_cache.get(&digest, asked) {
        Some(found) => Some(found),
        None => look_up(&auth.stores, digest).await?.map(|found| {
            let found = Arc::new(found);
            auth.token_cache.insert(&digest, &found, asked);
            found
        }),
    };
    let resource = audience::canonical(&auth.settings);
    let now = auth.stores.trusted_time(clock::now());
    match check(text, found.as_deref(), &resource, now) {
        Ok(token) => Ok(Principal {
            subject: Subject::user(token.grant.grant.user),
            tenant: token.grant.tenant.clone(),
            scopes: token.usable_scopes(),
        }),
        Err(error) => {
            if let Some(found) = found {
                tracing::info!(grant = %found.grant.grant.id, reason = ?error, "refused a token");
            } else {
                tracing::debug!(reason = ?error, "refused an unknown token");
            }
            Err(ApiError::from(error.problem()).challenge(INVALID_TOKEN))
        }
    }
}

async fn look_up(
    stores: &Arc<Stores>,
    digest: TokenDigest,
) -> Result<Option<StoredAccess>, ApiError> {
    let stores = Arc::clone(stores);
    let found = blocking(move || {
        stores.state_store().access_token(&digest).map_err(|error| ApiError::store(&error))
    });
    found.await
}

fn check<'t>(
    text: &str,
    found: Option<&'t StoredAccess>,
    resource: &str,
    now: DateTime<Utc>,
) -> Result<&'t StoredAccess, AccessTokenError> {
    let Some(token) = found else {
        let is_token = text.parse::<Token>().is_ok();
        return Err(if is_token { AccessTokenError::Invalid } else { AccessTokenError::Malformed });
    };
    if token.is_revoked() {
        Err(AccessTokenError::Revoked)
    } else if token.expires_at <= now {
        Err(AccessTokenError::Expired)
    } else if token.grant.grant.resource != resource {
        Err(AccessTokenError::Invalid)
    } else {
        Ok(token)
    }
}

impl AccessTokenError {
    fn problem(self) -> Problem {
        let (reason, hint) = match self {
            Self::Malformed => ("malformed", "access-malformed"),
            Self::Invalid => ("invalid", "access-invalid"),
            Self::Expired => ("expired", "access-expired"),
            Self::Revoked => ("revoked", "access-revoked"),
        };
        Problem::new(ErrorCode::Unauthorized, "access")
            .with_hint_from(["errors", hint])
            .detail("reason", reason)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chrono::TimeDelta;
    use uuid::Uuid;
    use visibility_core::accounts::scope::Scope;
    use visibility_core::accounts::token::RANDOM_BYTES;

    use super::*;
    use crate::stores::state::oauth_grants::{NewGrant, StoredGrant};

    const RESOURCE: &str = "https://visibility.example.com/api/mcp/v1/mcp";

    fn now() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(20_000)
    }

    fn token() -> Token {
        Token::generate(TokenKind::Access, &[1; RANDOM_BYTES])
    }

    fn stored() -> StoredAccess {
        StoredAccess {
            digest: token().digest(),
            scopes: BTreeSet::from([Scope::ScanRead, Scope::LogsRead]),
            expires_at: now() + TimeDelta::hours(1),
            revoked_at: None,
            grant: StoredGrant {
                grant: NewGrant {
                    id: Uuid::from_u128(1).into(),
                    user: Uuid::from_u128(2).into(),
                    client_id: "client_1".to_owned(),
                    client_name: "Client".to_owned(),
                    scopes: BTreeSet::from(Scope::FOR_PROGRAMS),
                    resource: RESOURCE.to_owned(),
                    created_at: now(),
                },
                expires_at: now() + TimeDelta::days(30),
                revoked_at: None,
                tenant: "acme".parse().unwrap(),
                user_name: "ada".parse().unwrap(),
                user_scopes: BTreeSet::from([Scope::ScanRead, Scope::AuditRead]),
                disabled_at: None,
                credentials_changed_at: now(),
            },
        }
    }

    #[test]
    fn a_token_is_taken_as_long_as_nothing_ends_it() {
        let text = token();
        let judge_at = |token: &StoredAccess, now| {
            check(text.reveal(), Some(token), RESOURCE, now).map(|_| ())
        };
        assert_eq!(judge_at(&stored(), now()), Ok(()));
        let last = now() + TimeDelta::hours(1);
        assert_eq!(judge_at(&stored(), last - TimeDelta::microseconds(1)), Ok(()));
        assert_eq!(judge_at(&stored(), last), Err(AccessTokenError::Expired));
        let ended = |change: &dyn Fn(&mut StoredAccess)| {
            let mut token = stored();
            change(&mut token);
            judge_at(&token, now())
        };
        let at = Some(now());
        assert_eq!(ended(&|token| token.revoked_at = at), Err(AccessTokenError::Revoked));
        assert_eq!(ended(&|token| token.grant.revoked_at = at), Err(AccessTokenError::Revoked));
        assert_eq!(ended(&|token| token.grant.disabled_at = at), Err(AccessTokenError::Revoked));
        let later = now() + TimeDelta::microseconds(1);
        assert_eq!(
            ended(&|token| token.grant.credentials_changed_at = later),
            Err(AccessTokenError::Revoked),
            "a new password"
        );
        let kept = stored();
        let elsewhere = check(text.reveal(), Some(&kept), "https://a.example", now());
        assert_eq!(elsewhere.unwrap_err(), AccessTokenError::Invalid);
    }

    #[test]
    fn an_unknown_token_is_judged_by_its_form() {
        let error = |text: &str| check(text, None, RESOURCE, now()).unwrap_err();
        assert_eq!(error(token().reveal()), AccessTokenError::Invalid);
        assert_eq!(error("service_oat_x"), AccessTokenError::Malformed);
    }

    #[test]
    fn a_token_may_do_no_more_than_its_person_still_may() {
        assert_eq!(stored().usable_scopes(), BTreeSet::from([Scope::ScanRead]));
    }
}
