//! `ai-catalog`: one file that lists what a site has for agents.
//!
//! Agentic resource discovery is a draft: the catalog is only expected where there is something to
//! list.

use serde_json::{Value, json};
use url::Url;

use crate::documents::ai_catalog::AiCatalog;
use crate::fetch::{Resource, Response};
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::published::{self, PublishedDocument, mcp};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "ai-catalog",
    category: Category::Discovery,
    weight: 3,
    maturity: Maturity::Draft,
    effort: Effort::M,
    surfaces: &SURFACES,
    outcomes: &[
        VALID,
        NONCONFORMING,
        WRONG_TYPE,
        INVALID,
        BAD_ENTRIES,
        BAD_ENTRY,
        DEAD,
        OFF_SITE,
        ABSENT,
        NOTHING,
        UNREADABLE,
    ],
    covers: &["AI Catalog", "ARD", "Agentmap"],
    specs: &[
        Spec { name: "ARD", url: "https://github.com/ards-project/ard-spec" },
        Spec { name: "AI Catalog", url: "https://github.com/Agent-Card/ai-card" },
    ],
    evaluate,
};

const VALID: Outcome = Outcome::pass("valid");
const NONCONFORMING: Outcome = Outcome::warn("nonconforming");
const WRONG_TYPE: Outcome = Outcome::warn("wrong-type");
const INVALID: Outcome = Outcome::fail("invalid");
const BAD_ENTRIES: Outcome = Outcome::fail("bad-entries");
const BAD_ENTRY: Outcome = Outcome::warn("bad-entry");
const DEAD: Outcome = Outcome::fail("dead");
const OFF_SITE: Outcome = Outcome::fail("off-site");
const ABSENT: Outcome = Outcome::fail("absent");
const NOTHING: Outcome = Outcome::not_applicable("nothing");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

const SURFACES: [Surface; 2] = [Surface::Api, Surface::Commerce];
const MEDIA_TYPE: &str = "application/ai-catalog+json";
/// Conformance warnings that are listed.
const MAX_WARNINGS: usize = 10;

fn evaluate(site: &SiteSnapshot) -> Finding {
    let source = source(site);
    let is_advertised = source != WELL_KNOWN;
    let listable = site.profile().has_any(&SURFACES) || !entries(site).is_empty();
    let finding = match published::ai_catalog(site) {
        PublishedDocument::Valid(catalog, response) => {
            return judge(site, &catalog, response, source);
        }
        PublishedDocument::Invalid(problem, _) => {
            Finding::new(INVALID.with_note("problem", problem.note))
        }
        PublishedDocument::OffSite(response) => {
            Finding::new(OFF_SITE.with("host", published::host(response)))
        }
        PublishedDocument::Absent if is_advertised => Finding::new(DEAD.with("source", source)),
        PublishedDocument::Absent if listable => Finding::new(ABSENT.detected()),
        PublishedDocument::Unreadable | PublishedDocument::NotAsked
            if is_advertised || listable || site.page().is_none() =>
        {
            Finding::new(UNREADABLE.detected())
        }
        PublishedDocument::Absent | PublishedDocument::Unreadable | PublishedDocument::NotAsked => {
            return Finding::new(NOTHING.detected())
                .with_evidence(site.evidence(&Resource::AiCatalog));
        }
    };
    let evidence = site.evidence(&Resource::AiCatalog).map(|evidence| match evidence.note {
        None => evidence.note(Note::new("named-by").with("source", source)),
        Some(_) => evidence,
    });
    let finding = finding.with_evidence(evidence);
    finding.with_fix_if_any(catalog(site, None).map(Fix::new))
}

fn judge(
    site: &SiteSnapshot,
    catalog: &AiCatalog,
    response: &Response,
    source: &'static str,
) -> Finding {
    let media_type = response.media_type();
    let mut detections = Vec::new();
    let named = catalog.entries.iter().filter_map(|entry| {
        published::web_url(&response.url, entry.url.as_deref().unwrap_or_default())
            .filter(|_| entry.url.is_some())
    });
    let bad: Vec<Url> = named.filter(|url| published::is_known_bad(site, url)).collect();
    if let Some(first) = bad.first() {
        let all = bad.len() == catalog.entries.len();
        let outcome = if all { BAD_ENTRIES } else { BAD_ENTRY };
        let found = outcome.with("count", bad.len()).with("entries", catalog.entries.len());
        detections.push(found.with("url", first));
    }
    // Example queries are a recommendation, and no matter of conformance.
    let warnings = catalog
        .warnings
        .iter()
        .filter(|warning| warning.id != "representative-queries")
        .take(MAX_WARNINGS);
    detections
        .extend(warnings.map(|warning| NONCONFORMING.with_note("problem", warning.note.clone())));
    if media_type != MEDIA_TYPE {
        detections.push(WRONG_TYPE.with("type", media_type));
    }
    detections.push(VALID.with("entries", catalog.entries.len()).with("source", source));
    let evidence =
        Evidence::from_response(response).note(Note::new("named-by").with("source", source));
    Finding::from_worst(detections)
        .unwrap_or_else(|| Finding::new(NOTHING.detected()))
        .with_evidence([evidence])
}

const WELL_KNOWN: &str = "well-known";

/// Who named the address that was asked: in the order in which the plan reads them.
fn source(site: &SiteSnapshot) -> &'static str {
    let has_link = |rels: &[String]| rels.iter().any(|rel| rel == "ai-catalog");
    if !site.robots().rules.agentmaps.is_empty() {
        "robots.txt Agentmap"
    } else if site.home_links().iter().any(|link| has_link(&link.rels)) {
        "Link header"
    } else if site.page().is_some_and(|page| page.links("ai-catalog").next().is_some()) {
        "<link rel=ai-catalog>"
    } else {
        WELL_KNOWN
    }
}

/// What was found that a catalog would list: a name, a media type and an address.
fn entries(site: &SiteSnapshot) -> Vec<(&'static str, &'static str, Url)> {
    let mut found = Vec::new();
    let mut add = |name, media_type, response: Option<&Response>| {
        found.extend(response.map(|response| (name, media_type, response.url.clone())));
    };
    let card = mcp::card(site).valid().or_else(|| mcp::legacy_card(site));
    add("mcp", mcp::CARD_TYPE, card.map(|(_, response)| response));
    let agent = published::a2a_card(site, &Resource::AgentCard).valid();
    add("agent", "application/a2a-agent-card+json", agent.map(|(_, response)| response));
    let skills = published::skills(site, &Resource::AgentSkills).valid();
    add("skills", "application/json", skills.map(|(_, response)| response));
    let catalog = published::api_catalog(site).valid();
    add("api-catalog", "application/linkset+json", catalog.map(|(_, response)| response));
    let described = published::DESCRIPTIONS
        .iter()
        .find_map(|resource| published::openapi(site, resource).valid());
    add("api", "application/openapi+json", described.map(|(_, response)| response));
    add("ucp", "application/json", published::ucp(site).valid().map(|(_, response)| response));
    found
}

/// The catalog with what the scan found, and with one entry more: what there is stays. `None` if
/// there is nothing to list.
pub(super) fn catalog(
    site: &SiteSnapshot,
    more: Option<(&'static str, &str, &str)>,
) -> Option<Edit> {
    let domain = site.domain().as_str();
    let entry = |name: &str, media_type: &str, url: &str| {
        json!({
            "identifier": format!("urn:air:{domain}:{name}"),
            "displayName": format!("{domain} {name}"),
            "type": media_type,
            "url": url,
        })
    };
    let published = published::ai_catalog(site).valid();
    let mut document: Value = published
        .and_then(|(_, response)| serde_json::from_slice(&response.body).ok())
        .unwrap_or_else(|| {
            let found = entries(site);
            let found: Vec<Value> =
                found.iter().map(|(name, kind, url)| entry(name, kind, url.as_str())).collect();
            json!({ "specVersion": "1.0", "entries": found })
        });
    let entries = document.get_mut("entries").and_then(Value::as_array_mut)?;
    if let Some((name, media_type, url)) = more {
        entries.retain(|entry| entry.get("type").and_then(Value::as_str) != Some(media_type));
        entries.push(entry(name, media_type, url));
    }
    let is_empty = entries.is_empty();
    let own = site
        .exchange(&Resource::AiCatalog)
        .map(|exchange| &exchange.probe.url)
        .filter(|url| url.origin() == site.origin().origin());
    let path = own.map_or("/.well-known/ai-catalog.json", |url| url.path()).to_owned();
    (!is_empty).then(|| Edit::Document {
        path,
        media_type: MEDIA_TYPE.to_owned(),
        content: published::pretty(&document),
    })
}
