//! Clients whose id is the address of a document about them, which strangers choose.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::net::TcpListener;
use visibility_core::scope::Scope;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site};

use super::{Browser, CALLBACK, query};
use crate::dns::{NameServer, Reply as Answer};
use crate::server::Server;

const HOST: &str = "client.example.com";
const ID: &str = "https://client.example.com/oauth/metadata.json";

/// A document that is good but for what is changed.
fn document(change: &Value) -> Reply {
    let mut document = json!({
        "client_id": ID,
        "client_name": "Good Client",
        "redirect_uris": ["http://localhost/callback"],
    });
    for (name, value) in change.as_object().unwrap() {
        document[name] = value.clone();
    }
    Reply::json(document.to_string())
}

async fn serving(reply: Reply) -> Server {
    let site = Site::new(HOST).with("/oauth/metadata.json", reply);
    Server::with(Hosts::new([site]), |_| {}).await
}

/// The status and the text of the page for a client.
async fn page(server: &Server, id: &str) -> (u16, String) {
    let answer = Browser::new(server).open(&query(id, &[])).await;
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_a_document_is_let_in_without_registration() {
    let server = serving(document(&json!({}))).await;
    server.make_user(&Scope::ALL);
    let mut browser = Browser::new(&server);
    let asked = query(ID, &[]);
    browser.sign_in(&asked).await;
    let shown = browser.open(&asked).await.text().await.unwrap();
    assert!(shown.contains("Good Client") && shown.contains(HOST), "{shown}");
    let tokens = browser.tokens(ID, &asked).await;
    assert_eq!(server.ask_api(&tokens.access).await.status(), 404);
    let again = super::Tokens::of(server.refresh(ID, &tokens.refresh).await).await;
    assert_eq!(server.ask_api(&again.access).await.status(), 404);
    assert_eq!(server.sites.requests(), 1, "the document is remembered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_remembered_as_long_as_it_says_and_a_failure_never() {
    let store = |value: &str| document(&json!({})).header("cache-control", value);
    for (reply, status, requests) in [
        (store("max-age=60"), 200, 1),
        (store("no-store"), 200, 3),
        (Reply::error(500), 400, 3),
        (document(&json!({ "client_id": "https://client.example.com/other" })), 400, 3),
    ] {
        let server = serving(reply).await;
        for _ in 0..3 {
            assert_eq!(page(&server, ID).await.0, status);
        }
        assert_eq!(server.sites.requests(), requests);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_none_is_refused_and_leads_nowhere() {
    let long = json!({ "client_name": "a".repeat(6000) });
    let elsewhere = Reply::redirect(302, "https://client.example.com/good.json");
    for reply in [
        elsewhere.clone(),
        Reply::redirect(308, "http://169.254.169.254/latest/meta-data"),
        document(&long),
        document(&json!({ "client_secret": "a" })),
        document(&json!({ "token_endpoint_auth_method": "private_key_jwt" })),
        document(&json!({ "redirect_uris": ["javascript:alert(1)", "https://*.example.com/"] })),
        document(&json!({ "client_name": "a\u{202e}b" })),
        Reply::html("<p>a"),
        Reply::json("[".repeat(4000)),
    ] {
        let site = Site::new(HOST)
            .with("/oauth/metadata.json", reply)
            .with("/good.json", document(&json!({})));
        let server = Server::with(Hosts::new([site]), |_| {}).await;
        let (status, text) = page(&server, ID).await;
        assert_eq!(status, 400, "{text}");
        assert!(!text.contains("localhost:51234"), "{text}");
        assert_eq!(server.sites.requests(), 1, "no redirect is followed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_uri_that_the_document_has_not_is_refused() {
    let server =
        serving(document(&json!({ "redirect_uris": ["https://client.example.com/cb"] }))).await;
    let (status, _) = page(&server, ID).await;
    assert_eq!(status, 400, "{CALLBACK} is not in it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_not_fetched_from_where_the_public_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    let counting = tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    for address in ["127.0.0.1", "169.254.169.254", "10.0.0.1", "100.64.0.1", "0.0.0.0"] {
        let address: Ipv4Addr = address.parse().unwrap();
        let names = NameServer::start(move |_, _| Answer::Address(address)).await;
        let server = Server::with(Hosts::default(), |settings| {
            settings.fetch.connect_to.clear();
            settings.fetch.nameservers = vec![names.address];
        })
        .await;
        let (status, text) = page(&server, ID).await;
        assert_eq!(status, 400);
        assert!(text.contains("public address"), "{text}");
        assert_eq!(names.asked(), [HOST]);
        for id in [
            format!("https://{address}/metadata.json"),
            format!("https://[::ffff:{address}]/metadata.json"),
            format!("https://{own}/metadata.json"),
            format!("https://client.example.com:{}/metadata.json", own.port()),
            "https://localhost/metadata.json".to_owned(),
            "http://client.example.com/metadata.json".to_owned(),
        ] {
            assert_eq!(page(&server, &id).await.0, 400, "{id}");
        }
    }
    assert_eq!(connections.load(Ordering::Relaxed), 0);
    counting.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_changes_its_address_is_asked_for_once() {
    // Targets of our own rules are exempt from the guard: what is shown is that nobody asks again.
    let site = Site::new(HOST).with("/oauth/metadata.json", document(&json!({})));
    let sites = FixtureServer::start(Hosts::new([site])).await;
    let names = NameServer::start(|_, before| {
        Answer::Address(Ipv4Addr::new(127, 0, 0, if before == 0 { 1 } else { 2 }))
    })
    .await;
    let rule = format!("{HOST}:443:target.example.com:{}", sites.https().port());
    let server = Server::on(Arc::new(tempdir().unwrap()), sites, |settings| {
        settings.fetch.connect_to = vec![rule];
        settings.fetch.nameservers = vec![names.address];
    })
    .await;
    assert_eq!(page(&server, ID).await.0, 200);
    assert_eq!(names.asked(), ["target.example.com"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_ask_at_once_share_one_fetch() {
    let reply = document(&json!({})).header("cache-control", "no-store");
    let server = serving(reply).await;
    let statuses = join_all((0..20).map(|_| page(&server, ID))).await;
    assert!(statuses.iter().all(|(status, _)| *status == 200));
    assert!(server.sites.requests() < 20, "{}", server.sites.requests());
}
