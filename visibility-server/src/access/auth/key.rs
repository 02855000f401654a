//! Authenticates requests to the public API: an API key and its scopes.

pub(super) mod error;
pub(crate) mod lookup_cache;

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::http::header::AUTHORIZATION;
use axum::http::{Extensions, HeaderMap, HeaderValue};
use chrono::{DateTime, Utc};
use tokio::task::spawn_blocking;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::{Token, TokenDigest, TokenKind};

use self::error::ApiKeyError;
use self::lookup_cache::LookupCache;
use super::external::{ExternalIssuer, ExternalTokenError, looks_like_jwt};
use super::signed_in::{self, SignedIn};
use super::{Authenticator, access_token, bearer};
use crate::access::limiter::subject::Subject;
use crate::http::blocking::blocking;
use crate::http::client_address::{client_address, network_of};
use crate::http::response::ApiError;
use crate::runtime::clock;
use crate::stores::Stores;
use crate::stores::state::credentials::TokenState;
use crate::stores::state::keys::StoredKey;

/// The challenge for a token that is not accepted: RFC 6750 section 3.
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
        let error = ApiKeyError::Scope { required: scope, granted };
        tracing::info!(subject = %self.subject, reason = ?error, "refused a scope");
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
        let challenge = HeaderValue::try_from(challenge).unwrap_or(INVALID_TOKEN);
        Err(ApiError::from(error).challenge(challenge))
    }
}

/// From where and when something is asked.
#[derive(Clone, Copy, Debug)]
struct RequestSource {
    address: IpAddr,
    now: DateTime<Utc>,
}

/// Authenticates the request and requires a scope.
///
/// # Errors
///
/// 401, 403, or that a store failed.
pub(crate) async fn principal(
    auth: &Authenticator,
    (headers, extensions): (&HeaderMap, &Extensions),
    peer: SocketAddr,
    scope: Scope,
) -> Result<Principal, ApiError> {
    let principal = identify(auth, (headers, extensions), peer).await?;
    principal.require(scope)?;
    Ok(principal)
}

/// Authenticates the request, whatever its scopes.
///
/// # Errors
///
/// 401, 403 for an address that a key may not be used from, or that a store failed.
pub(crate) async fn identify(
    auth: &Authenticator,
    (headers, extensions): (&HeaderMap, &Extensions),
    peer: SocketAddr,
) -> Result<Principal, ApiError> {
    if let Some(signed_in) = extensions.get::<SignedIn>() {
        return signed_in::principal(auth, signed_in.clone()).await;
    }
    if let Some(text) = bearer(headers) {
        match &auth.external {
            Some(external) if looks_like_jwt(text) => {
                return external_principal(auth, external, text).await;
            }
            None if access_token::looks_like_access_token(text) => {
                return access_token::principal(auth, text).await;
            }
            _ => {}
        }
    }
    let trusted = &auth.settings.trusted_proxies;
    let from = client_address(peer.ip(), headers, trusted);
    let (presented, found) = find(headers, &auth.key_cache, |digest| {
        let stores = Arc::clone(&auth.stores);
        blocking(move || stores.state_store().key(&digest).map_err(|error| ApiError::store(&error)))
    })
    .await?;
    let now = auth.stores.trusted_time(clock::now());
    let source = RequestSource { address: from, now };
    match check(presented, found.as_ref().map(|found| found.key.as_ref()), source) {
        Ok(key) => {
            if found.as_ref().is_some_and(|found| found.is_fresh) && key.is_note_due(source.now) {
                record_use(&auth.stores, key, source);
            }
            let made = &key.key;
            Ok(Principal {
                subject: Subject::credential(&made.tenant, &made.name),
                tenant: made.tenant.clone(),
                scopes: made.scopes.clone(),
            })
        }
        Err(refusal) => {
            refusal.log(found.as_ref().map(|found| found.key.key.id));
            Err(refusal.into())
        }
    }
}

/// Who holds a token of another issuer, as long as the tenant of all its users may do anything.
async fn external_principal(
    auth: &Authenticator,
    external: &ExternalIssuer,
    text: &str,
) -> Result<Principal, ApiError> {
    let principal = external.principal(text).await.map_err(external_error)?;
    if external.is_tenant_active(&auth.stores).await? {
        return Ok(principal);
    }
    let error = ApiKeyError::TenantDisabled;
    tracing::info!(tenant = %principal.tenant, reason = ?error, "refused a token of another issuer");
    Err(error.into())
}

fn external_error(refused: ExternalTokenError) -> ApiError {
    tracing::debug!(reason = ?refused, "refused a token of another issuer");
    match refused {
        ExternalTokenError::Invalid => ApiKeyError::Invalid.into(),
        ExternalTokenError::Expired => ApiKeyError::Expired.into(),
        ExternalTokenError::Unknown => ApiError::unavailable(),
    }
}

/// A key that was found.
#[derive(Debug)]
struct FoundKey {
    key: Arc<StoredKey>,
    /// Whether it comes from the database, not from memory.
    is_fresh: bool,
}

/// What a request presents, and the key that it is.
///
/// Whatever is presented, it is hashed and looked up before its form is checked: a text that is not a
/// token, one with a wrong checksum, one of another kind and one that is unknown all take the same way.
///
/// # Errors
///
/// That of the look-up.
async fn find<'a, F>(
    headers: &'a HeaderMap,
    recent: &LookupCache<StoredKey>,
    look_up: impl FnOnce(TokenDigest) -> F,
) -> Result<(PresentedCredential<'a>, Option<FoundKey>), ApiError>
where
    F: Future<Output = Result<Option<StoredKey>, ApiError>>,
{
    let presented = PresentedCredential::from_headers(headers);
    let Some(text) = presented.text() else { return Ok((presented, None)) };
    let digest = TokenDigest::new(text);
    let asked = Instant::now();
    if let Some(key) = recent.get(&digest, asked) {
        return Ok((presented, Some(FoundKey { key, is_fresh: false })));
    }
    let found = look_up(digest).await?.map(|key| {
        let key = Arc::new(key);
        recent.insert(&digest, &key, asked);
        FoundKey { key, is_fresh: true }
    });
    Ok((presented, found))
}

/// What `Authorization` says.
#[derive(Clone, Copy, Debug)]
enum PresentedCredential<'a> {
    /// Nothing: it is not there.
    Nothing,
    /// Something else than one bearer token.
    Other,
    /// A bearer token, of any form.
    Bearer(&'a str),
}

impl<'a> PresentedCredential<'a> {
    fn from_headers(headers: &'a HeaderMap) -> Self {
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
fn check<'k>(
    presented: PresentedCredential<'_>,
    found: Option<&'k StoredKey>,
    source: RequestSource,
) -> Result<&'k StoredKey, ApiKeyError> {
    let Some(key) = found else { return Err(unknown_key(presented)) };
    match key.state(source.now) {
        TokenState::Active => {}
        TokenState::Expired => return Err(ApiKeyError::Expired),
        TokenState::Revoked => return Err(ApiKeyError::Revoked),
        TokenState::TenantDisabled => return Err(ApiKeyError::TenantDisabled),
    }
    let networks = &key.key.networks;
    if !networks.is_empty() && !networks.iter().any(|network| network.contains(&source.address)) {
        return Err(ApiKeyError::Address);
    }
    Ok(key)
}

/// The error for an unknown key. It depends only on what was sent.
fn unknown_key(presented: PresentedCredential<'_>) -> ApiKeyError {
    let text = match presented {
        PresentedCredential::Nothing => return ApiKeyError::Missing,
        PresentedCredential::Other => return ApiKeyError::Malformed,
        PresentedCredential::Bearer(text) => text,
    };
    match TokenKind::from_prefix(text) {
        Some(TokenKind::ApiKey) if text.parse::<Token>().is_ok() => ApiKeyError::Invalid,
        Some(TokenKind::ApiKey) | None => ApiKeyError::Malformed,
        Some(kind) => ApiKeyError::OtherKind(kind),
    }
}

/// Records the use of a key in the background: the time of the last use is informational.
fn record_use(stores: &Arc<Stores>, key: &StoredKey, source: RequestSource) {
    let (stores, id) = (Arc::clone(stores), key.key.id);
    drop(spawn_blocking(move || {
        let state_store = stores.state_store();
        if let Err(error) = state_store.note_key_use(id, source.now, network_of(source.address)) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "cannot record the use of a key"
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
    use crate::stores::state::keys::NewKey;

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
            abbreviated: token.abbreviated(),
            digest: token.digest(),
            scopes: BTreeSet::from(Scope::FOR_PROGRAMS),
            networks: Vec::new(),
            created_by: None,
            created_at: now(),
            lifetime: None,
        };
        StoredKey {
            key: made,
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

    fn wish() -> RequestSource {
        RequestSource { address: "192.0.2.7".parse().unwrap(), now: now() }
    }

    /// What becomes of a request, and the digests that were looked up for it.
    fn ask(headers: &HeaderMap, kept: &[StoredKey]) -> (Result<(), ApiKeyError>, Vec<[u8; 32]>) {
        let looked_up = RefCell::new(Vec::new());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let recent = LookupCache::default();
        let (presented, found) = runtime
            .block_on(find(headers, &recent, |digest| {
                looked_up.borrow_mut().push(*digest.as_bytes());
                std::future::ready(Ok(kept
                    .iter()
                    .find(|key| key.key.digest.as_bytes() == digest.as_bytes())
                    .cloned()))
            }))
            .unwrap();
        let judged = check(presented, found.as_ref().map(|found| found.key.as_ref()), wish());
        (judged.map(|_key| ()), looked_up.into_inner())
    }

    #[test]
    fn whatever_is_presented_is_looked_up_once_before_its_form_is_judged() {
        let good = token(TokenKind::ApiKey, 9).reveal().to_owned();
        let mistyped = format!("{}!", good.get(..good.len() - 1).unwrap());
        let ingestion = token(TokenKind::Ingestion, 9).reveal().to_owned();
        let access = token(TokenKind::Access, 9).reveal().to_owned();
        for (text, error) in [
            ("x", ApiKeyError::Malformed),
            ("service_live_", ApiKeyError::Malformed),
            (&mistyped, ApiKeyError::Malformed),
            (&good, ApiKeyError::Invalid),
            (&ingestion, ApiKeyError::OtherKind(TokenKind::Ingestion)),
            ("svc_pk_live_x", ApiKeyError::OtherKind(TokenKind::Ingestion)),
            (&access, ApiKeyError::OtherKind(TokenKind::Access)),
        ] {
            let (judged, looked_up) = ask(&headers(&[&format!("Bearer {text}")]), &[key(1)]);
            assert_eq!(judged, Err(error), "{text}");
            assert_eq!(looked_up, [*TokenDigest::new(text).as_bytes()], "{text}");
        }
        for values in [&["Basic YTpi"][..], &["Bearer"], &["Bearer a", "Bearer a"]] {
            let (judged, looked_up) = ask(&headers(values), &[]);
            assert_eq!(judged, Err(ApiKeyError::Malformed), "{values:?}");
            assert_eq!(looked_up, [*TokenDigest::new("").as_bytes()]);
        }
        assert_eq!(ask(&headers(&[]), &[]), (Err(ApiKeyError::Missing), Vec::new()));
    }

    #[test]
    fn two_headers_are_refused_even_if_one_is_good() {
        let good = format!("Bearer {}", token(TokenKind::ApiKey, 1).reveal());
        assert_eq!(ask(&headers(&[&good]), &[key(1)]).0, Ok(()));
        for values in [[good.as_str(), &good], [&good, "Bearer x"], ["Basic YTpi", &good]] {
            assert_eq!(ask(&headers(&values), &[key(1)]).0, Err(ApiKeyError::Malformed));
        }
    }

    #[test]
    fn what_is_wrong_with_a_key_is_reported_to_its_holder() {
        let good = format!("Bearer {}", token(TokenKind::ApiKey, 1).reveal());
        let judged = |change: fn(&mut StoredKey)| {
            let mut key = key(1);
            change(&mut key);
            ask(&headers(&[&good]), &[key]).0
        };
        assert_eq!(judged(|_| ()), Ok(()));
        assert_eq!(judged(|key| key.expires_at = Some(now())), Err(ApiKeyError::Expired));
        let moment = TimeDelta::microseconds(1);
        assert!(now() + moment > now());
        assert_eq!(judged(|key| key.expires_at = Some(now() + TimeDelta::microseconds(1))), Ok(()));
        assert_eq!(judged(|key| key.revoked_at = Some(now())), Err(ApiKeyError::Revoked));
        assert_eq!(
            judged(|key| key.tenant_disabled_at = Some(now())),
            Err(ApiKeyError::TenantDisabled)
        );
        assert_eq!(
            judged(|key| key.key.networks = vec!["198.51.100.0/24".parse().unwrap()]),
            Err(ApiKeyError::Address)
        );
        assert_eq!(
            judged(|key| {
                key.key.networks =
                    ["198.51.100.0/24", "192.0.2.0/24"].map(|text| text.parse().unwrap()).to_vec();
            }),
            Ok(())
        );
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
    fn a_cached_key_is_not_looked_up_and_still_checked_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let recent = LookupCache::default();
        let headers = headers(&[&format!("Bearer {}", token(TokenKind::ApiKey, 1).reveal())]);
        let kept = StoredKey { expires_at: Some(now() + TimeDelta::seconds(1)), ..key(1) };
        recent.insert(&kept.key.digest, &Arc::new(kept.clone()), Instant::now());
        let (presented, found) = runtime
            .block_on(find(&headers, &recent, |_digest| -> std::future::Ready<_> {
                panic!("it is looked up")
            }))
            .unwrap();
        let found = found.unwrap();
        assert!(!found.is_fresh);
        assert!(check(presented, Some(&found.key), wish()).is_ok());
        let later = RequestSource { now: now() + TimeDelta::seconds(1), ..wish() };
        assert_eq!(check(presented, Some(&found.key), later).unwrap_err(), ApiKeyError::Expired);
    }

    #[test]
    fn a_key_without_a_scope_learns_which_one_is_missing() {
        let error =
            ApiKeyError::Scope { required: Scope::ScanRead, granted: vec![Scope::LogsRead] };
        let details = error.problem().object(visibility_core::text::locale::Lang::En).details;
        let expected = json!({ "required": "scan:read", "granted": ["logs:read"] });
        assert_eq!(serde_json::Value::Object(details), expected);
    }
}
