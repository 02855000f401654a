//! Documents below `/.well-known/`: what there is for programs, and whom to tell about a fault.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::place::Place;
use crate::openapi::{API_PATH, INGESTION_PATH};
use crate::settings::Settings;

/// Media type of the API catalog: RFC 9727 section 4.2.
pub(super) const API_CATALOG_TYPE: &str =
    "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
/// Media type of the AI catalog.
pub(super) const AI_CATALOG_TYPE: &str = "application/ai-catalog+json";
/// Days for which `security.txt` holds; RFC 9116 section 2.5.5 asks for less than a year.
const SECURITY_DAYS: i64 = 360;

/// The API catalog: RFC 9727, as a link set of RFC 9264.
pub(super) fn api_catalog(place: &Place, settings: &Settings) -> String {
    let api = place.url("/api/v1");
    let logs = format!("{}/v1/logs", settings.ingestion_url());
    let description = format!("{}{INGESTION_PATH}", settings.ingestion_url());
    let catalog = json!({
        "linkset": [
            {
                "anchor": place.url("/.well-known/api-catalog"),
                "item": [{ "href": api }, { "href": logs }],
            },
            {
                "anchor": api,
                "service-desc": [link(&place.url(API_PATH), "application/json")],
                "service-doc": [
                    link(&place.url("/docs"), "text/html"),
                    link(&place.url("/docs/api.md"), "text/markdown"),
                ],
                "status": [link(&place.url("/api/v1/health"), "application/json")],
            },
            {
                "anchor": logs,
                "service-desc": [link(&description, "application/json")],
                "service-doc": [
                    link(&place.url("/docs/ingestion"), "text/html"),
                    link(&place.url("/docs/ingestion.md"), "text/markdown"),
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
pub(super) fn ai_catalog(place: &Place) -> String {
    let host = place.host();
    let entry = |name: &str, title: &str, media_type: &str, path: &str, queries: &[&str]| {
        json!({
            "identifier": format!("urn:air:{host}:{name}"),
            "displayName": title,
            "type": media_type,
            "url": place.url(path),
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
                    "what should this site mend first for AI agents",
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

/// `security.txt`, RFC 9116: only where the operator has said whom to write to.
pub(super) fn security_txt(
    place: &Place,
    settings: &Settings,
    now: DateTime<Utc>,
) -> Option<String> {
    let contact = settings.contact.as_deref()?;
    let expires = now + TimeDelta::days(SECURITY_DAYS);
    Some(format!(
        "Contact: {contact}\nExpires: {}\nPreferred-Languages: en, tr\nCanonical: {}\n",
        expires.format("%Y-%m-%dT%H:%M:%SZ"),
        place.url("/.well-known/security.txt"),
    ))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
