//! Clients whose id is the address of a document about them (OAuth Client ID Metadata Document): the
//! owner of the host says what the client is.
//!
//! Anybody may send such an address, so it is fetched as a stranger's: from public addresses alone, without
//! redirects, with short limits of size and time, once for concurrent requests, and only a few at once. While a
//! new one cannot be fetched, the cached one is used past its age, so that an attacker cannot keep people from
//! programs that they know.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use quick_cache::sync::Cache;
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;
use url::{Host, Url};
use visibility_core::fetch::http::HttpClient;
use visibility_core::fetch::{BodyEnd, Fetch as _, Probe, Redirects, Response};
use visibility_core::text::note::Note;

use super::client::{self, Client, ClientError, ClientKind, redirect_uris};
use super::fetch_limits::FetchLimits;
use crate::fetch::user_agent;
use crate::jobs::single_flight::{SharedRun, SingleFlight};
use crate::settings::Settings;

/// Bytes of a document.
const MAX_BYTES: usize = 5 * 1024;
/// Bytes of its address.
const MAX_ID_BYTES: usize = 1024;
/// Documents that are remembered.
const KEPT: usize = 1000;
/// How long one is used of which nothing else is said.
const FRESH_FOR: Duration = Duration::from_mins(10);
/// How long at most.
const MAX_FRESH_FOR: Duration = Duration::from_hours(7 * 24);
/// How long one is used past that while no other can be had.
const STALE_FOR: Duration = Duration::from_hours(24);

/// The clients that are known by documents.
pub(crate) struct ClientDocuments {
    fetcher: Arc<Fetcher>,
    lanes: SingleFlight<String, FetchResult>,
}

type FetchResult = Result<Arc<Client>, ClientError>;

struct Fetcher {
    http: HttpClient,
    user_agent: String,
    redirect_schemes: Vec<String>,
    turns: FetchLimits,
    kept: Cache<String, CachedClient>,
}

#[derive(Clone)]
struct CachedClient {
    client: Arc<Client>,
    /// Until when it is used without a look at its host.
    fresh_until: Instant,
    /// Until when it is used if its host cannot be looked at.
    until: Instant,
}

impl ClientDocuments {
    /// Those of a service with these settings.
    pub(crate) fn new(settings: &Settings, http: HttpClient) -> Self {
        let fetcher = Fetcher {
            http,
            user_agent: user_agent(settings),
            redirect_schemes: settings.oauth.redirect_schemes.clone(),
            turns: FetchLimits::default(),
            kept: Cache::new(KEPT),
        };
        Self { fetcher: Arc::new(fetcher), lanes: SingleFlight::default() }
    }

    /// The client of a document. `admit` says whether it may be fetched, which is asked for those alone who
    /// neither get one that is remembered nor share a fetch.
    ///
    /// # Errors
    ///
    /// [`ClientError`]; none is remembered.
    pub(crate) async fn find(
        &self,
        id: &str,
        admit: FetchAdmission,
    ) -> Result<Client, ClientError> {
        let Some(url) = address(id) else {
            return Err(ClientError::Document(Note::new("client-document-address")));
        };
        let kept = self.fetcher.kept.get(id);
        if let Some(kept) = kept.as_ref().filter(|kept| Instant::now() < kept.fresh_until) {
            return Ok(Client::clone(&kept.client));
        }
        let found = match self.join(id, url, admit) {
            Ok(flight) => flight.await,
            Err(error) => Err(error),
        };
        match (found, kept) {
            (Ok(client), _) => Ok(Client::clone(&client)),
            (Err(error), Some(kept)) if error.is_transient() && Instant::now() < kept.until => {
                tracing::info!(id, ?error, "using an expired client document");
                Ok(Client::clone(&kept.client))
            }
            (Err(error), _) => Err(error),
        }
    }

    fn join(
        &self,
        id: &str,
        url: Url,
        admit: FetchAdmission,
    ) -> Result<SharedRun<FetchResult>, ClientError> {
        let (fetcher, key) = (Arc::clone(&self.fetcher), id.to_owned());
        self.lanes.try_join(&key.clone(), || {
            let before = match admit {
                FetchAdmission::AtOnce(admit) => {
                    admit()?;
                    None
                }
                FetchAdmission::Blocking(admit) => Some(spawn_blocking(admit)),
            };
            let fetch = async move {
                if let Some(admitted) = before {
                    admitted.await.unwrap_or(Err(ClientError::Store))?;
                }
                fetcher.fetch(&key, url).await
            };
            Ok(fetch.boxed())
        })
    }
}

impl std::fmt::Debug for ClientDocuments {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ClientDocuments").finish_non_exhaustive()
    }
}

/// Decides whether a document may be fetched, which is asked if it has to be.
pub(crate) enum FetchAdmission {
    /// In memory alone.
    AtOnce(Box<dyn FnOnce() -> Result<(), ClientError> + Send>),
    /// With a look at the database, which blocks: who joins the fetch meanwhile shares its refusal.
    Blocking(Box<dyn FnOnce() -> Result<(), ClientError> + Send>),
}

/// Whether an id is meant as the address of a document.
pub(super) fn is_address(id: &str) -> bool {
    id.starts_with("https://")
}

/// The address that an id is: in the one spelling that parsers agree on, so that it can be compared.
pub(super) fn address(id: &str) -> Option<Url> {
    if id.len() > MAX_ID_BYTES || !is_address(id) {
        return None;
    }
    let url = Url::parse(id).ok()?;
    let is_name = matches!(url.host(), Some(Host::Domain(name)) if name.contains('.'));
    let is_plain = url.as_str() == id
        && url.path().len() > 1
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    (is_name && is_plain).then_some(url)
}

impl Fetcher {
    async fn fetch(&self, id: &str, url: Url) -> FetchResult {
        let host = url.host_str().unwrap_or_default().to_owned();
        let _turn = self.turns.acquire(&host).await.ok_or(ClientError::Busy)?;
        let mut probe = Probe::new(url, &self.user_agent, MAX_BYTES);
        "application/json".clone_into(&mut probe.accept);
        probe.redirects = Redirects::Stop;
        let asked = Instant::now();
        let response = self.http.session().fetch(&probe).await.map_err(|error| {
            tracing::info!(host, %error, "cannot fetch a client document");
            ClientError::Unreachable(no_answer())
        })?;
        if response.status == 429 || response.status >= 500 {
            return Err(ClientError::Unreachable(not_200()));
        }
        // Whatever it says now, the one of before is no longer true.
        self.kept.remove(id);
        let client = read(id, &host, &response, &self.redirect_schemes);
        let client = Arc::new(client.map_err(ClientError::Document)?);
        let Freshness { fresh_for, stale_for } = Freshness::from_response(&response);
        if !fresh_for.is_zero() {
            let fresh_until = asked + fresh_for;
            let until = fresh_until + stale_for;
            let kept = CachedClient { client: Arc::clone(&client), fresh_until, until };
            self.kept.insert(id.to_owned(), kept);
        }
        Ok(client)
    }
}

/// The same for every document that could not be fetched, whatever the reason: more would tell strangers
/// which names exist on our side.
fn no_answer() -> Note {
    Note::new("client-document-no-answer")
}

fn not_200() -> Note {
    Note::new("client-document-not-200")
}

/// Reads the client that a document describes.
fn read(id: &str, host: &str, response: &Response, schemes: &[String]) -> Result<Client, Note> {
    if response.status != 200 {
        return Err(not_200());
    }
    if response.body_end != BodyEnd::Complete {
        return Err(Note::new("client-document-size"));
    }
    let media_type = response.media_type();
    if media_type != "application/json" && !media_type.ends_with("+json") {
        return Err(Note::new("client-document-media-type"));
    }
    let metadata: Map<String, Value> = serde_json::from_slice(&response.body)
        .map_err(|_no_json| Note::new("client-document-no-object"))?;
    if metadata.get("client_id").and_then(Value::as_str) != Some(id) {
        return Err(Note::new("client-document-id"));
    }
    check_secrets(&metadata)?;
    let name = metadata
        .get("client_name")
        .and_then(Value::as_str)
        .and_then(client::name)
        .ok_or_else(|| Note::new("client-document-name"))?;
    let redirect_uris = redirect_uris(&metadata, schemes)
        .ok_or_else(|| Note::new("client-document-redirect-uris"))?;
    Ok(Client {
        id: id.to_owned(),
        name,
        kind: ClientKind::Document,
        verified_host: Some(host.to_owned()),
        redirect_uris,
    })
}

/// Refuses a document with secrets, and a client that wants to prove itself by
/// means that are not supported.
fn check_secrets(metadata: &Map<String, Value>) -> Result<(), Note> {
    let has_secret = ["client_secret", "client_secret_expires_at"]
        .into_iter()
        .any(|name| metadata.contains_key(name));
    let keys = metadata.get("jwks").and_then(|set| set.get("keys")).and_then(Value::as_array);
    let is_private =
        |key: &Value| ["d", "p", "q", "k"].into_iter().any(|part| key.get(part).is_some());
    if has_secret || keys.is_some_and(|keys| keys.iter().any(is_private)) {
        return Err(Note::new("client-document-secret"));
    }
    let offered = metadata.get("token_endpoint_auth_methods_supported").and_then(Value::as_array);
    let offers_none = offered.is_some_and(|methods| methods.iter().any(|own| own == "none"));
    match metadata.get("token_endpoint_auth_method") {
        None => Ok(()),
        Some(method) if method == "none" || method == "private_key_jwt" && offers_none => Ok(()),
        Some(_) => Err(Note::new("client-document-auth-method")),
    }
}

/// How long a document may be used, as it says itself: RFC 9111 section 5.2.2.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Freshness {
    fresh_for: Duration,
    /// Past that, if no other can be had.
    stale_for: Duration,
}

impl Freshness {
    fn from_response(response: &Response) -> Self {
        let mut age = Self { fresh_for: FRESH_FOR, stale_for: STALE_FOR };
        for value in response.headers.all("cache-control") {
            for directive in value.split(',').map(str::trim) {
                let (name, argument) = directive.split_once('=').unwrap_or((directive, ""));
                match name.to_ascii_lowercase().as_str() {
                    "no-store" | "no-cache" => {
                        return Self { fresh_for: Duration::ZERO, stale_for: Duration::ZERO };
                    }
                    "must-revalidate" => age.stale_for = Duration::ZERO,
                    "max-age" => {
                        let seconds = argument.trim_matches('"').parse().unwrap_or_default();
                        age.fresh_for = Duration::from_secs(seconds).min(MAX_FRESH_FOR);
                    }
                    _ => {}
                }
            }
        }
        age
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use visibility_core::fetch::Headers;
    use visibility_core::text::locale::{Catalog, Lang};

    use super::*;

    const ID: &str = "https://client.example/oauth/metadata.json";

    fn response(body: &str) -> Response {
        Response::new(Url::parse(ID).unwrap(), 200, body.to_owned())
            .with_header("content-type", "application/json")
    }

    fn document(change: &Value) -> Value {
        let mut document = json!({
            "client_id": ID,
            "client_name": "Client",
            "redirect_uris": ["http://localhost/callback", "https://client.example/cb", "ftp://a/"],
        });
        for (name, value) in change.as_object().unwrap() {
            document[name] = value.clone();
        }
        document
    }

    fn judge(response: &Response) -> Result<Client, Note> {
        read(ID, "client.example", response, &[])
    }

    #[test]
    fn an_id_is_an_address_in_one_spelling() {
        for id in [
            ID,
            "https://client.example/a?b=c",
            "https://claude.ai/oauth/claude-code-client-metadata",
        ] {
            assert!(address(id).is_some(), "{id}");
        }
        for id in [
            "",
            "https://",
            "https://client.example",
            "https://client.example/",
            "http://client.example/a",
            "HTTPS://client.example/a",
            "https://Client.example/a",
            "https://client.example:443/a",
            "https://client.example/a#b",
            "https://user@client.example/a",
            "https://client.example/a/../b",
            "https://client.example/a/%2e%2e/b",
            "https://client.example/./b",
            "https://client.example/a b",
            "https://localhost/a",
            "https://127.0.0.1/a",
            "https://169.254.169.254/latest/meta-data",
            "https://[::ffff:127.0.0.1]/a",
            "https://2130706433/a",
            "https://0x7f.1/a",
            &format!("https://client.example/{}", "a".repeat(MAX_ID_BYTES)),
        ] {
            assert!(address(id).is_none(), "{id}");
        }
    }

    #[test]
    fn a_document_says_what_a_client_is() {
        let client = judge(&response(&document(&json!({})).to_string())).unwrap();
        assert_eq!((client.id.as_str(), client.name.as_str()), (ID, "Client"));
        assert_eq!(client.verified_host.as_deref(), Some("client.example"));
        assert_eq!(
            client.redirect_uris,
            ["http://localhost/callback", "https://client.example/cb"]
        );
        let methods = json!({
            "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        });
        assert!(judge(&response(&document(&methods).to_string())).is_ok());
    }

    #[test]
    fn what_is_wrong_with_a_document_is_named() {
        for (change, reason) in [
            (json!({ "client_id": "https://client.example/oauth/metadata.json/" }), "client_id"),
            (json!({ "client_id": null }), "client_id"),
            (json!({ "client_name": null }), "client_name"),
            (json!({ "client_name": "a\u{202e}b" }), "client_name"),
            (json!({ "redirect_uris": ["javascript:alert(1)"] }), "redirect_uris"),
            (json!({ "redirect_uris": null }), "redirect_uris"),
            (json!({ "client_secret": "a" }), "secret"),
            (json!({ "jwks": { "keys": [{ "kty": "EC", "d": "a" }] } }), "secret"),
            (json!({ "token_endpoint_auth_method": "private_key_jwt" }), "auth_method"),
            (json!({ "token_endpoint_auth_method": "client_secret_post" }), "auth_method"),
        ] {
            let reported = judge(&response(&document(&change).to_string())).unwrap_err();
            let sentence = reported.sentence(Catalog::for_lang(Lang::En));
            assert!(sentence.contains(reason), "{change}: {sentence}");
        }
        let good = document(&json!({})).to_string();
        for (status, body_end, media_type, body, reason) in [
            (302, BodyEnd::Complete, "application/json", good.as_str(), "200"),
            (200, BodyEnd::Capped, "application/json", &good, "5120"),
            (200, BodyEnd::Broken, "application/json", &good, "5120"),
            (200, BodyEnd::Complete, "text/html", &good, "JSON"),
            (200, BodyEnd::Complete, "application/json", "[]", "object"),
            (200, BodyEnd::Complete, "application/json", "", "object"),
        ] {
            let mut response = response(body);
            response.headers = Headers::from_iter([("content-type", media_type)]);
            (response.status, response.body_end) = (status, body_end);
            let sentence = judge(&response).unwrap_err().sentence(Catalog::for_lang(Lang::En));
            assert!(sentence.contains(reason), "{reason}: {sentence}");
        }
    }

    #[test]
    fn a_document_is_used_as_long_as_it_says_and_a_week_at_most() {
        for (values, expected) in [
            (&[][..], (FRESH_FOR, STALE_FOR)),
            (&["max-age=60"], (Duration::from_mins(1), STALE_FOR)),
            (&["public, Max-Age=\"60\""], (Duration::from_mins(1), STALE_FOR)),
            (&["max-age=60, must-revalidate"], (Duration::from_mins(1), Duration::ZERO)),
            (&["max-age=60, no-store"], (Duration::ZERO, Duration::ZERO)),
            (&["max-age=60", "no-cache"], (Duration::ZERO, Duration::ZERO)),
            (&["max-age=x"], (Duration::ZERO, STALE_FOR)),
            (&["max-age=99999999"], (MAX_FRESH_FOR, STALE_FOR)),
        ] {
            let fields = values.iter().map(|value| ("cache-control", *value));
            let mut response = response("");
            response.headers = fields.collect();
            let Freshness { fresh_for, stale_for } = Freshness::from_response(&response);
            assert_eq!((fresh_for, stale_for), expected, "{values:?}");
        }
    }
}
