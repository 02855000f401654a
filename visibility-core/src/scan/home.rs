//! Decides whether a site has a home page to evaluate.

use crate::fetch::{FetchError, Resource, Response};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;

/// The check that fails because no request brought a home page that could be read; `None` if one did,
/// or if the site refuses us, which has caps of its own.
///
/// An API may answer 404 or 410 there.
pub(super) fn unreadable(site: &SiteSnapshot) -> Option<&'static str> {
    if pages(site).any(|response| is_page(site, response)) {
        return None;
    }
    match site.fetch_result(&Resource::Home)? {
        Err(FetchError::Deadline | FetchError::NotRecorded | FetchError::Skipped { .. }) => None,
        Ok(home) if site.refuses(home) => None,
        Ok(home) if matches!(home.status, 404 | 410) && site.profile().has(Surface::Api) => None,
        Ok(home) if home.is_success() && home.is_blank() && is_described_api(site) => None,
        Ok(home) if home.is_success() && home.body_end.is_broken_off() => Some("response-budget"),
        Ok(home) if home.is_success() => Some("content-without-js"),
        Ok(_) | Err(_) => Some("https-and-redirects"),
    }
}

/// Whether the site is an API with a description that can be read: what it is for is written there.
pub(super) fn is_described_api(site: &SiteSnapshot) -> bool {
    let descriptions =
        [Resource::OpenApi, Resource::OpenApiAlternative, Resource::OpenApiWellKnown];
    site.profile().has(Surface::Api)
        && descriptions.iter().filter_map(|resource| site.description(resource)).any(Result::is_ok)
}

/// Whether the home page is one of an API, which has none for people: JSON, or no page at all.
pub(super) fn is_for_programs(site: &SiteSnapshot) -> bool {
    let is_api = || site.profile().has(Surface::Api);
    let has_page = || {
        pages(site)
            .any(|response| is_page(site, response) && response.media_type().ends_with("html"))
    };
    site.response(&Resource::Home).is_some_and(|home| {
        let is_json = home.is_success() && home.media_type().ends_with("json");
        let is_silent = || home.is_success() && home.is_blank() && is_described_api(site);
        (is_json || matches!(home.status, 404 | 410) || is_silent())
            && site.challenge(home).is_none()
            && is_api()
            && !has_page()
    })
}

/// What the requests for the home page brought, in whatever name.
fn pages(site: &SiteSnapshot) -> impl Iterator<Item = &Response> {
    let is_home = |resource: &Resource| {
        matches!(
            resource,
            Resource::Home
                | Resource::HttpHome
                | Resource::HomeAsBrowser
                | Resource::HomeAsAgent(_)
        )
    };
    let answers = site.exchanges().filter(move |exchange| is_home(&exchange.probe.resource));
    answers.filter_map(|exchange| exchange.result.as_ref().ok())
}

fn is_page(site: &SiteSnapshot, response: &Response) -> bool {
    response.is_success() && !response.is_blank() && site.challenge(response).is_none()
}
