//! How often strangers may ask for audits, and how often a host is audited.

use futures_util::future::join_all;
use reqwest::Response;
use serde_json::{Value, json};
use visibility_server::settings::Settings;
use visibility_tests::server::Hosts;
use visibility_tests::site::good;

use crate::api::agent_readiness::field;
use crate::api::agent_readiness::hang_up::count;
use crate::api::audit::{AUDIT, PAGE};
use crate::api::server::Server;

impl Server {
    /// Asks for an audit as a proxy does for a client.
    pub(crate) async fn audit_for(&self, client: &str, url: &str) -> Response {
        let request = self.client.post(self.url(AUDIT)).header("x-forwarded-for", client);
        request.json(&json!({ "url": url })).send().await.unwrap()
    }
}

fn sites() -> Hosts {
    Hosts::new([good("shop.example.com"), good("www.example.com"), good("example.org")])
}

fn limits(minute: u32, day: u32, host: u32) -> impl FnOnce(&mut Settings) {
    move |settings| {
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        settings.limits.audits_per_minute = minute;
        settings.limits.audits_per_day = day;
        settings.limits.audits_per_host = host;
    }
}

/// The error of a 429, whose fields agree.
async fn refusal(response: Response, budget: &str, limit: u64, window: u64) -> Value {
    assert_eq!(response.status(), 429);
    let wait: u64 = field(&response, "retry-after").unwrap().parse().unwrap();
    assert!(wait > window / 2 && wait <= window, "{wait}");
    let policy = field(&response, "ratelimit-policy").unwrap().to_owned();
    assert!(policy.contains(&format!("q={limit};w={window}")), "{policy}");
    let left = field(&response, "ratelimit").unwrap().to_owned();
    assert!(left.contains(";r=0;"), "{left}");
    let body: Value = response.json().await.unwrap();
    let error = &body["error"];
    assert_eq!(error["code"], "RATE_LIMITED");
    let details = json!({
        "budget": budget, "limit": limit, "window_seconds": window, "retry_after_seconds": wait
    });
    assert_eq!(error["details"], details);
    assert!(error["hint"].as_str().unwrap().contains(&format!("{wait} s")), "{error}");
    error.clone()
}

#[tokio::test]
async fn an_address_has_so_many_requests_in_a_minute() {
    let server = Server::with(sites(), limits(2, 0, 0)).await;
    let first = server.audit_for("192.0.2.1", PAGE).await;
    assert_eq!(field(&first, "ratelimit-policy"), Some(r#""minute";q=2;w=60"#));
    assert_eq!(field(&first, "ratelimit"), Some(r#""minute";r=1;t=60"#));
    for _ in 0..3 {
        let again = server.audit_for("192.0.2.1", PAGE).await;
        assert_eq!(again.status(), 201);
        assert!(field(&again, "ratelimit").unwrap().contains("r=1;"), "it costs nothing");
    }
    assert_eq!(server.audit_for("192.0.2.1", "not a page").await.status(), 400);
    let refused = server.audit_for("192.0.2.1", PAGE).await;
    let _ = refusal(refused, "minute", 2, 60).await;
    assert_eq!(server.audit_for("192.0.2.2", PAGE).await.status(), 201, "another address");
    assert_eq!(count(&server, "visibility_rate_limited_total{scope=\"audit_minute\"}"), 1);
    assert_eq!(count(&server, "visibility_audits_total{result=\"refused_minute\"}"), 1);
}

#[tokio::test]
async fn an_address_is_a_network_of_ipv6_and_whatever_a_trusted_proxy_says() {
    let server = Server::with(sites(), limits(1, 0, 0)).await;
    for (client, status) in [
        ("2001:db8:1:2::3", 400),
        ("2001:db8:1:2:ffff::4", 429),
        ("2001:db8:1:3::3", 400),
        ("192.0.2.1", 400),
        ("::ffff:192.0.2.1", 429),
        ("192.0.2.1, 127.0.0.9", 429),
        // What a client has written there itself comes before what the proxy adds.
        ("198.51.100.1, 192.0.2.1", 429),
        ("198.51.100.1", 400),
    ] {
        assert_eq!(server.audit_for(client, "").await.status(), status, "{client}");
    }
    let untrusting = Server::with(sites(), |settings| {
        limits(1, 0, 0)(settings);
        settings.trusted_proxies.clear();
    })
    .await;
    assert_eq!(untrusting.audit_for("192.0.2.1", "").await.status(), 400);
    assert_eq!(untrusting.audit_for("192.0.2.2", "").await.status(), 429, "it is who connects");
}

#[tokio::test]
async fn an_address_has_so_many_audits_in_a_day_also_after_a_restart() {
    let server = Server::with(sites(), limits(0, 2, 0)).await;
    for url in [PAGE, "https://example.org/"] {
        assert_eq!(server.audit_for("192.0.2.1", url).await.status(), 201);
    }
    for url in ["", "http://127.0.0.1/"] {
        assert_eq!(server.audit_for("192.0.2.9", url).await.status(), 400);
    }
    server.keeps_audits(2).await;
    let server = server.next(sites(), limits(0, 2, 0)).await;
    assert_eq!(server.audit_for("192.0.2.1", PAGE).await.status(), 201, "it is kept");
    let refused = server.audit_for("192.0.2.1", "https://www.example.com/").await;
    let _ = refusal(refused, "day", 2, 86_400).await;
    assert_eq!(server.audit_for("192.0.2.2", "https://www.example.com/").await.status(), 201);
    // The database does not reveal who it was.
    let database = std::fs::read(server.folder.path().join("data/state.sqlite")).unwrap();
    let log = std::fs::read(server.folder.path().join("data/state.sqlite-wal")).unwrap();
    for bytes in [database, log] {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("192.0.2."), "an address is kept");
    }
}

#[tokio::test]
async fn the_audits_of_a_domain_in_an_hour_are_limited_for_all_clients_together() {
    let server = Server::with(sites(), limits(30, 500, 2)).await;
    for (number, url) in [PAGE, "https://www.example.com/"].into_iter().enumerate() {
        assert_eq!(server.audit_for(&format!("192.0.2.{number}"), url).await.status(), 201);
    }
    let refused = server.audit_for("192.0.2.7", "https://example.com/other").await;
    let policy = r#""minute";q=30;w=60, "daily";q=500;w=86400, "host";q=2;w=3600"#;
    assert_eq!(field(&refused, "ratelimit-policy"), Some(policy));
    let left = field(&refused, "ratelimit").unwrap().to_owned();
    assert!(left.starts_with(r#""minute";r=29;"#) && left.contains(r#""daily";r=500;"#), "{left}");
    let error = refusal(refused, "host", 2, 3600).await;
    assert!(error["message"].as_str().unwrap().contains("domain"), "{error}");
    assert_eq!(server.audit_for("192.0.2.7", PAGE).await.status(), 201, "it is kept");
    assert_eq!(server.audit_for("192.0.2.7", "https://example.org/").await.status(), 201);
    assert_eq!(count(&server, "visibility_audits_total{result=\"refused_host\"}"), 1);
}

#[tokio::test]
async fn a_refusal_is_in_turkish() {
    let server = Server::with(sites(), limits(1, 0, 0)).await;
    server.audit("").await;
    let refused = server.post_audit("?lang=tr", json!({ "url": PAGE }).to_string()).await;
    assert_eq!(refused.status(), 429);
    let body: Value = refused.json().await.unwrap();
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Dakikada"), "{body}");
}

#[tokio::test]
async fn limits_that_are_lifted_are_not_reported() {
    let server = Server::with(sites(), limits(0, 0, 0)).await;
    for number in 0..70 {
        let response = server.audit(&format!("https://shop.example.com/?{number}")).await;
        assert_eq!(response.status(), 201);
        assert_eq!(field(&response, "ratelimit"), None);
        assert_eq!(field(&response, "ratelimit-policy"), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_at_once_are_counted_exactly() {
    let server = Server::with(sites(), limits(7, 0, 0)).await;
    let asked = (0..20).map(|_| server.audit_for("192.0.2.1", ""));
    let answers = join_all(asked).await;
    let of = |status: u16| answers.iter().filter(|answer| answer.status() == status).count();
    assert_eq!((of(400), of(429)), (7, 13));
}
