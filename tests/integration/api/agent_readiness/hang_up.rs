//! A client that goes away stops its scan if no one else waits for it.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use visibility_tests::server::Hosts;
use visibility_tests::site::good;
use visibility_tests::wait::{in_time, until};

use crate::api::agent_readiness::sharing::gated;
use crate::api::server::Server;

/// Sends a request on a connection of its own, and waits for nothing.
async fn ask(address: SocketAddr, key: &str, domain: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let body = json!({ "domain": domain }).to_string();
    let head = format!(
        "POST /api/v1/agent-readiness HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    stream
}

pub(crate) fn gauge(server: &Server, name: &str) -> u64 {
    let metrics = server.metrics.render();
    let line = metrics.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
    line.split(' ').next_back().unwrap().parse().unwrap()
}

pub(crate) fn count(server: &Server, line: &str) -> u64 {
    let metrics = server.metrics.render();
    let found = metrics.lines().find_map(|found| found.strip_prefix(line));
    found.map_or(0, |count| count.trim().parse().unwrap())
}

/// Waits until a second request takes part in the scan of the first.
pub(crate) async fn joined(server: &Server) {
    let lookups = "visibility_scan_cache_lookups_total{result=\"miss\"}";
    until("a second one asks", || count(server, lookups) == 2).await;
    // The lookup is the last step of it that can be seen from outside; it joins a few microseconds later.
    tokio::time::sleep(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn a_scan_ends_with_the_only_client_that_waits_for_it() {
    let host = "shop.example.com";
    let one = |settings: &mut visibility_server::settings::Settings| {
        settings.limits.scans = 1;
        settings.limits.scan_queue = 0;
    };
    let (server, gate) = gated(Hosts::new([good(host), good("b.example.com")]), host, one).await;
    let stream = ask(server.address, &server.key, host).await;
    gate.wait_until(|waiting| waiting > 0).await;
    assert_eq!(gauge(&server, "visibility_scans_in_flight"), 1);
    assert_eq!(server.scan("b.example.com").await.status(), 503, "the only permit is taken");

    drop(stream);
    gate.wait_for(0).await;
    until("the permit is free", || gauge(&server, "visibility_scans_in_flight") == 0).await;
    assert_eq!(server.scan("b.example.com").await.status(), 200);
    assert_eq!(count(&server, "visibility_scans_total{result=\"abandoned\"}"), 1);
}

#[tokio::test]
async fn the_client_whose_request_started_a_scan_may_leave_it_to_another() {
    let host = "shop.example.com";
    let (server, gate) = gated(Hosts::new([good(host)]), host, |_| {}).await;
    let first = ask(server.address, &server.key, host).await;
    gate.wait_for(1).await;
    let second = async { server.result("", host).await };
    let leaving = async {
        joined(&server).await;
        drop(first);
        // Time for the server to miss the first, which nothing shows from outside.
        tokio::time::sleep(Duration::from_millis(300)).await;
        gate.open();
    };
    let (result, ()) = tokio::join!(second, leaving);
    assert_eq!(result["cached"], false);
    assert_eq!(count(&server, "visibility_scans_total{result=\"abandoned\"}"), 0);
    assert_eq!(count(&server, "visibility_scans_total{result=\"ok\"}"), 1);
}

#[tokio::test]
async fn a_scan_that_waits_for_its_turn_goes_with_its_client() {
    let host = "shop.example.com";
    let few = |settings: &mut visibility_server::settings::Settings| {
        settings.limits.scans = 1;
        settings.limits.scan_queue = 1;
    };
    let (server, gate) = gated(Hosts::new([good(host)]), host, few).await;
    let first = ask(server.address, &server.key, host).await;
    gate.wait_until(|waiting| waiting > 0).await;
    let second = ask(server.address, &server.key, "b.example.com").await;
    until("one waits", || gauge(&server, "visibility_scans_waiting") == 1).await;
    assert_eq!(server.scan("c.example.com").await.status(), 503);
    drop(second);
    until("none waits", || gauge(&server, "visibility_scans_waiting") == 0).await;
    drop(first);
    gate.wait_for(0).await;
}

#[tokio::test]
async fn a_client_that_sent_more_than_its_request_is_missed_as_well() {
    let host = "shop.example.com";
    let (server, gate) = gated(Hosts::new([good(host)]), host, |_| {}).await;
    let mut stream = ask(server.address, &server.key, host).await;
    gate.wait_until(|waiting| waiting > 0).await;
    stream.write_all(b"GET /api/v1 HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    drop(stream);
    gate.wait_for(0).await;
}

#[tokio::test]
async fn a_thousand_who_ask_for_what_cannot_be_reached_and_leave_are_forgotten() {
    // A site that takes connections and says nothing.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let rule = format!("::{}", silent.local_addr().unwrap());
    let server = Server::with(Hosts::default(), move |settings| {
        settings.fetch.connect_to.clear();
        settings.fetch.connect_to.push(rule);
        settings.limits.connections = 2000;
        settings.limits.connections_per_address = 2000;
    })
    .await;
    let mut streams = Vec::new();
    for number in 0..1000 {
        let domain = format!("a{number}.example.com");
        streams.push(ask(server.address, &server.key, &domain).await);
    }
    let refused = "visibility_scans_total{result=\"busy\"}";
    // 16 run, 64 wait.
    until("all others are refused", || count(&server, refused) == 920).await;
    assert_eq!(gauge(&server, "visibility_scans_in_flight"), 16);
    let refusals = streams.iter_mut().map(|stream| async move {
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 503");
    });
    let refusals = refusals.collect::<FuturesUnordered<_>>().take(920).count();
    assert_eq!(in_time("the others read that they are refused", refusals).await, 920);
    drop(streams);
    until("nothing runs", || {
        gauge(&server, "visibility_scans_in_flight") == 0
            && gauge(&server, "visibility_scans_waiting") == 0
    })
    .await;
    // Their clients ended them, and not the time that a scan has.
    assert_eq!(count(&server, "visibility_scans_total{result=\"timeout\"}"), 0);
    assert_eq!(server.get("/api/v1").await.status(), 200);
}
