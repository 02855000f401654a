//! What is not scanned, and what cannot be.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::net::TcpListener;
use visibility_server::settings::Settings;
use visibility_tests::closed_port::ClosedPort;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site, good};
use visibility_tests::wait::{LEEWAY, PATIENCE};

use crate::api::agent_readiness::sharing::gated;
use crate::api::agent_readiness::{error, field};
use crate::api::dns::{NameServer, Reply as Answer};
use crate::api::server::Server;

/// A server that asks a name server of the tests', and connects where that says.
async fn asking(names: &NameServer, change: impl FnOnce(&mut Settings)) -> Server {
    let address = names.address;
    Server::with(Hosts::default(), |settings| {
        settings.fetch.connect_to.clear();
        settings.fetch.nameservers = vec![address];
        change(settings);
    })
    .await
}

async fn refused(server: &Server, domain: &str) -> (u16, Value) {
    let (status, error) = error(server.scan(domain).await).await;
    (status.as_u16(), error)
}

#[tokio::test]
async fn what_is_no_domain_is_refused_with_its_reason() {
    let server = Server::start().await;
    for (domain, reason) in [
        ("", "empty"),
        ("   ", "empty"),
        ("https://example.com", "not_a_bare_host"),
        ("example.com/shop", "not_a_bare_host"),
        ("example.com:8443", "not_a_bare_host"),
        ("user@example.com", "not_a_bare_host"),
        ("exam ple.com", "not_a_bare_host"),
        ("example.com\0", "not_a_bare_host"),
        ("127.0.0.1", "ip_literal"),
        ("[::1]", "ip_literal"),
        ("2130706433", "ip_literal"),
        ("localhost", "special_use"),
        ("printer.local", "special_use"),
        ("com.tr", "public_suffix"),
        ("a..com", "bad_label"),
        (&format!("{}.com", "a".repeat(64)), "bad_label"),
        (&"a.".repeat(600), "too_long"),
    ] {
        let (status, error) = refused(&server, domain).await;
        assert_eq!((status, &error["code"]), (400, &"INVALID_DOMAIN".into()), "{domain:?}");
        assert_eq!(error["details"]["reason"], reason, "{domain:?}: {error}");
        assert!(error["hint"].is_string(), "{domain:?}");
    }
    let (_, error) = refused(&server, "https://Example.com/shop").await;
    assert_eq!(error["details"]["suggestion"], "example.com");
    assert_eq!(error["hint"], "Did you mean `example.com`?");
    for body in ["{}", r#"{"domain":1}"#, r#"{"domain":null}"#, r#"{"domain":["a.com"]}"#, "[]"] {
        let (status, error) = crate::api::agent_readiness::error(server.post("", body).await).await;
        assert_eq!((status.as_u16(), &error["code"]), (400, &"INVALID_REQUEST".into()), "{body}");
        assert!(error["details"].is_object(), "{body}");
    }
    let kept = server.kept("example.com%2Fshop", &[]).await;
    assert_eq!(kept.status(), 400);
    assert_eq!(server.kept("%ff", &[]).await.status(), 400);
    assert_eq!(server.sites.requests(), 0);
}

#[tokio::test]
async fn an_error_is_in_turkish() {
    let server = Server::start().await;
    let body = json!({ "domain": "example.com/a" }).to_string();
    let (_, english) = error(server.post("", body.clone()).await).await;
    let (status, turkish) = error(server.post("?lang=tr", body).await).await;
    assert_eq!(status, 400);
    assert_eq!((&turkish["code"], &turkish["details"]), (&english["code"], &english["details"]));
    assert_ne!(turkish["message"], english["message"]);
    assert_eq!(turkish["hint"], "Şunu mu demek istediniz: `example.com`?");
}

#[tokio::test]
async fn the_operator_excludes_domains_and_the_service_excludes_itself() {
    let sites = [good("example.com"), good("example.net")];
    let server = Server::with(Hosts::new(sites), |settings| {
        settings.fetch.deny = vec!["example.net".to_owned()];
        settings.base_url = Some("https://visibility.example.com".to_owned());
        settings.ingest_url = Some("https://logs.example.com:8443".to_owned());
    })
    .await;
    for domain in ["example.net", "a.b.example.net", "visibility.example.com", "LOGS.example.com."]
    {
        let (status, error) = refused(&server, domain).await;
        assert_eq!((status, &error["code"]), (400, &"DOMAIN_NOT_ALLOWED".into()), "{domain}");
        assert_eq!(error["details"]["reason"], "excluded");
        assert_eq!(server.kept(domain, &[]).await.status(), 400, "{domain}");
    }
    assert_eq!(server.sites.requests(), 0);
    assert_eq!(server.scan("example.com").await.status(), 200);
}

#[tokio::test]
async fn a_site_cannot_lead_a_scan_to_an_excluded_host() {
    let denied = FixtureServer::start(Hosts::new([
        good("a.denied.example.net"),
        good("visibility.example.org"),
    ]))
    .await;
    let moved = |host: &str, to: &str| {
        Site::new(host).with("/", Reply::redirect(301, &format!("https://{to}/")))
    };
    let linking = good("linking.example.com").with(
        "/robots.txt",
        Reply::text("User-agent: *\nSitemap: https://a.denied.example.net/sitemap.xml\n"),
    );
    let sites = [
        moved("moved.example.com", "a.denied.example.net"),
        moved("own.example.com", "visibility.example.org"),
        linking,
    ];
    let (https, http) = (denied.https(), denied.http());
    let server = Server::with(Hosts::new(sites), |settings| {
        settings.fetch.deny = vec!["denied.example.net".to_owned()];
        settings.base_url = Some("https://visibility.example.org".to_owned());
        for host in ["a.denied.example.net", "visibility.example.org"] {
            settings.fetch.connect_to.insert(0, format!("{host}:443:{https}"));
            settings.fetch.connect_to.insert(0, format!("{host}:80:{http}"));
        }
    })
    .await;
    for domain in ["moved.example.com", "own.example.com", "linking.example.com"] {
        assert_eq!(server.scan(domain).await.status(), 200, "{domain}");
    }
    assert_eq!((denied.connections(), denied.requests()), (0, 0));
}

#[tokio::test]
async fn a_name_that_leads_into_private_networks_is_refused_without_a_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    for address in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1"] {
        let address: Ipv4Addr = address.parse().unwrap();
        let names = NameServer::start(move |_, _| Answer::Address(address)).await;
        let server = asking(&names, |_| {}).await;
        let (status, error) = refused(&server, "intern.example.com").await;
        assert_eq!((status, &error["code"]), (400, &"DOMAIN_NOT_ALLOWED".into()), "{error}");
        let text = error.to_string();
        assert!(!text.contains(&address.to_string()) && !text.contains("443"), "{text}");
        assert!(!text.contains("--"), "no flags of the command line: {text}");
        assert_eq!(names.asked(), ["intern.example.com"]);
    }
    let connection = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(connection.is_err());
}

#[tokio::test]
async fn a_name_without_address_fails_at_once_at_the_stage_of_names() {
    let names = NameServer::start(|_, _| Answer::NoSuchName).await;
    let server = asking(&names, |_| {}).await;
    let (status, error) = refused(&server, "unknown.example.com").await;
    assert_eq!((status, &error["code"]), (502, &"UPSTREAM_SCAN_FAILED".into()));
    assert_eq!(error["details"]["stage"], "dns");
    assert_eq!(error["details"]["domain"], "unknown.example.com");
}

#[tokio::test]
async fn name_servers_that_never_answer_cost_a_few_seconds_and_no_threads() {
    let names = NameServer::start(|_, _| Answer::Silence).await;
    let server = asking(&names, |settings| {
        settings.limits.scans = 200;
        settings.limits.scan_queue = 200;
    })
    .await;
    let asked = Instant::now();
    let scans = (0..200).map(|number| {
        let domain = format!("a{number}.example.com");
        let server = &server;
        async move { refused(server, &domain).await }
    });
    for (status, error) in futures_util::future::join_all(scans).await {
        assert_eq!(status, 502, "{error}");
        assert_eq!(error["details"]["stage"], "dns", "{error}");
    }
    // A lookup is given up after seconds; one after the other, 200 would take many minutes.
    assert!(asked.elapsed() < PATIENCE, "{:?}", asked.elapsed());
}

#[tokio::test]
async fn an_address_that_came_is_used_though_another_question_was_never_answered() {
    let sites = FixtureServer::start(Hosts::new([good("shop.example.com")])).await;
    let names = NameServer::start(|_, _| Answer::OnlyAddress(Ipv4Addr::LOCALHOST)).await;
    let address = names.address;
    // Targets of our own rules are exempt from the guard.
    let rules = vec![
        format!("shop.example.com:443:target.example.com:{}", sites.https().port()),
        format!("shop.example.com:80:target.example.com:{}", sites.http().port()),
    ];
    let server = Server::on(Arc::new(tempdir().unwrap()), sites, |settings| {
        settings.fetch.connect_to = rules;
        settings.fetch.nameservers = vec![address];
    })
    .await;
    let result = server.result("", "shop.example.com").await;
    assert!(result["score"].as_u64().unwrap() > 50, "{}", result["score"]);
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_asked_for_once() {
    // The names of our own rules are exempt from the guard: the test is that no one asks again.
    let sites = FixtureServer::start(Hosts::new([good("shop.example.com")])).await;
    let port = sites.https().port();
    let elsewhere = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    let counting = tokio::spawn(async move {
        while elsewhere.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let names = NameServer::start(|_, before| {
        Answer::Address(Ipv4Addr::new(127, 0, 0, if before == 0 { 1 } else { 2 }))
    })
    .await;
    let address = names.address;
    let rules = vec![
        format!("shop.example.com:443:target.example.com:{port}"),
        format!("shop.example.com:80:{}", sites.http()),
    ];
    let server = Server::on(Arc::new(tempdir().unwrap()), sites, |settings| {
        settings.fetch.connect_to = rules;
        settings.fetch.nameservers = vec![address];
    })
    .await;
    let result = server.result("", "shop.example.com").await;
    assert!(result["score"].as_u64().unwrap() > 50, "{}", result["score"]);
    let asked = names.asked();
    let targets = asked.iter().filter(|name| **name == "target.example.com").count();
    assert_eq!(targets, 1, "{asked:?}");
    assert_eq!(connections.load(Ordering::Relaxed), 0);
    counting.abort();
}

#[tokio::test]
async fn a_site_that_refuses_connections_or_fails_is_reported_by_its_stage() {
    let closed = ClosedPort::bind();
    let broken = Site::new("broken.example.com").with("/", Reply::error(500));
    let server = Server::with(Hosts::new([broken]), |settings| {
        settings.fetch.connect_to.insert(0, format!("closed.example.com::{closed}"));
    })
    .await;
    let (status, error) = refused(&server, "closed.example.com").await;
    assert_eq!((status, &error["details"]["stage"]), (502, &"connect".into()), "{error}");
    let (status, error) = refused(&server, "broken.example.com").await;
    assert_eq!((status, &error["details"]["stage"]), (502, &"http".into()), "{error}");
    assert_eq!(error["details"]["status"], 500);
}

#[tokio::test]
async fn a_site_that_says_nothing_is_given_up_in_time() {
    let host = "shop.example.com";
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let rule = format!("{host}::{}", silent.local_addr().unwrap());
    let server = Server::with(Hosts::default(), |settings| {
        settings.fetch.connect_to.insert(0, rule);
        settings.timeouts.scan = 1;
    })
    .await;
    let asked = Instant::now();
    let (status, error) = refused(&server, host).await;
    assert_eq!((status, &error["code"]), (502, &"UPSTREAM_SCAN_FAILED".into()), "{error}");
    assert_eq!(error["details"]["stage"], "timeout", "{error}");
    // Its time is a second.
    assert!(asked.elapsed() < LEEWAY, "{:?}", asked.elapsed());
    assert_eq!(server.kept(host, &[]).await.status(), 404);
}

#[tokio::test]
async fn a_full_pool_says_when_to_come_again_and_counts_nothing_for_the_day() {
    let host = "shop.example.com";
    let sites = Hosts::new([good(host), good("b.example.com")]);
    let (server, gate) = gated(sites, host, |settings| {
        settings.limits.scans = 1;
        settings.limits.scan_queue = 0;
        settings.limits.scans_per_day = 2;
    })
    .await;
    let running = async { server.result("", host).await };
    let others = async {
        gate.wait_until(|waiting| waiting > 0).await;
        for _ in 0..5 {
            let response = server.scan("b.example.com").await;
            assert!(field(&response, "retry-after").unwrap().parse::<u32>().unwrap() > 0);
            let (status, error) = error(response).await;
            assert_eq!((status.as_u16(), &error["code"]), (503, &"SERVICE_UNAVAILABLE".into()));
        }
        gate.open();
    };
    tokio::join!(running, others);
    assert_eq!(server.scan("b.example.com").await.status(), 200, "one scan of two is left");
    assert_eq!(server.scan(host).await.status(), 200, "what is kept costs nothing");
    let (status, error) = refused(&server, "c.example.com").await;
    assert_eq!((status, &error["code"]), (429, &"DAILY_CAP_EXCEEDED".into()));
}

#[tokio::test]
async fn a_turn_is_not_waited_for_without_end() {
    let host = "shop.example.com";
    let (server, gate) = gated(Hosts::new([good(host)]), host, |settings| {
        settings.limits.scans = 1;
        settings.timeouts.scan_queue = 1;
    })
    .await;
    let running = async { server.scan(host).await };
    let waiting = async {
        gate.wait_until(|waiting| waiting > 0).await;
        let asked = Instant::now();
        let response = server.scan("b.example.com").await;
        assert_eq!(response.status(), 503);
        assert!(field(&response, "retry-after").is_some());
        assert!(asked.elapsed() >= Duration::from_millis(900), "{:?}", asked.elapsed());
        gate.open();
    };
    tokio::join!(running, waiting);
}

#[tokio::test]
async fn who_is_shown_at_a_site_is_who_is_set() {
    let own = |settings: &mut Settings| {
        settings.base_url = Some("https://visibility.example.org".to_owned());
    };
    let (seen, agents) = listener().await;
    let rule = format!("shop.example.com:80:{seen}");
    let server = Server::with(Hosts::new([good("shop.example.com")]), |settings| {
        own(settings);
        settings.fetch.connect_to.insert(0, rule);
    })
    .await;
    drop(server.scan("shop.example.com").await);
    let agents = agents.lock().unwrap().clone();
    let version = env!("CARGO_PKG_VERSION");
    let wanted = format!("VisibilityBot/{version} (+https://visibility.example.org/bot)");
    assert!(agents.contains(&wanted), "{agents:?}");
}

/// A server that notes the user agents of its clients.
async fn listener() -> (std::net::SocketAddr, Arc<std::sync::Mutex<Vec<String>>>) {
    let agents: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&agents);
    let note = move |headers: axum::http::HeaderMap| async move {
        let agent = headers["user-agent"].to_str().unwrap().to_owned();
        kept.lock().unwrap().push(agent);
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().fallback(note);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, agents)
}
