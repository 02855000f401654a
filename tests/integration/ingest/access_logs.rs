//! The records of an access log are taken by the server as they are.

use std::collections::BTreeMap;

use chrono::{TimeDelta, Utc};
use serde_json::Value;
use visibility_core::access_log::summary::{Summary, SummarySettings};
use visibility_core::access_log::{
    AccessLogFormat, Filter, FilterSettings, HashKey, HashPeriod, KeyMap, LineParser,
};
use visibility_core::ingest::{LogRecord, RecordSink, Rejection, Rules};
use visibility_core::store::StoreError;
use visibility_tests::client::Message;

use crate::ingest::server::{Server, TENANT};

#[derive(Default)]
struct RecordLines(Vec<u8>);

impl RecordSink for RecordLines {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        record.write_json(&mut self.0);
        Ok(())
    }

    fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_filter_writes_is_accepted_without_a_rejection() {
    let time = (Utc::now() - TimeDelta::minutes(5)).format("%d/%b/%Y:%H:%M:%S +0000");
    let targets = [
        "/",
        "/p?page=2&token=s3cr3t&email=a%40b.com",
        "/cb?code=SECRET&state=x",
        "/u/ada@example.com",
        "/a\\x22b\\xFF",
        "/%E2%9C%93;sid=1/q?x=1;y=2#z",
    ];
    let lines = targets.map(|target| {
        format!("203.0.113.9 - - [{time}] \"GET {target} HTTP/1.1\" 200 5 \"https://a.example/?token=x\" \"GPTBot/1.3\"\n")
    });
    let parser = LineParser::new(AccessLogFormat::Combined, KeyMap::default());
    let mut filter = Filter::new(parser, settings(), RecordLines::default());
    filter.feed(lines.concat().as_bytes()).unwrap();
    filter.end_file().unwrap();
    assert_eq!(filter.counts().records(), targets.len() as u64);
    let body = std::mem::take(&mut filter.sink_mut().0);
    let server = Server::start().await;
    let reply = server.post().body(body).send(server.address).await;
    assert_eq!(reply.status, 202, "{reply:?}");
    assert_eq!(server.kept(), targets.len() as u64);
}

/// The counts of a summary and those of the server, which were given the same log.
#[tokio::test(flavor = "multi_thread")]
async fn a_report_of_a_log_has_the_counts_of_the_server() {
    let mut log = String::new();
    for number in 0..600_i64 {
        let time =
            (Utc::now() - TimeDelta::minutes(5 + number * 7)).format("%d/%b/%Y:%H:%M:%S +0000");
        let user_agent = ["GPTBot/1.3", "ClaudeBot/1.0", "ChatGPT-User/1.0", "curl/8"]
            [usize::try_from(number % 4).unwrap()];
        let target = ["/", "/a?token=x", "/u/ada@example.com", "*"]
            [usize::try_from(number % 7 % 4).unwrap()];
        let status = [200, 404, 403][usize::try_from(number % 3).unwrap()];
        log.push_str(&format!(
            "203.0.113.9 - - [{time}] \"GET {target} HTTP/1.1\" {status} 5 \"-\" \"{user_agent}\"\n"
        ));
    }
    let parser = || LineParser::new(AccessLogFormat::Combined, KeyMap::default());
    let mut filter = Filter::new(parser(), settings(), RecordLines::default());
    filter.feed(log.as_bytes()).unwrap();
    let body = std::mem::take(&mut filter.sink_mut().0);
    let server = Server::start().await;
    assert_eq!(server.post().body(body).send(server.address).await.status, 202);

    let summary = Summary::new(SummarySettings::default());
    let mut filter = Filter::new(parser(), settings(), summary);
    filter.feed(log.as_bytes()).unwrap();
    let report = filter.sink_mut().reports(10).remove(0);
    let stats = ask(&server, "?top=0").await;
    assert_eq!(stats["records"], report.agent_requests);
    let agents: BTreeMap<String, u64> = report
        .purposes
        .iter()
        .flat_map(|purpose| &purpose.agents)
        .map(|agent| (agent.id.clone(), agent.requests))
        .collect();
    assert_eq!(counts(&stats["agents"], "id"), agents);
    let days = report.days.iter().filter(|row| row.agent_requests > 0);
    let days: BTreeMap<String, u64> =
        days.map(|row| (row.day.to_string(), row.agent_requests)).collect();
    assert_eq!(counts(&stats["days"], "day"), days);
    for row in &report.days {
        let day = ask(&server, &format!("?top=0&from={}&to={}", row.day, row.day)).await;
        assert_eq!(counts(&day["agents"], "id"), row.agents, "{}", row.day);
    }
}

fn settings() -> FilterSettings {
    FilterSettings {
        key: HashKey::new(b"a key of the source of logs").unwrap(),
        period: HashPeriod::NinetyDays,
        joins_ipv6_networks: false,
        default_host: Some("www.example.com".to_owned()),
        proxies: Vec::new(),
        identities: None,
        drops_impostors: false,
        not_before: chrono::DateTime::UNIX_EPOCH,
        rules: Rules::at(Utc::now()),
    }
}

async fn ask(server: &Server, query: &str) -> Value {
    let message = Message::new("GET", &format!("/v1/logs/stats{query}"))
        .with("authorization", &format!("Bearer {}", server.tokens.valid))
        .with("x-service-tenant", TENANT);
    message.send(server.address).await.json()
}

/// The records of rows by what names them.
fn counts(rows: &Value, name: &str) -> BTreeMap<String, u64> {
    let row =
        |row: &Value| (row[name].as_str().unwrap().to_owned(), row["records"].as_u64().unwrap());
    rows.as_array().unwrap().iter().map(row).collect()
}
