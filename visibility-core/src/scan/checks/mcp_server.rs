//! `mcp-server`: a Model Context Protocol server that agents can find and reach.
//!
//! The card is a draft (SEP-2127): what decides is a valid card at a place that the draft names,
//! and an endpoint that is alive.

use serde_json::json;

use crate::documents::mcp_card::McpCard;
use crate::fetch::{Resource, Response};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome, Verdict};
use crate::rubric::fix::{Build, Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::published::endpoint::EndpointState;
use crate::scan::facts::published::{self, PublishedDocument, mcp, protection};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;
use crate::text::note::Note;
use crate::text::placeholder;

pub(super) const CHECK: Check = Check {
    id: "mcp-server",
    category: Category::Action,
    weight: 5,
    maturity: Maturity::Draft,
    effort: Effort::L,
    surfaces: &SURFACES,
    outcomes: &[
        CARD,
        ALIVE,
        PROTECTED,
        LEGACY_PLACE,
        LEGACY_FORM,
        NO_CORS,
        WRONG_TYPE,
        UNVERIFIED,
        DEAD_ENDPOINT,
        INVALID,
        DEAD_CARD,
        OFF_SITE,
        ABSENT,
        NO_SURFACE,
        UNREADABLE,
    ],
    covers: &["MCP Server Card"],
    specs: &[
        Spec {
            name: "SEP-2127",
            url: "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2127",
        },
        Spec { name: "MCP", url: "https://modelcontextprotocol.io/specification" },
    ],
    evaluate,
};

const CARD: Outcome = Outcome::pass("card");
const ALIVE: Outcome = Outcome::pass("alive");
const PROTECTED: Outcome = Outcome::pass("protected");
const LEGACY_PLACE: Outcome = Outcome::warn("legacy-place");
const LEGACY_FORM: Outcome = Outcome::warn("legacy-form");
const NO_CORS: Outcome = Outcome::warn("no-cors");
const WRONG_TYPE: Outcome = Outcome::warn("wrong-type");
const UNVERIFIED: Outcome = Outcome::warn("unverified");
const DEAD_ENDPOINT: Outcome = Outcome::fail("dead-endpoint");
const INVALID: Outcome = Outcome::fail("invalid");
const DEAD_CARD: Outcome = Outcome::fail("dead-card");
const OFF_SITE: Outcome = Outcome::fail("off-site");
const ABSENT: Outcome = Outcome::fail("absent");
const NO_SURFACE: Outcome = Outcome::not_applicable("no-surface");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

const SURFACES: [Surface; 3] = [Surface::Api, Surface::App, Surface::Commerce];
/// Where a card is put: a place that needs no server, which the AI catalog names.
const CARD_PATH: &str = "/.well-known/mcp/server-card.json";
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

fn evaluate(site: &SiteSnapshot) -> Finding {
    let detections = match mcp::card(site) {
        PublishedDocument::Valid(card, response) => judge(site, CARD, &card, response),
        PublishedDocument::Invalid(problem, response) => vec![invalid(problem.note, response)],
        other => match mcp::legacy_card(site) {
            Some((card, response)) => judge(site, LEGACY_PLACE, &card, response),
            None => vec![missing(site, &other)],
        },
    };
    let finding =
        Finding::from_worst(detections).unwrap_or_else(|| Finding::new(ABSENT.detected()));
    let finding = finding.with_evidence(evidence(site));
    match finding.verdict() {
        Verdict::Pass | Verdict::NotApplicable => finding,
        _ => finding.with_fix(fix(site)),
    }
}

/// A valid card: its place, its headers and the endpoint that it names.
fn judge(
    site: &SiteSnapshot,
    place: Outcome,
    card: &McpCard,
    response: &Response,
) -> Vec<Detection> {
    let remotes = card.remotes.len();
    let facts = |outcome: Outcome| {
        let found = outcome.with("path", response.url.path()).with("name", &card.name);
        found.with("remotes", remotes)
    };
    let mut detections = vec![facts(place).with("expected", expected_place(site))];
    if card.is_legacy {
        detections.push(facts(LEGACY_FORM));
    }
    if !response.headers.has_token("access-control-allow-origin", "*") {
        detections.push(NO_CORS.detected());
    }
    let media_type = response.media_type();
    if media_type != mcp::CARD_TYPE && !media_type.ends_with("json") {
        detections.push(WRONG_TYPE.with("type", media_type));
    }
    detections.push(endpoint(site));
    detections
}

/// What the endpoint of the card answered.
fn endpoint(site: &SiteSnapshot) -> Detection {
    let Some(named) = mcp::endpoint(site) else {
        return UNVERIFIED.with("endpoint", "-");
    };
    let found = EndpointState::check(site, Some(&named));
    let (outcome, status) = match found {
        EndpointState::Alive(status) => (ALIVE, status),
        EndpointState::Protected(status) => (PROTECTED, status),
        EndpointState::Dead(_) | EndpointState::Unverified => {
            let complaint = found.complaint(DEAD_ENDPOINT, UNVERIFIED, Some(&named));
            return complaint.unwrap_or_else(|| UNVERIFIED.with("endpoint", &named));
        }
    };
    outcome.with("endpoint", &named).with("status", status)
}

/// The path where the specification looks for the card: beside the endpoint.
fn expected_place(site: &SiteSnapshot) -> String {
    let beside = mcp::endpoint(site).map(|endpoint| mcp::beside_endpoint(&endpoint));
    beside.map_or_else(|| "/mcp/server-card".to_owned(), |url| url.path().to_owned())
}

/// No valid card anywhere.
fn missing(site: &SiteSnapshot, card: &PublishedDocument<'_, McpCard>) -> Detection {
    let legacy = mcp::LEGACY_PLACES.map(|place| published::mcp_card(site, &place));
    let unreadable = card.is_unreadable() || legacy.iter().any(PublishedDocument::is_unreadable);
    for place in &legacy {
        match place {
            PublishedDocument::Invalid(problem, response) => {
                return invalid(problem.note.clone(), response);
            }
            PublishedDocument::OffSite(response) => {
                return OFF_SITE.with("host", published::host(response));
            }
            _ => {}
        }
    }
    match card {
        PublishedDocument::OffSite(response) => OFF_SITE.with("host", published::host(response)),
        PublishedDocument::Absent if mcp::named_by_catalog(site).is_some() => DEAD_CARD.detected(),
        _ if (unreadable || site.home().is_none()) && published::is_missed(site, &SURFACES) => {
            UNREADABLE.detected()
        }
        _ if site.profile().has_any(&SURFACES) => ABSENT.detected(),
        _ => NO_SURFACE.detected(),
    }
}

fn invalid(problem: Note, response: &Response) -> Detection {
    INVALID.with_note("problem", problem).with("path", response.url.path())
}

fn evidence(site: &SiteSnapshot) -> Vec<Evidence> {
    let mut seen: Vec<Evidence> = Vec::new();
    for resource in [Resource::McpCard, Resource::McpLegacyCard, Resource::LegacyMcpManifest] {
        seen.extend(site.evidence(&resource));
    }
    let endpoint = site.evidence(&Resource::McpEndpoint).map(|evidence| {
        let response = site.response(&Resource::McpEndpoint);
        match response.and_then(protection::named_metadata) {
            Some(url) => evidence.note(Note::verbatim(format!("resource_metadata {url}"))),
            None => evidence,
        }
    });
    seen.extend(endpoint);
    seen
}

/// A card for the server, and the entry of the AI catalog by which clients find it. What the site does
/// not say about its server are placeholders.
fn fix(site: &SiteSnapshot) -> Fix {
    let domain = site.domain().as_str();
    let reversed = domain.split('.').rev().collect::<Vec<_>>().join(".");
    let known = mcp::legacy_card(site)
        .map(|(card, _)| card)
        .or_else(|| mcp::card(site).valid().map(|(card, _)| card));
    let mut fix = Fix::default();
    let endpoint = if let Some(endpoint) = mcp::endpoint(site) {
        endpoint.to_string()
    } else {
        let url = placeholder::placeholder("MCP_ENDPOINT");
        fix = fix
            .and(Edit::Build { what: Build::McpServer, url: url.clone() })
            .with_input("MCP_ENDPOINT", format!("{}mcp", site.origin()));
        url
    };
    let mut known_or = |value: Option<String>, name: &'static str, example: &str| {
        value.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| {
            fix = std::mem::take(&mut fix).with_input(name, example);
            placeholder::placeholder(name)
        })
    };
    let version = known_or(known.as_ref().map(|card| card.version.clone()), "VERSION", "1.0.0");
    let description = known_or(
        known.map(|card| card.description),
        "DESCRIPTION",
        "What the tools of the server do.",
    );
    let card = published::pretty(&json!({
        "$schema": SCHEMA,
        "name": format!("{reversed}/mcp"),
        "version": version,
        "description": description,
        "remotes": [{ "type": "streamable-http", "url": endpoint }],
    }));
    let url = format!("{}{}", site.origin(), CARD_PATH.trim_start_matches('/'));
    let entry = super::ai_catalog::catalog(site, Some(("mcp", mcp::CARD_TYPE, &url)));
    fix = fix.and(Edit::Document {
        path: CARD_PATH.to_owned(),
        media_type: mcp::CARD_TYPE.to_owned(),
        content: card,
    });
    fix.edits.extend(entry);
    fix
}
