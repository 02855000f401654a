//! Sites for `ai-crawler-rules`.

use visibility_core::fetch::FetchError;
use visibility_core::rubric::fix::{Edit, FileMode};
use visibility_core::scan::checks::find;
use visibility_core::text::locale::{Catalog, Lang};
use visibility_tests::fixes::{Inputs, applied};
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
    let list = "User-agent: GPTBot\nUser-agent: ClaudeBot\nUser-agent: *\nDisallow: /\n";
    vec![
        case("everyone at the end of a list", "all-blocked", with(list))
            .also(&["wildcard-in-list"]),
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

/// The robots.txt of a site, before its fix and after it.
fn fixed(before: &str) -> (Vec<Edit>, String) {
    let check = find("ai-crawler-rules").expect("a check").evaluate;
    let site = with(before);
    let finding = check(&site.scan().expect("a scan"));
    let edits = finding.fix().expect("a fix").edits.clone();
    let fixed = applied(&site, &edits, Inputs::Filled);
    let found = check(&fixed.scan().expect("a scan"));
    let after = fixed.body_of("/robots.txt").expect("a file");
    let decisive = found.detections().first().map(|detection| detection.outcome.id);
    assert_eq!(decisive, Some("all-allowed"), "{after}");
    (edits, after)
}

#[test]
fn a_group_is_rewritten_in_its_place() {
    for (before, after) in [
        (
            "User-agent: PerplexityBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
            "User-agent: PerplexityBot\nAllow: /\n\nUser-agent: *\nAllow: /\n",
        ),
        // What else the group closes stays closed, and so do its other agents.
        (
            "User-agent: *\nDisallow: /admin\n\nUser-agent: GPTBot\nUser-agent: Googlebot\nDisallow: /\n\
             Disallow: /cart\n",
            "User-agent: *\nDisallow: /admin\n\nUser-agent: GPTBot\nDisallow: /\nDisallow: /cart\n\n\
             User-agent: Googlebot\nAllow: /\nDisallow: /cart\n",
        ),
        // Two groups for one agent: parsers that read the first alone see an open one, too.
        (
            "User-agent: bingbot\nDisallow: / # all\n\nUser-agent: bingbot\nDisallow: /*\nCrawl-delay: 5\n",
            "User-agent: bingbot\nAllow: /\n\nUser-agent: bingbot\nAllow: /\nCrawl-delay: 5\n",
        ),
    ] {
        let (edits, file) = fixed(before);
        assert_eq!(file, after);
        let [Edit::Robots { mode, replaces, .. }] = edits.as_slice() else { panic!("{edits:?}") };
        assert_eq!(*mode, FileMode::Replace);
        let old = replaces.as_ref().expect("what goes is quoted");
        assert!(before.contains(&old.content), "{old:?}");
    }
}

#[test]
fn agents_without_a_group_get_one_that_keeps_private_paths_closed() {
    let closed = "User-agent: *\nDisallow: /\nDisallow: /admin\n";
    let (edits, file) = fixed(closed);
    let [Edit::Robots { mode, content, .. }] = edits.as_slice() else { panic!("{edits:?}") };
    assert_eq!(*mode, FileMode::Append);
    assert!(content.ends_with("Allow: /\nDisallow: /admin\n"), "{content}");
    assert_eq!(file, format!("{closed}{content}"));
    let after = with(&file).scan().expect("a scan");
    let training = after.matrix().iter().find(|row| row.agent.name == "GPTBot").expect("a row");
    assert_eq!(training.access, visibility_core::scan::facts::access::Access::Blocked);
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
