//! The third and the fourth wave: probes that depend on earlier responses.
//!
//! The order is the order of worth: what decides a verdict of much weight comes first, and what
//! only adds a remark comes last. A site that has everything runs out of budget at the end.

mod agents;
mod identity;
mod inner;

use url::Url;

use crate::documents::sitemap::Sitemap;
use crate::fetch::{BodyEnd, Probe, Resource};
use crate::scan::elsewhere;
use crate::scan::facts::alternate;
use crate::scan::facts::llms_txt::{self, LLMS_TXT_LINKS};
use crate::scan::facts::published;
use crate::scan::plan::ACCEPT_JSON;
use crate::scan::request::{ScanRequest, at, is_askable};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;

/// What is still worth asking, most telling first; the caller cuts the list to its budget.
pub(super) fn probes(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    let mut probes: Vec<Probe> = Vec::new();
    // Do both names lead to one host?
    let is_asked = site.exchange(&Resource::OtherHost).is_some();
    probes.extend(other_host(request, site).filter(|_| !is_asked).map(Probe::stopping));
    probes.extend(identity::authorization_server(request, site));
    let sitemap = sitemap(site, &Resource::Sitemap);
    probes.extend(inner::probes(request, site, sitemap.as_ref()));
    probes.extend(sitemap_child(request, site, sitemap.as_ref()));
    probes.extend(markdown_alternate(request, site));
    probes.extend(agents::a2a_endpoint(request, site));
    probes.extend(agents::mcp_card(request, site));
    probes.extend(agents::mcp_endpoint(request, site));
    probes.extend(agents::skill_artifact(request, site));
    probes.extend(api_description(request, site));
    probes.extend(commerce(request, site));
    probes.extend(license(request, site));
    probes.extend(llms_txt_links(request, site));
    probes.extend(markdown_file(request, site));
    probes.extend(identity::auth_md(request, site));
    probes.extend(agents::legacy_places(request, site));
    probes.extend(api_description_well_known(request, site));
    probes.retain(|probe| !was_asked(site, &probe.url) || probe.resource == Resource::OtherHost);
    probes
}

/// What the third wave made known: endpoints, the protection of one, and pages.
pub(super) fn last_probes(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    let mut probes: Vec<Probe> = Vec::new();
    probes.extend(agents::endpoint_of_card(request, site));
    probes.extend(identity::endpoint_resource(request, site));
    probes.extend(agents::a2a_endpoint(request, site));
    probes.extend(commerce_endpoints(request, site));
    probes.extend(identity::authorization_server(request, site));
    if site.exchange(&Resource::InnerPage(1)).is_none() {
        let child = sitemap(site, &Resource::SitemapChild);
        probes.extend(inner::probes(request, site, child.as_ref()));
    }
    probes.retain(|probe| site.exchange(&probe.resource).is_none() && !was_asked(site, &probe.url));
    probes
}

/// How many probes a wave will be followed by: the endpoints that documents name, and the metadata of
/// one.
pub(super) fn followers(site: &SiteSnapshot, probes: &[Probe]) -> usize {
    let asks = |resource| probes.iter().any(|probe| probe.resource == resource);
    let endpoint = asks(Resource::McpEndpoint);
    let card = asks(Resource::McpCard);
    let metadata = published::protected_resource(site, &Resource::ProtectedResource);
    let sold = [Resource::Ucp, Resource::Acp, Resource::X402];
    usize::from(card && !endpoint)
        + usize::from((card || endpoint) && !metadata.is_valid())
        + usize::from(sold.into_iter().any(asks))
}

/// `www.` of an apex, and the apex of `www.`.
pub(super) fn other_host(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    if site.is_loopback() {
        return None;
    }
    let other = elsewhere::other_name(site.domain())?;
    let url = Url::parse(&format!("https://{other}/")).ok()?;
    Some(request.probe(Resource::OtherHost, url))
}

/// The first sitemap of an index.
fn sitemap_child(
    request: &ScanRequest,
    site: &SiteSnapshot,
    sitemap: Option<&Sitemap>,
) -> Option<Probe> {
    let response = site.response(&Resource::Sitemap)?;
    let index = sitemap.filter(|sitemap| sitemap.is_index)?;
    let child = published::web_url(&response.url, &index.entries.first()?.loc)?;
    Some(request.probe(Resource::SitemapChild, child))
}

/// A sitemap that was found.
fn sitemap(site: &SiteSnapshot, resource: &Resource) -> Option<Sitemap> {
    let response = site.response(resource).filter(|response| response.status == 200)?;
    Sitemap::parse(&response.body, response.body_end != BodyEnd::Complete).ok()
}

/// The description that the API catalog names, or the second usual place.
fn api_description(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let named = published::described_by_catalog(site).into_iter().next();
    let url = match named {
        Some(url) => url,
        None if !misses_description(site) => return None,
        None => {
            let yaml = at(site.origin(), "/openapi.yaml");
            let json = at(site.origin(), "/openapi.json");
            if was_asked(site, &json) { yaml } else { json }
        }
    };
    Some(request.probe(Resource::OpenApiAlternative, url))
}

fn api_description_well_known(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let url = at(site.origin(), "/.well-known/openapi.json");
    let wanted = misses_description(site) && published::described_by_catalog(site).is_empty();
    wanted.then(|| request.probe(Resource::OpenApiWellKnown, url))
}

/// Whether there should be a description of an API, and none was found yet.
fn misses_description(site: &SiteSnapshot) -> bool {
    site.profile().has(Surface::Api) && !published::openapi(site, &Resource::OpenApi).is_valid()
}

/// Profiles of agentic commerce: for a shop first those of shops, for an API first x402.
fn commerce(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    let probe =
        |resource, path| request.probe(resource, at(site.origin(), path)).accepting(ACCEPT_JSON);
    let shop =
        [probe(Resource::Ucp, "/.well-known/ucp"), probe(Resource::Acp, "/.well-known/acp.json")];
    let paid = [probe(Resource::X402, "/.well-known/x402")];
    if site.profile().has(Surface::Commerce) {
        shop.into_iter().chain(paid).collect()
    } else if site.profile().has(Surface::Api) {
        paid.into_iter().chain(shop).collect()
    } else {
        Vec::new()
    }
}

/// The endpoints that the profiles of agentic commerce name.
fn commerce_endpoints(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    let named = [
        (Resource::UcpEndpoint, published::ucp_endpoint(site)),
        (Resource::AcpEndpoint, published::acp_endpoint(site)),
        (Resource::X402Endpoint, published::x402_endpoint(site)),
    ];
    named
        .into_iter()
        .filter_map(|(resource, url)| Some(request.probe(resource, url?).accepting(ACCEPT_JSON)))
        .collect()
}

/// The RSL license that robots.txt, a `Link` header or a `<link>` names.
fn license(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    const MEDIA_TYPE: &str = "application/rsl+xml";
    let home = site.home()?;
    let robots = site.robots().rules.licenses.iter().map(|record| record.value.as_str());
    let header = site.home_links().iter().filter(|link| {
        link.media_type.as_deref() == Some(MEDIA_TYPE) && link.rels.iter().any(|r| r == "license")
    });
    let element = site
        .page()
        .into_iter()
        .flat_map(|page| page.links("license"))
        .filter(|link| link.media_type.as_deref() == Some(MEDIA_TYPE));
    let mut named = robots
        .chain(header.map(|link| link.target.as_str()))
        .chain(element.map(|link| link.href.as_str()));
    let url = home.url.join(named.next()?.trim()).ok()?;
    is_askable(&url).then(|| request.probe(Resource::License, url))
}

/// The Markdown version that the page names; a linked `.md` file only if none was negotiated.
fn markdown_alternate(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let is_negotiated =
        site.response(&Resource::HomeMarkdown).is_some_and(alternate::is_typed_markdown);
    let linked = if is_negotiated { Vec::new() } else { alternate::linked(site) };
    let is_home = |url: &Url| site.home().is_some_and(|home| home.url == *url);
    let mut urls = alternate::advertised(site).into_iter().chain(linked);
    let url = urls.find(|url| !is_home(url))?;
    Some(request.probe(Resource::MarkdownAlternate, url))
}

/// The file that a fix would write the home page to in Markdown: one that is there is not to be replaced.
fn markdown_file(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let is_negotiated =
        site.response(&Resource::HomeMarkdown).is_some_and(alternate::is_typed_markdown);
    let url = site.origin().join(alternate::HOME_FILE).ok()?;
    let is_offered = is_negotiated || !alternate::advertised(site).is_empty();
    let is_due = site.page().is_some() && !is_offered && !was_asked(site, &url);
    is_due.then(|| request.probe(Resource::MarkdownFile, url))
}

/// Pages that llms.txt links to. One that was requested before is not requested again.
fn llms_txt_links(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    let chosen = llms_txt::sample(llms_txt::targets(site)).into_iter();
    let numbered = chosen.zip(LLMS_TXT_LINKS);
    numbered.map(|(url, resource)| request.probe(resource, url)).collect()
}

/// Whether this address was asked before, whatever for.
fn was_asked(site: &SiteSnapshot, url: &Url) -> bool {
    site.exchanges().any(|exchange| exchange.probe.url == *url)
}
