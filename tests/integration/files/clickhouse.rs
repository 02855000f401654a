//! ClickHouse has each record once, through merging and deletion, and whatever breaks off.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use chrono::Utc;
use tokio::sync::watch;
use visibility_server::ingest::clickhouse::ClickHouse;
use visibility_server::ingest::stats::{Count, Stats, StatsQuery};
use visibility_server::settings::ClickHouseSettings;
use visibility_server::stores::state::outbox::Consumer;
use visibility_tests::client::Message;

use crate::files::Ingested;

const DATABASE: &str = "records";

/// ClickHouse, behind an HTTP interface.
struct Server {
    process: Child,
    address: SocketAddr,
    runtime: tokio::runtime::Runtime,
}

impl Server {
    fn start() -> Self {
        let python = std::env::var("LAKE_PYTHON").expect("LAKE_PYTHON names a Python");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("integration/files");
        let mut process = Command::new(python)
            .arg(folder.join("clickhouse_server.py"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("an output");
        BufReader::new(output).read_line(&mut line).expect("it says its address");
        let address = line.trim().strip_prefix("http://").expect("an address");
        Self {
            process,
            address: address.parse().expect("an address"),
            runtime: tokio::runtime::Runtime::new().expect("a runtime"),
        }
    }

    fn post(&self, path: &str, body: &str) -> (u16, String) {
        let message = Message::new("POST", path)
            .with("x-clickhouse-user", "writer")
            .with("x-clickhouse-key", "secret")
            .body(body);
        let reply = self.runtime.block_on(message.send(self.address));
        (reply.status, String::from_utf8(reply.bytes).expect("text"))
    }

    /// The rows of a statement.
    fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        let (status, text) = self.post(&format!("/?database={DATABASE}"), sql);
        assert_eq!(status, 200, "{sql}: {text}");
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    }

    /// Makes the next insert go wrong.
    fn fail_next(&self, fault: &str) {
        assert_eq!(self.post(&format!("/fault?next={fault}"), "").0, 200);
    }

    fn count(&self) -> u64 {
        let rows = self.rows("SELECT count() FROM logs");
        rows.first().and_then(|row| row.first()).expect("a row").parse().expect("a number")
    }

    /// The groups of the records are those that we count.
    fn assert_agrees(&self, stats: &Stats) {
        let days = stats.days.iter().map(|day| (day.day.to_string(), day.count));
        self.assert_groups("toDate(timestamp)", days.collect());
        let agents = stats.agents.iter().map(|agent| (agent.id.clone(), agent.count));
        self.assert_groups("agent", agents.collect());
        let hosts = stats.hosts.iter().map(|host| (host.host.clone(), host.count));
        self.assert_groups("host", hosts.collect());
        let statuses =
            stats.statuses.iter().map(|status| (status.status.to_string(), status.count));
        self.assert_groups("status_code", statuses.collect());
    }

    fn assert_groups(&self, key: &str, expected: BTreeMap<String, Count>) {
        let sql = format!("SELECT {key}, count(), sum(response_bytes) FROM logs GROUP BY 1");
        let found: BTreeMap<String, Vec<String>> = self
            .rows(&sql)
            .into_iter()
            .filter_map(|mut row| {
                let key = if row.is_empty() { return None } else { row.remove(0) };
                Some((key, row))
            })
            .collect();
        let expected = expected
            .into_iter()
            .map(|(key, count)| (key, vec![count.records.to_string(), count.bytes.to_string()]));
        assert_eq!(found, expected.collect(), "{key}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().expect("it is killed");
        self.process.wait().expect("it ends");
    }
}

impl Ingested {
    /// The work of a process that has just started.
    fn clickhouse(&self, server: &Server) -> ClickHouse {
        let password = self.folder.path().join("clickhouse-password");
        std::fs::write(&password, "secret\n").expect("it is written");
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&password, mode).expect("it is secret");
        let settings = ClickHouseSettings {
            url: Some(format!("http://{}", server.address)),
            database: DATABASE.to_owned(),
            user: "writer".to_owned(),
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
    let server = Server::start();
    let mut ingested = Ingested::new(3, 3000);
    let all = ingested.query();
    let mut copies = ingested.clickhouse(&server);
    copies.round(ingested.now);
    server.assert_agrees(&ingested.stats(&all));
    ingested.ingest(7, 3000);
    ingested.compact();
    copies.round(ingested.now);
    server.assert_agrees(&ingested.stats(&all));
    assert_eq!(ingested.waiting_for_clickhouse(), 0);

    server.rows("DROP TABLE logs SYNC");
    copies.round(ingested.now);
    server.assert_agrees(&ingested.stats(&all));

    // Another table under the name, which has some of the records.
    server.rows("CREATE TABLE other AS logs");
    server.rows("INSERT INTO other SELECT * FROM logs WHERE status_code = 200");
    server.rows("EXCHANGE TABLES logs AND other");
    assert!(server.count() < ingested.accepted);
    copies.round(ingested.now);
    server.assert_agrees(&ingested.stats(&all));

    ingested.forget_yesterday();
    copies.round(ingested.now);
    server.assert_agrees(&ingested.stats(&StatsQuery { from: all.to, ..all }));
    assert_eq!(ingested.waiting_for_clickhouse(), 0);
}

#[test]
#[ignore = "needs ClickHouse: tests/run engines"]
fn clickhouse_has_each_record_once_whatever_breaks_off() {
    let server = Server::start();
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
    server.assert_agrees(&ingested.stats(&ingested.query()));
}

#[test]
#[ignore = "needs ClickHouse: tests/run engines"]
fn without_an_address_nothing_waits_for_clickhouse() {
    let server = Server::start();
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
    let server = Server::start();
    let mut ingested = Ingested::at(Utc::now());
    ingested.ingest(1, 4000);
    ingested.clickhouse(&server).round(ingested.now);
    let text = include_str!("../../../docs/engines.md");
    let queries: Vec<&str> = text
        .split("```sql\n")
        .filter_map(|part| part.split("```").next())
        .filter(|sql| sql.contains("FROM logs WHERE"))
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
