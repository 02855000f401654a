//! One line: it is JSON exactly if serde_json says so, and its values never stop anything.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use visibility_core::ingest::{ContentCoding, LogRecord, RecordSink, Rejection, Rules, read_batch};
use visibility_core::store::StoreError;

#[derive(Default)]
struct Paths(Vec<String>);

impl RecordSink for Paths {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        assert!(record.request_path.starts_with('/'));
        self.0.push(record.request_path.to_owned());
        Ok(())
    }

    fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Whether the line was a record, and the path if it was accepted.
fn read(line: &[u8]) -> Option<Option<String>> {
    let rules = Rules::at("2026-11-20T23:00:00Z".parse().expect("a time"));
    let mut paths = Paths::default();
    let counts = read_batch(line, ContentCoding::Identity, &rules, &mut paths).ok()?;
    assert_eq!((counts.received, counts.accepted), (1, paths.0.len() as u64));
    Some(paths.0.pop())
}

/// A record with everything in order but its path.
fn record(path: &str) -> String {
    json!({
        "timestamp": "2026-11-20T22:00:00Z",
        "user_agent": "GPTBot/1.3",
        "request_method": "GET",
        "request_path": path,
        "status_code": 200,
        "response_bytes": 1,
        "referrer": path,
        "host": "example.com",
        "client_ip_hash": "9f86d081884c7d659a2feaa0c55ad015",
    })
    .to_string()
}

fuzz_target!(|line: &[u8]| {
    // What is stored is stored again as it is: nothing to deny or to redact is left in it.
    if let Ok(text) = std::str::from_utf8(line) {
        let stored = read(record(&format!("/{text}")).as_bytes()).expect("a record");
        if let Some(stored) = stored.filter(|stored| stored.len() <= 8192) {
            let again = read(record(&stored).as_bytes()).expect("a record");
            assert!(again.is_none_or(|again| again == stored), "{stored}");
        }
    }
    let is_blank = line.iter().all(|byte| b" \t\r\n".contains(byte));
    if line.contains(&b'\n') || line.starts_with(b"\xEF\xBB\xBF") || is_blank {
        return;
    }
    let oracle: Result<Value, _> = serde_json::from_slice(line);
    let is_object = oracle.as_ref().is_ok_and(Value::is_object);
    // Numbers beyond f64 and depth beyond 128 are limits of the oracle.
    let is_limit = oracle.is_err_and(|error| {
        let error = error.to_string();
        error.contains("out of range") || error.contains("recursion limit")
    });
    assert!(is_limit || read(line).is_some() == is_object);
});
