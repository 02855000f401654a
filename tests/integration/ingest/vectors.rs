//! The vectors of the contract.

use chrono::Utc;
use serde_json::Value;
use uuid::Uuid;
use visibility_tests::vectors::{Expected, Vector, Words, vectors};

use crate::ingest::server::{OTHER_TENANT, Server, TENANT, record};
use visibility_tests::client::{Connection, Message, Reply};

/// Vectors whose other acceptable status is ours.
const CHOICES: [(&str, u16); 1] = [
    // The address of an IPv6 host is written this way in a `Host` header, RFC 9110 section 7.2.
    ("host '[::1]'", 202),
];

fn words(server: &Server) -> Words {
    let tokens = &server.tokens;
    let truncated = tokens.valid.chars().take(tokens.valid.len() - 1).collect();
    let head = format!(
        "POST /v1/logs HTTP/1.1\r\nauthorization: Bearer {}\r\ncontent-type: application/x-ndjson\r\n\
         x-service-tenant: {TENANT}\r\nx-service-schema: 1\r\n",
        tokens.valid
    );
    let body = record();
    Words {
        now: Utc::now(),
        words: vec![
            ("INGEST_TOKEN", tokens.valid.clone()),
            ("INGEST_TOKEN[:-1]", truncated),
            ("INGEST_TOKEN_2", tokens.second.clone()),
            ("INGEST_TOKEN_EXPIRED", tokens.expired.clone()),
            ("API_KEY", "service_live_abc".to_owned()),
            ("TENANT", TENANT.to_owned()),
            ("TENANT.upper", TENANT.to_uppercase()),
            ("OTHER_TENANT", OTHER_TENANT.to_owned()),
            ("UUID", Uuid::now_v7().to_string()),
            ("HEADNOHOST", head.clone()),
            ("HEAD", format!("{head}host: ingest.test\r\n")),
            ("N", body.len().to_string()),
            ("CHUNK1", format!("{:x}\r\n{body}\r\n", body.len())),
            // The rest never comes.
            ("SLOWBODY", body.chars().take(10).collect()),
            ("BODY", body),
        ],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_vector_has_the_answer_of_the_contract() {
    let server = Server::with(|settings| settings.timeouts.body_idle = 1).await;
    let vectors = vectors();
    assert_eq!(vectors.len(), 89);
    let mut failures = Vec::new();
    for vector in &vectors {
        let before = (server.kept(), server.files());
        let reply = send(&server, vector).await;
        let kept = server.kept() - before.0;
        if let Err(problem) = check(vector, reply.as_ref(), kept) {
            failures.push(format!("{} / {}: {problem}", vector.group, vector.name));
        }
        if reply.is_none_or(|reply| reply.status >= 300) && server.files() != before.1 {
            failures.push(format!("{} / {}: it has left files", vector.group, vector.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

async fn send(server: &Server, vector: &Vector) -> Option<Reply> {
    // Everything is made before the connection, as the time for a head runs from its start.
    let bytes = batch_bytes(server, vector);
    let mut connection = Connection::open(server.address).await;
    connection.send(&bytes).await;
    if vector.close_write {
        connection.half_close().await;
    }
    connection.reply().await
}

/// The whole request.
fn batch_bytes(server: &Server, vector: &Vector) -> Vec<u8> {
    let words = words(server);
    if let Some(wire) = &vector.wire {
        return words.expand(wire).into_bytes();
    }
    let method = vector.method.as_deref().unwrap_or("POST");
    let path = vector.path.as_deref().unwrap_or("/v1/logs");
    let mut message = Message::new(method, path).body(vector.body(&words));
    for (name, value) in &vector.headers {
        message = message.and(name, &words.expand(value));
    }
    [message.head(), message.body].concat()
}

fn check(vector: &Vector, reply: Option<&Reply>, kept: u64) -> Result<(), String> {
    let choice = CHOICES.iter().find(|choice| choice.0 == vector.name);
    let status = choice.map_or(vector.expect.status, |choice| choice.1);
    let Some(reply) = reply else {
        let may_end = vector.expect.also_acceptable.contains(&0) && kept == 0;
        return if may_end { Ok(()) } else { Err("no answer".to_owned()) };
    };
    if reply.status != status {
        let body = String::from_utf8_lossy(&reply.bytes).into_owned();
        return Err(format!("{} instead of {status}: {body}", reply.status));
    }
    let json = reply.json();
    if status >= 300 {
        if kept != 0 {
            return Err(format!("kept {kept} records"));
        }
        if !json["error"]["code"].is_string() || !json["error"]["message"].is_string() {
            return Err(format!("no error object: {json}"));
        }
        let line = vector.first_failure_line;
        let found = json["error"]["details"]["line"].as_u64();
        return if line.is_none() || found == line {
            Ok(())
        } else {
            Err(format!("names line {found:?} instead of {line:?}"))
        };
    }
    if choice.is_some() {
        return Ok(());
    }
    check_answer(&vector.expect, &json, status)?;
    let is_test = vector.headers.iter().any(|(name, _)| name == "x-service-mode");
    let expected = if is_test { Some(0) } else { vector.expect.accepted };
    if expected.is_some_and(|expected| expected != kept) {
        return Err(format!("kept {kept} records instead of {expected:?}"));
    }
    Ok(())
}

fn check_answer(expect: &Expected, json: &Value, status: u16) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{what}: {json}"));
    let count = |name: &str| json[name].as_u64();
    if count("received") != count("accepted").zip(count("rejected")).map(|(a, b)| a + b) {
        return wrong("accepted + rejected is not received");
    }
    if expect.received.is_some() && expect.received != count("received") {
        return wrong("received");
    }
    if expect.accepted.is_some() && expect.accepted != count("accepted") {
        return wrong("accepted");
    }
    if (status == 207) != json["rejections"].is_array() {
        return wrong("rejections are there with 207 only");
    }
    let Some(expected) = &expect.rejections else {
        return Ok(());
    };
    let found = json["rejections"].as_array().cloned().unwrap_or_default();
    if found.len() != expected.len() {
        return wrong("number of rejections");
    }
    for (expected, found) in expected.iter().zip(&found) {
        let is_right = |wanted: &Option<String>, found: &Value| {
            wanted.as_deref().is_none_or(|wanted| found.as_str() == Some(wanted))
        };
        if found["line"].as_u64() != Some(expected.line)
            || !is_right(&expected.reason, &found["reason"])
            || !is_right(&expected.field, &found["field"])
        {
            return wrong("a rejection");
        }
    }
    Ok(())
}
