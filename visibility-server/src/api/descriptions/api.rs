//! The description of the public API.

use serde_json::json;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::{OpenApi, Tag};
use visibility_core::audit::result::AuditResult;
use visibility_core::error::ErrorBody;
use visibility_core::report::history::ScanHistory;
use visibility_core::scan::result::ScanResult;

use crate::api::openapi::description::{self, ApiInfo};
use crate::api::openapi::schemas;
use crate::api::routes;
use crate::api::routes::api_health::Health;
use crate::api::routes::index::Index;
use crate::http::urls::{self, McpEndpoint};
use crate::traffic::agents::Agents;
use crate::traffic::errors::Errors;
use crate::traffic::hosts::Hosts;
use crate::traffic::series::Series;
use crate::traffic::sources::LogSources;
use crate::traffic::summary::Summary;

const ABOUT: &str = "\
How AI assistants and their agents see a site (one scan, 21 checks, 27 agents) and a page (one audit, 35 signals), \
and what to do next.

All errors share one format, an `Error` with a stable `code`. Responses can get new members at any time; existing \
members keep their names and types. `X-Request-Id` on every response identifies the request in the log of the service.

The same operations are available to agents over MCP, at the address in `x-mcp`.";
const BEARER: &str = "An API key (`service_live_...`), which the operator of the service creates with \
    `visibility-server keys create`.";

/// Describes the API of a service that is reached at an address.
pub(crate) fn describe(public_url: &str) -> OpenApi {
    let mut openapi = routes::api().into_openapi();
    description::add::<ErrorBody>(&mut openapi);
    description::add::<Index>(&mut openapi);
    description::add::<Health>(&mut openapi);
    description::add::<ScanResult>(&mut openapi);
    description::add::<ScanHistory>(&mut openapi);
    description::add::<AuditResult>(&mut openapi);
    description::add::<Summary>(&mut openapi);
    description::add::<Series>(&mut openapi);
    description::add::<Agents>(&mut openapi);
    description::add::<Hosts>(&mut openapi);
    description::add::<Errors>(&mut openapi);
    description::add::<LogSources>(&mut openapi);
    description::add::<schemas::Description>(&mut openapi);
    let tags = [
        ("agent-readiness", "How well AI agents can read and use a site."),
        ("audit", "How visible one page is to AI assistants and answer engines. No key needed."),
        (
            "logs",
            "Which AI agents came, as counted from the logs that you sent. All answers can be had as CSV: with \
             `Accept: text/csv`, or with `.csv` behind the path. A key or token needs the scope `logs:read`, and sees the \
             records of its own tenant.",
        ),
        ("discovery", "The list of endpoints, and the health of the service. No key needed."),
    ];
    let described = description::finish(
        openapi,
        ApiInfo {
            title: "visibility",
            text: ABOUT,
            url: public_url,
            bearer: BEARER,
            bearer_format: "service_live_",
            tags: tags.map(|(name, about)| tag(name, about)).to_vec(),
        },
    );
    with_mcp(described, public_url)
}

/// Names the MCP server, which no description of this kind describes.
fn with_mcp(mut openapi: OpenApi, public_url: &str) -> OpenApi {
    let url = |path: &str| format!("{public_url}{path}");
    let [card, _] = urls::CARDS;
    let mcp = json!({
        "url": url(McpEndpoint::Mcp.path()),
        "card": url(card),
        "documentation": url("/docs/mcp"),
    });
    openapi.extensions = Some(Extensions::builder().add("x-mcp", mcp).build());
    openapi
}

fn tag(name: &str, about: &str) -> Tag {
    let mut tag = Tag::new(name);
    tag.description = Some(about.to_owned());
    tag
}
