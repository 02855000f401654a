//! Another database takes the place of the one that nodes use while they run, as a standby that has lost commits does.

use std::fs;

use serde_json::json;
use uuid::Uuid;
use visibility_tests::database::{self, OwnServer};
use visibility_tests::wait::until_blocking;

use crate::server::program::{Place, Service, get};
use crate::server::store::Store;

/// Databases of one server, of which the one with the name `used` is used.
pub(super) struct Databases(OwnServer);

impl Databases {
    pub(super) fn start() -> Self {
        let databases = Self(OwnServer::start());
        databases.run("CREATE DATABASE used");
        databases
    }

    pub(super) fn url(&self) -> String {
        self.0.url().replace("/postgres", "/used")
    }

    fn run(&self, sql: &str) {
        database::run(self.0.url(), sql);
    }

    /// Does something while no one is connected, for which PostgreSQL waits.
    pub(super) fn while_away(&self, sql: &[&str]) {
        self.run("ALTER DATABASE used ALLOW_CONNECTIONS false");
        self.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'used'");
        for statement in sql {
            self.run(statement);
        }
        self.run("ALTER DATABASE used ALLOW_CONNECTIONS true");
    }

    /// Puts the standby in the place of the database that was used.
    pub(super) fn fail_over(&self) {
        self.while_away(&[
            "DROP DATABASE IF EXISTS lost",
            "ALTER DATABASE used RENAME TO lost",
            "ALTER DATABASE standby RENAME TO used",
        ]);
    }
}

fn ready(service: &Service) -> String {
    get(&service.address(), "/readyz")
}

fn is_ready(service: &Service) -> bool {
    ready(service).starts_with("HTTP/1.1 200 ")
}

/// A service over a failover to a standby that has lost some batches, with the ids of those that it has and of those that it
/// has lost.
fn after_failover(databases: &Databases, store: &Store) -> (Service, [Vec<Uuid>; 2]) {
    let service = store.serve();
    let kept = store.send_some(&service, 3);
    databases.while_away(&["CREATE DATABASE standby TEMPLATE used"]);
    until_blocking("it is ready", || is_ready(&service));
    let mark = store.objects_folder().join("newest.json");
    let before = fs::read_to_string(&mark).unwrap_or_default();
    let lost = store.send_some(&service, 2);
    until_blocking("the newest object is named", || {
        fs::read_to_string(&mark).is_ok_and(|name| name != before)
    });
    databases.fail_over();
    (service, [kept, lost])
}

fn is_refused(store: &Store, service: &Service, id: Uuid) {
    let answer = store.exchange(service, (id, ""), "{}\n");
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.to_lowercase().contains("retry-after: "), "{answer}");
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_standby_that_has_lost_commits_takes_no_batches() {
    let databases = Databases::start();
    let store = Store::in_place(Place::with_database(databases.url()));
    let (service, [kept, lost]) = after_failover(&databases, &store);
    until_blocking("it says why", || {
        is_refused(&store, &service, Uuid::now_v7());
        is_refused(&store, &service, lost[0]);
        ready(&service).contains("the database is older than the objects")
    });
    let line = service.logged("the database is older than the objects");
    assert!(line.contains("visibility-server reconcile --adopt"), "{line}");
    assert!(ready(&service).starts_with("HTTP/1.1 503 "));

    databases.while_away(&[
        "ALTER DATABASE used RENAME TO standby",
        "ALTER DATABASE lost RENAME TO used",
    ]);
    until_blocking("it is ready again", || is_ready(&service));
    for id in kept.into_iter().chain(lost) {
        assert_eq!(store.send(&service, id, "").status, 202);
    }
    store.send_some(&service, 1);
    assert_eq!(store.records(), json!({"ledger": 6, "files": 6, "rollups": 6}));
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_standby_gets_back_the_commits_that_it_has_lost() {
    let databases = Databases::start();
    let store = Store::in_place(Place::with_database(databases.url()));
    let (service, [kept, lost]) = after_failover(&databases, &store);
    until_blocking("it is not ready", || !is_ready(&service));
    service.signal("-TERM");
    service.wait();
    // Also with a new data directory, no node starts.
    fs::remove_file(store.path("last-published")).unwrap();
    let run = store.place.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("reconcile --adopt"), "{}", run.stderr);
    let done = store.place.json(&["reconcile", "--adopt"]);
    assert_eq!((&done["batches"], &done["left"]), (&json!(2), &json!([])), "{done}");
    let service = store.serve();
    for id in kept.into_iter().chain(lost) {
        assert_eq!(store.send(&service, id, "").status, 202);
    }
    assert_eq!(store.records(), json!({"ledger": 5, "files": 5, "rollups": 5}));
}
