//! Plans the requests of a scan, in waves: a later wave depends on responses to an earlier one.
//!
//! Everything is a `GET`. The first wave has 3 probes, the second 19, and the third at most as many
//! as fit into [`MAX_CONDITIONAL_PROBES`], of which it leaves some to a small fourth one; together
//! never more than [`MAX_PROBES`](crate::limits::MAX_PROBES).

mod conditional;

use url::Url;

use crate::agents::Registry;
use crate::fetch::challenge;
use crate::fetch::{FetchError, Probe, Redirects, Resource, Response, SkipReason};
use crate::limits::{MAX_CONDITIONAL_PROBES, MAX_REDIRECTS};
use crate::scan::home;
use crate::scan::request::{AgentProbes, ScanRequest, at, is_askable};
use crate::scan::snapshot::SiteSnapshot;

/// The agents in whose names the home page is asked for.
pub const PROBED_AGENTS: [&str; 5] = [
    "openai-oai-searchbot",
    "openai-chatgpt-user",
    "anthropic-claude-user",
    "perplexity-perplexitybot",
    "openai-gptbot",
];

/// The control of the bot-wall check: a current desktop browser.
const BROWSER_USER_AGENT: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
     Chrome/142.0.0.0 Safari/537.36";

const ACCEPT_HTML: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
const ACCEPT_JSON: &str = "application/json,*/*;q=0.5";
const ACCEPT_MARKDOWN: &str = "text/markdown, text/html;q=0.5, */*;q=0.1";

impl Probe {
    fn accepting(mut self, accept: &str) -> Self {
        accept.clone_into(&mut self.accept);
        self
    }

    fn stopping(mut self) -> Self {
        self.redirects = Redirects::Stop;
        self
    }

    fn named(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }
}

/// A probe of the plan, or the reason why it is not sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Planned {
    /// To be sent.
    Send(Probe),
    /// Not to be sent; recorded as an answer.
    Skip(Probe, SkipReason),
}

/// The first wave: the home page over HTTPS and over HTTP, and robots.txt. A site with an origin of its
/// own has one home page.
pub fn first(request: &ScanRequest) -> Vec<Planned> {
    let root = request.root();
    let robots = at(&root, "/robots.txt");
    let http = request.origin.is_none().then(|| request.domain.http_root());
    let http = http.map(|http| request.probe(Resource::HttpHome, http));
    let home = request.probe(Resource::Home, root).accepting(ACCEPT_HTML);
    std::iter::once(home)
        .chain(http.map(|probe| probe.accepting(ACCEPT_HTML).stopping()))
        .chain([request.probe(Resource::RobotsTxt, robots)])
        .map(Planned::Send)
        .collect()
}

/// The page to which the home page leads its visitors at once by a meta refresh, as crawlers follow it: within the
/// domain, and like a redirect.
pub fn refreshed(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let home = site.response(&Resource::Home)?;
    let (delay, target) = site.page()?.meta_refresh()?;
    let target = home.url.join(&target?).ok()?;
    let leads_on = delay == 0 && target != home.url && home.hops.len() < MAX_REDIRECTS;
    let is_own = site.owns(&target) && is_askable(&target);
    (leads_on && is_own).then(|| request.probe(Resource::Home, target).accepting(ACCEPT_HTML))
}

/// The browser's request for a home page that may be one for everyone but us: it answered with a status that says to come
/// back, or the connection broke.
pub fn doubted(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let may_be_wall = match site.fetch_result(&Resource::Home)? {
        Ok(home) => {
            matches!(home.status, 429 | 500..)
                && challenge::marker(home).is_none()
                && !is_to_wait(home)
        }
        Err(FetchError::Protocol { .. }) => site.home().is_none(),
        Err(_) => false,
    };
    (may_be_wall && request.agent_probes == AgentProbes::On).then(|| browser(request, site))
}

/// Whether a response names a time to come back that was not waited for: then nothing is known yet.
fn is_to_wait(response: &Response) -> bool {
    response.status == 429 && response.headers.first("retry-after").is_some()
}

/// The other name of the domain, when the one that was asked for leads to no page: the site may be there.
pub fn other_name(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Planned> {
    let is_forbidden =
        matches!(site.fetch_result(&Resource::Home), Some(Err(FetchError::Denied { .. })));
    if is_forbidden || home::unreadable(site).is_none() {
        return Vec::new();
    }
    let probe = conditional::other_host(request, site).map(|probe| probe.accepting(ACCEPT_HTML));
    probe.into_iter().map(Planned::Send).collect()
}

/// robots.txt of the host that the home page led to, when the first wave did not bring that very
/// file. A wave of its own: everything after it obeys this file.
pub fn final_robots(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Planned> {
    let url = at(site.origin(), "/robots.txt");
    let is_own = site.origin().origin() == request.root().origin();
    let is_read = site.response(&Resource::RobotsTxt).is_some_and(|response| response.url == url);
    if site.home().is_none() || is_own || is_read {
        return Vec::new();
    }
    vec![Planned::Send(request.probe(Resource::FinalRobotsTxt, url))]
}

/// The second wave, on the host that the home page led to. Empty if there is no home page, and only in the names of agents if
/// there is one for a browser.
pub fn second(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Planned> {
    if site.home().is_none() {
        let is_walled = site.response(&Resource::HomeAsBrowser).is_some();
        return if is_walled { names(request, site) } else { Vec::new() };
    }
    let documents = documents(request, site).into_iter();
    let mut planned: Vec<Planned> = documents.map(|probe| obeying(request, site, probe)).collect();
    planned.extend(names(request, site));
    planned
}

/// The third wave: what depends on the answers so far, most telling first, within the budget.
pub fn third(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Planned> {
    if site.home().is_none() {
        return Vec::new();
    }
    let mut probes = conditional::probes(request, site);
    let budget = budget(site);
    probes.truncate(budget);
    probes.truncate(budget.saturating_sub(conditional::followers(site, &probes)));
    probes.into_iter().map(|probe| obeying(request, site, probe)).collect()
}

/// The fourth wave: what only a document of the third one names, within the rest of the budget.
pub fn fourth(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Planned> {
    let mut probes = conditional::last_probes(request, site);
    probes.truncate(budget(site));
    probes.into_iter().map(|probe| obeying(request, site, probe)).collect()
}

/// Conditional probes that may still be planned.
fn budget(site: &SiteSnapshot) -> usize {
    let resources = site.exchanges().map(|exchange| &exchange.probe.resource);
    let planned = resources.filter(|resource| is_conditional(resource)).count();
    MAX_CONDITIONAL_PROBES.saturating_sub(planned)
}

/// Whether a resource is asked for only when something asks for it.
pub(crate) fn is_conditional(resource: &Resource) -> bool {
    matches!(
        resource,
        Resource::FinalRobotsTxt
            | Resource::LlmsTxtLink(_)
            | Resource::SitemapChild
            | Resource::OpenApiAlternative
            | Resource::OpenApiWellKnown
            | Resource::McpCard
            | Resource::McpEndpoint
            | Resource::A2aEndpoint
            | Resource::SkillArtifact
            | Resource::LegacyAgentCard
            | Resource::LegacyMcpManifest
            | Resource::LegacySkills
            | Resource::EndpointProtectedResource
            | Resource::OpenIdConfiguration
            | Resource::NamedAuthorizationServer
            | Resource::AuthMd
            | Resource::Ucp
            | Resource::Acp
            | Resource::X402
            | Resource::UcpEndpoint
            | Resource::AcpEndpoint
            | Resource::X402Endpoint
            | Resource::License
            | Resource::OtherHost
            | Resource::MarkdownAlternate
            | Resource::MarkdownFile
            | Resource::InnerPage(_)
    )
}

fn documents(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    let origin = site.origin();
    let nonce = request.nonce;
    let missing = format!("/x-{nonce:016x}");
    let missing_well_known = format!("/.well-known/{nonce:016x}.json");
    let sitemap = site
        .robots()
        .rules
        .sitemaps
        .first()
        .and_then(|record| origin.join(&record.value).ok())
        .filter(is_askable);
    let probe = |resource, path: &str| request.probe(resource, at(origin, path));
    let json = |resource, path: &str| probe(resource, path).accepting(ACCEPT_JSON);
    vec![
        probe(Resource::MissingPath, &missing),
        probe(Resource::MissingWellKnown, &missing_well_known),
        request.probe(Resource::HomeMarkdown, home_url(site)).accepting(ACCEPT_MARKDOWN),
        probe(Resource::LlmsTxt, "/llms.txt"),
        request.probe(Resource::Sitemap, sitemap.unwrap_or_else(|| at(origin, "/sitemap.xml"))),
        request.probe(Resource::AiCatalog, ai_catalog_url(site)).accepting(ACCEPT_JSON),
        json(Resource::ApiCatalog, "/.well-known/api-catalog"),
        json(Resource::McpLegacyCard, "/.well-known/mcp/server-card.json"),
        json(Resource::AgentCard, "/.well-known/agent-card.json"),
        json(Resource::AgentSkills, "/.well-known/agent-skills/index.json"),
        json(Resource::ProtectedResource, "/.well-known/oauth-protected-resource"),
        json(Resource::AuthorizationServer, "/.well-known/oauth-authorization-server"),
        request.probe(Resource::OpenApi, api_description_url(site)),
    ]
}

/// The home page in other names: a browser and five agents.
fn names(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Planned> {
    let home = home_url(site);
    let named = |resource, user_agent: String| {
        request.probe(resource, home.clone()).accepting(ACCEPT_HTML).named(user_agent)
    };
    let agents: Vec<_> = PROBED_AGENTS
        .iter()
        .filter_map(|id| Registry::embedded().find(id))
        .map(|agent| {
            let probe =
                named(Resource::HomeAsAgent(agent.id.clone()), request.agent_user_agent(agent));
            (probe, site.robots().decide(&agent.robots_tokens(), home.as_str()))
        })
        .collect();
    let mut planned = Vec::new();
    match request.agent_probes {
        AgentProbes::Off => {
            planned.push(Planned::Skip(browser(request, site), SkipReason::SwitchedOff));
            let skipped = agents.into_iter().map(|(probe, _)| probe);
            planned.extend(skipped.map(|probe| Planned::Skip(probe, SkipReason::SwitchedOff)));
        }
        AgentProbes::On => {
            if site.exchange(&Resource::HomeAsBrowser).is_none() {
                planned.push(Planned::Send(browser(request, site)));
            }
            planned.extend(agents.into_iter().map(|(probe, decision)| match decision {
                Some(decision) if !decision.allowed => {
                    Planned::Skip(probe, SkipReason::RobotsAgentToken)
                }
                _ => Planned::Send(probe),
            }));
        }
    }
    planned
}

fn browser(request: &ScanRequest, site: &SiteSnapshot) -> Probe {
    let probe = request.probe(Resource::HomeAsBrowser, home_url(site));
    probe.accepting(ACCEPT_HTML).named(BROWSER_USER_AGENT)
}

/// Our own token is obeyed for everything but `/robots.txt` and `/`.
fn obeying(request: &ScanRequest, site: &SiteSnapshot, probe: Probe) -> Planned {
    let exempt = matches!(probe.url.path(), "/" | "/robots.txt");
    let rules = &site.robots().rules;
    if !exempt && rules.disallows_by_name(request.product_token(), probe.url.as_str()) {
        Planned::Skip(probe, SkipReason::RobotsOwnToken)
    } else {
        Planned::Send(probe)
    }
}

/// The address of the home page after redirects.
fn home_url(site: &SiteSnapshot) -> Url {
    site.home().map_or_else(|| site.origin().clone(), |home| home.url.clone())
}

/// Where the site says that its AI catalog is: robots.txt, `Link` header, `<link>`, else well-known.
fn ai_catalog_url(site: &SiteSnapshot) -> Url {
    let robots = site.robots().rules.agentmaps.iter().map(|record| record.value.as_str());
    let header =
        site.home_links().iter().filter(|link| link.rels.iter().any(|r| r == "ai-catalog"));
    let element = site.page().into_iter().flat_map(|page| page.links("ai-catalog"));
    let named =
        robots.chain(header.map(|l| l.target.as_str())).chain(element.map(|l| l.href.as_str()));
    own_url(site, named).unwrap_or_else(|| at(site.origin(), "/.well-known/ai-catalog.json"))
}

/// Where the site says that its API description is, else `/openapi.json`.
fn api_description_url(site: &SiteSnapshot) -> Url {
    let header =
        site.home_links().iter().filter(|link| link.rels.iter().any(|r| r == "service-desc"));
    let element = site.page().into_iter().flat_map(|page| page.links("service-desc"));
    let named = header.map(|l| l.target.as_str()).chain(element.map(|l| l.href.as_str()));
    own_url(site, named).unwrap_or_else(|| at(site.origin(), "/openapi.json"))
}

/// The first of these references that can be asked.
fn own_url<'a>(site: &SiteSnapshot, references: impl Iterator<Item = &'a str>) -> Option<Url> {
    let home = home_url(site);
    let mut urls = references.filter_map(|reference| home.join(reference.trim()).ok());
    urls.find(is_askable)
}
