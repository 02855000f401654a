//! The visit of a page: its address, robots.txt of its host and the sitemap, at most three requests.

mod sitemaps;

use futures_util::future::join;
use url::Url;

pub use self::sitemaps::{SitemapFetcher, SitemapResult, Sitemaps};

use crate::audit::address;
use crate::audit::request::AuditRequest;
use crate::audit::snapshot::{AuditTarget, PageSnapshot, SitemapState};
use crate::documents::robots::{RobotsFile, own_token};
use crate::error::{ErrorCode, Problem};
use crate::fetch::domain::is_same_site;
use crate::fetch::page_url::PageUrl;
use crate::fetch::{
    Fetch, FetchError, FetchResult, Probe, Redirects, Resource, Response, SkipReason,
};
use crate::limits::{self, MAX_URL_BYTES};

impl AuditRequest {
    fn probe(&self, resource: Resource, url: Url, accept: &str, max_body_bytes: usize) -> Probe {
        Probe {
            resource,
            url,
            user_agent: self.user_agent.clone(),
            accept: accept.to_owned(),
            redirects: Redirects::Follow,
            max_body_bytes,
        }
    }

    /// Whether robots.txt names our own token and disallows an address.
    fn is_kept_from(&self, url: &Url, robots: &RobotsFile) -> bool {
        let token = own_token(&self.user_agent);
        !is_exempt(url) && robots.rules.disallows_by_name(token, url.as_str())
    }
}

/// Why a page is not audited at all: the fault is the caller's, and not the site's.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VisitError {
    /// The host itself leads to an address that is not asked.
    #[error("`{url}` is not a public page")]
    NotAllowed {
        /// The page that was to be audited.
        url: PageUrl,
    },
}

impl From<&VisitError> for Problem {
    fn from(error: &VisitError) -> Self {
        match error {
            // Not the address: our networks must not be probed.
            VisitError::NotAllowed { .. } => {
                Self::new(ErrorCode::UrlNotAllowed, "url-not-public").detail("reason", "not_public")
            }
        }
    }
}

/// Visits a page: asks for robots.txt, for the page and for a sitemap.
///
/// A group of robots.txt that names our own token is obeyed for everything but `/` and `/robots.txt`.
/// Waits and deadlines are those of the fetcher.
///
/// # Errors
///
/// When the page may not be asked for, see [`VisitError`]. Whatever else goes wrong, a redirect to such
/// a host included, is part of the snapshot.
pub async fn visit(fetch: &dyn Fetch, request: &AuditRequest) -> Result<PageSnapshot, VisitError> {
    visit_with(fetch, &SitemapFetcher, request).await
}

/// Visits a page as [`visit`] does, with sitemaps that pages may share.
///
/// # Errors
///
/// As those of [`visit`].
pub async fn visit_with(
    fetch: &dyn Fetch,
    sitemaps: &dyn Sitemaps,
    request: &AuditRequest,
) -> Result<PageSnapshot, VisitError> {
    let asked = request.url.as_url();
    let page = request.probe(Resource::Page, asked.clone(), ACCEPT, limits::MAX_PAGE_BYTES);
    let (answer, robots) = if is_exempt(asked) {
        join(fetch.fetch(&page), ask_robots(fetch, request, asked)).await
    } else {
        let robots = ask_robots(fetch, request, asked).await;
        let file = RobotsFile::from_result(Some(&robots));
        if request.is_kept_from(asked, &file) {
            return Ok(disallowed(request, file));
        }
        (fetch.fetch(&page).await, robots)
    };
    if let Err(FetchError::Denied { after_redirect: false }) = answer {
        return Err(VisitError::NotAllowed { url: request.url.clone() });
    }
    let found = answer.as_ref().ok().map(|response| response.url.clone());
    let robots = match &found {
        Some(found) => Some(final_robots(fetch, request, found, robots).await),
        None => None,
    };
    let sitemap = match (&found, &robots) {
        (Some(found), Some(robots)) if answer.as_ref().is_ok_and(Response::is_success) => {
            ask_sitemap(fetch, sitemaps, request, found, robots).await
        }
        _ => SitemapState::NotAsked,
    };
    Ok(PageSnapshot { robots, sitemap, ..PageSnapshot::new(request, answer) })
}

/// HTML if there is a choice, as crawlers ask.
const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";

/// What may be asked for whatever robots.txt says of us.
fn is_exempt(url: &Url) -> bool {
    matches!(url.path(), "/" | "/robots.txt")
}

/// What is seen of a page that robots.txt keeps us from.
fn disallowed(request: &AuditRequest, robots: RobotsFile) -> PageSnapshot {
    PageSnapshot {
        id: request.id,
        target: AuditTarget::Url(request.url.clone()),
        taken_at: request.taken_at,
        user_agent: request.user_agent.clone(),
        profile: request.profile,
        result: Err(FetchError::Skipped { reason: SkipReason::RobotsOwnToken }),
        robots: Some(robots),
        sitemap: SitemapState::NotAsked,
    }
}

async fn ask_robots(fetch: &dyn Fetch, request: &AuditRequest, page: &Url) -> FetchResult {
    let url = address::robots_txt_url(page);
    // One byte more than is parsed shows whether the file is longer.
    let probe = request.probe(Resource::RobotsTxt, url, "*/*", limits::MAX_ROBOTS_BYTES + 1);
    fetch.fetch(&probe).await
}

/// robots.txt of the origin that the page was found at: what was asked for beside the page, unless the
/// page led to another origin and robots.txt did not.
async fn final_robots(
    fetch: &dyn Fetch,
    request: &AuditRequest,
    found: &Url,
    robots: FetchResult,
) -> RobotsFile {
    let is_at_home = request.url.as_url().origin() == found.origin();
    let came_along = robots
        .as_ref()
        .is_ok_and(|file| file.url.origin() == found.origin() && file.url.path() == "/robots.txt");
    let robots = match robots {
        robots if is_at_home || came_along => robots,
        _ => ask_robots(fetch, request, found).await,
    };
    RobotsFile::from_result(Some(&robots))
}

async fn ask_sitemap(
    fetch: &dyn Fetch,
    sitemaps: &dyn Sitemaps,
    request: &AuditRequest,
    page: &Url,
    robots: &RobotsFile,
) -> SitemapState {
    let named = named_sitemap(page, robots);
    let is_named = named.is_some();
    let guessed = || page.join("/sitemap.xml").ok().map(without_user_info);
    let Some(NamedSitemap { url, is_foreign, is_only }) = named
        .or_else(|| guessed().map(|url| NamedSitemap { url, is_foreign: false, is_only: true }))
    else {
        return SitemapState::Missing;
    };
    if is_foreign || request.is_kept_from(&url, robots) {
        return SitemapState::Unread { url: url.into() };
    }
    let probe = request.probe(Resource::Sitemap, url, "*/*", limits::MAX_SITEMAP_BYTES);
    let read = sitemaps.read(fetch, &probe).await;
    match read.state(probe.url.into(), page) {
        // Some sites answer with a page to everything; there may not be a sitemap.
        SitemapState::Failed { .. } if !is_named => SitemapState::Missing,
        // The page may be in another one.
        SitemapState::Unlisted { url } if !is_only => SitemapState::Unread { url },
        state => state,
    }
}

/// The sitemap that is asked for, of those that robots.txt names.
struct NamedSitemap {
    url: Url,
    /// Whether it is on another site than the page.
    is_foreign: bool,
    /// Whether no other one is named.
    is_only: bool,
}

/// The first sitemap of the site itself that robots.txt names and that can be asked for; else the first
/// one of another site.
fn named_sitemap(page: &Url, robots: &RobotsFile) -> Option<NamedSitemap> {
    let named = || {
        let records = robots.rules.sitemaps.iter();
        let short = records.filter(|named| named.value.len() <= MAX_URL_BYTES);
        let urls = short.filter_map(|named| page.join(&named.value).ok());
        let urls =
            urls.filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some());
        urls.map(without_user_info)
    };
    let own = named().find(|url| is_same_site(page, url));
    let is_foreign = own.is_none();
    let url = own.or_else(|| named().next())?;
    let is_only = named().all(|other| other == url);
    Some(NamedSitemap { url, is_foreign, is_only })
}

/// An address as it is asked for, shown and kept: secrets are none of ours.
fn without_user_info(mut url: Url) -> Url {
    // Neither fails for an address with a host.
    let _ = (url.set_username(""), url.set_password(None));
    url
}

#[cfg(test)]
mod tests;
