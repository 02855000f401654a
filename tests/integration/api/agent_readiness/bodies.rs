//! Bodies that are too large, too slow, or no JSON object with a domain.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use visibility_tests::server::Hosts;

use crate::api::server::Server;
use visibility_tests::client::{Connection, Message, Reply};
use visibility_tests::wait::LEEWAY;

const SCAN: &str = "/api/v1/agent-readiness";
/// Bytes that a body may have.
const MOST: usize = 16 * 1024;

fn post(server: &Server, body: impl Into<Vec<u8>>) -> Message {
    Message::new("POST", SCAN).with("authorization", &format!("Bearer {}", server.key)).body(body)
}

fn details(reply: &Reply) -> Value {
    reply.json()["error"]["details"].clone()
}

/// A body of so many bytes that is well formed and names no domain.
fn padded(bytes: usize) -> String {
    let empty = r#"{"domain":1,"x":""}"#;
    format!(r#"{{"domain":1,"x":"{}"}}"#, "a".repeat(bytes - empty.len()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_has_sixteen_kibibytes_at_most() {
    let server = Server::start().await;
    let too_large = json!({ "limit": MOST, "unit": "octets" });
    for (bytes, status) in [(MOST, 400), (MOST + 1, 413), (1 << 20, 413)] {
        let whole = post(&server, padded(bytes));
        let chunked = {
            let body = padded(bytes);
            let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
            post(&server, chunks).with("transfer-encoding", "chunked")
        };
        for message in [whole, chunked] {
            let reply = message.send(server.address).await;
            assert_eq!(reply.status, status, "{bytes}");
            assert_eq!(status == 413, details(&reply) == too_large, "{reply:?}");
        }
    }
    // Nothing is waited for when the head alone says too much.
    let mut connection = Connection::open(server.address).await;
    connection.send(&post(&server, "").with("content-length", "99999999999").head()).await;
    let reply = connection.reply().await.unwrap();
    assert_eq!((reply.status, reply.header("connection")), (413, Some("close")));
    assert_eq!(reply.code(), "PAYLOAD_TOO_LARGE");
}

/// RFC 9112 section 9.6: without that header, a client sends its next request on a connection that ends.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_before_the_body_says_that_the_connection_ends() {
    let server = Server::start().await;
    for path in [SCAN, "/api/mcp/v1/mcp", "/v1/logs", "/nowhere"] {
        let mut connection = Connection::open(server.address).await;
        let host = server.address.to_string();
        let message = Message::new("POST", path).with("host", &host).body(r#"{"domain":1}"#);
        connection.send(&message.head()).await;
        let reply = connection.reply().await.unwrap();
        assert_eq!(reply.status, if path == "/nowhere" { 404 } else { 401 }, "{reply:?}");
        assert_eq!(reply.header("connection"), Some("close"), "{reply:?}");
    }
    // One that was read leaves the connection to the next request.
    let mut connection = Connection::open(server.address).await;
    for _ in 0..2 {
        let message = post(&server, r#"{"domain":1}"#);
        connection.send(&message.head()).await;
        connection.send(br#"{"domain":1}"#).await;
        let reply = connection.reply().await.unwrap();
        assert_eq!((reply.status, reply.header("connection")), (400, None), "{reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_never_ends_is_a_timeout() {
    let server = Server::with(Hosts::default(), |settings| settings.timeouts.api_body = 1).await;
    let short = post(&server, r#"{"domain":"example.com"}"#).with("content-length", "1000");
    let chunked = post(&server, "5\r\n{\"dom").with("transfer-encoding", "chunked");
    for message in [short, chunked] {
        let started = Instant::now();
        let reply = message.send(server.address).await;
        assert_eq!((reply.status, reply.code().as_str()), (408, "TIMEOUT"));
        assert_eq!(reply.header("connection"), Some("close"));
        // Its time is a second.
        let took = started.elapsed();
        assert!(took >= Duration::from_secs(1) && took < LEEWAY, "{took:?}");
    }
    // One byte after the other is no way to stay longer.
    let mut connection = Connection::open(server.address).await;
    connection.send(&post(&server, "").with("content-length", "9999").head()).await;
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(1500) {
        connection.send(b" ").await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(connection.reply().await.unwrap().status, 408);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_lies_about_its_length_harms_no_one_else() {
    let server = Server::start().await;
    // Shorter than it is: the rest is not a request.
    let mut connection = Connection::open(server.address).await;
    let message = post(&server, "{}garbage\r\n\r\n").with("content-length", "2");
    connection.send(&message.head()).await;
    connection.send(&message.body).await;
    let reply = connection.reply().await.unwrap();
    assert_eq!(details(&reply)["fields"][0]["field"], "domain");
    assert_eq!(connection.reply().await.unwrap().status, 400);
    assert!(connection.is_closed().await);
    // Longer, and the sender goes.
    let mut connection = Connection::open(server.address).await;
    let message = post(&server, "{}").with("content-length", "3");
    connection.send(&message.head()).await;
    connection.send(&message.body).await;
    connection.half_close().await;
    assert!(connection.reply().await.is_none_or(|reply| reply.status == 400));
    // Chunks whose sizes are none.
    for chunks in
        ["zz\r\n{}\r\n0\r\n\r\n", "-1\r\n", "ffffffffffffffffff\r\n", "2\r\n{}x\r\n0\r\n\r\n"]
    {
        let reply =
            post(&server, chunks).with("transfer-encoding", "chunked").send(server.address).await;
        assert_eq!(reply.code(), "INVALID_REQUEST", "{chunks:?}");
    }
    assert_eq!(post(&server, "{}").send(server.address).await.code(), "INVALID_REQUEST");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_json_object_with_a_domain_is_refused_with_its_reason() {
    let server = Server::start().await;
    let deep = format!(r#"{{"domain":"a","x":{}{}}}"#, "[".repeat(8_000), "]".repeat(8_000));
    for body in [
        &b""[..],
        b"null",
        b"[\"example.com\"]",
        b"domain=example.com",
        b"{\"domain\":\"example.com\"",
        b"{\"domain\":\"example.com\"} {}",
        b"{\"domain\":\"ex\0ample.com\"}",
        b"{\"domain\":\"\xff\"}",
        b"\xef\xbb\xbf{\"domain\":\"example.com\"}",
        b"\xff\xfe{\0\"\0",
        b"{\"domain\":\"\\ud800\"}",
        b"{\"domain\":\"example.com\",\"x\":1e9999}",
        deep.as_bytes(),
    ] {
        let text = String::from_utf8_lossy(body);
        let reply = post(&server, body).send(server.address).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_REQUEST"), "{text}");
        let details = details(&reply);
        assert!(details["line"].is_u64() && details["column"].is_u64(), "{text}: {details}");
        assert!(details["expected"].is_string(), "{text}: {details}");
    }
    for (body, reason) in [
        ("{}", "is missing"),
        (r#"{"Domain":"example.com"}"#, "is missing"),
        (r#"{"domain":["example.com"]}"#, "is not a string"),
        (r#"{"domain":12345678901234567890123}"#, "is not a string"),
        (r#"{"domain":"a.com","domain":"b.com"}"#, "appears more than once"),
    ] {
        let reply = post(&server, body).send(server.address).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_REQUEST"), "{body}");
        let fields = json!({ "fields": [{ "field": "domain", "reason": reason }] });
        assert_eq!(details(&reply), fields, "{body}");
    }
    // A hundred thousand levels do not even fit.
    let reply = post(&server, "[".repeat(100_000)).send(server.address).await;
    assert_eq!(reply.status, 413);
}

#[tokio::test(flavor = "multi_thread")]
async fn json_may_be_called_what_clients_call_it() {
    let server = Server::start().await;
    let body = r#"{"domain":1}"#;
    for (name, value, status) in [
        ("x", "", 400),
        ("content-type", "application/json", 400),
        ("content-type", "application/x-www-form-urlencoded", 400),
        ("content-type", "text/plain;charset=UTF-8", 400),
        ("content-type", "application/ld+json", 400),
        ("content-type", "text/html", 415),
        ("content-type", "multipart/form-data; boundary=x", 415),
        ("content-type", "application/json; charset=utf-16", 415),
        ("content-encoding", "identity", 400),
        ("content-encoding", "gzip", 415),
        ("content-encoding", "br", 415),
    ] {
        let reply = post(&server, body).with(name, value).send(server.address).await;
        assert_eq!(reply.status, status, "{name}: {value}");
        let code = if status == 415 { "UNSUPPORTED_MEDIA_TYPE" } else { "INVALID_REQUEST" };
        assert_eq!(reply.code(), code);
    }
}
