//! Sites for `ai-crawler-rules`.

use visibility_core::fetch::FetchError;
use visibility_core::scan::checks::find;
use visibility_core::text::locale::{Catalog, Lang};
use visibility_tests::site::{Reply, Site, good};

use super::{Case, case};

fn with(text: &str) -> Site {
    good("example.com").with("/robots.txt", Reply::text(text))
}

/// These tokens may read nothing, everybody else everything.
fn without(tokens: &[&str]) -> Site {
    let groups: Vec<String> = tokens.iter().map(|token| format!("User-agent: {token}\n")).collect();
    with(&format!("{}Disallow: /\n\nUser-agent: *\nAllow: /\n", groups.concat()))
}

pub(crate) fn cases() -> Vec<Case> {
    let user =
        ["ChatGPT-User", "Perplexity-User", "Google-Agent", "meta-externalfetcher", "Amzn-User"];
    let lesser = ["meta-webindexer", "Amzn-SearchBot", "MistralAI-Index", "YandexAdditional"];
    let many = [&lesser[..], &["DuckAssistBot"]].concat();
    let mixed = ["ChatGPT-User", "Applebot"];
    let challenge = Reply::error(403).header("cf-mitigated", "challenge");
    let failing =
        good("example.com").failing("/robots.txt", FetchError::Timeout { after_ms: 10_000 });
    let empty = with("User-agent: GPTBot\nDisallow:\n\nUser-agent: *\nDisallow:\n");
    let sections = with("User-agent: *\nDisallow: /guides\nDisallow: /about\nDisallow: /contact\n");
    let training = without(&["GPTBot", "ClaudeBot", "Google-Extended", "CCBot", "Bytespider"]);
    let answering = |reply| good("example.com").with("/robots.txt", reply);
    vec![
        case("the good site", "all-allowed", good("example.com")),
        case("no robots.txt", "all-allowed", answering(Reply::error(404))),
        case("robots.txt is refused", "all-allowed", answering(Reply::error(403))),
        case("an empty Disallow", "all-allowed", empty),
        case("training is kept out", "all-allowed", training).also(&["training-blocked"]),
        case("a part is closed", "all-allowed", with("User-agent: *\nDisallow: /about\n"))
            .also(&["partly-blocked"]),
        case("everything but the home page is closed", "all-blocked", sections),
        case("everything is closed", "all-blocked", with("User-agent: *\nDisallow: /\n"))
            .also(&["training-blocked"]),
        case("a server error", "all-blocked", answering(Reply::error(503))).also(&["temporary"]),
        case("Googlebot is blocked", "important-blocked", without(&["Googlebot"])),
        case("OAI-SearchBot is blocked", "important-blocked", without(&["OAI-SearchBot"])),
        case("more than a quarter is blocked", "many-blocked", without(&many)),
        case("less than a quarter is blocked", "some-blocked", without(&lesser)),
        case("one of two is advisory", "some-blocked", without(&mixed)),
        case("advisory agents are blocked", "advisory-blocked", without(&user)),
        case("challenged", "unreadable", answering(challenge)),
        case("timed out", "unreadable", failing),
    ]
}

#[test]
fn what_is_pasted_lets_readers_in_and_keeps_private_paths_closed() {
    let closed = "User-agent: *\nDisallow: /admin\n\nUser-agent: GPTBot\nUser-agent: Googlebot\nDisallow: /\n";
    let check = find("ai-crawler-rules").expect("a check").evaluate;
    let finding = check(&with(closed).scan().expect("a scan"));
    let pasted = finding.snippet().expect("a snippet");
    assert_eq!(pasted, "User-agent: Googlebot\nUser-agent: Applebot\nAllow: /\nDisallow: /admin\n");
    let fixed = with(&format!("{closed}{pasted}")).scan().expect("a scan");
    assert_eq!(check(&fixed).detections()[0].outcome.id, "all-allowed");
    let training = fixed.matrix().iter().find(|row| row.agent.name == "GPTBot").expect("a row");
    assert_eq!(training.access, visibility_core::scan::access::Access::Blocked);
}

#[test]
fn the_line_that_decided_is_quoted() {
    let site = without(&["Googlebot"]).scan().expect("a scan");
    let finding = (find("ai-crawler-rules").expect("a check").evaluate)(&site);
    let quoted = finding.evidence().iter().find(|evidence| evidence.excerpt.is_some());
    let quoted = quoted.expect("a line");
    let note = quoted.note.as_ref().expect("a note").sentence(Catalog::for_lang(Lang::En));
    assert_eq!(note, "line 2, group at line 1");
    assert_eq!(quoted.excerpt.as_deref(), Some("Disallow: /"));
}

tests_of!("ai-crawler-rules");
