//! `logs stats`, beside a service that takes batches.

use serde_json::json;

use crate::server::program::Place;
use crate::server::store::with_batch;

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
