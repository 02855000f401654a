//! Results are reused for ten minutes and are found by their ids for weeks, whatever happens to the
//! process; and the operator sees what was asked for.

use std::path::Path;
use std::sync::Arc;

use chrono::{TimeDelta, Utc};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;
use visibility_server::ingest::maintenance::Maintenance;
use visibility_server::settings::Settings;
use visibility_tests::client::{Message, Reply};
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::good;
use visibility_tests::wait::until;

use crate::api::agent_readiness::field;
use crate::api::audit::{AUDIT, PAGE, id};
use crate::api::program::{Program, operate};
use crate::api::server::Server;

const HOST: &str = "shop.example.com";

impl Server {
    /// Another connection to the database.
    fn state_store(&self) -> Connection {
        Connection::open(self.folder.path().join("data/state.sqlite")).unwrap()
    }

    fn kept_audits(&self) -> u64 {
        self.state_store().query_row("SELECT count(*) FROM audit", [], |row| row.get(0)).unwrap()
    }

    /// Waits until the database has so many audits: responses do not wait for it.
    pub(crate) async fn keeps_audits(&self, audits: u64) {
        until("audits are kept", || self.kept_audits() == audits).await;
    }

    /// The next server on the same data directory.
    pub(crate) async fn next(mut self, hosts: Hosts, change: impl FnOnce(&mut Settings)) -> Self {
        self.stop.send(true).unwrap();
        (&mut self.running).await.unwrap();
        until("the service lets go of its stores", || Arc::strong_count(&self.stores) == 1).await;
        let folder = Arc::clone(&self.folder);
        drop(self);
        Self::on(folder, FixtureServer::start(hosts).await, change).await
    }
}

#[tokio::test]
async fn a_restart_keeps_results_by_page_and_by_id() {
    let server = Server::with(Hosts::new([good(HOST)]), |_| {}).await;
    let first = server.audited("", PAGE).await;
    let html = server.shown(&format!("{}.html", id(&first)), &[]).await.text().await.unwrap();
    server.keeps_audits(1).await;
    let server = server.next(Hosts::default(), |_| {}).await;
    let found: Value = server.shown(id(&first), &[]).await.json().await.unwrap();
    assert_eq!(found, first);
    let again = server.audit(PAGE).await;
    assert!(field(&again, "age").is_some());
    assert_eq!(again.json::<Value>().await.unwrap(), first);
    assert_eq!(id(&server.audited("?lang=tr", PAGE).await), id(&first));
    let shown = server.shown(&format!("{}.html", id(&first)), &[]).await.text().await.unwrap();
    assert_eq!(shown, html);
    assert_eq!(server.sites.requests(), 0);
}

#[tokio::test]
async fn a_result_of_another_time_or_rubric_is_not_reused_and_still_found() {
    let now = Utc::now();
    let mut server = Server::with(Hosts::new([good(HOST)]), |_| {}).await;
    let mut first = server.audited("", PAGE).await;
    for (kept, (why, change)) in [
        (
            "it is too old",
            format!("created_at = {0}", (now - TimeDelta::minutes(11)).timestamp_micros()),
        ),
        (
            "it is from the future",
            format!("created_at = {0}", (now + TimeDelta::minutes(5)).timestamp_micros()),
        ),
        ("other rules", "rubric = 'audit-1999.01'".to_owned()),
        ("no time", format!("created_at = {}", i64::MIN)),
    ]
    .into_iter()
    .enumerate()
    {
        server.keeps_audits(u64::try_from(kept).unwrap() + 1).await;
        let change = format!("UPDATE audit SET {change} WHERE id = ?1");
        server.state_store().execute(&change, [id(&first)]).unwrap();
        server = server.next(Hosts::new([good(HOST)]), |_| {}).await;
        if why != "no time" {
            assert_eq!(server.shown(id(&first), &[]).await.status(), 200, "{why}");
        }
        let second = server.audited("", PAGE).await;
        assert_ne!(id(&second), id(&first), "{why}");
        first = second;
    }
}

#[tokio::test]
async fn what_is_too_old_or_too_much_is_removed() {
    let pages = (0..6).fold(good(HOST), |site, number| {
        site.with(&format!("/{number}"), visibility_tests::site::Reply::html("<p>a</p>"))
    });
    let server = Server::with(Hosts::new([pages]), |_| {}).await;
    let mut ids = Vec::new();
    for number in 0..6 {
        let result = server.audited("", &format!("{PAGE}{number}")).await;
        ids.push(id(&result).to_owned());
        let created_at = (Utc::now() - TimeDelta::days(40 - number)).timestamp_micros();
        server.keeps_audits(u64::try_from(number).unwrap() + 1).await;
        if number < 2 {
            let change = "UPDATE audit SET created_at = ?1 WHERE id = ?2";
            server.state_store().execute(change, (created_at, ids.last())).unwrap();
        }
    }
    let (stores, folder) = (Arc::clone(&server.stores), Arc::clone(&server.folder));
    let mut settings = Settings::default();
    settings.audits.keep_results = 3;
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    let mut maintenance = Maintenance::new(stores, Arc::default(), settings, stopped);
    let rounds = tokio::task::spawn_blocking(move || {
        // By a clock that has jumped, nothing is too old.
        maintenance.round(Utc::now() + TimeDelta::days(400));
        maintenance.round(Utc::now());
    });
    rounds.await.unwrap();
    assert_eq!(server.kept_audits(), 3);
    let server = server.next(Hosts::default(), |_| {}).await;
    for (number, id) in ids.iter().enumerate() {
        let status = if number < 3 { 404 } else { 200 };
        assert_eq!(server.shown(id, &[]).await.status(), status, "{number}");
    }
    let change = "UPDATE audit SET created_at = ?1";
    let old = (Utc::now() - TimeDelta::days(31)).timestamp_micros();
    server.state_store().execute(change, [old]).unwrap();
    let server = server.next(Hosts::default(), |_| {}).await;
    assert_eq!(server.kept_audits(), 3);
    assert_eq!(
        server.shown(&ids[5], &[]).await.status(),
        404,
        "requests do not wait for maintenance"
    );
    let server = server.next(Hosts::default(), |settings| settings.audits.keep_days = 60).await;
    assert_eq!(server.shown(&ids[5], &[]).await.status(), 200);
    drop(folder);
}

/// A service of its own with a clock that can be set, a page to audit, and what a test puts into its
/// environment.
struct Watched {
    program: Program,
    folder: TempDir,
    _sites: FixtureServer,
}

impl Watched {
    async fn start(environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sites = FixtureServer::start(Hosts::new([good(HOST)])).await;
        let ca = folder.path().join("ca.pem");
        std::fs::write(&ca, sites.authority().pem()).unwrap();
        let clock = folder.path().join("clock");
        std::fs::write(&clock, "0").unwrap();
        let environment = [environment, &[("VISIBILITY_CLOCK_OFFSET", clock.to_str().unwrap())]];
        let rules = [format!(":443:{}", sites.https()), format!(":80:{}", sites.http())];
        let program = Program::start_with(
            &folder.path().join("data"),
            &[
                "--ca-cert",
                ca.to_str().unwrap(),
                "--connect-to",
                &rules[0],
                "--connect-to",
                &rules[1],
            ],
            &environment.concat(),
        );
        Self { program, folder, _sites: sites }
    }

    fn set_clock(&self, seconds: i64) {
        std::fs::write(self.folder.path().join("clock"), seconds.to_string()).unwrap();
    }

    fn data_dir(&self) -> &Path {
        self.folder.path()
    }

    async fn audit(&self) -> Reply {
        let body = json!({ "url": PAGE }).to_string();
        let message = Message::new("POST", AUDIT).with("content-type", "application/json");
        message.body(body).send(self.program.address).await
    }

    async fn audited(&self) -> String {
        let reply = self.audit().await;
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.json()["id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_reused_for_ten_minutes_unless_the_clock_goes_back() {
    let service = Watched::start(&[]).await;
    let first = service.audited().await;
    for seconds in [30, 300, 590] {
        service.set_clock(seconds);
        assert_eq!(service.audited().await, first, "{seconds}");
    }
    service.set_clock(601);
    let second = service.audited().await;
    assert_ne!(second, first);
    service.set_clock(400);
    let third = service.audited().await;
    assert_ne!(third, second, "its age is unknown");
    assert_eq!(service.audited().await, third);
    for id in [first, second, third] {
        let found =
            Message::new("GET", &format!("{AUDIT}/{id}")).send(service.program.address).await;
        assert_eq!(found.status, 200, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_panics_is_our_fault_once_and_takes_nothing_down() {
    let service = Watched::start(&[("VISIBILITY_PANIC_AT", "judge-audit")]).await;
    for _ in 0..2 {
        let reply = service.audit().await;
        assert_eq!((reply.status, reply.code().as_str()), (500, "INTERNAL_ERROR"));
        assert!(reply.header("x-request-id").is_some());
        assert!(!String::from_utf8_lossy(&reply.bytes).contains("judge"), "{reply:?}");
        // What did not take place for a reason of ours does not count for the day.
        let health = Message::new("GET", "/api/v1/health").send(service.program.address).await;
        assert_eq!((health.status, &health.json()["status"]), (200, &"ok".into()));
    }
    let used = usage(&service, |used| used["total"]["internal"] == 2).await;
    assert_eq!(used["total"]["audits"], 0);
}

/// What `audits usage` says as soon as it is as it should be: the service writes behind.
async fn usage(service: &Watched, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut used = Value::Null;
    let data_dir = service.data_dir().join("data");
    until("the usage is written", || {
        used = operate(&data_dir, &["audits", "usage", "--days", "2"]);
        is_so(&used)
    })
    .await;
    used
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_sees_usage_and_results() {
    let service = Watched::start(&[]).await;
    let id = service.audited().await;
    service.audited().await;
    let address = service.program.address;
    let refused =
        Message::new("POST", AUDIT).body(r#"{"url":"http://127.0.0.1/"}"#).send(address).await;
    assert_eq!(refused.status, 400);
    let used = usage(&service, |used| used["total"]["not_allowed"] == 1).await;
    let total = &used["total"];
    assert_eq!(total["by_status"], json!({ "completed": 1 }));
    assert_eq!((&total["audits"], &total["cached"]), (&1.into(), &1.into()));
    assert_eq!(used["days"].as_array().unwrap().len(), 1);
    let data_dir = service.data_dir().join("data");
    let shown = operate(&data_dir, &["audits", "show", &id]);
    let found = Message::new("GET", &format!("{AUDIT}/{id}")).send(address).await;
    assert_eq!(shown, found.json());
    let turkish = operate(&data_dir, &["audits", "show", &id, "--lang", "tr"]);
    assert_eq!(turkish["lang"], "tr");
}
