//! What is added up with each batch is what DuckDB counts in the records.

use std::path::Path;
use std::process::Command;

use chrono::{NaiveDate, TimeDelta, Utc};
use serde_json::{Value, json};
use visibility_core::agents::Registry;
use visibility_core::store::sums::Sums;
use visibility_core::traffic::PathKind;
use visibility_server::ingest::recount::{RecountError, recount};
use visibility_server::settings::Retention;
use visibility_server::traffic::selection::Selection;
use visibility_server::traffic::series::{SeriesGroup, SeriesQuestion, SeriesStep, series};
use visibility_tests::database;
use visibility_tests::logs::Bad;

use crate::files::{Ingested, each_record, questions};

/// Lines of each of the two logs; all that is counted has a million with `VISIBILITY_TEST_LINES=500000`.
fn lines() -> u64 {
    let lines = std::env::var("VISIBILITY_TEST_LINES").ok();
    lines.map_or(20_000, |lines| lines.parse().expect("a number of lines"))
}

/// All questions there are, with our answers, about some days.
fn answers(ingested: &Ingested, from: NaiveDate, to: NaiveDate) -> Vec<Value> {
    let of_day = [
        SeriesGroup::Purpose,
        SeriesGroup::Agent,
        SeriesGroup::Vendor,
        SeriesGroup::Host,
        SeriesGroup::Status,
        SeriesGroup::Kind,
    ];
    let of_hour =
        [SeriesGroup::Purpose, SeriesGroup::Agent, SeriesGroup::Vendor, SeriesGroup::Host];
    let days = of_day.map(|group| (SeriesStep::Day, group));
    let hours = of_hour.map(|group| (SeriesStep::Hour, group));
    let answer = |(by, group)| {
        let selection = Selection::of_days(ingested.tenant.clone(), from, to);
        let question = SeriesQuestion { selection, by, group };
        question.check(to).expect("it can be counted");
        let answer = series(&ingested.stores, &question).expect("it counts");
        assert_eq!(answer.uncounted, []);
        serde_json::to_value(answer).expect("it is JSON")
    };
    days.into_iter().chain(hours).map(answer).collect()
}

fn sums(ingested: &Ingested) -> Sums {
    ingested.stores.state_store().sums(&ingested.tenant).expect("they are read")
}

/// The rows of all lists but the rollups, without those of days before one.
fn rows(sums: &Sums, from: NaiveDate, is_complete: bool) -> Value {
    let first_hour = from.to_epoch_days() * 24;
    let kinds = sums.kinds.iter().filter(|row| row.day >= from);
    let hours = sums.hours.iter().filter(|row| row.hour >= first_hour);
    let seen: Vec<Value> = sums
        .seen
        .iter()
        .map(|row| json!([row.agent, row.host, row.first_micros, row.last_micros]))
        .collect();
    json!({
        "kinds": kinds
            .map(|row| {
                json!([row.day, row.agent, row.host, row.kind, row.status_group, row.records, row.bytes])
            })
            .collect::<Vec<_>>(),
        "hours": hours
            .map(|row| {
                let classes = [row.records, row.refused, row.missing, row.failed];
                json!([row.hour, row.agent, row.host, classes])
            })
            .collect::<Vec<_>>(),
        "seen": is_complete.then_some(seen),
    })
}

/// Compares everything from a day on with the records. `seen` is compared only while the records of all days are there.
fn compare(ingested: &Ingested, from: NaiveDate, is_complete: bool) {
    let to = ingested.now.date_naive();
    let files = ingested.files();
    let mut kinds = serde_json::Map::new();
    for file in &files {
        each_record(file, |record| {
            let path = record.request_path.split('?').next().unwrap_or_default();
            kinds.entry(path).or_insert_with(|| json!(PathKind::of(path)));
        });
    }
    let agents = Registry::embedded().agents.iter();
    let input = json!({
        "files": files.into_iter().map(|file| file.path).collect::<Vec<_>>(),
        "from": from,
        "kinds": kinds,
        "vendors": agents.clone().map(|agent| (agent.id.clone(), json!(agent.vendor))).collect::<serde_json::Map<_, _>>(),
        "purposes": agents.map(|agent| (agent.id.clone(), json!(agent.purpose))).collect::<serde_json::Map<_, _>>(),
        "rows": rows(&sums(ingested), from, is_complete),
        "answers": answers(ingested, from, to),
    });
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), input.to_string()).expect("it is written");
    let python = std::env::var("ENGINES_PYTHON").expect("ENGINES_PYTHON names a Python");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("integration/files/sums.py");
    let done = Command::new(python).arg(script).arg(file.path()).output().expect("it starts");
    let said = String::from_utf8_lossy(&done.stdout);
    let complaints = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}\n{complaints}");
    assert_eq!(said.trim(), "10 answers agree");
}

fn count_again(ingested: &Ingested, day: NaiveDate) -> Result<u64, RecountError> {
    recount(&ingested.stores, &ingested.tenant, day, &|| false)
}

/// Logs of two days, and of two others five days earlier. With records of wrong times, a database that has a clock of its own would
/// ask for the right one.
fn two_logs() -> Ingested {
    let mut ingested = Ingested::new(0, 0);
    let now = ingested.now;
    ingested.now = now - TimeDelta::days(5);
    ingested.ingest_log(71, lines(), Bad::None);
    ingested.now = now;
    ingested.ingest_log(72, lines(), Bad::None);
    ingested
}

#[test]
#[ignore = "needs DuckDB: tests/run engines"]
fn all_counts_are_those_of_duckdb_whatever_happens_to_the_files() {
    let ingested = two_logs();
    let today = ingested.now.date_naive();
    let first = today - TimeDelta::days(10);
    compare(&ingested, first, true);
    let before = sums(&ingested);

    ingested.compact();
    assert_eq!(sums(&ingested), before);
    compare(&ingested, first, true);

    // All of the new tables is lost, and counted again twice.
    for table in ["kind_day", "hour", "agent_seen"] {
        database::execute(ingested.folder.path(), &format!("DELETE FROM {table}"));
    }
    for _ in 0..2 {
        let days = first.iter_days().take_while(|day| *day <= today);
        let counted = days.map(|day| count_again(&ingested, day).expect("it is counted"));
        assert_eq!(counted.sum::<u64>(), ingested.accepted);
        assert_eq!(sums(&ingested), before);
    }
    compare(&ingested, first, true);

    // The records of the older log go, its counts stay.
    let retention = Retention { raw_days: 3, rollup_months: 25 };
    let state_store = ingested.stores.state_store();
    database::execute(ingested.folder.path(), "UPDATE data_file SET newest_batch = max_time");
    while state_store.apply_retention(&retention, ingested.now).expect("it forgets").files > 0 {}
    assert_eq!(sums(&ingested), before);
    compare(&ingested, today - TimeDelta::days(3), false);
    let older = before.rollups.first().expect("a day").day;
    let refused = count_again(&ingested, older).expect_err("its records are forgotten");
    assert!(matches!(refused, RecountError::RecordsForgotten { found: 0, .. }), "{refused}");
    assert_eq!(sums(&ingested), before);

    // Then its counts go, in all tables.
    let retention = Retention { raw_days: 3, rollup_months: 0 };
    while state_store.apply_retention(&retention, ingested.now).expect("it forgets").rollups > 0 {}
    let after = sums(&ingested);
    assert!(after.rollups.iter().all(|row| row.day == today) && !after.rollups.is_empty());
    assert!(after.kinds.iter().all(|row| row.day == today));
    assert_eq!(after.hours, before.hours, "hours are stored for another number of days");
    compare(&ingested, today, false);
}

#[test]
#[ignore = "needs DuckDB: tests/run engines"]
fn the_queries_of_the_documentation_answer_as_the_routes() {
    // A database that has a clock of its own takes no records of another time.
    let mut ingested = Ingested::at(Utc::now());
    ingested.ingest(1, 4000);
    let files: Vec<String> =
        ingested.files().into_iter().map(|file| json!(file.path).to_string()).collect();
    let table = format!("read_parquet([{}])", files.join(", ").replace('"', "'"));
    for (question, query) in questions::documented("FROM delta_scan(", &ingested) {
        // The extension for Delta logs is downloaded; these are the files of the log.
        let query = query.replace("delta_scan('/var/lib/visibility/objects/tenant=acme')", &table);
        let python = std::env::var("ENGINES_PYTHON").expect("ENGINES_PYTHON names a Python");
        let script = "import duckdb, sys; c = duckdb.connect(); \
            c.execute('SET autoinstall_known_extensions = false'); c.execute(sys.argv[1]); \
            print(*('\\t'.join(map(str, row)) for row in c.fetchall()), sep='\\n')";
        let done = Command::new(python).args(["-c", script, &query]).output().expect("it starts");
        let complaints = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{query}: {complaints}");
        let text = String::from_utf8(done.stdout).expect("text");
        let rows: Vec<Vec<String>> =
            text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect();
        assert_eq!(rows, questions::answered(question, &ingested), "{query}");
    }
}
