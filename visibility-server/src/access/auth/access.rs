//! Who asks by an OAuth access token of ours: a program, on behalf of a person.

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
use crate::stores::sqlite::oauth_tokens::StoredAccess;

/// Why a token is not taken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Refusal {
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
pub(super) fn is_meant(text: &str) -> bool {
    TokenKind::of(text) == Some(TokenKind::Access)
}

/// Who holds a token.
///
/// As for keys, it is looked up before anybody looks at its form, and remembered for less than a second.
///
/// # Errors
///
/// 401, or that a store failed.
pub(super) async fn principal(auth: &Authenticator, text: &str) -> Result<Principal, ApiError> {
    let (digest, asked) = (TokenDigest::of(text), Instant::now());
    let found = match auth.recent_tokens.recall(&digest, asked) {
        Some(found) => Some(found),
        None => look_up(&auth.stores, digest).await?.map(|found| {
            let found = Arc::new(found);
            auth.recent_tokens.remember(&digest, &found, asked);
            found
        }),
    };
    let resource = audience::canonical(&auth.settings);
    match judge(text, found.as_deref(), &resource, clock::now()) {
        Ok(token) => Ok(Principal {
            subject: Subject::user(token.grant.made.user),
            tenant: token.grant.tenant.clone(),
            scopes: token.usable_scopes(),
        }),
        Err(refusal) => {
            if let Some(found) = found {
                tracing::info!(grant = %found.grant.made.id, reason = ?refusal, "refused a token");
            } else {
                tracing::debug!(reason = ?refusal, "refused an unknown token");
            }
            Err(ApiError::from(refusal.problem()).challenge(INVALID_TOKEN))
        }
    }
}

async fn look_up(
    stores: &Arc<Stores>,
    digest: TokenDigest,
) -> Result<Option<StoredAccess>, ApiError> {
    let stores = Arc::clone(stores);
    let found = blocking(move || {
        stores.sqlite().access_token(&digest).map_err(|error| ApiError::store(&error))
    });
    found.await
}

fn judge<'t>(
    text: &str,
    found: Option<&'t StoredAccess>,
    resource: &str,
    now: DateTime<Utc>,
) -> Result<&'t StoredAccess, Refusal> {
    let Some(token) = found else {
        let is_token = text.parse::<Token>().is_ok();
        return Err(if is_token { Refusal::Invalid } else { Refusal::Malformed });
    };
    if token.is_revoked() {
        Err(Refusal::Revoked)
    } else if token.expires_at <= now {
        Err(Refusal::Expired)
    } else if token.grant.made.resource != resource {
        Err(Refusal::Invalid)
    } else {
        Ok(token)
    }
}

impl Refusal {
    fn problem(self) -> Problem {
        let (reason, hint) = match self {
            Self::Malformed => ("malformed", "access-malformed"),
            Self::Invalid => ("invalid", "access-invalid"),
            Self::Expired => ("expired", "access-expired"),
            Self::Revoked => ("revoked", "access-revoked"),
        };
        Problem::new(ErrorCode::Unauthorized, "access")
            .hint_of(["errors", hint])
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
    use crate::stores::sqlite::oauth_grants::{NewGrant, StoredGrant};

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
                made: NewGrant {
                    id: Uuid::from_u128(1).into(),
                    user: Uuid::from_u128(2).into(),
                    client_id: "client_1".to_owned(),
                    client_name: "Client".to_owned(),
                    scopes: BTreeSet::from(Scope::ALL),
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
            judge(text.reveal(), Some(token), RESOURCE, now).map(|_| ())
        };
        assert_eq!(judge_at(&stored(), now()), Ok(()));
        let last = now() + TimeDelta::hours(1);
        assert_eq!(judge_at(&stored(), last - TimeDelta::microseconds(1)), Ok(()));
        assert_eq!(judge_at(&stored(), last), Err(Refusal::Expired));
        let ended = |change: &dyn Fn(&mut StoredAccess)| {
            let mut token = stored();
            change(&mut token);
            judge_at(&token, now())
        };
        let at = Some(now());
        assert_eq!(ended(&|token| token.revoked_at = at), Err(Refusal::Revoked));
        assert_eq!(ended(&|token| token.grant.revoked_at = at), Err(Refusal::Revoked));
        assert_eq!(ended(&|token| token.grant.disabled_at = at), Err(Refusal::Revoked));
        let later = now() + TimeDelta::microseconds(1);
        assert_eq!(
            ended(&|token| token.grant.credentials_changed_at = later),
            Err(Refusal::Revoked),
            "a new password"
        );
        let kept = stored();
        let elsewhere = judge(text.reveal(), Some(&kept), "https://a.example", now());
        assert_eq!(elsewhere.unwrap_err(), Refusal::Invalid);
    }

    #[test]
    fn what_nobody_knows_is_told_by_its_form() {
        let told = |text: &str| judge(text, None, RESOURCE, now()).unwrap_err();
        assert_eq!(told(token().reveal()), Refusal::Invalid);
        assert_eq!(told("service_oat_x"), Refusal::Malformed);
    }

    #[test]
    fn a_token_may_do_no_more_than_its_person_still_may() {
        assert_eq!(stored().usable_scopes(), BTreeSet::from([Scope::ScanRead]));
    }
}
