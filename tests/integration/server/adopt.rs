//! A database that is older than its objects gets back what it has forgotten: `reconcile --adopt`.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use chrono::TimeDelta;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::server::damage::send_many_rejections;
use crate::server::program::Service;
use crate::server::reconcile::store_of_0ad109cc;
use crate::server::store::{Store, objects};

fn adopt(store: &Store, more: &[&str]) -> Value {
    store.place.json(&[&["reconcile", "--adopt"], more].concat())
}

fn stop(service: Service) {
    service.signal("-TERM");
    assert_eq!(service.wait().code, Some(0));
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap().1
}

/// A store whose database does not know the batches with these ids, and their answers.
fn older_store(count: usize) -> (Store, Vec<(Uuid, String)>) {
    let store = Store::with_batches(2);
    let old = store.copy_database();
    let service = store.serve();
    let answers = (0..count).map(|_| {
        let id = Uuid::now_v7();
        let record = r#"{"timestamp":"TIME","user_agent":"GPTBot/1.2","request_method":"GET",
            "request_path":"/a?b","status_code":200,"response_bytes":7,"referrer":"","host":"a.example",
            "client_ip_hash":"0123456789abcdef"}"#;
        let now = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
        let record = record.replace("TIME", &now).replace('\n', " ");
        (id, store.exchange(&service, (id, ""), &format!("{record}\n{{}}\n")))
    });
    let answers = answers.collect();
    stop(service);
    store.put_database(&old);
    (store, answers)
}

fn is_given_again(store: &Store, answers: &[(Uuid, String)]) {
    let service = store.serve();
    for (id, answer) in answers {
        let again = store.exchange(&service, (*id, ""), "{}\n");
        assert!(again.starts_with("HTTP/1.1 207 "), "{again}");
        assert_eq!(body(&again), body(answer));
    }
    stop(service);
}

#[test]
fn an_older_database_gets_back_what_it_has_forgotten() {
    let (store, answers) = older_store(30);
    store.is_refused("older_database", "the database is older than the objects");
    let done = adopt(&store, &[]);
    assert_eq!(
        done,
        json!({"batches": 30, "records": 30, "known": 0, "without_id": 0, "left": []})
    );
    assert_eq!(store.records(), json!({"ledger": 32, "files": 32, "rollups": 32}));
    let stats = store.place.json(&["logs", "stats", "acme"]);
    assert_eq!((&stats["records"], &stats["top_paths"]["records"]), (&json!(32), &json!(32)));
    is_given_again(&store, &answers);
    assert_eq!(store.records(), json!({"ledger": 32, "files": 32, "rollups": 32}));
    assert_eq!(store.place.json(&["check", "--deep"])["deep"]["damaged"], 0);
    let done = adopt(&store, &[]);
    assert_eq!((&done["batches"], &done["known"]), (&json!(0), &json!(0)), "nothing is left");
}

#[test]
fn what_was_set_aside_can_be_adopted() {
    let (store, answers) = older_store(3);
    assert_eq!(store.reconcile(), (6, 0));
    assert_eq!(store.records()["ledger"], 2);
    assert_eq!(adopt(&store, &[])["batches"], 3);
    assert_eq!(store.records(), json!({"ledger": 5, "files": 5, "rollups": 5}));
    is_given_again(&store, &answers);
}

#[test]
fn a_response_that_is_an_object_is_given_back() {
    let store = Store::with_batches(1);
    let old = store.copy_database();
    let service = store.serve();
    let id = Uuid::now_v7();
    let answer = send_many_rejections(&store, &service, id);
    store.send_some(&service, 1);
    stop(service);
    store.put_database(&old);
    assert_eq!(adopt(&store, &[])["batches"], 2);
    let service = store.serve();
    assert_eq!(body(&send_many_rejections(&store, &service, id)), body(&answer));
    stop(service);
    assert_eq!(store.place.json(&["check", "--deep"])["ok"], true);
}

#[test]
fn a_batch_that_was_sent_again_is_not_adopted() {
    let (store, answers) = older_store(2);
    for name in ["last-published", "objects/newest.json"] {
        fs::remove_file(store.path(name)).unwrap();
    }
    let service = store.serve();
    store.send(&service, answers[0].0, "");
    stop(service);
    let done = adopt(&store, &[]);
    assert_eq!((&done["batches"], &done["known"]), (&json!(1), &json!(1)), "{done}");
    assert_eq!(store.records(), json!({"ledger": 4, "files": 4, "rollups": 4}));
}

#[test]
fn counts_by_path_that_are_missing_are_made() {
    let (store, _) = older_store(2);
    let fresh = store.path("objects/tenant=acme/new");
    for name in objects(&fresh) {
        let is_partial = name.to_str().unwrap().contains(".partial.");
        if is_partial {
            fs::write(fresh.join(name), "no counts").unwrap();
        }
    }
    assert_eq!(adopt(&store, &[])["batches"], 2);
    let stats = store.place.json(&["logs", "stats", "acme"]);
    assert_eq!(stats["top_paths"]["left_out"]["records"], 2, "of the two that were known: {stats}");
    assert_eq!(stats["top_paths"]["records"], 2);
}

#[test]
fn a_damaged_file_is_left_with_a_reason() {
    let (store, _) = older_store(1);
    let fresh = store.path("objects/tenant=acme/new");
    let newest =
        objects(&fresh).into_iter().rfind(|name| !name.to_str().unwrap().contains(".partial."));
    let file = fresh.join(newest.unwrap());
    let mut bytes = fs::read(&file).unwrap();
    for byte in &mut bytes[4..60] {
        *byte ^= 0x55;
    }
    fs::write(&file, bytes).unwrap();
    let run = store.place.run(&["reconcile", "--adopt"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.starts_with("0 batches adopted (0 records), 0 were known already.\nLEFT  "));
    assert!(file.exists());
    assert_eq!(store.records()["ledger"], 2);
}

#[test]
fn files_of_an_earlier_version_are_adopted_if_an_operator_says_so() {
    let store = store_of_0ad109cc();
    let fresh = store.path("objects/tenant=acme/new");
    let name =
        objects(&fresh).into_iter().find(|name| !name.to_str().unwrap().contains(".partial."));
    fs::copy(fresh.join(name.unwrap()), fresh.join(format!("{}.parquet", Uuid::now_v7()))).unwrap();
    let before = store.records()["ledger"].as_u64().unwrap();
    let done = adopt(&store, &[]);
    assert_eq!((&done["batches"], &done["without_id"]), (&json!(0), &json!(1)), "{done}");
    let run = store.place.run(&["reconcile", "--adopt"]);
    assert!(run.stderr.contains("may have been sent again"), "{}", run.stderr);
    let done = adopt(&store, &["--confirm"]);
    assert_eq!((&done["batches"], &done["without_id"]), (&json!(1), &json!(0)), "{done}");
    let books = store.records();
    assert_eq!(books["ledger"], before + done["records"].as_u64().unwrap());
    assert_eq!((&books["files"], &books["rollups"]), (&books["ledger"], &books["ledger"]));
}

fn make_old(folder: &Path) {
    for name in objects(folder) {
        let file = fs::File::options().write(true).open(folder.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_hours(48)).unwrap();
    }
}

#[test]
fn the_only_copy_of_a_batch_is_not_swept() {
    let (store, answers) = older_store(2);
    for name in ["last-published", "objects/newest.json"] {
        fs::remove_file(store.path(name)).unwrap();
    }
    let fresh = store.path("objects/tenant=acme/new");
    make_old(&fresh);
    let service = store.serve();
    let line = service.logged("objects are of batches that the database does not know");
    assert!(line.contains("objects=4"), "{line}");
    assert!(line.contains("reconcile --adopt"), "{line}");
    assert_eq!(objects(&store.path("objects/tenant=acme")).len(), 8);
    store.send(&service, answers[0].0, "");
    stop(service);
    let service = store.serve();
    let line = service.logged("objects are of batches that the database does not know");
    assert!(line.contains("objects=2"), "{line}");
    service.logged("moved unknown objects to the trash objects=2");
    stop(service);
    assert_eq!(adopt(&store, &[])["batches"], 1);
    assert_eq!(store.records(), json!({"ledger": 4, "files": 4, "rollups": 4}));
}

#[test]
fn what_was_forgotten_is_still_there_after_a_month() {
    let (store, answers) = older_store(5);
    for name in ["last-published", "objects/newest.json"] {
        fs::remove_file(store.path(name)).unwrap();
    }
    // More than a day, after which unknown objects go to the trash, and more than a week, after which that is emptied.
    for days in [2, 4, 12, 31] {
        store.set_clock(TimeDelta::days(days));
        store.operate(&["clock", "accept"]);
        let service = store.serve();
        let line = service.logged("objects are of batches that the database does not know");
        assert!(line.contains("objects=10"), "{line}");
        stop(service);
    }
    store.set_clock(TimeDelta::zero());
    store.operate(&["clock", "accept"]);
    assert_eq!(adopt(&store, &[])["batches"], 5);
    is_given_again(&store, &answers);
    assert_eq!(store.records(), json!({"ledger": 7, "files": 7, "rollups": 7}));
}
