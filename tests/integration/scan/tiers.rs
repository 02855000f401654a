//! The tiers that an expert expects: no dead, empty or walled site ranks above one that can be read.

use visibility_core::fetch::{FetchError, TlsError};
use visibility_core::scan::score::Tier;
use visibility_tests::fixes::scored;
use visibility_tests::site::{Reply, Site, good, good_home, good_sitemap};
use visibility_tests::typical;

/// A site, and the lowest and the highest tier that is right for it.
struct Expected {
    name: &'static str,
    site: Site,
    tiers: (Tier, Tier),
}

fn expected(name: &'static str, site: Site, lowest: Tier, highest: Tier) -> Expected {
    Expected { name, site, tiers: (lowest, highest) }
}

const HOST: &str = "lantern-works.com";

/// The page that a firewall without a known marker sends to every bot, at every address.
fn wait_page() -> Reply {
    Reply::html(
        "<!doctype html><html><head><title>Please wait</title><meta http-equiv=\"refresh\" content=\"5\">\
         </head><body><p>Please wait while we look at your browser.</p></body></html>",
    )
}

fn http_only() -> Site {
    let connect = FetchError::Connect { host: format!("{HOST}:443") };
    let plain = |path: &str| format!("http://{HOST}{path}");
    let robots = format!("User-agent: *\nAllow: /\n\nSitemap: http://{HOST}/sitemap.xml\n");
    Site::new(HOST)
        .failing("/", connect)
        .with(&plain("/"), Reply::html(good_home(HOST)).header("content-encoding", "gzip"))
        .with(&plain("/robots.txt"), Reply::text(robots))
        .with(
            &plain("/llms.txt"),
            Reply::text("# Lantern\n\n- [Home](http://lantern-works.com/)\n"),
        )
        .with(&plain("/sitemap.xml"), Reply::new("application/xml", good_sitemap(HOST)))
}

fn dead(error: FetchError) -> Site {
    good(HOST).failing("/", error)
}

fn sites() -> Vec<Expected> {
    let timeout = FetchError::Timeout { after_ms: 10_000 };
    let tls = FetchError::Tls { host: HOST.to_owned(), problem: TlsError::Handshake };
    let looping = good(HOST).with("/", Reply::redirect(302, "/"));
    let empty = good(HOST).with("/", Reply::html(""));
    let missing = good(HOST).with("/", Reply::error(404));
    let walled = good(HOST)
        .for_user_agent("VisibilityBot", wait_page())
        .with("/robots.txt", wait_page())
        .with("/sitemap.xml", wait_page())
        .with("/llms.txt", wait_page())
        .otherwise(wait_page());
    let translated = good(HOST)
        .with("/", Reply::redirect(302, "/en/"))
        .with("/en/", Reply::html(good_home(HOST)).header("content-encoding", "gzip"));
    vec![
        expected("a good site", good(HOST), Tier::Readable, Tier::Native),
        expected("languages below paths", translated, Tier::Readable, Tier::Ready),
        expected(
            "3 s before every answer",
            good(HOST).answering_after(3_000),
            Tier::Readable,
            Tier::Ready,
        ),
        expected(
            "9 s before every answer",
            good(HOST).answering_after(9_000),
            Tier::Discoverable,
            Tier::Readable,
        ),
        expected("plain HTTP only", http_only(), Tier::Discoverable, Tier::Readable),
        expected("an unknown wall at 200", walled, Tier::Invisible, Tier::Discoverable),
        expected("a redirect loop", looping, Tier::Invisible, Tier::Invisible),
        expected("a home page of 0 bytes", empty, Tier::Invisible, Tier::Invisible),
        expected("a home page that is missing", missing, Tier::Invisible, Tier::Invisible),
        expected("a home page that times out", dead(timeout), Tier::Invisible, Tier::Invisible),
        expected("broken TLS", dead(tls), Tier::Invisible, Tier::Invisible),
    ]
}

#[test]
fn each_site_has_a_tier_that_an_expert_would_sign() {
    let mut wrong = Vec::new();
    for Expected { name, site, tiers: (lowest, highest) } in sites() {
        let (score, _) = scored(&site);
        if !(lowest..=highest).contains(&score.tier) {
            let caps: Vec<&str> = score.caps.iter().map(|cap| cap.id).collect();
            let tier = score.tier.as_str();
            wrong.push(format!("{name}: {} {tier}, caps {caps:?}, raw {}", score.value, score.raw));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_dead_site_ranks_above_one_that_can_be_read() {
    let worst_readable = typical::all()
        .into_iter()
        .filter(|one| one.tier >= Tier::Readable)
        .map(|one| scored(&one.site).0.value)
        .min();
    for Expected { name, site, tiers } in sites() {
        if tiers.1 <= Tier::Discoverable {
            let (score, _) = scored(&site);
            assert!(Some(score.value) < worst_readable, "{name}: {}", score.value);
        }
    }
}

#[test]
fn what_is_behind_an_unknown_wall_is_unknown() {
    let walled = sites().into_iter().find(|one| one.name.contains("wall")).expect("a wall").site;
    let (score, judged) = scored(&walled);
    assert_eq!(score.caps.first().map(|cap| cap.id), Some("honest-bot-refused"));
    let of = |id: &str| {
        let one = judged.iter().find(|one| one.check.id == id).expect("a check");
        one.finding.verdict().as_str()
    };
    for check in ["content-without-js", "robots-txt", "honest-404", "llms-txt", "structured-data"] {
        assert_eq!(of(check), "unknown", "{check}");
    }
    assert_eq!(of("bot-wall"), "fail");
}
