//! The stores keep their contract, each of them.

#![expect(clippy::expect_used, reason = "a test stops where something is not as it should be")]

mod books;
mod bucket;
mod lists;
mod outbox;
mod statements;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;
use visibility_core::store::memory::{MemoryLedger, MemoryObjects};
use visibility_server::stores::Stores;
use visibility_tests::contract::{check_ledger, check_object_files, check_objects};
use visibility_tests::database;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn the_ledger_in_memory_keeps_the_contract() {
    let ledger = MemoryLedger::default();
    check_ledger(&ledger, &|tenant| ledger.sums(tenant));
}

#[test]
fn the_ledger_in_a_database_keeps_the_contract() {
    let folder = folder();
    let stores = Stores::open(database::location(folder.path())).expect("it opens");
    let state_store = stores.state_store();
    check_ledger(state_store, &|tenant| state_store.sums(tenant).expect("it reads"));
}

#[test]
fn objects_in_memory_keep_the_contract() {
    check_objects(&MemoryObjects::default());
}

#[test]
fn objects_in_a_folder_keep_the_contract() {
    let folder = folder();
    let stores = Stores::open(database::location(folder.path())).expect("it opens");
    check_objects(stores.objects());
    check_object_files(stores.objects());
    assert_eq!(files(&folder.path().join("objects")), Vec::<String>::new(), "nothing is left");
}

#[tokio::test(flavor = "current_thread")]
async fn objects_work_on_a_thread_that_drives_tasks() {
    let folder = folder();
    let stores = Stores::open(database::location(folder.path())).expect("it opens");
    check_objects(stores.objects());
    assert_eq!(files(&folder.path().join("objects")), Vec::<String>::new(), "nothing is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_work_on_a_thread_for_blocking_work() {
    let folder = folder();
    let stores = Stores::open(database::location(folder.path())).expect("it opens");
    tokio::task::spawn_blocking(move || check_objects(stores.objects())).await.expect("it runs");
}

#[test]
fn only_one_process_serves_from_a_data_directory() {
    let folder = folder();
    let first = Stores::open_exclusive(database::location(folder.path())).expect("it opens");
    let error =
        Stores::open_exclusive(database::location(folder.path())).expect_err("it is locked");
    let path = folder.path().display().to_string();
    assert!(error.to_string().contains(&path), "{error}");
    let cause = error.source.expect("a cause").to_string();
    assert_eq!(cause, "another process is using it");
    Stores::open(database::location(folder.path())).expect("commands work beside it");
    drop(first);
    Stores::open_exclusive(database::location(folder.path())).expect("the lock is free");
}

#[test]
fn a_start_removes_what_was_left_unfinished() {
    let folder = folder();
    let stores = Stores::open_exclusive(database::location(folder.path())).expect("it opens");
    let mut kept = stores.objects().create("tenant=a/new/1.parquet").expect("it starts");
    std::io::Write::write_all(&mut kept, b"whole").expect("it writes");
    kept.finish().expect("it finishes");
    std::mem::forget(stores.objects().create("tenant=a/new/2.parquet").expect("it starts"));
    fs::write(stores.spool().join("body"), b"half").expect("it writes");
    let objects = folder.path().join("objects");
    assert_eq!(files(&objects).len(), 2);
    drop(Stores::open(database::location(folder.path())).expect("it opens"));
    assert_eq!(files(&objects).len(), 2, "a command beside the service removes nothing");
    drop(stores);
    let stores = Stores::open_exclusive(database::location(folder.path())).expect("it opens");
    assert_eq!(files(&objects), ["tenant=a/new/1.parquet"]);
    assert_eq!(files(stores.spool()), Vec::<String>::new());
}

#[test]
fn only_the_owner_can_read_the_data_directory() {
    let above = folder();
    let data_dir = above.path().join("new/data");
    let stores = Stores::open_exclusive(database::location(&data_dir)).expect("it opens");
    let mut writer = stores.objects().create("tenant=a/new/1.parquet").expect("it starts");
    std::io::Write::write_all(&mut writer, b"bytes").expect("it writes");
    writer.finish().expect("it finishes");
    let mut paths = vec![data_dir];
    while let Some(path) = paths.pop() {
        let metadata = fs::metadata(&path).expect("it exists");
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(metadata.permissions().mode() & 0o777, expected, "{}", path.display());
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            paths.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
    }
}

#[test]
fn a_data_directory_that_is_a_file_is_named() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, b"").expect("it writes");
    let error = Stores::open(database::location(&path)).expect_err("it is a file");
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
}

/// The files below a folder, relative to it, sorted. The identity of the store is not one of them.
fn files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_none_or(|name| name != "store.json") {
                let relative = path.strip_prefix(folder).expect("below");
                files.push(relative.display().to_string());
            }
        }
    }
    files.sort();
    files
}
