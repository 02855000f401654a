//! What an operator meets when something is broken, and the commands that repair it, as `docs/server.md` has them.

use std::fs;
use std::path::PathBuf;

use chrono::{SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::server::program::{Place, Run, Service, exchange};

/// Without limits, and with a round of maintenance each second.
const SETTINGS: [&str; 10] = [
    "--listen",
    "127.0.0.1:0",
    "--set",
    "limits.burst=0",
    "--set",
    "limits.batches_per_hour=0",
    "--set",
    "maintenance.interval=1",
    "--set",
    "maintenance.compact_after=86400",
];

/// A data directory with a tenant, and a clock that can be set.
#[derive(Debug)]
struct Store {
    place: Place,
    token: String,
}

/// An answer to a batch.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Value,
}

impl Store {
    fn new() -> Self {
        let place = Place::new();
        place.json(&["tenants", "create", "acme"]);
        let token = place.json(&["tokens", "create", "acme"]);
        let token = token["token"].as_str().unwrap().to_owned();
        Self { place, token }
    }

    fn clock(&self) -> PathBuf {
        self.place.path().join("clock")
    }

    fn set_clock(&self, ahead: TimeDelta) {
        fs::write(self.clock(), ahead.num_seconds().to_string()).unwrap();
    }

    fn serve(&self) -> Service {
        let clock = self.clock();
        self.place.serve_with(&SETTINGS, &[("VISIBILITY_CLOCK_OFFSET", clock.to_str().unwrap())])
    }

    /// Runs a command by the same clock, to an end that is good.
    fn operate(&self, arguments: &[&str]) -> String {
        let mut command = self.place.command(arguments);
        let run: Run =
            command.env("VISIBILITY_CLOCK_OFFSET", self.clock()).output().unwrap().into();
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    }

    /// Sends a batch with one record of now, by the right clock.
    fn send(&self, service: &Service, id: Uuid, headers: &str) -> Answer {
        let record = json!({
            "timestamp": Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true),
            "user_agent": "GPTBot/1.2",
            "request_method": "GET",
            "request_path": "/",
            "status_code": 200,
            "response_bytes": 1,
            "referrer": "",
            "host": "a.example",
            "client_ip_hash": "0123456789abcdef",
        });
        let body = format!("{record}\n");
        let request = format!(
            "POST /v1/logs HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\
             Authorization: Bearer {}\r\nX-Service-Tenant: acme\r\nX-Service-Schema: 1\r\n\
             Content-Type: application/x-ndjson\r\nX-Service-Batch-Id: {id}\r\n{headers}\r\n{body}",
            body.len(),
            self.token,
        );
        let answer = exchange(&service.address(), &request);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_lowercase(),
            body: serde_json::from_str(body).unwrap(),
        }
    }

    /// Sends new batches that are kept, and gives their ids.
    fn send_some(&self, service: &Service, count: usize) -> Vec<Uuid> {
        let ids: Vec<Uuid> = (0..count).map(|_| Uuid::now_v7()).collect();
        for id in &ids {
            let answer = self.send(service, *id, "");
            assert_eq!(answer.status, 202, "{answer:?}");
        }
        ids
    }

    /// The books of the tenant, of a check that finds nothing wrong.
    fn records(&self) -> Value {
        let report = self.place.json(&["check"]);
        assert_eq!(report["ok"], true, "{report}");
        report["tenants"]["acme"].clone()
    }
}

#[test]
fn by_a_clock_that_is_far_ahead_nothing_is_forgotten() {
    let store = Store::new();
    let service = store.serve();
    let ids = store.send_some(&service, 3);
    store.set_clock(TimeDelta::days(100));
    for _ in 0..3 {
        service.logged("the clock has jumped");
    }
    drop(service);
    // The clock may be ahead when the service starts, too.
    let service = store.serve();
    for _ in 0..3 {
        service.logged("the clock has jumped");
    }
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));
    store.set_clock(TimeDelta::zero());
    service.logged("the clock is plausible again");
    for id in ids {
        assert_eq!(store.send(&service, id, "").status, 202, "it is known and not counted again");
    }
    store.send_some(&service, 1);
    assert_eq!(store.records(), json!({"ledger": 4, "files": 4, "rollups": 4}));
}

#[test]
fn while_the_clock_is_behind_new_batches_wait() {
    let store = Store::new();
    let service = store.serve();
    let known = store.send_some(&service, 1)[0];
    let answered = store.send(&service, known, "");
    for behind in [TimeDelta::hours(1), TimeDelta::days(1)] {
        store.set_clock(-behind);
        let refused = store.send(&service, Uuid::now_v7(), "");
        assert_eq!(refused.status, 503, "{refused:?}");
        assert!(refused.head.contains("retry-after: 60\r\n"), "{refused:?}");
        service.logged(
            "new batches are refused until it is right or `visibility-server clock accept`",
        );
        let replayed = store.send(&service, known, "");
        assert_eq!((replayed.status, &replayed.body), (202, &answered.body));
        let tested = store.send(&service, Uuid::now_v7(), "X-Service-Mode: test\r\n");
        assert_eq!(tested.status, 207, "the record is of the future: {tested:?}");
    }
    store.set_clock(TimeDelta::zero());
    store.send_some(&service, 1);
    drop(service);

    // After a start with such a clock it is the same, until the operator says that it is right.
    store.set_clock(-TimeDelta::hours(1));
    let service = store.serve();
    assert_eq!(store.send(&service, Uuid::now_v7(), "").status, 503);
    let accepted = store.operate(&["clock", "accept"]);
    assert!(accepted.contains("that is taken for right"), "{accepted}");
    let judged = store.send(&service, Uuid::now_v7(), "");
    assert_eq!(judged.body["rejected"], 1, "{judged:?}");
    assert_eq!(store.records(), json!({"ledger": 2, "files": 2, "rollups": 2}));
}

#[test]
fn batches_that_came_while_the_clock_was_ahead_do_not_stop_those_after_it_was_set_right() {
    let store = Store::new();
    let service = store.serve();
    store.send_some(&service, 1);
    store.set_clock(TimeDelta::days(2));
    service.logged("the clock has jumped");
    store.send_some(&service, 1);
    store.set_clock(TimeDelta::zero());
    store.send_some(&service, 1);
    drop(service);
    let service = store.serve();
    store.send_some(&service, 1);
    assert_eq!(store.records(), json!({"ledger": 4, "files": 4, "rollups": 4}));
}
