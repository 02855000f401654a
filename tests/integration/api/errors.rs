//! One shape for all that is refused, in two languages.

use std::fmt::Write as _;

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_server::stores::state::credentials::NewToken;
use visibility_server::stores::state::keys::NewKey;
use visibility_tests::closed_port::ClosedPort;
use visibility_tests::server::Hosts;

use crate::api::server::{Server, TENANT};
use visibility_tests::client::{Connection, Message, Reply};

const SCAN: &str = "/api/v1/agent-readiness";

fn get(path: &str) -> Message {
    Message::new("GET", path)
}

fn post(key: &str, body: impl Into<Vec<u8>>) -> Message {
    Message::new("POST", SCAN).with("authorization", &format!("Bearer {key}")).body(body)
}

/// What every error has; gives its message.
fn assert_error(reply: &Reply, status: u16, code: &str) -> String {
    assert_eq!((reply.status, reply.code().as_str()), (status, code), "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
    let id = reply.header("x-request-id").expect("an id");
    assert!(id.starts_with("req_") && id.len() == 36, "{id}");
    let is_challenged = status == 401 || code == "INSUFFICIENT_SCOPE";
    assert_eq!(reply.header("www-authenticate").is_some(), is_challenged, "{reply:?}");
    assert_eq!(reply.header("allow").is_some(), status == 405, "{reply:?}");
    assert_eq!(reply.header("retry-after").is_some(), [429, 503].contains(&status), "{reply:?}");
    let body = reply.json();
    let error = body["error"].as_object().unwrap();
    assert_eq!(body.as_object().unwrap().len(), 1);
    let known = ["code", "message", "hint", "details"];
    assert!(error.keys().all(|name| known.contains(&name.as_str())), "{body}");
    assert!(error.get("details").is_none_or(Value::is_object), "{body}");
    assert!(error.get("hint").is_none_or(|hint| hint.as_str().unwrap().contains(' ')), "{body}");
    assert!(!body.to_string().contains("errors."), "a sentence is missing: {body}");
    error["message"].as_str().unwrap().to_owned()
}

/// Sends a message in both languages and compares what is answered. Ingestion speaks English.
async fn assert_both(server: &Server, message: Message, status: u16, code: &str) {
    let english = message.send(server.address).await;
    let said = assert_error(&english, status, code);
    let mut message = message;
    let separator = if message.path.contains('?') { '&' } else { '?' };
    write!(message.path, "{separator}lang=tr").unwrap();
    let turkish = message.send(server.address).await;
    let is_english = message.path.starts_with("/v1/");
    let translated = assert_error(&turkish, status, code);
    assert_eq!(said == translated, is_english, "{} {}", message.method, message.path);
    let [(english, reasons), (turkish, other_reasons)] = [&english, &turkish].map(details);
    assert_eq!(english, turkish);
    assert_eq!(reasons.len(), other_reasons.len());
    for (reason, other) in reasons.iter().zip(&other_reasons) {
        assert_eq!(reason == other, is_english, "{} {}", message.method, message.path);
    }
}

/// The details of an error, and the reasons among them: they are sentences, in the language of the
/// answer, unless they are one word.
fn details(reply: &Reply) -> (Value, Vec<Value>) {
    let mut details = reply.json()["error"].get("details").cloned().unwrap_or_default();
    let mut reasons = Vec::new();
    let mut take = |holder: &mut Value| {
        reasons.extend(holder.as_object_mut().and_then(|holder| holder.remove("reason")));
    };
    if details["reason"].as_str().is_some_and(|reason| !is_word(reason)) {
        take(&mut details);
    }
    let fields = details.get_mut("fields").and_then(Value::as_array_mut);
    fields.into_iter().flatten().for_each(take);
    (details, reasons)
}

/// Whether a reason is a code, such as `not_public`.
fn is_word(reason: &str) -> bool {
    reason.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_by_its_address_or_its_head_has_one_shape_in_both_languages() {
    let server = Server::start().await;
    let scanless = server.make_key(&[Scope::LogsRead]);
    let elsewhere = server.key_with(|key: &mut NewKey| {
        key.networks = vec!["192.0.2.0/24".parse().unwrap()];
    });
    let ours = &server.key;
    let chunks = |codings: &[&str]| {
        codings
            .iter()
            .fold(get("/api/v1"), |message, coding| message.and("transfer-encoding", coding))
    };
    for (message, status, code) in [
        (get("/api/v1/none"), 404, "NOT_FOUND"),
        (get("/api/v1/"), 404, "NOT_FOUND"),
        (get("/api//v1"), 404, "NOT_FOUND"),
        (get("/api/v1/%ff"), 404, "NOT_FOUND"),
        (get("/%00%0d%0a"), 404, "NOT_FOUND"),
        (get("/.well-known/none"), 404, "NOT_FOUND"),
        (get("/api/mcp/v1/none"), 404, "UNKNOWN_TRANSPORT"),
        (get("/api/mcp/v1/mcp"), 403, "FORBIDDEN"),
        (get("/api/v1/../../etc/passwd"), 404, "NOT_FOUND"),
        (get(SCAN), 405, "METHOD_NOT_ALLOWED"),
        (Message::new("HEAD2", "/api/v1"), 405, "METHOD_NOT_ALLOWED"),
        (Message::new("POST", "/api/v1/health"), 405, "METHOD_NOT_ALLOWED"),
        (Message::new("DELETE", "/healthz"), 405, "METHOD_NOT_ALLOWED"),
        (Message::new("PUT", "/v1/logs"), 405, "METHOD_NOT_ALLOWED"),
        (Message::new(&"A".repeat(1000), "/v1/logs"), 405, "METHOD_NOT_ALLOWED"),
        (Message::new("POST", SCAN), 401, "UNAUTHORIZED"),
        (post("service_live_x", "{}"), 401, "UNAUTHORIZED"),
        (post(ours, "{}").and("authorization", "Bearer a"), 401, "UNAUTHORIZED"),
        (get("/api/v1/agent-readiness/example.com"), 401, "UNAUTHORIZED"),
        (get("/api/v1/agent-readiness/%ff"), 401, "UNAUTHORIZED"),
        (post(&scanless, "{}"), 403, "INSUFFICIENT_SCOPE"),
        (post(&elsewhere, "{}"), 403, "FORBIDDEN"),
        (Message::new("POST", "/v1/logs"), 401, "UNAUTHORIZED"),
        (get("/v1/logs/stats?from=x"), 401, "UNAUTHORIZED"),
        (get("/api/v1").and("host", "a").and("host", "b"), 400, "INVALID_REQUEST"),
        (chunks(&["gzip, chunked"]), 400, "INVALID_REQUEST"),
        (chunks(&["chunked", "chunked"]), 400, "INVALID_REQUEST"),
    ] {
        assert_both(&server, message, status, code).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_by_its_body_or_its_domain_has_one_shape_in_both_languages() {
    let closed = ClosedPort::bind();
    let server = Server::with(Hosts::default(), |settings| {
        settings.fetch.connect_to = vec![format!(":443:{closed}"), format!(":80:{closed}")];
        settings.timeouts.api_body = 1;
        settings.fetch.deny = vec!["excluded.example.com".to_owned()];
    })
    .await;
    let key = &server.key;
    let domain = |domain: &str| post(key, format!(r#"{{"domain":"{domain}"}}"#));
    let kept = |domain: &str| {
        get(&format!("{SCAN}/{domain}")).with("authorization", &format!("Bearer {key}"))
    };
    for (message, status, code) in [
        (post(key, ""), 400, "INVALID_REQUEST"),
        (post(key, "["), 400, "INVALID_REQUEST"),
        (post(key, "{}"), 400, "INVALID_REQUEST"),
        (post(key, r#"{"domain":7}"#), 400, "INVALID_REQUEST"),
        (post(key, r#"{"domain":"a","domain":"a"}"#), 400, "INVALID_REQUEST"),
        (domain(""), 400, "INVALID_DOMAIN"),
        (domain("https://example.com"), 400, "INVALID_DOMAIN"),
        (domain("example.com/path"), 400, "INVALID_DOMAIN"),
        (domain("example.com:443"), 400, "INVALID_DOMAIN"),
        (domain("127.0.0.1"), 400, "INVALID_DOMAIN"),
        (domain("[::1]"), 400, "INVALID_DOMAIN"),
        (domain("localhost"), 400, "INVALID_DOMAIN"),
        (domain("co.uk"), 400, "INVALID_DOMAIN"),
        (domain("a\\u0000b.com"), 400, "INVALID_DOMAIN"),
        (domain(&"a.".repeat(500)), 400, "INVALID_DOMAIN"),
        (domain("excluded.example.com"), 400, "DOMAIN_NOT_ALLOWED"),
        (kept("%ff"), 400, "INVALID_DOMAIN"),
        (kept("%00"), 400, "INVALID_DOMAIN"),
        (kept("%zz"), 400, "INVALID_DOMAIN"),
        (kept("a%2fb"), 400, "INVALID_DOMAIN"),
        (kept("none.example.com"), 404, "NOT_FOUND"),
        (post(key, "x".repeat(20_000)), 413, "PAYLOAD_TOO_LARGE"),
        (domain("example.com").with("content-type", "text/html"), 415, "UNSUPPORTED_MEDIA_TYPE"),
        (domain("example.com").with("content-encoding", "gzip"), 415, "UNSUPPORTED_MEDIA_TYPE"),
        (domain("example.com").with("content-length", "9999"), 408, "TIMEOUT"),
        (domain("unknown.example.com"), 502, "UPSTREAM_SCAN_FAILED"),
    ] {
        assert_both(&server, message, status, code).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_or_not_now_has_one_shape_in_both_languages() {
    let server =
        Server::with(Hosts::default(), |settings| settings.limits.scans_per_minute = 1).await;
    let _ = post(&server.key, "{}").send(server.address).await;
    assert_both(&server, post(&server.key, "{}"), 429, "RATE_LIMITED").await;
    std::fs::remove_dir(server.folder.path().join("data/spool")).unwrap();
    assert_both(&server, get("/readyz"), 503, "SERVICE_UNAVAILABLE").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ingestion_refuses_in_english() {
    let server = Server::with(Hosts::default(), |settings| {
        settings.limits.burst = 0;
        settings.limits.batches_per_hour = 0;
    })
    .await;
    let token = Token::generate(TokenKind::Ingestion, &[7; RANDOM_BYTES]);
    let created_at = Utc::now();
    let kept = NewToken {
        id: Uuid::now_v7(),
        tenant: TENANT.parse().unwrap(),
        digest: token.digest(),
        created_at,
        expires_at: created_at + TimeDelta::days(1),
    };
    server.stores.state_store().create_token(&kept).unwrap();
    let batch = |body: &str| {
        Message::new("POST", "/v1/logs")
            .with("authorization", &format!("Bearer {}", token.reveal()))
            .with("content-type", "application/x-ndjson")
            .with("x-service-tenant", TENANT)
            .with("x-service-schema", "1")
            .body(body)
    };
    let stats = |query: &str| {
        get(&format!("/v1/logs/stats?{query}"))
            .with("authorization", &format!("Bearer {}", token.reveal()))
            .with("x-service-tenant", TENANT)
    };
    for (message, status, code) in [
        (batch(""), 400, "EMPTY_BATCH"),
        (batch("["), 400, "MALFORMED_PAYLOAD"),
        (batch("a").with("content-encoding", "gzip"), 400, "MALFORMED_PAYLOAD"),
        (batch("").with("content-encoding", "br"), 400, "INVALID_REQUEST"),
        (batch("").with("x-service-schema", "2"), 400, "INVALID_REQUEST"),
        (batch("").without("x-service-schema"), 400, "INVALID_REQUEST"),
        (batch("").with("content-type", "text/html"), 400, "INVALID_REQUEST"),
        (batch("").with("x-service-mode", "x"), 400, "INVALID_REQUEST"),
        (batch("").with("x-service-batch-id", "x"), 400, "INVALID_REQUEST"),
        (batch("").and("x-service-schema", "1"), 400, "INVALID_REQUEST"),
        (batch("").with("x-service-batch-id", "\u{e9}"), 400, "INVALID_REQUEST"),
        (stats("from=x"), 400, "INVALID_REQUEST"),
        (stats("top=x"), 400, "INVALID_REQUEST"),
        (stats("top=1001"), 400, "INVALID_REQUEST"),
        (stats("status=9"), 400, "INVALID_REQUEST"),
        (stats("purpose=x"), 400, "INVALID_REQUEST"),
        (stats("%ff=%ff"), 400, "INVALID_REQUEST"),
        (stats("from=2026-02-01&to=2026-01-01"), 400, "INVALID_REQUEST"),
        (stats("from=2020-01-01"), 400, "INVALID_REQUEST"),
    ] {
        assert_both(&server, message, status, code).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_is_answered_with_an_error_object_too() {
    let server = Server::start().await;
    let many = (0..150).fold(get("/api/v1"), |message, n| message.and(&format!("x-{n}"), "a"));
    for (bytes, status, code) in [
        (many.head(), 431, "HEADERS_TOO_LARGE"),
        (get("/api/v1").with("x", &"a".repeat(40_000)).head(), 431, "HEADERS_TOO_LARGE"),
        (get(&format!("/{}", "a".repeat(40_000))).head(), 431, "HEADERS_TOO_LARGE"),
        (b"B@D{} / HTTP/1.1\r\n\r\n".to_vec(), 400, "INVALID_REQUEST"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(), 400, "INVALID_REQUEST"),
        (b"GET / HTTP/9.9\r\n\r\n".to_vec(), 400, "INVALID_REQUEST"),
        (b"GET /\x00 HTTP/1.1\r\nhost: a\r\n\r\n".to_vec(), 400, "INVALID_REQUEST"),
        (b"GET /\xff\xfe HTTP/1.1\r\nhost: a\r\n\r\n".to_vec(), 400, "INVALID_REQUEST"),
        (b"GET /a b HTTP/1.1\r\nhost: a\r\n\r\n".to_vec(), 400, "INVALID_REQUEST"),
        (b"GET / HTTP/1.1\r\nhost : a\r\n\r\n".to_vec(), 400, "INVALID_REQUEST"),
        (b"GET / HTTP/1.1\r\nhost: a\r\n folded\r\n\r\n".to_vec(), 400, "INVALID_REQUEST"),
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), 400, "INVALID_REQUEST"),
        (
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n".to_vec(),
            400,
            "INVALID_REQUEST",
        ),
        (
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"
                .to_vec(),
            400,
            "INVALID_REQUEST",
        ),
    ] {
        let mut connection = Connection::open(server.address).await;
        connection.send(&bytes).await;
        connection.half_close().await;
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        let reply = connection.reply().await.unwrap_or_else(|| panic!("no answer to {text}"));
        assert_error(&reply, status, code);
        assert!(connection.is_closed().await, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_method_says_is_said_in_details() {
    let server = Server::start().await;
    let reply = Message::new("PATCH", "/api/v1/health").send(server.address).await;
    assert_eq!(reply.header("allow"), Some("GET,HEAD,OPTIONS"));
    let error = &reply.json()["error"];
    assert_eq!(error["details"], json!({ "method": "PATCH", "allow": ["GET", "HEAD", "OPTIONS"] }));
    assert_eq!(error["message"], "This address does not accept the method `PATCH`.");
    assert_eq!(error["hint"], "Use `GET`, `HEAD`, `OPTIONS`.");
    let reply = get("/api/v1/none").send(server.address).await;
    assert_eq!(reply.json()["error"]["hint"], "`GET /api/v1` lists the endpoints.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_is_a_get_without_its_body() {
    let server = Server::start().await;
    for (path, status) in [("/api/v1", 200), ("/healthz", 200), ("/none", 404), (SCAN, 405)] {
        let asked = get(path).send(server.address).await;
        assert_eq!(asked.status, status, "{path}");
        let mut connection = Connection::open(server.address).await;
        connection.send(&Message::new("HEAD", path).head()).await;
        connection.half_close().await;
        let head = connection.read_head().await.unwrap();
        assert_eq!(head.status, status, "{path}");
        for name in ["content-type", "content-length", "etag", "allow", "cache-control"] {
            let is_method = path == SCAN && name == "content-length";
            assert!(is_method || head.header(name) == asked.header(name), "{path} {name}");
        }
        assert!(connection.is_closed().await, "{path}: bytes behind the head");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_are_asked_to_stay_with_tls_if_there_is_any() {
    for (base_url, expected) in [
        (None, None),
        (Some("http://visibility.example.com"), None),
        (Some("https://visibility.example.com"), Some("max-age=31536000")),
    ] {
        let server = Server::with(Hosts::default(), |settings| {
            settings.base_url = base_url.map(str::to_owned);
        })
        .await;
        for path in ["/api/v1", "/none"] {
            let reply = get(path).send(server.address).await;
            assert_eq!(reply.header("strict-transport-security"), expected, "{base_url:?} {path}");
        }
    }
}
