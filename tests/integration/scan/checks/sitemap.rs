//! Sites for `sitemap`.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use visibility_core::fetch::FetchError;
use visibility_tests::site::{Reply, Site, good, good_home, good_sitemap};

use super::{Case, case};

const HOST: &str = "example.com";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

fn with(reply: Reply) -> Site {
    good(HOST).with("/sitemap.xml", reply)
}

fn xml(body: impl Into<Vec<u8>>) -> Reply {
    Reply::new("application/xml", body)
}

/// A sitemap of these pages with their dates.
fn urls(entries: &[(&str, &str)]) -> String {
    let entries: String = entries
        .iter()
        .map(|(loc, date)| match *date {
            "" => format!("<url><loc>{loc}</loc></url>\n"),
            _ => format!("<url><loc>{loc}</loc><lastmod>{date}</lastmod></url>\n"),
        })
        .collect();
    format!("<?xml version=\"1.0\"?>\n<urlset xmlns=\"{NAMESPACE}\">\n{entries}</urlset>\n")
}

fn dated(dates: [&str; 3]) -> Site {
    let [a, b, c] = dates;
    let entries =
        [("https://example.com/", a), ("https://example.com/b", b), ("https://example.com/c", c)];
    with(xml(urls(&entries)))
}

fn index(child: &str) -> String {
    format!(
        "<sitemapindex xmlns=\"{NAMESPACE}\"><sitemap><loc>{child}</loc></sitemap></sitemapindex>"
    )
}

fn indexed() -> Site {
    with(xml(index("https://example.com/pages.xml")))
}

fn robots(line: &str) -> Reply {
    Reply::text(format!("User-agent: *\nAllow: /\n\n{line}\n"))
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = forms();
    cases.extend(dates());
    cases.extend(places());
    cases.extend(indexes());
    cases
}

fn forms() -> Vec<Case> {
    let no_namespace = good_sitemap(HOST).replace(&format!(" xmlns=\"{NAMESPACE}\""), "");
    let written = good_sitemap(HOST);
    let edited = |from: &str, to: &str| written.replacen(from, to, 1);
    let large = good_sitemap(HOST)
        .replace("</urlset>", &format!("<!--{}--></urlset>", "x".repeat(5 * 1024 * 1024)));
    vec![
        case("the good site", "complete", good(HOST)),
        case("gzip served as text", "complete", with(Reply::text(gzip(&good_sitemap(HOST))))),
        case("larger than what is read", "complete", with(xml(large))).also(&["cut"]),
        case("another type", "complete", with(Reply::text(good_sitemap(HOST)))),
        case(
            "a blank line before the declaration",
            "not-well-formed",
            with(xml(format!("\n{written}"))),
        ),
        case(
            "a comment before the declaration",
            "not-well-formed",
            with(xml(format!("<!-- a -->{written}"))),
        ),
        case("an entity of HTML", "not-well-formed", with(xml(edited("/</loc>", "/&nbsp;</loc>")))),
        case("a control character", "not-well-formed", with(xml(edited("<loc>", "\u{8}<loc>")))),
        case(
            "two hyphens in a comment",
            "not-well-formed",
            with(xml(edited("<url>", "<!-- a -- b --><url>"))),
        ),
        case(
            "an attribute twice",
            "not-well-formed",
            with(xml(edited("<url>", "<url a=\"1\" a=\"2\">"))),
        ),
        case(
            "a value without quotes",
            "not-well-formed",
            with(xml(edited(&format!("\"{NAMESPACE}\""), NAMESPACE))),
        ),
        case(
            "a declaration inside",
            "not-well-formed",
            with(xml(edited("<url>", "<?xml version=\"1.0\"?><url>"))),
        ),
        case("an instruction inside", "complete", with(xml(edited("<url>", "<?style a?><url>")))),
        case("no namespace", "no-namespace", with(xml(no_namespace))),
        case(
            "a list of addresses",
            "no-lastmod",
            with(Reply::text("https://example.com/\nhttps://example.com/b\n")),
        ),
        case("HTML", "html", with(Reply::html(good_home(HOST)))),
        case("HTML under another name", "html", with(xml(good_home(HOST)))),
        case("a feed", "invalid", with(xml("<rss version=\"2.0\"><channel/></rss>"))),
        case(
            "an end that is missing",
            "invalid",
            with(xml(good_sitemap(HOST).replace("</loc>", ""))),
        ),
        case("no entries", "empty", with(xml(urls(&[])))),
        case(
            "pages of another site",
            "foreign-pages",
            with(xml(urls(&[("https://staging.example.org/", "2026-01-02")]))),
        ),
        case("none", "absent", with(Reply::error(404))),
        case("refused", "unreadable", with(Reply::error(403))),
        case("a server error", "unreadable", with(Reply::error(503))),
        case(
            "timed out",
            "unreadable",
            good(HOST).failing("/sitemap.xml", FetchError::Timeout { after_ms: 10_000 }),
        ),
    ]
}

fn dates() -> Vec<Case> {
    vec![
        case("no dates", "no-lastmod", dated(["", "", ""])),
        case("one date of three", "no-lastmod", dated(["2026-11-01", "", ""])),
        case("two dates of three", "complete", dated(["2026-11-01", "2026-10-01", ""])),
        case(
            "dates that cannot be read",
            "bad-lastmod",
            dated(["1 May", "yesterday", "2026-13-01"]),
        ),
        case("all the same", "same-lastmod", dated(["2026-11-20", "2026-11-20", "2026-11-20"])),
        case(
            "made on request",
            "same-lastmod",
            dated(["2026-11-20T11:59:58Z", "2026-11-20T11:59:59Z", "2026-11-20T12:00:00Z"]),
        ),
        case(
            "tomorrow is today elsewhere",
            "complete",
            dated(["2026-11-21", "2026-10-01", "2026-09-01"]),
        ),
        case("in the future", "future-lastmod", dated(["2027-01-01", "2026-10-01", "2026-09-01"])),
    ]
}

fn places() -> Vec<Case> {
    let on_cdn =
        || good(HOST).with("/robots.txt", robots("Sitemap: https://cdn.example.net/example.xml"));
    let cdn = "https://cdn.example.net/example.xml";
    vec![
        case("not in robots.txt", "unlisted", good(HOST).with("/robots.txt", robots(""))),
        case("no robots.txt", "unlisted", good(HOST).with("/robots.txt", Reply::error(404))),
        case(
            "robots.txt is refused",
            "robots-unread",
            good(HOST).with("/robots.txt", Reply::error(503)),
        ),
        case("on another host", "complete", on_cdn().with(cdn, xml(good_sitemap(HOST))))
            .also(&["other-host"]),
        case(
            "on another host, with its pages",
            "foreign-pages",
            on_cdn().with(cdn, xml(good_sitemap("cdn.example.net"))),
        ),
        case("on a host that does not exist", "unreachable", on_cdn()),
        case(
            "on a host that times out",
            "unreadable",
            on_cdn().failing(cdn, FetchError::Timeout { after_ms: 10_000 }),
        ),
        case(
            "away from the site",
            "off-site",
            with(Reply::redirect(302, "https://other.example/sitemap.xml"))
                .with("https://other.example/sitemap.xml", xml(good_sitemap(HOST))),
        ),
    ]
}

fn indexes() -> Vec<Case> {
    let child = || xml(good_sitemap(HOST));
    let nested = xml(index("https://example.com/more.xml"));
    vec![
        case("an index", "complete", indexed().with("/pages.xml", child())),
        case("an index of indexes", "nested-index", indexed().with("/pages.xml", nested)),
        case("an index without its child", "broken-child", indexed()),
        case(
            "a child that is HTML",
            "broken-child",
            indexed().with("/pages.xml", Reply::html("<!doctype html>")),
        ),
        case(
            "a child that is refused",
            "unseen-child",
            indexed().with("/pages.xml", Reply::error(403)),
        ),
        case(
            "a child without dates",
            "no-lastmod",
            indexed().with("/pages.xml", xml(urls(&[("https://example.com/", "")]))),
        ),
        case(
            "a gzip child on another host",
            "complete",
            with(xml(index("https://cdn.example.net/pages.xml.gz")))
                .with("https://cdn.example.net/pages.xml.gz", xml(gzip(&good_sitemap(HOST)))),
        ),
    ]
}

tests_of!("sitemap");
