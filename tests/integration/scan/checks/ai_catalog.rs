//! Sites for `ai-catalog`.

use visibility_core::fetch::FetchError;
use visibility_core::scan::checks::find;
use visibility_tests::documents::{a2a_card, ai_catalog, mcp_card, openapi};
use visibility_tests::site::{Reply, Site, good, shop};

use super::{Case, case};

const PATH: &str = "/.well-known/ai-catalog.json";

/// A site with a catalog, and the card that it lists.
fn with(reply: Reply) -> Site {
    listed(good("example.com")).with(PATH, reply)
}

fn listed(site: Site) -> Site {
    let card = Reply::new("application/mcp-server-card+json", mcp_card("example.com"));
    site.with("/mcp/server-card", card).with("/mcp", Reply::error(405))
}

/// A catalog with one entry more, whose card is there or not.
fn of_two() -> String {
    let entry = r#"{"identifier": "urn:air:example.com:agent", "displayName": "Agent",
        "type": "application/a2a-agent-card+json", "representativeQueries": ["a", "b"],
        "url": "https://example.com/.well-known/agent-card.json"}, "#;
    ai_catalog("example.com").replacen("    {\n", &format!("    {entry}{{\n"), 1)
}

fn typed(body: &str) -> Reply {
    Reply::new("application/ai-catalog+json", body)
}

fn nameless() -> String {
    ai_catalog("example.com").replace("\"displayName\": \"Example tools\",", "")
}

pub(crate) fn cases() -> Vec<Case> {
    let valid = ai_catalog("example.com");
    let api = good("example.com").with("/openapi.json", Reply::json(openapi("")));
    let agentmap = "User-agent: *\nAllow: /\nAgentmap: https://example.com/agents.json\n";
    let advertised = listed(good("example.com")).with("/robots.txt", Reply::text(agentmap));
    vec![
        case("valid", "valid", with(typed(&valid))),
        case(
            "named by robots.txt",
            "valid",
            advertised.clone().with("/agents.json", typed(&valid)),
        ),
        case("no display name", "nonconforming", with(typed(&nameless()))),
        case("plain JSON", "wrong-type", with(Reply::json(valid.clone()))),
        case(
            "its only card is missing",
            "bad-entries",
            good("example.com").with(PATH, typed(&valid)),
        ),
        case(
            "its only card names a dead endpoint",
            "bad-entries",
            listed(with(typed(&valid))).with("/mcp", Reply::error(404)),
        ),
        case(
            "its only card has placeholders",
            "bad-entries",
            with(typed(&valid)).with(
                "/mcp/server-card",
                Reply::new(
                    "application/mcp-server-card+json",
                    mcp_card("example.com").replace("com.example/tools", "[NAME]"),
                ),
            ),
        ),
        case("one of its cards is missing", "bad-entry", with(typed(&of_two()))),
        case("not JSON", "invalid", with(typed("{"))),
        case("no entries", "invalid", with(typed(r#"{"specVersion":"1.0","entries":[]}"#))),
        case("advertised and absent", "dead", advertised),
        case("off site", "off-site", with(Reply::redirect(302, "https://other.example/catalog")))
            .beside("https://other.example/catalog", typed(&valid)),
        case("an API without a catalog", "absent", api.clone()),
        case("a shop without a catalog", "absent", shop("example.com")),
        case(
            "an agent without a catalog",
            "absent",
            good("example.com").with("/.well-known/agent-card.json", Reply::json(a2a_card())),
        ),
        case("content only", "nothing", good("example.com")),
        case("content only, and dot paths are refused", "nothing", with(Reply::error(403))),
        case("a shell that answers everything", "nothing", with(Reply::html("<html>home"))),
        case("an API, refused", "unreadable", api.clone().with(PATH, Reply::error(403))),
        case(
            "an API, timed out",
            "unreadable",
            api.failing(PATH, FetchError::Timeout { after_ms: 10_000 }),
        ),
        case("limited", "unreadable", shop("example.com").with(PATH, Reply::error(429))),
    ]
}

#[test]
fn the_draft_lists_what_was_found_and_nothing_else() {
    let check = find("ai-catalog").expect("a check").evaluate;
    let shop = check(&shop("example.com").scan().expect("a scan"));
    assert_eq!((shop.detections()[0].outcome.id, shop.snippet()), ("absent", None));
    let card = Reply::json(a2a_card());
    let agent = good("example.com").with("/.well-known/agent-card.json", card);
    let agent = check(&agent.scan().expect("a scan"));
    let draft = agent.snippet().expect("a snippet");
    assert!(draft.contains("https://example.com/.well-known/agent-card.json"), "{draft}");
    assert!(!draft.contains("openapi"), "{draft}");
}

tests_of!("ai-catalog");
