//! Sites for `agent-auth`.

use visibility_tests::documents::{
    ai_catalog, authorization_server, mcp_card, openapi, protected_resource,
};
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";
const OWN: &str = "https://example.com";
const OTHER: &str = "https://login.example.net/tenant";

fn site() -> Site {
    good("example.com")
}

fn resource(issuer: &str) -> Reply {
    Reply::json(protected_resource(OWN, issuer))
}

fn server(issuer: &str) -> Reply {
    Reply::json(authorization_server(issuer))
}

fn complete() -> Site {
    site().with(RESOURCE, resource(OWN)).with(SERVER, server(OWN))
}

fn with_oauth_api() -> Site {
    let schemes = r#""components":{"securitySchemes":{"login":{"type":"oauth2","flows":{}}}},"#;
    site().with("/openapi.json", Reply::json(openapi(schemes)))
}

/// An MCP endpoint that only a card of the third wave names, and that answers 401.
fn with_endpoint(challenge: &str) -> Site {
    let reply = Reply::json("{}").status(401).header("www-authenticate", challenge);
    site()
        .with("/.well-known/ai-catalog.json", Reply::json(ai_catalog("example.com")))
        .with("/mcp/server-card", Reply::json(mcp_card("example.com")))
        .with("/mcp", reply)
}

/// The old place names the endpoint, so that the endpoint is asked in the third wave.
fn with_known_endpoint(challenge: &str) -> Site {
    with_endpoint(challenge)
        .with("/.well-known/mcp/server-card.json", Reply::json(mcp_card("example.com")))
}

#[expect(clippy::too_many_lines, reason = "a table of sites")]
pub(crate) fn cases() -> Vec<Case> {
    let plain = authorization_server(OWN).replace("S256", "plain");
    let block =
        authorization_server(OWN).replacen('{', r#"{"agent_auth":{"register":"/agents"},"#, 1);
    let elsewhere = protected_resource("https://other.example/mcp", OWN);
    let guide = Reply::new("text/markdown", "# Agents\n\nRegister with `POST /agents/register`.\n");
    let mut cases = vec![
        case("complete", "complete", complete()),
        case(
            "OpenID Connect",
            "complete",
            site().with(RESOURCE, resource(OWN)).with(OPENID, server(OWN)),
        ),
        case(
            "another server, RFC 8414",
            "complete",
            site().with(RESOURCE, resource(OTHER)).with(
                "https://login.example.net/.well-known/oauth-authorization-server/tenant",
                server(OTHER),
            ),
        ),
        case(
            "another server, OpenID Connect",
            "complete",
            site().with(RESOURCE, resource(OTHER)).with(
                "https://login.example.net/tenant/.well-known/openid-configuration",
                server(OTHER),
            ),
        ),
        case("auth.md", "complete", complete().with("/auth.md", guide)).also(&["auth-md"]),
        case("agent_auth", "complete", complete().with(SERVER, Reply::json(block)))
            .also(&["agent-auth-block"]),
        case("the server only", "server-only", site().with(SERVER, server(OWN))),
        case("the resource only", "resource-only", site().with(RESOURCE, resource(OWN))),
        case("no S256", "no-s256", complete().with(SERVER, Reply::json(plain))),
        case(
            "another issuer",
            "issuer-mismatch",
            complete().with(SERVER, server("https://example.com/other")),
        ),
        case(
            "another resource",
            "resource-mismatch",
            complete().with(RESOURCE, Reply::json(elsewhere)),
        ),
        case("a broken resource", "resource-invalid", site().with(RESOURCE, Reply::json("{}"))),
        case("a broken server", "server-invalid", site().with(SERVER, Reply::json("{}"))),
        case(
            "off site",
            "off-site",
            site().with(SERVER, Reply::redirect(302, "https://other.example/as")),
        )
        .beside("https://other.example/as", server(OWN)),
        case("OAuth in the description, no metadata", "absent", with_oauth_api()),
        case("a protected endpoint, no metadata", "absent", with_endpoint("Bearer")),
        case("nothing protected", "nothing-protected", site()),
        case(
            "nothing protected, and dot paths are refused",
            "nothing-protected",
            site().with(SERVER, Reply::error(403)),
        ),
        case(
            "a shell that answers everything",
            "nothing-protected",
            site().otherwise(Reply::html(good_home("example.com"))),
        ),
        case(
            "protected and refused",
            "unreadable",
            with_oauth_api().with(SERVER, Reply::error(403)),
        ),
    ];
    cases.extend(endpoint_cases());
    cases
}

/// RFC 9728 sections 3.1 and 5.1: the metadata of an endpoint.
fn endpoint_cases() -> Vec<Case> {
    let metadata = Reply::json(protected_resource("https://example.com/mcp", OWN));
    let named = r#"Bearer realm="x", resource_metadata="https://example.com/meta/mcp""#;
    vec![
        case(
            "the endpoint's metadata by the rule",
            "complete",
            with_known_endpoint("Bearer")
                .with("/.well-known/oauth-protected-resource/mcp", metadata.clone())
                .with(SERVER, server(OWN)),
        )
        .also(&["protected"]),
        case(
            "the endpoint's metadata as its 401 names them",
            "complete",
            with_known_endpoint(named).with("/meta/mcp", metadata).with(SERVER, server(OWN)),
        ),
    ]
}

tests_of!("agent-auth");
