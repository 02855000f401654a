//! A page is audited from a browser without scripts.

mod bad_pages;
mod forms;

use std::time::{Duration, Instant};

use reqwest::Method;
use scraper::{Html, Selector};
use tokio::net::TcpListener;
use visibility_server::settings::Settings;
use visibility_tests::server::Hosts;
use visibility_tests::site::{Site, good};

use super::audit::id;
use super::browser::{ADA, Browser, Form, PASSWORD, Page, make_user};
use super::server::Server;

const HOST: &str = "shop.example.com";
const PAGE: &str = "https://shop.example.com/";

async fn server_of(site: Site, change: impl FnOnce(&mut Settings)) -> Server {
    let server = Server::with(Hosts::new([site]), change).await;
    // A visitor of a service without users may do more.
    make_user(&server, ADA, &[]);
    server
}

async fn server() -> Server {
    server_of(good(HOST), |_| {}).await
}

fn form_of(page: &Page) -> Form {
    let forms = (0..2).map(|number| page.form(number));
    forms.into_iter().find(|form| form.action == "/audit").expect("the form to audit")
}

/// Sends the form with this in its field.
async fn audit(browser: &mut Browser<'_>, url: &str) -> Page {
    let form = form_of(&browser.get("/audit").await).with("url", url);
    browser.submit(&form).await
}

/// Sends the form, and follows to the page of the result.
async fn audited(browser: &mut Browser<'_>, url: &str) -> (String, Page) {
    let sent = audit(browser, url).await;
    assert_eq!(sent.status, 303, "{url}: {}", sent.body);
    let address = sent.header("location").to_owned();
    assert!(address.starts_with("/audit/aud_"), "{address}");
    // A large page takes seconds in a debug build, and a minute on a busy machine.
    for _ in 0..1_200 {
        let page = browser.get(&address).await;
        if page.header("refresh").is_empty() {
            return (address, page);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{url}: no result");
}

#[tokio::test]
async fn a_visitor_audits_a_page_and_everyone_who_has_its_address_sees_the_result() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let (address, page) = audited(&mut browser, PAGE).await;
    assert_eq!(page.status, 200, "{}", page.body);
    for id in ["pillars", "reading", "fixes", "signals", "page"] {
        assert_eq!(page.texts(&format!("h2#{id}")).len(), 1, "{id}");
    }
    assert_eq!(page.texts("script, style, [style], iframe, object, form").len(), 0);
    assert_eq!(page.header("cache-control"), "public, max-age=60");
    assert_eq!(page.header("x-robots-tag"), "noindex");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert!(page.body.len() <= 100_000, "{}", page.body.len());

    let mut other = Browser::new(&server);
    let request = other.request(Method::GET, &address);
    let same = other.send(request.header("if-none-match", page.header("etag"))).await;
    assert_eq!((same.status, same.body.as_str()), (304, ""));
    assert_eq!(other.get(&address).await.body, page.body);
    // A person has a page of their own, which the visitor's does not stand for.
    let mut person = Browser::new(&server);
    assert_eq!(person.sign_in("/sign-in", ADA, PASSWORD).await.status, 303);
    let request = person.request(Method::GET, &address);
    let own = person.send(request.header("if-none-match", page.header("etag"))).await;
    assert_eq!((own.status, own.header("cache-control")), (200, "private, no-cache"));

    let turkish = browser.get(&format!("{address}?lang=tr")).await;
    assert_eq!(turkish.texts("h2#reading"), ["Bir yapay zekânın sayfadan okuduğu"]);
}

#[tokio::test]
async fn the_same_page_is_audited_once_in_ten_minutes_in_a_browser_and_over_the_api() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let (address, _) = audited(&mut browser, PAGE).await;
    let requests = server.sites.requests();
    assert_eq!(audited(&mut browser, "http://shop.example.com").await.0.len(), address.len());
    assert_eq!(audited(&mut browser, " <https://SHOP.example.com/#top> ").await.0, address);
    let api = server.audited("", PAGE).await;
    assert_eq!(address, format!("/audit/{}", id(&api)));
    assert!(server.sites.requests() > requests, "the address without a path is another one");
}

#[tokio::test]
async fn an_address_with_a_path_in_the_field_of_the_home_page_leads_to_its_audit() {
    let site = good(HOST).with("/a", visibility_tests::site::inner_page("Lamps"));
    let server = server_of(site, |settings| settings.web.public_scans = true).await;
    let mut browser = Browser::new(&server);
    let home = browser.get("/").await;
    let form = home.form(0).with("target", "shop.example.com/a#b");
    let sent = browser.submit(&form).await;
    assert!(sent.header("location").starts_with("/audit/aud_"), "{sent:?}");
    let page = browser.get(sent.header("location")).await;
    assert!(page.body.contains("https://shop.example.com/a"), "{}", page.body);
    // From there the whole site can be scanned.
    let links = Html::parse_document(&page.body);
    let link = Selector::parse("a[href='/?target=shop.example.com']").unwrap();
    assert_eq!(links.select(&link).count(), 1);

    let refused = browser.submit(&home.form(0).with("target", "http://10.0.0.1/admin")).await;
    assert_eq!((refused.status, refused.texts("[role=alert]").len()), (400, 1));
}

#[tokio::test]
async fn the_files_are_those_of_the_api() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let (address, page) = audited(&mut browser, PAGE).await;
    let id = address.rsplit('/').next().unwrap();
    let links: Vec<String> = {
        let html = Html::parse_document(&page.body);
        let links = Selector::parse("p.buttons a[href*='/result.']").unwrap();
        html.select(&links).map(|link| link.value().attr("href").unwrap().to_owned()).collect()
    };
    assert_eq!(links.len(), 4, "{links:?}");
    for link in &links {
        let file = browser.get(link).await;
        assert_eq!(file.status, 200, "{link}");
        assert_eq!(file.header("x-content-type-options"), "nosniff", "{link}");
        assert_eq!(file.header("x-robots-tag"), "noindex", "{link}");
        assert!(file.header("content-security-policy").starts_with("default-src 'none'"), "{link}");
        let suffix = match link.split('?').next().unwrap().rsplit('.').next().unwrap() {
            "json" => String::new(),
            other => format!(".{other}"),
        };
        let api = server.shown(&format!("{id}{suffix}"), &[]).await;
        assert_eq!(file.header("content-type"), api.headers()["content-type"], "{link}");
        assert_eq!(file.body, api.text().await.unwrap(), "{link}");
    }
    for file in ["result.pdf", "fixes.zip", "result", "result.json.md"] {
        assert_eq!(browser.get(&format!("{address}/{file}")).await.status, 404, "{file}");
    }
}

#[tokio::test]
async fn the_limits_are_those_of_the_api() {
    let site = good(HOST).otherwise(visibility_tests::site::inner_page("Lamps"));
    let server = server_of(site, |settings| settings.limits.audits_per_minute = 3).await;
    let mut browser = Browser::new(&server);
    let (first, _) = audited(&mut browser, PAGE).await;
    assert_eq!(server.audit("https://shop.example.com/1").await.status(), 201);
    audited(&mut browser, "https://shop.example.com/2").await;
    let page = audit(&mut browser, "https://shop.example.com/3").await;
    assert_eq!(page.status, 429, "{}", page.body);
    let wait: u64 = page.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert!(page.body.contains(&format!("{wait} s")), "{}", page.body);
    // What is there already can be seen.
    assert_eq!(browser.get(&first).await.status, 200);
}

#[tokio::test]
async fn an_audit_that_takes_long_has_a_page_until_there_is_a_result() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let server = server_of(good(HOST), |settings| {
        settings.fetch.connect_to =
            vec![format!(":443:127.0.0.1:{port}"), format!(":80:127.0.0.1:{port}")];
        settings.timeouts.audit = 8;
    })
    .await;
    let mut browser = Browser::new(&server);
    let begun = Instant::now();
    let sent = audit(&mut browser, PAGE).await;
    assert_eq!(sent.status, 303);
    assert!(begun.elapsed() >= Duration::from_secs(3), "the form waits a while");
    let address = sent.header("location").to_owned();
    // Who asks for the same page waits for the same audit.
    let again = audit(&mut Browser::new(&server), PAGE).await;
    assert_eq!(again.header("location"), address);
    let mut reloads = 0;
    let last = loop {
        let page = browser.get(&address).await;
        if page.header("refresh").is_empty() {
            break page;
        }
        assert_eq!((page.status, page.header("refresh")), (200, "2"));
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.texts("[role=status]").len(), 1, "{}", page.body);
        reloads += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(reloads > 0);
    // That nothing answers is a result.
    assert_eq!(last.status, 200);
    assert!(last.body.contains("did not respond in time"), "{}", last.body);
    drop(silent);
}

#[tokio::test]
async fn an_audit_goes_on_when_its_browser_has_left() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let form = form_of(&browser.get("/audit").await).with("url", PAGE);
    let body =
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&form.fields).finish();
    let gone = browser.request(Method::POST, "/audit").body(body);
    let gone = gone.header("content-type", "application/x-www-form-urlencoded");
    let left = tokio::time::timeout(Duration::from_millis(20), gone.send()).await;
    drop(left);
    server.keeps_audits(1).await;
}
