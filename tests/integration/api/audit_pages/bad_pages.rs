//! Results that are not there, pages that say nothing, and pages that say too much.

use scraper::{Html, Selector};
use visibility_tests::server::Hosts;
use visibility_tests::site::{Reply, Site, good};

use super::{Browser, HOST, PAGE, Server, audited, server, server_of};

#[tokio::test]
async fn an_id_without_a_result_has_a_page_that_says_so() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    for path in [
        "/audit/aud_0000000000000000000001",
        "/audit/aud_zzzzzzzzzzzzzzzzzzzzzz",
        "/audit/x",
        "/audit/%ff",
        "/audit/..%2f..%2fetc",
        "/audit/aud_0000000000000000000001/result.json",
        "/audit/aud_0000000000000000000001/result.html",
    ] {
        let page = browser.get(path).await;
        assert_eq!(page.status, 404, "{path}");
        assert_eq!(page.texts("a.button[href='/audit']").len(), 1, "{path}: {}", page.body);
    }
}

#[tokio::test]
async fn a_result_that_has_expired_is_gone() {
    let server = server().await;
    let (address, _) = audited(&mut Browser::new(&server), PAGE).await;
    server.keeps_audits(1).await;
    let past = (chrono::Utc::now() - chrono::TimeDelta::days(31)).timestamp_micros();
    let database = server.folder.path().join("data/state.sqlite");
    let database = rusqlite::Connection::open(database).unwrap();
    database.execute("UPDATE audit SET created_at = ?1", [past]).unwrap();
    drop(database);
    // The next process has nothing in memory.
    let server = server.next(Hosts::default(), |_| {}).await;
    let page = Browser::new(&server).get(&address).await;
    assert_eq!(page.status, 404, "{}", page.body);
}

/// The page of the result for a page with this body.
async fn page_of(body: impl Into<Vec<u8>>) -> (super::Page, Html) {
    let server = server_of(good(HOST).with("/", Reply::html(body)), |_| {}).await;
    let (_, page) = audited(&mut Browser::new(&server), PAGE).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.len() <= 150_000, "{}", page.body.len());
    let html = Html::parse_document(&page.body);
    (page, html)
}

#[tokio::test]
async fn a_page_of_eight_megabytes_is_read_in_part_and_says_so() {
    let body =
        format!("<title>Long</title><main><h1>Long</h1>{}", "<p>one two</p>".repeat(600_000));
    assert!(body.len() > 8_000_000);
    let (page, _) = page_of(body).await;
    assert!(page.body.contains("only its first 5242880 bytes were judged"), "{}", page.body);
}

#[tokio::test]
async fn an_empty_page_and_one_that_hides_all_are_not_read() {
    let (page, _) = page_of("").await;
    assert!(page.body.contains("The page is empty"), "{}", page.body);
    for body in ["<title>x</title>", "<main hidden><h1>Lamp</h1><p>A lamp of oak.</p></main>"] {
        let (page, _) = page_of(body).await;
        assert!(page.body.contains("there is no main text"), "{body}: {}", page.body);
    }
}

#[tokio::test]
async fn a_page_that_leads_elsewhere_has_a_result_that_says_where_or_why_not() {
    let moved = |to: &str| good(HOST).with("/", Reply::redirect(301, to));
    let other = good("other.example.org");
    let hosts = Hosts::new([moved("https://other.example.org/")]).and([other]);
    let server = Server::with(hosts, |_| {}).await;
    let (_, page) = audited(&mut Browser::new(&server), PAGE).await;
    assert!(page.body.contains("Final address: https://other.example.org/"), "{}", page.body);

    for private in ["http://10.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]/x"] {
        let server = server_of(moved(private), |_| {}).await;
        let (_, page) = audited(&mut Browser::new(&server), PAGE).await;
        assert_eq!(page.status, 200, "{private}");
        assert!(page.texts("h2#signals").is_empty(), "{private}: {}", page.body);
        assert!(page.texts("svg.ring").is_empty(), "{private}");
    }
}

const HOSTILE: &str = "</p></title><script>alert(1)</script><img src=x onerror=alert(1)>&#x3c;b&#x3e;\u{202e}\"'`x` onclick=";

#[tokio::test]
async fn no_element_and_no_attribute_comes_from_the_page() {
    let long = "a".repeat(8_192);
    let escaped = HOSTILE.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let body = format!(
        "<html lang='{escaped}'><title>{escaped} {long}</title>\
         <meta name=description content=\"{escaped}\"><meta name=author content=\"{escaped}\">\
         <script type=application/ld+json>{{\"@type\":\"Article\",\"headline\":\"<\\/script><i>x\",\"author\":\"<i>y\"}}</script>\
         <nav>{escaped}</nav><div class=\"cookie {escaped}\">{escaped}</div><main><h1>{escaped}</h1>\
         <p>{escaped} {long}</p><p>By {escaped}</p><h2>{escaped}</h2><time datetime=\"{escaped}\">{escaped}</time>\
         <img alt=\"{escaped}\" src=\"{escaped}\"><a href=\"javascript:alert(1)\">{escaped}</a></main>\
         <aside>{escaped}</aside>"
    );
    let (page, html) = page_of(body).await;
    let forbidden =
        Selector::parse("script, img, iframe, i, [onerror], [onclick], [style]").unwrap();
    let found: Vec<String> = html.select(&forbidden).map(|element| element.html()).collect();
    assert!(found.is_empty(), "{found:?}");
    let links = Selector::parse("a[href]").unwrap();
    for link in html.select(&links) {
        let href = link.value().attr("href").unwrap();
        assert!(href.starts_with(['/', '#']) || href.starts_with("https://"), "{href}");
    }
    assert!(!page.body.contains('\u{202e}'));
    let names = ["rule", "reading", "signals"];
    assert!(names.iter().any(|id| !page.texts(&format!("#{id}")).is_empty()));
}

#[tokio::test]
async fn parts_that_are_left_out_are_named_with_their_rule_in_both_languages() {
    let body = "<title>Lamp</title><nav>Home Shop</nav><div class=cookie-banner>We use cookies</div>\
                <main><h1>Lamp</h1><p>A lamp of oak that stands on three legs and costs 90 EUR.</p></main>\
                <p>Beside it</p>";
    let site = Site::new(HOST).with("/", Reply::html(body));
    let server = server_of(site, |_| {}).await;
    let mut browser = Browser::new(&server);
    let (address, page) = audited(&mut browser, PAGE).await;
    assert_eq!(page.texts("del"), ["Home Shop", "We use cookies", "Beside it"]);
    let small = page.texts("li > small").join("\n");
    for words in ["the element nav; line 1, 10 characters", "“cookie” is in its class or id"] {
        assert!(small.contains(words), "{words}: {small}");
    }
    assert_eq!(page.texts("pre").len(), page.texts("pre[tabindex='0']").len());
    let turkish = browser.get(&format!("{address}?lang=tr")).await;
    assert!(turkish.texts("li .tag").contains(&"Çerez bildirimi".to_owned()), "{}", turkish.body);
}
