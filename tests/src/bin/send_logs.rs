//! Sends a batch again and again, each time under an id of its own, and measures.
//!
//! `send-logs ADDRESS BODY BATCHES SENDERS` reads lines `TENANT TOKEN` from standard input, takes turns
//! between them, and prints one line of JSON. A body whose name ends in `.gz` is sent as gzip.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use uuid::Uuid;

const USAGE: &str = "usage: send-logs ADDRESS BODY BATCHES SENDERS < TENANTS_AND_TOKENS";

type Failure = Box<dyn Error + Send + Sync>;

/// What all senders share.
struct Plan {
    address: SocketAddr,
    body: Bytes,
    is_gzip: bool,
    batches: usize,
    tenants: Vec<(String, String)>,
    next: AtomicUsize,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, path, batches, senders] = arguments.as_slice() else { return Err(USAGE.into()) };
    let mut lines = String::new();
    std::io::stdin().read_to_string(&mut lines)?;
    let pair = |line: &str| {
        line.split_once(' ').map(|(tenant, token)| (tenant.to_owned(), token.to_owned()))
    };
    let plan = Arc::new(Plan {
        address: address.parse()?,
        body: std::fs::read(path)?.into(),
        is_gzip: path.to_ascii_lowercase().ends_with("gz"),
        batches: batches.parse()?,
        tenants: lines.lines().filter_map(pair).collect(),
        next: AtomicUsize::new(0),
    });
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..senders.parse::<usize>()? {
        tasks.spawn(send_all(Arc::clone(&plan)));
    }
    let mut answers = Vec::new();
    while let Some(sent) = tasks.join_next().await {
        answers.extend(sent??);
    }
    writeln!(std::io::stdout(), "{}", summary(&answers, start.elapsed()))?;
    Ok(())
}

/// Takes batches until none is left.
async fn send_all(plan: Arc<Plan>) -> Result<Vec<(u16, Duration)>, Failure> {
    let stream = TcpStream::connect(plan.address).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let mut answers = Vec::new();
    loop {
        let index = plan.next.fetch_add(1, Ordering::Relaxed);
        if index >= plan.batches {
            return Ok(answers);
        }
        let (tenant, token) = plan.tenants.get(index % plan.tenants.len().max(1)).ok_or(USAGE)?;
        let start = Instant::now();
        let status = send(&plan, tenant, token, &mut sender).await?;
        answers.push((status, start.elapsed()));
    }
}

async fn send(
    plan: &Plan,
    tenant: &str,
    token: &str,
    sender: &mut SendRequest<Full<Bytes>>,
) -> Result<u16, Failure> {
    let mut request = Request::post("/v1/logs")
        .header("host", plan.address.to_string())
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/x-ndjson")
        .header("x-service-tenant", tenant)
        .header("x-service-schema", "1")
        .header("x-service-batch-id", Uuid::now_v7().to_string());
    if plan.is_gzip {
        request = request.header("content-encoding", "gzip");
    }
    sender.ready().await?;
    let answer = sender.send_request(request.body(Full::new(plan.body.clone()))?).await?;
    let status = answer.status().as_u16();
    answer.into_body().collect().await?;
    Ok(status)
}

fn summary(answers: &[(u16, Duration)], wall: Duration) -> serde_json::Value {
    let mut statuses: BTreeMap<String, usize> = BTreeMap::new();
    for (status, _) in answers {
        *statuses.entry(status.to_string()).or_default() += 1;
    }
    let mut times: Vec<u128> = answers.iter().map(|(_, time)| time.as_micros()).collect();
    times.sort_unstable();
    let percentile = |percent: usize| {
        let index = (times.len() * percent / 100).min(times.len().saturating_sub(1));
        times.get(index).map_or(0, |micros| micros / 1000)
    };
    let ms = wall.as_millis().max(1);
    json!({
        "batches": answers.len(), "statuses": statuses, "ms": ms,
        "batches_per_second": answers.len() as u128 * 1000 / ms,
        "p50_ms": percentile(50), "p99_ms": percentile(99), "max_ms": percentile(100)
    })
}
