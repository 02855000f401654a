//! Scans that fail, take long, or are too many.

use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use visibility_tests::server::Hosts;
use visibility_tests::site::{Reply as Answer, good};

use super::{Browser, Page, SITES, Server, public, scan, scanned, server};
use crate::api::dns::{NameServer, Reply};

/// What every page of a scan without a result has: one reason, and the way back to the form with the domain in it.
fn check_reason(page: &Page, words: &str) {
    assert!(page.status >= 400, "{}", page.status);
    assert_eq!(page.texts("[role=alert]").len(), 1, "{}", page.body);
    assert!(page.body.contains(words), "{words}: {}", page.body);
    assert!(page.body.contains("/?target=a.example.com"), "{}", page.body);
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("refresh"), "");
}

#[tokio::test]
async fn a_site_that_refuses_connections_is_named_in_both_languages() {
    let server = server(|settings| {
        public(settings);
        // Nothing listens there.
        settings.fetch.connect_to =
            vec![":443:127.0.0.1:1".to_owned(), ":80:127.0.0.1:1".to_owned()];
    })
    .await;
    for (languages, lang) in [("en", "lang=\"en\""), ("tr", "lang=\"tr\"")] {
        let mut browser = Browser { languages, ..Browser::new(&server) };
        let page = scanned(&mut browser, "a.example.com").await;
        check_reason(&page, lang);
    }
}

#[tokio::test]
async fn a_name_without_address_is_named() {
    let names = NameServer::start(|_, _| Reply::NoSuchName).await;
    let address = names.address;
    let server = server(|settings| {
        public(settings);
        settings.fetch.connect_to.clear();
        settings.fetch.nameservers = vec![address];
    })
    .await;
    let page = scanned(&mut Browser::new(&server), "a.example.com").await;
    check_reason(&page, "the name has no address");
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_is_the_result() {
    let server = server(|settings| {
        public(settings);
        settings.fetch.ca_cert = None;
    })
    .await;
    let page = scanned(&mut Browser::new(&server), "a.example.com").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("issuer is not trusted"), "{}", page.body);
}

#[tokio::test]
async fn a_site_whose_robots_txt_keeps_us_out_has_a_result_that_says_so() {
    let robots = Answer::text("User-agent: VisibilityBot\nDisallow: /\n");
    let closed = good("a.example.com").with("/robots.txt", robots);
    let server = Server::with(Hosts::new([closed]), public).await;
    let page = scanned(&mut Browser::new(&server), "a.example.com").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("VisibilityBot"), "{}", page.body);
}

#[tokio::test]
async fn the_page_of_a_site_that_never_answers_waits_until_the_deadline() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let server = server(|settings| {
        public(settings);
        settings.fetch.connect_to =
            vec![format!(":443:127.0.0.1:{port}"), format!(":80:127.0.0.1:{port}")];
    })
    .await;
    let mut browser = Browser::new(&server);
    let begun = Instant::now();
    let sent = scan(&mut browser, "a.example.com").await;
    assert_eq!(sent.status, 303);
    assert!(begun.elapsed() >= Duration::from_secs(3), "the form waits a while");
    let address = sent.header("location").to_owned();
    let mut reloads = 0;
    let last = loop {
        let page = browser.get(&address).await;
        if page.header("refresh").is_empty() {
            break page;
        }
        assert_eq!((page.status, page.header("refresh")), (200, "2"));
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.texts("[role=status]").len(), 1, "{}", page.body);
        assert!(page.texts("form").is_empty());
        reloads += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(reloads > 3, "{reloads}");
    check_reason(&last, "did not answer in time");
    drop(silent);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_visitors_at_once_get_a_page_each() {
    let server = server(|settings| {
        public(settings);
        settings.limits.scans = 2;
        settings.limits.visitor_scans_per_minute = 0;
        settings.limits.visitor_scans_per_day = 0;
        settings.limits.visitor_scans_total_per_day = 0;
        settings.limits.visitor_scans_per_site = 0;
    })
    .await;
    let visits = (0..200).map(|number: usize| {
        let server = &server;
        let host = SITES[number % SITES.len()];
        async move { scan(&mut Browser::new(server), host).await.status }
    });
    let mut statuses = futures_util::future::join_all(visits).await;
    statuses.sort_unstable();
    statuses.dedup();
    assert_eq!(statuses, [303]);
    // However many ask, each site is scanned once.
    for host in SITES {
        let page = scanned(&mut Browser::new(&server), host).await;
        assert_eq!(page.texts("h1"), [host]);
    }
}
