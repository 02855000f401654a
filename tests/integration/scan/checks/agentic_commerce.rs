//! Sites for `agentic-commerce`.

use visibility_tests::documents::{a2a_card, acp, openapi, ucp, x402};
use visibility_tests::site::{Reply, Site, bare_shop, good, good_home, shop};

use super::{Case, case};

const UCP: &str = "/.well-known/ucp";
const ACP: &str = "/.well-known/acp.json";
const X402: &str = "/.well-known/x402";

fn site() -> Site {
    with_endpoints(bare_shop("example.com"))
}

/// The endpoints that the documents of the fixtures name.
fn with_endpoints(site: Site) -> Site {
    let refused = Reply::json("{}").status(405);
    site.with("/ucp/v1", refused.clone())
        .with("/acp", refused.clone())
        .with("/a2a", refused)
        .with("/paid", Reply::json("{}").status(402))
}

fn with_api(extra: &str) -> Site {
    with_endpoints(good("example.com")).with("/openapi.json", Reply::json(openapi(extra)))
}

fn payment_required(field: &str) -> Site {
    let reply = Reply::json("{}").status(402).header("payment-required", field);
    with_api("").with(X402, reply)
}

/// A shop with this document, whose endpoint is not there.
fn dead(endpoint: &str, path: &str, document: String) -> Site {
    site().with(path, Reply::json(document)).with(endpoint, Reply::error(404))
}

pub(crate) fn cases() -> Vec<Case> {
    let extension =
        r#"{"extensions":[{"uri":"https://github.com/google-agentic-commerce/ap2/tree/v0.1"}]}"#;
    let ap2 = a2a_card().replace("\"capabilities\": {}", &format!("\"capabilities\": {extension}"));
    let paid = openapi("").replace("\"operationId\"", "\"x-payment-info\":{\"intent\":\"charge\",\"method\":\"card\",\"amount\":\"1\"},\"operationId\"");
    let challenge = Reply::json("{}").status(402).header("www-authenticate", "Payment realm=\"x\"");
    vec![
        case("UCP", "ucp", site().with(UCP, Reply::json(ucp("example.com")))),
        case("ACP", "acp", site().with(ACP, Reply::json(acp("example.com")))),
        case("x402 manifest", "x402", with_api("").with(X402, Reply::json(x402("example.com")))),
        // Base64 of {"x402Version":2,"accepts":[{"scheme":"exact","network":"eip155:8453","payTo":"0x1"}]}.
        case(
            "x402 header",
            "x402",
            payment_required(
                "eyJ4NDAyVmVyc2lvbiI6MiwiYWNjZXB0cyI6W3sic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoiZWlwMTU1Ojg0NTMiLCJwYXlUbyI6IjB4MSJ9XX0=",
            ),
        ),
        case("MPP operations", "mpp", good("example.com").with("/openapi.json", Reply::json(paid))),
        case("MPP challenge", "mpp", with_api("").with(X402, challenge)),
        case(
            "AP2",
            "ap2",
            with_endpoints(good("example.com"))
                .with("/.well-known/agent-card.json", Reply::json(ap2.clone())),
        ),
        case(
            "one valid protocol is enough",
            "ucp",
            site().with(UCP, Reply::json(ucp("example.com"))).with(ACP, Reply::json("{}")),
        )
        .also(&["invalid"]),
        case("no UCP service", "dead-endpoint", dead("/ucp/v1", UCP, ucp("example.com"))),
        case("no ACP service", "dead-endpoint", dead("/acp", ACP, acp("example.com"))),
        case("nothing for sale", "dead-endpoint", dead("/paid", X402, x402("example.com"))),
        case(
            "AP2 of an agent that does not exist",
            "no-shop",
            good("example.com").with("/.well-known/agent-card.json", Reply::json(ap2)),
        ),
        case(
            "a service that refuses",
            "unverified",
            site().with(UCP, Reply::json(ucp("example.com"))).with("/ucp/v1", Reply::error(403)),
        ),
        case(
            "a profile without handlers of payments",
            "incomplete",
            site()
                .with(UCP, Reply::json(ucp("example.com").replace(",\"payment_handlers\":{}", ""))),
        ),
        case("product data only", "product-data", shop("example.com")),
        case("a broken profile", "invalid", shop("example.com").with(UCP, Reply::json("{}")))
            .also(&["product-data"]),
        case("a header that is not base64", "invalid", payment_required("%%%")),
        case(
            "off site",
            "off-site",
            site().with(UCP, Reply::redirect(302, "https://other.example/ucp")),
        )
        .beside("https://other.example/ucp", Reply::json(ucp("example.com"))),
        case("a bare shop", "absent", site()),
        case("content only", "no-shop", good("example.com")),
        case("an API without prices", "no-shop", with_api("")),
        case(
            "a shell that answers everything",
            "no-shop",
            good("example.com").otherwise(Reply::html(good_home("example.com"))),
        ),
        case("refused", "unreadable", site().with(UCP, Reply::error(403))),
    ]
}

tests_of!("agentic-commerce");
