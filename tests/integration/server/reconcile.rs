//! A database and objects that do not belong together, and `reconcile`, as `docs/server.md` has it.

use std::fs;
use std::process::Command;

use chrono::TimeDelta;
use serde_json::{Value, json};
use uuid::Uuid;
use visibility_tests::wait::until_blocking;

use crate::server::program::{Place, address, get};
use crate::server::store::{Store, objects};

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
    store.is_refused("no_objects", "the database knows 2 objects, but none exist");
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

    // It is found with a new data directory as well.
    fs::remove_file(store.path("last-published")).unwrap();
    store.put_database(&old);
    store.is_refused("older_database", "the database is older than the objects");
    assert_eq!(store.reconcile(), (2, 0));
    assert_eq!(store.records(), json!({"ledger": 2, "files": 2, "rollups": 2}));
    store.send_more(1);
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));
}

#[test]
fn unknown_newer_objects_are_no_reason_to_refuse() {
    let store = Store::with_batches(1);
    let old = store.copy_database();
    store.send_more(30);
    store.put_database(&old);
    // As in a folder that was put together from backups.
    for name in ["last-published", "objects/newest.json"] {
        fs::remove_file(store.path(name)).unwrap();
    }
    let check = store.place.json(&["check"]);
    assert_eq!((&check["ok"], &check["newer"]), (&json!(true), &json!(60)));
    let check = store.place.run(&["check"]);
    assert!(check.stderr.contains("60 objects are newer than everything"), "{}", check.stderr);
    let service = store.serve_also(&["--metrics-listen", "127.0.0.1:0"]);
    let line = service.logged("objects are newer than everything in the database");
    assert!(line.contains("objects=60"), "{line}");
    let metrics = get(&address(&service.line()), "/metrics");
    assert!(metrics.contains("visibility_objects_newer_than_database 60"), "{metrics}");
    store.send_some(&service, 1);
}

#[test]
fn the_newest_object_is_named_while_the_service_runs() {
    let store = Store::with_batches(1);
    let newest = || fs::read_to_string(store.path("objects/newest.json")).unwrap();
    let before = newest();
    let service = store.serve();
    store.send_some(&service, 1);
    until_blocking("it is named", || newest() != before);
    let name: Value = serde_json::from_str(&newest()).unwrap();
    assert!(store.path("objects").join(name["name"].as_str().unwrap()).is_file(), "{name}");
}

#[test]
fn a_broken_identity_is_written_again() {
    let store = Store::with_batches(1);
    fs::write(store.path("objects/store.json"), "{\"id\":\"01a2").unwrap();
    store.is_refused("broken_id", "`store.json` next to the objects is broken");
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

/// A data directory that the service wrote at commit c600c46, before stores had an identity: three batches, one of
/// them with an answer in an object of its own.
fn earlier_store() -> Store {
    unpacked("data-c600c46.tar.gz")
}

/// A data directory that the service wrote at commit 0ad109cc, before objects had digests: merged and retired files of four
/// batches, and three more batches, one of them with an answer in an object of its own.
pub(crate) fn store_of_0ad109cc() -> Store {
    unpacked("data-0ad109cc.tar.gz")
}

fn unpacked(archive: &str) -> Store {
    let store = Store { place: Place::new(), token: String::new() };
    fs::create_dir(store.data()).unwrap();
    let archive = format!("{}/integration/server/{archive}", env!("CARGO_MANIFEST_DIR"));
    let unpacked = Command::new("tar").args(["-xzf", &archive, "-C"]).arg(store.data()).status();
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
