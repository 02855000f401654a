//! Scans that take long: progress, and what happens to them when no one waits.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use visibility_tests::server::Hosts;
use visibility_tests::site::good;
use visibility_tests::wait::{in_time, until};

use crate::api::agent_readiness::hang_up::{count, gauge, joined};
use crate::api::agent_readiness::sharing::gated;
use crate::api::gate::Gate;
use crate::api::server::Server;

const HOST: &str = "shop.example.com";

/// Asks for a scan on a connection of its own, with or without a wish to hear how it goes.
async fn ask(server: &Server, is_heard: bool) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let mut params = json!({ "name": "scan_domain", "arguments": { "domain": HOST } });
    if is_heard {
        params["_meta"] = json!({ "progressToken": "p" });
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let body = body.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
         accept-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        server.key,
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    stream
}

/// Reads until a text has come.
async fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut text = String::new();
    let mut piece = [0; 4096];
    while !text.contains(wanted) {
        let read = in_time(wanted, stream.read(&mut piece)).await.unwrap();
        assert!(read > 0, "{wanted} did not come: {text}");
        text.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    text
}

/// A server with one place for a scan, whose site says nothing until it may.
async fn slow() -> (Server, Gate) {
    gated(Hosts::new([good(HOST)]), HOST, |settings| {
        settings.limits.scans = 1;
        settings.timeouts.shutdown = 1;
    })
    .await
}

#[tokio::test]
async fn a_client_hears_each_second_that_a_scan_goes_on_and_then_its_result() {
    let (server, gate) = slow().await;
    let mut stream = ask(&server, true).await;
    let text = read_until(&mut stream, "notifications/progress").await;
    let head = text.to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 200 ok"), "{text}");
    assert!(head.contains("content-type: text/event-stream"), "{text}");
    assert!(head.contains("cache-control: no-store"), "{text}");
    assert!(head.contains("x-accel-buffering: no"), "{text}");
    assert!(!head.contains("content-encoding"), "{text}");
    assert!(text.contains(r#""progressToken":"p""#), "{text}");
    gate.open();
    let text = read_until(&mut stream, "\"structuredContent\"").await;
    assert!(text.contains(r#""isError":false"#), "{text}");
}

#[tokio::test]
async fn a_client_without_a_progress_token_gets_one_response() {
    let (server, gate) = slow().await;
    let mut stream = ask(&server, false).await;
    gate.wait_until(|waiting| waiting > 0).await;
    tokio::time::sleep(Duration::from_millis(1200)).await;
    gate.open();
    let text = read_until(&mut stream, "\"structuredContent\"").await;
    assert!(text.to_ascii_lowercase().contains("content-type: application/json"), "{text}");
}

#[tokio::test]
async fn a_scan_ends_with_the_connection_of_the_only_client_that_waits() {
    for is_heard in [false, true] {
        let (server, gate) = slow().await;
        let mut stream = ask(&server, is_heard).await;
        gate.wait_until(|waiting| waiting > 0).await;
        if is_heard {
            read_until(&mut stream, "notifications/progress").await;
        }
        assert_eq!(gauge(&server, "visibility_scans_in_flight"), 1);
        drop(stream);
        gate.wait_for(0).await;
        until("the place is free", || gauge(&server, "visibility_scans_in_flight") == 0).await;
        assert_eq!(count(&server, "visibility_scans_total{result=\"abandoned\"}"), 1);
    }
}

#[tokio::test]
async fn a_scan_that_another_waits_for_goes_on() {
    let (server, gate) = slow().await;
    let first = ask(&server, true).await;
    gate.wait_until(|waiting| waiting > 0).await;
    let mut second = ask(&server, false).await;
    joined(&server).await;
    drop(first);
    // Time for the server to miss the first, which nothing shows from outside.
    tokio::time::sleep(Duration::from_millis(300)).await;
    gate.open();
    read_until(&mut second, "\"structuredContent\"").await;
    assert_eq!(count(&server, "visibility_scans_total{result=\"abandoned\"}"), 0);
}

#[tokio::test]
async fn the_end_of_the_service_ends_streams() {
    let (mut server, gate) = slow().await;
    let mut stream = ask(&server, true).await;
    read_until(&mut stream, "notifications/progress").await;
    server.stop.send(true).unwrap();
    in_time("the service ends", &mut server.running).await.unwrap();
    gate.wait_for(0).await;
    let mut rest = Vec::new();
    // A connection that is cut is an end as well.
    let _ = in_time("the stream ends", stream.read_to_end(&mut rest)).await;
}

#[tokio::test]
async fn a_client_of_the_second_era_hears_of_it_as_well() {
    let (server, gate) = slow().await;
    let params = json!({ "name": "scan_domain", "arguments": { "domain": HOST } });
    let mut request = server.modern("tools/call", params).build().unwrap();
    let body = request.body().and_then(reqwest::Body::as_bytes).unwrap();
    let mut body: Value = serde_json::from_slice(body).unwrap();
    body["params"]["_meta"]["progressToken"] = json!(5);
    *request.body_mut() = Some(body.to_string().into());
    request.headers_mut().remove("content-length");
    let mut response = server.client.execute(request).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut text = String::new();
    while let Some(chunk) = in_time("the next chunk", response.chunk()).await.unwrap() {
        text.push_str(&String::from_utf8_lossy(&chunk));
        if text.contains("notifications/progress") {
            gate.open();
        }
    }
    assert!(text.contains("structuredContent"), "{text}");
}
