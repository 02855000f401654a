//! Documents below `/.well-known/`: catalogs for programs, and the contact for security reports.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::base_url::BaseUrl;
use crate::http::urls::{API_PATH, INGESTION_PATH};
use crate::http::urls::{CARDS, McpEndpoint};
use crate::settings::Settings;

/// Media type of the API catalog: RFC 9727 section 4.2.
pub(super) const API_CATALOG_TYPE: &str =
    "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
/// Media type of the AI catalog.
pub(super) const AI_CATALOG_TYPE: &str = "application/ai-catalog+json";
/// Media type of the card of an MCP server: SEP-2127.
pub(super) const CARD_TYPE: &str = "application/mcp-server-card+json";
const CARD_SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/// Days for which `security.txt` holds; RFC 9116 section 2.5.5 asks for less than a year.
const SECURITY_DAYS: i64 = 360;

/// The API catalog: RFC 9727, as a link set of RFC 9264.
pub(super) fn api_catalog(base: &BaseUrl, settings: &Settings) -> String {
    let [card, _] = CARDS;
    let api = base.url("/api/v1");
    let logs = format!("{}/v1/logs", settings.ingestion_url());
    let mcp = base.url(McpEndpoint::Mcp.path());
    let description = format!("{}{INGESTION_PATH}", settings.ingestion_url());
    let catalog = json!({
        "linkset": [
            {
                "anchor": base.url("/.well-known/api-catalog"),
                "item": [{ "href": api }, { "href": logs }, { "href": mcp }],
            },
            {
                "anchor": api,
                "service-desc": [link(&base.url(API_PATH), "application/json")],
                "service-doc": [
                    link(&base.url("/docs"), "text/html"),
                    link(&base.url("/docs/api.md"), "text/markdown"),
                ],
                "status": [link(&base.url("/api/v1/health"), "application/json")],
            },
            {
                "anchor": logs,
                "service-desc": [link(&description, "application/json")],
                "service-doc": [
                    link(&base.url("/docs/ingestion"), "text/html"),
                    link(&base.url("/docs/ingestion.md"), "text/markdown"),
                ],
            },
            {
                "anchor": mcp,
                "service-desc": [link(&base.url(card), CARD_TYPE)],
                "service-doc": [
                    link(&base.url("/docs/mcp"), "text/html"),
                    link(&base.url("/docs/mcp.md"), "text/markdown"),
                ],
            },
        ],
    });
    pretty(&catalog)
}

fn link(href: &str, media_type: &str) -> Value {
    json!({ "href": href, "type": media_type })
}

/// The AI catalog: what there is for agents today.
pub(super) fn ai_catalog(base: &BaseUrl) -> String {
    let host = base.host();
    let [card, _] = CARDS;
    let entry = |name: &str, title: &str, media_type: &str, path: &str, queries: &[&str]| {
        json!({
            "identifier": format!("urn:air:{host}:{name}"),
            "displayName": title,
            "type": media_type,
            "url": base.url(path),
            "representativeQueries": queries,
        })
    };
    let catalog = json!({
        "specVersion": "1.0",
        "host": { "displayName": "visibility" },
        "entries": [
            entry(
                "api",
                "visibility API: agent readiness of a domain",
                "application/openapi+json",
                API_PATH,
                &[
                    "is this site ready for AI agents",
                    "which AI agents may read this domain",
                    "what should this site fix first for AI agents",
                ],
            ),
            entry(
                "mcp",
                "visibility MCP server: scans, audits and bot traffic as tools",
                CARD_TYPE,
                card,
                &[
                    "scan a site for AI agents with a tool",
                    "audit how visible a page is to AI assistants",
                    "which bots have visited my site",
                ],
            ),
            entry(
                "api-catalog",
                "The APIs of this service and their documentation",
                "application/linkset+json",
                "/.well-known/api-catalog",
                &["which APIs does this service have", "where is the API documentation"],
            ),
        ],
    });
    pretty(&catalog)
}

/// The card of the MCP server: SEP-2127. It says where the server is and what it wants, and lists no tools.
pub(super) fn server_card(base: &BaseUrl) -> String {
    let host = base.host();
    // The name of a host, from its end; an address is no such name.
    let is_name = host.contains('.') && host.contains(|byte: char| byte.is_ascii_alphabetic());
    let labels: Vec<&str> = host.split('.').rev().collect();
    let reversed = if is_name { labels.join(".") } else { "local.visibility".to_owned() };
    let card = json!({
        "$schema": CARD_SCHEMA,
        "name": format!("{reversed}/visibility"),
        "title": "visibility",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Scores how well AI agents can read a site, audits pages, counts visits of bots",
        "websiteUrl": base.url("/"),
        "repository": { "url": env!("CARGO_PKG_REPOSITORY"), "source": "github" },
        "remotes": [remote(base, McpEndpoint::Mcp), remote(base, McpEndpoint::Root)],
    });
    pretty(&card)
}

fn remote(base: &BaseUrl, address: McpEndpoint) -> Value {
    json!({
        "type": "streamable-http",
        "url": base.url(address.path()),
        "headers": [{
            "name": "Authorization",
            "description": "Bearer and an API key of this service, or a token that its authorization server gives",
            "isRequired": true,
            "isSecret": true,
        }],
        "supportedProtocolVersions": crate::mcp::versions(),
    })
}

/// `security.txt`, RFC 9116: only where the operator has said whom to write to.
pub(super) fn security_txt(
    base: &BaseUrl,
    settings: &Settings,
    now: DateTime<Utc>,
) -> Option<String> {
    let contact = settings.contact.as_deref()?;
    let expires = now + TimeDelta::days(SECURITY_DAYS);
    Some(format!(
        "Contact: {contact}\nExpires: {}\nPreferred-Languages: en, tr\nCanonical: {}\n",
        expires.format("%Y-%m-%dT%H:%M:%SZ"),
        base.url("/.well-known/security.txt"),
    ))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use visibility_core::documents::mcp_card::McpCard;

    use super::*;

    fn card(base: &str) -> (McpCard, Value) {
        let settings = Settings { base_url: Some(base.to_owned()), ..Settings::default() };
        let text = server_card(&BaseUrl::new(&settings));
        (McpCard::parse(text.as_bytes()).unwrap(), serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn the_card_names_the_server_by_its_host_and_says_where_it_is() {
        let (read, json) = card("https://visibility.example.com");
        assert_eq!(read.name, "com.example.visibility/visibility");
        assert!(read.warnings.is_empty() && !read.is_legacy, "{read:?}");
        assert_eq!(read.remotes[0].url, "https://visibility.example.com/api/mcp/v1/mcp");
        assert_eq!(read.remotes[1].url, "https://visibility.example.com/mcp");
        assert!(json["description"].as_str().unwrap().chars().count() <= 100);
        assert_eq!(json["remotes"][0]["supportedProtocolVersions"][0], "2026-07-28");
        for base in ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"] {
            assert_eq!(card(base).0.name, "local.visibility/visibility", "{base}");
        }
    }
}
