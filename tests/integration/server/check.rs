//! `check`.

use std::fs;

use serde_json::{Value, json};

use crate::server::program::Place;
use crate::server::store::{Store, paths_of, with_batch};

#[test]
fn check_says_what_is_lost_and_fails() {
    let place = Place::new();
    let _service = with_batch(&place, &["/a", "/b"]);
    let good = place.run(&["check"]);
    assert_eq!(good.code, Some(0), "{}", good.stderr);
    assert!(good.stdout.contains("acme    2       2      2\nok: 1 files,"), "{}", good.stdout);
    assert_eq!(place.json(&["check"])["ok"], true);
    let file = paths_of(&place.json(&["files"])).remove(0);
    fs::remove_file(&file).unwrap();
    let bad = place.run(&["check"]);
    assert_eq!(bad.code, Some(1), "{}", bad.stderr);
    assert!(bad.stdout.contains("DIFFERENT  tenant=acme/new/"), "{}", bad.stdout);
    let machine = place.run(&["check", "--format", "json"]);
    assert_eq!(machine.code, Some(1));
    let report: Value = serde_json::from_str(&machine.stdout).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["differences"][0]["kind"], "missing");
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
    service.logged("deleted old objects from the trash");
    assert!(!store.path("objects/trash").exists());
    assert_eq!(store.place.json(&["check"])["trash"]["objects"], 0);
}
