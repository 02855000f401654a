//! A domain is scanned from a browser without scripts.

use reqwest::Method;
use scraper::{Html, Selector};
use visibility_core::accounts::scope::Scope;
use visibility_server::settings::Settings;
use visibility_tests::server::Hosts;
use visibility_tests::site::Site;
use visibility_tests::typical;

use super::browser::{ADA, Browser, PASSWORD, Page, make_user};
use super::server::Server;

const BOB: &str = "bob@example.com";
const SITES: [&str; 4] = ["a.example.com", "b.example.com", "c.example.com", "shop.example.org"];

/// A site that can be scanned.
fn site(host: &str) -> Site {
    let mut site = typical::all().swap_remove(0).site;
    host.clone_into(&mut site.host);
    site
}

/// A server with sites, Ada who may scan, and Bob who may not.
async fn server(change: impl FnOnce(&mut Settings)) -> Server {
    let server = Server::with(Hosts::new(SITES.map(site)), change).await;
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
    let page = scanned(&mut browser, " https://A.Example.COM/x?y ").await;
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
        let links = Selector::parse("p.buttons a[href^='/scan/']").unwrap();
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

/// What each asks for, and the statuses that a stranger with everything off, a stranger with public scans and results, a
/// person without the scope, and a person get.
const ROUTES: [(&str, &str, [u16; 4]); 10] = [
    ("GET", "/", [200, 200, 200, 200]),
    ("GET", "/scan", [303, 303, 303, 303]),
    ("POST", "/scan", [403, 403, 403, 403]),
    ("GET", "/scan/a.example.com", [303, 200, 403, 200]),
    ("GET", "/scan/b.example.com", [303, 404, 403, 404]),
    ("GET", "/scan/A.Example.com", [303, 303, 303, 303]),
    ("GET", "/scan/127.0.0.1", [400, 400, 400, 400]),
    ("GET", "/scan/a.example.com/result.json", [303, 200, 403, 200]),
    ("GET", "/scan/a.example.com/result.pdf", [404, 404, 404, 404]),
    ("POST", "/scan/a.example.com", [405, 405, 405, 405]),
];

#[tokio::test]
async fn every_route_answers_every_kind_of_asker() {
    for (index, (name, is_public)) in
        [(None, false), (None, true), (Some(BOB), false), (Some(ADA), false)]
            .into_iter()
            .enumerate()
    {
        let server = server(|settings| {
            settings.web.public_scans = is_public;
            settings.web.public_results = is_public;
        })
        .await;
        let scan =
            server.client.post(server.url("/api/v1/agent-readiness")).bearer_auth(&server.key);
        let scan =
            scan.json(&serde_json::json!({ "domain": "a.example.com" })).send().await.unwrap();
        assert_eq!(scan.status(), 200);
        for (method, path, statuses) in ROUTES {
            let mut browser = match name {
                Some(name) => signed_in(&server, name).await,
                None => Browser::new(&server),
            };
            browser.extra = vec![("accept", "text/html")];
            let page = match method {
                "GET" => browser.get(path).await,
                _ => browser.post(path, "target=b.example.com").await,
            };
            assert_eq!(
                page.status, statuses[index],
                "{name:?} {is_public} {method} {path}\n{}",
                page.body
            );
            // What has the field is for one browser, now.
            if page.body.contains("id=\"target\"") {
                assert_eq!(page.header("cache-control"), "no-store", "{path}");
            }
            if page.header("cache-control").starts_with("public") {
                assert!(page.cookies.is_empty(), "{path}");
            }
        }
    }
}

#[tokio::test]
async fn forms_count_with_their_own_sign_alone() {
    let server = server(public).await;
    let mut browser = Browser::new(&server);
    let form = browser.get("/").await.form_of_scan().with("target", "a.example.com");
    let mut other = Browser::new(&server);
    let foreign = other.get("/").await.form_of_scan().with("target", "a.example.com");
    for refused in [form.clone().without("csrf"), form.clone().with("csrf", ""), foreign] {
        assert_eq!(browser.submit(&refused).await.status, 403);
    }
    let mut without_cookie = Browser::new(&server);
    assert_eq!(without_cookie.submit(&form).await.status, 403);
    browser.extra = vec![("origin", "https://evil.example")];
    assert_eq!(browser.submit(&form).await.status, 403);
    browser.extra = vec![("sec-fetch-site", "cross-site")];
    assert_eq!(browser.submit(&form).await.status, 403);
    browser.extra = vec![];
    let twice = format!("csrf={}&target=a.example.com&target=b.example.com", form.fields["csrf"]);
    assert_eq!(browser.post("/scan", &twice).await.status, 400);
    assert_eq!(server.sites.requests(), 0);
    // Twice the same form is one scan.
    for _ in 0..2 {
        assert_eq!(browser.submit(&form).await.status, 303);
    }
}

#[tokio::test]
async fn a_field_with_no_domain_is_shown_again() {
    let server = server(public).await;
    let mut browser = Browser::new(&server);
    let long = "a".repeat(8_000);
    for target in
        ["", "127.0.0.1", "localhost", "\"><script>alert(1)</script>", "a\u{0}b", long.as_str()]
    {
        let page = scan(&mut browser, target).await;
        assert_eq!(page.status, 400, "{target}");
        assert_eq!(page.texts("[role=alert]").len(), 1, "{target}");
        assert_eq!(page.texts("script:not([type='application/ld+json'])").len(), 0, "{target}");
        let html = Html::parse_document(&page.body);
        let field =
            Selector::parse("#target[aria-invalid=true][aria-describedby=target-error]").unwrap();
        assert_eq!(html.select(&field).count(), 1, "{target}");
    }
    assert_eq!(server.sites.requests(), 0);
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
    let server = Server::with(Hosts::new(SITES.map(site)), |_| {}).await;
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
async fn a_scan_that_fails_says_why_on_the_page_of_the_domain() {
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
        assert!(page.status >= 400, "{}", page.status);
        assert_eq!(page.texts("[role=alert]").len(), 1, "{}", page.body);
        assert!(page.body.contains("/?target=a.example.com"), "{}", page.body);
        assert!(page.body.contains(lang), "{}", page.body);
        assert_eq!(page.header("cache-control"), "no-store");
    }
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
