//! One shape for all that is refused, in two languages.

use std::fmt::Write as _;

use serde_json::{Value, json};
use visibility_core::scope::Scope;
use visibility_server::stores::sqlite::keys::NewKey;

use crate::client::{Connection, Message, Reply};
use crate::server::Server;

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
    assert_eq!(reply.header("www-authenticate").is_some(), status == 401, "{reply:?}");
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

/// Sends a message in both languages and compares what is answered.
async fn assert_both(server: &Server, message: Message, status: u16, code: &str) {
    let english = message.send(server.address).await;
    let said = assert_error(&english, status, code);
    let mut message = message;
    let separator = if message.path.contains('?') { '&' } else { '?' };
    write!(message.path, "{separator}lang=tr").unwrap();
    let turkish = message.send(server.address).await;
    assert_ne!(said, assert_error(&turkish, status, code), "{} {}", message.method, message.path);
    let details = |reply: &Reply| reply.json()["error"].get("details").cloned();
    assert_eq!(details(&english), details(&turkish));
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
        (get("/api/mcp/v1/mcp"), 404, "NOT_FOUND"),
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
async fn what_is_no_request_is_answered_with_an_error_object_too() {
    let server = Server::start().await;
    let many = (0..150).fold(get("/api/v1"), |message, n| message.and(&format!("x-{n}"), "a"));
    for (octets, status, code) in [
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
        connection.send(&octets).await;
        connection.half_close().await;
        let text = String::from_utf8_lossy(&octets[..octets.len().min(60)]).into_owned();
        let reply = connection.reply().await.unwrap_or_else(|| panic!("no answer to {text}"));
        assert_error(&reply, status, code);
        assert!(connection.is_closed().await, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_method_says_is_said_in_details() {
    let server = Server::start().await;
    let reply = Message::new("PATCH", "/api/v1/health").send(server.address).await;
    assert_eq!(reply.header("allow"), Some("GET,HEAD"));
    let error = &reply.json()["error"];
    assert_eq!(error["details"], json!({ "method": "PATCH", "allow": ["GET", "HEAD"] }));
    assert_eq!(error["message"], "This address does not take `PATCH`.");
    assert_eq!(error["hint"], "It takes `GET`, `HEAD`.");
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
        assert!(connection.is_closed().await, "{path}: octets behind the head");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_are_told_to_stay_with_tls_if_there_is_any() {
    for (base_url, expected) in [
        (None, None),
        (Some("http://visibility.example.com"), None),
        (Some("https://visibility.example.com"), Some("max-age=31536000")),
    ] {
        let hosts = visibility_tests::server::Hosts::default();
        let server =
            Server::with(hosts, |settings| settings.base_url = base_url.map(str::to_owned)).await;
        for path in ["/api/v1", "/none"] {
            let reply = get(path).send(server.address).await;
            assert_eq!(reply.header("strict-transport-security"), expected, "{base_url:?} {path}");
        }
    }
}
