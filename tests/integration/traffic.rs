//! Questions about the agents that came, at every door: routes, CSV, both commands, and the tool for agents.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod doors;
mod golden;
mod hostile;
mod pages;
mod parameters;
mod properties;
mod states;

use std::fmt::Write as _;

use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_server::settings::Settings;
use visibility_server::stores::state::credentials::NewToken;
use visibility_tests::server::Hosts;

use crate::api::server::{Server, TENANT};

/// Some records that differ in nothing.
#[derive(Clone, Debug)]
struct Records {
    at: DateTime<Utc>,
    user_agent: String,
    host: String,
    path: String,
    status: u16,
    bytes: u64,
    times: usize,
}

/// A service to which logs are sent.
struct LogServer {
    server: Server,
    token: String,
}

impl LogServer {
    async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    async fn start_with(change: impl FnOnce(&mut Settings)) -> Self {
        let server = Server::with(Hosts::new([]), |settings| {
            settings.limits.burst = 0;
            settings.limits.batches_per_hour = 0;
            change(settings);
        })
        .await;
        let token = Token::generate(TokenKind::Ingestion, &[1; RANDOM_BYTES]);
        let stored = NewToken {
            id: Uuid::from_u128(1),
            tenant: TENANT.parse().unwrap(),
            digest: token.digest(),
            created_at: Utc::now(),
            expires_at: Utc::now() + TimeDelta::days(1),
        };
        server.stores.state_store().create_token(&stored).unwrap();
        Self { server, token: token.reveal().to_owned() }
    }

    /// Sends a batch, of which nothing is rejected.
    async fn send(&self, records: &[Records]) {
        let post = self.server.client.post(self.server.url("/v1/logs"));
        let post = post.bearer_auth(&self.token).header("content-type", "application/x-ndjson");
        let post = post.header("x-service-tenant", TENANT).header("x-service-schema", "1");
        let reply = post.body(lines(records)).send().await.unwrap();
        assert_eq!(reply.status(), 202, "{}", reply.text().await.unwrap());
    }

    async fn get(&self, path: &str) -> reqwest::Response {
        let get = self.server.client.get(self.server.url(path)).bearer_auth(&self.server.key);
        get.send().await.unwrap()
    }

    /// The answer to a question.
    async fn answer(&self, question: &str, query: &str) -> Value {
        let reply = self.get(&format!("/api/v1/logs/{question}?{query}")).await;
        let status = reply.status();
        let body = reply.text().await.unwrap();
        assert_eq!(status, 200, "{question}?{query}: {body}");
        serde_json::from_str(&body).unwrap()
    }
}

/// The lines of a batch.
fn lines(records: &[Records]) -> String {
    let mut lines = String::new();
    for some in records {
        let record = json!({
            "timestamp": some.at.to_rfc3339_opts(SecondsFormat::Secs, true),
            "user_agent": some.user_agent,
            "request_method": "GET",
            "request_path": some.path,
            "status_code": some.status,
            "response_bytes": some.bytes,
            "referrer": "",
            "host": some.host,
            "client_ip_hash": "9f86d081884c7d659a2feaa0",
        });
        for _ in 0..some.times {
            writeln!(lines, "{record}").unwrap();
        }
    }
    lines
}

fn today() -> NaiveDate {
    Utc::now().date_naive()
}

fn days_ago(days: i64) -> NaiveDate {
    today() - TimeDelta::days(days)
}
