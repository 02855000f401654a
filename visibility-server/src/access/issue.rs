//! Makes keys and tokens, for the command line and the browser alike.

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use uuid::Uuid;
use visibility_core::accounts::api_key::KeyId;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::{Token, TokenKind};

use crate::runtime::random;
use crate::stores::state::credentials::NewToken;
use crate::stores::state::keys::Successor;

/// An API key, and what is kept of it whatever it is for.
///
/// # Errors
///
/// When the operating system gives no random numbers.
pub(crate) fn api_key(
    created_by: Option<String>,
    now: DateTime<Utc>,
) -> Result<(Token, Successor), getrandom::Error> {
    let token = random::token(TokenKind::ApiKey)?;
    let successor = Successor {
        id: KeyId::from(Uuid::now_v7()),
        abbreviated: token.abbreviated(),
        digest: token.digest(),
        created_by,
        created_at: now,
    };
    Ok((token, successor))
}

/// A token for ingestion, and what is kept of it.
///
/// # Errors
///
/// When the operating system gives no random numbers.
pub(crate) fn ingestion_token(
    tenant: &TenantSlug,
    lifetime: TimeDelta,
    now: DateTime<Utc>,
) -> Result<(Token, NewToken), getrandom::Error> {
    let token = random::token(TokenKind::Ingestion)?;
    let kept = NewToken {
        id: Uuid::now_v7(),
        tenant: tenant.clone(),
        digest: token.digest(),
        created_at: now,
        // To the second, as it is shown.
        expires_at: (now + lifetime).trunc_subsecs(0),
    };
    Ok((token, kept))
}
