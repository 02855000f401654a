//! Clients whose id is the address of a document about them, which strangers choose.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use chrono::Utc;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use visibility_core::accounts::scope::Scope;
use visibility_server::stores::password_hash::{Password, PasswordHash};
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site};
use visibility_tests::wait::{LEEWAY, until};

use super::{Browser, CALLBACK, query};
use crate::api::dns::{NameServer, Reply as Answer};
use crate::api::server::Server;

const HOST: &str = "client.example.com";
/// Another host, which is not behind a gate.
const FREE: &str = "good.example.net";
/// The text for every document that cannot be fetched.
const NO_ANSWER: &str = "its host does not respond";
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
async fn an_invalid_document_is_refused_without_a_redirect() {
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
        assert!(text.contains(NO_ANSWER), "{text}");
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

/// The page for a document whose host has these addresses, and whether it says that the host does not
/// respond.
async fn page_for_addresses(answer: Answer) -> (String, bool) {
    let names = NameServer::start(move |_, _| answer).await;
    let server = Server::with(Hosts::default(), |settings| {
        settings.fetch.connect_to.clear();
        settings.fetch.nameservers = vec![names.address];
    })
    .await;
    let (status, text) = page(&server, ID).await;
    assert_eq!((status, names.asked()), (400, vec![HOST.to_owned()]), "{answer:?}");
    let says_no_response = text.contains(NO_ANSWER);
    // The page contains the port of the server.
    (text.replace(&server.address.to_string(), ""), says_no_response)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_refused_for_any_of_its_addresses_without_a_reason() {
    const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 215, 14));
    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const MAPPED: IpAddr = IpAddr::V6(Ipv4Addr::LOCALHOST.to_ipv6_mapped());
    const LOCAL: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);
    const UNIQUE: IpAddr = IpAddr::V6(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 1));
    const TRANSLATED: IpAddr = IpAddr::V6(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0x7f00, 1));
    let (no_such_name, says_no_response) = page_for_addresses(Answer::NoSuchName).await;
    assert!(says_no_response, "{no_such_name}");
    let denied: [&[IpAddr]; 7] = [
        &[MAPPED],
        &[LOCAL],
        &[UNIQUE],
        &[TRANSLATED],
        &[LOOPBACK],
        &[PUBLIC, LOOPBACK],
        &[PUBLIC, MAPPED],
    ];
    for addresses in denied {
        let started = Instant::now();
        let (text, says_no_response) = page_for_addresses(Answer::Addresses(addresses)).await;
        assert!(says_no_response, "{addresses:?}: {text}");
        assert_eq!(text, no_such_name, "{addresses:?}");
        // It takes milliseconds; a connection to the public address would never be answered.
        assert!(started.elapsed() < LEEWAY, "{addresses:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_changes_its_address_is_asked_for_once() {
    // Targets of our own rules are exempt from the guard: the test is that no one asks again.
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
async fn concurrent_requests_share_one_fetch() {
    let reply = document(&json!({})).header("cache-control", "no-store");
    let server = serving(reply).await;
    let statuses = join_all((0..20).map(|_| page(&server, ID))).await;
    assert!(statuses.iter().all(|(status, _)| *status == 200));
    assert!(server.sites.requests() < 20, "{}", server.sites.requests());
}

/// A way to the sites that can be closed: connections wait then until it is opened again.
struct Gate {
    address: SocketAddr,
    is_open: watch::Sender<bool>,
    waiting: Arc<AtomicUsize>,
}

impl Gate {
    async fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (is_open, opened) = watch::channel(true);
        let waiting: Arc<AtomicUsize> = Arc::default();
        let counted = Arc::clone(&waiting);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (mut opened, counted) = (opened.clone(), Arc::clone(&counted));
                tokio::spawn(async move {
                    counted.fetch_add(1, Ordering::SeqCst);
                    if opened.wait_for(|is_open| *is_open).await.is_err() {
                        return;
                    }
                    counted.fetch_sub(1, Ordering::SeqCst);
                    let mut site = TcpStream::connect(target).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut stream, &mut site).await;
                });
            }
        });
        Self { address, is_open, waiting }
    }

    /// Waits until so many connections wait.
    async fn held(&self, count: usize) {
        until("connections wait", || self.waiting.load(Ordering::SeqCst) == count).await;
    }

    /// A server that reaches these sites through a gate, but for one.
    async fn before(hosts: Hosts, free: &str) -> (Self, Server) {
        let sites = FixtureServer::start(hosts).await;
        let gate = Self::to(sites.https()).await;
        let rules = vec![format!("{free}:443:{}", sites.https()), format!(":443:{}", gate.address)];
        let server = Server::on(Arc::new(tempdir().unwrap()), sites, |settings| {
            settings.fetch.connect_to = rules;
        })
        .await;
        (gate, server)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_does_not_survive_what_ends_its_session_while_a_document_is_fetched() {
    let name = "ada".parse().unwrap();
    let password = Password::new("another good password", &name).unwrap();
    let hash = PasswordHash::new(&password).unwrap();
    for end in ["nothing", "passwd", "disable", "sign-out"] {
        let reply = document(&json!({})).header("cache-control", "no-store");
        let site = Site::new(HOST).with("/oauth/metadata.json", reply);
        let (gate, server) = Gate::before(Hosts::new([site]), FREE).await;
        server.make_user(&Scope::ALL);
        let asked = query(ID, &[]);
        let mut browser = Browser::new(&server);
        browser.sign_in(&asked).await;
        let sign = browser.sign(&asked).await;
        gate.is_open.send(false).unwrap();
        let mut other = browser.clone();
        let fields = [("decision", "approve"), ("csrf", sign.as_str())];
        let approving = browser.post(&asked, &fields);
        let ending = async {
            gate.held(1).await;
            let state_store = server.stores.state_store();
            match end {
                "passwd" => drop(state_store.set_password(&name, &hash, Utc::now()).unwrap()),
                "disable" => drop(state_store.disable_user(&name, Utc::now()).unwrap()),
                "sign-out" => assert_eq!(other.sign_out(&sign).await.status(), 200),
                _ => {}
            }
            gate.is_open.send(true).unwrap();
        };
        let (answer, ()) = tokio::join!(approving, ending);
        let grants = server.stores.state_store().grants(None, Utc::now()).unwrap();
        if end == "nothing" {
            assert_eq!((answer.status().as_u16(), grants.len()), (303, 1));
        } else {
            assert_eq!((answer.status().as_u16(), grants.len()), (403, 0), "{end}");
            assert!(!answer.headers().contains_key("location"), "{end}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_sites_do_not_delay_other_documents() {
    let id = |host: &str| format!("https://{host}/oauth/metadata.json");
    let good = document(&json!({ "client_id": id(FREE) }));
    let good = Site::new(FREE).with("/oauth/metadata.json", good);
    let hosts = Hosts::new([good]).generating(Site::new);
    let (gate, server) = Gate::before(hosts, FREE).await;
    gate.is_open.send(false).unwrap();
    let slow: Vec<String> = (0..20).map(|number| format!("a{number}.example.com")).collect();
    let flood = join_all(slow.iter().map(|host| {
        let (server, id) = (&server, id(host));
        async move { page(server, &id).await.0 }
    }));
    let other = async {
        gate.held(2).await;
        assert_eq!(page(&server, &id(FREE)).await.0, 200);
        gate.held(2).await;
        gate.is_open.send(true).unwrap();
    };
    let (statuses, ()) = tokio::join!(flood, other);
    assert_eq!(statuses, [400; 20], "all of them had their turn, and there is no document");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_has_so_many_documents_fetched_in_an_hour() {
    let id = |number: usize| format!("https://{HOST}/{number}.json");
    let site = (0..4).fold(Site::new(HOST), |site, number| {
        let document = document(&json!({ "client_id": id(number) }));
        site.with(&format!("/{number}.json"), document)
    });
    let server = Server::with(Hosts::new([site]), |settings| {
        settings.limits.client_documents_per_hour = 3;
    })
    .await;
    for number in [0, 1, 0, 2, 1, 0] {
        assert_eq!(page(&server, &id(number)).await.0, 200, "{number}");
    }
    let refused = Browser::new(&server).open(&query(&id(3), &[])).await;
    assert_eq!(refused.status(), 429);
    let wait: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((3500..=3600).contains(&wait), "{wait}");
    assert_eq!(page(&server, &id(0)).await.0, 200, "what is remembered does not count");
    assert_eq!(server.sites.requests(), 3);
    let text = server.metrics.render();
    assert!(text.contains("scope=\"client_document\"} 1"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_used_past_its_age_while_no_other_can_be_had() {
    for (control, requests, status) in
        [("max-age=1", 2, 200), ("max-age=1, must-revalidate", 2, 429)]
    {
        let reply = document(&json!({})).header("cache-control", control);
        let site = Site::new(HOST)
            .with("/oauth/metadata.json", reply)
            .with("/other.json", Reply::error(500));
        let server = Server::with(Hosts::new([site]), |settings| {
            settings.limits.client_documents_per_hour = 2;
        })
        .await;
        assert_eq!(page(&server, ID).await.0, 200);
        assert_eq!(page(&server, &format!("https://{HOST}/other.json")).await.0, 400);
        tokio::time::sleep(Duration::from_millis(1100)).await;
        assert_eq!(page(&server, ID).await.0, status, "{control}");
        assert_eq!(server.sites.requests(), requests, "{control}");
    }
}
