//! `sweep`.

use std::fs;
use std::process::Command;

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::server::program::{address, get};
use crate::server::store::{Store, objects, orphan};

#[test]
fn a_sweep_of_many_objects_waits_for_a_confirmation() {
    let store = Store::with_batches(2);
    orphan(&store, 60);
    let service = store.serve_also(&["--metrics-listen", "127.0.0.1:0"]);
    let log = service.logged("they stay until you run `visibility-server sweep --confirm`");
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
    service.logged("moved unknown objects to the trash objects=20 bytes=2000");
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
fn settings_that_keep_less_than_before_wait_for_a_confirmation() {
    let store = Store::new();
    let longer = ["--set", "retention.raw_days=20"];
    let service = store.serve_also(&longer);
    store.send_old(&service, TimeDelta::days(30));
    drop(service);
    store.make_batches_older(TimeDelta::days(30));
    let service = store.serve_also(&longer);
    // From now on the database knows how long records were kept.
    service.logged("deleted old records and counts");
    store.send_old(&service, TimeDelta::days(10));
    drop(service);
    store.make_batches_older(TimeDelta::days(10));
    let lowered = ["--set", "retention.raw_days=5", "--set", "maintenance.grace=0"];
    let service = store.serve_also(&lowered);
    service.logged("`retention` is shorter than before");
    assert_eq!(store.place.json(&["files"]).as_array().unwrap().len(), 1);
    let waiting = store.place.json(&["sweep"]);
    assert_eq!(waiting["retention"], json!({"raw_days": 5, "rollup_months": 25}));
    let done = store.place.run(&["sweep", "--confirm"]);
    assert!(done.stdout.contains("retention.raw_days = 5"), "{}", done.stdout);
    service.logged("deleted old records and counts");
    service.logged("deleted retired files");
    assert_eq!(store.place.json(&["files"]), json!([]));
    assert_eq!(store.records(), json!({"ledger": 2, "files": 2, "rollups": 2}));
    assert_eq!(store.place.json(&["sweep"])["retention"], Value::Null);
}
