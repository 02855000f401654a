//! `POST /register`: a program registers itself (RFC 7591). What it says is unverified, so it gets an
//! id and nothing else.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;

use super::client::{self, redirect_uris};
use super::error::OAuthError;
use super::{body, redirect};
use crate::access::audience;
use crate::access::audience::OFFLINE_ACCESS;
use crate::access::limiter::subject::Subject;
use crate::access::limiter::{LimitError, LimitScope};
use crate::http::client_address::client_address;
use crate::http::response;
use crate::runtime::clock;
use crate::state::AppState;
use crate::stores::state::oauth_clients::RegisteredClient;
use crate::telemetry::metrics::RateScope;

/// The response about a registered client: RFC 7591 section 3.2.1. What it asked for and is not here, it has
/// not got.
#[derive(Serialize)]
struct RegistrationResponse<'a> {
    client_id: &'a str,
    client_id_issued_at: i64,
    client_name: &'a str,
    redirect_uris: &'a [String],
    grant_types: [&'static str; 2],
    response_types: [&'static str; 1],
    token_endpoint_auth_method: &'static str,
    scope: String,
}

/// `POST /register`.
pub(super) async fn register(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    respond(&state, peer, request).await.unwrap_or_else(OAuthError::into_response)
}

async fn respond(
    state: &AppState,
    peer: SocketAddr,
    request: Request,
) -> Result<Response, OAuthError> {
    admit(state, peer, request.headers()).await?;
    let bytes = body::json(state, request).await?;
    let metadata: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|_no_json| {
        OAuthError::new("invalid_client_metadata", "The body is not a JSON object.")
    })?;
    let wanted =
        ClientMetadata::from_metadata(&metadata, &state.shared().settings.oauth.redirect_schemes)?;
    let client = RegisteredClient {
        id: format!("client_{}", Uuid::now_v7().simple()),
        name: wanted.name,
        redirect_uris: wanted.redirect_uris,
        created_at: clock::now(),
    };
    let (work, kept) = (state.clone(), client.clone());
    let done = tokio::task::spawn_blocking(move || {
        work.shared().stores.state_store().register_client(&kept)
    });
    match done.await {
        Ok(Ok(true)) => {}
        Ok(Ok(false)) => {
            tracing::error!("a client cannot register: there are too many clients");
            return Err(OAuthError::unavailable());
        }
        Ok(Err(error)) => return Err(OAuthError::store(&error)),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot store a client");
            return Err(OAuthError::unavailable());
        }
    }
    let answer = RegistrationResponse {
        client_id: &client.id,
        client_id_issued_at: client.created_at.timestamp(),
        client_name: &client.name,
        redirect_uris: &client.redirect_uris,
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        scope: wanted.scope,
    };
    Ok(response::json(StatusCode::CREATED, &answer))
}

/// Counts a registration of an address.
async fn admit(state: &AppState, peer: SocketAddr, headers: &HeaderMap) -> Result<(), OAuthError> {
    let shared = state.shared();
    let address = client_address(peer.ip(), headers, &shared.settings.trusted_proxies);
    let subject = shared.address_key.subject(address);
    let count = |state: &AppState, subject: &Subject| {
        let shared = state.shared();
        let state_store = shared.stores.state_store();
        shared.limiter.admit(state_store, subject, LimitScope::Registration, clock::now)
    };
    let counted = if shared.limiter.is_shared() {
        let work = state.clone();
        let counted = tokio::task::spawn_blocking(move || count(&work, &subject)).await;
        counted.map_err(|_panic| OAuthError::unavailable())?
    } else {
        count(state, &subject)
    };
    match counted {
        Ok(_counted) => Ok(()),
        Err(LimitError::Reached { wait, .. }) => {
            shared.metrics.rate_limited(RateScope::Registration);
            Err(OAuthError::too_many("Too many clients register from this address.", wait))
        }
        Err(LimitError::Store(error)) => Err(OAuthError::store(&error)),
    }
}

/// What of its wishes a program can have.
#[derive(Debug, Eq, PartialEq)]
struct ClientMetadata {
    name: String,
    redirect_uris: Vec<String>,
    scope: String,
}

impl ClientMetadata {
    fn from_metadata(
        metadata: &Map<String, Value>,
        schemes: &[String],
    ) -> Result<Self, OAuthError> {
        let redirect_uris = redirect_uris(metadata, schemes).ok_or(OAuthError::new(
            "invalid_redirect_uri",
            "There is no valid redirect URI: https, or http on localhost, 127.0.0.1 or [::1].",
        ))?;
        let invalid = |description| OAuthError::new("invalid_client_metadata", description);
        if !offers(metadata, "grant_types", "authorization_code") {
            return Err(invalid("The grant_types do not include authorization_code."));
        }
        if !offers(metadata, "response_types", "code") {
            return Err(invalid("The response_types do not include code."));
        }
        let name = match metadata.get("client_name") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) if text.trim().is_empty() => None,
            Some(Value::String(text)) => Some(
                client::name(text).ok_or(invalid("The client_name has invisible characters."))?,
            ),
            Some(_) => return Err(invalid("The client_name is not text.")),
        };
        let name = name.or_else(|| redirect_uris.first().map(|uri| redirect::host(uri)));
        let scope = metadata.get("scope").and_then(Value::as_str).map(known_scopes);
        Ok(Self {
            name: name.unwrap_or_default(),
            redirect_uris,
            scope: scope.unwrap_or_else(|| audience::scope_list(&Scope::FOR_PROGRAMS)),
        })
    }
}

/// Whether a list has a value, or is left out.
fn offers(metadata: &Map<String, Value>, name: &str, value: &str) -> bool {
    match metadata.get(name) {
        None | Some(Value::Null) => true,
        Some(Value::Array(values)) => values.iter().any(|own| own == value),
        Some(_) => false,
    }
}

/// Those scopes of a list that there are.
fn known_scopes(text: &str) -> String {
    let mut words: Vec<&str> = text
        .split_ascii_whitespace()
        .filter(|word| *word == OFFLINE_ACCESS || word.parse::<Scope>().is_ok())
        .collect();
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(metadata: Value) -> Result<ClientMetadata, OAuthError> {
        let Value::Object(metadata) = metadata else { panic!("an object") };
        ClientMetadata::from_metadata(&metadata, &[])
    }

    #[test]
    fn of_redirect_uris_the_acceptable_are_kept() {
        let uris = ["cursor://a/cb", "http://localhost:8787/cb", "http://localhost:8787/cb"];
        let found = wanted(json!({ "redirect_uris": uris, "client_name": "Cursor" })).unwrap();
        assert_eq!(found.redirect_uris, ["http://localhost:8787/cb"]);
        assert_eq!(
            (found.name.as_str(), found.scope.as_str()),
            ("Cursor", "scan:read audit:read logs:read")
        );
    }

    #[test]
    fn what_cannot_be_is_refused_by_its_name() {
        let uris = json!(["https://a.example/cb"]);
        let uri = OAuthError::new("invalid_redirect_uri", "");
        let other = OAuthError::new("invalid_client_metadata", "");
        for (metadata, expected) in [
            (json!({}), uri),
            (json!({ "redirect_uris": [] }), uri),
            (json!({ "redirect_uris": "https://a.example/cb" }), uri),
            (json!({ "redirect_uris": ["javascript:alert(1)", 1] }), uri),
            (json!({ "redirect_uris": uris, "client_name": 1 }), other),
            (json!({ "redirect_uris": uris, "client_name": "a\u{0}b" }), other),
            (json!({ "redirect_uris": uris, "grant_types": ["implicit"] }), other),
            (json!({ "redirect_uris": uris, "grant_types": "authorization_code" }), other),
            (json!({ "redirect_uris": uris, "response_types": ["token"] }), other),
        ] {
            let error = format!("{:?}", wanted(metadata.clone()).unwrap_err());
            let code = format!("{expected:?}")
                .split("error: ")
                .nth(1)
                .unwrap()
                .split(',')
                .next()
                .unwrap()
                .to_owned();
            assert!(error.contains(&code), "{metadata}: {error}");
        }
    }

    #[test]
    fn a_client_without_a_name_is_called_after_where_it_leads() {
        for (name, uri, expected) in [
            (json!(null), "https://a.example/cb", "a.example"),
            (json!(" "), "https://a.example/cb", "a.example"),
            (json!(null), "http://localhost:1/cb", "http://localhost:1"),
        ] {
            let metadata = json!({ "redirect_uris": [uri], "client_name": name });
            assert_eq!(wanted(metadata).unwrap().name, expected);
        }
    }

    #[test]
    fn scopes_that_are_unknown_are_left_out() {
        let metadata = json!({
            "redirect_uris": ["https://a.example/cb"],
            "scope": "openid offline_access scan:read scan:read",
        });
        assert_eq!(wanted(metadata).unwrap().scope, "offline_access scan:read");
    }
}
