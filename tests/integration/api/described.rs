//! What the descriptions say of the headers of answers, held against answers.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use reqwest::{RequestBuilder, Response};
use serde_json::Value;
use tokio::time::sleep;
use uuid::Uuid;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_server::stores::state::credentials::NewToken;
use visibility_tests::server::Hosts;
use visibility_tests::site::good;

use crate::api::server::{Server, TENANT};

const SCAN: &str = "/api/v1/agent-readiness";
const RESULT: &str = "/api/v1/agent-readiness/{domain}";
const AUDIT: &str = "/api/public/audit";
const HOST: &str = "shop.example.com";
/// Requests of a minute: as many as [`ask_for_results`] counts before it wants to be refused.
const PER_MINUTE: u32 = 5;
/// The same for [`ask_for_audits`].
const AUDITS_PER_MINUTE: u32 = 4;

/// Answers by operation and status.
#[derive(Default)]
struct Answers(BTreeMap<(String, u16), Vec<Response>>);

impl Answers {
    /// Keeps the answer to a request, and gives its `ETag`.
    async fn ask(&mut self, operation: &str, request: RequestBuilder, status: u16) -> String {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), status, "{operation}");
        let etag = response.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
        self.0.entry((operation.to_owned(), status)).or_default().push(response);
        etag.unwrap_or_default()
    }
}

async fn ask_for_what_is_open(server: &Server, answers: &mut Answers) {
    for path in ["/api/v1", "/api/v1/openapi.json"] {
        let operation = format!("GET {path}");
        let get = || server.client.get(server.url(path));
        let etag = answers.ask(&operation, get(), 200).await;
        answers.ask(&operation, get().header("if-none-match", etag), 304).await;
    }
    let health = "/api/v1/health";
    answers.ask(&format!("GET {health}"), server.client.get(server.url(health)), 200).await;
}

async fn ask_for_results(server: &Server, answers: &mut Answers) {
    let (scan, result) = (format!("POST {SCAN}"), format!("GET {RESULT}"));
    let post = |body: &str| {
        let request = server.client.post(server.url(SCAN)).body(body.to_owned());
        request.header("content-type", "application/json")
    };
    let with_key = |body: &str| post(body).bearer_auth(&server.key);
    let body = format!(r#"{{"domain":"{HOST}"}}"#);
    answers.ask(&scan, with_key(&body), 200).await;
    answers.ask(&scan, with_key(&body), 200).await;
    answers.ask(&scan, with_key("{}"), 400).await;
    let large = format!(r#"{{"domain":"{}"}}"#, "a".repeat(20_000));
    answers.ask(&scan, with_key(&large), 413).await;
    answers.ask(&scan, post(&body), 401).await;
    let get = |domain: &str| server.client.get(server.url(&format!("{SCAN}/{domain}")));
    let etag = answers.ask(&result, get(HOST).bearer_auth(&server.key), 200).await;
    let again = get(HOST).bearer_auth(&server.key).header("if-none-match", etag);
    answers.ask(&result, again, 304).await;
    answers.ask(&result, get(HOST), 401).await;
    ask_for_history(server, answers).await;
    let powerless = server.make_key(&[]);
    answers.ask(&result, get(HOST).bearer_auth(powerless), 403).await;
    answers.ask(&result, get("nothing.example.com").bearer_auth(&server.key), 404).await;
    answers.ask(&result, get("-").bearer_auth(&server.key), 400).await;
    answers.ask(&result, get(HOST).bearer_auth(&server.key), 429).await;
    answers.ask(&scan, with_key(&body), 429).await;
}

async fn ask_for_history(server: &Server, answers: &mut Answers) {
    let get = |path: &str| server.client.get(server.url(path));
    // It is written a moment after the result.
    let page = format!("/scan/{HOST}/history.json");
    while get(&page).send().await.unwrap().status() != 200 {
        sleep(Duration::from_millis(20)).await;
    }
    let history = get(&format!("{SCAN}/{HOST}/history"));
    answers.ask(&format!("GET {RESULT}/history"), history.bearer_auth(&server.key), 200).await;
}

async fn ask_for_audits(server: &Server, answers: &mut Answers) {
    let (audit, result) = (format!("POST {AUDIT}"), format!("GET {AUDIT}/{{id}}"));
    let post = |body: &str| {
        let request = server.client.post(server.url(AUDIT)).body(body.to_owned());
        request.header("content-type", "application/json")
    };
    let body = format!(r#"{{"url":"https://{HOST}/"}}"#);
    answers.ask(&audit, post(&body), 201).await;
    answers.ask(&audit, post(&body), 201).await;
    answers.ask(&audit, post("{}"), 400).await;
    let large = format!(r#"{{"url":"{}"}}"#, "a".repeat(20_000));
    answers.ask(&audit, post(&large), 413).await;
    answers.ask(&audit, post(&body).header("content-encoding", "br"), 415).await;
    answers.ask(&audit, post(&body), 429).await;
    let location = answers.0[&(audit, 201)][0].headers()["location"].to_str().unwrap().to_owned();
    let get = |path: &str| server.client.get(server.url(path));
    let etag = answers.ask(&result, get(&location), 200).await;
    answers.ask(&result, get(&location).header("if-none-match", etag), 304).await;
    answers.ask(&result, get(&format!("{location}.svg")), 200).await;
    answers.ask(&result, get(&format!("{AUDIT}/none")), 404).await;
}

async fn ask_for_logs(server: &Server, answers: &mut Answers) {
    let token = token(server);
    let (logs, stats) = ("/v1/logs", "/v1/logs/stats");
    let post = |body: &str| {
        let request = server.client.post(server.url(logs)).body(body.to_owned());
        let request = request.header("content-type", "application/x-ndjson");
        request.header("x-service-tenant", TENANT).header("x-service-schema", "1")
    };
    let operation = format!("POST {logs}");
    for (good, status) in [(true, 202), (false, 207)] {
        let id = Uuid::now_v7().to_string();
        // Two rows of errors, and two hosts, make a list that comes in two parts.
        let lines = [200, 404, 500].map(record).concat() + if good { "" } else { "{}\n" };
        let lines = lines.replacen("www.example.com", "shop.example.com", 1);
        for _ in 0..2 {
            let request = post(&lines).bearer_auth(&token).header("x-service-batch-id", &id);
            answers.ask(&operation, request, status).await;
        }
    }
    answers.ask(&operation, post(""), 401).await;
    let get = || server.client.get(server.url(stats)).header("x-service-tenant", TENANT);
    answers.ask(&format!("GET {stats}"), get().bearer_auth(&token), 200).await;
    answers.ask(&format!("GET {stats}"), get(), 401).await;
}

/// After some records were sent.
async fn ask_for_traffic(server: &Server, answers: &mut Answers) {
    for (question, query) in [
        ("summary", ""),
        ("series", "?group=agent"),
        ("agents", "?limit=1"),
        ("hosts", "?limit=1"),
        ("errors", "?limit=1"),
        ("sources", ""),
    ] {
        let path = format!("/api/v1/logs/{question}");
        let operation = format!("GET {path}");
        let get = || server.client.get(server.url(&format!("{path}{query}")));
        let etag = answers.ask(&operation, get().bearer_auth(&server.key), 200).await;
        let known = get().bearer_auth(&server.key).header("if-none-match", etag);
        answers.ask(&operation, known, 304).await;
        answers.ask(&operation, get(), 401).await;
    }
}

fn token(server: &Server) -> String {
    let token = Token::generate(TokenKind::Ingestion, &[1; RANDOM_BYTES]);
    let kept = NewToken {
        id: Uuid::from_u128(1),
        tenant: TENANT.parse().unwrap(),
        digest: token.digest(),
        created_at: Utc::now(),
        expires_at: Utc::now() + TimeDelta::days(1),
    };
    server.stores.state_store().create_token(&kept).unwrap();
    token.reveal().to_owned()
}

fn record(status: u16) -> String {
    let time = (Utc::now() - TimeDelta::hours(1)).to_rfc3339();
    format!(
        r#"{{"timestamp":"{time}","user_agent":"GPTBot/1.2","request_method":"GET","request_path":"/a","status_code":{status},"response_bytes":1,"referrer":"","host":"www.example.com","client_ip_hash":"9f86d081884c7d659a2feaa0c55ad015"}}{}"#,
        "\n"
    )
}

/// The headers of an answer as it is described: their names in lower case, and what each is.
fn declared(description: &Value, answer: &Value) -> BTreeMap<String, Value> {
    let headers = answer["headers"].as_object().unwrap();
    let header = |reference: &Value| {
        let place = reference["$ref"].as_str().unwrap().strip_prefix('#').unwrap();
        description.pointer(place).unwrap().clone()
    };
    headers.iter().map(|(name, to)| (name.to_ascii_lowercase(), header(to))).collect()
}

/// Whether a value is one that the description allows. What says how an answer is kept, and which
/// extension it is, is said word for word.
fn fits(name: &str, value: &str, header: &Value) -> bool {
    let schema = &header["schema"];
    match name {
        "cache-control" | "x-robots-tag" | "x-service-extension" => schema["examples"][0] == value,
        _ if schema["type"] == "integer" => value.parse::<u64>().is_ok(),
        _ => !value.is_empty(),
    }
}

/// The headers of each response in both descriptions.
async fn described_headers(server: &Server) -> BTreeMap<(String, u16), BTreeMap<String, Value>> {
    let mut headers = BTreeMap::new();
    for path in ["/api/v1/openapi.json", "/v1/openapi.json"] {
        let description: Value = server.get(path).await.json().await.unwrap();
        for (path, item) in description["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let operation_name = format!("{} {path}", method.to_ascii_uppercase());
                for (status, answer) in operation["responses"].as_object().unwrap() {
                    let key = (operation_name.clone(), status.parse().unwrap());
                    headers.insert(key, declared(&description, answer));
                }
            }
        }
    }
    headers
}

/// What is wrong with the headers of answers of one operation and status.
fn complaints(
    status: u16,
    answers: &[Response],
    described: &BTreeMap<String, Value>,
    known: &BTreeSet<&String>,
) -> Vec<String> {
    let sent: BTreeSet<(&str, &str)> = answers
        .iter()
        .flat_map(Response::headers)
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .collect();
    let wrong = sent.iter().filter(|(name, value)| match described.get(*name) {
        Some(header) => !fits(name, value, header),
        // Every refusal has it, which needs no description.
        None if (*name, *value) == ("cache-control", "no-store") => status < 400,
        None => known.contains(&(*name).to_owned()),
    });
    let missing = described.keys().filter(|name| !sent.iter().any(|(sent, _)| sent == name));
    wrong
        .map(|(name, value)| format!("`{name}: {value}` is not what is described"))
        .chain(missing.map(|name| format!("`{name}` is never sent")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_have_the_headers_that_are_described_and_no_others_of_them() {
    let server = Server::with(Hosts::new([good(HOST)]), |settings| {
        settings.limits.scans_per_minute = PER_MINUTE;
        settings.limits.scans_per_day = 500;
        settings.limits.audits_per_minute = AUDITS_PER_MINUTE;
        settings.limits.audits_per_day = 500;
        settings.web.public_results = true;
    })
    .await;
    let mut answers = Answers::default();
    ask_for_what_is_open(&server, &mut answers).await;
    ask_for_results(&server, &mut answers).await;
    ask_for_audits(&server, &mut answers).await;
    ask_for_logs(&server, &mut answers).await;
    ask_for_traffic(&server, &mut answers).await;
    let described = described_headers(&server).await;
    let known: BTreeSet<&String> = described.values().flat_map(BTreeMap::keys).collect();
    assert!(known.len() > 8, "{known:?}");
    for ((operation, status), headers) in &described {
        let Some(answers) = answers.0.remove(&(operation.clone(), *status)) else {
            assert!(*status >= 400, "{operation} {status} was never requested");
            continue;
        };
        let complaints = complaints(*status, &answers, headers, &known);
        assert!(complaints.is_empty(), "{operation} {status}: {complaints:#?}");
    }
    assert!(answers.0.is_empty(), "not described: {:?}", answers.0.keys());
}
