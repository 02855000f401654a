//! Who asks the public API: an API key, and what it may do.

pub(crate) mod recent;
mod refusal;

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue};
use chrono::{DateTime, Utc};
use tokio::task::spawn_blocking;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::{Token, TokenDigest, TokenKind};

use self::recent::Recent;
use self::refusal::Refusal;
use super::external::{External, Refused, looks_signed};
use super::{Authenticator, access, bearer};
use crate::access::limiter::subject::Subject;
use crate::http::blocking::blocking;
use crate::http::client_address::{client_address, network_of};
use crate::http::response::ApiError;
use crate::runtime::clock;
use crate::stores::Stores;
use crate::stores::sqlite::credentials::TokenState;
use crate::stores::sqlite::keys::StoredKey;

/// The challenge to somebody whose token is not taken: RFC 6750 section 3.
pub(super) const INVALID_TOKEN: HeaderValue =
    HeaderValue::from_static("Bearer error=\"invalid_token\"");

/// Who asks, after the key was checked.
#[derive(Clone, Debug)]
pub(crate) struct Principal {
    /// Whom limits count: the same for a key and its successor.
    pub(crate) subject: Subject,
    /// Whose records it may read.
    pub(crate) tenant: TenantSlug,
    /// What it may do.
    pub(crate) scopes: BTreeSet<Scope>,
}

impl Principal {
    /// Sees that something is covered by the scopes.
    ///
    /// # Errors
    ///
    /// 403 with all that is needed and all that is granted.
    pub(crate) fn require(&self, scope: Scope) -> Result<(), ApiError> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        let granted = self.scopes.iter().copied().collect();
        let refusal = Refusal::Scope { required: scope, granted };
        tracing::info!(subject = %self.subject, reason = ?refusal, "refused a scope");
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
        let challenge = HeaderValue::try_from(challenge).unwrap_or(INVALID_TOKEN);
        Err(ApiError::from(refusal).challenge(challenge))
    }
}

/// From where and when something is asked.
#[derive(Clone, Copy, Debug)]
struct Wish {
    from: IpAddr,
    now: DateTime<Utc>,
}

/// Who asks, or why nobody is known: no valid key, or one without the scope.
///
/// # Errors
///
/// 401, 403, or that a store failed.
pub(crate) async fn principal(
    auth: &Authenticator,
    headers: &HeaderMap,
    peer: SocketAddr,
    scope: Scope,
) -> Result<Principal, ApiError> {
    let principal = identify(auth, headers, peer).await?;
    principal.require(scope)?;
    Ok(principal)
}

/// Who asks, whatever for, or why nobody is known.
///
/// # Errors
///
/// 401, 403 for an address that a key may not be used from, or that a store failed.
pub(crate) async fn identify(
    auth: &Authenticator,
    headers: &HeaderMap,
    peer: SocketAddr,
) -> Result<Principal, ApiError> {
    if let Some(text) = bearer(headers) {
        match &auth.external {
            Some(external) if looks_signed(text) => {
                return signed(auth, external, text).await;
            }
            None if access::is_meant(text) => return access::principal(auth, text).await,
            _ => {}
        }
    }
    let trusted = &auth.settings.trusted_proxies;
    let from = client_address(peer.ip(), headers, trusted);
    let look_up = |digest: TokenDigest| {
        let stores = Arc::clone(&auth.stores);
        blocking(move || stores.sqlite().key(&digest).map_err(|error| ApiError::store(&error)))
    };
    let (presented, found) = find(headers, &auth.recent_keys, look_up).await?;
    let wish = Wish { from, now: clock::now() };
    match judge(presented, found.as_ref().map(|found| found.key.as_ref()), wish) {
        Ok(key) => {
            if found.as_ref().is_some_and(|found| found.is_fresh) && key.is_note_due(wish.now) {
                note_use(&auth.stores, key, wish);
            }
            let made = &key.made;
            Ok(Principal {
                subject: Subject::credential(&made.tenant, &made.name),
                tenant: made.tenant.clone(),
                scopes: made.scopes.clone(),
            })
        }
        Err(refusal) => {
            refusal.log(found.as_ref().map(|found| found.key.made.id));
            Err(refusal.into())
        }
    }
}

/// Who holds a token of another issuer, as long as the tenant of all its users may do anything.
async fn signed(
    auth: &Authenticator,
    external: &External,
    text: &str,
) -> Result<Principal, ApiError> {
    let principal = external.principal(text).await.map_err(signed_refusal)?;
    if external.is_tenant_active(&auth.stores).await? {
        return Ok(principal);
    }
    let refusal = Refusal::TenantDisabled;
    tracing::info!(tenant = %principal.tenant, reason = ?refusal, "refused a token of another issuer");
    Err(refusal.into())
}

fn signed_refusal(refused: Refused) -> ApiError {
    tracing::debug!(reason = ?refused, "refused a token of another issuer");
    match refused {
        Refused::Invalid => Refusal::Invalid.into(),
        Refused::Expired => Refusal::Expired.into(),
        Refused::Unknown => ApiError::unavailable(),
    }
}

/// A key that was found.
#[derive(Debug)]
struct Found {
    key: Arc<StoredKey>,
    /// Whether it comes from the database, not from memory.
    is_fresh: bool,
}

/// What a request presents, and the key that it is.
///
/// Whatever is presented, it is hashed and looked up before anybody looks at its form: a text that is no
/// token, one with a wrong checksum, one of another kind and one that is unknown all take the same way.
///
/// # Errors
///
/// That of the look-up.
async fn find<'a, F>(
    headers: &'a HeaderMap,
    recent: &Recent<StoredKey>,
    look_up: impl FnOnce(TokenDigest) -> F,
) -> Result<(Presented<'a>, Option<Found>), ApiError>
where
    F: Future<Output = Result<Option<StoredKey>, ApiError>>,
{
    let presented = Presented::of(headers);
    let Some(text) = presented.text() else { return Ok((presented, None)) };
    let digest = TokenDigest::of(text);
    let asked = Instant::now();
    if let Some(key) = recent.recall(&digest, asked) {
        return Ok((presented, Some(Found { key, is_fresh: false })));
    }
    let found = look_up(digest).await?.map(|key| {
        let key = Arc::new(key);
        recent.remember(&digest, &key, asked);
        Found { key, is_fresh: true }
    });
    Ok((presented, found))
}

/// What `Authorization` says.
#[derive(Clone, Copy, Debug)]
enum Presented<'a> {
    /// Nothing: it is not there.
    Nothing,
    /// Something else than one bearer token.
    Other,
    /// A bearer token, of any form.
    Bearer(&'a str),
}

impl<'a> Presented<'a> {
    fn of(headers: &'a HeaderMap) -> Self {
        match bearer(headers) {
            Some(text) => Self::Bearer(text),
            None if headers.contains_key(AUTHORIZATION) => Self::Other,
            None => Self::Nothing,
        }
    }

    fn text(self) -> Option<&'a str> {
        match self {
            Self::Nothing => None,
            Self::Other => Some(""),
            Self::Bearer(text) => Some(text),
        }
    }
}

/// The key if it may be used from there and then, or why not.
fn judge<'k>(
    presented: Presented<'_>,
    found: Option<&'k StoredKey>,
    wish: Wish,
) -> Result<&'k StoredKey, Refusal> {
    let Some(key) = found else { return Err(stranger(presented)) };
    match key.state(wish.now) {
        TokenState::Active => {}
        TokenState::Expired => return Err(Refusal::Expired),
        TokenState::Revoked => return Err(Refusal::Revoked),
        TokenState::TenantDisabled => return Err(Refusal::TenantDisabled),
    }
    let networks = &key.made.networks;
    if !networks.is_empty() && !networks.iter().any(|network| network.contains(&wish.from)) {
        return Err(Refusal::Address);
    }
    Ok(key)
}

/// What is said to somebody whose key nobody knows. It depends on what they sent alone.
fn stranger(presented: Presented<'_>) -> Refusal {
    let text = match presented {
        Presented::Nothing => return Refusal::Missing,
        Presented::Other => return Refusal::Malformed,
        Presented::Bearer(text) => text,
    };
    match TokenKind::of(text) {
        Some(TokenKind::ApiKey) if text.parse::<Token>().is_ok() => Refusal::Invalid,
        Some(TokenKind::ApiKey) | None => Refusal::Malformed,
        Some(kind) => Refusal::OtherKind(kind),
    }
}

/// Notes the use of a key. Nobody waits for that: when it was last used is for people.
fn note_use(stores: &Arc<Stores>, key: &StoredKey, wish: Wish) {
    let (stores, id) = (Arc::clone(stores), key.made.id);
    drop(spawn_blocking(move || {
        let sqlite = stores.sqlite();
        if let Err(error) = sqlite.note_key_use(id, wish.now, network_of(wish.from)) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the use of a key is not noted"
            );
        }
    }));
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use chrono::TimeDelta;
    use serde_json::json;
    use uuid::Uuid;
    use visibility_core::accounts::token::RANDOM_BYTES;
    use visibility_core::error::ErrorCode;

    use super::*;
    use crate::stores::sqlite::keys::NewKey;

    fn token(kind: TokenKind, seed: u8) -> Token {
        Token::generate(kind, &[seed; RANDOM_BYTES])
    }

    fn now() -> DateTime<Utc> {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }

    /// A key of all scopes that is valid from anywhere and forever.
    pub(crate) fn key(seed: u8) -> StoredKey {
        let token = token(TokenKind::ApiKey, seed);
        let made = NewKey {
            id: Uuid::from_u128(seed.into()).into(),
            tenant: "acme".parse().unwrap(),
            name: "default".parse().unwrap(),
            shown: token.abbreviated(),
            digest: token.digest(),
            scopes: BTreeSet::from(Scope::ALL),
            networks: Vec::new(),
            created_by: None,
            created_at: now(),
            lifetime: None,
        };
        StoredKey {
            made,
            expires_at: None,
            revoked_at: None,
            replaced_by: None,
            last_used_at: None,
            last_used_from: None,
            tenant_disabled_at: None,
        }
    }

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn wish() -> Wish {
        Wish { from: "192.0.2.7".parse().unwrap(), now: now() }
    }

    /// What becomes of a request, and the digests that were looked up for it.
    fn ask(headers: &HeaderMap, kept: &[StoredKey]) -> (Result<(), Refusal>, Vec<[u8; 32]>) {
        let looked_up = RefCell::new(Vec::new());
        let look_up = |digest: TokenDigest| {
            looked_up.borrow_mut().push(*digest.as_bytes());
            let is_it = |key: &&StoredKey| key.made.digest.as_bytes() == digest.as_bytes();
            std::future::ready(Ok(kept.iter().find(is_it).cloned()))
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let recent = Recent::default();
        let (presented, found) = runtime.block_on(find(headers, &recent, look_up)).unwrap();
        let judged = judge(presented, found.as_ref().map(|found| found.key.as_ref()), wish());
        (judged.map(|_key| ()), looked_up.into_inner())
    }

    #[test]
    fn whatever_is_presented_is_looked_up_once_before_its_form_is_judged() {
        let good = token(TokenKind::ApiKey, 9).reveal().to_owned();
        let mistyped = format!("{}!", good.get(..good.len() - 1).unwrap());
        let ingestion = token(TokenKind::Ingestion, 9).reveal().to_owned();
        let access = token(TokenKind::Access, 9).reveal().to_owned();
        for (text, refusal) in [
            ("x", Refusal::Malformed),
            ("service_live_", Refusal::Malformed),
            (&mistyped, Refusal::Malformed),
            (&good, Refusal::Invalid),
            (&ingestion, Refusal::OtherKind(TokenKind::Ingestion)),
            ("svc_pk_live_x", Refusal::OtherKind(TokenKind::Ingestion)),
            (&access, Refusal::OtherKind(TokenKind::Access)),
        ] {
            let (judged, looked_up) = ask(&headers(&[&format!("Bearer {text}")]), &[key(1)]);
            assert_eq!(judged, Err(refusal), "{text}");
            assert_eq!(looked_up, [*TokenDigest::of(text).as_bytes()], "{text}");
        }
        for values in [&["Basic YTpi"][..], &["Bearer"], &["Bearer a", "Bearer a"]] {
            let (judged, looked_up) = ask(&headers(values), &[]);
            assert_eq!(judged, Err(Refusal::Malformed), "{values:?}");
            assert_eq!(looked_up, [*TokenDigest::of("").as_bytes()]);
        }
        assert_eq!(ask(&headers(&[]), &[]), (Err(Refusal::Missing), Vec::new()));
    }

    #[test]
    fn two_headers_are_refused_even_if_one_is_good() {
        let good = format!("Bearer {}", token(TokenKind::ApiKey, 1).reveal());
        assert_eq!(ask(&headers(&[&good]), &[key(1)]).0, Ok(()));
        for values in [[good.as_str(), &good], [&good, "Bearer x"], ["Basic YTpi", &good]] {
            assert_eq!(ask(&headers(&values), &[key(1)]).0, Err(Refusal::Malformed));
        }
    }

    #[test]
    fn what_is_wrong_with_a_key_is_told_to_those_who_have_it() {
        let good = format!("Bearer {}", token(TokenKind::ApiKey, 1).reveal());
        let judged = |change: fn(&mut StoredKey)| {
            let mut key = key(1);
            change(&mut key);
            ask(&headers(&[&good]), &[key]).0
        };
        assert_eq!(judged(|_| ()), Ok(()));
        assert_eq!(judged(|key| key.expires_at = Some(now())), Err(Refusal::Expired));
        let moment = TimeDelta::microseconds(1);
        assert!(now() + moment > now());
        assert_eq!(judged(|key| key.expires_at = Some(now() + TimeDelta::microseconds(1))), Ok(()));
        assert_eq!(judged(|key| key.revoked_at = Some(now())), Err(Refusal::Revoked));
        assert_eq!(
            judged(|key| key.tenant_disabled_at = Some(now())),
            Err(Refusal::TenantDisabled)
        );
        assert_eq!(
            judged(|key| key.made.networks = vec!["198.51.100.0/24".parse().unwrap()]),
            Err(Refusal::Address)
        );
        let both = |key: &mut StoredKey| {
            key.made.networks =
                ["198.51.100.0/24", "192.0.2.0/24"].map(|text| text.parse().unwrap()).to_vec();
        };
        assert_eq!(judged(both), Ok(()));
    }

    #[test]
    fn a_principal_may_do_what_its_scopes_cover() {
        let principal = Principal {
            subject: Subject::credential(&"acme".parse().unwrap(), &"default".parse().unwrap()),
            tenant: "acme".parse().unwrap(),
            scopes: BTreeSet::from([Scope::LogsRead]),
        };
        assert!(principal.require(Scope::LogsRead).is_ok());
        let refused = principal.require(Scope::ScanRead).unwrap_err();
        assert_eq!(refused.problem().code(), ErrorCode::InsufficientScope);
    }

    #[test]
    fn a_recent_key_is_not_looked_up_and_still_judged_anew() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let recent = Recent::default();
        let headers = headers(&[&format!("Bearer {}", token(TokenKind::ApiKey, 1).reveal())]);
        let kept = StoredKey { expires_at: Some(now() + TimeDelta::seconds(1)), ..key(1) };
        recent.remember(&kept.made.digest, &Arc::new(kept.clone()), Instant::now());
        let look_up = |_digest| -> std::future::Ready<_> { panic!("it is looked up") };
        let (presented, found) = runtime.block_on(find(&headers, &recent, look_up)).unwrap();
        let found = found.unwrap();
        assert!(!found.is_fresh);
        assert!(judge(presented, Some(&found.key), wish()).is_ok());
        let later = Wish { now: now() + TimeDelta::seconds(1), ..wish() };
        assert_eq!(judge(presented, Some(&found.key), later).unwrap_err(), Refusal::Expired);
    }

    #[test]
    fn a_key_that_lacks_a_scope_is_told_what_it_lacks() {
        let refusal = Refusal::Scope { required: Scope::ScanRead, granted: vec![Scope::LogsRead] };
        let details = refusal.problem().object(visibility_core::text::locale::Lang::En).details;
        let expected = json!({ "required": "scan:read", "granted": ["logs:read"] });
        assert_eq!(serde_json::Value::Object(details), expected);
    }
}
