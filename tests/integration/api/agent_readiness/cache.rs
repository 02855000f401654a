//! Results are kept for a day, whatever happens to the process or the database.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::Connection;
use visibility_server::ingest::maintenance::Maintenance;
use visibility_server::settings::Settings;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::good;
use visibility_tests::wait::{in_time, until};

use crate::api::server::Server;

const HOST: &str = "shop.example.com";

impl Server {
    fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A connection to the database of its own.
    fn database(&self) -> Connection {
        Connection::open(self.data_dir().join("state.sqlite")).unwrap()
    }

    fn kept_results(&self) -> u64 {
        self.database().query_row("SELECT count(*) FROM scan", [], |row| row.get(0)).unwrap()
    }

    /// Waits until the database has so many results: responses do not wait for it.
    async fn keeps(&self, results: u64) {
        until("results are kept", || self.kept_results() == results).await;
    }

    /// The next server on the same data directory, which finds other sites.
    async fn restart(mut self, hosts: Hosts) -> Self {
        self.stop.send(true).unwrap();
        (&mut self.running).await.unwrap();
        until("the service lets go of its stores", || Arc::strong_count(&self.stores) == 1).await;
        let folder = Arc::clone(&self.folder);
        drop(self);
        Self::on(folder, FixtureServer::start(hosts).await, |_| {}).await
    }
}

async fn with_result() -> (Server, serde_json::Value) {
    let server = Server::with(Hosts::new([good(HOST)]), |_| {}).await;
    let result = server.result("", HOST).await;
    server.keeps(1).await;
    (server, result)
}

/// Whether the result that a server is asked for is one that was kept.
async fn is_cached(server: &Server) -> bool {
    server.result("", HOST).await["cached"] == true
}

#[tokio::test]
async fn a_restart_keeps_results() {
    let (server, mut first) = with_result().await;
    let server = server.restart(Hosts::default()).await;
    let kept = server.result("", HOST).await;
    first["cached"] = true.into();
    assert_eq!(kept, first);
    assert_eq!(server.result("?lang=tr", HOST).await["scanned_at"], first["scanned_at"]);
    assert_eq!(server.sites.requests(), 0);
}

#[tokio::test]
async fn a_result_of_another_day_or_rubric_or_of_the_future_is_not_served() {
    let now = Utc::now();
    let micros = |at: DateTime<Utc>| at.timestamp_micros();
    let day = TimeDelta::hours(24);
    let cases = [
        (
            "its day is over",
            format!("scanned_at = {}, expires_at = {}", micros(now - day), micros(now)),
        ),
        ("it is from the future", format!("scanned_at = {}", micros(now + TimeDelta::minutes(5)))),
        (
            "it would live too long",
            format!("scanned_at = {}, expires_at = {}", micros(now - day), micros(now + day)),
        ),
        ("other rules", "rubric = '1999.01'".to_owned()),
        ("it is damaged", "en = x'1f8b0800'".to_owned()),
        ("no time", format!("scanned_at = {}", i64::MIN)),
    ];
    let (mut server, _) = with_result().await;
    for (why, change) in cases {
        server.database().execute(&format!("UPDATE scan SET {change}"), []).unwrap();
        server = server.restart(Hosts::new([good(HOST)])).await;
        assert_eq!(server.kept(HOST, &[]).await.status(), 404, "{why}");
        assert!(!is_cached(&server).await, "{why}");
        // The new result takes its place; its time is in whole seconds.
        let since = micros(now - TimeDelta::seconds(1));
        let scanned_at = "SELECT max(scanned_at) FROM scan WHERE length(en) > 1000";
        until("the new result is kept", || {
            let found: Option<i64> =
                server.database().query_row(scanned_at, [], |row| row.get(0)).unwrap();
            found.is_some_and(|found| found >= since && found <= micros(Utc::now()))
        })
        .await;
        server = server.restart(Hosts::default()).await;
        assert!(is_cached(&server).await, "{why}");
    }
    let last_minute = micros(now - day + TimeDelta::minutes(5));
    let change =
        format!("UPDATE scan SET scanned_at = {last_minute}, expires_at = {}", micros(now + day));
    server.database().execute(&change, []).unwrap();
    let server = server.restart(Hosts::default()).await;
    let response = server.scan(HOST).await;
    let age: i64 = response.headers()["age"].to_str().unwrap().parse().unwrap();
    assert!((86_000..86_400).contains(&age), "{age}");
}

#[tokio::test]
async fn a_database_that_is_lost_costs_no_scan() {
    let server = Server::with(Hosts::new([good(HOST), good("b.example.com")]), |_| {}).await;
    server.result("", HOST).await;
    server.keeps(1).await;
    server.database().execute_batch("ALTER TABLE scan RENAME TO gone").unwrap();
    assert!(is_cached(&server).await, "it is in memory");
    let result = server.result("?lang=tr", "b.example.com").await;
    assert_eq!(result["cached"], false);
    let failures = |count: u64| {
        let line = format!("visibility_scan_store_failures_total {count}\n");
        server.metrics.render().contains(&line)
    };
    until("it could not be read and not be kept", || failures(2)).await;
    assert_eq!(server.result("", "b.example.com").await["cached"], true);
}

#[tokio::test]
async fn a_database_that_another_process_writes_delays_no_one() {
    let server = Server::with(Hosts::new([good(HOST)]), |_| {}).await;
    let other = server.database();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // The other process gives the database back at the end.
    let asked = in_time("a scan beside another process", server.result("", HOST));
    assert_eq!(asked.await["cached"], false);
    assert!(is_cached(&server).await);
    other.execute_batch("ROLLBACK").unwrap();
    server.keeps(1).await;
}

#[tokio::test]
async fn ten_thousand_domains_are_kept_and_found() {
    let (server, result) = with_result().await;
    // As if each had been scanned.
    server
        .database()
        .execute_batch(
            "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
             INSERT INTO scan (domain, scanned_at, expires_at, rubric, tag, en, tr)
             SELECT 'a' || n || '.example.com', scanned_at, expires_at, rubric, tag || n, en, tr
             FROM scan, number",
        )
        .unwrap();
    for number in [1, 5000, 10_000] {
        let domain = format!("a{number}.example.com");
        let found = server.result("", &domain).await;
        assert_eq!((&found["cached"], &found["score"]), (&true.into(), &result["score"]));
    }
    let settings = Settings::default();
    assert!(settings.cache.domains >= 10_000);
    let bounded = Settings {
        cache: visibility_server::settings::CacheSettings {
            domains: 100,
            ..settings.cache.clone()
        },
        ..settings
    };
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    let stores = Arc::clone(&server.stores);
    let mut maintenance = Maintenance::new(stores, Arc::default(), bounded, stopped);
    let removed = tokio::task::spawn_blocking(move || maintenance.round(Utc::now()));
    removed.await.unwrap();
    assert_eq!(server.kept_results(), 100);
}

#[tokio::test]
async fn a_small_cache_holds_what_fits_and_the_rest_is_read_again() {
    let hosts: Vec<String> = (0..40).map(|number| format!("a{number}.example.com")).collect();
    let sites = hosts.iter().map(|host| good(host));
    let server = Server::with(Hosts::new(sites), |settings| settings.cache.memory = 1).await;
    for host in &hosts {
        assert_eq!(server.result("", host).await["cached"], false);
    }
    server.keeps(40).await;
    let requests = server.sites.requests();
    for _ in 0..2 {
        for host in &hosts {
            let result = server.result("?lang=tr", host).await;
            assert_eq!(
                (&result["cached"], &result["domain"]),
                (&true.into(), &host.as_str().into())
            );
        }
    }
    assert_eq!(server.sites.requests(), requests);
}
