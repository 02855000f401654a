//! Services with batches in them, for the commands of their operator.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use visibility_tests::{bucket, database};

use crate::server::program::{Place, Run, Service, exchange};

const GPTBOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)";

/// A service with a tenant, to which these paths were reported as one batch.
pub(crate) fn with_batch(place: &Place, paths: &[&str]) -> Service {
    let service = place.serve(&[]);
    place.json(&["tenants", "create", "acme"]);
    let made = place.json(&["tokens", "create", "acme"]);
    let answer = send(&service, made["token"].as_str().unwrap(), paths);
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    service
}

pub(crate) fn send(service: &Service, token: &str, paths: &[&str]) -> String {
    let hour_ago = Utc::now() - TimeDelta::hours(1);
    let record = |path: &&str| {
        let record = json!({
            "timestamp": hour_ago.to_rfc3339_opts(SecondsFormat::Secs, true),
            "user_agent": GPTBOT,
            "request_method": "GET",
            "request_path": path,
            "status_code": 200,
            "response_bytes": 100,
            "referrer": "",
            "host": "www.example.com",
            "client_ip_hash": "9f86d081884c7d659a2feaa0",
        });
        format!("{record}\n")
    };
    let body: String = paths.iter().map(record).collect();
    let head = format!(
        "POST /v1/logs HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\
         Authorization: Bearer {token}\r\nContent-Type: application/x-ndjson\r\n\
         X-Service-Tenant: acme\r\nX-Service-Schema: 1\r\n\r\n",
        body.len()
    );
    exchange(&service.address(), &format!("{head}{body}"))
}

pub(crate) fn paths_of(files: &Value) -> Vec<PathBuf> {
    let files = files.as_array().unwrap().iter();
    files.map(|file| PathBuf::from(file["path"].as_str().unwrap())).collect()
}

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
pub(crate) struct Store {
    pub(crate) place: Place,
    pub(crate) token: String,
}

/// An answer to a batch.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Store {
    pub(crate) fn new() -> Self {
        Self::in_place(Place::new())
    }

    pub(crate) fn in_place(place: Place) -> Self {
        place.json(&["tenants", "create", "acme"]);
        let token = place.json(&["tokens", "create", "acme"]);
        let token = token["token"].as_str().unwrap().to_owned();
        Self { place, token }
    }

    pub(crate) fn clock(&self) -> PathBuf {
        self.place.path().join("clock")
    }

    pub(crate) fn set_clock(&self, ahead: TimeDelta) {
        fs::write(self.clock(), ahead.num_seconds().to_string()).unwrap();
    }

    pub(crate) fn serve(&self) -> Service {
        self.serve_also(&[])
    }

    /// Serves with more settings.
    pub(crate) fn serve_also(&self, settings: &[&str]) -> Service {
        let clock = self.clock();
        let settings = [&SETTINGS, settings].concat();
        self.place.serve_with(&settings, &[("VISIBILITY_CLOCK_OFFSET", clock.to_str().unwrap())])
    }

    /// Runs a command by the same clock, to an end that is good.
    pub(crate) fn operate(&self, arguments: &[&str]) -> String {
        let mut command = self.place.command(arguments);
        let run: Run =
            command.env("VISIBILITY_CLOCK_OFFSET", self.clock()).output().unwrap().into();
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    }

    /// Sends a batch with one record of now, by the right clock.
    pub(crate) fn send(&self, service: &Service, id: Uuid, headers: &str) -> Answer {
        self.send_record(service, id, headers, Utc::now())
    }

    /// Makes the database take batches for older that have just arrived: records are kept as long as those of today.
    /// Not beside a service: a change without its locks may come between two statements that forget files.
    pub(crate) fn make_batches_older(&self, age: TimeDelta) {
        let micros = age.num_microseconds().unwrap();
        let sql = format!("UPDATE data_file SET newest_batch = newest_batch - {micros}");
        database::execute(&self.data(), &sql);
    }

    /// Sends a new batch with one record of some time ago.
    pub(crate) fn send_old(&self, service: &Service, age: TimeDelta) {
        let answer = self.send_record(service, Uuid::now_v7(), "", Utc::now() - age);
        assert_eq!(answer.status, 202, "{answer:?}");
    }

    pub(crate) fn send_record(
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
        let answer = self.exchange(service, (id, headers), &format!("{record}\n"));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_lowercase(),
            body: serde_json::from_str(body).unwrap(),
        }
    }

    /// Sends a batch, and gives the answer as it came.
    pub(crate) fn exchange(
        &self,
        service: &Service,
        (id, headers): (Uuid, &str),
        body: &str,
    ) -> String {
        let request = format!(
            "POST /v1/logs HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\
             Authorization: Bearer {}\r\nX-Service-Tenant: acme\r\nX-Service-Schema: 1\r\n\
             Content-Type: application/x-ndjson\r\nX-Service-Batch-Id: {id}\r\n{headers}\r\n{body}",
            body.len(),
            self.token,
        );
        exchange(&service.address(), &request)
    }

    /// Sends new batches that are kept, and gives their ids.
    pub(crate) fn send_some(&self, service: &Service, count: usize) -> Vec<Uuid> {
        let ids: Vec<Uuid> = (0..count).map(|_| Uuid::now_v7()).collect();
        for id in &ids {
            let answer = self.send(service, *id, "");
            assert_eq!(answer.status, 202, "{answer:?}");
        }
        ids
    }

    /// The books of the tenant, of a check that finds nothing wrong.
    pub(crate) fn records(&self) -> Value {
        let report = self.place.json(&["check"]);
        assert_eq!(report["ok"], true, "{report}");
        report["tenants"]["acme"].clone()
    }
}

impl Store {
    pub(crate) fn data(&self) -> PathBuf {
        self.place.data()
    }

    /// A file or folder of the data directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.data().join(name)
    }

    /// The folder of the objects, also of those in a bucket whose store keeps them as files.
    pub(crate) fn objects_folder(&self) -> PathBuf {
        bucket::url(&self.data())
            .map_or_else(|| self.path("objects"), |url| bucket::folder_of(&url).unwrap())
    }

    /// A store in which some batches were published, with its service stopped.
    pub(crate) fn with_batches(count: usize) -> Self {
        let store = Self::new();
        store.send_more(count);
        store
    }

    pub(crate) fn send_more(&self, count: usize) {
        let service = self.serve();
        self.send_some(&service, count);
        service.signal("-TERM");
        assert_eq!(service.wait().code, Some(0));
    }

    /// `serve` and all other commands refuse the store, `check` finds fault with it, and nothing of it changes.
    pub(crate) fn is_refused(&self, problem: &str, cause: &str) {
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

    /// Reconciles; what was set aside and what was brought back.
    pub(crate) fn reconcile(&self) -> (u64, u64) {
        let done = self.place.json(&["reconcile"]);
        let count = |name: &str| done[name]["objects"].as_u64().unwrap();
        (count("set_aside"), count("brought_back"))
    }

    /// The files of the database, with their contents.
    pub(crate) fn copy_database(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let names = ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm"];
        let paths = names.map(|name| self.path(name)).into_iter().filter(|path| path.exists());
        paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    pub(crate) fn remove_database(&self) {
        for (path, _) in self.copy_database() {
            fs::remove_file(path).unwrap();
        }
    }

    pub(crate) fn put_database(&self, copy: &[(PathBuf, Vec<u8>)]) {
        self.remove_database();
        for (path, content) in copy {
            fs::write(self.data().join(path.file_name().unwrap()), content).unwrap();
        }
    }
}

/// The names of all objects below a folder, but not its identity.
pub(crate) fn objects(folder: &Path) -> BTreeSet<PathBuf> {
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

/// Objects in the folder of fresh batches that no one knows, from two days ago.
pub(crate) fn orphan(store: &Store, count: usize) {
    let folder = store.path("objects/tenant=acme/new");
    for number in 0..count {
        let file = fs::File::create(folder.join(format!("orphan-{number}.parquet"))).unwrap();
        file.set_len(100).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_hours(48)).unwrap();
    }
}
