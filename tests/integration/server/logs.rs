//! `logs`, beside a service that takes batches.

use chrono::{TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;
use visibility_tests::database;
use visibility_tests::wait::until_blocking;

use crate::server::program::Place;
use crate::server::reconcile::store_of_0ad109cc;
use crate::server::store::{Store, with_batch};

#[test]
fn what_was_sent_is_counted() {
    let place = Place::new();
    let _service = with_batch(&place, &["/a", "/a?b=c", "/d"]);
    let stats = place.json(&["logs", "stats", "acme"]);
    assert_eq!((&stats["records"], &stats["bytes"]), (&json!(3), &json!(300)));
    assert_eq!(stats["agents"][0]["name"], "GPTBot");
    assert_eq!(stats["hosts"][0]["host"], "www.example.com");
    assert_eq!(stats["statuses"][0]["status"], 200);
    let first = &stats["top_paths"]["paths"][0];
    assert_eq!((&first["path"], &first["records"]), (&json!("/a"), &json!(2)));
    let none = place.json(&["logs", "stats", "acme", "--status", "4xx"]);
    assert_eq!(none["records"], 0);
    let human = place.run(&["logs", "stats", "acme", "--top", "1"]).stdout;
    assert!(human.contains("(UTC): 3 records, 300 bytes\n"), "{human}");
    assert!(human.contains("2        200    /a\n"), "{human}");
}

#[test]
fn days_that_cannot_be_counted_are_refused() {
    let place = Place::new();
    place.json(&["tenants", "create", "acme"]);
    for days in [["2026-02-02", "2026-02-01"], ["1926-02-02", "2026-02-01"]] {
        let run = place.run(&["logs", "stats", "acme", "--from", days[0], "--to", days[1]]);
        assert_eq!(run.code, Some(2), "{days:?}");
        assert!(run.stderr.contains("cannot be counted"), "{}", run.stderr);
    }
    let unknown = place.run(&["logs", "stats", "unknown"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("there is no tenant `unknown`"), "{}", unknown.stderr);
}

#[test]
fn records_are_counted_day_by_day_and_hour_by_hour() {
    let place = Place::new();
    let _service = with_batch(&place, &["/a", "/robots.txt", "/a.css", "/b?c=d"]);
    let kinds = place.json(&["logs", "series", "acme", "--group", "kind"]);
    let groups = kinds["groups"].as_array().unwrap();
    let sums: Vec<_> = groups.iter().map(|group| (&group["key"], &group["requests"])).collect();
    let expected = [("page", 2), ("asset", 1), ("robots", 1)];
    assert_eq!(sums.len(), expected.len(), "{kinds}");
    for ((key, records), expected) in sums.into_iter().zip(expected) {
        assert_eq!((key.as_str().unwrap(), records.as_u64().unwrap()), expected, "{kinds}");
    }
    assert_eq!(kinds["days"].as_array().unwrap().len(), 30);
    assert_eq!(groups[0]["values"].as_array().unwrap().len(), 30);
    let hours = place.json(&["logs", "series", "acme", "--by", "hour", "--group", "agent"]);
    assert_eq!(hours["hours"].as_array().unwrap().len(), 30 * 24);
    let agent = &hours["groups"][0];
    assert_eq!((&agent["name"], &agent["requests"]), (&json!("GPTBot"), &json!(4)));
    let human = place.run(&["logs", "series", "acme"]).stdout;
    assert!(human.contains("(UTC): 4 requests\n"), "{human}");
    assert!(human.contains("day         training  all\n"), "{human}");
}

#[test]
fn hours_of_what_is_not_counted_by_hour_are_refused() {
    let place = Place::new();
    place.json(&["tenants", "create", "acme"]);
    for (arguments, why) in [
        (&["--by", "hour", "--group", "kind"][..], "hours are counted by agent and host"),
        (&["--by", "hour", "--group", "status"], "hours are counted by agent and host"),
        (
            &["--by", "hour", "--from", "2026-01-01", "--to", "2026-03-01"],
            "at most 31 days are shown by hour",
        ),
        (&["--by", "hour", "--from", "2026-01-01", "--to", "2026-01-02"], "stored for 95 days"),
        (&["--by", "week"], "possible values: day, hour"),
        (&["--group", "path"], "possible values: purpose, agent, vendor, host, status, kind"),
    ] {
        let run = place.run(&[&["logs", "series", "acme"], arguments].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(why), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn a_day_is_counted_again_from_its_records() {
    let store = Store::with_batches(3);
    let series = || store.place.json(&["logs", "series", "acme", "--group", "kind"]);
    let before = series();
    let days = Utc::now() - TimeDelta::days(1);
    let from = days.date_naive().to_string();
    let recount = |arguments: &[&str]| {
        store.place.run(&[&["logs", "recount", "acme", "--from", &from], arguments].concat())
    };
    for table in ["kind_day", "hour", "agent_seen"] {
        database::execute(&store.data(), &format!("DELETE FROM {table}"));
    }
    let check = store.place.run(&["check"]);
    assert_eq!(check.code, Some(1), "{}", check.stdout);
    assert!(check.stdout.contains("3 records by status, 0 by kind, 0 by hour"), "{}", check.stdout);
    assert!(check.stderr.contains("logs recount acme --from"), "{}", check.stderr);
    for _ in 0..2 {
        let run = recount(&[]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.contains("  3 records\n"), "{}", run.stdout);
        assert_eq!(series(), before);
        store.records();
    }
    // One record is not there any more.
    database::execute(
        &store.data(),
        "UPDATE data_file SET retired_at = 1 WHERE id = (SELECT min(id) FROM data_file)",
    );
    let run = recount(&["--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("records were forgotten: 2 of 3 are left"), "{}", run.stdout);
    assert_eq!(series(), before);
}

#[test]
fn a_recount_that_is_killed_has_replaced_all_counts_or_none() {
    let store = Store::with_batches(2);
    let series = || store.place.json(&["logs", "series", "acme", "--group", "kind"]);
    let before = series();
    let day = before["to"].as_str().unwrap().to_owned();
    for point in ["before-begin", "after-kinds", "after-seen", "before-commit", "after-commit"] {
        database::execute(&store.data(), "DELETE FROM kind_day");
        database::execute(&store.data(), "DELETE FROM agent_seen");
        let of_today = ["logs", "recount", "acme", "--from", &day, "--to", &day];
        let mut command = store.place.command(&of_today);
        let killed = command.env("VISIBILITY_CRASH_AT", point).output().unwrap();
        assert_eq!(killed.status.code(), None, "{point}");
        let is_done = store.place.run(&["check"]).code == Some(0);
        assert_eq!(is_done, point == "after-commit", "{point}");
        assert_eq!(series() == before, is_done, "{point}");
    }
    store.place.json(&["logs", "recount", "acme"]);
    assert_eq!(series(), before);
    store.records();
}

#[test]
fn days_that_an_earlier_version_has_counted_are_counted_again() {
    let store = store_of_0ad109cc();
    let report = store.place.json(&["check"]);
    assert_eq!(report["ok"], true, "{report}");
    let uncounted = report["uncounted"].as_array().unwrap();
    assert!(!uncounted.is_empty());
    assert!(uncounted.iter().all(|days| days["state"] == "waiting"), "{report}");
    let note = store.place.run(&["check"]).stderr;
    assert!(note.contains("not yet counted again"), "{note}");
    let to = uncounted.last().unwrap()["to"].as_str().unwrap();
    let series = |group| {
        let series = store.place.json(&["logs", "series", "acme", "--to", to, "--group", group]);
        let groups = series["groups"].as_array().unwrap().iter();
        (groups.map(|group| group["requests"].as_u64().unwrap()).sum::<u64>(), series)
    };
    let (all, _) = series("agent");
    let (kinds, answer) = series("kind");
    assert_eq!(kinds, 0);
    assert_eq!(answer["uncounted"].as_array().unwrap().len(), uncounted.len());
    let _service = store.serve();
    let is_whole = || store.place.json(&["check"]).get("uncounted").is_none();
    until_blocking("all days are whole", is_whole);
    let (kinds, answer) = series("kind");
    assert!(all > 0);
    assert_eq!(kinds, all, "{answer}");
    assert_eq!(answer["uncounted"], json!([]));
}

#[test]
fn days_on_which_an_older_node_publishes_are_counted_again() {
    let store = Store::with_batches(2);
    let execute = |sql: &str| database::execute(&store.data(), sql);
    // The first round finds nothing.
    store.send_more(1);
    // An older node is seen, and publishes what only the rollups know.
    let far = (Utc::now() + TimeDelta::days(1)).timestamp_micros();
    execute(&format!(
        "INSERT INTO node (id, name, started_at, seen_at) VALUES ('{}', 'old', 1, {far})",
        Uuid::from_u128(7)
    ));
    execute("DELETE FROM kind_day");
    execute("DELETE FROM hour");
    let report = store.place.json(&["check"]);
    assert_eq!(report["uncounted"].as_array().unwrap().len(), 1, "{report}");
    let service = store.serve();
    let is_whole = || store.place.json(&["check"]).get("uncounted").is_none();
    until_blocking("all days are whole", is_whole);
    // It goes on.
    execute("DELETE FROM kind_day");
    store.records();
    until_blocking("all days are whole", is_whole);
    // When it has ended, what differs is a fault: the next round makes sure that nothing is left of it.
    execute("DELETE FROM node WHERE name = 'old'");
    until_blocking("a difference is a fault", || {
        execute("DELETE FROM kind_day");
        store.place.run(&["check"]).code == Some(1)
    });
    drop(service);
}
