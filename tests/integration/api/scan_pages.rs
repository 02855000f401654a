//! A domain is scanned from a browser without scripts.

mod compare;
mod failures;
mod forms;
mod history;
mod routes;

use reqwest::Method;
use scraper::{Html, Selector};
use visibility_core::accounts::scope::Scope;
use visibility_server::settings::Settings;
use visibility_tests::server::Hosts;
use visibility_tests::site::good;

use super::browser::{ADA, Browser, PASSWORD, Page, make_user};
use super::server::Server;

const BOB: &str = "bob@example.com";
const SITES: [&str; 4] = ["a.example.com", "b.example.com", "c.example.com", "shop.example.org"];

/// A server with sites, Ada who may scan, and Bob who may not.
async fn server(change: impl FnOnce(&mut Settings)) -> Server {
    let server = Server::with(Hosts::new(SITES.map(good)), change).await;
    make_user(&server, ADA, &[Scope::ScanRead]);
    make_user(&server, BOB, &[]);
    server
}

fn public(settings: &mut Settings) {
    settings.web.public_scans = true;
}

async fn signed_in<'a>(server: &'a Server, name: &str) -> Browser<'a> {
    let mut browser = Browser::new(server);
    assert_eq!(browser.sign_in("/sign-in", name, PASSWORD).await.status, 303);
    browser
}

/// Sends the form of the home page with this in its field.
async fn scan(browser: &mut Browser<'_>, target: &str) -> Page {
    let home = browser.get("/").await;
    let form = home.form_of_scan().with("target", target);
    browser.submit(&form).await
}

/// Sends the form, and follows to the page of the domain.
async fn scanned(browser: &mut Browser<'_>, target: &str) -> Page {
    let sent = scan(browser, target).await;
    assert_eq!(sent.status, 303, "{target}: {}", sent.body);
    let address = sent.header("location").to_owned();
    for _ in 0..200 {
        let page = browser.get(&address).await;
        if page.header("refresh").is_empty() {
            return page;
        }
    }
    panic!("{target}: no result");
}

trait ScanPage {
    fn form_of_scan(&self) -> super::browser::Form;
}

impl ScanPage for Page {
    fn form_of_scan(&self) -> super::browser::Form {
        let forms = (0..2).map(|number| self.form(number));
        forms.into_iter().find(|form| form.action == "/scan").expect("the form to scan")
    }
}

#[tokio::test]
async fn a_visitor_scans_a_domain_and_sees_the_result() {
    let server = server(public).await;
    let mut browser = Browser::new(&server);
    let page = scanned(&mut browser, " https://A.Example.COM/#top ").await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.texts("h1"), ["a.example.com"]);
    assert!(page.body.contains("the rest of the address was left out"), "{}", page.body);
    assert_eq!(page.header("cache-control"), "private, no-cache");
    assert_eq!(page.header("x-robots-tag"), "noindex");
    assert!(page.texts("form").is_empty());
    assert_eq!(page.texts("script, style, [style], iframe, object").len(), 0);

    // Another visitor has not asked for it.
    let other = Browser::new(&server).get("/scan/a.example.com").await;
    assert_eq!(
        (other.status, other.header("location")),
        (303, "/sign-in?next=%2Fscan%2Fa.example.com")
    );
}

#[tokio::test]
async fn the_files_are_those_of_the_api() {
    let server = server(public).await;
    let mut browser = Browser::new(&server);
    let page = scanned(&mut browser, "a.example.com").await;
    let links: Vec<String> = {
        let html = Html::parse_document(&page.body);
        let links =
            Selector::parse("p.buttons a[href*='/result.'], p.buttons a[href*='/fixes.']").unwrap();
        html.select(&links).map(|link| link.value().attr("href").unwrap().to_owned()).collect()
    };
    assert_eq!(links.len(), 5, "{links:?}");
    for link in &links {
        let file = browser.get(link).await;
        assert_eq!(file.status, 200, "{link}");
        assert_eq!(file.header("x-content-type-options"), "nosniff", "{link}");
        assert!(file.header("content-security-policy").starts_with("default-src 'none'"), "{link}");
        // Without the sign, the file is not there for a stranger.
        let bare = link.split('?').next().unwrap();
        assert_eq!(Browser::new(&server).get(bare).await.status, 303, "{link}");
        match bare.rsplit('.').next().unwrap() {
            "json" => {
                let request =
                    server.client.get(server.url("/api/v1/agent-readiness/a.example.com"));
                let api = request.bearer_auth(&server.key).send().await.unwrap();
                assert_eq!(file.body, api.text().await.unwrap());
            }
            "zip" => {
                assert_eq!(
                    file.header("content-disposition"),
                    "attachment; filename=\"fixes-a.example.com.zip\""
                );
                assert_eq!(file.header("content-type"), "application/zip");
            }
            "html" => assert!(file.body.starts_with("<!doctype html>"), "{}", file.body),
            "md" => assert!(file.body.starts_with('#'), "{}", file.body),
            "svg" => assert!(file.body.starts_with("<svg"), "{}", file.body),
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn a_public_result_is_the_same_for_everyone_and_is_not_sent_twice() {
    let server = server(|settings| {
        public(settings);
        settings.web.public_results = true;
    })
    .await;
    let mut browser = Browser::new(&server);
    scanned(&mut browser, "a.example.com").await;
    let first = Browser::new(&server).get("/scan/a.example.com").await;
    let second = Browser::new(&server).get("/scan/a.example.com").await;
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("cache-control"), "public, max-age=60");
    assert_eq!(first.header("referrer-policy"), "same-origin");
    assert!(first.cookies.is_empty());
    let again = browser.request(Method::GET, "/scan/a.example.com");
    let again = browser.send(again.header("if-none-match", first.header("etag"))).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    // A person has a page of their own, which the visitor's does not stand for.
    let mut person = signed_in(&server, ADA).await;
    let request = person.request(Method::GET, "/scan/a.example.com");
    let page = person.send(request.header("if-none-match", first.header("etag"))).await;
    assert_eq!((page.status, page.header("cache-control")), (200, "private, no-cache"));
}

#[tokio::test]
async fn the_fourth_scan_of_an_address_in_a_minute_says_when_to_come_back() {
    let server = server(|settings| {
        public(settings);
        settings.limits.visitor_scans_per_minute = 3;
    })
    .await;
    let mut browser = Browser::new(&server);
    for host in &SITES[..3] {
        assert_eq!(scanned(&mut browser, host).await.status, 200, "{host}");
    }
    let page = scan(&mut browser, SITES[3]).await;
    assert_eq!(page.status, 429, "{}", page.body);
    let wait: u64 = page.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert!(page.body.contains(&format!("{wait} s")), "{}", page.body);
    // What is there already costs nothing.
    assert_eq!(scanned(&mut browser, SITES[0]).await.status, 200);
}

#[tokio::test]
async fn all_visitors_together_scan_a_site_a_few_times_an_hour() {
    let server = server(|settings| {
        public(settings);
        settings.limits.visitor_scans_per_minute = 0;
        settings.limits.visitor_scans_per_site = 2;
    })
    .await;
    for (host, status) in [(SITES[0], 303), (SITES[1], 303), (SITES[2], 429), (SITES[3], 303)] {
        let mut browser = Browser::new(&server);
        assert_eq!(scan(&mut browser, host).await.status, status, "{host}");
    }
}

#[tokio::test]
async fn who_tries_the_service_at_home_needs_no_account() {
    let server = Server::with(Hosts::new(SITES.map(good)), |_| {}).await;
    let mut browser = Browser::new(&server);
    let page = scanned(&mut browser, "a.example.com").await;
    assert_eq!((page.status, page.texts("h1")), (200, vec!["a.example.com".to_owned()]));
    for (name, value) in [("x-forwarded-for", "192.0.2.1"), ("host", "evil.example")] {
        let request = browser.request(Method::GET, "/").header(name, value);
        let home = browser.send(request).await;
        assert!(!home.body.contains("id=\"target\""), "{name}");
    }
    make_user(&server, ADA, &[Scope::ScanRead]);
    assert!(!Browser::new(&server).get("/").await.body.contains("id=\"target\""));
    assert_eq!(browser.get("/scan/a.example.com").await.status, 303);
}

#[tokio::test]
async fn a_scan_goes_on_when_its_browser_has_left() {
    let server = server(public).await;
    let mut browser = Browser::new(&server);
    let form = browser.get("/").await.form_of_scan().with("target", "a.example.com");
    let gone = browser.request(Method::POST, "/scan");
    let body =
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&form.fields).finish();
    let gone = gone.header("content-type", "application/x-www-form-urlencoded").body(body);
    // The browser leaves before there is an answer.
    let left = tokio::time::timeout(std::time::Duration::from_millis(30), gone.send()).await;
    drop(left);
    let mut person = signed_in(&server, ADA).await;
    until_result(&mut person, "/scan/a.example.com").await;
}

/// Looks at a page until it is that of a result.
async fn until_result(browser: &mut Browser<'_>, address: &str) {
    for _ in 0..400 {
        let page = browser.get(address).await;
        if page.status == 200 && page.header("refresh").is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("no result at {address}");
}
