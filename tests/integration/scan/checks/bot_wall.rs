//! Sites for `bot-wall`.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use visibility_core::fetch::{BodyEnd, BoxFuture, Fetch, FetchError, FetchResult, Probe, Resource};
use visibility_core::scan::checks::find;
use visibility_core::scan::facts::access::{Access, Basis, Effective, ProbeVerdict};
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::{self, ScanError};
use visibility_core::text::locale::Lang;
use visibility_tests::fixes::scored;
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const SEARCH_AND_USER: [&str; 4] =
    ["OAI-SearchBot", "ChatGPT-User", "Claude-User", "PerplexityBot"];
/// In all our user agents, those with an agent's name included.
const OURS: &str = "VisibilityBot";
/// In the user agent of the browser alone.
const BROWSER: &str = "Windows NT 10.0";

fn site() -> Site {
    good("example.com")
}

/// The names get this instead of the page.
fn answering(names: &[&str], reply: &Reply) -> Site {
    names.iter().fold(site(), |site, name| site.for_user_agent(name, reply.clone()))
}

fn captcha() -> Reply {
    Reply::html("<html><head><title>Robot Challenge Screen</title></head></html>")
        .status(202)
        .header("sg-captcha", "challenge")
}

/// Walls that answer with an error or not at all.
fn errors() -> Vec<Case> {
    let reset = FetchError::Protocol { reason: "connection reset by peer".to_owned() };
    let cut = |names: &[&str]| {
        names.iter().fold(site(), |site, name| site.failing_for_user_agent(name, reset.clone()))
    };
    let later = Reply::error(429).header("retry-after", "120");
    let all = [&SEARCH_AND_USER[..], &["GPTBot"]].concat();
    vec![
        case("503 for all bots", "honest-refused", answering(&[OURS], &Reply::error(503))),
        case("500 for all bots", "honest-refused", answering(&[OURS], &Reply::error(500))),
        case("429 for all bots, twice", "honest-refused", answering(&[OURS], &Reply::error(429))),
        case("the connection of all bots breaks", "honest-refused", cut(&[OURS])),
        case("all bots are to come back later", "none-answered", answering(&[OURS], &later)),
        case("503 for all agents", "agents-refused", answering(&all, &Reply::error(503))),
        case("the connection of all agents breaks", "agents-refused", cut(&all)),
        case("the connection of one agent breaks", "parity", cut(&["PerplexityBot"])),
    ]
}

/// A site whose home page fails the first time.
#[derive(Debug)]
struct OnceDown {
    site: Site,
    failed: AtomicBool,
}

impl Fetch for OnceDown {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        if probe.resource == Resource::Home && !self.failed.swap(true, Ordering::Relaxed) {
            let down = self.site.clone().with("/", Reply::error(503));
            return Box::pin(async move { down.fetch(probe).await });
        }
        self.site.fetch(probe)
    }
}

#[test]
fn a_server_that_fails_for_a_moment_is_no_wall() {
    let fetch = OnceDown { site: site(), failed: AtomicBool::new(false) };
    let snapshot = scan::scan(&fetch, &site().request()).now_or_never().unwrap().unwrap();
    let finding = (find("bot-wall").expect("a check").evaluate)(&snapshot);
    assert_eq!(finding.detections()[0].outcome.id, "parity");
    let down_for_all = site().with("/", Reply::error(503)).scan();
    assert!(matches!(down_for_all, Err(ScanError::ServerError { status: 503, .. })));
}

#[test]
fn what_a_site_that_refuses_everything_says_to_agents_is_unknown() {
    for status in [403, 503] {
        let walled = Site::new("example.com")
            .with("/", Reply::html(good_home("example.com")))
            .for_user_agent(OURS, Reply::error(status))
            .with("/robots.txt", Reply::error(status));
        let snapshot = walled.scan().unwrap();
        let (score, _) = scored(&walled);
        assert_eq!(score.caps.first().map(|cap| cap.id), Some("honest-bot-refused"), "{status}");
        for row in snapshot.matrix().iter().filter(|row| !row.agent.robots_only) {
            let seen = (row.access, row.basis);
            assert_eq!(seen, (Access::Unknown, Basis::RobotsRefused), "{status} {}", row.agent.id);
            let is_tried = row.probe.verdict != ProbeVerdict::NotProbed;
            let effective = if is_tried { Effective::BlockedByWall } else { Effective::Unknown };
            assert_eq!(row.effective, effective, "{status} {}", row.agent.id);
        }
    }
    let readable = site().with("/robots.txt", Reply::error(403)).scan().unwrap();
    assert!(readable.matrix().iter().all(|row| row.basis == Basis::RobotsMissing));
}

#[test]
fn the_vendor_of_a_wall_is_named_with_its_page_where_the_response_names_it() {
    let of = |reply: &Reply| -> String {
        let report =
            ScanReport::evaluate(&answering(&[OURS], reply).scan().unwrap(), &Selection::all());
        let result = report.result(Lang::En);
        result.checks.into_iter().find(|check| check.id == "bot-wall").unwrap().summary
    };
    let summary = of(&captcha());
    assert!(summary.contains("browsers do: SiteGround shows a challenge instead."), "{summary}");
    assert!(!summary.contains("http"), "{summary}");
    let summary = of(&Reply::error(403).header("cf-mitigated", "challenge"));
    assert!(summary.contains("Cloudflare shows a challenge instead"), "{summary}");
    let page = "https://developers.cloudflare.com/bots/additional-configurations/custom-rules";
    assert!(summary.contains(page), "{summary}");
    // The origin behind a network may be what refuses.
    let summary = of(&Reply::error(403).header("server", "cloudflare"));
    assert!(summary.contains("the server refuses with status 403"), "{summary}");
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = sites();
    cases.extend(errors());
    cases
}

fn sites() -> Vec<Case> {
    let refused = Reply::error(403).header("server", "cloudflare");
    let price = Reply::error(402).header("crawler-price", "USD 0.01");
    let shut = Reply::error(503);
    let short = Reply::html("<!doctype html><title>Example</title><p>Please wait</p>");
    let words = "We make measuring instruments for laboratories. ".repeat(11);
    let less = Reply::html(format!("<!doctype html><title>Example</title><p>{words}</p>"));
    let silent = FetchError::Timeout { after_ms: 10_000 };
    let closed = Reply::text("User-agent: *\nDisallow: /\n");
    let nearly_closed = "User-agent: OAI-SearchBot\nAllow: /\nUser-agent: *\nDisallow: /\n";
    let one_probed =
        answering(&["OAI-SearchBot"], &refused).with("/robots.txt", Reply::text(nearly_closed));
    let silent_for = |names: &[&str], site: Site| {
        let silent = FetchError::Timeout { after_ms: 10_000 };
        names.iter().fold(site, |site, name| site.failing_for_user_agent(name, silent.clone()))
    };
    let (one, three) = (&SEARCH_AND_USER[..1], &SEARCH_AND_USER[1..]);
    let tarpit = site().failing_for_user_agent("Claude-User", silent.clone());
    vec![
        case("the host of an API", "api-host", visibility_tests::typical::api_host()),
        case("the good site", "parity", site()).also(&["served"]),
        case("one name gets no answer", "parity", tarpit).also(&["served", "unanswered"]),
        case("all bots are refused", "honest-refused", answering(&[OURS], &refused))
            .also(&["agent-refused"]),
        case("all bots are challenged", "honest-refused", answering(&[OURS], &captcha())),
        case(
            "all search and user agents are refused",
            "agents-refused",
            answering(&SEARCH_AND_USER, &refused),
        )
        .also(&["served", "agent-refused"]),
        case("the only agent that is allowed is refused", "agents-refused", one_probed)
            .also(&["not-probed"]),
        case(
            "a challenge for browsers and agents, and not for us",
            "agents-refused",
            answering(&["Mozilla"], &captcha()),
        ),
        case("bots have to pay", "paywalled", answering(&[OURS], &price)),
        case("one agent has to pay", "paywalled", answering(&["PerplexityBot"], &price)),
        case("one agent is refused", "some-refused", answering(&["OAI-SearchBot"], &refused)),
        case(
            "one is refused and three get no answer",
            "some-refused",
            silent_for(three, answering(one, &refused)),
        )
        .also(&["unanswered"]),
        case(
            "three are refused and one gets no answer",
            "some-refused",
            silent_for(one, answering(three, &refused)),
        ),
        case("three of five get no answer", "none-answered", silent_for(three, site())),
        case(
            "training is refused and no one else gets an answer",
            "none-answered",
            silent_for(&SEARCH_AND_USER, answering(&["GPTBot"], &refused)),
        )
        .also(&["agent-refused"]),
        case("two of five get no answer", "parity", silent_for(&SEARCH_AND_USER[..2], site())),
        case("training is refused", "training-refused", answering(&["GPTBot"], &refused)),
        case("training has to pay", "training-refused", answering(&["GPTBot"], &price)),
        case("one agent gets less", "reduced", answering(&["PerplexityBot"], &short))
            .also(&["agent-reduced"]),
        case("all bots get one small page", "honest-refused", answering(&[OURS], &short))
            .also(&["agent-refused"]),
        case("all bots get less", "reduced", answering(&[OURS], &less)).also(&["agent-reduced"]),
        case(
            "one agent's page breaks off",
            "parity",
            answering(&["PerplexityBot"], &short.clone().ending(BodyEnd::Broken)),
        )
        .also(&["served", "unanswered"]),
        case(
            "the pages of all bots break off",
            "none-answered",
            answering(&[OURS], &short.ending(BodyEnd::TimedOut)),
        )
        .also(&["unanswered"]),
        case("everybody has to pay", "everybody-pays", site().with("/", Reply::error(402))),
        case("everybody is refused", "browser-refused", site().with("/", Reply::error(403))),
        case("everybody has to log in", "browser-refused", site().with("/", Reply::error(401))),
        case("the service is shut for browsers", "browser-refused", answering(&[BROWSER], &shut)),
        case("the home page is not there", "no-page", site().with("/", Reply::error(404))),
        case("the home page is gone", "no-page", site().with("/", Reply::error(410))),
        case("browsers are challenged", "browser-refused", answering(&[BROWSER], &captcha())),
        case("no names", "switched-off", site().without_agent_probes()),
        case(
            "no answer for a browser",
            "no-control",
            site().failing_for_user_agent(BROWSER, silent),
        ),
        case("robots.txt closes the page", "none-probed", site().with("/robots.txt", closed)),
        case(
            "too many requests",
            "none-answered",
            answering(&[&SEARCH_AND_USER[..], &["GPTBot"]].concat(), &Reply::error(429)),
        )
        .also(&["unanswered"]),
    ]
}

#[test]
fn the_rule_to_paste_is_for_the_wall_and_the_agent() {
    let refused = Reply::error(403).header("cf-ray", "8f0");
    let site = answering(&["Claude-User"], &refused).scan().expect("a scan");
    let finding = (find("bot-wall").expect("a check").evaluate)(&site);
    let pasted = finding.snippet().expect("a snippet");
    assert!(pasted.contains("(http.user_agent contains \"Claude-User\")"), "{pasted}");
    assert!(!pasted.contains("OAI-SearchBot"), "{pasted}");
}

tests_of!("bot-wall");
