//! A backup of the database is restored beside newer objects. `VISIBILITY_FORGOTTEN_BATCHES=3000` forgets so many besides.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::nodes::failover::Databases;
use crate::server::program::{Place, Service};
use crate::server::store::Store;

/// What the backup forgets, in turn.
const FORGOTTEN: [usize; 2] = [1, 30];
const BODY: &str = "{}\n";

/// What the data directory has besides the database when that is restored.
#[derive(Clone, Copy, Debug)]
enum DataDirectory {
    /// All that was in it: the database alone was restored.
    Current,
    /// Nothing: the server is new.
    Empty,
    /// What was in it at the time of the backup.
    Old,
}

/// The database of a store, of which there can be a backup.
enum Backups {
    /// SQLite, with the files of the backup.
    Files(Vec<(PathBuf, Vec<u8>)>),
    /// PostgreSQL.
    Server(Databases),
}

impl Backups {
    fn make(&mut self, store: &Store) {
        match self {
            Self::Files(files) => *files = store.copy_database(),
            Self::Server(databases) => {
                databases.while_away(&["CREATE DATABASE standby TEMPLATE used"]);
            }
        }
    }

    fn restore(&self, store: &Store) {
        match self {
            Self::Files(files) => store.put_database(files),
            Self::Server(databases) => databases.fail_over(),
        }
    }
}

fn stop(service: Service) {
    service.signal("-TERM");
    assert_eq!(service.wait().code, Some(0));
}

/// Sends batches, of which each has an answer of its own.
fn send(store: &Store, count: usize) -> Vec<(Uuid, String)> {
    let service = store.serve();
    let ids = store.send_some(&service, count);
    let answers = ids.into_iter().map(|id| (id, store.exchange(&service, (id, ""), BODY)));
    let answers = answers.collect();
    stop(service);
    answers
}

fn is_restored(store: &Store, backups: &mut Backups, forgotten: usize, left: DataDirectory) {
    let last_published = store.path("last-published");
    backups.make(store);
    let old = fs::read(&last_published).unwrap();
    let answers = send(store, forgotten);
    let books = store.records();
    backups.restore(store);
    match left {
        DataDirectory::Current => {}
        DataDirectory::Empty => fs::remove_file(&last_published).unwrap(),
        DataDirectory::Old => fs::write(&last_published, old).unwrap(),
    }

    let run = store.place.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("the database is older than the objects"), "{}", run.stderr);
    assert!(run.stderr.contains("visibility-server reconcile --adopt"), "{}", run.stderr);
    let check = store.place.run(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&check.stdout).unwrap();
    assert_eq!(
        (check.code, &report["differences"][0]["problem"]),
        (Some(1), &json!("older_database"))
    );

    let adopted = store.place.json(&["reconcile", "--adopt"]);
    assert_eq!(
        (&adopted["batches"], &adopted["left"]),
        (&json!(forgotten), &json!([])),
        "{adopted}"
    );
    let service = store.serve();
    for (id, answer) in &answers {
        let again = store.exchange(&service, (*id, ""), BODY);
        let body = |answer: &str| answer.split_once("\r\n\r\n").unwrap().1.to_owned();
        assert_eq!(body(&again), body(answer));
    }
    stop(service);
    assert_eq!(store.records(), books);
}

fn all_are_restored(store: &Store, mut backups: Backups) {
    send(store, 2);
    let more = std::env::var("VISIBILITY_FORGOTTEN_BATCHES");
    let more = more.ok().and_then(|number| number.parse().ok());
    for forgotten in FORGOTTEN.into_iter().chain(more) {
        for left in [DataDirectory::Current, DataDirectory::Empty, DataDirectory::Old] {
            is_restored(store, &mut backups, forgotten, left);
        }
    }
}

#[test]
fn a_restored_file_gets_back_what_it_has_forgotten() {
    all_are_restored(&Store::new(), Backups::Files(Vec::new()));
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_restored_postgresql_gets_back_what_it_has_forgotten() {
    let databases = Databases::start();
    let store = Store::in_place(Place::with_database(databases.url()));
    all_are_restored(&store, Backups::Server(databases));
}
