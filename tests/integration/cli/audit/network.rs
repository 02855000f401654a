//! Pages over TLS, from a server of the tests' own.

use serde_json::Value;
use visibility_tests::closed_port::ClosedPort;
use visibility_tests::pages;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site};

use super::{NOW, URL, audit, json};
use crate::cli::program::{Folder, Run, run};

const HOST: &str = "shop.example.com";

fn sitemap(urls: &[String]) -> Reply {
    let urls: String = urls.iter().map(|url| format!("<url><loc>{url}</loc></url>")).collect();
    let xml =
        format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>");
    Reply::new("application/xml", xml)
}

/// A shop with a good page, and with pages that cannot be read for all kinds of reasons.
fn site() -> Site {
    let page = |path: &str| format!("https://{HOST}{path}");
    let listed = ["/jackets/aurora", "/shell", "/gone", "/jackets/aurora"].map(page);
    Site::new(HOST)
        .with("/jackets/aurora", Reply::html(pages::product()))
        .with("/shell", Reply::html(pages::shell()))
        .with("/moved", Reply::redirect(301, "/jackets/aurora"))
        .with("/wall", Reply::error(403))
        .with("/broken", Reply::error(503))
        .with("/manual", Reply::new("application/pdf", "%PDF-1.7"))
        .with("/out", Reply::redirect(302, "https://127.0.0.1/"))
        .with("/robots.txt", Reply::text("User-agent: *\nAllow: /\nSitemap: /sitemap.xml\n"))
        .with("/sitemap.xml", sitemap(&listed))
        .with("/none.xml", Reply::html("<!doctype html><title>x</title>"))
        .with("/foreign.xml", sitemap(&[page("/shell"), "https://elsewhere.org/".to_owned()]))
        .with(
            "/index.xml",
            Reply::new(
                "application/xml",
                format!(
                    "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
                     <sitemap><loc>{}</loc></sitemap><sitemap><loc>{}</loc></sitemap>\
                     <sitemap><loc>{}</loc></sitemap></sitemapindex>",
                    page("/sitemap.xml"),
                    page("/missing.xml"),
                    page("/index.xml")
                ),
            ),
        )
}

/// The server, and the folder with its certificate.
struct Shop {
    server: FixtureServer,
    folder: Folder,
}

impl Shop {
    async fn open() -> Self {
        let server = FixtureServer::start(Hosts::new([site()])).await;
        let folder = Folder::new();
        folder.file("ca.pem", server.authority().pem());
        Self { server, folder }
    }

    fn audit(&self, arguments: &[&str]) -> Run {
        self.run(&[&["audit", "--now", NOW], arguments].concat())
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let https = format!("{HOST}:443:127.0.0.1:{}", self.server.https().port());
        let http = format!("{HOST}:80:127.0.0.1:{}", self.server.http().port());
        let ca = self.folder.path("ca.pem");
        let network = ["--connect-to", &https, "--connect-to", &http, "--ca-cert", &ca];
        run(&[arguments, &network].concat())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_audited_with_its_robots_and_its_sitemap() {
    let shop = Shop::open().await;
    let seen = shop.audit(&["shop.example.com/jackets/aurora", "--format", "json"]);
    assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""));
    let value = json(&seen);
    assert_eq!(value["url"], URL);
    assert_eq!(value["status"], "completed");
    assert_eq!(value["http_status"], 200);
    assert_eq!(value["coverage"], 1.0);
    assert_eq!(shop.server.requests(), 3);
    let again = shop.audit(&[URL, "--format", "json"]);
    assert_eq!(again.stdout, seen.stdout, "the same page gives the same bytes");
    let moved = json(&shop.audit(&["https://shop.example.com/moved", "--format", "json"]));
    assert_eq!(moved["final_url"], URL);
    assert_ne!(moved["id"], value["id"]);
    let text = shop.audit(&[URL, "--show-text"]);
    assert!(text.stdout.starts_with("# Aurora down jacket\n"), "{}", text.stdout);
    let badge = shop.run(&["badge", URL]);
    assert!(badge.stdout.starts_with("<svg "), "{}", badge.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_status_has_its_exit_code() {
    let shop = Shop::open().await;
    let cases = [
        ("/jackets/aurora", "completed", 0, 0),
        ("/wall", "blocked", 3, 1),
        ("/gone", "not_found", 3, 1),
        ("/manual", "not_html", 3, 1),
        ("/broken", "server_error", 3, 3),
        ("/out", "unreachable", 3, 3),
    ];
    for (path, status, code, gated) in cases {
        let url = format!("https://{HOST}{path}");
        let run = shop.audit(&[&url, "--format", "json"]);
        assert_eq!(run.code, Some(code), "{path}: {}", run.stderr);
        assert_eq!(json(&run)["status"], status, "{path}");
        for lang in ["en", "tr"] {
            let run = shop.audit(&[&url, "--min-score", "1", "--lang", lang]);
            assert_eq!(run.code, Some(gated), "{path}: {}", run.stderr);
            assert!(!run.stdout.contains("interface."), "{}", run.stdout);
        }
    }
    let closed = ClosedPort::bind();
    let away = format!("{HOST}:443:{closed}");
    let gone = audit(&[URL, "--connect-to", &away, "--format", "json"]);
    assert_eq!(gone.code, Some(3), "{}", gone.stderr);
    assert_eq!(json(&gone)["status"], "unreachable");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_a_sitemap_are_visited_once_each_and_in_its_order() {
    let shop = Shop::open().await;
    let run =
        shop.audit(&["--sitemap", "https://shop.example.com/sitemap.xml", "--format", "json"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    let values: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
    let statuses: Vec<&str> =
        values.iter().map(|value| value["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["completed", "completed", "not_found"]);
    assert_eq!(values[0]["url"], URL);
    assert!(run.stderr.starts_with("https://shop.example.com/gone: "), "{}", run.stderr);
    assert!(run.stderr.ends_with("\n3 pages: 2 read, 1 not read\n"), "{}", run.stderr);
    // The sitemap to list the pages, three pages, robots.txt once, and the sitemap once for the signals.
    assert_eq!(shop.server.requests(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_of_sitemaps_is_followed_one_level_and_cut_where_asked() {
    let shop = Shop::open().await;
    let index =
        ["--sitemap", "https://shop.example.com/index.xml", "--quiet", "--format", "ndjson"];
    let run = shop.audit(&index);
    assert_eq!(run.stdout.lines().count(), 3, "{}", run.stderr);
    let cut = shop.audit(&["--sitemap", "https://shop.example.com/index.xml", "--max-pages", "2"]);
    assert_eq!(cut.code, Some(0), "{}", cut.stderr);
    assert!(cut.stderr.contains("only 2 were visited (--max-pages)"), "{}", cut.stderr);
    assert!(cut.stdout.contains(" …s://shop.example.com/jackets/aurora "), "{}", cut.stdout);
    let own =
        shop.audit(&["--sitemap", "https://shop.example.com/foreign.xml", "--format", "ndjson"]);
    assert_eq!(own.stdout.lines().count(), 1);
    assert!(own.stderr.contains("skipped 1 page of other sites"), "{}", own.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sitemap_that_cannot_be_read_is_reported() {
    let shop = Shop::open().await;
    for (url, code, message) in [
        ("https://shop.example.com/none.xml", 2, "an HTML page, not a sitemap"),
        ("https://shop.example.com/missing.xml", 2, "status 404"),
        ("https://shop.example.com/broken", 3, "status 503"),
        ("https://127.0.0.1/sitemap.xml", 2, "--allow-network"),
    ] {
        let run = shop.audit(&["--sitemap", url]);
        assert_eq!(run.code, Some(code), "{url}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{url}: {}", run.stderr);
    }
}

#[test]
fn a_page_that_is_not_public_is_refused_with_the_flag() {
    for lang in ["en", "tr"] {
        let run = audit(&["https://127.0.0.1/x", "--lang", lang, "--format", "json"]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("--allow-network"), "{}", run.stderr);
        assert_eq!(json(&run)["error"]["code"], "URL_NOT_ALLOWED");
    }
}
