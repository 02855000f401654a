//! Several nodes with one PostgreSQL database and one folder of objects.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that panics fails"
)]

mod deployment;
mod document;
mod failover;
mod restore;

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use futures_util::future::join;
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::sleep;
use visibility_core::accounts::token::Token;
use visibility_core::store::Ledger as _;
use visibility_server::settings::Settings;
use visibility_server::stores::Stores;
use visibility_server::stores::location::StoreLocation;
use visibility_tests::bucket;
use visibility_tests::contract::{publication, row};
use visibility_tests::database;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::good;
use visibility_tests::wait::until;

use crate::api::browser::{Browser, Page};
use crate::api::server::Server;
use crate::server::program::{Place, Run};

const HOST: &str = "shop.example.com";

/// A node that uses the database and the objects of a folder.
async fn node(shared: &Path, change: impl FnOnce(&mut Settings)) -> Server {
    let sites = FixtureServer::start(Hosts::new([good(HOST)])).await;
    let url = database::url(shared);
    Server::on(Arc::new(TempDir::new().unwrap()), sites, |settings| {
        settings.database.url = Some(url.expect("a PostgreSQL server"));
        settings.node.alone = false;
        settings.objects.url = Some(format!("file://{}", shared.join("objects").display()));
        bucket::set_shared(settings, shared);
        change(settings);
    })
    .await
}

async fn two_nodes(change: impl Fn(&mut Settings)) -> (TempDir, [Server; 2]) {
    let shared = TempDir::new().unwrap();
    let nodes = [node(shared.path(), &change).await, node(shared.path(), &change).await];
    (shared, nodes)
}

async fn ready(server: &Server) -> (u16, Value) {
    let response = server.get("/readyz").await;
    (response.status().as_u16(), response.json().await.unwrap())
}

/// Stops a node, and waits until it has left.
async fn end(mut node: Server) {
    node.stop.send(true).unwrap();
    (&mut node.running).await.unwrap();
    until("the service lets go of its stores", || Arc::strong_count(&node.stores) == 1).await;
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
async fn two_nodes_never_scan_one_domain_at_the_same_time() {
    let (_shared, [first, second]) = two_nodes(|_| {}).await;
    let (one, other) = join(first.result("", HOST), second.result("", HOST)).await;
    assert_eq!(one["scanned_at"], other["scanned_at"], "it is one result");
    let asked = [first.sites.requests(), second.sites.requests()];
    assert!(asked.contains(&0), "both have asked the site: {asked:?}");
    assert!(asked.iter().sum::<usize>() > 0);
    // The result is there for both from now on.
    assert_eq!(first.kept(HOST, &[]).await.status(), 200);
    assert_eq!(second.kept(HOST, &[]).await.status(), 200);
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
async fn a_key_that_is_revoked_on_one_node_works_on_none_a_second_later() {
    let (_shared, [first, second]) = two_nodes(|_| {}).await;
    let status = async |server: &Server| {
        let url = server.url(&format!("/api/v1/agent-readiness/{HOST}"));
        server.client.get(url).bearer_auth(&first.key).send().await.unwrap().status().as_u16()
    };
    assert_eq!(status(&second).await, 404, "the key works on the other node");
    let digest = first.key.parse::<Token>().unwrap().digest();
    let key = first.stores.state_store().key(&digest).unwrap().unwrap();
    first.stores.state_store().revoke_key(key.key.id, Utc::now()).unwrap();
    let revoked = Instant::now();
    while status(&second).await != 401 {
        assert!(revoked.elapsed() < Duration::from_secs(2), "it still works");
    }
    assert!(revoked.elapsed() <= Duration::from_millis(1_200), "{:?}", revoked.elapsed());
    assert_eq!(status(&first).await, 401);
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
async fn a_limit_counts_the_requests_to_all_nodes() {
    let (_shared, [first, second]) =
        two_nodes(|settings| settings.limits.scans_per_minute = 3).await;
    let mut statuses = Vec::new();
    for number in 0..6 {
        let server = if number % 2 == 0 { &first } else { &second };
        let request = server.client.post(server.url("/api/v1/agent-readiness"));
        let request = request.header("content-type", "application/json").bearer_auth(&first.key);
        let body = format!(r#"{{ "domain": "unknown-{number}.example.com" }}"#);
        statuses.push(request.body(body).send().await.unwrap().status().as_u16());
    }
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 3, "{statuses:?}");
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
async fn an_audit_that_runs_on_a_node_is_known_on_the_other_until_both_show_its_result() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let (_shared, [first, second]) = two_nodes(|settings| {
        settings.fetch.connect_to = vec![format!(":443:127.0.0.1:{port}")];
        settings.timeouts.audit = 6;
    })
    .await;
    let mut browser = Browser::new(&first);
    let form = browser.get("/audit").await.form(0).with("url", "https://shop.example.com/");
    let sent = browser.submit(&form).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    let address = sent.header("location").to_owned();
    let mut other = Browser::new(&second);
    let mut waited = false;
    loop {
        let page = other.get(&address).await;
        // There is no moment in which the result is nowhere.
        assert_eq!(page.status, 200, "{}", page.body);
        if page.header("refresh").is_empty() {
            break;
        }
        waited = true;
        sleep(Duration::from_millis(20)).await;
    }
    assert!(waited, "the other node has seen the audit run");
    assert_eq!(browser.get(&address).await.status, 200);
    let unknown = other.get("/audit/aud_0000000000000000000001").await;
    assert_eq!(unknown.status, 404);
}

/// The form of the home page of a node, sent with a target by a visitor who has the cookies of both.
async fn visitor_scan(server: &Server, cookies: &mut Browser<'_>, target: &str) -> Page {
    let mut browser = Browser { server, ..Browser::new(server) };
    browser.cookies.clone_from(&cookies.cookies);
    let form = browser.get("/").await.form(0).with("target", target);
    let page = browser.submit(&form).await;
    cookies.cookies = browser.cookies;
    page
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
async fn scans_of_a_visitor_count_on_all_nodes_and_each_shows_the_result() {
    let (_shared, [first, second]) = two_nodes(|settings| {
        settings.web.public_scans = true;
        settings.limits.visitor_scans_per_minute = 3;
    })
    .await;
    let mut visitor = Browser::new(&first);
    let mut statuses = Vec::new();
    let targets = [HOST.to_owned(), format!("a.{HOST}"), format!("b.{HOST}"), format!("c.{HOST}")];
    for (number, target) in targets.iter().enumerate() {
        let server = if number % 2 == 0 { &first } else { &second };
        let page = visitor_scan(server, &mut visitor, target).await;
        statuses.push(page.status);
        if page.status == 429 {
            assert!(page.header("retry-after").parse::<u64>().is_ok_and(|wait| wait <= 60));
        }
    }
    assert_eq!(statuses, [303, 303, 303, 429]);
    // What was scanned on one node is shown by the other.
    let sent = visitor_scan(&first, &mut visitor, HOST).await;
    let address = sent.header("location").to_owned();
    let mut other = Browser::new(&second);
    other.cookies.clone_from(&visitor.cookies);
    let page = other.get(&address).await;
    assert_eq!(page.texts("h1"), [HOST], "{}", page.body);
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
async fn a_scan_of_a_node_that_was_killed_is_waited_for_until_its_turn_is_over() {
    let shared = TempDir::new().unwrap();
    let node = node(shared.path(), |settings| {
        settings.web.public_scans = true;
        settings.web.public_results = true;
    })
    .await;
    // What is left of such a node: its turn, which it does not give back.
    let until = (Utc::now() + TimeDelta::seconds(3)).timestamp_micros();
    let url = database::url(shared.path()).expect("a PostgreSQL server");
    database::run(
        &url,
        &format!(
            "INSERT INTO lease (name, holder, until) VALUES ('scan/{HOST}', 'killed', {until})"
        ),
    );
    let mut visitor = Browser::new(&node);
    let address = format!("/scan/{HOST}");
    let page = visitor.get(&address).await;
    assert_eq!((page.status, page.header("refresh")), (200, "2"), "{}", page.body);
    let last = loop {
        let page = visitor.get(&address).await;
        if page.header("refresh").is_empty() {
            break page;
        }
        sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(last.status, 404, "{}", last.body);
    assert!(last.body.contains(&format!("/?target={HOST}")), "{}", last.body);
    // Who asks again gets the result.
    let sent = visitor_scan(&node, &mut visitor, HOST).await;
    assert_eq!((sent.status, sent.header("location")), (303, address.as_str()));
    assert_eq!(visitor.get(&address).await.texts("h1"), [HOST]);
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
async fn nodes_with_different_folders_are_not_ready_and_say_why() {
    let shared = TempDir::new().unwrap();
    let first = node(shared.path(), |_| {}).await;
    assert_eq!(ready(&first).await.0, 200);
    let elsewhere = TempDir::new().unwrap();
    let other = node(shared.path(), |settings| {
        settings.objects.url = Some(format!("file://{}", elsewhere.path().display()));
    })
    .await;
    let (status, body) = ready(&other).await;
    assert_eq!(status, 503);
    let reason = body["error"]["details"]["reasons"][0].as_str().unwrap();
    assert!(reason.contains("does not write to the same objects"), "{reason}");
    let third = node(shared.path(), |_| {}).await;
    assert_eq!(ready(&third).await.0, 503, "no node knows who is right");
    end(other).await;
    end(third).await;
    let fourth = node(shared.path(), |_| {}).await;
    assert_eq!(ready(&fourth).await.0, 200, "it has ended");
}

/// A command of a place whose stores are those of a settings file, whatever the environment says.
fn with_settings(place: &Place, arguments: &[&str], settings: &str) -> Value {
    let arguments = [arguments, &["--config", settings, "--format", "json"]].concat();
    let mut command = place.command(&arguments);
    for variable in ["DATA_DIR", "DATABASE__URL", "DATABASE__CONNECTIONS", "NODE__ALONE"] {
        command.env_remove(format!("VISIBILITY_{variable}"));
    }
    Run::from(command.output().unwrap()).json()
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn everything_moves_to_files_and_back() {
    let place = Place::new();
    place.json(&["tenants", "create", "acme"]);
    place.json(&["tokens", "create", "acme"]);
    let key = place.json(&["keys", "create", "acme"]);
    place.json(&["keys", "rotate", key["id"].as_str().unwrap()]);
    let stores = Stores::open(database::location(&place.data())).unwrap();
    // The database is copied page by page; that a bucket is listed so is in `stores::bucket`.
    let batches: u64 = if bucket::endpoint().is_some() { 100 } else { 1_200 };
    for number in 1..=batches {
        let batch = publication("acme", number.into(), vec![row("example.com", 3)]);
        for name in [
            &batch.file.as_ref().unwrap().name,
            batch.file.as_ref().unwrap().partial.as_ref().unwrap(),
        ] {
            let mut writer = stores.objects().create(name).unwrap();
            // Those of the first batch are not what its digest says.
            let content: &[u8] = if number == 1 { b"other" } else { b"records" };
            writer.write_all(content).unwrap();
            writer.finish().unwrap();
        }
        stores.state_store().publish(&batch).unwrap();
    }
    drop(stores);
    let keys = place.json(&["keys", "list"]);
    let [from, to] = ["2026-09-01", "2026-09-30"];
    let questions = ["summary", "series", "agents", "errors", "sources"];
    let of_days = |question| ["logs", question, "acme", "--from", from, "--to", to];
    let answers = questions.map(|question| place.json(&of_days(question)));
    assert_eq!(answers[0]["period"]["requests"], 3 * batches);

    let files = place.file("files.toml", &format!("data_dir = {:?}", place.path().join("files")));
    let moved = place.json(&["move", "--to", &files]);
    assert_eq!(moved["records"], 3 * batches, "{moved}");
    assert_eq!(moved["objects"]["objects"], 2 * batches, "{moved}");
    assert_eq!(moved["damaged"], 1, "{moved}");
    let live = with_settings(&place, &["files"], &files);
    assert_eq!(live.as_array().unwrap().len() as u64, batches - 1, "the damaged one is left out");
    assert_eq!(with_settings(&place, &["keys", "list"], &files), keys);
    let answers_of = |settings: &str| {
        questions.map(|question| with_settings(&place, &of_days(question), settings))
    };
    assert_eq!(answers_of(&files), answers);

    let third = place.path().join("third");
    let url = database::url(&third).unwrap();
    let mut text = format!("data_dir = {third:?}\ndatabase.url = {url:?}\nnode.alone = true\n");
    if let (Some(url), Some(endpoint)) = (bucket::url(&third), bucket::endpoint()) {
        text.push_str(&format!("objects.url = {url:?}\nobjects.endpoint = {endpoint:?}\n"));
    }
    let back = place.file("back.toml", &text);
    let moved_back = with_settings(&place, &["move", "--to", &back], &files);
    assert_eq!(moved_back, moved);
    assert_eq!(with_settings(&place, &["keys", "list"], &back), keys);
    assert_eq!(answers_of(&back), answers);
    // What is new has numbers of its own.
    let mut settings = Settings { data_dir: third, ..Settings::default() };
    database::set(&mut settings);
    let stores = Stores::open(StoreLocation::of(&settings).unwrap()).unwrap();
    stores.state_store().publish(&publication("acme", 5_000, vec![row("example.com", 1)])).unwrap();

    let refused = place.run(&["move", "--to", &back]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("is not empty"), "{}", refused.stderr);
}
