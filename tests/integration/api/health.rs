//! What the service says about itself.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tempfile::TempDir;
use visibility_tests::server::Hosts;

use crate::api::program::Program;
use crate::api::server::Server;
use visibility_tests::client::{Connection, Message, Reply};
use visibility_tests::wait::eventually;

const HEALTH: &str = "/api/v1/health";

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_well_says_so_with_its_version_and_the_time() {
    for is_test in [true, false] {
        let server = Server::with(Hosts::default(), |settings| {
            if !is_test {
                settings.fetch.connect_to.clear();
            }
        })
        .await;
        let reply = Message::new("GET", HEALTH).send(server.address).await;
        assert_eq!((reply.status, reply.header("cache-control")), (200, Some("no-store")));
        let health = reply.json();
        assert_eq!(health["status"], "ok");
        assert_eq!(health["service"], "visibility");
        assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
        let time: DateTime<Utc> = health["time"].as_str().unwrap().parse().unwrap();
        assert!((Utc::now() - time).num_seconds().abs() < 60, "{time}");
        let expected = if is_test { Value::Bool(true) } else { Value::Null };
        assert_eq!(health["fetch_test_mode"], expected);
        assert_eq!(health.as_object().unwrap().len(), if is_test { 5 } else { 4 });
    }
}

/// The answer of a service that is stopped while the head of the request comes in.
async fn health_while_stopping(pause: Duration) -> Option<Reply> {
    let server = Server::start().await;
    let message = Message::new("GET", HEALTH);
    assert_eq!(message.send(server.address).await.json()["status"], "ok");
    let mut connection = Connection::open(server.address).await;
    let mut head = message.head();
    let rest = head.split_off(20);
    connection.send(&head).await;
    tokio::time::sleep(pause).await;
    server.stop.send(true).unwrap();
    connection.send(&rest).await;
    connection.reply().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_stops_is_degraded_on_the_connections_that_it_still_has() {
    // It cannot be seen from outside that the service has read the first bytes, which it does at once unless
    // the machine is busy: a connection of which it has read nothing is closed.
    for pause in [100, 1000, 5000] {
        if let Some(reply) = health_while_stopping(Duration::from_millis(pause)).await {
            assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
            assert_eq!(reply.json()["status"], "degraded");
            return;
        }
    }
    panic!("a request that has begun is not answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_cannot_be_written_is_degraded_and_still_answered() {
    let disk = tempfile::tempdir().unwrap();
    if !mount(&["-t", "tmpfs", "-o", "size=12m", "tmpfs"], disk.path()) {
        return; // Only root may mount a small disk.
    }
    let disk = Mounted(disk);
    let data_dir = disk.0.path().join("data");
    let program = Program::start(&data_dir, &[]);
    let status = async || {
        let reply = Message::new("GET", HEALTH).send(program.address).await;
        assert_eq!(reply.status, 200);
        reply.json()["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status().await, "ok");
    // It serves, but a batch of 50 MiB would not fit.
    let ready = Message::new("GET", "/readyz").send(program.address).await;
    assert_eq!(ready.status, 503);
    let reason = ready.json()["error"]["details"]["reasons"][0].as_str().unwrap().to_owned();
    assert!(reason.contains("MiB left, and a batch may need 100 MiB"), "{reason}");

    let ballast = disk.0.path().join("ballast");
    let mut file = fs::File::create(&ballast).unwrap();
    while file.write_all(&[1; 1024]).is_ok() {}
    drop(file);
    eventually("a full disk is noticed", async || status().await == "degraded").await;
    let ready = Message::new("GET", "/readyz").send(program.address).await;
    assert_eq!((ready.status, ready.code().as_str()), (503, "SERVICE_UNAVAILABLE"));
    fs::remove_file(&ballast).unwrap();
    eventually("room is noticed", async || status().await == "ok").await;

    let text = data_dir.display().to_string();
    assert!(mount(&["--bind", &text], &data_dir) && mount(&["-o", "remount,ro,bind"], &data_dir));
    let noticed = eventually("a disk to read is noticed", async || status().await == "degraded");
    noticed.await;
    assert!(Command::new("umount").arg("--lazy").arg(&data_dir).status().unwrap().success());
    eventually("a disk to write is noticed", async || status().await == "ok").await;
}

/// A small disk that goes away.
struct Mounted(TempDir);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

fn mount(arguments: &[&str], at: &Path) -> bool {
    let mounted = Command::new("mount").args(arguments).arg(at).output();
    mounted.is_ok_and(|output| output.status.success())
}
