//! Probes for MCP, A2A and skills.

use url::Url;

use crate::fetch::{Probe, Resource};
use crate::scan::facts::published::{self, mcp};
use crate::scan::plan::ACCEPT_JSON;
use crate::scan::request::{ScanRequest, at};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;

/// What an endpoint answers to a `GET` without opening a stream of events.
const ACCEPT_NO_STREAM: &str = "application/json";

/// The card that the AI catalog names, else the place beside the endpoint that the MCP
/// specification reserves.
pub(super) fn mcp_card(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let url = mcp::named_by_catalog(site)
        .or_else(|| mcp::endpoint(site).map(|endpoint| mcp::beside_endpoint(&endpoint)))?;
    Some(request.probe(Resource::McpCard, url).accepting(ACCEPT_JSON))
}

/// The endpoint, if the documents so far name it.
pub(super) fn mcp_endpoint(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    Some(endpoint_probe(request, mcp::endpoint(site)?))
}

/// The endpoint, if only the card named it.
pub(super) fn endpoint_of_card(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let wanted = site.exchange(&Resource::McpEndpoint).is_none();
    mcp_endpoint(request, site).filter(|_| wanted)
}

fn endpoint_probe(request: &ScanRequest, url: Url) -> Probe {
    request.probe(Resource::McpEndpoint, url).accepting(ACCEPT_NO_STREAM)
}

/// The endpoint that the A2A card names.
pub(super) fn a2a_endpoint(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let url = published::a2a_endpoint(site)?;
    Some(request.probe(Resource::A2aEndpoint, url).accepting(ACCEPT_NO_STREAM))
}

/// One skill to compare with its digest: a single file rather than an archive.
pub(super) fn skill_artifact(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let (_, url) = published::artifact_of_skills(site)?;
    Some(request.probe(Resource::SkillArtifact, url))
}

/// Older places of documents that are not where they should be, for sites that should have them.
pub(super) fn legacy_places(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    if !site.profile().has_any(&[Surface::Api, Surface::App, Surface::Commerce]) {
        return Vec::new();
    }
    let a2a = published::a2a_card(site, &Resource::AgentCard).is_valid();
    let mcp = mcp::endpoint(site).is_some() || mcp::named_by_catalog(site).is_some();
    let skills = published::skills(site, &Resource::AgentSkills).is_valid();
    let places = [
        (!a2a, Resource::LegacyAgentCard, "/.well-known/agent.json"),
        (!mcp, Resource::LegacyMcpManifest, "/.well-known/mcp.json"),
        (!skills, Resource::LegacySkills, "/.well-known/skills/index.json"),
    ];
    let wanted = places.into_iter().filter(|(wanted, _, _)| *wanted);
    wanted
        .map(|(_, resource, path)| {
            request.probe(resource, at(site.origin(), path)).accepting(ACCEPT_JSON)
        })
        .collect()
}
