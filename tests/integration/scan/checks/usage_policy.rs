//! Sites for `usage-policy`.

use visibility_core::fetch::FetchError;
use visibility_core::scan::checks::find;
use visibility_core::text::locale::{Catalog, Lang};
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const RSL: &str =
    r#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license/></content></rsl>"#;
const LICENSE: &str = "License: https://example.com/license.xml\n";

const CLOSED: &str = "\nUser-agent: GPTBot\nDisallow: /\n";

fn with(text: impl AsRef<str>) -> Site {
    let text = text.as_ref();
    good("example.com").with("/robots.txt", Reply::text(format!("User-agent: *\nAllow: /\n{text}")))
}

fn header(name: &str, value: &str) -> Site {
    let home = Reply::html(good_home("example.com")).header(name, value);
    good("example.com").with("/", home)
}

fn licensed(reply: Reply) -> Site {
    with(LICENSE).with("/license.xml", reply)
}

fn xml(body: &str) -> Reply {
    Reply::new("application/rsl+xml", body)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = declared();
    cases.extend(wanting());
    cases.extend(contradicted());
    cases
}

fn declared() -> Vec<Case> {
    let element = "<head><link rel=\"license\" type=\"application/rsl+xml\" href=\"/license.xml\">";
    let element = good_home("example.com").replacen("<head>", element, 1);
    let linked = "</license.xml>; rel=\"license\"; type=\"application/rsl+xml\"";
    let elsewhere = with("License: https://rights.example/a.xml\n");
    let unread = licensed(Reply::error(403));
    vec![
        case("a content signal", "declared", with("Content-Signal: search=yes, ai-train=no\n"))
            .also(&["content-signal"]),
        case(
            "with a level of use",
            "declared",
            with("Content-Signal: ai-train=no, use=reference\n"),
        ),
        case("a content usage", "declared", with("Content-Usage: train-ai=n\n"))
            .also(&["content-usage"]),
        case("a content usage for a path", "declared", with("Content-Usage: /a train-ai=n\n")),
        case("a content signal in the header", "declared", header("content-signal", "ai-train=no"))
            .also(&["content-signal"]),
        case("a content usage in the header", "declared", header("content-usage", "train-ai=n"))
            .also(&["content-usage"]),
        case(
            "a group for a training token",
            "declared",
            with("\nUser-agent: Google-Extended\nDisallow: /\n"),
        )
        .also(&["training-preference"]),
        case("a license in robots.txt", "declared", licensed(xml(RSL))).also(&["license"]),
        case(
            "a license in the header",
            "declared",
            header("link", linked).with("/license.xml", xml(RSL)),
        )
        .also(&["license"]),
        case(
            "a license in the page",
            "declared",
            good("example.com").with("/", Reply::html(element)).with("/license.xml", xml(RSL)),
        )
        .also(&["license"]),
        case(
            "a license on another site",
            "declared",
            elsewhere.with("https://rights.example/a.xml", xml(RSL)),
        )
        .also(&["license"]),
        case("a license that is refused", "license-unread", unread),
    ]
}

fn wanting() -> Vec<Case> {
    let creative = "</license>; rel=\"license\"";
    let challenge = Reply::error(403).header("cf-mitigated", "challenge");
    let answering = |reply| good("example.com").with("/robots.txt", reply);
    vec![
        case("the good site", "none", good("example.com")),
        case("no robots.txt", "none", answering(Reply::error(404))),
        case("a license that is not RSL", "none", header("link", creative)),
        case("values of another kind", "malformed", with("Content-Signal: ai-train=disallow\n")),
        case("words of the other vocabulary", "malformed", with("Content-Usage: ai-train=no\n")),
        case("nothing that is known", "malformed", with("Content-Signal: pigs=yes\n")),
        case(
            "a good and a bad one",
            "malformed",
            with("Content-Signal: search=yes, ai-train=maybe\n"),
        )
        .also(&["content-signal"]),
        case("a license that is gone", "license-broken", licensed(Reply::error(404))),
        case(
            "a license that is a page",
            "license-broken",
            licensed(Reply::html("<!doctype html>")),
        ),
        case("a license that is not XML", "license-broken", licensed(xml("<rsl"))),
        case(
            "a license of another namespace",
            "license-broken",
            licensed(xml("<rsl><license/></rsl>")),
        ),
        case(
            "a license without content",
            "license-broken",
            licensed(xml(r#"<rsl xmlns="https://rslstandard.org/rsl"/>"#)),
        ),
        case(
            "a license at a name without address",
            "license-broken",
            with("License: https://gone.example/a.xml\n"),
        ),
        case("challenged", "unreadable", answering(challenge)),
        case(
            "timed out",
            "unreadable",
            good("example.com").failing("/robots.txt", FetchError::Timeout { after_ms: 10_000 }),
        ),
    ]
}

fn contradicted() -> Vec<Case> {
    let own = "\nUser-agent: CCBot\nContent-Signal: ai-train=yes\nDisallow: /\n";
    let other = "\nUser-agent: Applebot\nContent-Signal: ai-train=yes\nAllow: /\n";
    let path = "Content-Usage: /open train-ai=y\n";
    let no_search = "Content-Signal: search=no\n";
    let own_refusal =
        format!("Content-Signal: ai-train=yes\n{CLOSED}Content-Signal: ai-train=no\n");
    let own_search = "\nUser-agent: OAI-SearchBot\nContent-Signal: search=yes\nAllow: /\n";
    let closed_search = "\nUser-agent: OAI-SearchBot\nDisallow: /\n";
    vec![
        case(
            "training is welcome and kept out",
            "training-contradicted",
            with(format!("Content-Signal: ai-train=yes\n{CLOSED}")),
        ),
        case("its own group says otherwise", "declared", with(own_refusal)),
        case(
            "in the header, and kept out",
            "training-contradicted",
            header("content-signal", "ai-train=yes").with("/robots.txt", Reply::text(CLOSED)),
        ),
        case(
            "training is welcome in the other vocabulary and kept out",
            "training-contradicted",
            with(format!("Content-Usage: train-ai=y\n{CLOSED}")),
        ),
        case("in one group", "training-contradicted", with(own)),
        case("for another agent", "declared", with(format!("{CLOSED}{other}"))),
        case("for a part of the site", "declared", with(format!("{path}{CLOSED}"))),
        case("search is refused and let in", "search-contradicted", with(no_search)),
        case(
            "search is refused and kept out",
            "declared",
            with(format!("{no_search}{closed_search}")),
        ),
        case(
            "search is refused to all but the one that is let in",
            "declared",
            with(format!("{no_search}{own_search}")),
        ),
    ]
}

#[test]
fn what_is_pasted_agrees_with_the_rules() {
    let check = find("usage-policy").expect("a check").evaluate;
    let added = check(&with(CLOSED).scan().expect("a scan")).snippet().expect("a snippet");
    assert!(added.contains("ai-train=no"), "{added}");
    let fixed = check(&with(format!("{CLOSED}\n{added}")).scan().expect("a scan"));
    assert_eq!(fixed.detections()[0].outcome.id, "declared");
}

#[test]
fn a_line_that_says_nothing_is_replaced_and_the_others_stay() {
    let check = find("usage-policy").expect("a check").evaluate;
    let malformed = format!("Content-Signal: ai-train=maybe\n{CLOSED}");
    let whole = check(&with(&malformed).scan().expect("a scan")).snippet().expect("a snippet");
    assert!(!whole.contains("maybe") && whole.contains(CLOSED.trim_end()), "{whole}");
    let site = good("example.com").with("/robots.txt", Reply::text(whole));
    assert_eq!(check(&site.scan().expect("a scan")).detections()[0].outcome.id, "declared");
}

#[test]
fn what_contradicts_itself_is_left_to_the_owner() {
    let check = find("usage-policy").expect("a check").evaluate;
    let contradicted = format!("Content-Signal: ai-train=yes\n{CLOSED}");
    let finding = check(&with(&contradicted).scan().expect("a scan"));
    assert_eq!(finding.detections()[0].outcome.id, "training-contradicted");
    assert_eq!(finding.fix(), None);
}

#[test]
fn training_is_not_granted_for_the_owner() {
    let check = find("usage-policy").expect("a check").evaluate;
    let finding = check(&with("").scan().expect("a scan"));
    let pasted = finding.snippet().expect("a snippet");
    let pasted = Catalog::for_lang(Lang::En).with_comments(&pasted);
    let records: Vec<&str> = pasted.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(records, ["User-agent: *", "Content-Signal: search=yes, ai-input=yes"]);
    for choice in ["ai-train=no", "ai-train=yes", "train-ai=n", "train-ai=y"] {
        assert!(pasted.contains(choice), "{pasted}");
    }
}

tests_of!("usage-policy");
