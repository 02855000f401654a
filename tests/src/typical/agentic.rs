//! Services: one that is made for agents, and one that only documents its API.

use super::{Head, json_ld, site, sitemap, with_pages};
use crate::site::{Reply, Site};

const TEXT: &str = "Parcelwise compares the prices and delivery times of forty carriers and prints the \
label of the one that you choose. Connect your shop in an afternoon, or call the API from your own \
software. Rates are cached for an hour and never older. Labels come as PDF or as ZPL for thermal \
printers. When a parcel is late we tell you before your customer does, with the reason that the carrier \
gave and the new date. Returns work the same way in the other direction, and cost nothing when nobody \
uses them.";

const PRICES: &str = "The first fifty labels of a month are free. After that a label costs four cents, \
whatever the carrier. There is no contract, no setup and no minimum. Support answers within a day, and \
the people who answer are the people who build it. Status and incidents are public, and so is the list \
of everything that went wrong in the past two years.";

const OPENAPI: &str = r#"{"openapi":"3.1.0","info":{"title":"Parcelwise API","version":"2.4.0"},"servers":[{"url":"/api/v2"}],"paths":{"/rates":{"post":{"summary":"Compare rates","operationId":"compareRates","responses":{"200":{"description":"Rates"}}}},"/labels":{"post":{"summary":"Buy a label","operationId":"buyLabel","responses":{"201":{"description":"Label"}}}},"/parcels/{id}":{"get":{"summary":"Track a parcel","operationId":"trackParcel","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],"responses":{"200":{"description":"Parcel"}}}}},"components":{"securitySchemes":{"oauth":{"type":"oauth2","flows":{"authorizationCode":{"authorizationUrl":"/oauth/authorize","tokenUrl":"/oauth/token","scopes":{"labels":"Buy labels"}}}}}},"security":[{"oauth":["labels"]}]}"#;

fn home(host: &str, more: &str) -> String {
    let organization = json_ld(&format!(
        r#"{{"@context":"https://schema.org","@type":"Organization","name":"Parcelwise","url":"https://{host}/","logo":"https://{host}/logo.svg","sameAs":["https://github.com/parcelwise"]}}"#
    ));
    let more = format!("{organization}\n{more}");
    let head = Head {
        host,
        lang: "en",
        title: "Parcelwise: forty carriers, one API",
        description: "Compare carriers, print labels and follow parcels from one API.",
        more: &more,
    };
    head.page(&format!(
        r#"<header><nav><a href="/">Home</a> <a href="/pricing">Pricing</a> <a href="/developers">Developers</a>
<a href="/docs/api">API reference</a> <a href="/status">Status</a> <a href="/login">Log in</a></nav></header>
<main>
<h1>Forty carriers, one API</h1>
<p>{TEXT}</p>
<h2>What it costs</h2>
<p>{PRICES}</p>
</main>
<footer><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer>"#
    ))
}

/// Pages that the services link to.
const PAGES: [&str; 4] = ["/pricing", "/developers", "/docs/api", "/status"];

fn pages(host: &str) -> Reply {
    sitemap(
        host,
        &[
            ("/", "2026-11-10"),
            ("/pricing", "2026-10-01"),
            ("/developers", "2026-11-10"),
            ("/docs/api", "2026-11-12"),
        ],
    )
}

/// A service with an API and its description, and not one document for agents.
pub(super) fn plain_saas() -> Site {
    let host = "parcelwise-classic.com";
    let robots = "User-agent: *\nDisallow: /dashboard\n\nSitemap: https://parcelwise-classic.com/sitemap.xml\n";
    with_pages(site(host, Reply::html(home(host, ""))), &PAGES)
        .with("/robots.txt", Reply::text(robots))
        .with("/sitemap.xml", pages(host))
        .with("/openapi.json", Reply::json(OPENAPI))
}

/// A service whose every surface is described for agents.
pub(super) fn native_saas() -> Site {
    let host = "parcelwise.com";
    let markdown = format!(
        "# Forty carriers, one API\n\n{TEXT}\n\n## What it costs\n\n{PRICES}\n\n\
         - [API reference](https://parcelwise.com/docs/api)\n"
    );
    let page = Reply::html(home(
        host,
        "<link rel=\"ai-catalog\" href=\"/.well-known/ai-catalog.json\">\n\
         <link rel=\"alternate\" type=\"text/markdown\" href=\"/index.md\">",
    ))
    .header("vary", "Accept, Accept-Encoding")
    .header(
        "link",
        "</.well-known/api-catalog>; rel=\"api-catalog\", </openapi.json>; rel=\"service-desc\"; \
         type=\"application/vnd.oai.openapi+json\", </llms.txt>; rel=\"describedby\"",
    );
    let as_markdown = Reply::new("text/markdown; charset=utf-8", markdown.clone())
        .header("vary", "Accept, Accept-Encoding");
    let robots = "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\nAllow: /\n\n\
        Sitemap: https://parcelwise.com/sitemap.xml\n\
        Agentmap: https://parcelwise.com/.well-known/ai-catalog.json\n";
    let llms = "# Parcelwise\n\n> Compare carriers, print labels and follow parcels.\n\n## API\n\n\
        - [OpenAPI](https://parcelwise.com/openapi.json): three operations\n\
        - [Pricing](https://parcelwise.com/pricing.md)\n";
    let site = with_pages(site(host, page), &PAGES)
        .accepting("/", "text/markdown", as_markdown)
        .with("/index.md", Reply::new("text/markdown; charset=utf-8", markdown))
        .with("/robots.txt", Reply::text(robots))
        .with("/sitemap.xml", pages(host))
        .with("/llms.txt", Reply::text(llms))
        .with("/pricing.md", Reply::text("# Pricing\n"))
        .with("/openapi.json", Reply::json(OPENAPI));
    agent_documents(site)
}

/// Catalog, cards and OAuth metadata.
fn agent_documents(site: Site) -> Site {
    let any_origin =
        |media_type, json| Reply::new(media_type, json).header("access-control-allow-origin", "*");
    site.with(
        "/.well-known/api-catalog",
        any_origin(
            "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"",
            r#"{"linkset":[{"anchor":"https://parcelwise.com/api/v2","service-desc":[{"href":"https://parcelwise.com/openapi.json","type":"application/vnd.oai.openapi+json"}],"service-doc":[{"href":"https://parcelwise.com/docs/api","type":"text/html"}],"status":[{"href":"https://parcelwise.com/status"}]}]}"#,
        ),
    )
    .with(
        "/.well-known/ai-catalog.json",
        any_origin(
            "application/ai-catalog+json",
            r#"{"specVersion":"1.0","host":{"displayName":"Parcelwise","identifier":"parcelwise.com"},"entries":[{"identifier":"urn:air:parcelwise.com:mcp:shipping","displayName":"Shipping tools","type":"application/mcp-server-card+json","url":"https://parcelwise.com/mcp/server-card","representativeQueries":["compare rates for a parcel","where is my parcel"]},{"identifier":"urn:air:parcelwise.com:agent:shipping","displayName":"Shipping agent","type":"application/a2a-agent-card+json","url":"https://parcelwise.com/.well-known/agent-card.json","representativeQueries":["send this box for less than ten euros","book a pickup for Monday"]}]}"#,
        ),
    )
    .with(
        "/mcp/server-card",
        any_origin(
            "application/mcp-server-card+json",
            r#"{"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json","name":"com.parcelwise/shipping","version":"2.4.0","title":"Parcelwise shipping","description":"Compare rates, buy labels and follow parcels.","remotes":[{"type":"streamable-http","url":"https://parcelwise.com/mcp"}]}"#,
        ),
    )
    .with(
        "/mcp",
        Reply::json(r#"{"error":"unauthorized"}"#).status(401).header(
            "www-authenticate",
            "Bearer resource_metadata=\"https://parcelwise.com/.well-known/oauth-protected-resource\"",
        ),
    )
    .with("/a2a", Reply::json("{}").status(405))
    .with(
        "/.well-known/agent-card.json",
        any_origin(
            "application/json",
            r#"{"name":"Parcelwise shipping agent","description":"Books and follows parcels.","version":"2.4.0","supportedInterfaces":[{"url":"https://parcelwise.com/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"provider":{"organization":"Parcelwise","url":"https://parcelwise.com"},"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain","application/json"],"skills":[{"id":"rates","name":"Compare rates","description":"Finds the cheapest or the fastest carrier.","tags":["shipping"]}]}"#,
        ),
    )
    .with(
        "/.well-known/oauth-protected-resource",
        any_origin(
            "application/json",
            r#"{"resource":"https://parcelwise.com","authorization_servers":["https://parcelwise.com"],"scopes_supported":["labels"],"bearer_methods_supported":["header"]}"#,
        ),
    )
    .with(
        "/.well-known/oauth-authorization-server",
        any_origin(
            "application/json",
            r#"{"issuer":"https://parcelwise.com","authorization_endpoint":"https://parcelwise.com/oauth/authorize","token_endpoint":"https://parcelwise.com/oauth/token","registration_endpoint":"https://parcelwise.com/oauth/register","response_types_supported":["code"],"grant_types_supported":["authorization_code","refresh_token"],"code_challenge_methods_supported":["S256"],"scopes_supported":["labels"]}"#,
        ),
    )
}
