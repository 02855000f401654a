//! Sites for `llms-txt`.

use visibility_core::fetch::FetchError;
use visibility_core::scan::checks::find;
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const XHTML: &str = "<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<html></html>";

fn shell_with(body: &str) -> Site {
    good("example.com").with("/llms.txt", Reply::html(body))
}

fn with(text: &str) -> Site {
    good("example.com").with("/llms.txt", Reply::new("text/markdown", text))
}

/// Files that lead to pages which answer this, each beside others that are there.
fn leading() -> Vec<Case> {
    let file = |count: usize| {
        let links: String = (0..count).map(|number| format!("- [a](/p{number})\n")).collect();
        with(&format!("# A\n\n{links}"))
    };
    let page = || Reply::html(good_home("example.com"));
    let answering = |count: usize, replies: &[Reply]| {
        replies.iter().enumerate().fold(file(count), |site, (number, reply)| {
            site.with(&format!("/p{number}"), reply.clone())
        })
    };
    let gone = Reply::error(410);
    vec![
        case("pages that are there", "complete", answering(3, &[page(), page(), page()])),
        case("a page that is gone", "dead-link", answering(3, &[page(), gone, page()])),
        case("pages that are all missing", "only-dead-links", file(9)),
        case("a page that is forbidden", "complete", answering(1, &[Reply::error(403)])),
        case(
            "pages of a server that fails",
            "complete",
            answering(2, &[Reply::error(503), Reply::error(429)]),
        ),
        case("a page of another site", "complete", with("# A\n\n[b](https://example.org/b)\n")),
    ]
}

/// Files as Markdown is written.
fn written() -> Vec<Case> {
    let utf_16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain("# A\n\n[b](/)\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let untyped = Reply { headers: Vec::new(), ..Reply::text("# A\n\n[b](/)\n") };
    vec![
        case("an underlined heading", "complete", with("A\n===\n\n[b](/)\n")),
        case(
            "a closed heading and an autolink",
            "complete",
            with("  # A #\n\n<https://example.com/>\n"),
        ),
        case("UTF-16", "complete", good("example.com").with("/llms.txt", Reply::text(utf_16))),
        case("a heading in a fence", "no-heading", with("```\n# A\n```\n\n[b](/)\n")),
        case("a heading in a comment", "no-heading", with("<!--\n# A\n-->\n\n[b](/)\n")),
        case("a heading at the end", "no-heading", with("[b](/)\n\n# A\n")),
        case("a picture for a link", "no-links", with("# A\n\n![b](/b.svg)\n")),
        case("no media type", "no-type", good("example.com").with("/llms.txt", untyped)),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = files();
    cases.extend(leading());
    cases.extend(written());
    cases
}

fn files() -> Vec<Case> {
    let plain = good("example.com").with("/llms.txt", Reply::text("# A\n\n[b](/)\n"));
    let full_text = r#"<a href="/llms-full.txt">For machines</a><main>"#;
    let naming_full_text = good("example.com")
        .with("/", Reply::html(good_home("example.com").replace("<main>", full_text)));
    let own_text = with("# A\n").otherwise(Reply::text("No"));
    let shell = Reply::html(good_home("example.com"));
    vec![
        case("the good site", "complete", good("example.com")),
        case("plain text is fine", "complete", plain),
        case(
            "the long form is linked",
            "complete",
            with("# A\n[all](/llms-full.txt)\n").with("/llms-full.txt", Reply::text("# A\n")),
        )
        .also(&["full-text"]),
        case("the page names the long form", "complete", naming_full_text).also(&["full-text"]),
        case("no heading", "no-heading", with("Some text\n[a](/)\n")),
        case("no links", "no-links", with("# A\n")),
        case("neither heading nor links", "no-heading", with("text\n")).also(&["no-links"]),
        case("too long", "too-long", with(&format!("# A\n[b](/)\n{}", "x".repeat(100_001)))),
        case(
            "a wrong type",
            "wrong-type",
            good("example.com").with("/llms.txt", Reply::json("# A\n[b](/)\n")),
        ),
        case(
            "a text for every path",
            "absent",
            good("example.com").with("/llms.txt", Reply::text("No")).otherwise(Reply::text("No")),
        ),
        case(
            "a text for every path, with a token in it",
            "absent",
            good("example.com")
                .with("/llms.txt", Reply::text("Nothing here. 5f1"))
                .otherwise(Reply::text("Nothing here. 93a")),
        ),
        case("a text of its own on a site that answers everything", "no-links", own_text),
        case("a comment and a heading", "complete", with("<!-- made by hand -->\n# A\n\n[b](/)\n")),
        case("XHTML that answers everything", "html", shell_with(XHTML)),
        case("a part of a page that answers everything", "html", shell_with("<div id=app></div>")),
        case("none", "absent", good("example.com").with("/llms.txt", Reply::error(404))),
        case(
            "a shell that answers everything",
            "html",
            good("example.com").with("/llms.txt", shell),
        ),
        case("refused", "unreadable", good("example.com").with("/llms.txt", Reply::error(403))),
        case(
            "timed out",
            "unreadable",
            good("example.com").failing("/llms.txt", FetchError::Timeout { after_ms: 10_000 }),
        ),
    ]
}

#[test]
fn the_draft_lists_no_pages_for_one_visitor() {
    let links = r#"<a href="/sepet">Sepet</a> <a href="/login">Log in</a> <a href="/prices">Prices</a><main>"#;
    let home = good_home("example.com").replace("<main>", links);
    let site = good("example.com").with("/", Reply::html(home));
    let site = site.with("/llms.txt", Reply::error(404)).scan().expect("a scan");
    let finding = (find("llms-txt").expect("a check").evaluate)(&site);
    let draft = finding.snippet().expect("a snippet");
    assert!(draft.contains("/prices"), "{draft}");
    assert!(!draft.contains("/sepet") && !draft.contains("/login"), "{draft}");
}

tests_of!("llms-txt");
