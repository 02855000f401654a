//! The log: each line of a request has its id, and none has a secret or an address.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::api::program::{Program, operate};
use visibility_tests::client::{Connection, Message};
use visibility_tests::wait::until;

const ID: &str = "test-request-0001";
const SECRET: &str = "hunter2secret";

#[tokio::test(flavor = "multi_thread")]
async fn the_most_talkative_log_has_no_secret_and_no_address() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    operate(&data_dir, &["tenants", "create", "acme"]);
    let token = operate(&data_dir, &["tokens", "create", "acme"])["token"].clone();
    let key = operate(&data_dir, &["keys", "create", "acme", "--name", "ci"])["key"].clone();
    let (token, key) = (token.as_str().unwrap(), key.as_str().unwrap());
    let settings = [
        "--log-format",
        "json",
        "--set",
        "log.level=trace",
        "--set",
        "timeouts.head=1",
        "--set",
        "timeouts.api_body=1",
    ];
    let program = Program::start(&data_dir, &settings);
    for message in messages(token, key) {
        let _ = message.send(program.address).await;
    }
    for bytes in [
        &b"\x16\x03\x01hunter2secret"[..],
        b"GET /hunter2secret\x00 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nx: hunter2secret\x01\r\n\r\n",
        b"GET /hunter2secret HTTP/1.1\r\nauthorization: hunter2",
    ] {
        let mut connection = Connection::open(program.address).await;
        connection.send(bytes).await;
        let _ = connection.reply().await;
    }
    // A sender that resets the connection.
    let mut connection = Connection::open(program.address).await;
    connection.send(&scan(key, "").with("content-length", "9").head()).await;
    drop(connection);

    let is_logged = |log: &str| log.lines().any(|line| line.contains(ID));
    until("the last request is logged", || is_logged(&program.log())).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let log = program.log();
    // 36 characters of a token, after its prefix, are the secret.
    let random =
        |token: &str| token.rsplit('_').next().unwrap().chars().take(12).collect::<String>();
    let address = program.address.ip().to_string();
    for word in [SECRET, "hunter2", &random(token), &random(key), "203.0.113.77"] {
        let line = log.lines().find(|line| line.contains(word));
        assert_eq!(line, None, "{word}");
    }
    let of_clients = |line: &&str| line.contains(&address) && !line.contains("listen");
    assert_eq!(log.lines().find(of_clients), None, "no address of a client");
    assert_ids(&log);
}

fn scan(key: &str, body: &str) -> Message {
    Message::new("POST", &format!("/api/v1/agent-readiness?lang=tr&x={SECRET}"))
        .with("authorization", &format!("Bearer {key}"))
        .with("x-forwarded-for", "203.0.113.77")
        .with("cookie", SECRET)
        .with("user-agent", SECRET)
        .body(body)
}

fn batch(token: &str) -> Message {
    Message::new("POST", &format!("/v1/logs?{SECRET}"))
        .with("authorization", &format!("Bearer {token}"))
        .with("x-service-tenant", "acme")
        .with("x-service-schema", "1")
        .with("content-type", "application/x-ndjson")
        .body(format!("{{\"{SECRET}\":1}}\n"))
}

/// Requests that have secrets wherever a request may have one.
fn messages(token: &str, key: &str) -> Vec<Message> {
    let mut broken = key.to_owned();
    broken.replace_range(20..21, if key.get(20..21) == Some("a") { "b" } else { "a" });
    vec![
        Message::new("GET", &format!("/none/{SECRET}?q={SECRET}")),
        Message::new(SECRET, &format!("/api/v1?token={SECRET}")),
        scan(key, "{}"),
        scan(key, &format!(r#"{{"domain":"{SECRET}"}}"#)),
        scan(key, &format!(r#"{{"domain":{SECRET}}}"#)),
        scan(key, &SECRET.repeat(2000)),
        scan(key, SECRET).with("content-length", "100"),
        scan(&broken, "{}"),
        scan(token, "{}"),
        scan(SECRET, "{}"),
        batch(token),
        batch(token).body(format!("{{\"x\":{SECRET}}}")),
        batch(key),
        batch(&broken),
        Message::new("GET", &format!("/v1/logs/stats?agent={SECRET}&host={SECRET}"))
            .with("authorization", &format!("Bearer {token}"))
            .with("x-service-tenant", "acme"),
        Message::new("GET", "/api/v1").with("x-request-id", ID),
    ]
}

/// Each line that belongs to a request has the id of one, and each request has its line.
fn assert_ids(log: &str) {
    let mut answered = BTreeSet::new();
    for line in log.lines() {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        let id = event["span"]["request_id"].as_str().or(event["request_id"].as_str());
        let message = event["message"].as_str().unwrap_or_default();
        if message == "answered" {
            let id = id.unwrap_or_else(|| panic!("{line}"));
            assert!(answered.insert(id.to_owned()), "twice: {line}");
        }
        let is_of_request = message.starts_with("refused") || message.contains("body");
        assert!(id.is_some() || !is_of_request, "{line}");
    }
    assert!(answered.contains(ID) && answered.len() >= 16, "{answered:?}");
}
