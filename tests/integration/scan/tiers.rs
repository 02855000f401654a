//! The tiers that an expert expects: no dead, empty or walled site ranks above one that can be read.

use visibility_core::fetch::{FetchError, TlsError};
use visibility_core::scan::facts::access::Effective;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::result::{FixPlanItem, ScanResult};
use visibility_core::scan::score::Tier;
use visibility_core::text::locale::Lang;
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
        expected(
            "a home page for which everybody pays",
            good(HOST).with("/", Reply::error(402)),
            Tier::Invisible,
            Tier::Invisible,
        ),
        expected(
            "an error with status 200",
            good(HOST).with("/", Reply::json(r#"{"error":{"code":500}}"#)),
            Tier::Invisible,
            Tier::Invisible,
        ),
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

/// The plan of a site.
fn plan(site: &Site) -> (ScanResult, Vec<FixPlanItem>) {
    let snapshot = site.scan().expect("a snapshot");
    let result = ScanReport::evaluate(&snapshot, &Selection::all()).result(Lang::En);
    let plan = result.fix_plan.clone();
    (result, plan)
}

/// Sites whose score a cap holds, and whether it is that of a wall.
fn capped_sites() -> Vec<(String, Site, bool)> {
    let page = |body: &str| {
        let head = "<!doctype html><html lang=\"en\"><head><title>A</title></head>";
        Reply::html(format!("{head}<body>{body}</body></html>"))
    };
    let home = |body: &str| good(HOST).with("/", page(body));
    let everywhere = |status| {
        let refusal = Reply::error(status);
        Site::new(HOST).with("/", refusal.clone()).otherwise(refusal)
    };
    let walls = [
        ("refused for everyone", everywhere(403)),
        ("unavailable for legal reasons", everywhere(451)),
        ("a question for the age", home("<h1>Are you over 18?</h1>")),
    ];
    let others = [
        ("parked", home("<h1>This domain is for sale</h1>")),
        ("the default page of a server", home("<h1>Welcome to nginx!</h1>")),
        ("no words", home("")),
        ("a frame", home("<iframe src=\"https://b.example/\"></iframe>")),
        ("a shell", home("<div id=\"root\"></div><script src=\"/app.js\"></script>")),
        ("a loop", good(HOST).with("/", Reply::redirect(302, "/"))),
    ];
    let walls = walls.into_iter().map(|(name, site)| (name.to_owned(), site, true));
    let others = others.into_iter().map(|(name, site)| (name.to_owned(), site, false));
    let typical = typical::expected().into_iter().map(|one| {
        let walls =
            ["honest bots", "all bots", "challenge", "wall of consent", "402", "site at www"];
        let is_wall = walls.iter().any(|wall| one.name.contains(wall));
        (one.name.to_owned(), one.site, is_wall)
    });
    walls.chain(others).chain(typical).collect()
}

#[test]
fn the_step_that_lifts_a_cap_is_first_and_the_only_one_with_a_gain() {
    let mut held = 0;
    for (name, site, is_wall) in capped_sites() {
        let (result, plan) = plan(&site);
        let Some(cap) = result.caps.first().filter(|cap| result.score == Some(cap.limit)) else {
            // Where next to nothing was seen, the score may be lower than the cap.
            let Some(cap) = result.caps.first() else { continue };
            let first = plan.first().unwrap_or_else(|| panic!("{name}: no step"));
            assert_eq!(first.lifts_cap, Some(cap.limit), "{name}: {plan:?}");
            assert!(first.ends_in_scan || first.points > 0.0, "{name}: {plan:?}");
            continue;
        };
        held += 1;
        let first = plan.first().unwrap_or_else(|| panic!("{name}: no plan"));
        assert_eq!(first.lifts_cap, Some(cap.limit), "{name}: {}", first.check);
        assert!(!first.hint.is_empty(), "{name}");
        assert_eq!(first.ends_in_scan, is_wall, "{name}");
        if is_wall {
            assert_eq!(plan.len(), 1, "{name}: the plan ends at the wall");
            assert!(first.points <= 0.0, "{name}: {}", first.points);
        } else {
            assert!(first.points > 0.0 && first.score_after > cap.limit, "{name}: {first:?}");
        }
        for step in plan.iter().skip(1) {
            assert!(step.points <= 0.0, "{name}: {} promises under a cap", step.check);
            assert!(step.points_without_cap > 0.0, "{name}: {}", step.check);
        }
    }
    assert!(held >= 15, "{held}");
}

#[test]
fn nothing_is_said_of_an_agent_whose_access_is_unknown() {
    for (name, site, _) in capped_sites() {
        let (result, _) = plan(&site);
        for agent in &result.agents {
            let is_unknown = agent.effective == Effective::Unknown;
            assert_eq!(agent.impact.is_empty(), is_unknown, "{name}: {}", agent.id);
        }
    }
}

#[test]
fn points_of_the_score_add_up_to_it() {
    for typical in typical::all() {
        let (result, _) = plan(&typical.site);
        let sums = [
            result
                .checks
                .iter()
                .map(|check| (check.score_points, check.max_score_points))
                .collect(),
            result.categories.iter().map(|one| (one.score_points, one.max_score_points)).collect(),
        ];
        let raw = f64::from(scored(&typical.site).0.raw_tenths) / 10.0;
        for parts in sums {
            let parts: Vec<(f64, f64)> = parts;
            let earned: f64 = parts.iter().map(|(earned, _)| earned).sum();
            let possible: f64 = parts.iter().map(|(_, possible)| possible).sum();
            assert!((earned - raw).abs() < 0.2, "{}: {earned} {raw}", typical.name);
            assert!((possible - 100.0).abs() < 0.2, "{}: {possible}", typical.name);
        }
    }
}
