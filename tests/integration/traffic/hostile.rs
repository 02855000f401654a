//! Hosts that no batch can have, as if they had come into the tables all the same.

use chrono::{TimeDelta, Utc};
use visibility_tests::database;

use super::{LogServer, Records};

const HOSTS: [&str; 12] = [
    "=cmd()",
    "+1+1",
    "-2",
    "@SUM(A1)",
    "\t=1",
    "\r\n=1",
    "\u{202e}=1",
    " =HYPERLINK(\"http://evil.example\")",
    "a,b",
    "say \"x\"",
    "two\r\nlines",
    "plain.example",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_host_becomes_a_formula_or_another_row() {
    let server = LogServer::start().await;
    let data = server.server.folder.path().join("data");
    for (number, host) in HOSTS.into_iter().enumerate() {
        let placeholder = format!("h{number}.example");
        let records = Records {
            at: Utc::now() - TimeDelta::hours(1),
            user_agent: "GPTBot/1.2".to_owned(),
            host: placeholder.clone(),
            path: "/".to_owned(),
            status: 200,
            bytes: 1,
            times: 1,
        };
        server.send(&[records]).await;
        let host = host.replace('\'', "''");
        for table in ["rollup", "kind_day", "hour", "agent_seen"] {
            let sql = format!("UPDATE {table} SET host = '{host}' WHERE host = '{placeholder}'");
            database::execute(&data, &sql);
        }
    }
    let json = server.answer("series", "group=host").await;
    let mut hosts: Vec<&str> = json["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group["key"].as_str().unwrap())
        .collect();
    hosts.sort_unstable();
    let mut expected = HOSTS.to_vec();
    expected.sort_unstable();
    assert_eq!(hosts, expected, "JSON has them as they are");
    let reply = server.get("/api/v1/logs/series.csv?group=host").await;
    let text = reply.text().await.unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut seen = 0;
    for record in reader.records() {
        let record = record.unwrap();
        assert_eq!(record.len(), 4, "{record:?}");
        let key = &record[1];
        let host = key.strip_prefix('\'').unwrap_or(key);
        assert!(HOSTS.contains(&host), "{record:?}");
        let visible = key.trim_start_matches(|ch: char| ch.is_whitespace() || ch == '\u{202e}');
        assert!(!visible.starts_with(['=', '+', '-', '@']), "{record:?}");
        let requests: u64 = record[3].parse().unwrap();
        seen += requests;
    }
    assert_eq!(seen, 12);
    // Such a host can be asked for, and is not taken for a part of a statement.
    for host in ["x' OR '1'='1", "%", "*", "\u{0}"] {
        let url = server.server.url("/api/v1/logs/summary");
        let url = reqwest::Url::parse_with_params(&url, [("host", host)]).unwrap();
        let get = server.server.client.get(url);
        let reply = get.bearer_auth(&server.server.key).send().await.unwrap();
        assert_eq!(reply.status(), 200, "{host:?}");
        let answer: serde_json::Value = reply.json().await.unwrap();
        assert_eq!(answer["period"]["requests"], 0, "{host:?}");
    }
}
