//! Who may ask.

mod external;

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use reqwest::Response;
use serde_json::{Value, json};
use uuid::Uuid;
use visibility_core::accounts::api_key::KeyId;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_server::stores::Stores;
use visibility_server::stores::state::keys::Successor;
use visibility_tests::database;
use visibility_tests::server::Hosts;
use visibility_tests::wait::{eventually, until};

use crate::api::server::{Server, TENANT};

/// The error for a request that has presented something.
const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";
const PATH: &str = "/api/v1/agent-readiness/example.com";

impl Server {
    /// Asks for a result with these values of `Authorization`.
    async fn ask_with(&self, path: &str, values: &[&str]) -> Response {
        let mut request = self.client.get(self.url(path));
        for value in values {
            request = request.header("authorization", *value);
        }
        request.send().await.unwrap()
    }

    async fn ask(&self, key: &str) -> Response {
        self.ask_with(PATH, &[&format!("Bearer {key}")]).await
    }

    /// Whether a key is taken, whatever it gets.
    async fn takes(&self, key: &str) -> bool {
        !matches!(self.ask(key).await.status().as_u16(), 401 | 403)
    }

    /// The id of a key.
    fn id_of(&self, key: &str) -> KeyId {
        let digest = key.parse::<Token>().unwrap().digest();
        self.stores.state_store().key(&digest).unwrap().unwrap().key.id
    }
}

/// The error of an answer with a status.
async fn error(response: Response, status: u16) -> Value {
    assert_eq!(response.status(), status);
    if status == 401 {
        let challenge = response.headers()["www-authenticate"].to_str().unwrap();
        assert!(matches!(challenge, "Bearer" | INVALID_TOKEN), "{challenge}");
    }
    let body: Value = response.json().await.unwrap();
    body["error"].clone()
}

fn random(kind: TokenKind) -> String {
    let mut random = [7; RANDOM_BYTES];
    random[..16].copy_from_slice(Uuid::now_v7().as_bytes());
    Token::generate(kind, &random).reveal().to_owned()
}

#[tokio::test]
async fn a_valid_key_is_taken_in_any_spelling_of_the_scheme() {
    let server = Server::start().await;
    for scheme in ["Bearer", "bearer", "BEARER", "Bearer  "] {
        let value = format!("{scheme} {}", server.key);
        let status = server.ask_with(PATH, &[&value]).await.status();
        assert!(status != 401 && status != 403, "{scheme}: {status}");
    }
}

#[tokio::test]
async fn every_reason_is_reported() {
    let server = Server::start().await;
    let expired = server.key_with(|key| {
        key.created_at = Utc::now() - TimeDelta::days(2);
        key.lifetime = Some(TimeDelta::days(2));
    });
    let revoked = server.make_key(&Scope::FOR_PROGRAMS);
    server.stores.state_store().revoke_key(server.id_of(&revoked), Utc::now()).unwrap();
    let globex = "globex".parse().unwrap();
    server.stores.state_store().create_tenant(&globex, Utc::now()).unwrap();
    let disabled = server.key_with(|key| key.tenant = globex.clone());
    server.stores.state_store().set_tenant_disabled(&globex, Some(Utc::now())).unwrap();
    let unknown = random(TokenKind::ApiKey);
    let cut = server.key.get(..server.key.len() - 1).unwrap();
    let mut mistyped = server.key.clone();
    mistyped.replace_range(20..21, if server.key.get(20..21) == Some("a") { "b" } else { "a" });
    for (values, reason) in [
        (vec![], "missing"),
        (vec!["Bearer ".to_owned()], "malformed"),
        (vec!["Bearer".to_owned()], "malformed"),
        (vec![server.key.clone()], "malformed"),
        (vec![format!("Basic {}", server.key)], "malformed"),
        (vec![format!("Bearer\t{}", server.key)], "malformed"),
        (vec![format!("Bearer {} x", server.key)], "malformed"),
        (vec![format!("Bearer {}, Bearer {}", server.key, server.key)], "malformed"),
        (vec![format!("Bearer {}", server.key), format!("Bearer {}", server.key)], "malformed"),
        (vec!["Basic YTpi".to_owned(), format!("Bearer {}", server.key)], "malformed"),
        (vec!["Bearer \u{e9}".to_owned()], "malformed"),
        (vec![format!("Bearer {}", "a".repeat(20_000))], "malformed"),
        (vec![format!("Bearer {cut}")], "malformed"),
        (vec![format!("Bearer {mistyped}")], "malformed"),
        (vec![format!("Bearer {unknown}")], "invalid"),
        (vec![format!("Bearer {expired}")], "expired"),
        (vec![format!("Bearer {revoked}")], "revoked"),
        (vec![format!("Bearer {disabled}")], "revoked"),
    ] {
        let shown: Vec<&str> = values.iter().map(String::as_str).collect();
        let answer = server.ask_with(PATH, &shown).await;
        let challenge = if shown.is_empty() { "Bearer" } else { INVALID_TOKEN };
        assert_eq!(answer.headers()["www-authenticate"], challenge, "{shown:?}");
        let error = error(answer, 401).await;
        assert_eq!(error["code"], "UNAUTHORIZED", "{shown:?}");
        assert_eq!(error["message"], "The request has no valid API key.", "{shown:?}");
        assert_eq!(error["details"], json!({ "reason": reason }), "{shown:?}");
        assert!(!error["hint"].as_str().unwrap().is_empty(), "{shown:?}");
    }
}

#[tokio::test]
async fn every_route_that_needs_a_key_refuses_requests_without_one() {
    let server = Server::start().await;
    let posted = server.client.post(server.url("/api/v1/agent-readiness"));
    let posted = posted.body("no JSON").send().await.unwrap();
    assert_eq!(error(posted, 401).await["details"]["reason"], "missing");
    assert_eq!(error(server.get(PATH).await, 401).await["details"]["reason"], "missing");
    let nothing = server.get("/api/v1/agent-readiness/not a domain").await;
    assert_eq!(error(nothing, 401).await["details"]["reason"], "missing");
}

#[tokio::test]
async fn a_key_in_the_query_is_none() {
    let server = Server::start().await;
    for name in ["access_token", "key", "api_key", "token", "authorization"] {
        let path = format!("{PATH}?{name}={}", server.key);
        let error = error(server.get(&path).await, 401).await;
        assert_eq!(error["details"]["reason"], "missing", "{name}");
    }
}

#[tokio::test]
async fn a_wrong_kind_of_token_is_recognized_by_its_prefix_alone() {
    let server = Server::start().await;
    let ingestion = random(TokenKind::Ingestion);
    let hint_of = async |token: &str| {
        let error = error(server.ask(token).await, 401).await;
        assert_eq!(error["message"], "The request has no valid API key.");
        assert_eq!(error["details"]["reason"], "invalid");
        error["hint"].as_str().unwrap().to_owned()
    };
    let hint = hint_of(&ingestion).await;
    assert!(hint.contains("looks like an ingestion token"), "{hint}");
    assert_eq!(hint_of("svc_pk_live_").await, hint);
}

#[tokio::test]
async fn an_unknown_access_token_is_reported_as_such() {
    let server = Server::start().await;
    for (token, reason) in [
        (random(TokenKind::Access), "invalid"),
        ("service_oat_x".to_owned(), "malformed"),
        (format!("service_oat_{}", "a".repeat(20_000)), "malformed"),
    ] {
        let answer = server.ask(&token).await;
        assert_eq!(answer.headers()["www-authenticate"], INVALID_TOKEN);
        let error = error(answer, 401).await;
        assert_eq!(error["message"], "The request has no valid access token.");
        assert_eq!(error["details"], json!({ "reason": reason }));
        assert!(!error["hint"].as_str().unwrap().is_empty(), "{reason}");
    }
}

#[tokio::test]
async fn an_api_key_sends_no_logs() {
    let server = Server::start().await;
    let send = async |token: &str| {
        let request = server.client.post(server.url("/v1/logs")).bearer_auth(token);
        let request = request.header("x-service-tenant", TENANT).body("");
        error(request.send().await.unwrap(), 401).await
    };
    let with_key = send(&server.key).await;
    assert!(with_key["hint"].as_str().unwrap().contains("looks like an API key"), "{with_key}");
    let with_lookalike = send("service_live_x").await;
    assert_eq!(with_lookalike, with_key, "neither says whether the key is valid");
    let with_token = send(&random(TokenKind::Ingestion)).await;
    assert_eq!(with_token["message"], with_key["message"]);
    assert!(with_token["hint"].as_str().unwrap().contains("X-Service-Tenant"), "{with_token}");
}

#[tokio::test]
async fn errors_are_in_turkish() {
    let server = Server::start().await;
    let error = error(server.get(&format!("{PATH}?lang=tr")).await, 401).await;
    assert_eq!(error["message"], "Geçerli bir API anahtarı yok.");
    assert_eq!(error["details"]["reason"], "missing");
}

#[tokio::test]
async fn a_key_needs_the_scope() {
    let server = Server::start().await;
    let key = server.make_key(&[Scope::LogsRead, Scope::AuditRead]);
    let error = error(server.ask(&key).await, 403).await;
    assert_eq!(error["code"], "INSUFFICIENT_SCOPE");
    let expected = json!({ "required": "scan:read", "granted": ["audit:read", "logs:read"] });
    assert_eq!(error["details"], expected);
    assert!(server.takes(&server.make_key(&[Scope::ScanRead])).await);
}

#[tokio::test]
async fn a_key_of_some_networks_is_taken_from_there_alone() {
    let server = Server::with(Hosts::default(), |settings| {
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let key = server.key_with(|key| key.networks = vec!["192.0.2.0/24".parse().unwrap()]);
    let from = async |forwarded: Option<&str>| {
        let mut request = server.client.get(server.url(PATH)).bearer_auth(&key);
        if let Some(forwarded) = forwarded {
            request = request.header("x-forwarded-for", forwarded);
        }
        request.send().await.unwrap()
    };
    for allowed in ["192.0.2.1", "198.51.100.1, 192.0.2.255", "192.0.2.1, 127.0.0.2"] {
        assert_ne!(from(Some(allowed)).await.status(), 403, "{allowed}");
    }
    for refused in
        [None, Some("192.0.3.1"), Some("192.0.2.1, 198.51.100.1"), Some("192.0.2.1, nonsense")]
    {
        let error = error(from(refused).await, 403).await;
        assert_eq!(error["code"], "FORBIDDEN", "{refused:?}");
    }
}

#[tokio::test]
async fn without_trusted_proxies_no_header_is_believed() {
    let server = Server::start().await;
    let key = server.key_with(|key| key.networks = vec!["192.0.2.0/24".parse().unwrap()]);
    let request = server.client.get(server.url(PATH)).bearer_auth(&key);
    let answer = request.header("x-forwarded-for", "192.0.2.1").send().await.unwrap();
    assert_eq!(answer.status(), 403);
    let local = server.key_with(|key| key.networks = vec!["127.0.0.0/8".parse().unwrap()]);
    assert!(server.takes(&local).await);
}

#[tokio::test]
async fn what_another_process_changes_is_known_within_a_second() {
    let server = Server::start().await;
    let other = Stores::open(database::location(&server.folder.path().join("data"))).unwrap();
    let key = server.make_key(&Scope::FOR_PROGRAMS);
    assert!(server.takes(&key).await);
    other.state_store().revoke_key(server.id_of(&key), Utc::now()).unwrap();
    let disabled = server.key.clone();
    assert!(server.takes(&disabled).await);
    other.state_store().set_tenant_disabled(&TENANT.parse().unwrap(), Some(Utc::now())).unwrap();
    // The time that the test is about.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!server.takes(&key).await);
    assert!(!server.takes(&disabled).await);
    other.state_store().set_tenant_disabled(&TENANT.parse().unwrap(), None).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(server.takes(&disabled).await);
}

#[tokio::test]
async fn a_key_and_its_successor_work_side_by_side_for_the_overlap() {
    let server = Server::start().await;
    let rotate = |old: &str, overlap: TimeDelta| {
        let token: Token = random(TokenKind::ApiKey).parse().unwrap();
        let successor = Successor {
            id: Uuid::now_v7().into(),
            abbreviated: token.abbreviated(),
            digest: token.digest(),
            created_by: None,
            created_at: Utc::now(),
        };
        let ends = successor.created_at + overlap;
        server.stores.state_store().rotate_key(server.id_of(old), &successor, ends).unwrap();
        token.reveal().to_owned()
    };
    let first = server.key.clone();
    let second = rotate(&first, TimeDelta::hours(1));
    assert!(server.takes(&first).await && server.takes(&second).await);
    let mut old = server.make_key(&Scope::FOR_PROGRAMS);
    for overlap in [TimeDelta::seconds(1), TimeDelta::zero()] {
        let successor = rotate(&old, overlap);
        eventually("the overlap ends", async || !server.takes(&old).await).await;
        assert_eq!(error(server.ask(&old).await, 401).await["details"]["reason"], "expired");
        assert!(server.takes(&successor).await);
        old = successor;
    }
}

#[tokio::test]
async fn the_use_of_a_key_is_noted_without_its_address() {
    let server = Server::start().await;
    let digest = server.key.parse::<Token>().unwrap().digest();
    assert!(server.takes(&server.key).await);
    // The request does not wait until it is noted.
    let last_used_from =
        || server.stores.state_store().key(&digest).unwrap().unwrap().last_used_from;
    until("its use is noted", || last_used_from().is_some()).await;
    assert_eq!(last_used_from().unwrap().to_string(), "127.0.0.0/24");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_unknown_keys_is_refused_and_leaves_nothing() {
    let server = Server::start().await;
    let keys: Vec<String> = (0..2_000).map(|_| random(TokenKind::ApiKey)).collect();
    let refused = keys.chunks(500).map(async |keys| {
        for key in keys {
            assert_eq!(server.ask(key).await.status(), 401);
        }
    });
    futures_util::future::join_all(refused).await;
    assert!(server.takes(&server.key).await);
    assert_eq!(server.stores.state_store().keys(None).unwrap().len(), 1);
}
