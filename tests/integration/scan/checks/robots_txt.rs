//! Sites for `robots-txt`.

use visibility_core::fetch::FetchError;
use visibility_core::scan::checks::find;
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const SITEMAP: &str = "Sitemap: https://example.com/sitemap.xml\n";

fn with(text: impl AsRef<str>) -> Site {
    answering(Reply::text(text.as_ref()))
}

fn answering(reply: Reply) -> Site {
    good("example.com").with("/robots.txt", reply)
}

fn failing(error: FetchError) -> Site {
    good("example.com").failing("/robots.txt", error)
}

/// One line of each kind that should be fixed, between many that are fine.
fn untidy() -> String {
    let fine = "Disallow: /a\n".repeat(20);
    let long = "x".repeat(17_000);
    format!(
        "Disallow: /early\nUser-agent: GPTBot/1.4\nDisallow /private\nDissallow: /b\n\
         Disallow: relative\nAllow:\nNonsense: 1\n# {long}\n{fine}{SITEMAP}"
    )
}

fn on_www() -> Site {
    good("example.com")
        .with("/", Reply::redirect(301, "https://www.example.com/"))
        .with("https://www.example.com/", Reply::html(good_home("www.example.com")))
        .with(
            "https://www.example.com/robots.txt",
            Reply::text(format!("User-agent: *\nDisallow: /cart\n{SITEMAP}")),
        )
}

fn as_people_write() -> String {
    let lists = "User-agent: GPTBot, ClaudeBot\nDisallow: https://example.com/private/\n\nUser-agent: \"CCBot\"\nDisallow: /\n";
    format!("User-agent: *\nAllow: /\n\n{lists}{SITEMAP}")
}

pub(crate) fn cases() -> Vec<Case> {
    let group = format!("User-agent: *\nAllow: /\n{SITEMAP}");
    let large = format!("{SITEMAP}User-agent: *\n{}", "Disallow: /a\n".repeat(50_000));
    let junk = format!("User-agent: *\nAllow: /\n{SITEMAP}some words\n");
    let utf16: Vec<u8> =
        "\u{feff}User-agent: *\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let challenge = Reply::error(403).header("cf-mitigated", "challenge");
    let html = Reply::html("<!doctype html><title>Shop</title><h1>Not found</h1>");
    let crlf = group.replace('\n', "\r\n");
    vec![
        case("the good site", "complete", good("example.com")),
        case("a byte-order mark and CRLF", "complete", with(format!("\u{feff}{crlf}"))),
        case("another host", "complete", on_www()).also(&["differs-per-host"]),
        case("untidy", "complete", with(untidy())).also(&[
            "missing-colon",
            "typo",
            "rule-outside-group",
            "relative-pattern",
            "agent-with-extras",
            "bad-value",
            "unknown-key",
            "long-line",
        ]),
        case("what people write", "complete", with(as_people_write())).also(&[
            "agent-list",
            "quoted-agent",
            "url-pattern",
        ]),
        case("none", "absent", answering(Reply::error(404))),
        case("refused", "refused", answering(Reply::error(403))),
        case("a login is asked for", "refused", answering(Reply::error(401))),
        case("a wrong type", "wrong-type", answering(Reply::new("text/html", group))),
        case("no group", "no-group", with(SITEMAP)),
        case("empty", "no-group", with("")).also(&["no-sitemap"]),
        case("UTF-16", "no-group", answering(Reply::text(utf16))).also(&["utf-16"]),
        case(
            "a sitemap that is not there",
            "dead-sitemap",
            with("User-agent: *\nAllow: /\nSitemap: https://example.com/map.xml\n"),
        ),
        case("no sitemap", "no-sitemap", with("User-agent: *\nAllow: /\n")),
        case("junk", "junk-lines", with(junk)),
        case("too large", "too-large", with(large)),
        case("an HTML page", "html", answering(html.clone())),
        case("an HTML page as text", "html", answering(Reply::text(html.body))),
        case("a server error", "server-error", answering(Reply::error(503))),
        case("a loop", "endless-redirects", answering(Reply::redirect(301, "/robots.txt"))),
        case("challenged", "challenged", answering(challenge)),
        case("too many requests", "rate-limited", answering(Reply::error(429))),
        case("timed out", "unreadable", failing(FetchError::Timeout { after_ms: 10_000 })),
    ]
}

#[test]
fn what_is_pasted_is_complete() {
    let check = find("robots-txt").expect("a check").evaluate;
    let missing = check(&answering(Reply::error(404)).scan().expect("a scan"));
    let pasted = missing.snippet().expect("a snippet");
    let fixed = check(&with(pasted).scan().expect("a scan"));
    assert_eq!(fixed.detections()[0].outcome.id, "complete");
}

tests_of!("robots-txt");
