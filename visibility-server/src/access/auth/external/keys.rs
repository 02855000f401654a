//! The keys of another authorization server, as it publishes them: fetched when they are first needed,
//! again every hour, and at most once a minute for a key that is not among them.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use visibility_core::fetch::http::HttpClient;
use visibility_core::fetch::{Fetch as _, Probe, Redirects};

use super::ExternalTokenError;
use crate::fetch::{FetchClientError, trusted_client, user_agent};
use crate::settings::Settings;

/// How long keys are used before they are fetched again: one that was taken away is of no use after that
/// fetch.
const FRESH_FOR: Duration = Duration::from_hours(1);
/// How long they are used when they cannot be fetched again.
const USABLE_FOR: Duration = Duration::from_hours(24);
/// Time between two tries.
const TRY_AGAIN: Duration = Duration::from_mins(1);
/// For all that is fetched.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of a document.
const MAX_BYTES: usize = 256 * 1024;
/// Keys of a server.
const MAX_KEYS: usize = 100;

/// The keys of a server.
pub(super) struct IssuerKeys {
    client: HttpClient,
    user_agent: String,
    /// Where the keys are, or else where to ask for that.
    source: KeySource,
    issuer: String,
    cached: RwLock<Option<CachedKeys>>,
    /// When they were last fetched or tried to be; held while they are.
    fetching: Arc<Mutex<Option<Instant>>>,
}

enum KeySource {
    Keys(String),
    /// RFC 8414 section 3.1, and `OpenID` Connect Discovery section 4, which puts it elsewhere.
    Metadata([String; 2]),
}

struct CachedKeys {
    keys: JwkSet,
    fetched: Instant,
}

/// What a server says of itself.
#[derive(Debug, Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

/// Keys of kinds that are not known here are left out, and not the end of all.
#[derive(Debug, Deserialize)]
struct PublishedKeys {
    keys: Vec<serde_json::Value>,
}

impl IssuerKeys {
    pub(super) fn new(settings: &Settings, issuer: &str) -> Result<Self, FetchClientError> {
        let user_agent = user_agent(settings);
        let place =
            settings.oauth.jwks_url.clone().map_or_else(|| metadata_urls(issuer), KeySource::Keys);
        Ok(Self {
            client: trusted_client(settings, &user_agent, TIMEOUT)?,
            user_agent,
            source: place,
            issuer: issuer.to_owned(),
            cached: RwLock::default(),
            fetching: Arc::default(),
        })
    }

    /// The key that a token names, or the only one there is of its kind.
    ///
    /// A key that is no longer fresh is used once more while all are fetched again: an issuer that hangs
    /// does not delay tokens whose key is known.
    pub(super) async fn find(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, ExternalTokenError> {
        let fresh = self.cached_key(id, algorithm, FRESH_FOR);
        if fresh.is_ok() {
            return fresh;
        }
        self.begin_refresh();
        let usable = self.cached_key(id, algorithm, USABLE_FOR);
        if usable.is_ok() {
            return usable;
        }
        // Concurrent callers wait for the running fetch and start none of their own.
        drop(self.fetching.lock().await);
        self.cached_key(id, algorithm, USABLE_FOR)
    }

    /// Has the keys fetched, unless they are being fetched or were tried to be a moment ago. It is done to
    /// its end even if the caller stops waiting.
    fn begin_refresh(self: &Arc<Self>) {
        let Ok(mut tried) = Arc::clone(&self.fetching).try_lock_owned() else { return };
        if tried.is_some_and(|at| at.elapsed() <= TRY_AGAIN) {
            return;
        }
        *tried = Some(Instant::now());
        let keys = Arc::clone(self);
        tokio::spawn(async move {
            keys.refresh().await;
            drop(tried);
        });
    }

    /// A key among those that were fetched not longer ago than this.
    fn cached_key(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
        age: Duration,
    ) -> Result<DecodingKey, ExternalTokenError> {
        let known = self.cached.read().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(known) if known.fetched.elapsed() <= age => {
                pick(&known.keys, id, algorithm).ok_or(ExternalTokenError::Invalid)
            }
            _ => Err(ExternalTokenError::Unknown),
        }
    }

    async fn refresh(&self) {
        let Some(keys) = self.fetch().await else {
            tracing::warn!(issuer = self.issuer, "cannot fetch the keys of the issuer");
            return;
        };
        let mut known = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        *known = Some(CachedKeys { keys, fetched: Instant::now() });
    }

    async fn fetch(&self) -> Option<JwkSet> {
        let url = match &self.source {
            KeySource::Keys(url) => url.clone(),
            KeySource::Metadata(places) => self.jwks_url(places).await?,
        };
        let published: PublishedKeys = self.get(&url).await?;
        let keys = published
            .keys
            .into_iter()
            .take(MAX_KEYS)
            .filter_map(|key| serde_json::from_value(key).ok())
            .collect();
        Some(JwkSet { keys })
    }

    /// Where the metadata say that the keys are. They are those of another server if they name another.
    async fn jwks_url(&self, places: &[String]) -> Option<String> {
        for place in places {
            let found: Option<Metadata> = self.get(place).await;
            if let Some(metadata) = found.filter(|found| found.issuer == self.issuer) {
                return super::is_safe(&metadata.jwks_uri).then_some(metadata.jwks_uri);
            }
        }
        None
    }

    async fn get<T: DeserializeOwned>(&self, url: &str) -> Option<T> {
        let mut probe = Probe::new(url.parse().ok()?, &self.user_agent, MAX_BYTES);
        "application/json".clone_into(&mut probe.accept);
        probe.redirects = Redirects::Stop;
        let response = self.client.session().fetch(&probe).await.ok()?;
        if response.status != 200 {
            return None;
        }
        serde_json::from_slice(&response.body).ok()
    }
}

/// Both places of the metadata of an issuer.
fn metadata_urls(issuer: &str) -> KeySource {
    let issuer = issuer.trim_end_matches('/');
    let (scheme, rest) = issuer.split_once("://").unwrap_or(("https", issuer));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = if path.is_empty() { String::new() } else { format!("/{path}") };
    KeySource::Metadata([
        format!("{scheme}://{host}/.well-known/oauth-authorization-server{path}"),
        format!("{issuer}/.well-known/openid-configuration"),
    ])
}

fn pick(keys: &JwkSet, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
    let mut fitting = keys.keys.iter().filter(|key| fits(key, algorithm));
    let key = if let Some(id) = id {
        fitting.find(|key| key.common.key_id.as_deref() == Some(id))?
    } else {
        let only = fitting.next()?;
        fitting.next().is_none().then_some(only)?
    };
    DecodingKey::from_jwk(key).ok()
}

/// Whether a key is one for signatures of this kind.
fn fits(key: &Jwk, algorithm: Algorithm) -> bool {
    let is_of_kind = match &key.algorithm {
        AlgorithmParameters::RSA(_) => algorithm == Algorithm::RS256,
        AlgorithmParameters::EllipticCurve(_) => algorithm == Algorithm::ES256,
        AlgorithmParameters::OctetKeyPair(_) => algorithm == Algorithm::EdDSA,
        _ => false,
    };
    let is_for_signatures =
        key.common.public_key_use.as_ref().is_none_or(|usage| *usage == PublicKeyUse::Signature);
    is_of_kind && is_for_signatures
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;
    use futures_util::FutureExt;
    use serde_json::{Value, json};
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use super::*;

    fn published(id: &str) -> Value {
        let point = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": id, "x": point }] })
    }

    /// Keys of an issuer on this machine, of which `old` was fetched so long ago.
    async fn keys(age: Duration) -> (Arc<IssuerKeys>, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut settings = Settings::default();
        settings.fetch.nameservers = vec!["127.0.0.1:53".parse().unwrap()];
        let address = listener.local_addr().unwrap();
        settings.oauth.jwks_url = Some(format!("http://{address}/keys"));
        let keys = IssuerKeys::new(&settings, "https://idp.example.com").unwrap();
        *keys.cached.write().unwrap() = Some(CachedKeys {
            keys: serde_json::from_value(published("old")).unwrap(),
            fetched: Instant::now().checked_sub(age).unwrap(),
        });
        (Arc::new(keys), listener)
    }

    async fn find(keys: &Arc<IssuerKeys>, id: &str) -> Result<(), ExternalTokenError> {
        keys.find(Some(id), Algorithm::EdDSA).await.map(|_key| ())
    }

    #[tokio::test]
    async fn an_issuer_that_hangs_delays_no_token_whose_key_is_known() {
        let (keys, listener) = keys(FRESH_FOR * 2).await;
        for _ in 0..2 {
            assert_eq!(find(&keys, "old").now_or_never(), Some(Ok(())));
        }
        // It is asked, and says nothing.
        let _asked = timeout(Duration::from_mins(1), listener.accept()).await.unwrap().unwrap();
        assert_eq!(find(&keys, "old").now_or_never(), Some(Ok(())));
        let unknown = timeout(Duration::from_millis(100), find(&keys, "new")).await;
        assert!(unknown.is_err(), "an unknown key is waited for");
    }

    #[tokio::test]
    async fn what_is_too_old_is_waited_for() {
        let (keys, _listener) = keys(USABLE_FOR * 2).await;
        let old = timeout(Duration::from_millis(100), find(&keys, "old")).await;
        assert!(old.is_err(), "it was used");
    }

    #[tokio::test]
    async fn a_key_that_was_taken_away_is_of_no_use_after_the_fetch() {
        let (keys, listener) = keys(FRESH_FOR * 2).await;
        let body = published("new").to_string();
        let app = Router::new().route("/keys", get(async move || body));
        tokio::spawn(async move { axum::serve(listener, app).await });
        assert_eq!(find(&keys, "old").await, Ok(()));
        assert_eq!(find(&keys, "new").await, Ok(()));
        assert_eq!(find(&keys, "old").await, Err(ExternalTokenError::Invalid));
    }
}
