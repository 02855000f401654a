//! Every question at all doors: the same bytes.

use std::process::Command;

use chrono::{SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};
use visibility_tests::program::program;

use super::days_ago;
use crate::server::program::{Place, Run, Service, exchange};

const QUESTIONS: [(&str, &[&str]); 11] = [
    ("summary", &[]),
    ("summary", &["--host", "www.example.com", "--status", "4xx"]),
    ("series", &[]),
    ("series", &["--by", "hour", "--group", "vendor"]),
    ("series", &["--group", "kind", "--purpose", "training"]),
    ("agents", &["--limit", "5"]),
    ("agents", &["--all", "--vendor", "openai"]),
    ("hosts", &[]),
    ("hosts", &["--purpose", "training", "--limit", "1"]),
    ("errors", &["--kind", "page"]),
    ("sources", &[]),
];

/// A service with some records, and a key to ask about them.
struct LogService {
    place: Place,
    process: Service,
    key: String,
}

impl LogService {
    fn start() -> Self {
        let place = Place::new();
        let service = place.serve(&[]);
        place.json(&["tenants", "create", "acme"]);
        let token = place.json(&["tokens", "create", "acme"])["token"].take();
        let key = place.run(&["keys", "create", "acme", "--scope", "logs:read"]).stdout;
        let record = |(agent, path, status, hours): (&str, &str, u16, i64)| {
            let at = Utc::now() - TimeDelta::hours(hours);
            let record = json!({
                "timestamp": at.to_rfc3339_opts(SecondsFormat::Secs, true),
                "user_agent": agent, "request_method": "GET", "request_path": path,
                "status_code": status, "response_bytes": 100, "referrer": "",
                "host": "www.example.com", "client_ip_hash": "9f86d081884c7d659a2feaa0",
            });
            format!("{record}\n")
        };
        let mut body: String = [
            ("GPTBot/1.2", "/a", 200, 1),
            ("GPTBot/1.2", "/b", 404, 2),
            ("GPTBot/1.2", "/robots.txt", 200, 30),
            ("ChatGPT-User/1.0", "/a", 403, 3),
            ("ClaudeBot/1.0", "/style.css", 503, 50),
        ]
        .map(record)
        .concat();
        body.push_str("{}\n");
        let request = format!(
            "POST /v1/logs HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/x-ndjson\r\nX-Service-Tenant: acme\r\nX-Service-Schema: 1\r\n\r\n{body}",
            body.len(),
            token.as_str().unwrap()
        );
        let answer = exchange(&service.address(), &request);
        assert!(answer.starts_with("HTTP/1.1 207 "), "{answer}");
        Self { place, process: service, key: key.trim().to_owned() }
    }

    /// The body at the route.
    fn route(&self, path: &str, accept: &str) -> String {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {}\r\nAccept: {accept}\r\n\r\n",
            self.key
        );
        let answer = exchange(&self.process.address(), &request);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
        let kind = if accept == "text/csv" || path.contains(".csv") { "text/csv" } else { accept };
        assert!(head.contains(&format!("content-type: {kind}")), "{path}: {head}");
        body.to_owned()
    }

    /// A run of the command that asks the service.
    fn query(&self, arguments: &[&str]) -> Run {
        let server = format!("http://{}", self.process.address());
        let mut command = Command::new(program("visibility"));
        command.env_clear().env("VISIBILITY_KEY", &self.key).current_dir(self.place.path());
        command.args(["logs", "query"]).args(arguments).args(["--server", &server]);
        command.output().unwrap().into()
    }

    fn tool(&self, arguments: &Value) -> Value {
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "query_bot_traffic", "arguments": arguments }
        })
        .to_string();
        let request = format!(
            "POST /api/mcp/v1/mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{call}",
            self.process.address(),
            self.key,
            call.len()
        );
        let answer = exchange(&self.process.address(), &request);
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let mut answer: Value = serde_json::from_str(body).unwrap();
        assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
        answer["result"]["structuredContent"].take()
    }
}

/// The query of a route that asks as the arguments of a command do.
fn query(arguments: &[&str]) -> String {
    let mut query = "lang=en".to_owned();
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        let name = name.strip_prefix("--").unwrap();
        let value = if name == "all" { "true" } else { rest.next().unwrap() };
        query.push_str(&format!("&{name}={value}"));
    }
    query
}

/// What a cell of CSV is in JSON.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The rows that CSV has for an answer, made from its JSON.
fn rows(question: &str, answer: &Value, titles: &[&str]) -> Vec<Vec<String>> {
    let members = |object: &Value| titles.iter().map(|title| cell(&object[*title])).collect();
    match question {
        "summary" => ["period", "before"]
            .map(|name| {
                let mut row: Vec<String> = members(&answer[name]);
                name.clone_into(&mut row[0]);
                row
            })
            .to_vec(),
        "series" => {
            let times = answer[format!("{}s", titles[0])].as_array().unwrap();
            let groups = answer["groups"].as_array().unwrap();
            let row = |(place, time): (usize, &Value), group: &Value| {
                [time, &group["key"], &group["name"], &group["values"][place]].map(cell).to_vec()
            };
            let times = times.iter().enumerate();
            times.flat_map(|time| groups.iter().map(move |group| row(time, group))).collect()
        }
        "hosts" => {
            let row = |host: &Value| {
                let place = |title: &&str| match (*title, title.strip_prefix("before_")) {
                    ("host" | "worse", _) => cell(&host[*title]),
                    (_, Some(title)) => cell(&host["before"][title]),
                    (title, None) => cell(&host["period"][title]),
                };
                titles.iter().map(place).collect()
            };
            answer["hosts"].as_array().unwrap().iter().map(row).collect()
        }
        "agents" | "errors" => answer[question].as_array().unwrap().iter().map(members).collect(),
        _ => {
            let sum: Vec<String> = titles
                .iter()
                .map(|title| match *title {
                    "row" => "batches".to_owned(),
                    "seconds" => cell(&answer["usual_gap_seconds"]),
                    title => cell(&answer[title]),
                })
                .collect();
            let reasons = answer["rejections"].as_array().unwrap().iter().map(|reason| {
                let place = |title: &&str| match *title {
                    "row" => "rejection".to_owned(),
                    "reason" => cell(&reason["reason"]),
                    "rejected" => cell(&reason["lines"]),
                    _ => String::new(),
                };
                titles.iter().map(place).collect()
            });
            [sum].into_iter().chain(reasons).collect()
        }
    }
}

#[test]
fn every_question_has_one_answer() {
    let service = LogService::start();
    for (question, arguments) in QUESTIONS {
        let path = format!("/api/v1/logs/{question}?{}", query(arguments));
        let what = format!("{question} {arguments:?}");
        let json = service.route(&path, "application/json");
        let local = |format: &str| {
            let all = [&["logs", question, "acme"], arguments, &["--format", format]].concat();
            let run = service.place.run(&all);
            assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
            run.stdout
        };
        let remote = |format: &str| {
            let run = service.query(&[&[question], arguments, &["--format", format]].concat());
            assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
            run.stdout
        };
        assert_eq!(local("json"), format!("{json}\n"), "{what}");
        assert_eq!(remote("json"), format!("{json}\n"), "{what}");
        let csv = service.route(&path, "text/csv");
        let of_suffix = path.replacen('?', ".csv?", 1);
        assert_eq!(service.route(&of_suffix, "application/json"), csv, "{what}");
        assert_eq!(local("csv"), csv, "{what}");
        assert_eq!(remote("csv"), csv, "{what}");
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let titles = reader.headers().unwrap().clone();
        let titles: Vec<&str> = titles.iter().collect();
        let answer: Value = serde_json::from_str(&json).unwrap();
        let read: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
        assert_eq!(read, rows(question, &answer, &titles), "{what}");
        for human in [local("human"), remote("human")] {
            assert!(human.lines().count() > 1, "{what}: {human}");
            assert!(!human.contains("null"), "{what}: {human}");
        }
    }
}

#[test]
fn the_tool_for_agents_counts_the_same() {
    let service = LogService::start();
    let sums = |group: &str| {
        let path = format!("/api/v1/logs/series?group={group}");
        let series: Value =
            serde_json::from_str(&service.route(&path, "application/json")).unwrap();
        let groups = series["groups"].as_array().unwrap().iter();
        let mut sums: Vec<(String, u64)> = groups
            .map(|group| (cell(&group["key"]), group["requests"].as_u64().unwrap()))
            .collect();
        sums.sort();
        sums
    };
    let rows = |arguments: Value| {
        let answer = service.tool(&arguments);
        let rows = answer["rows"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
        let mut rows: Vec<(String, u64)> =
            rows.iter().map(|row| (cell(&row["key"]), row["requests"].as_u64().unwrap())).collect();
        rows.sort();
        rows
    };
    for group in ["vendor", "kind", "agent", "purpose", "host", "status"] {
        assert_eq!(rows(json!({ "group_by": group })), sums(group), "{group}");
    }
    let hours = rows(json!({ "group_by": "hour" }));
    assert_eq!(hours.iter().map(|(_, requests)| requests).sum::<u64>(), 5);
    assert!(hours.iter().all(|(hour, _)| hour.ends_with(":00:00Z")), "{hours:?}");
}

#[test]
fn the_command_says_why_it_has_no_answer() {
    let service = LogService::start();
    let from = days_ago(40).to_string();
    for (arguments, code, said) in [
        (&["series", "--by", "hour", "--from", &from][..], 2, "`by` and `from`"),
        (&["summary", "--kind", "page", "--status", "404"], 2, "`kind` and `status`"),
        (&["summary", "--limit", "5"], 2, "`limit`"),
        (&["summary", "--host", ""], 2, "`host`"),
        (&["paths"], 2, "possible values: summary, series, agents, hosts, errors, sources"),
    ] {
        let run = service.query(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
        assert!(run.stdout.is_empty(), "{}", run.stdout);
    }
    let local = |arguments: &[&str]| service.place.run(&[&["logs"], arguments].concat());
    for (arguments, said) in [
        (&["series", "acme", "--by", "hour", "--from", &from][..], "`by` and `from`"),
        (&["summary", "acme", "--kind", "page", "--status", "404"], "`kind` and `status`"),
        (&["summary", "acme", "--vendor", "none"], "no agent has the vendor"),
        (&["agents", "acme", "--after", "x"], "it is not what `next` of an answer says"),
    ] {
        let run = local(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
    let none = local(&["summary", "acme", "--host", "", "--format", "json"]).json();
    assert_eq!(none["period"]["requests"], 0, "no record has a host without a name");
}
