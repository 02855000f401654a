//! Sites for `bot-wall`.

use visibility_core::fetch::{BodyEnd, FetchError};
use visibility_core::scan::checks::find;
use visibility_tests::site::{Reply, Site, good};

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

pub(crate) fn cases() -> Vec<Case> {
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
