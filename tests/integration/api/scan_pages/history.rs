//! The history of a domain: a site that gets better and worse, scanned on many days.

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::sleep;
use visibility_server::ingest::maintenance::Maintenance;
use visibility_server::settings::Settings;
use visibility_tests::database;
use visibility_tests::program::program;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site, good};

use super::{ADA, BOB, Browser, PASSWORD, Scope, Server, make_user};

const HOST: &str = "a.example.com";
const PATH: &str = "/scan/a.example.com/history";

/// The site on each day.
fn sites() -> Vec<Site> {
    let robots = |rules: &str| good(HOST).with("/robots.txt", Reply::text(rules.to_owned()));
    let without = |path: &str| good(HOST).with(path, Reply::error(404));
    vec![
        good(HOST),
        good(HOST),
        robots("User-agent: ClaudeBot\nDisallow: /\n"),
        robots("User-agent: *\nDisallow: /\n"),
        robots(
            "User-agent: GPTBot\nDisallow: /docs/\n\nUser-agent: Google-Extended\nDisallow: /\n",
        ),
        good(HOST),
        good(HOST).for_user_agent("Claude-User", Reply::error(403)),
        without("/sitemap.xml"),
        without("/llms.txt"),
        without("/llms.txt").for_user_agent("GPTBot", Reply::error(429)),
        good(HOST),
        good(HOST).with("/", Reply::html("<!doctype html><title>Soon</title><p>Coming soon.")),
    ]
}

/// Days between one scan and the next: mostly one, once a month.
fn days_after(scan: usize) -> u32 {
    if scan == 5 { 31 } else { 1 }
}

/// Lets time pass: what was kept becomes older, and results expire.
fn pass(server: &Server, days: u32) {
    let folder = server.folder.path().join("data");
    let micros = u64::from(days) * 86_400_000_000;
    // In two steps, as no two days may be the same meanwhile.
    let far = 1_000_000;
    for (days, micros) in [(-far, 0), (far + i64::from(days), micros)] {
        let older = "UPDATE scan_day SET day = day - ";
        database::execute(&folder, &format!("{older}({days}), scanned_at = scanned_at - {micros}"));
    }
    database::execute(&folder, "DELETE FROM scan");
}

pub(super) async fn start(folder: &Arc<TempDir>, site: Site) -> Server {
    let sites = FixtureServer::start(Hosts::new([site])).await;
    Server::on(Arc::clone(folder), sites, |settings| {
        settings.web.public_scans = true;
        settings.web.public_results = true;
    })
    .await
}

/// Stops a server, so that another one may have its folder.
pub(super) async fn stop(mut server: Server) {
    server.stop.send(true).unwrap();
    (&mut server.running).await.unwrap();
    let stores = Arc::clone(&server.stores);
    drop(server);
    visibility_tests::wait::until("the service lets go of its stores", || {
        Arc::strong_count(&stores) == 1
    })
    .await;
}

/// What differs between two results, as a history says it.
fn differences(before: &Value, after: &Value) -> Vec<Value> {
    let find = |result: &Value, list: &str, id: &Value| -> Option<Value> {
        let rows = result[list].as_array().unwrap();
        rows.iter().find(|row| row["id"] == *id).cloned()
    };
    let mut changes = Vec::new();
    for check in after["checks"].as_array().unwrap() {
        let Some(old) = find(before, "checks", &check["id"]) else { continue };
        if old["status"] != check["status"] {
            changes.push(json!({
                "kind": "check", "id": check["id"], "from": old["status"], "to": check["status"],
            }));
        }
    }
    let met = |row: &Value| json!({ "access": row["access"], "effective": row["effective"] });
    for agent in after["agents"].as_array().unwrap() {
        let Some(old) = find(before, "agents", &agent["id"]) else { continue };
        if met(&old) != met(agent) {
            changes.push(json!({
                "kind": "agent", "id": agent["id"], "from": met(&old), "to": met(agent),
            }));
        }
    }
    changes
}

fn sorted(mut changes: Vec<Value>) -> Vec<Value> {
    changes.sort_by_key(ToString::to_string);
    changes
}

/// Waits until the history has so many days.
pub(super) async fn written(server: &Server, host: &str, count: usize) {
    for _ in 0..500 {
        let request = server.client.get(server.url(&format!("/scan/{host}/history.json")));
        let answer = request.send().await.unwrap().text().await.unwrap();
        let history: Value = serde_json::from_str(&answer).unwrap_or_default();
        if history["days"].as_array().is_some_and(|days| days.len() == count) {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the history has no {count} days");
}

async fn history(server: &Server) -> Value {
    let page = Browser::new(server).get(&format!("{PATH}.json")).await;
    assert_eq!(page.status, 200, "{}", page.body);
    serde_json::from_str(&page.body).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_has_exactly_the_changes_that_were_made() {
    let folder = Arc::new(TempDir::new().unwrap());
    let mut results: Vec<Value> = Vec::new();
    let mut last = None;
    for (scan, site) in sites().into_iter().enumerate() {
        if let Some(server) = last.take() {
            pass(&server, days_after(scan - 1));
            stop(server).await;
        }
        let server = start(&folder, site).await;
        results.push(server.result("", HOST).await);
        // It is written a moment after the answer.
        written(&server, HOST, results.len()).await;
        last = Some(server);
    }
    let server = last.unwrap();
    let history = history(&server).await;
    assert_eq!(history["domain"], HOST);
    let days = history["days"].as_array().unwrap();
    assert_eq!(days.len(), results.len());
    for (index, (day, result)) in days.iter().zip(&results).enumerate() {
        assert_eq!(day["score"], result["score"], "{index}");
        assert_eq!(day["tier"], result["tier"], "{index}");
        assert_eq!(day["rubric_version"], result["rubric_version"]);
        let expected = match index {
            0 => Vec::new(),
            _ => differences(&results[index - 1], result),
        };
        let changes = day["changes"].as_array().unwrap().clone();
        assert_eq!(sorted(changes), sorted(expected), "day {index}");
        assert_eq!(day["compared_with"].is_null(), index == 0);
        assert_eq!(day["has_same_rules"], index > 0);
    }
    let all: usize = days.iter().map(|day| day["changes"].as_array().unwrap().len()).sum();
    assert!(all > 60, "{all} changes");

    check_api_and_command(&server, &history).await;
    check_comparisons(&server, days, &results).await;
    check_pages(&server, &folder).await;
    // Both leave each day as it was.
    let history = self::history(&server).await;
    stop(server).await;
    let moved = moved(&folder);
    let server = start(&moved, good(HOST)).await;
    assert_eq!(self::history(&server).await, history);
    check_retention(&server, &history).await;
}

/// The same in another folder, or another database.
fn moved(folder: &Arc<TempDir>) -> Arc<TempDir> {
    let other = Arc::new(TempDir::new().unwrap());
    let (from, to) = (folder.path().join("data"), other.path().join("data"));
    let settings = other.path().join("settings.toml");
    let mut text = format!("data_dir = {:?}\n", to.display().to_string());
    if let Some(url) = database::url(&to) {
        text.push_str(&format!("database.url = {url:?}\nnode.alone = true\n"));
    }
    fs::write(&settings, text).unwrap();
    let mut command = Command::new(program("visibility-server"));
    command.args(["move", "--to"]).arg(&settings).env_clear().envs(database::variables(&from));
    let output = command.env("VISIBILITY_DATA_DIR", &from).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    other
}

/// Days that are too old go, the others stay; and a domain that is excluded goes as a whole.
async fn check_retention(server: &Server, before: &Value) {
    let maintain = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        settings.retention.rollup_months = 1;
        change(&mut settings);
        let (stores, metrics) = (Arc::clone(&server.stores), Arc::clone(&server.metrics));
        let mut maintenance = Maintenance::new(stores, metrics, settings, watch::channel(false).1);
        maintenance.round(Utc::now());
    };
    maintain(|_| ());
    let after = history(server).await;
    let (old, new) = (before["days"].as_array().unwrap(), after["days"].as_array().unwrap());
    assert_eq!(new.len(), 6, "the days before the month without a scan: {after}");
    assert!(new[0]["compared_with"].is_null() && new[0]["changes"] == json!([]));
    assert_eq!(new[1..], old[old.len() - 5..]);
    maintain(|settings| settings.fetch.deny = vec!["example.com".to_owned()]);
    let page = Browser::new(server).get(&format!("{PATH}.json")).await;
    assert_eq!(page.status, 404, "{}", page.body);
}

/// The API and the command line give the same rows.
async fn check_api_and_command(server: &Server, history: &Value) {
    let path = format!("/api/v1/agent-readiness/{HOST}/history");
    let ask = |key: &str| server.client.get(server.url(&path)).bearer_auth(key).send();
    let answer = ask(&server.key).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["x-service-extension"], "agent-readiness-history");
    assert_eq!(answer.json::<Value>().await.unwrap(), *history);
    assert_eq!(ask("service_live_no").await.unwrap().status(), 401);
    let other = server.client.get(server.url("/api/v1/agent-readiness/b.example.com/history"));
    let other = other.bearer_auth(&server.key).send().await.unwrap();
    assert_eq!(other.status(), 404);
    let error: Value = other.json().await.unwrap();
    assert_eq!(error["error"]["message"], "No scan of this domain is kept.");

    let ask = |arguments: &[&str]| -> (Option<i32>, String, String) {
        let mut command = Command::new(program("visibility"));
        command.env_clear().env("VISIBILITY_KEY", &server.key).arg("history").args(arguments);
        let output = command.args(["--server", &server.url("")]).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, stdout, stderr) = ask(&[HOST, "--format", "json"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap(), *history);
    let (code, stdout, stderr) = ask(&[HOST]);
    assert_eq!(code, Some(0), "{stderr}");
    for said in ["the first scan here", "refused by your server", "nothing since 2"] {
        assert!(stdout.contains(said), "{said}: {stdout}");
    }
    let (code, _, stderr) = ask(&["b.example.com"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("No scan of this domain is kept."), "{stderr}");
    let (code, _, stderr) = ask(&["https://a.example.com/x"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("a.example.com"), "{stderr}");
}

/// The pages of the history, of its comparisons, and with the line.
async fn check_pages(server: &Server, folder: &TempDir) {
    let page = Browser::new(server).get(PATH).await;
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("ClaudeBot: allowed (not tried), now disallowed by robots.txt"),
        "{}",
        page.body
    );
    assert!(page.body.contains("Claude-User: let in, now refused by your server"), "{}", page.body);
    assert_eq!(page.texts("tbody th").len(), 12);
    assert_eq!(page.texts("svg").len(), 2, "the logo and the line");
    // Other rules for the first days: the line is broken, and the page says why.
    let data = folder.path().join("data");
    database::execute(
        &data,
        "UPDATE scan_day SET rubric = '2025.01' WHERE day <= (SELECT min(day) + 3 FROM scan_day)",
    );
    let page = Browser::new(server).get(PATH).await;
    assert!(page.body.contains("The line is broken where the rules were changed"), "{}", page.body);
    let history = history(server).await;
    let first = history["days"][0]["day"].as_str().unwrap();
    let page = Browser::new(server).get(&format!("/compare?domain={HOST}&from={first}")).await;
    assert!(page.body.contains("Judged by different rules"), "{}", page.body);
    assert!(!page.body.contains("Checks that differ"), "{}", page.body);
    let turkish = Browser::new(server).get(&format!("{PATH}?lang=tr")).await;
    assert!(turkish.body.contains("Çizgi") || turkish.body.contains("çizgi"), "{}", turkish.body);
}

/// Compares any two of the days, whichever is named first.
async fn check_comparisons(server: &Server, days: &[Value], results: &[Value]) {
    let date = |index: usize| days[index]["day"].as_str().unwrap().to_owned();
    for (first, second) in [(0, 11), (4, 2), (5, 6), (0, 10)] {
        let (from, to) = (date(first), date(second));
        let path = format!("/compare.json?domain={HOST}&from={from}&to={to}");
        let page = Browser::new(server).get(&path).await;
        assert_eq!(page.status, 200, "{}", page.body);
        let (first, second) = (first.min(second), first.max(second));
        let comparison: Value = serde_json::from_str(&page.body).unwrap();
        super::compare::check(&comparison, &[&results[first], &results[second]]);
    }
    let page = Browser::new(server).get(&format!("/compare?domain={HOST}")).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains(&format!("value=\"{}\"", date(10))), "{}", page.body);
    assert!(page.body.contains(&format!("value=\"{}\"", date(11))), "{}", page.body);
    let missing = format!("/compare?domain={HOST}&from=2020-01-01&to={}", date(3));
    let page = Browser::new(server).get(&missing).await;
    assert_eq!(page.status, 404);
    let says = format!("The nearest days with a scan: {}.", date(0));
    assert!(page.body.contains(&says), "{}", page.body);
    let same = format!("/compare?domain={HOST}&from={0}&to={0}", date(3));
    assert_eq!(Browser::new(server).get(&same).await.status, 400);
    // The line of the score is on the page of the result, too.
    let page = Browser::new(server).get(&format!("/scan/{HOST}")).await;
    assert!(page.body.contains("What changed, day by day"), "{}", page.body);
}

#[tokio::test]
async fn one_day_and_no_day_are_said() {
    let folder = Arc::new(TempDir::new().unwrap());
    let server = start(&folder, good(HOST)).await;
    let none = Browser::new(&server).get(PATH).await;
    assert_eq!(none.status, 404);
    assert!(none.body.contains("No scan of this domain is kept"), "{}", none.body);
    assert_eq!(Browser::new(&server).get(&format!("{PATH}.json")).await.status, 404);
    server.result("", HOST).await;
    written(&server, HOST, 1).await;
    let page = Browser::new(&server).get(PATH).await;
    assert!(page.body.contains("the first scan here"), "{}", page.body);
    assert_eq!(page.texts("svg").len(), 1, "the logo, and no line");
    assert_eq!(Browser::new(&server).get("/scan/127.0.0.1/history").await.status, 400);
}

#[tokio::test]
async fn a_history_is_seen_by_all_who_may_see_the_result() {
    let folder = Arc::new(TempDir::new().unwrap());
    let sites = FixtureServer::start(Hosts::new([good(HOST)])).await;
    let server = Server::on(folder, sites, |_| {}).await;
    make_user(&server, ADA, &[Scope::ScanRead]);
    make_user(&server, BOB, &[]);
    server.result("", HOST).await;
    let stranger = Browser::new(&server).get(PATH).await;
    assert_eq!(stranger.status, 303);
    assert!(stranger.header("location").starts_with("/sign-in?next="), "{stranger:?}");
    for (name, status) in [(ADA, 200), (BOB, 403)] {
        let mut browser = Browser::new(&server);
        assert_eq!(browser.sign_in("/sign-in", name, PASSWORD).await.status, 303);
        let mut page = browser.get(PATH).await;
        for _ in 0..200 {
            if page.status != 404 {
                break;
            }
            sleep(Duration::from_millis(20)).await;
            page = browser.get(PATH).await;
        }
        assert_eq!(page.status, status, "{name}");
        assert_eq!(page.header("cache-control"), "no-store", "{name}");
    }
}
