//! ClickHouse has each record once, through merging and deletion, and whatever breaks off.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use chrono::Utc;
use tokio::sync::watch;
use visibility_server::ingest::clickhouse::ClickHouse;
use visibility_server::ingest::stats::{Count, Stats, StatsQuery};
use visibility_server::settings::ClickHouseSettings;
use visibility_server::stores::state::outbox::Consumer;
use visibility_tests::clickhouse::{ClickHouseServer, PASSWORD, USER};

use crate::files::{Ingested, questions};

const DATABASE: &str = "records";

/// The groups of the records are those that we count.
fn assert_agrees(server: &ClickHouseServer, stats: &Stats) {
    let days = stats.days.iter().map(|day| (day.day.to_string(), day.count));
    assert_groups(server, "toDate(timestamp)", days.collect());
    let agents = stats.agents.iter().map(|agent| (agent.id.clone(), agent.count));
    assert_groups(server, "agent", agents.collect());
    let hosts = stats.hosts.iter().map(|host| (host.host.clone(), host.count));
    assert_groups(server, "host", hosts.collect());
    let statuses = stats.statuses.iter().map(|status| (status.status.to_string(), status.count));
    assert_groups(server, "status_code", statuses.collect());
}

fn assert_groups(server: &ClickHouseServer, key: &str, expected: BTreeMap<String, Count>) {
    let sql = format!("SELECT {key}, count(), sum(response_bytes) FROM logs GROUP BY 1");
    let mut found = BTreeMap::new();
    for row in server.rows(&sql) {
        let (key, counts) = row.split_first().expect("a key");
        found.insert(key.clone(), counts.to_vec());
    }
    let expected = expected
        .into_iter()
        .map(|(key, count)| (key, vec![count.records.to_string(), count.bytes.to_string()]));
    assert_eq!(found, expected.collect(), "{key}");
}

impl Ingested {
    /// The work of a process that has just started.
    fn clickhouse(&self, server: &ClickHouseServer) -> ClickHouse {
        let password = self.folder.path().join("clickhouse-password");
        std::fs::write(&password, PASSWORD).expect("it is written");
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&password, mode).expect("it is secret");
        let settings = ClickHouseSettings {
            url: Some(format!("http://{}", server.address())),
            database: DATABASE.to_owned(),
            user: USER.to_owned(),
            password_file: Some(password),
            ca_cert: None,
        };
        ClickHouse::new(Arc::clone(&self.stores), settings, watch::channel(false).1)
    }

    fn waiting_for_clickhouse(&self) -> u64 {
        self.stores.state_store().waiting_events(Consumer::ClickHouse).expect("it counts")
    }
}

#[test]
#[ignore = "needs ClickHouse: tests/run engines"]
fn clickhouse_agrees_through_compaction_retention_and_a_new_table() {
    let server = ClickHouseServer::start(DATABASE);
    let mut ingested = Ingested::new(3, 3000);
    let all = ingested.query();
    let mut copies = ingested.clickhouse(&server);
    copies.round(ingested.now);
    assert_agrees(&server, &ingested.stats(&all));
    ingested.ingest(7, 3000);
    ingested.compact();
    copies.round(ingested.now);
    assert_agrees(&server, &ingested.stats(&all));
    assert_eq!(ingested.waiting_for_clickhouse(), 0);

    server.rows("DROP TABLE logs SYNC");
    copies.round(ingested.now);
    assert_agrees(&server, &ingested.stats(&all));

    // Another table under the name, which has some of the records.
    server.rows("CREATE TABLE other AS logs");
    server.rows("INSERT INTO other SELECT * FROM logs WHERE status_code = 200");
    server.rows("EXCHANGE TABLES logs AND other");
    assert!(server.count() < ingested.accepted);
    copies.round(ingested.now);
    assert_agrees(&server, &ingested.stats(&all));

    ingested.forget_yesterday();
    copies.round(ingested.now);
    assert_agrees(&server, &ingested.stats(&StatsQuery { from: all.to, ..all }));
    assert_eq!(ingested.waiting_for_clickhouse(), 0);
}

#[test]
#[ignore = "needs ClickHouse: tests/run engines"]
fn clickhouse_has_each_record_once_whatever_breaks_off() {
    let server = ClickHouseServer::start(DATABASE);
    let mut ingested = Ingested::new(1, 1000);
    let mut copies = ingested.clickhouse(&server);
    copies.round(ingested.now);
    assert_eq!(server.count(), ingested.accepted);
    for (seed, fault) in (10..).zip(["refuse", "silence", "part", "silence", "part", "refuse"]) {
        ingested.ingest(seed, 700);
        ingested.ingest(100 + seed, 300);
        server.fail_next(fault);
        copies.round(ingested.now);
        assert_eq!(ingested.waiting_for_clickhouse(), 2, "{fault}");
        // As the same process, or as another one.
        if seed % 2 == 0 {
            copies = ingested.clickhouse(&server);
        }
        copies.round(ingested.now);
        assert_eq!(server.count(), ingested.accepted, "after {fault}");
        assert_eq!(ingested.waiting_for_clickhouse(), 0, "{fault}");
    }
    assert_agrees(&server, &ingested.stats(&ingested.query()));
}

#[test]
#[ignore = "needs ClickHouse: tests/run engines"]
fn without_an_address_nothing_waits_for_clickhouse() {
    let server = ClickHouseServer::start(DATABASE);
    let mut ingested = Ingested::new(1, 100);
    ingested.clickhouse(&server).round(ingested.now);
    ingested.ingest(7, 100);
    let settings = ClickHouseSettings::default();
    ClickHouse::new(Arc::clone(&ingested.stores), settings, watch::channel(false).1)
        .round(ingested.now);
    assert_eq!(ingested.waiting_for_clickhouse(), 0);
    ingested.ingest(8, 100);
    ingested.clickhouse(&server).round(ingested.now);
    assert_eq!(server.count(), ingested.accepted);
}

#[test]
#[ignore = "needs ClickHouse: tests/run engines"]
fn the_queries_of_the_documentation_answer_their_questions() {
    let server = ClickHouseServer::start(DATABASE);
    let mut ingested = Ingested::at(Utc::now());
    ingested.ingest(1, 4000);
    ingested.clickhouse(&server).round(ingested.now);
    let text = include_str!("../../../docs/engines.md");
    let queries: Vec<&str> = text
        .split("```sql\n")
        .filter_map(|part| part.split("```").next())
        .filter(|sql| sql.contains("FROM logs WHERE") && !sql.starts_with("-- GET"))
        .collect();
    assert_eq!(queries.len(), 10);
    let source = include_str!("../../../visibility-server/src/ingest/clickhouse/table.rs");
    let create = text.split("```sql\n").find(|part| part.starts_with("CREATE TABLE"));
    let create = create.and_then(|part| part.split("\n```").next()).expect("the table");
    assert!(source.contains(create), "the table of the documentation is the one that is made");
    let stats = ingested.stats(&ingested.query());
    let agents = stats.agents.len();
    let top = stats.top_paths.expect("paths").paths;
    let page = &top.first().expect("a path").path;
    for query in queries {
        let query = query.replace("/pricing", page);
        let rows = server.rows(query.trim_end().trim_end_matches(';'));
        assert!(!rows.is_empty(), "{query}");
        if query.contains("AS failed")
            || query.contains("AS traffic")
            || query.contains("AS change")
        {
            assert_eq!(rows.len(), agents, "{query}");
        }
    }
}

#[test]
#[ignore = "needs ClickHouse: tests/run engines"]
fn the_queries_of_the_api_answer_as_its_routes() {
    let server = ClickHouseServer::start(DATABASE);
    let mut ingested = Ingested::at(Utc::now());
    ingested.ingest(1, 4000);
    ingested.clickhouse(&server).round(ingested.now);
    for (question, query) in questions::documented("FROM logs WHERE", &ingested) {
        let rows = server.rows(&query);
        assert_eq!(rows, questions::answered(question, &ingested), "{query}");
    }
}
