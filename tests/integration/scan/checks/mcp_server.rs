//! Sites for `mcp-server`.

use visibility_core::fetch::FetchError;
use visibility_tests::documents::{ai_catalog, legacy_mcp_card, mcp_card};
use visibility_tests::site::{Reply, Site, good, good_home, login, shop};

use super::{Case, case};

const CATALOG: &str = "/.well-known/ai-catalog.json";
const LEGACY: &str = "/.well-known/mcp/server-card.json";
const CARD: &str = "/mcp/server-card";
const ENDPOINT: &str = "/mcp";

fn site() -> Site {
    good("example.com")
}

fn card() -> Reply {
    let body = mcp_card("example.com");
    Reply::new("application/mcp-server-card+json", body).header("access-control-allow-origin", "*")
}

/// The AI catalog names the card, and the card names the endpoint.
fn named() -> Site {
    site().with(CATALOG, Reply::new("application/ai-catalog+json", ai_catalog("example.com")))
}

fn complete() -> Site {
    named().with(CARD, card()).with(ENDPOINT, Reply::json("{}").status(405))
}

fn legacy() -> Site {
    let body = Reply::json(legacy_mcp_card("example.com"));
    site().with(LEGACY, body.header("access-control-allow-origin", "*"))
}

#[expect(clippy::too_many_lines, reason = "a table of sites")]
pub(crate) fn cases() -> Vec<Case> {
    let plain = Reply::json(mcp_card("example.com"));
    let text = Reply::text(mcp_card("example.com")).header("access-control-allow-origin", "*");
    let silent = mcp_card("example.com")
        .replace("https://example.com/mcp\"", "https://{tenant}.example.com/mcp\"");
    let silent = Reply::json(silent).header("access-control-allow-origin", "*");
    let challenge = Reply::json("{}").status(401).header("www-authenticate", "Bearer");
    vec![
        case("named by the catalog", "card", complete()).also(&["alive"]),
        case("protected", "card", complete().with(ENDPOINT, challenge)).also(&["protected"]),
        case(
            "beside the endpoint of the old card",
            "card",
            legacy().with(CARD, card()).with(ENDPOINT, Reply::json("{}").status(406)),
        ),
        case(
            "the catalog names the old place",
            "card",
            site()
                .with(CATALOG, Reply::json(ai_catalog("example.com").replace(CARD, LEGACY)))
                .with(LEGACY, card())
                .with(ENDPOINT, Reply::json("{}").status(400)),
        ),
        case(
            "the old place only",
            "legacy-place",
            legacy().with(ENDPOINT, Reply::json("{}").status(405)),
        ),
        case(
            "an older place only",
            "legacy-place",
            login("example.com")
                .with("/.well-known/mcp.json", card())
                .with(ENDPOINT, Reply::json("{}").status(405)),
        ),
        case(
            "an old form at the right place",
            "legacy-form",
            named()
                .with(
                    CARD,
                    Reply::json(legacy_mcp_card("example.com"))
                        .header("access-control-allow-origin", "*"),
                )
                .with(ENDPOINT, Reply::json("{}").status(405)),
        ),
        case("no CORS", "no-cors", complete().with(CARD, plain)),
        case("a wrong type", "wrong-type", complete().with(CARD, text)),
        case("an endpoint to fill in", "unverified", complete().with(CARD, silent)),
        case(
            "an endpoint that refuses",
            "unverified",
            complete().with(ENDPOINT, Reply::error(403)),
        ),
        case(
            "an endpoint that is slow",
            "unverified",
            complete().failing(ENDPOINT, FetchError::Timeout { after_ms: 10_000 }),
        ),
        case("no endpoint", "dead-endpoint", complete().with(ENDPOINT, Reply::error(404))),
        case(
            "an endpoint that is a page",
            "dead-endpoint",
            complete().with(ENDPOINT, Reply::html(good_home("example.com"))),
        ),
        case("a broken card on a content site", "invalid", site().with(LEGACY, Reply::json("{}"))),
        case("a broken card that is named", "invalid", complete().with(CARD, Reply::json("{}"))),
        case("a card that is named and gone", "dead-card", named()),
        case(
            "off site",
            "off-site",
            site().with(LEGACY, Reply::redirect(301, "https://other.example/card")),
        )
        .beside("https://other.example/card", card()),
        case("an app without", "absent", login("example.com")),
        case("a shop without", "absent", shop("example.com")),
        case("content only", "no-surface", site()),
        case(
            "a shell that answers everything",
            "no-surface",
            site().otherwise(Reply::html(good_home("example.com"))),
        ),
        case("an app, refused", "unreadable", login("example.com").with(LEGACY, Reply::error(403))),
        case("an app, limited", "unreadable", login("example.com").with(LEGACY, Reply::error(429))),
    ]
}

tests_of!("mcp-server");
