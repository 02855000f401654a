//! Sites for `index-directives`.

use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::text::locale::Lang;
use visibility_tests::fixes::scored;
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

fn meta(name: &str, content: &str) -> Site {
    let meta = format!("<head><meta name=\"{name}\" content=\"{content}\">");
    let home = good_home("example.com").replacen("<head>", &meta, 1);
    good("example.com").with("/", Reply::html(home))
}

fn header(value: &str) -> Site {
    let home = Reply::html(good_home("example.com")).header("x-robots-tag", value);
    good("example.com").with("/", home)
}

pub(crate) fn cases() -> Vec<Case> {
    let open = "index, follow, max-snippet:-1";
    let challenge = Reply::error(403).header("cf-mitigated", "challenge");
    vec![
        case("the host of an API", "api-host", visibility_tests::typical::api_host()),
        case("the good site", "open", good("example.com")),
        case("what is allowed anyway", "open", meta("robots", open)),
        case("training alone", "open", meta("gptbot", "noindex")),
        case("a snippet of some length", "open", meta("robots", "max-snippet:50")),
        case("noindex", "noindex", meta("robots", "NOINDEX, nofollow")),
        case("none", "noindex", meta("robots", "none")),
        case("noindex for Googlebot", "engine-noindex", meta("googlebot", "noindex")),
        case("noindex for bingbot", "engine-noindex", header("bingbot: noindex")),
        case("a time that is over", "expired", header("unavailable_after: 2026-11-19")),
        case("a time to come", "open", header("unavailable_after: 2027-11-19")),
        case(
            "a time of one engine",
            "engine-noindex",
            header("googlebot: unavailable_after: 2026-11-19"),
        ),
        case("a blank for a comma", "misread", meta("robots", "noindex nofollow")),
        case("a hyphen too many", "misread", header("no-index")),
        case("noindex in the header", "noindex", header("noindex")),
        case("noindex for another one", "agent-noindex", header("oai-searchbot: noindex")),
        case("nosnippet", "no-snippet", meta("robots", "nosnippet")),
        case("a snippet of no length", "no-snippet", header("max-snippet:0")),
        case("noarchive", "no-archive", meta("robots", "noarchive")),
        case("nocache for Bing", "no-archive", meta("bingbot", "nocache")),
        case("noai", "no-ai", meta("robots", "noai, noimageai")),
        case("several", "noindex", meta("robots", "noai, noindex")).also(&["no-ai"]),
        case("refused", "unreadable", good("example.com").with("/", Reply::error(403))),
        case("challenged", "unreadable", good("example.com").with("/", challenge)),
    ]
}

#[test]
fn a_directive_for_one_engine_names_it_and_caps_nothing() {
    for (crawler, engine) in [("googlebot", "Google"), ("bingbot", "Bing")] {
        let site = meta(crawler, "noindex");
        let report = ScanReport::evaluate(&site.scan().unwrap(), &Selection::all());
        let result = report.result(Lang::En);
        let check = result.checks.iter().find(|check| check.id == "index-directives").unwrap();
        assert!(check.summary.contains(engine), "{}", check.summary);
        assert!(result.caps.is_empty());
    }
    let (score, _) = scored(&header("unavailable_after: 2026-11-19"));
    assert_eq!(score.caps.iter().map(|cap| cap.id).collect::<Vec<_>>(), ["noindex"]);
}

tests_of!("index-directives");
