//! A client of the API: says what there is, scans a domain, and goes by the codes of errors.
//!
//! `cargo run -p visibility-examples --bin call-the-api -- https://visibility.example.com KEY example.com`
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use reqwest::{Client, StatusCode};
use serde::Deserialize;
use serde_json::json;

/// Longer than a scan may wait for its turn and take.
const PATIENCE: Duration = Duration::from_secs(70);
/// Times that a domain is asked for while the service says that it is too early.
const TRIES: u32 = 3;

#[derive(Debug, Deserialize)]
struct Index {
    name: String,
    endpoints: Vec<Endpoint>,
}

#[derive(Debug, Deserialize)]
struct Endpoint {
    method: String,
    path: String,
}

/// What this client reads of a result; there is much more in it.
#[derive(Debug, Deserialize)]
struct ScanResult {
    cached: bool,
    domain: String,
    score: Option<u8>,
    tier: Option<String>,
    fix_plan: Vec<Fix>,
}

#[derive(Debug, Deserialize)]
struct Fix {
    title: String,
    hint: String,
}

#[derive(Debug, Deserialize)]
struct ErrorBody {
    error: ErrorObject,
}

#[derive(Debug, Deserialize)]
struct ErrorObject {
    code: String,
    message: String,
    hint: Option<String>,
}

/// What a scan came to.
enum Answer {
    Done(ScanResult),
    /// Too early: ask again after this time.
    Later(Duration),
    Refused(StatusCode, ErrorObject),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [base, key, domain] = arguments.as_slice() else {
        return Err("usage: call-the-api ADDRESS KEY DOMAIN".into());
    };
    // Which cryptography TLS uses is the choice of the program.
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = Client::builder().timeout(PATIENCE).build()?;

    let index: Index = client.get(format!("{base}/api/v1")).send().await?.json().await?;
    println!("{}:", index.name);
    for endpoint in &index.endpoints {
        println!("  {} {}", endpoint.method, endpoint.path);
    }

    for _ in 0..TRIES {
        match scan(&client, base, key, domain).await? {
            Answer::Done(result) => {
                show(&result);
                return Ok(ExitCode::SUCCESS);
            }
            Answer::Later(wait) => {
                println!("too early: waiting {} s", wait.as_secs());
                tokio::time::sleep(wait).await;
            }
            Answer::Refused(status, error) => {
                println!("{status}: {}", advice(&error));
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    println!("the service is too busy");
    Ok(ExitCode::FAILURE)
}

async fn scan(client: &Client, base: &str, key: &str, domain: &str) -> reqwest::Result<Answer> {
    let response = client
        .post(format!("{base}/api/v1/agent-readiness"))
        .bearer_auth(key)
        .json(&json!({ "domain": domain }))
        .send()
        .await?;
    let status = response.status();
    if status.is_success() {
        return Ok(Answer::Done(response.json().await?));
    }
    if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(5);
        return Ok(Answer::Later(Duration::from_secs(seconds)));
    }
    let body: ErrorBody = response.json().await?;
    Ok(Answer::Refused(status, body.error))
}

/// What to tell a person, by the code: codes stay, sentences may change.
fn advice(error: &ErrorObject) -> String {
    let what = match error.code.as_str() {
        "UNAUTHORIZED" | "INSUFFICIENT_SCOPE" | "FORBIDDEN" => "the key is not good for this",
        "INVALID_DOMAIN" | "DOMAIN_NOT_ALLOWED" => "this cannot be scanned",
        "UPSTREAM_SCAN_FAILED" => "the site cannot be reached; nothing is wrong with the request",
        _ => "the request failed",
    };
    let hint = error.hint.as_deref().unwrap_or_default();
    format!("{what} ({}). {} {hint}", error.code, error.message)
}

fn show(result: &ScanResult) {
    let score = result.score.map_or("no score".to_owned(), |score| format!("{score} of 100"));
    let tier = result.tier.as_deref().unwrap_or("no tier");
    let from = if result.cached { "kept" } else { "fresh" };
    println!("{}: {score}, {tier} ({from})", result.domain);
    for fix in result.fix_plan.iter().take(3) {
        println!("- {}: {}", fix.title, fix.hint);
    }
}
