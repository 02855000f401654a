//! Hostile input: nothing breaks, and no message of the library is sent.

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use visibility_tests::server::Hosts;

use super::MODERN;
use crate::api::server::Server;

/// A body in the place of the parameters of a tool.
fn call(params: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#).into_bytes()
}

fn bodies() -> Vec<Vec<u8>> {
    let nested = |count: usize| "[".repeat(count) + &"]".repeat(count);
    let deep = nested(100_000);
    let long = "a".repeat(200 * 1024);
    let mut bodies = vec![
        call(&deep),
        call(&format!(r#"{{"name":"scan_domain","arguments":{{"domain":{deep}}}}}"#)),
        call(&format!(r#"{{"name":"scan_domain","arguments":{}}}"#, nested(200))),
        call(&format!(r#"{{"name":"{long}"}}"#)),
        call(&format!(r#"{{"name":"scan_domain","arguments":{{"domain":"{long}"}}}}"#)),
        call(r#"{"name":"scan_domain","arguments":{"domain":1e999}}"#),
        call(r#"{"name":"scan_domain","arguments":{"domain":99999999999999999999999999999}}"#),
        call(r#"{"name":"scan_domain","arguments":{"domain":"\u0000"}}"#),
        call(r#"{"name":"scan_domain","arguments":{"domain":"\ud800"}}"#),
        call(r#"{"name":"scan_domain","arguments":[]}"#),
        call(r#"{"name":null}"#),
        call("null"),
        call("[]"),
        call(r#"{"name":"list_checks","_meta":{"progressToken":{}}}"#),
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\0".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}".to_vec(),
        b"\0\0\0\0".to_vec(),
        vec![0xff; 1000],
        deep.into_bytes(),
        b"{".repeat(100_000),
        b"{\"a\":".repeat(50_000),
    ];
    for id in
        ["null", "1e999", "-1", "1.5", "{}", "[]", "true", "99999999999999999999", "\"\\u0000\""]
    {
        bodies.push(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#).into_bytes());
    }
    for method in [
        "initialize",
        "server/discover",
        "tools/call",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "ping",
        "",
    ] {
        for params in ["{}", "[]", "1", r#"{"name":{},"uri":[]}"#, r#"{"protocolVersion":1}"#] {
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
            bodies.push(body.into_bytes());
        }
    }
    bodies
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_sent_is_answered_by_json_of_ours() {
    let server =
        Server::with(Hosts::default(), |settings| settings.limits.mcp_per_minute = 0).await;
    for body in bodies() {
        for version in [None, Some(MODERN), Some("2025-11-25")] {
            let start = String::from_utf8_lossy(&body[..body.len().min(150)]).into_owned();
            let request = server.message("/mcp", body.clone());
            let request = match version {
                Some(version) => request.header("mcp-protocol-version", version),
                None => request,
            };
            let response = request.send().await.unwrap();
            let status = response.status().as_u16();
            assert!(matches!(status, 200 | 202 | 400 | 404), "{status} {version:?}: {start}");
            let text = response.text().await.unwrap();
            if status == 202 {
                assert_eq!(text, "", "{start}");
                continue;
            }
            let answer: Value = serde_json::from_str(&text).expect(&start);
            assert_eq!(answer["jsonrpc"], "2.0", "{start}: {answer}");
            let is_answer = answer["result"].is_object() || answer["error"]["code"].is_i64();
            assert!(is_answer, "{start}: {answer}");
            assert!(text.len() < 100_000, "{start}: {} bytes", text.len());
        }
    }
    assert_eq!(server.get("/api/v1").await.status(), 200);
}

#[tokio::test]
async fn headers_that_make_no_sense_are_refused_and_nothing_breaks() {
    let server = Server::start().await;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for (name, value) in [
        ("mcp-protocol-version", &b"\xff"[..]),
        ("mcp-protocol-version", b""),
        ("mcp-protocol-version", b"9999999999999999999999999999"),
        ("mcp-method", b"\xff"),
        ("mcp-session-id", b"\xff\xff"),
        ("last-event-id", b"1"),
        ("accept", b"\xff"),
        ("content-type", b"\xff"),
        ("origin", b"\xff"),
    ] {
        let mut request = server.message("/mcp", list).build().unwrap();
        let value = reqwest::header::HeaderValue::from_bytes(value).unwrap();
        request.headers_mut().insert(name, value);
        let response = server.client.execute(request).await.unwrap();
        let status = response.status().as_u16();
        assert!(matches!(status, 200 | 400 | 403 | 406 | 415), "{name}: {status}");
        let _: Value = response.json().await.expect(name);
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_and_one_that_does_not_end_are_refused() {
    let server = Server::with(Hosts::default(), |settings| settings.timeouts.api_body = 1).await;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n",
        server.key
    );
    let slow = format!("{head}content-length: 100\r\n\r\n{{");
    let endless = format!(
        "{head}transfer-encoding: chunked\r\n\r\n{}",
        format!("1000\r\n{}\r\n", " ".repeat(4096)).repeat(75)
    );
    for (sent, status) in [(slow, "408"), (endless, "413")] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer[9..], status.as_bytes());
    }
}
