//! Access tokens of another authorization server: signed JSON Web Tokens (RFC 9068), with the keys that it
//! publishes.

mod keys;
mod signature;
mod tenant;

use std::collections::BTreeSet;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Header, Validation, decode, decode_header};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use url::{Host, Url};
use visibility_core::accounts::scope::Scope;
use visibility_core::store::StoreError;

use self::keys::IssuerKeys;
use self::tenant::CachedTenant;
use super::key::Principal;
use crate::access::audience;
use crate::access::limiter::subject::Subject;
use crate::fetch::FetchClientError;
use crate::http::response::ApiError;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::stores::state::StateStore;

/// Bytes of a token.
const MAX_TOKEN_BYTES: usize = 16 * 1024;
/// What is signed with: public keys alone, so that no key of a server can be taken for a shared secret.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];
/// Seconds by which the clocks may differ.
const LEEWAY: u64 = 60;

/// Why the tokens of another server cannot be taken as the settings want it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalIssuerError {
    /// No tenant is configured for its users.
    #[error("`oauth.issuer` is set, but `oauth.tenant` is not")]
    Tenant,
    /// An address that anybody on the way could answer for.
    #[error("`{setting}` is not an https URL")]
    Insecure {
        /// Which setting.
        setting: &'static str,
    },
    /// Its keys cannot be fetched.
    #[error(transparent)]
    Client(#[from] FetchClientError),
}

/// Why a token is not taken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ExternalTokenError {
    /// It is malformed, or of another issuer or audience.
    Invalid,
    /// Its time is over.
    Expired,
    /// The keys of its issuer are not known now.
    Unknown,
}

/// Another authorization server, and what is known of it.
pub(crate) struct ExternalIssuer {
    issuer: String,
    audiences: Vec<String>,
    home: CachedTenant,
    keys: Arc<IssuerKeys>,
}

/// What a token says.
#[derive(Debug, Deserialize)]
struct Claims {
    sub: String,
    #[serde(default)]
    scope: Scopes,
    #[serde(default)]
    scp: Scopes,
}

/// Scopes in the two forms that servers write them in.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
enum Scopes {
    #[default]
    None,
    Text(String),
    List(Vec<String>),
}

impl ExternalIssuerError {
    /// What an operator can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Tenant => "set it to the tenant whose records users of the issuer may read",
            Self::Insecure { .. } => {
                "give a URL that begins with `https://` and has no user name, or one \
                    on this machine"
            }
            Self::Client(error) => error.hint(),
        }
    }
}

impl ExternalIssuer {
    /// The server that the settings name, if they name one.
    ///
    /// # Errors
    ///
    /// When it cannot be used as they want it.
    pub(crate) fn new(settings: &Settings) -> Result<Option<Self>, ExternalIssuerError> {
        let Some(issuer) = settings.oauth.issuer.clone() else { return Ok(None) };
        let tenant = settings.oauth.tenant.clone().ok_or(ExternalIssuerError::Tenant)?;
        let named =
            [("oauth.issuer", Some(&issuer)), ("oauth.jwks_url", settings.oauth.jwks_url.as_ref())];
        for (setting, url) in named {
            if url.is_some_and(|url| !is_safe(url)) {
                return Err(ExternalIssuerError::Insecure { setting });
            }
        }
        signature::install();
        Ok(Some(Self {
            keys: Arc::new(IssuerKeys::new(settings, &issuer)?),
            audiences: audience::spellings(settings),
            issuer,
            home: CachedTenant::new(tenant),
        }))
    }

    /// Who holds a token.
    ///
    /// # Errors
    ///
    /// [`ExternalTokenError`].
    pub(crate) async fn principal(&self, token: &str) -> Result<Principal, ExternalTokenError> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(ExternalTokenError::Invalid);
        }
        let header = decode_header(token).map_err(|_no_token| ExternalTokenError::Invalid)?;
        if !ALGORITHMS.contains(&header.alg) || !is_access_token(&header) {
            return Err(ExternalTokenError::Invalid);
        }
        let key = self.keys.find(header.kid.as_deref(), header.alg).await?;
        let decoded = decode::<Claims>(token, &key, &self.validation(header.alg));
        let claims = decoded.map_err(|error| token_error(&error))?.claims;
        Ok(Principal {
            subject: self.subject(&claims.sub),
            tenant: self.home.tenant().clone(),
            scopes: claims.scopes(),
        })
    }

    /// Whether the tenant of all its users may do anything: it exists, and is not disabled.
    ///
    /// # Errors
    ///
    /// When a store fails.
    pub(crate) async fn is_tenant_active(&self, stores: &Arc<Stores>) -> Result<bool, ApiError> {
        self.home.is_active(stores).await
    }

    /// Warns the operator if the tenant of its users does not exist.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn warn_if_tenant_cannot_sign_in(
        &self,
        state_store: &StateStore,
    ) -> Result<(), StoreError> {
        self.home.warn_if_unusable(state_store)
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY;
        validation.validate_nbf = true;
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&self.audiences);
        validation
    }

    /// Whom limits count: what others chose as a name is not kept as it is.
    fn subject(&self, sub: &str) -> Subject {
        let digest = Sha256::digest(sub.as_bytes());
        let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Subject::external(self.home.tenant(), &name)
    }
}

impl Claims {
    fn scopes(&self) -> BTreeSet<Scope> {
        let names = [&self.scope, &self.scp].into_iter().flat_map(Scopes::names);
        names.filter_map(|name| name.parse().ok()).collect()
    }
}

impl Scopes {
    fn names(&self) -> Vec<&str> {
        match self {
            Self::None => Vec::new(),
            Self::Text(text) => text.split(' ').collect(),
            Self::List(names) => names.iter().map(String::as_str).collect(),
        }
    }
}

impl fmt::Debug for ExternalIssuer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("External").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// Whether a text may be a token of another server: three parts, as ours have none.
pub(crate) fn looks_like_jwt(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// A token for something else, such as an ID token, names that in its type.
fn is_access_token(header: &Header) -> bool {
    header.typ.as_deref().is_none_or(|kind| {
        ["at+jwt", "application/at+jwt", "jwt"].iter().any(|known| kind.eq_ignore_ascii_case(known))
    })
}

/// Over TLS, or on this machine, as the host says that is connected to. A user in the address is a mistake,
/// or hides that host.
fn is_safe(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else { return false };
    let Ok(url) = Url::parse(text) else { return false };
    if !url.username().is_empty() || url.password().is_some() {
        return false;
    }
    match (scheme, url.host()) {
        ("https", Some(_)) | ("http", Some(Host::Domain("localhost"))) => true,
        ("http", Some(Host::Ipv4(address))) => address == Ipv4Addr::LOCALHOST,
        ("http", Some(Host::Ipv6(address))) => address == Ipv6Addr::LOCALHOST,
        _ => false,
    }
}

fn token_error(error: &jsonwebtoken::errors::Error) -> ExternalTokenError {
    match error.kind() {
        ErrorKind::ExpiredSignature => ExternalTokenError::Expired,
        _ => ExternalTokenError::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::Router;
    use axum::routing::get;
    use base64::Engine as _;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
    use ring::rand::SystemRandom;
    use ring::signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
    };
    use serde_json::{Value, json};
    use tokio::net::TcpListener;

    use super::*;

    /// An authorization server on this machine, with one key of each kind that can be made here.
    struct Issuer {
        url: String,
        curve: EcdsaKeyPair,
        edwards: Ed25519KeyPair,
        fetched: Arc<AtomicUsize>,
    }

    impl Issuer {
        async fn start() -> Self {
            let random = SystemRandom::new();
            let curve = &ECDSA_P256_SHA256_FIXED_SIGNING;
            let pkcs8 = EcdsaKeyPair::generate_pkcs8(curve, &random).unwrap();
            let curve = EcdsaKeyPair::from_pkcs8(curve, pkcs8.as_ref(), &random).unwrap();
            let pkcs8 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
            let edwards = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            let metadata = json!({ "issuer": url, "jwks_uri": format!("{url}/keys") }).to_string();
            let point = curve.public_key().as_ref();
            let (x, y) = (BASE64.encode(&point[1..33]), BASE64.encode(&point[33..]));
            let keys = json!({ "keys": [
                { "kty": "EC", "crv": "P-256", "kid": "curve", "use": "sig", "x": x, "y": y },
                { "kty": "EC", "crv": "P-256", "kid": "secrets", "use": "enc", "x": x, "y": y },
                { "kty": "OKP", "crv": "Ed25519", "kid": "edwards",
                  "x": BASE64.encode(edwards.public_key().as_ref()) },
                { "kty": "oct", "kid": "shared", "k": BASE64.encode("a secret that everybody knows") },
                { "kty": "of tomorrow", "kid": "new" },
            ]})
            .to_string();
            let fetched = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&fetched);
            let app = Router::new()
                .route("/.well-known/openid-configuration", get(async move || metadata))
                .route(
                    "/keys",
                    get(async move || {
                        count.fetch_add(1, Ordering::Relaxed);
                        keys
                    }),
                );
            tokio::spawn(async move { axum::serve(listener, app).await });
            Self { url, curve, edwards, fetched }
        }

        fn external(&self) -> ExternalIssuer {
            ExternalIssuer::new(&self.settings()).unwrap().unwrap()
        }

        fn settings(&self) -> Settings {
            let mut settings = Settings {
                base_url: Some("https://visibility.example.com".to_owned()),
                ..Settings::default()
            };
            settings.fetch.nameservers = vec!["127.0.0.1:53".parse().unwrap()];
            settings.oauth.issuer = Some(self.url.clone());
            settings.oauth.tenant = Some("acme".parse().unwrap());
            settings
        }

        fn claims(&self) -> Value {
            let now = crate::runtime::clock::now().timestamp();
            json!({
                "iss": self.url,
                "sub": "other-user",
                "aud": "https://visibility.example.com/api/mcp/v1/mcp",
                "exp": now + 300,
                "scope": "openid scan:read logs:read",
            })
        }

        /// A token with this head and these claims, signed as the head says.
        fn token(&self, head: &Value, claims: &Value) -> String {
            let part = |value: &Value| BASE64.encode(value.to_string());
            let message = format!("{}.{}", part(head), part(claims));
            let signature = if head["alg"] == "EdDSA" {
                self.edwards.sign(message.as_bytes()).as_ref().to_vec()
            } else {
                let signed = self.curve.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
                signed.as_ref().to_vec()
            };
            format!("{message}.{}", BASE64.encode(signature))
        }

        fn changed(&self, name: &str, value: Value) -> Value {
            let mut claims = self.claims();
            claims[name] = value;
            claims
        }
    }

    fn curve() -> Value {
        json!({ "alg": "ES256", "kid": "curve", "typ": "at+jwt" })
    }

    #[tokio::test]
    async fn a_token_of_the_issuer_lets_its_holder_in() {
        let issuer = Issuer::start().await;
        let external = issuer.external();
        let heads =
            [curve(), json!({ "alg": "EdDSA" }), json!({ "alg": "EdDSA", "kid": "edwards" })];
        for head in heads {
            let token = issuer.token(&head, &issuer.claims());
            let principal = external.principal(&token).await.unwrap();
            assert_eq!(principal.tenant.as_str(), "acme");
            assert_eq!(principal.scopes, BTreeSet::from([Scope::ScanRead, Scope::LogsRead]));
            assert!(principal.subject.as_str().starts_with("acme/external/"));
        }
        let listed = issuer.changed("scp", json!(["audit:read"]));
        let principal = external.principal(&issuer.token(&curve(), &listed)).await.unwrap();
        assert!(principal.scopes.contains(&Scope::AuditRead));
        assert_eq!(issuer.fetched.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_token_of_another_issuer_or_for_another_audience_is_refused() {
        let issuer = Issuer::start().await;
        let external = issuer.external();
        let past = json!(crate::runtime::clock::now().timestamp() - 120);
        let future = json!(crate::runtime::clock::now().timestamp() + 120);
        for (name, value, refused) in [
            ("iss", json!("https://elsewhere.example.com"), ExternalTokenError::Invalid),
            ("aud", json!("https://elsewhere.example.com"), ExternalTokenError::Invalid),
            (
                "aud",
                json!("https://visibility.example.com.evil.example"),
                ExternalTokenError::Invalid,
            ),
            ("aud", Value::Null, ExternalTokenError::Invalid),
            ("exp", past, ExternalTokenError::Expired),
            ("exp", Value::Null, ExternalTokenError::Invalid),
            ("nbf", future, ExternalTokenError::Invalid),
            ("sub", Value::Null, ExternalTokenError::Invalid),
        ] {
            let token = issuer.token(&curve(), &issuer.changed(name, value.clone()));
            assert_eq!(external.principal(&token).await.unwrap_err(), refused, "{name}: {value}");
        }
    }

    #[tokio::test]
    async fn a_head_cannot_choose_how_it_is_checked() {
        let issuer = Issuer::start().await;
        let external = issuer.external();
        let claims = issuer.claims();
        for head in [
            json!({ "alg": "none" }),
            json!({ "alg": "HS256", "kid": "shared" }),
            json!({ "alg": "ES256", "kid": "edwards" }),
            json!({ "alg": "EdDSA", "kid": "curve" }),
            json!({ "alg": "ES256", "kid": "secrets" }),
            json!({ "alg": "ES256", "kid": "unknown" }),
            json!({ "alg": "ES256", "kid": "curve", "typ": "secevent+jwt" }),
            json!({ "alg": "RS256" }),
        ] {
            let token = issuer.token(&head, &claims);
            assert_eq!(
                external.principal(&token).await.unwrap_err(),
                ExternalTokenError::Invalid,
                "{head}"
            );
        }
        let good = issuer.token(&curve(), &claims);
        let (message, signature) = good.rsplit_once('.').unwrap();
        let long = "a".repeat(20_000);
        for token in
            ["..", "a.b.c", message, &format!("{message}."), &format!("{message}.{long}"), &long]
        {
            assert_eq!(
                external.principal(token).await.unwrap_err(),
                ExternalTokenError::Invalid,
                "{token}"
            );
        }
        let other = issuer.token(&curve(), &issuer.changed("sub", json!("another user")));
        let (message, _) = other.rsplit_once('.').unwrap();
        let swapped = format!("{message}.{signature}");
        assert_eq!(external.principal(&swapped).await.unwrap_err(), ExternalTokenError::Invalid);
        // Keys that are not there are asked for once a minute, and no oftener.
        assert_eq!(issuer.fetched.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn without_keys_no_token_is_accepted_and_none_is_called_invalid() {
        let mut issuer = Issuer::start().await;
        let token = issuer.token(&curve(), &issuer.claims());
        issuer.url = "http://127.0.0.1:9".to_owned();
        assert_eq!(
            issuer.external().principal(&token).await.unwrap_err(),
            ExternalTokenError::Unknown
        );
    }

    #[test]
    fn what_is_on_this_machine_needs_no_tls() {
        for url in [
            "https://idp.example.com/a",
            "http://localhost",
            "http://localhost:8080/keys",
            "http://127.0.0.1:1",
            "http://[::1]/keys",
        ] {
            assert!(is_safe(url), "{url}");
        }
    }

    #[tokio::test]
    async fn settings_that_let_others_answer_for_the_issuer_are_refused() {
        let issuer = Issuer::start().await;
        let refused = |change: &dyn Fn(&mut Settings)| {
            let mut settings = issuer.settings();
            change(&mut settings);
            ExternalIssuer::new(&settings).unwrap_err().to_string()
        };
        assert!(refused(&|settings| settings.oauth.tenant = None).contains("oauth.tenant"));
        for url in [
            "http://idp.example.com",
            "http://127.0.0.1.evil.example",
            "http://localhost:80@evil.example/keys",
            "http://127.0.0.1:80@evil.example",
            "http://[::1]:80@evil.example",
            "http://user@localhost",
            "https://user:secret@idp.example.com",
            "https:idp.example.com",
            "ftp://localhost",
        ] {
            let error = refused(&|settings| settings.oauth.issuer = Some(url.to_owned()));
            assert!(error.contains("`oauth.issuer`"), "{error}");
            let error = refused(&|settings| settings.oauth.jwks_url = Some(url.to_owned()));
            assert!(error.contains("`oauth.jwks_url`"), "{error}");
        }
    }
}
