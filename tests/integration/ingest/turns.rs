//! Tenants take turns: one that asks for much waits for itself, and a client that has left costs no more.
//!
//! A question is held up by a named pipe in the place of a file of counts: it waits until the test opens the other end.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use visibility_server::settings::Settings;
use visibility_tests::client::{Message, Reply};
use visibility_tests::database;

use crate::ingest::server::{OTHER_TENANT, Server, TENANT, record};

/// Long enough for a question that waits for no one.
const PATIENCE: Duration = Duration::from_secs(20);
/// Linux: opening a pipe does not wait for its other end.
const O_NONBLOCK: i32 = 0o4000;

fn question(server: &Server, tenant: &str, top: u32) -> Message {
    let token = if tenant == TENANT { &server.tokens.valid } else { &server.tokens.other_tenant };
    Message::new("GET", &format!("/v1/logs/stats?top={top}"))
        .with("authorization", &format!("Bearer {token}"))
        .with("x-service-tenant", tenant)
}

fn asked(server: &Server, tenant: &str, top: u32) -> JoinHandle<Reply> {
    let (message, address) = (question(server, tenant, top), server.address);
    tokio::spawn(async move { message.send(address).await })
}

/// A server that has one turn more than one tenant can have.
fn one_turn(settings: &mut Settings) {
    settings.limits.permits = 1;
    settings.limits.tenant_queue = 30;
}

/// Sends a batch of one record for each tenant, and so many for the first one.
async fn fill(server: &Server, batches: usize) {
    for _ in 0..batches {
        assert_eq!(server.post_one().send(server.address).await.status, 202);
    }
    let other = server
        .post()
        .with("authorization", &format!("Bearer {}", server.tokens.other_tenant))
        .with("x-service-tenant", OTHER_TENANT)
        .body(record());
    assert_eq!(other.send(server.address).await.status, 202);
}

fn objects(server: &Server) -> PathBuf {
    server.folder.path().join("data/objects")
}

/// Puts a pipe in the place of each file of counts of the first tenant.
fn pipes(objects: &Path) -> Vec<PathBuf> {
    let names = fs::read_dir(objects.join(format!("tenant={TENANT}/new")))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let counts: Vec<PathBuf> =
        names.filter(|path| path.to_string_lossy().ends_with(".partial.parquet")).collect();
    for path in &counts {
        fs::remove_file(path).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }
    counts
}

/// The other end of a pipe that a question waits for; none if none does.
fn other_end(pipe: &Path) -> Option<File> {
    OpenOptions::new().write(true).custom_flags(O_NONBLOCK).open(pipe).ok()
}

/// Waits until a question waits for one of some pipes, and says for which.
async fn held(pipes: &[PathBuf]) -> Option<(usize, File)> {
    for _ in 0..400 {
        let found = pipes.iter().enumerate().find_map(|(at, pipe)| Some((at, other_end(pipe)?)));
        if found.is_some() {
            return found;
        }
        sleep(Duration::from_millis(10)).await;
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn forty_questions_of_a_tenant_stop_no_other_one() {
    let server = Server::with(one_turn).await;
    fill(&server, 1).await;
    let pipes = pipes(&objects(&server));
    let all: Vec<_> = (0..40).map(|_| asked(&server, TENANT, 5)).collect();
    let (_, end) = held(&pipes).await.expect("a question reads");
    // One has its turn, 30 wait, and 9 are one too many.
    for _ in 0..2_000 {
        if all.iter().filter(|question| question.is_finished()).count() == 9 {
            break;
        }
        sleep(Duration::from_millis(5)).await;
    }
    let (refused, waiting): (Vec<_>, Vec<_>) = all.into_iter().partition(JoinHandle::is_finished);
    assert_eq!((refused.len(), waiting.len()), (9, 31));
    for reply in refused {
        let reply = reply.await.unwrap();
        assert_eq!((reply.status, reply.code().as_str()), (429, "RATE_LIMITED"));
        let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        let details = &reply.json()["error"]["details"];
        assert_eq!((&details["scope"], &details["limit"]), (&"waiting".into(), &30.into()));
    }
    // The other tenant does not wait, nor does a question that reads no file.
    for (tenant, top) in [(OTHER_TENANT, 5), (OTHER_TENANT, 0), (TENANT, 0)] {
        let reply = timeout(PATIENCE, question(&server, tenant, top).send(server.address)).await;
        let reply = reply.expect("it does not wait");
        assert_eq!(reply.status, 200, "{tenant} {top}");
        assert_eq!(reply.json()["records"], 1, "{tenant} {top}");
    }
    assert!(waiting.iter().all(|question| !question.is_finished()));
    drop(end);
    for reply in waiting {
        // The pipe is not what was written: its records are said to be left out.
        let reply = timeout(PATIENCE, reply).await.unwrap().unwrap();
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json()["top_paths"]["left_out"]["records"], 1);
    }
    let metrics = server.metrics.render();
    assert!(metrics.contains("visibility_rate_limited_total{scope=\"waiting\"} 9"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_client_that_leaves_costs_the_work_on_one_file() {
    for leaves in [false, true] {
        let server = Server::start().await;
        fill(&server, 2).await;
        let mut pipes = pipes(&objects(&server));
        let asking = asked(&server, TENANT, 5);
        let (at, end) = held(&pipes).await.expect("a question reads");
        pipes.remove(at);
        if leaves {
            asking.abort();
            // Until the server has seen that it is gone.
            sleep(Duration::from_millis(500)).await;
        }
        drop(end);
        let next = held(&pipes).await;
        assert_eq!(next.is_none(), leaves, "the next file is read for a client that is there");
        if !leaves {
            drop(next);
            assert_eq!(timeout(PATIENCE, asking).await.unwrap().unwrap().status, 200);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
async fn a_tenant_that_asks_all_nodes_stops_no_other_one_on_any() {
    let shared = TempDir::new().unwrap();
    let url = database::url(shared.path()).expect("a PostgreSQL server");
    let node = async || {
        let folder = Arc::new(TempDir::new().unwrap());
        let server = Server::on(folder, |settings| {
            one_turn(settings);
            settings.database.url = Some(url.clone());
            settings.node.alone = false;
            settings.objects.url =
                Some(format!("file://{}", shared.path().join("objects").display()));
        });
        server.await
    };
    let nodes = [node().await, node().await];
    // A file for each of two turns.
    fill(&nodes[0], 2).await;
    let pipes = pipes(&shared.path().join("objects"));
    let all: Vec<_> = (0..40).map(|number| asked(&nodes[number % 2], TENANT, 5)).collect();
    let (_, end) = held(&pipes).await.expect("a question reads");
    for node in &nodes {
        for (tenant, top) in [(OTHER_TENANT, 5), (TENANT, 0)] {
            let reply = timeout(PATIENCE, question(node, tenant, top).send(node.address)).await;
            assert_eq!(reply.expect("it does not wait").status, 200, "{tenant} {top}");
        }
        let batch = timeout(PATIENCE, node.post_one().send(node.address)).await;
        assert_eq!(batch.expect("a batch does not wait").status, 202);
    }
    assert!(all.iter().all(|question| !question.is_finished()));
    drop(end);
    while !all.iter().all(JoinHandle::is_finished) {
        for pipe in &pipes {
            drop(other_end(pipe));
        }
        sleep(Duration::from_millis(5)).await;
    }
    for question in all {
        assert_eq!(question.await.unwrap().status, 200);
    }
}
