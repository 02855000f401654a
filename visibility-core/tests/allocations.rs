//! A record that is taken costs no allocation.

use std::alloc::System;

use chrono::DateTime;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use visibility_core::agents::Registry;
use visibility_core::ingest::{BatchReader, LogRecord, RecordSink, Rejection, Rules};
use visibility_core::store::StoreError;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

struct Nothing;

impl RecordSink for Nothing {
    fn accept(&mut self, _: &LogRecord<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        Err(StoreError::unchanged(format!("{rejection:?}"), "it was to be taken"))
    }
}

fn line(path: &str, referrer: &str, host: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-11-20T22:00:00.123Z","user_agent":"Mozilla\/5.0 (compatible; GPTBot/1.3)","request_method":"GET","request_path":"{path}","status_code":200,"response_bytes":5123,"referrer":"{referrer}","host":"{host}","client_ip_hash":"9f86d081884c7d659a2feaa0c55ad015"}}"#
    ) + "\n"
}

/// Plain and odd records: escapes, queries, encodings, values to redact, hosts to fold.
fn batch() -> String {
    [
        line("/", "", "www.example.com"),
        line("/products/1?variant=5&utm_source=chatgpt.com", "https://chatgpt.com/", "example.com"),
        line("\\/\\u00fcr\\u00fcnler?q=%C3%BC+%26", "", "WWW.Example.com.:8080"),
        line("/a?n%61me[x]=1&x%26y=2&Größe=3&next=%2Fb%3Fc%3D1", "https://a.example/?q=1", "[::1]"),
        line("/a?state=CA&x=bob%40example.com", "https://a.example/?token=1", "203.0.113.9"),
        line("/a;v=1/b%20c?x=_", "https://user:pass@a.example/", "a.example:443"),
    ]
    .concat()
}

#[test]
fn a_record_that_is_taken_costs_no_allocation() {
    let rules = Rules::at(DateTime::parse_from_rfc3339("2026-11-20T23:00:00Z").unwrap().to_utc());
    let mut sink = Nothing;
    let mut reader = BatchReader::new(&rules, Registry::embedded(), &mut sink);
    let batch = batch();
    let (start, end) = batch.as_bytes().split_at(100);
    let mut feed = || {
        reader.feed(start).unwrap();
        reader.feed(end).unwrap();
    };
    // The first records make the buffers as large as they have to be.
    feed();
    // The allocator counts every thread, and that of the test harness allocates a little while it begins to wait.
    // A record that costs an allocation costs it in each round.
    let rounds = [(); 10].map(|()| {
        let region = Region::new(ALLOCATOR);
        for _ in 0..10 {
            feed();
        }
        let change = region.change();
        change.allocations + change.reallocations
    });
    assert!(rounds.contains(&0), "{rounds:?}");
    assert_eq!(reader.finish().unwrap().accepted, 606);
}
