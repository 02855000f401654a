//! Tokens of another authorization server.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use chrono::Utc;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::json;
use tokio::net::TcpListener;
use visibility_server::stores::Stores;
use visibility_tests::client::Message;
use visibility_tests::database;
use visibility_tests::server::Hosts;

use crate::api::program::{Program, operate};
use crate::api::server::{Server, TENANT};

const SCAN: &str = "/api/v1/agent-readiness";

/// A server with a key, and its address.
async fn issuer() -> (Ed25519KeyPair, String) {
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let key = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let point = BASE64.encode(key.public_key().as_ref());
    let keys = json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "x": point }] }).to_string();
    let app = Router::new().route("/jwks.json", get(async move || keys));
    tokio::spawn(async move { axum::serve(listener, app).await });
    (key, url)
}

/// A token of a user for the service at an address.
fn token(key: &Ed25519KeyPair, issuer: &str, audience: &str, scope: &str) -> String {
    let head = BASE64.encode(json!({ "alg": "EdDSA", "typ": "at+jwt" }).to_string());
    let expires_at = Utc::now().timestamp() + 60;
    let claims =
        json!({ "iss": issuer, "aud": audience, "sub": "1", "exp": expires_at, "scope": scope });
    let message = format!("{head}.{}", BASE64.encode(claims.to_string()));
    format!("{message}.{}", BASE64.encode(key.sign(message.as_bytes()).as_ref()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_the_issuer_that_the_operator_named_is_taken_beside_keys() {
    let (key, issuer) = issuer().await;
    let server = Server::with(Hosts::default(), |settings| {
        settings.oauth.issuer = Some(issuer.clone());
        settings.oauth.jwks_url = Some(format!("{issuer}/jwks.json"));
        settings.oauth.tenant = Some(TENANT.parse().unwrap());
    })
    .await;
    let base = server.url("");
    // Not a valid domain: the response says whether the token was accepted.
    let ask = async |bearer: &str| {
        let message = Message::new("POST", SCAN)
            .with("authorization", &format!("Bearer {bearer}"))
            .with("content-type", "application/json")
            .body(r#"{"domain":"localhost"}"#);
        let reply = message.send(server.address).await;
        (reply.status, reply.json()["error"]["code"].as_str().unwrap().to_owned())
    };
    let of = |audience: &str, scope| token(&key, &issuer, audience, scope);
    assert_eq!(ask(&of(&base, "scan:read")).await, (400, "INVALID_DOMAIN".to_owned()));
    assert_eq!(ask(&server.key).await, (400, "INVALID_DOMAIN".to_owned()));
    assert_eq!(ask(&of(&base, "logs:read")).await, (403, "INSUFFICIENT_SCOPE".to_owned()));
    assert_eq!(ask(&of(&issuer, "scan:read")).await, (401, "UNAUTHORIZED".to_owned()));
    let forged = token(&self::issuer().await.0, &issuer, &base, "scan:read");
    assert_eq!(ask(&forged).await, (401, "UNAUTHORIZED".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_that_is_disabled_or_unknown_stops_the_tokens_of_the_issuer() {
    let (key, issuer) = issuer().await;
    for (tenant, is_known) in [(TENANT, true), ("globex", false)] {
        let server = Server::with(Hosts::default(), |settings| {
            settings.oauth.issuer = Some(issuer.clone());
            settings.oauth.jwks_url = Some(format!("{issuer}/jwks.json"));
            settings.oauth.tenant = Some(tenant.parse().unwrap());
        })
        .await;
        let bearer = format!("Bearer {}", token(&key, &issuer, &server.url(""), "scan:read"));
        let ask = async || {
            let message = Message::new("POST", SCAN)
                .with("authorization", &bearer)
                .with("content-type", "application/json")
                .body(r#"{"domain":"localhost"}"#);
            let reply = message.send(server.address).await;
            let reason = reply.json()["error"]["details"]["reason"].as_str().unwrap().to_owned();
            (reply.status, reason)
        };
        let [let_in, revoked] =
            [(400, "special_use"), (401, "revoked")].map(|(status, why)| (status, why.to_owned()));
        assert_eq!(ask().await, if is_known { let_in.clone() } else { revoked.clone() });
        // Another process, as `tenants` is: it is seen within a second.
        let other = Stores::open(database::location(&server.folder.path().join("data"))).unwrap();
        let tenant = tenant.parse().unwrap();
        let _ = other.state_store().create_tenant(&tenant, Utc::now());
        for is_disabled in [true, false] {
            let at = is_disabled.then(Utc::now);
            other.state_store().set_tenant_disabled(&tenant, at).unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(ask().await, if is_disabled { revoked.clone() } else { let_in.clone() });
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_is_warned_of_a_tenant_that_no_token_is_taken_for() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let settings = ["--set", "oauth.issuer=https://idp.example.com", "--set", "oauth.tenant=acme"];
    let unknown = Program::start(&data_dir, &settings);
    assert!(unknown.log().contains("`oauth.tenant` does not exist"), "{}", unknown.log());
    drop(unknown);
    operate(&data_dir, &["tenants", "create", "acme"]);
    let known = Program::start(&data_dir, &settings);
    assert!(!known.log().contains("oauth.tenant"), "{}", known.log());
    drop(known);
    operate(&data_dir, &["tenants", "disable", "acme"]);
    let disabled = Program::start(&data_dir, &settings);
    assert!(disabled.log().contains("`oauth.tenant` is disabled"), "{}", disabled.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_issuer_no_signed_token_is_taken() {
    let (key, issuer) = issuer().await;
    let server = Server::start().await;
    let signed = token(&key, &issuer, &server.url(""), "scan:read");
    let message = Message::new("POST", SCAN).with("authorization", &format!("Bearer {signed}"));
    assert_eq!(message.send(server.address).await.status, 401);
}
