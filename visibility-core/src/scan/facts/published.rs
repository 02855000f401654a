//! What a site publishes for agents, each document judged by its own standard.
//!
//! The plan, the profile and several checks ask for the same documents; they ask here.

pub(crate) mod endpoint;
pub(crate) mod mcp;
pub(crate) mod protection;

use serde_json::Value;
use url::Url;

use crate::documents::acp::AcpDiscovery;
use crate::documents::agent_card::AgentCard;
use crate::documents::agent_skills::{Skill, SkillIndex};
use crate::documents::ai_catalog::AiCatalog;
use crate::documents::api_catalog::ApiCatalog;
use crate::documents::api_description::ApiDescription;
use crate::documents::authorization_server::AuthorizationServer;
use crate::documents::mcp_card::McpCard;
use crate::documents::protected_resource::ProtectedResource;
use crate::documents::ucp::UcpProfile;
use crate::documents::x402::X402Manifest;
use crate::documents::{self, DocumentError};
use crate::fetch::{Resource, Response};
use crate::scan::facts::published::endpoint::EndpointState;
use crate::scan::request::is_askable;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::scan::surface::Surface;

/// What became of a document with a standard of its own.
#[derive(Debug)]
pub(crate) enum PublishedDocument<'a, T> {
    /// It is there, and it is what it should be.
    Valid(T, &'a Response),
    /// It is there, and it is not what it should be.
    Invalid(DocumentError, &'a Response),
    /// Its address leads to another site.
    OffSite(&'a Response),
    /// It is not there; an HTML page in its place is nothing, too.
    Absent,
    /// It may be there: the request was refused, failed or met a server error.
    Unreadable,
    /// The scan had no reason to ask.
    NotAsked,
}

impl<'a, T> PublishedDocument<'a, T> {
    fn read(
        site: &'a SiteSnapshot,
        resource: &Resource,
        parse: impl FnOnce(&[u8]) -> Result<T, Vec<DocumentError>>,
    ) -> Self {
        match site.document(resource) {
            DocumentState::Present(response) => match placeholder(resource, &response.body)
                .map_or_else(|| parse(&response.body), |problem| Err(vec![problem]))
            {
                Ok(document) => Self::Valid(document, response),
                Err(_) if answers_everything(site, resource) => Self::Absent,
                Err(problems) => problems
                    .into_iter()
                    .next()
                    .map_or(Self::Absent, |problem| Self::Invalid(problem, response)),
            },
            DocumentState::OffSite(response) => Self::OffSite(response),
            DocumentState::SoftMissing(_) | DocumentState::Missing(_) => Self::Absent,
            DocumentState::Refused(_) | DocumentState::Broken(_) | DocumentState::Failed(_) => {
                Self::Unreadable
            }
            DocumentState::NotAsked => Self::NotAsked,
        }
    }

    pub(crate) fn is_valid(&self) -> bool {
        matches!(self, Self::Valid(..))
    }

    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable)
    }

    /// The document, if it is valid.
    pub(crate) fn valid(self) -> Option<(T, &'a Response)> {
        match self {
            Self::Valid(document, response) => Some((document, response)),
            _ => None,
        }
    }
}

/// The problem of a card that was pasted before its placeholders were filled. A description of an API
/// may well have such a text as an example.
fn placeholder(resource: &Resource, body: &[u8]) -> Option<DocumentError> {
    let is_description = DESCRIPTIONS.contains(resource);
    (!is_description).then(|| documents::unfilled(body)).flatten()
}

/// Whether a path of the same kind that cannot exist answers 200: then a document that is not what
/// it should be is the site's way to say that the document does not exist. HTML for the same `Accept` is another
/// answer than the document, which is not HTML.
fn answers_everything(site: &SiteSnapshot, resource: &Resource) -> bool {
    let Some(asked) = site.exchange(resource) else { return false };
    let is_well_known = asked.probe.url.path().starts_with("/.well-known/");
    let missing = if is_well_known { Resource::MissingWellKnown } else { Resource::MissingPath };
    site.exchange(&missing).is_some_and(|missing| {
        let same_accept = missing.probe.accept == asked.probe.accept;
        missing.result.as_ref().is_ok_and(|response| {
            response.status == 200 && !(same_accept && response.starts_with_tag())
        })
    })
}

pub(crate) fn ai_catalog(site: &SiteSnapshot) -> PublishedDocument<'_, AiCatalog> {
    PublishedDocument::read(site, &Resource::AiCatalog, AiCatalog::parse)
}

pub(crate) fn api_catalog(site: &SiteSnapshot) -> PublishedDocument<'_, ApiCatalog> {
    PublishedDocument::read(site, &Resource::ApiCatalog, ApiCatalog::parse)
}

pub(crate) fn openapi<'a>(
    site: &'a SiteSnapshot,
    resource: &Resource,
) -> PublishedDocument<'a, &'a ApiDescription> {
    PublishedDocument::read(site, resource, |_| match site.description(resource) {
        Some(Ok(description)) => Ok(description),
        Some(Err(problems)) => Err(problems.clone()),
        None => Err(Vec::new()),
    })
}

pub(crate) fn mcp_card<'a>(
    site: &'a SiteSnapshot,
    resource: &Resource,
) -> PublishedDocument<'a, McpCard> {
    PublishedDocument::read(site, resource, McpCard::parse)
}

pub(crate) fn a2a_card<'a>(
    site: &'a SiteSnapshot,
    resource: &Resource,
) -> PublishedDocument<'a, AgentCard> {
    PublishedDocument::read(site, resource, AgentCard::parse)
}

pub(crate) fn skills<'a>(
    site: &'a SiteSnapshot,
    resource: &Resource,
) -> PublishedDocument<'a, SkillIndex> {
    PublishedDocument::read(site, resource, SkillIndex::parse)
}

pub(crate) fn protected_resource<'a>(
    site: &'a SiteSnapshot,
    resource: &Resource,
) -> PublishedDocument<'a, ProtectedResource> {
    PublishedDocument::read(site, resource, ProtectedResource::parse)
}

pub(crate) fn authorization_server<'a>(
    site: &'a SiteSnapshot,
    resource: &Resource,
) -> PublishedDocument<'a, AuthorizationServer> {
    PublishedDocument::read(site, resource, AuthorizationServer::parse)
}

pub(crate) fn ucp(site: &SiteSnapshot) -> PublishedDocument<'_, UcpProfile> {
    PublishedDocument::read(site, &Resource::Ucp, UcpProfile::parse)
}

pub(crate) fn acp(site: &SiteSnapshot) -> PublishedDocument<'_, AcpDiscovery> {
    PublishedDocument::read(site, &Resource::Acp, AcpDiscovery::parse)
}

pub(crate) fn x402(site: &SiteSnapshot) -> PublishedDocument<'_, X402Manifest> {
    PublishedDocument::read(site, &Resource::X402, X402Manifest::parse)
}

/// The endpoint that the A2A card prefers.
pub(crate) fn a2a_endpoint(site: &SiteSnapshot) -> Option<Url> {
    let cards = [Resource::AgentCard, Resource::LegacyAgentCard];
    cards.iter().find_map(|place| {
        let (card, response) = a2a_card(site, place).valid()?;
        card.interfaces.iter().find_map(|interface| web_url(&response.url, &interface.url))
    })
}

/// The endpoint that the UCP profile names first.
pub(crate) fn ucp_endpoint(site: &SiteSnapshot) -> Option<Url> {
    let (profile, response) = ucp(site).valid()?;
    let named = profile.services.iter().filter(|service| !service.endpoint.is_empty());
    named.into_iter().find_map(|service| web_url(&response.url, &service.endpoint))
}

/// The base address of the API that the ACP document names.
pub(crate) fn acp_endpoint(site: &SiteSnapshot) -> Option<Url> {
    let (document, response) = acp(site).valid()?;
    web_url(&response.url, &document.api_base_url)
}

/// The first resource for sale that the x402 manifest names.
pub(crate) fn x402_endpoint(site: &SiteSnapshot) -> Option<Url> {
    let (manifest, response) = x402(site).valid()?;
    manifest.resources.iter().find_map(|resource| web_url(&response.url, resource))
}

/// Places of a description of the site's API.
pub(crate) const DESCRIPTIONS: [Resource; 3] =
    [Resource::OpenApi, Resource::OpenApiAlternative, Resource::OpenApiWellKnown];

/// The descriptions that the API catalog names, in its order.
pub(crate) fn described_by_catalog(site: &SiteSnapshot) -> Vec<Url> {
    let Some((catalog, response)) = api_catalog(site).valid() else { return Vec::new() };
    let named = catalog.descriptions.iter();
    named.filter_map(|link| web_url(&response.url, &link.href)).collect()
}

/// The skill that is compared with its digest, and where it is: a single file rather than an
/// archive, which may be longer than what is read.
pub(crate) fn artifact_of_skills(site: &SiteSnapshot) -> Option<(Skill, Url)> {
    let (index, response) = skills(site, &Resource::AgentSkills).valid()?;
    let (files, archives): (Vec<_>, Vec<_>) =
        index.skills.into_iter().partition(|skill| skill.kind == "skill-md");
    files.into_iter().chain(archives).find_map(|skill| {
        let url = web_url(&response.url, &skill.url)?;
        Some((skill, url))
    })
}

/// Whether the scan asked for an address, and there is nothing that its standard accepts, or nothing behind it.
pub(crate) fn is_known_bad(site: &SiteSnapshot, url: &Url) -> bool {
    fn bad<T>(document: &PublishedDocument<'_, T>) -> bool {
        use PublishedDocument::{Absent, Invalid, OffSite};
        matches!(document, Invalid(..) | OffSite(_) | Absent)
    }
    let is_dead = |endpoint: Option<Url>| {
        matches!(EndpointState::check(site, endpoint.as_ref()), EndpointState::Dead(_))
    };
    let asked = site.exchanges().filter(|exchange| exchange.probe.url == *url);
    let mut verdicts = asked.map(|exchange| match &exchange.probe.resource {
        resource @ (Resource::McpCard | Resource::McpLegacyCard | Resource::LegacyMcpManifest) => {
            bad(&mcp_card(site, resource)) || is_dead(mcp::endpoint(site))
        }
        resource @ (Resource::AgentCard | Resource::LegacyAgentCard) => {
            bad(&a2a_card(site, resource)) || is_dead(a2a_endpoint(site))
        }
        resource @ (Resource::AgentSkills | Resource::LegacySkills) => bad(&skills(site, resource)),
        resource if DESCRIPTIONS.contains(resource) => bad(&openapi(site, resource)),
        Resource::ApiCatalog => bad(&api_catalog(site)),
        Resource::Ucp => bad(&ucp(site)) || is_dead(ucp_endpoint(site)),
        Resource::Acp => bad(&acp(site)) || is_dead(acp_endpoint(site)),
        Resource::X402 => bad(&x402(site)) || is_dead(x402_endpoint(site)),
        resource => matches!(
            site.document(resource),
            DocumentState::Missing(_) | DocumentState::SoftMissing(_) | DocumentState::OffSite(_)
        ),
    });
    verdicts.next().is_some_and(|first| first && verdicts.all(|bad| bad))
}

/// A reference in a document as a URL that can be asked; `None` if a client has to fill it first.
pub(crate) fn web_url(base: &Url, reference: &str) -> Option<Url> {
    let reference = reference.trim();
    let url = base.join(reference).ok().filter(|_| !reference.contains(['{', '}']))?;
    is_askable(&url).then_some(url)
}

/// Whether an unreadable document is worth an `unknown`: the site has a surface that wants it, or
/// nothing is known about its surfaces.
pub(crate) fn is_missed(site: &SiteSnapshot, surfaces: &[Surface]) -> bool {
    site.page().is_none() || site.profile().has_any(surfaces)
}

/// Host of a response, for reports.
pub(crate) fn host(response: &Response) -> &str {
    response.url.host_str().unwrap_or_default()
}

/// JSON to paste.
pub(crate) fn pretty(value: &Value) -> String {
    format!("{value:#}")
}
