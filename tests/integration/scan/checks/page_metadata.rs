//! Sites for `page-metadata`.

use visibility_core::fetch::BodyEnd;
use visibility_core::rubric::fix::{Edit, FileMode};
use visibility_core::scan::checks::find;
use visibility_tests::fixes::{Inputs, applied};
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const HOST: &str = "example.com";
const DESCRIPTION: &str = r#"<meta name="description" content="Measuring instruments for laboratories, made and calibrated in one place.">"#;
const CANONICAL: &str = r#"<link rel="canonical" href="https://example.com/">"#;
const TITLE: &str = "<title>Example Instruments</title>";
const OG_IMAGE: &str = r#"<meta property="og:image" content="https://example.com/cover.png">"#;

/// The good site with parts of its home page replaced; each part must be there.
fn with(changes: &[(&str, &str)]) -> Site {
    good(HOST).with("/", Reply::html(changed(changes)))
}

fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(good_home(HOST), |html, (old, new)| {
        assert!(html.contains(old), "{old} is not in the good page");
        html.replace(old, new)
    })
}

fn canonical(href: &str) -> Site {
    with(&[("href=\"https://example.com/\"", &format!("href=\"{href}\""))])
}

pub(crate) fn cases() -> Vec<Case> {
    let header = Reply::html(changed(&[(CANONICAL, "")]))
        .header("link", "<https://example.com/>; rel=\"canonical\"");
    let hreflang = r#"<link rel="alternate" hreflang="en_US" href="/en">"#;
    let good_hreflang = r#"<link rel="alternate" hreflang="tr-TR" href="/tr"><link rel="alternate" hreflang="x-default" href="/">"#;
    let h1 = "<h1>Measuring instruments for laboratories</h1>";
    let started = "<!doctype html><html lang=\"en\"><head>";
    let late = format!("{started}<!--{}--><title>A</title>", "x".repeat(2_200_000));
    let relative = [("href=\"https://example.com/\"", "href=\"/\""), (h1, "")];
    let relative = Reply::html(changed(&relative)).ending(BodyEnd::Broken);
    vec![
        case("the host of an API", "api-host", visibility_tests::typical::api_host()),
        case("the good site", "complete", good(HOST)),
        case("five of six", "complete", with(&[(DESCRIPTION, "")])).also(&["no-description"]),
        case("a canonical URL in the header", "complete", good(HOST).with("/", header)),
        case("no title", "partial", with(&[(TITLE, "")])).also(&["no-title"]),
        case("an empty title", "partial", with(&[(TITLE, "<title> </title>")])).also(&["no-title"]),
        case("no canonical URL", "partial", with(&[(CANONICAL, "")])).also(&["no-canonical"]),
        case("a relative canonical URL", "partial", canonical("/")).also(&["relative-canonical"]),
        case("a canonical URL without a scheme", "partial", canonical("//example.com/")).also(&["relative-canonical"]),
        case("a canonical URL of another site", "partial", canonical("https://example.org/")).also(&["foreign-canonical"]),
        case("a canonical URL below the domain", "complete", canonical("https://www.example.com/")),
        case(
            "two canonical URLs",
            "partial",
            with(&[(CANONICAL, "<link rel=canonical href=https://example.com/><link rel=canonical href=https://example.com/a>")]),
        )
        .also(&["several-canonicals"]),
        case("no language", "complete", with(&[("<html lang=\"en\">", "<html>")])).also(&["no-lang"]),
        case("a language in words", "complete", with(&[("lang=\"en\"", "lang=\"english\"")])).also(&["bad-lang"]),
        case("no picture", "complete", with(&[(OG_IMAGE, "")])).also(&["no-open-graph"]),
        case("no heading", "complete", with(&[(h1, "")])).also(&["no-heading"]),
        case("two headings", "complete", with(&[(h1, "<h1>One</h1><h1>Two</h1>")])).also(&["several-headings"]),
        case("a bad language version", "complete", with(&[(CANONICAL, &format!("{CANONICAL}{hreflang}"))])).also(&["bad-hreflang"]),
        case("good language versions", "complete", with(&[(CANONICAL, &format!("{CANONICAL}{good_hreflang}"))])),
        case("four of six", "partial", with(&[(DESCRIPTION, ""), (OG_IMAGE, "")])),
        case(
            "two of six",
            "poor",
            with(&[(DESCRIPTION, ""), (OG_IMAGE, ""), (CANONICAL, ""), (TITLE, "")]),
        ),
        case("nothing", "poor", good(HOST).with("/", Reply::html("<!doctype html><p>Hello"))),
        case("breaks off in the head", "cut", good(HOST).with("/", Reply::html(started).ending(BodyEnd::Broken))),
        case("an undecodable rest", "cut", good(HOST).with("/", Reply::html(started).ending(BodyEnd::Undecodable))),
        case("a head longer than 2 MiB", "cut", good(HOST).with("/", Reply::html(late))),
        case("breaks off after its head", "complete", good(HOST).with("/", Reply::html(good_home(HOST)).ending(BodyEnd::TimedOut))),
        case("what is wrong stays wrong when the page breaks off", "partial", good(HOST).with("/", relative)).also(&["relative-canonical"]),
        case("refused", "unreadable", good(HOST).with("/", Reply::error(403))),
    ]
}

/// What there is of a kind is replaced on its line; only what is missing is added.
#[test]
fn an_element_that_is_there_is_replaced() {
    let site = with(&[
        (TITLE, "<title> </title>"),
        (DESCRIPTION, "<meta name=\"description\" content=\"\">"),
        (CANONICAL, ""),
    ]);
    let snapshot = site.scan().expect("a scan");
    let finding = (find("page-metadata").expect("a check").evaluate)(&snapshot);
    let edits = &finding.fix().expect("a fix").edits;
    let replaced: Vec<&str> = edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::Head { mode: FileMode::Replace, replaces: Some(old), .. } => {
                Some(old.content.as_str())
            }
            _ => None,
        })
        .collect();
    assert_eq!(replaced, ["<title> </title>", "<meta name=\"description\" content=\"\">"]);
    let home = applied(&site, edits, Inputs::Filled).body_of("/").expect("a page");
    for element in ["<title", "name=\"description\"", "rel=\"canonical\""] {
        assert_eq!(home.matches(element).count(), 1, "{element}: {home}");
    }
}

tests_of!("page-metadata");
