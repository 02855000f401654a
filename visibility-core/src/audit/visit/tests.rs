use std::collections::BTreeMap;
use std::sync::Mutex;

use futures_util::FutureExt;

use super::*;
use crate::audit::page::fixture::now;
use crate::audit::snapshot::AuditId;
use crate::documents::robots::RobotsState;
use crate::fetch::{BodyEnd, BoxFuture, Headers, Hop};
use crate::text::locale::Lang;

/// Answers from a table; what is not in it is 404. Every request is written down.
#[derive(Debug, Default)]
struct Site {
    answers: BTreeMap<&'static str, FetchResult>,
    asked: Mutex<Vec<String>>,
}

impl Site {
    fn with(mut self, url: &'static str, body: &str) -> Self {
        self.answers.insert(url, Ok(response(url, 200, body)));
        self
    }

    fn redirect(mut self, from: &'static str, to: &str, body: &str) -> Self {
        let mut response = response(to, 200, body);
        let location = to.to_owned();
        response.hops =
            vec![Hop { url: from.parse().unwrap(), status: 301, location, vary: String::new() }];
        self.answers.insert(from, Ok(response));
        self
    }

    fn failing(mut self, url: &'static str, error: FetchError) -> Self {
        self.answers.insert(url, Err(error));
        self
    }

    fn visit(&self, url: &str) -> Result<PageSnapshot, VisitError> {
        let request = AuditRequest {
            id: AuditId::from_bits(7),
            url: url.parse().unwrap(),
            taken_at: now(),
            user_agent: "VisibilityBot/1.0".to_owned(),
            profile: None,
        };
        visit(self, &request).now_or_never().unwrap()
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Fetch for Site {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        self.asked.lock().unwrap().push(probe.url.to_string());
        let answer = self.answers.get(probe.url.as_str()).cloned();
        let answer = answer.unwrap_or_else(|| Ok(response(probe.url.as_str(), 404, "none")));
        Box::pin(async move { answer })
    }
}

fn response(url: &str, status: u16, body: &str) -> Response {
    Response {
        url: url.parse().unwrap(),
        status,
        version: "HTTP/1.1".to_owned(),
        headers: Headers::default(),
        wire_bytes: 0,
        body: body.to_owned().into(),
        body_end: BodyEnd::Complete,
        hops: Vec::new(),
        ttfb_ms: 1,
        total_ms: 1,
        retries: 0,
        tls: None,
    }
}

const PAGE: &str = "https://example.com/page";
const HTML: &str = "<!doctype html><p>Hello";

fn urlset(locs: &[&str]) -> String {
    let urls: String = locs.iter().map(|loc| format!("<url><loc>{loc}</loc></url>")).collect();
    format!("<urlset>{urls}</urlset>")
}

#[test]
fn a_page_takes_three_requests() {
    let site = Site::default().with(PAGE, HTML);
    let snapshot = site.visit(PAGE).unwrap();
    let asked = ["https://example.com/robots.txt", PAGE, "https://example.com/sitemap.xml"];
    assert_eq!(site.asked(), asked);
    assert_eq!(snapshot.sitemap, SitemapState::Missing);
    assert_eq!(snapshot.robots.unwrap().state, RobotsState::Unavailable);
}

#[test]
fn robots_txt_of_the_final_host_counts() {
    let site = Site::default()
        .redirect("http://a.example/x", "https://b.example/x", HTML)
        .with("http://a.example/robots.txt", "User-agent: *\nDisallow: /\n")
        .with("https://b.example/robots.txt", "Sitemap: https://b.example/map.xml\n")
        .with("https://b.example/map.xml", &urlset(&["https://b.example/x/"]));
    let snapshot = site.visit("http://a.example/x").unwrap();
    assert!(snapshot.robots.unwrap().decide(&["VisibilityBot"], "/x").unwrap().allowed);
    assert!(matches!(snapshot.sitemap, SitemapState::Listed { .. }), "{:?}", snapshot.sitemap);
    assert_eq!(site.asked().len(), 4);
}

#[test]
fn robots_txt_that_was_redirected_with_the_page_is_not_asked_for_again() {
    let site = Site::default().redirect("http://a.example/", "https://a.example/", HTML).redirect(
        "http://a.example/robots.txt",
        "https://a.example/robots.txt",
        "User-agent: *",
    );
    site.visit("http://a.example/").unwrap();
    assert_eq!(site.asked().len(), 3);
}

#[test]
fn a_page_is_found_in_a_sitemap_in_any_spelling() {
    let listed = |locs: &[&str]| {
        let site = Site::default().with(PAGE, HTML);
        let text = urlset(locs);
        let state = {
            let mut site = site;
            let url = "https://example.com/sitemap.xml";
            site.answers.insert(url, Ok(response(url, 200, &text)));
            site.visit(PAGE).unwrap().sitemap
        };
        matches!(state, SitemapState::Listed { .. })
    };
    assert!(listed(&["https://example.com/", PAGE]));
    assert!(listed(&["HTTPS://EXAMPLE.com:443/p%61ge/#top"]));
    assert!(!listed(&["https://example.com/Page", "http://example.com/page", "page"]));
}

#[test]
fn a_sitemap_without_the_page_is_distinguished_from_one_that_cannot_be_read() {
    let index =
        "<sitemapindex><sitemap><loc>https://example.com/1.xml</loc></sitemap></sitemapindex>";
    let named = "Sitemap: ftp://example.com/a\nSitemap: /map.xml\n";
    let of = |robots: &str, url: &'static str, body: &str| {
        let site = Site::default()
            .with(PAGE, HTML)
            .with("https://example.com/robots.txt", robots)
            .with(url, body);
        let snapshot = site.visit(PAGE).unwrap();
        assert_eq!(site.asked().len(), 3);
        snapshot.sitemap
    };
    let map = "https://example.com/map.xml";
    let url = || map.to_owned();
    assert_eq!(of(named, map, index), SitemapState::Unread { url: url() });
    let other = urlset(&["https://example.com/other"]);
    assert_eq!(of(named, map, &other), SitemapState::Unlisted { url: url() });
    assert!(matches!(of(named, map, HTML), SitemapState::Failed { .. }));
    let guessed = "https://example.com/sitemap.xml";
    assert_eq!(of("", guessed, HTML), SitemapState::Missing);
}

#[test]
fn a_host_that_is_not_asked_is_a_fault_of_the_caller_and_a_redirect_to_one_is_not() {
    let denied = |after_redirect| FetchError::Denied { after_redirect };
    let error = Site::default().failing(PAGE, denied(false)).visit(PAGE).unwrap_err();
    for lang in Lang::ALL {
        let object = Problem::from(&error).object(lang);
        assert_eq!(object.code, ErrorCode::UrlNotAllowed);
        assert_eq!(object.details["reason"], "not_public");
        assert!(!object.message.contains("url-not-public") && object.hint.is_some());
    }
    let snapshot = Site::default().failing(PAGE, denied(true)).visit(PAGE).unwrap();
    assert_eq!(snapshot.failure(), Some(&denied(true)));
    assert!(snapshot.robots.is_none());
}

#[test]
fn a_page_that_is_refused_is_not_looked_for_in_a_sitemap() {
    let site = Site::default();
    let snapshot = site.visit(PAGE).unwrap();
    assert_eq!(snapshot.response().unwrap().status, 404);
    assert_eq!(snapshot.sitemap, SitemapState::NotAsked);
    assert_eq!(site.asked().len(), 2);
}

#[test]
fn a_group_that_names_our_token_is_obeyed_for_everything_but_the_home_page() {
    const HOME: &str = "https://example.com/";
    const ROBOTS: &str = "https://example.com/robots.txt";
    let named = "User-agent: visibilitybot\nDisallow: /\n";
    let all = "User-agent: *\nDisallow: /\n";
    let map = "User-agent: VisibilityBot\nDisallow: /sitemap.xml\n";
    let allowed = "User-agent: VisibilityBot\nDisallow: /\nAllow: /page\nAllow: /sitemap.xml\n";
    let other = "User-agent: VisibilityBot\nDisallow: /other\n";
    for (robots, url, is_page_asked, is_map_asked) in [
        (named, PAGE, false, false),
        (named, HOME, true, false),
        (all, PAGE, true, true),
        (map, PAGE, true, false),
        (allowed, PAGE, true, true),
        (other, PAGE, true, true),
    ] {
        let site = Site::default().with(PAGE, HTML).with(HOME, HTML).with(ROBOTS, robots);
        let snapshot = site.visit(url).unwrap();
        let was_asked = |url: &str| site.asked().iter().any(|asked| asked == url);
        assert!(was_asked(ROBOTS));
        assert_eq!(was_asked(url), is_page_asked, "{robots} {url}");
        assert_eq!(was_asked("https://example.com/sitemap.xml"), is_map_asked, "{robots} {url}");
        assert_eq!(snapshot.result.is_ok(), is_page_asked);
        if !is_page_asked {
            let skipped = FetchError::Skipped { reason: SkipReason::RobotsOwnToken };
            assert_eq!(snapshot.failure(), Some(&skipped));
            assert!(snapshot.robots.is_some());
            assert_eq!(snapshot.sitemap, SitemapState::NotAsked);
        } else if !is_map_asked {
            assert!(matches!(snapshot.sitemap, SitemapState::Unread { .. }));
        }
    }
}

#[test]
fn a_page_that_is_not_in_the_first_of_several_sitemaps_may_be_in_another() {
    let one = "https://example.com/1.xml";
    let two = "https://example.com/2.xml";
    let unlisted = SitemapState::Unlisted { url: one.to_owned() };
    let unread = |url: &str| SitemapState::Unread { url: url.to_owned() };
    for (robots, expected) in [
        ("Sitemap: /1.xml\n", unlisted.clone()),
        ("Sitemap: /1.xml\nSitemap: https://example.com/1.xml\n", unlisted),
        ("Sitemap: /1.xml\nSitemap: /2.xml\n", unread(one)),
        ("Sitemap: https://other.org/1.xml\nSitemap: /2.xml\n", unread(two)),
    ] {
        let urls = urlset(&["https://example.com/x"]);
        let site = Site::default()
            .with(PAGE, HTML)
            .with("https://example.com/robots.txt", robots)
            .with(one, &urls)
            .with(two, &urls);
        assert_eq!(site.visit(PAGE).unwrap().sitemap, expected, "{robots}");
        assert_eq!(site.asked().len(), 3);
    }
}

#[test]
fn a_sitemap_of_another_site_is_not_asked_for_and_one_of_a_subdomain_is() {
    let visit = |robots: &str| {
        let site = Site::default()
            .with(PAGE, HTML)
            .with("https://example.com/robots.txt", robots)
            .with("https://www.example.com/map.xml", &urlset(&[PAGE]))
            .with("https://example.org/map.xml", &urlset(&[PAGE]));
        (site.visit(PAGE).unwrap().sitemap, site.asked().len())
    };
    let own = visit("Sitemap: https://www.example.com/map.xml\n");
    assert!(matches!(own, (SitemapState::Listed { .. }, 3)), "{own:?}");
    let url = "https://example.org/map.xml".to_owned();
    let foreign = visit("Sitemap: https://user:secret@example.org/map.xml\n");
    assert_eq!(foreign, (SitemapState::Unread { url }, 2));
}

#[test]
fn user_info_of_a_sitemap_is_neither_sent_nor_kept() {
    let map = "https://example.com/map.xml";
    let site = Site::default()
        .with(PAGE, HTML)
        .with("https://example.com/robots.txt", "Sitemap: https://user:secret@example.com/map.xml")
        .with(map, &urlset(&["https://example.com/x"]));
    let snapshot = site.visit(PAGE).unwrap();
    assert_eq!(snapshot.sitemap, SitemapState::Unlisted { url: map.to_owned() });
    assert!(site.asked().iter().all(|url| !url.contains("secret")));
}
