//! Concurrent requests for the same page share one audit, which ends with the last of them.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use visibility_server::settings::Settings;
use visibility_tests::server::Hosts;
use visibility_tests::site::{Reply, Site, good};
use visibility_tests::wait::until;

use crate::api::agent_readiness::hang_up::{count, gauge};
use crate::api::agent_readiness::sharing::gated;
use crate::api::agent_readiness::{error, field};
use crate::api::audit::{AUDIT, PAGE, id};
use crate::api::server::Server;

const HOST: &str = "shop.example.com";

/// Sends a request on a connection of its own, and waits for nothing.
async fn ask(address: SocketAddr, url: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let body = json!({ "url": url }).to_string();
    let head = format!(
        "POST {AUDIT} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn twenty_who_ask_at_once_in_two_languages_cost_one_audit_and_one_pays() {
    let (server, gate) = gated(Hosts::new([good(HOST)]), HOST, |settings| {
        settings.limits.audits_per_day = 500;
        settings.limits.audits_per_host = 60;
    })
    .await;
    let asked = (0..20).map(|number: usize| {
        let query = if number.is_multiple_of(2) { "" } else { "?lang=tr" };
        server.audited(query, PAGE)
    });
    let opened = async {
        gate.wait_until(|waiting| waiting > 0).await;
        gate.open();
    };
    let (results, ()) = tokio::join!(join_all(asked), opened);
    assert_eq!(server.sites.requests(), 3);
    assert!(results.iter().all(|result| id(result) == id(&results[0])));
    assert_eq!(count(&server, "visibility_audits_total{result=\"completed\"}"), 1);
    let left = server.audit(PAGE).await.headers()["ratelimit"].to_str().unwrap().to_owned();
    assert!(left.contains("r=499;"), "one of them pays: {left}");
}

#[tokio::test]
async fn an_audit_ends_with_the_only_client_that_waits_for_it() {
    let one = |settings: &mut Settings| {
        settings.limits.audits = 1;
        settings.limits.audit_queue = 0;
        settings.limits.audits_per_host = 2;
    };
    let (server, gate) = gated(Hosts::new([good(HOST), good("b.example.net")]), HOST, one).await;
    let stream = ask(server.address, PAGE).await;
    gate.wait_until(|waiting| waiting > 0).await;
    assert_eq!(gauge(&server, "visibility_audits_in_flight"), 1);

    let busy = server.audit("https://b.example.net/").await;
    let retry: u64 = field(&busy, "retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&retry));
    let (status, refusal) = error(busy).await;
    assert_eq!((status.as_u16(), &refusal["code"]), (503, &"SERVICE_UNAVAILABLE".into()));

    drop(stream);
    gate.wait_for(0).await;
    until("the permit is free", || gauge(&server, "visibility_audits_in_flight") == 0).await;
    assert_eq!(count(&server, "visibility_audits_total{result=\"abandoned\"}"), 1);
    assert_eq!(count(&server, "visibility_audits_total{result=\"busy\"}"), 1);
    // What found no place did not count for its host.
    for page in ["", "b"] {
        let url = format!("https://b.example.net/{page}");
        assert_eq!(server.audit(&url).await.status(), 201);
    }
    assert_eq!(server.audit("https://b.example.net/c").await.status(), 429);
}

#[tokio::test]
async fn the_client_whose_request_started_an_audit_may_leave_it_to_another() {
    let (server, gate) = gated(Hosts::new([good(HOST)]), HOST, |_| {}).await;
    let first = ask(server.address, PAGE).await;
    gate.wait_until(|waiting| waiting > 0).await;
    let second = async { server.audited("", PAGE).await };
    let leaving = async {
        until("the second takes part", || {
            count(&server, "visibility_audits_total{result=\"shared\"}") == 1
        })
        .await;
        drop(first);
        tokio::time::sleep(Duration::from_millis(300)).await;
        gate.open();
    };
    let (result, ()) = tokio::join!(second, leaving);
    assert_eq!(result["status"], "completed");
    assert_eq!(count(&server, "visibility_audits_total{result=\"abandoned\"}"), 0);
}

#[tokio::test]
async fn who_leaves_pays_only_for_a_visit_that_began_for_it() {
    let few = |settings: &mut Settings| {
        settings.limits.audits = 1;
        settings.limits.audits_per_day = 500;
    };
    let (server, gate) = gated(Hosts::new([good(HOST)]), HOST, few).await;
    let first = ask(server.address, PAGE).await;
    gate.wait_until(|waiting| waiting > 0).await;
    let sharing = ask(server.address, PAGE).await;
    let shared = || count(&server, "visibility_audits_total{result=\"shared\"}") == 1;
    until("one shares", shared).await;
    let waiting = ask(server.address, "https://b.example.com/").await;
    until("one waits", || gauge(&server, "visibility_audits_waiting") == 1).await;
    drop((sharing, waiting));
    until("none waits", || gauge(&server, "visibility_audits_waiting") == 0).await;
    drop(first);
    gate.wait_for(0).await;
    gate.open();
    let answer = server.audit(PAGE).await;
    let left = field(&answer, "ratelimit").unwrap();
    assert!(left.contains("r=498;"), "the first visit and the last: {left}");
}

#[tokio::test]
async fn one_address_has_so_many_audits_that_run_and_wait() {
    let few = |settings: &mut Settings| {
        settings.limits.audits = 1;
        settings.limits.audits_at_once = 2;
        settings.limits.audits_per_day = 500;
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    };
    let (server, gate) = gated(Hosts::new([good(HOST), good("b.example.net")]), HOST, few).await;
    let first = ask(server.address, PAGE).await;
    gate.wait_until(|waiting| waiting > 0).await;
    let second = ask(server.address, "https://b.example.net/").await;
    until("one waits", || gauge(&server, "visibility_audits_waiting") == 1).await;
    let third = server.audit("https://b.example.net/c").await;
    assert_eq!(field(&third, "retry-after"), Some("5"));
    let left = field(&third, "ratelimit").unwrap();
    assert!(left.contains("r=498;"), "it costs no audit: {left}");
    let (status, refusal) = error(third).await;
    assert_eq!((status.as_u16(), &refusal["code"]), (429, &"RATE_LIMITED".into()));
    assert_eq!(refusal["details"]["budget"], "running");
    assert_eq!(count(&server, "visibility_audits_total{result=\"refused_running\"}"), 1);
    // Another address has its own, and who shares an audit needs no place.
    let other = server.audit_for("192.0.2.1", "https://b.example.net/c");
    let shared = server.audit(PAGE);
    let opening = async {
        until("it waits, and one shares", || {
            gauge(&server, "visibility_audits_waiting") == 2
                && count(&server, "visibility_audits_total{result=\"shared\"}") == 1
        })
        .await;
        gate.open();
    };
    let (other, shared, ()) = tokio::join!(other, shared, opening);
    assert_eq!((other.status().as_u16(), shared.status().as_u16()), (201, 201));
    drop((first, second));
    assert_eq!(server.audit("https://b.example.net/c").await.status(), 201);
}

#[tokio::test]
async fn an_audit_that_waits_for_its_turn_goes_with_its_client() {
    let few = |settings: &mut Settings| {
        settings.limits.audits = 1;
        settings.limits.audit_queue = 1;
    };
    let (server, gate) = gated(Hosts::new([good(HOST)]), HOST, few).await;
    let first = ask(server.address, PAGE).await;
    gate.wait_until(|waiting| waiting > 0).await;
    let second = ask(server.address, "https://b.example.com/").await;
    until("one waits", || gauge(&server, "visibility_audits_waiting") == 1).await;
    assert_eq!(server.audit("https://c.example.com/").await.status(), 503);
    drop(second);
    until("none waits", || gauge(&server, "visibility_audits_waiting") == 0).await;
    drop(first);
    gate.wait_for(0).await;
}

#[tokio::test]
async fn a_failed_server_is_asked_again_and_a_definite_result_is_reused() {
    let broken = Site::new("broken.example.com").with("/", Reply::error(503));
    let sites = [broken, good(HOST), Site::new("empty.example.com")];
    let server = Server::with(Hosts::new(sites), |_| {}).await;
    for (url, is_kept) in
        [("https://broken.example.com/", false), (PAGE, true), ("https://empty.example.com/", true)]
    {
        let first = server.audited("", url).await;
        let second = server.audit(url).await;
        assert_eq!(field(&second, "age").is_some(), is_kept, "{url}");
        let second: serde_json::Value = second.json().await.unwrap();
        assert_eq!(id(&first) == id(&second), is_kept, "{url}");
        assert_eq!(server.shown(id(&first), &[]).await.status(), 200, "by its id, all are found");
    }
}
