//! Sites for `honest-404`.

use visibility_core::fetch::FetchError;
use visibility_core::scan::checks::find;
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const PAGE: &str = "/x-0000000000000000";
const DOCUMENT: &str = "/.well-known/0000000000000000.json";

fn site() -> Site {
    good("example.com")
}

pub(crate) fn cases() -> Vec<Case> {
    let home = || Reply::html(good_home("example.com"));
    let timeout = FetchError::Timeout { after_ms: 10_000 };
    let slashed = site().with(PAGE, Reply::redirect(301, "/x-0000000000000000/"));
    let walled = Site::new("example.com").with("/", Reply::error(403)).otherwise(Reply::error(403));
    let challenge = Reply::error(403).header("cf-mitigated", "challenge");
    vec![
        case("the good site", "honest", site()),
        case("gone is as good", "honest", site().otherwise(Reply::error(410))),
        case("a shell for every path", "all-soft", site().otherwise(home())),
        case(
            "an error page with status 200",
            "all-soft",
            site().otherwise(Reply::html("<!doctype html><h1>Not found</h1>")),
        ),
        case("JSON for every path", "all-soft", site().otherwise(Reply::json("{}"))),
        case("a shell for pages only", "one-soft", site().with(PAGE, home())),
        case("JSON for documents only", "one-soft", site().with(DOCUMENT, Reply::json("{}"))),
        case("a shell behind a slash", "one-soft", slashed.with("/x-0000000000000000/", home())),
        case("everything leads home", "redirected", site().otherwise(Reply::redirect(302, "/"))),
        case(
            "one path leads to an error page",
            "redirected",
            site().with(PAGE, Reply::redirect(302, "/404")).with("/404", home()),
        ),
        case("refused", "refused", site().otherwise(Reply::error(403))),
        case("a login is asked for", "refused", site().with(PAGE, Reply::error(401))),
        case("a server error", "other-status", site().otherwise(Reply::error(500))),
        case("refused like the home page", "unreadable", walled),
        case("challenged", "unreadable", site().otherwise(challenge)),
        case("too many requests", "unreadable", site().otherwise(Reply::error(429))),
        case("one timed out", "unreadable", site().failing(DOCUMENT, timeout)),
    ]
}

#[test]
fn what_is_pasted_keeps_the_routes_and_the_api_of_an_application() {
    let shell = Reply::html(good_home("example.com"));
    let site = site().otherwise(shell).scan().expect("a scan");
    let finding = (find("honest-404").expect("a check").evaluate)(&site);
    let pasted = finding.snippet().expect("a snippet");
    assert!(pasted.contains("try_files $uri $uri/ /index.html;"), "{pasted}");
    assert!(!pasted.contains("/api/"), "{pasted}");
}

tests_of!("honest-404");
