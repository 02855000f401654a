//! Other engines read the live files and agree with our counts.

use std::path::Path;
use std::process::Command;

use visibility_server::ingest::stats::StatsQuery;

use crate::files::Ingested;

/// Runs `engines.py` with the files and the counts of a tenant.
fn compare(ingested: &Ingested) {
    let files = serde_json::to_value(ingested.files()).expect("JSON");
    let stats = serde_json::to_value(ingested.stats(&ingested.query())).expect("JSON");
    let input = tempfile::NamedTempFile::new().expect("a file");
    let both = serde_json::json!({ "files": files, "stats": stats });
    std::fs::write(input.path(), both.to_string()).expect("it is written");
    let python = std::env::var("ENGINES_PYTHON").expect("ENGINES_PYTHON names a Python");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("integration/files/engines.py");
    let done = Command::new(python).arg(script).arg(input.path()).output().expect("it starts");
    let said = String::from_utf8_lossy(&done.stdout);
    let complaints = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}\n{complaints}");
    assert_eq!(said.matches("agrees").count(), 2, "{said}");
}

/// Runs `delta.py` with the log of a tenant and the counts of the days that it has records of.
fn compare_delta(ingested: &Ingested, query: &StatsQuery) {
    ingested.write_whole_delta_log();
    let stats = serde_json::to_value(ingested.stats(query)).expect("JSON");
    let input = tempfile::NamedTempFile::new().expect("a file");
    let both = serde_json::json!({ "table": ingested.table_folder(), "stats": stats });
    std::fs::write(input.path(), both.to_string()).expect("it is written");
    let python = std::env::var("LAKE_PYTHON").expect("LAKE_PYTHON names a Python");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("integration/files/delta.py");
    let done = Command::new(python).arg(script).arg(input.path()).output().expect("it starts");
    let said = String::from_utf8_lossy(&done.stdout);
    let complaints = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}\n{complaints}");
    assert_eq!(said.matches("agrees").count(), 4, "{said}");
}

#[test]
#[ignore = "needs readers of Delta logs: tests/run engines"]
fn readers_of_the_delta_log_agree_through_compaction_retention_and_checkpoints() {
    let mut ingested = Ingested::new(3, 3000);
    let all = ingested.query();
    compare_delta(&ingested, &all);
    ingested.compact();
    compare_delta(&ingested, &all);
    ingested.ingest(7, 3000);
    ingested.compact();
    compare_delta(&ingested, &all);
    for seed in 100..150 {
        ingested.ingest(seed, 20);
        ingested.write_delta_log();
    }
    assert!(ingested.table_folder().join("_delta_log/_last_checkpoint").exists());
    compare_delta(&ingested, &all);
    ingested.compact();
    ingested.forget_yesterday();
    compare_delta(&ingested, &StatsQuery { from: all.to, ..all });
}

#[test]
#[ignore = "needs DuckDB and polars: tests/run engines"]
fn duckdb_and_polars_agree_before_and_after_compaction() {
    let mut ingested = Ingested::new(3, 5000);
    compare(&ingested);
    ingested.compact();
    compare(&ingested);
    ingested.ingest(7, 5000);
    compare(&ingested);
    ingested.compact();
    compare(&ingested);
}
