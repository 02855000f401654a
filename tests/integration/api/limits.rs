//! How often a key may ask and scan.

use std::sync::Arc;

use chrono::{TimeDelta, Utc};
use reqwest::Response;
use serde_json::Value;
use uuid::Uuid;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_core::text::locale::Lang;
use visibility_server::settings::Settings;
use visibility_server::stores::state::keys::Successor;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::good;
use visibility_tests::wait::until;

use crate::api::server::Server;

const NOTHING: &str = "/api/v1/agent-readiness/nothing.example.com";

impl Server {
    /// A server with these limits that finds two sites.
    async fn limited(per_minute: u32, per_day: u32) -> Self {
        let hosts = Hosts::new([good("one.example.com"), good("two.example.com")]);
        Self::with(hosts, limits(per_minute, per_day)).await
    }

    /// Asks for a result that does not exist: it counts for the minute.
    async fn miss(&self, key: &str) -> Response {
        self.client.get(self.url(NOTHING)).bearer_auth(key).send().await.unwrap()
    }

    /// Asks for a scan.
    async fn scan_of(&self, key: &str, domain: &str) -> Response {
        let request = self.client.post(self.url("/api/v1/agent-readiness")).bearer_auth(key);
        let body = serde_json::json!({ "domain": domain });
        request.json(&body).send().await.unwrap()
    }

    /// The next server on the same data directory.
    async fn start_again(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        self.stop.send(true).unwrap();
        (&mut self.running).await.unwrap();
        until("the service lets go of its stores", || Arc::strong_count(&self.stores) == 1).await;
        let folder = Arc::clone(&self.folder);
        drop(self);
        let hosts = Hosts::new([good("one.example.com"), good("two.example.com")]);
        Self::on(folder, FixtureServer::start(hosts).await, change).await
    }
}

fn limits(per_minute: u32, per_day: u32) -> impl FnOnce(&mut Settings) {
    move |settings| {
        settings.limits.scans_per_minute = per_minute;
        settings.limits.scans_per_day = per_day;
    }
}

/// One item of a list of structured fields: a string with integer parameters.
#[derive(Debug, Eq, PartialEq)]
struct Item {
    name: String,
    parameters: Vec<(String, u64)>,
}

/// Reads a field as RFC 9651 has lists of strings with integer parameters.
fn list(response: &Response, field: &str) -> Vec<Item> {
    let mut values = response.headers().get_all(field).iter();
    let Some(value) = values.next() else { return Vec::new() };
    assert!(values.next().is_none(), "{field} appears twice");
    let item = |text: &str| {
        let mut parts = text.split(';');
        let name = parts.next().unwrap().strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{text}");
        let parameter = |part: &str| {
            let (key, value) = part.split_once('=').unwrap();
            assert!(value.bytes().all(|byte| byte.is_ascii_digit()), "{text}");
            (key.to_owned(), value.parse().unwrap())
        };
        Item { name: name.to_owned(), parameters: parts.map(parameter).collect() }
    };
    value.to_str().unwrap().split(", ").map(item).collect()
}

fn policy(name: &str, quota: u64, window: u64) -> Item {
    let parameters = vec![("q".to_owned(), quota), ("w".to_owned(), window)];
    Item { name: name.to_owned(), parameters }
}

/// What `RateLimit` says is left of each limit.
fn left(response: &Response) -> Vec<(String, u64)> {
    let read = |item: Item| {
        let [(rest, left), (time, seconds)] = &item.parameters[..] else { panic!("{item:?}") };
        assert_eq!((rest.as_str(), time.as_str()), ("r", "t"));
        assert!((1..=86_400).contains(seconds), "{item:?}");
        (item.name, *left)
    };
    list(response, "ratelimit").into_iter().map(read).collect()
}

fn named(left: &[(&str, u64)]) -> Vec<(String, u64)> {
    left.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

/// The error of a 429, and what its fields say of the wait.
async fn refusal(response: Response) -> (Value, u64) {
    assert_eq!(response.status(), 429);
    let wait: u64 = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["error"]["details"]["retry_after_seconds"], wait);
    (body["error"].clone(), wait)
}

#[tokio::test]
async fn a_minute_has_so_many_requests() {
    let server = Server::limited(2, 0).await;
    for _ in 0..2 {
        assert_eq!(server.miss(&server.key).await.status(), 404);
    }
    let refused = server.miss(&server.key).await;
    assert_eq!(list(&refused, "ratelimit-policy"), [policy("minute", 2, 60)]);
    assert_eq!(left(&refused), named(&[("minute", 0)]));
    let (error, wait) = refusal(refused).await;
    assert_eq!(error["code"], "RATE_LIMITED");
    assert_eq!(
        (&error["details"]["limit"], &error["details"]["window_seconds"]),
        (&2.into(), &60.into())
    );
    assert!((30..=60).contains(&wait), "{wait}");
    let another = server.make_key(&visibility_core::accounts::scope::Scope::FOR_PROGRAMS);
    assert_eq!(server.miss(&another).await.status(), 404);
}

#[tokio::test]
async fn a_refusal_is_in_turkish() {
    let server = Server::limited(1, 0).await;
    server.miss(&server.key).await;
    let path = format!("{NOTHING}?lang={}", Lang::Tr);
    let refused = server.client.get(server.url(&path)).bearer_auth(&server.key);
    let (error, wait) = refusal(refused.send().await.unwrap()).await;
    assert!(error["message"].as_str().unwrap().starts_with("API anahtarı"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains(&format!("{wait} sn")), "{error}");
}

#[tokio::test]
async fn a_bad_request_counts_and_one_without_a_valid_key_does_not() {
    let server = Server::limited(2, 0).await;
    for _ in 0..3 {
        assert_eq!(server.miss("service_live_x").await.status(), 401);
    }
    let answer = server.client.post(server.url("/api/v1/agent-readiness")).bearer_auth(&server.key);
    assert_eq!(answer.body("{}").send().await.unwrap().status(), 400);
    assert_eq!(server.scan_of(&server.key, "not a domain").await.status(), 400);
    assert_eq!(server.miss(&server.key).await.status(), 429);
}

#[tokio::test]
async fn what_the_cache_answers_costs_nothing() {
    let server = Server::limited(30, 500).await;
    let first = server.scan_of(&server.key, "one.example.com").await;
    assert_eq!(first.status(), 200);
    let expected = [policy("minute", 30, 60), policy("daily", 500, 86_400)];
    assert_eq!(list(&first, "ratelimit-policy"), expected);
    assert_eq!(left(&first), named(&[("minute", 29), ("daily", 499)]));
    for _ in 0..3 {
        let again = server.scan_of(&server.key, "one.example.com").await;
        assert_eq!(again.status(), 200);
        assert_eq!(left(&again), named(&[("minute", 29), ("daily", 499)]));
    }
}

#[tokio::test]
async fn a_day_has_so_many_scans_also_after_a_restart() {
    let server = Server::limited(0, 1).await;
    let key = server.key.clone();
    assert_eq!(server.scan_of(&key, "one.example.com").await.status(), 200);
    let refused = server.scan_of(&key, "two.example.com").await;
    assert_eq!(list(&refused, "ratelimit-policy"), [policy("daily", 1, 86_400)]);
    assert_eq!(left(&refused), named(&[("daily", 0)]));
    let (error, wait) = refusal(refused).await;
    assert_eq!(error["code"], "DAILY_CAP_EXCEEDED");
    assert_eq!(error["details"]["window_seconds"], 86_400);
    assert!((86_000..=86_400).contains(&wait), "{wait}");
    let server = server.start_again(limits(0, 1)).await;
    let (error, _wait) = refusal(server.scan_of(&key, "two.example.com").await).await;
    assert_eq!(error["code"], "DAILY_CAP_EXCEEDED");
    assert_eq!(server.scan_of(&key, "one.example.com").await.status(), 200, "it is cached");
}

#[tokio::test]
async fn a_key_and_its_successor_share_their_limits() {
    let server = Server::limited(2, 0).await;
    let old = server.key.parse::<Token>().unwrap().digest();
    let id = server.stores.state_store().key(&old).unwrap().unwrap().key.id;
    let token = Token::generate(TokenKind::ApiKey, &[201; RANDOM_BYTES]);
    let successor = Successor {
        id: Uuid::now_v7().into(),
        abbreviated: token.abbreviated(),
        digest: token.digest(),
        created_by: None,
        created_at: Utc::now(),
    };
    let ends = successor.created_at + TimeDelta::days(7);
    server.stores.state_store().rotate_key(id, &successor, ends).unwrap();
    assert_eq!(server.miss(&server.key).await.status(), 404);
    assert_eq!(server.miss(token.reveal()).await.status(), 404);
    assert_eq!(server.miss(&server.key).await.status(), 429);
    assert_eq!(server.miss(token.reveal()).await.status(), 429);
}

#[tokio::test]
async fn limits_that_are_lifted_are_not_reported() {
    let server = Server::limited(0, 0).await;
    let scanned = server.scan_of(&server.key, "one.example.com").await;
    assert_eq!(scanned.status(), 200);
    assert!(list(&scanned, "ratelimit").is_empty());
    assert!(list(&scanned, "ratelimit-policy").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_at_once_are_counted_exactly() {
    let server = Server::limited(7, 0).await;
    let asked = (0..20).map(|_| server.miss(&server.key));
    let answers = futures_util::future::join_all(asked).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status().as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 404).count(), 7, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 13, "{statuses:?}");
}
