//! Another database takes the place of the one that nodes use while they run, as a standby that has lost commits does.

use std::fs;

use serde_json::json;
use uuid::Uuid;
use visibility_tests::database::{self, OwnServer};
use visibility_tests::wait::until_blocking;

use crate::server::program::{Place, Service, get};
use crate::server::store::Store;

/// Databases of one server, of which the one with the name `used` is used.
struct Databases(OwnServer);

impl Databases {
    fn start() -> Self {
        let databases = Self(OwnServer::start());
        databases.run("CREATE DATABASE used");
        databases
    }

    fn url(&self) -> String {
        self.0.url().replace("/postgres", "/used")
    }

    fn run(&self, sql: &str) {
        database::run(self.0.url(), sql);
    }

    /// Does something while no one is connected, for which PostgreSQL waits.
    fn while_away(&self, sql: &[&str]) {
        self.run("ALTER DATABASE used ALLOW_CONNECTIONS false");
        self.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'used'");
        for statement in sql {
            self.run(statement);
        }
        self.run("ALTER DATABASE used ALLOW_CONNECTIONS true");
    }
}

fn ready(service: &Service) -> String {
    get(&service.address(), "/readyz")
}

fn is_ready(service: &Service) -> bool {
    ready(service).starts_with("HTTP/1.1 200 ")
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_standby_that_has_lost_commits_takes_no_batches() {
    let databases = Databases::start();
    let store = Store::in_place(Place::with_database(databases.url()));
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

    databases.while_away(&[
        "ALTER DATABASE used RENAME TO lost",
        "ALTER DATABASE standby RENAME TO used",
    ]);
    for id in [Uuid::now_v7(), lost[0]] {
        until_blocking("a batch is answered by the standby", || {
            let answer = store.exchange(&service, (id, ""), "{}\n");
            assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
            assert!(answer.to_lowercase().contains("retry-after: "), "{answer}");
            ready(&service).contains("the database is older than the objects")
        });
    }
    service.logged("the database is older than the objects");
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
