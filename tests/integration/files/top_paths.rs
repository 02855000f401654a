//! The busiest paths are those that DuckDB finds in the records.

use std::path::Path;
use std::process::Command;

use chrono::TimeDelta;
use serde_json::{Value, json};
use visibility_core::agents::{Purpose, Registry};
use visibility_server::ingest::stats::{PathOrder, PathQuery, StatsQuery, StatusFilter, top_paths};
use visibility_tests::random::Random;

use crate::files::Ingested;

const QUESTIONS: usize = 200;

/// One of a list, or nothing as often as not.
fn some<T: Clone>(random: &mut Random, list: &[T]) -> Option<T> {
    (random.below(2) == 0).then(|| random.pick(list).clone())
}

/// A question at random, with our answer.
fn question(ingested: &Ingested, random: &mut Random) -> Value {
    let whole = ingested.query();
    let stats = ingested.stats(&whole);
    let agents: Vec<String> = stats.agents.into_iter().map(|agent| agent.id).collect();
    let hosts: Vec<String> = stats.hosts.into_iter().map(|host| host.host).collect();
    let from = whole.from + TimeDelta::days(random.up_to(90));
    let purposes = [Purpose::Search, Purpose::User, Purpose::Training, Purpose::Other];
    let status_class = some(random, &[2_u8, 3, 4, 5]);
    let query = StatsQuery {
        from,
        to: (from + TimeDelta::days(random.up_to(90))).min(whole.to),
        agent: some(random, &agents),
        purpose: some(random, &purposes),
        host: some(random, &hosts),
        status: status_class.map(StatusFilter::Class),
        top: *random.pick(&[1, 10, 100, 1_000]),
        ..whole
    };
    let prefix = *random.pick(&["", "", "/", "/products/", "/products/c", "/none"]);
    let (by, order) = *random.pick(&[(PathOrder::Records, "records"), (PathOrder::Bytes, "bytes")]);
    let answer = top_paths(&ingested.stores, &query, PathQuery { prefix, by }, &|| false)
        .expect("it counts");
    assert!(answer.exact, "{query:?}");
    let is_wanted = |id: &str, purpose: Purpose| {
        query.agent.as_deref().is_none_or(|only| only == id)
            && query.purpose.is_none_or(|only| only == purpose)
    };
    let wanted: Vec<&str> = Registry::embedded()
        .agents
        .iter()
        .filter(|agent| is_wanted(&agent.id, agent.purpose))
        .map(|agent| agent.id.as_str())
        .collect();
    let is_about_all = query.agent.is_none() && query.purpose.is_none();
    let paths: Vec<_> = answer
        .paths
        .iter()
        .map(|path| (&path.path, path.count.records, path.count.bytes))
        .collect();
    json!({
        "from": query.from,
        "to": query.to,
        "host": query.host,
        "agents": (!is_about_all).then_some(wanted),
        "status_class": status_class,
        "prefix": prefix,
        "by": order,
        "top": query.top,
        "answer": { "records": answer.records, "paths": paths },
    })
}

fn compare(ingested: &Ingested, random: &mut Random) {
    let questions: Vec<Value> = (0..QUESTIONS / 2).map(|_| question(ingested, random)).collect();
    let files: Vec<_> = ingested.files().into_iter().map(|file| file.path).collect();
    let input = tempfile::NamedTempFile::new().expect("a file");
    let both = json!({ "files": files, "questions": questions });
    std::fs::write(input.path(), both.to_string()).expect("it is written");
    let python = std::env::var("ENGINES_PYTHON").expect("ENGINES_PYTHON names a Python");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("integration/files/top_paths.py");
    let done = Command::new(python).arg(script).arg(input.path()).output().expect("it starts");
    let said = String::from_utf8_lossy(&done.stdout);
    let complaints = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}\n{complaints}");
    assert_eq!(said.trim(), format!("{} agree", QUESTIONS / 2));
}

#[test]
#[ignore = "needs DuckDB: tests/run engines"]
fn the_busiest_paths_are_those_of_duckdb_before_and_after_compaction() {
    let mut random = Random::new(70);
    let ingested = Ingested::new(6, 4_000);
    compare(&ingested, &mut random);
    ingested.compact();
    compare(&ingested, &mut random);
}
