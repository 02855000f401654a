//! Objects that a disk has changed or lost: nothing else is lost, the operator hears of it, and a good copy repairs it.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use visibility_server::ingest::scrub::{DeepCheck, check_deeply};
use visibility_server::stores::Stores;
use visibility_tests::bucket;
use visibility_tests::database::{self, OwnServer};
use visibility_tests::random::Random;

use crate::server::program::{Place, Service, get};
use crate::server::reconcile::store_of_0ad109cc;
use crate::server::store::{Store, objects};

/// Files are merged in the round after they were written.
const MERGE_SOON: [&str; 2] = ["--set", "maintenance.compact_after=0"];

/// The only object whose name has these parts.
fn only_object(store: &Store, parts: &[&str]) -> PathBuf {
    let all = objects(&store.objects_folder());
    let mut found = all.iter().filter(|name| {
        let name = name.to_str().unwrap();
        parts.iter().all(|part| name.contains(part)) && !name.starts_with("trash")
    });
    let name = found.next().unwrap_or_else(|| panic!("{parts:?} is in {all:?}"));
    assert_eq!(found.next(), None, "{parts:?}");
    store.objects_folder().join(name)
}

/// The file of an object whose address is a path, or that of a store which keeps objects as files.
fn path_of(address: &Value) -> PathBuf {
    let address = address.as_str().unwrap();
    bucket::folder_of(address).unwrap_or_else(|| PathBuf::from(address))
}

/// Flips a bit of a file, and says what it was before.
fn flip(path: &Path, bit: usize) -> Vec<u8> {
    let good = fs::read(path).unwrap();
    let mut bad = good.clone();
    bad[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bad).unwrap();
    good
}

/// The report of a check that finds fault.
fn failed_check(store: &Store) -> Value {
    let run = store.place.run(&["check", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn stop(service: Service) {
    service.signal("-TERM");
    assert_eq!(service.wait().code, Some(0));
}

fn rows_of_files(store: &Store) -> u64 {
    let files = store.place.json(&["files"]);
    files.as_array().unwrap().iter().map(|file| file["rows"].as_u64().unwrap()).sum()
}

#[test]
fn a_flipped_bit_in_a_fresh_file_takes_no_other_record_with_it() {
    let store = Store::with_batches(1);
    let first = objects(&store.objects_folder());
    store.send_more(2);
    let records = first
        .iter()
        .map(|name| store.objects_folder().join(name))
        .find(|path| !path.to_str().unwrap().contains(".partial."))
        .unwrap();
    // The bit that once became a record of the year 224051.
    let good = flip(&records, 39 * 8 + 6);
    let service = store.serve_also(&MERGE_SOON);
    let line = service.logged("an object is damaged");
    assert!(line.contains("records=1"), "{line}");
    service.logged("files compacted");
    let report = failed_check(&store);
    let books = json!({"ledger": 3, "files": 2, "set_aside": 1, "rollups": 3});
    assert_eq!(report["tenants"]["acme"], books);
    assert_eq!(report["differences"][0]["kind"], "damaged");
    assert_eq!(report["differences"][0]["records"], 1);
    assert_eq!(report["differences"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(rows_of_files(&store), 2);
    let stats = store.place.json(&["logs", "stats", "acme"]);
    assert_eq!((&stats["records"], &stats["top_paths"]["records"]), (&json!(3), &json!(2)));
    assert_eq!(stats["top_paths"]["left_out"]["records"], 1);
    assert_eq!(stats["top_paths"]["exact"], false);
    let said = store.place.run(&["logs", "stats", "acme"]).stderr;
    assert!(said.contains("without 1 records from "), "{said}");
    stop(service);

    fs::write(&records, good).unwrap();
    let deep = store.place.json(&["check", "--deep"]);
    assert_eq!(deep["deep"]["damaged"], 0, "{deep}");
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));
    stop(store.serve_also(&MERGE_SOON));
    assert_eq!(rows_of_files(&store), 3);
    assert_eq!(store.place.json(&["logs", "stats", "acme"])["top_paths"]["records"], 3);
}

#[test]
fn a_lost_object_stops_neither_merges_nor_counts() {
    let store = Store::with_batches(3);
    let names = objects(&store.objects_folder());
    let lost = names.iter().find(|name| !name.to_str().unwrap().contains(".partial.")).unwrap();
    fs::remove_file(store.objects_folder().join(lost)).unwrap();
    let service = store.serve_also(&MERGE_SOON);
    let line = service.logged("an object is damaged");
    assert!(line.contains("it does not exist"), "{line}");
    service.logged("files compacted");
    assert_eq!(rows_of_files(&store), 2);
    assert_eq!(failed_check(&store)["tenants"]["acme"]["set_aside"], 1);
}

#[test]
fn counts_by_path_that_are_damaged_are_made_again() {
    let store = Store::with_batches(2);
    let service = store.serve_also(&MERGE_SOON);
    service.logged("files compacted");
    stop(service);
    let partial = only_object(&store, &["/day=", ".partial."]);
    for bit in [100, 3000] {
        let bad = flip(&partial, bit);
        let stats = store.place.json(&["logs", "stats", "acme"]);
        assert_eq!((&stats["records"], &stats["top_paths"]["records"]), (&json!(2), &json!(0)));
        assert_eq!(stats["top_paths"]["left_out"]["records"], 2);
        fs::write(&partial, bad).unwrap();
    }
    flip(&partial, 100);
    let service = store.serve_also(&MERGE_SOON);
    service.logged("files compacted");
    let stats = store.place.json(&["logs", "stats", "acme"]);
    assert_eq!(stats["top_paths"]["records"], 2);
    assert_eq!(stats["top_paths"]["exact"], true);
    assert_eq!(store.records(), json!({"ledger": 2, "files": 2, "rollups": 2}));
}

/// A batch with an answer that is an object of its own.
pub(crate) fn send_many_rejections(store: &Store, service: &Service, id: Uuid) -> String {
    let lines: String =
        (0..400).map(|number| format!("{{\"none\": \"{number:050}\"}}\n")).collect();
    store.exchange(service, (id, ""), &lines)
}

#[test]
fn a_damaged_answer_is_refused_before_its_head_is_sent() {
    let store = Store::new();
    let service = store.serve();
    let id = Uuid::now_v7();
    let answer = send_many_rejections(&store, &service, id);
    assert!(answer.starts_with("HTTP/1.1 207 "), "{answer}");
    let object = only_object(&store, &["answers/"]);
    let bits = fs::read(&object).unwrap().len() * 8;
    let mut random = Random::new(7);
    for _ in 0..20 {
        let bit = random.index(bits);
        let good = flip(&object, bit);
        let refused = send_many_rejections(&store, &service, id);
        assert!(refused.starts_with("HTTP/1.1 503 "), "bit {bit}: {refused}");
        assert!(refused.to_lowercase().contains("retry-after: "), "{refused}");
        assert_eq!(failed_check(&store)["differences"][0]["kind"], "damaged");
        fs::write(&object, good).unwrap();
        let again = send_many_rejections(&store, &service, id);
        let body = |answer: &str| answer.split_once("\r\n\r\n").unwrap().1.to_owned();
        assert!(again.starts_with("HTTP/1.1 207 "), "bit {bit}: {again}");
        assert_eq!(body(&again), body(&answer));
        assert_eq!(store.place.json(&["check", "--deep"])["ok"], true);
    }
}

#[test]
fn each_bit_of_each_kind_of_object_is_watched() {
    let store = Store::with_batches(2);
    let service = store.serve_also(&MERGE_SOON);
    service.logged("files compacted");
    stop(service);
    let service = store.serve();
    store.send_some(&service, 1);
    send_many_rejections(&store, &service, Uuid::now_v7());
    stop(service);
    let stores = Stores::open(database::location(&store.data())).unwrap();
    let deep = || check_deeply(&stores, None, Utc::now(), &|_| ()).unwrap();
    let DeepCheck { objects: count, damaged, .. } = deep();
    assert_eq!((count, damaged), (5, 0));
    let live = store.place.json(&["files"]);
    let mut paths = vec![only_object(&store, &["answers/"])];
    for file in live.as_array().unwrap() {
        paths.extend(["path", "partial"].map(|name| path_of(&file[name])));
    }
    assert_eq!(paths.len(), 5);
    let sound: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let put_back = || {
        for (path, bytes) in paths.iter().zip(&sound) {
            fs::write(path, bytes).unwrap();
        }
    };
    let mut random = Random::new(61);
    for round in 0..200 {
        let bits = [(); 5].map(|()| random.index(usize::MAX));
        for ((path, bytes), bit) in paths.iter().zip(&sound).zip(bits) {
            flip(path, bit % (bytes.len() * 8));
        }
        assert_eq!(deep().damaged, 5, "round {round}: {bits:?}");
        put_back();
    }
    assert_eq!(deep().damaged, 0);
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));
}

/// Bytes of a page of SQLite.
const PAGE: usize = 4096;

/// The numbers of the pages that a table has, from 1 on.
fn pages_of_table(database: &Path, table: &str) -> Vec<usize> {
    let database = rusqlite::Connection::open(database).unwrap();
    let mut pages = database.prepare("SELECT pageno FROM dbstat WHERE name = ?1").unwrap();
    let pages = pages.query_map([table], |row| row.get(0)).unwrap();
    let pages: Vec<usize> = pages.map(Result::unwrap).collect();
    assert!(!pages.is_empty(), "{table}");
    pages
}

#[test]
fn a_damaged_database_takes_no_batches() {
    let store = Store::with_batches(20);
    let good = store.copy_database();
    let path = store.path("state.sqlite");
    // No table that a server reads before it serves.
    let damaged = pages_of_table(&path, "rollup");
    let mut pages = fs::read(&path).unwrap();
    let mut random = Random::new(3);
    for page in damaged {
        for byte in &mut pages[(page - 1) * PAGE..page * PAGE] {
            *byte = u8::try_from(random.below(256)).unwrap();
        }
    }
    fs::write(&path, pages).unwrap();
    assert_eq!(failed_check(&store)["differences"][0]["kind"], "database");
    let service = store.serve();
    service.logged("the database is damaged");
    let ready = get(&service.address(), "/readyz");
    assert!(ready.starts_with("HTTP/1.1 503 "), "{ready}");
    assert!(ready.contains("the database is damaged"), "{ready}");
    let refused = store.exchange(&service, (Uuid::now_v7(), ""), "{}\n");
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(refused.to_lowercase().contains("retry-after: "), "{refused}");
    stop(service);

    store.put_database(&good);
    let service = store.serve();
    assert!(get(&service.address(), "/readyz").starts_with("HTTP/1.1 200 "));
    store.send_some(&service, 1);
    assert_eq!(store.records(), json!({"ledger": 21, "files": 21, "rollups": 21}));
}

/// Overwrites the first page of a table with random bytes, in a database whose server is ended as by a crash then.
fn overwrite_page(server: &OwnServer, table: &str) {
    database::run(server.url(), "CHECKPOINT");
    let overwrite = format!(
        "DO $$ BEGIN EXECUTE format('COPY (SELECT 1) TO PROGRAM %L',
             'cat >/dev/null; dd if=/dev/urandom conv=notrunc bs=8192 count=1 of='
             || current_setting('data_directory') || '/' || pg_relation_filepath('{table}'));
         END $$"
    );
    database::run(server.url(), &overwrite);
    server.restart();
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_postgresql_with_a_damaged_page_takes_no_batches() {
    let server = OwnServer::start();
    let store = Store::in_place(Place::with_database(server.url().to_owned()));
    store.send_more(3);
    overwrite_page(&server, "rollup");
    let service = store.serve();
    service.logged("the database is damaged");
    let ready = get(&service.address(), "/readyz");
    assert!(ready.starts_with("HTTP/1.1 503 "), "{ready}");
    assert!(ready.contains("the database is damaged"), "{ready}");
    let refused = store.exchange(&service, (Uuid::now_v7(), ""), "{}\n");
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    stop(service);
    assert_eq!(failed_check(&store)["differences"][0]["kind"], "database");
}

#[test]
fn records_stay_as_long_as_those_that_arrived_with_them() {
    let store = Store::new();
    let settings = ["--set", "retention.raw_days=5", "--set", "maintenance.grace=0"];
    let service = store.serve_also(&settings);
    store.send_old(&service, TimeDelta::days(30));
    let merging = [&settings[..], &MERGE_SOON].concat();
    stop(service);
    let service = store.serve_also(&merging);
    service.logged("files compacted");
    stop(service);
    assert_eq!(rows_of_files(&store), 1, "its batch arrived today");
    store.make_batches_older(TimeDelta::days(6));
    store.serve_also(&settings).logged("deleted retired files");
    assert_eq!(rows_of_files(&store), 0);
    assert_eq!(store.records(), json!({"ledger": 1, "files": 1, "rollups": 1}));
}

#[test]
fn objects_of_an_earlier_version_get_their_digests_when_they_are_read() {
    let store = store_of_0ad109cc();
    let books = json!({"ledger": 50, "files": 50, "rollups": 50});
    let before = store.place.json(&["check"]);
    assert_eq!((&before["ok"], &before["tenants"]["acme"]), (&json!(true), &books));
    // Five files with their counts, and an answer.
    assert_eq!(before["looks"]["not_yet_verified"], 11);
    let deep = store.place.json(&["check", "--deep"]);
    assert_eq!((&deep["deep"]["objects"], &deep["deep"]["damaged"]), (&json!(11), &json!(0)));
    assert_eq!(deep["looks"]["not_yet_verified"], 0);
    let paths =
        store.place.json(&["logs", "stats", "acme", "--from", "2026-11-20", "--to", "2026-11-30"]);
    let service = store.serve_also(&MERGE_SOON);
    service.logged("files compacted");
    stop(service);
    assert_eq!(store.records(), books);
    let after =
        store.place.json(&["logs", "stats", "acme", "--from", "2026-11-20", "--to", "2026-11-30"]);
    assert_eq!(after, paths);
}

#[test]
fn a_file_of_an_earlier_version_that_cannot_be_what_the_ledger_knows_is_damaged() {
    let store = store_of_0ad109cc();
    let file = store.place.json(&["files"])[0]["path"].as_str().unwrap().to_owned();
    let end = fs::read(&file).unwrap().len();
    // The length of the footer.
    flip(Path::new(&file), (end - 7) * 8);
    let run = store.place.run(&["check", "--deep", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["deep"]["damaged"], 1, "{report}");
    let set_aside = &report["tenants"]["acme"]["set_aside"];
    assert!(set_aside.as_u64().unwrap() > 0, "{report}");
}
