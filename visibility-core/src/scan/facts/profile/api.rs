//! Signs of something to call.
//!
//! The card of an MCP server does not count as one: it describes its tools itself, and a site with one may have no
//! REST API that a description could be written for.

use url::Url;

use crate::fetch::Resource;
use crate::scan::facts::error_document;
use crate::scan::facts::profile::{SurfaceReason, fold, has_words};
use crate::scan::facts::published;
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;

/// Host labels and path segments that name an API or its pages.
const SEGMENTS: [&str; 13] = [
    "api",
    "apis",
    "api-docs",
    "apidocs",
    "api-doc",
    "api-reference",
    "api-documentation",
    "api-dokumantasyonu",
    "developer",
    "developers",
    "gelistirici",
    "gelistiriciler",
    "swagger",
];

/// The first label of the host of an API.
const API_LABEL: &str = "api.";

/// Words of a link that lead to an API. The word `developer` alone does not: builders of houses
/// call themselves so.
const WORDS: [&str; 7] = [
    "api",
    "apis",
    "for developers",
    "developer docs",
    "developer portal",
    "geliştiriciler",
    "geliştirici portali",
];

/// All signs, strongest first.
pub(super) fn reasons(site: &SiteSnapshot) -> Vec<SurfaceReason> {
    let found = documents(site).into_iter().chain(service_link(site));
    found.chain(own_host(site)).chain(json_home(site)).chain(anchor(site)).collect()
}

/// The site itself is the host of an API.
fn own_host(site: &SiteSnapshot) -> Option<SurfaceReason> {
    let host = site.domain().as_str();
    let reason = SurfaceReason::new(Surface::Api, "own-api-host").with("host", host);
    host.starts_with(API_LABEL).then_some(reason)
}

/// A home page for programs: JSON, whatever its status, or an error in it (RFC 9457). An error with a status of success is what
/// any broken site sends.
fn json_home(site: &SiteSnapshot) -> Option<SurfaceReason> {
    let home = site.response(&Resource::Home)?;
    let media_type = home.media_type();
    let is_json = media_type == "application/json" || media_type.ends_with("+json");
    let is_api = is_json && error_document::find(home).is_none();
    is_api.then(|| SurfaceReason::new(Surface::Api, "json-home"))
}

fn documents(site: &SiteSnapshot) -> Vec<SurfaceReason> {
    let mut found = Vec::new();
    let url = |resource: &Resource| {
        site.response(resource).map(|response| response.url.to_string()).unwrap_or_default()
    };
    let descriptions = [Resource::OpenApi, Resource::OpenApiAlternative];
    if let Some(resource) = descriptions.iter().find(|r| published::openapi(site, r).is_valid()) {
        found.push(SurfaceReason::new(Surface::Api, "openapi").with("url", &url(resource)));
    }
    if published::api_catalog(site).is_valid() {
        let url = url(&Resource::ApiCatalog);
        found.push(SurfaceReason::new(Surface::Api, "api-catalog").with("url", &url));
    }
    found
}

/// A link of RFC 8631 in a header or in the page.
fn service_link(site: &SiteSnapshot) -> Option<SurfaceReason> {
    let is_service = |rel: &String| matches!(rel.as_str(), "service-desc" | "service-doc");
    let header = site.home_links().iter().map(|link| (&link.rels, link.target.as_str()));
    let element = site
        .page()
        .into_iter()
        .flat_map(|page| &page.links)
        .map(|link| (&link.rels, link.href.as_str()));
    header.chain(element).find_map(|(rels, target)| {
        let rel = rels.iter().find(|rel| is_service(rel))?;
        let reason = SurfaceReason::new(Surface::Api, "service-link");
        Some(reason.with("rel", rel).with("target", target))
    })
}

/// The first link of the home page to the site's own API or its pages.
fn anchor(site: &SiteSnapshot) -> Option<SurfaceReason> {
    let page = site.page()?;
    page.resolved_anchors(site.origin()).filter(|(_, url)| site.owns(url)).find_map(
        |(anchor, url)| {
            if is_api_host(&url) {
                let host = url.host_str().unwrap_or_default();
                return Some(SurfaceReason::new(Surface::Api, "api-host").with("host", host));
            }
            let named = names_an_api(&url) || has_words(&fold(&anchor.text), &WORDS);
            named.then(|| {
                let reason = SurfaceReason::new(Surface::Api, "api-anchor");
                reason.with("href", &anchor.href).with("text", &anchor.text)
            })
        },
    )
}

fn is_api_host(url: &Url) -> bool {
    url.host_str().is_some_and(|host| host.starts_with(API_LABEL))
}

/// Whether a host label or a path segment is one of the known ones.
fn names_an_api(url: &Url) -> bool {
    let label = url.host_str().and_then(|host| host.split('.').next()).unwrap_or_default();
    let mut segments = url.path().split('/').chain([label]);
    segments.any(|segment| {
        let segment = segment.split('.').next().unwrap_or_default();
        SEGMENTS.iter().any(|known| segment.eq_ignore_ascii_case(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_an_api_by_whole_segments() {
        let cases = [
            ("https://example.com/api", true),
            ("https://example.com/en/developers/start", true),
            ("https://developer.example.com/", true),
            ("https://example.com/swagger.html", true),
            ("https://example.com/capital", false),
            ("https://example.com/property-developers", false),
            ("https://rapid.example.com/", false),
        ];
        for (url, expected) in cases {
            assert_eq!(names_an_api(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
