//! What an operator meets when something is broken, and the commands that repair it, as `docs/server.md` has them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::server::program::{Place, Run, Service, address, exchange, get};

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
        self.serve_also(&[])
    }

    /// Serves with more settings.
    fn serve_also(&self, settings: &[&str]) -> Service {
        let clock = self.clock();
        let settings = [&SETTINGS, settings].concat();
        self.place.serve_with(&settings, &[("VISIBILITY_CLOCK_OFFSET", clock.to_str().unwrap())])
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
        self.send_record(service, id, headers, Utc::now())
    }

    /// Sends a new batch with one record of some time ago.
    fn send_old(&self, service: &Service, age: TimeDelta) {
        let answer = self.send_record(service, Uuid::now_v7(), "", Utc::now() - age);
        assert_eq!(answer.status, 202, "{answer:?}");
    }

    fn send_record(
        &self,
        service: &Service,
        id: Uuid,
        headers: &str,
        timestamp: DateTime<Utc>,
    ) -> Answer {
        let record = json!({
            "timestamp": timestamp.to_rfc3339_opts(SecondsFormat::Secs, true),
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

impl Store {
    fn data(&self) -> PathBuf {
        self.place.data()
    }

    /// A file or folder of the data directory.
    fn path(&self, name: &str) -> PathBuf {
        self.data().join(name)
    }

    /// A store in which some batches were published, with its service stopped.
    fn with_batches(count: usize) -> Self {
        let store = Self::new();
        store.send_more(count);
        store
    }

    fn send_more(&self, count: usize) {
        let service = self.serve();
        self.send_some(&service, count);
        service.signal("-TERM");
        assert_eq!(service.wait().code, Some(0));
    }

    /// `serve` and all other commands refuse the store, `check` finds fault with it, and nothing of it changes.
    fn is_refused(&self, problem: &str, cause: &str) {
        let before = objects(&self.path("objects"));
        let had_database = self.path("state.sqlite").exists();
        for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["tokens", "list", "acme"]] {
            let run = self.place.run(command);
            assert_eq!(run.code, Some(2), "{command:?}: {}", run.stderr);
            assert!(run.stderr.contains(cause), "{}", run.stderr);
            assert!(run.stderr.contains("visibility-server reconcile"), "{}", run.stderr);
        }
        let check = self.place.run(&["check"]);
        assert_eq!(check.code, Some(1), "{}", check.stdout);
        assert!(check.stdout.contains(cause), "{}", check.stdout);
        assert!(check.stderr.contains("visibility-server reconcile"), "{}", check.stderr);
        let check = self.place.run(&["check", "--format", "json"]);
        let report: Value = serde_json::from_str(&check.stdout).unwrap();
        assert_eq!((check.code, &report["ok"]), (Some(1), &json!(false)));
        assert_eq!(report["differences"][0]["kind"], "identity");
        assert_eq!(report["differences"][0]["problem"], problem);
        assert_eq!(objects(&self.path("objects")), before);
        assert_eq!(self.path("state.sqlite").exists(), had_database);
    }

    /// `serve` refuses the store, and `check` finds fault with it.
    fn is_refused_by_serve(&self, cause: &str) {
        for (command, code) in [(&["serve", "--listen", "127.0.0.1:0"][..], 2), (&["check"], 1)] {
            let run = self.place.run(command);
            assert_eq!(run.code, Some(code), "{command:?}: {}", run.stderr);
            assert!(format!("{}{}", run.stdout, run.stderr).contains(cause), "{command:?}");
        }
    }

    /// Reconciles; what was set aside and what was brought back.
    fn reconcile(&self) -> (u64, u64) {
        let done = self.place.json(&["reconcile"]);
        let count = |name: &str| done[name]["objects"].as_u64().unwrap();
        (count("set_aside"), count("brought_back"))
    }

    /// The files of the database, with their contents.
    fn copy_database(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let names = ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm"];
        let paths = names.map(|name| self.path(name)).into_iter().filter(|path| path.exists());
        paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    fn remove_database(&self) {
        for (path, _) in self.copy_database() {
            fs::remove_file(path).unwrap();
        }
    }

    fn put_database(&self, copy: &[(PathBuf, Vec<u8>)]) {
        self.remove_database();
        for (path, content) in copy {
            fs::write(self.data().join(path.file_name().unwrap()), content).unwrap();
        }
    }
}

/// The names of all objects below a folder, but not its identity.
fn objects(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().unwrap() != "json" {
                found.insert(path.strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    found
}

#[test]
fn a_store_without_its_database_is_refused() {
    let store = Store::with_batches(3);
    let copy = store.copy_database();
    let before = objects(&store.path("objects"));
    assert_eq!(before.len(), 6);

    store.remove_database();
    store.is_refused("no_database", "the database is gone or empty, and there are 6 objects");
    fs::write(store.path("state.sqlite"), "").unwrap();
    store.is_refused("no_database", "the database is gone or empty");

    // With the database it is as it was.
    store.put_database(&copy);
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));

    // Without it, a new store begins, and the records are in another folder.
    store.remove_database();
    assert_eq!(store.reconcile(), (6, 0));
    let report = store.place.json(&["check"]);
    assert_eq!((&report["ok"], &report["files"]), (&json!(true), &json!(0)));
    assert_eq!(objects(&store.path("objects")).len(), 6);
    drop(store.serve());

    // When the database is found after all, everything comes back.
    store.put_database(&copy);
    store.is_refused("other_store", "the objects belong to another database");
    assert_eq!(store.reconcile(), (0, 6));
    assert_eq!(objects(&store.path("objects")), before);
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));
    store.send_more(1);
}

#[test]
fn a_new_database_beside_objects_is_refused() {
    let store = Store::with_batches(2);
    let other = Store::new();
    store.put_database(&other.copy_database());
    store.is_refused("other_store", "the objects belong to another database");

    // Without the identity of the objects, too: they are never adopted.
    fs::remove_file(store.path("objects/store.json")).unwrap();
    store.is_refused("unknown_objects", "the database knows none of the 4 objects");
    store.remove_database();
    store.is_refused("no_database", "the database is gone or empty");
    assert_eq!(store.reconcile(), (4, 0));
    assert_eq!(store.place.json(&["check"])["ok"], true);
}

#[test]
fn objects_of_another_store_are_refused() {
    let store = Store::with_batches(2);
    let other = Store::with_batches(1);
    let (own, foreign) = (store.path("objects"), other.path("objects"));
    fs::rename(&own, store.path("kept")).unwrap();
    fs::rename(&foreign, &own).unwrap();
    store.is_refused("other_store", "the objects belong to another database");
    fs::remove_dir_all(&own).unwrap();
    fs::create_dir(&own).unwrap();
    store.is_refused("no_objects", "the database knows 2 objects, and there is none");
    fs::remove_dir(&own).unwrap();
    fs::rename(store.path("kept"), &own).unwrap();
    assert_eq!(store.records(), json!({"ledger": 2, "files": 2, "rollups": 2}));
}

#[test]
fn a_database_that_is_older_than_its_objects_is_refused() {
    let store = Store::with_batches(2);
    let old = store.copy_database();
    store.send_more(1);
    let new = store.copy_database();
    store.put_database(&old);
    store.is_refused("older_database", "the database is older than the objects");
    store.put_database(&new);
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));

    // It is found by the names of the objects as well, as in a folder that was put together from backups.
    store.send_more(available_parallelism().unwrap().get());
    store.put_database(&old);
    fs::remove_file(store.path("last-published")).unwrap();
    store.is_refused_by_serve("the database is older than the objects");
    let unknown = 2 * (1 + available_parallelism().unwrap().get() as u64);
    assert_eq!(store.reconcile(), (unknown, 0));
    assert_eq!(store.records(), json!({"ledger": 2, "files": 2, "rollups": 2}));
    store.send_more(1);
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));
}

#[test]
fn a_broken_identity_is_written_again() {
    let store = Store::with_batches(1);
    fs::write(store.path("objects/store.json"), "{\"id\":\"01a2").unwrap();
    store.is_refused("broken_id", "`store.json` beside the objects is broken");
    assert_eq!(store.reconcile(), (0, 0));
    assert_eq!(store.records(), json!({"ledger": 1, "files": 1, "rollups": 1}));
    drop(store.serve());
}

#[test]
fn what_a_crash_has_left_is_no_reason_to_refuse() {
    let store = Store::with_batches(1);
    let objects = store.path("objects");
    let kept = objects.join("tenant=acme/new");
    let whole = fs::read_dir(&kept).unwrap().next().unwrap().unwrap().path();
    let id = Uuid::now_v7();
    for name in [format!("{id}.parquet"), format!("{id}.partial.parquet")] {
        fs::copy(&whole, kept.join(name)).unwrap();
    }
    drop(store.serve());
    assert_eq!(store.records(), json!({"ledger": 1, "files": 1, "rollups": 1}));
}

/// Objects in the folder of fresh batches that no one knows, from two days ago.
fn orphan(store: &Store, count: usize) {
    let folder = store.path("objects/tenant=acme/new");
    for number in 0..count {
        let file = fs::File::create(folder.join(format!("orphan-{number}.parquet"))).unwrap();
        file.set_len(100).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_hours(48)).unwrap();
    }
}

#[test]
fn a_sweep_of_many_objects_waits_for_a_confirmation() {
    let store = Store::with_batches(2);
    orphan(&store, 60);
    let service = store.serve_also(&["--metrics-listen", "127.0.0.1:0"]);
    let log = service.logged("they stay until `visibility-server sweep --confirm`");
    assert!(log.contains("objects=60"), "{log}");
    let metrics = get(&address(&service.line()), "/metrics");
    assert!(metrics.contains("\nvisibility_orphans_held 60\n"), "{metrics}");
    let waiting = store.place.json(&["sweep"]);
    assert_eq!(waiting["orphans"], json!({"objects": 60, "bytes": 6000}));
    let report = store.place.json(&["check"]);
    assert_eq!(report["orphans"].as_array().unwrap().len(), 60);
    assert_eq!(objects(&store.path("objects")).len(), 64);

    let shown = store.place.run(&["sweep"]);
    assert!(shown.stdout.contains("unknown to the database: 60 objects, 6000 bytes\n"));
    assert!(shown.stderr.contains("visibility-server sweep --confirm"), "{}", shown.stderr);
    let done = store.place.run(&["sweep", "--confirm"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("60 objects, 6000 bytes, deleted\n"), "{}", done.stdout);
    assert_eq!(objects(&store.path("objects")).len(), 4);
    let report = store.place.json(&["check"]);
    assert_eq!((&report["ok"], &report["trash"]["objects"]), (&json!(true), &json!(0)));
    assert_eq!(report["orphans"], json!([]));
    drop(service);
}

#[test]
fn a_few_orphans_are_in_the_trash_for_a_week() {
    let store = Store::with_batches(1);
    orphan(&store, 20);
    let service = store.serve();
    service.logged("orphans moved to the trash objects=20 bytes=2000");
    assert_eq!(objects(&store.path("objects/tenant=acme")).len(), 2);
    assert_eq!(store.place.json(&["check"])["trash"]["objects"], 20);
    drop(service);
    // As documented, they come back with the command that everyone knows.
    let folder = fs::read_dir(store.path("objects/trash")).unwrap().next().unwrap().unwrap();
    let copied = Command::new("cp")
        .args(["-a", &format!("{}/.", folder.path().display())])
        .arg(store.path("objects"))
        .status();
    assert!(copied.unwrap().success());
    assert_eq!(objects(&store.path("objects/tenant=acme")).len(), 22);
}

#[test]
fn a_check_counts_what_is_in_the_trash() {
    let store = Store::with_batches(1);
    let folder = store.path("objects/trash/2026-09-21/tenant=acme/new");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("1.parquet"), "12345").unwrap();
    let check = store.place.run(&["check"]);
    assert!(check.stdout.ends_with("0 orphans to be swept, 1 objects in the trash\n"));
    let report = store.place.json(&["check"]);
    assert_eq!(report["trash"], json!({"objects": 1, "bytes": 5}));
    // It is older than a week.
    let service = store.serve();
    service.logged("old objects in the trash deleted");
    assert!(!store.path("objects/trash").exists());
    assert_eq!(store.place.json(&["check"])["trash"]["objects"], 0);
}

#[test]
fn after_a_jump_of_the_clock_nothing_is_swept() {
    let store = Store::with_batches(1);
    orphan(&store, 1);
    store.set_clock(TimeDelta::days(100));
    let mut command = store.place.command(&["sweep", "--confirm"]);
    let run: Run = command.env("VISIBILITY_CLOCK_OFFSET", store.clock()).output().unwrap().into();
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("visibility-server clock accept"), "{}", run.stderr);
    assert_eq!(objects(&store.path("objects")).len(), 3);
    store.operate(&["clock", "accept"]);
    store.operate(&["sweep", "--confirm"]);
    assert_eq!(objects(&store.path("objects")).len(), 2);
}

#[test]
fn settings_that_keep_less_than_before_wait_for_a_confirmation() {
    let store = Store::new();
    let service = store.serve();
    store.send_old(&service, TimeDelta::days(10));
    drop(service);
    let lowered = ["--set", "retention.raw_days=5", "--set", "maintenance.grace=0"];
    let service = store.serve_also(&lowered);
    service.logged("the settings keep records or counts for less time than before");
    assert_eq!(store.place.json(&["files"]).as_array().unwrap().len(), 1);
    let waiting = store.place.json(&["sweep"]);
    assert_eq!(waiting["retention"], json!({"raw_days": 5, "rollup_months": 25}));
    let done = store.place.run(&["sweep", "--confirm"]);
    assert!(done.stdout.contains("retention.raw_days = 5"), "{}", done.stdout);
    service.logged("too old, forgotten");
    service.logged("retired files removed");
    assert_eq!(store.place.json(&["files"]), json!([]));
    assert_eq!(store.records(), json!({"ledger": 1, "files": 1, "rollups": 1}));
    assert_eq!(store.place.json(&["sweep"])["retention"], Value::Null);
}

/// A data directory that the service wrote at commit c600c46, before stores had an identity: three batches, one of
/// them with an answer in an object of its own.
fn earlier_store() -> Store {
    let store = Store { place: Place::new(), token: String::new() };
    fs::create_dir(store.data()).unwrap();
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/integration/server/data-c600c46.tar.gz");
    let unpacked = Command::new("tar").args(["-xzf", archive, "-C"]).arg(store.data()).status();
    assert!(unpacked.unwrap().success());
    store
}

#[test]
fn a_store_of_an_earlier_version_gets_its_identity_at_the_first_start() {
    let store = earlier_store();
    let before = objects(&store.path("objects"));
    // Its newest batch is so old then that it is not known whether the clock is right.
    store.set_clock(TimeDelta::days(400));
    let service = store.serve();
    service.logged("the clock has jumped");
    assert!(store.path("objects/store.json").is_file());
    assert_eq!(store.records(), json!({"ledger": 10, "files": 10, "rollups": 10}));
    // Compaction adds some.
    assert!(objects(&store.path("objects")).is_superset(&before));
    drop(service);
    drop(store.serve());
    assert_eq!(store.records(), json!({"ledger": 10, "files": 10, "rollups": 10}));
}

#[test]
fn objects_of_an_earlier_version_without_their_database_are_never_adopted() {
    let store = earlier_store();
    let copy = store.copy_database();
    store.remove_database();
    store.is_refused("no_database", "the database is gone or empty, and there are 7 objects");
    store.put_database(&Store::new().copy_database());
    store.is_refused("unknown_objects", "the database knows none of the 7 objects");
    assert!(!store.path("objects/store.json").exists());
    store.put_database(&copy);
    assert_eq!(store.records(), json!({"ledger": 10, "files": 10, "rollups": 10}));
}
