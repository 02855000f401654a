//! The visit of a page: its address, robots.txt of its host and the sitemap, at most three requests.

use chrono::{DateTime, Utc};
use url::Url;

use crate::audit::profile::Profile;
use crate::audit::snapshot::{Asked, AuditId, PageSnapshot, SitemapState};
use crate::fetch::{Answer, BodyEnd, Fetch, Probe, Redirects, Resource};
use crate::limits;
use crate::page_url::PageUrl;
use crate::robots::{RobotsFile, RobotsState};
use crate::sitemap::Sitemap;

/// What to audit, when, and as whom.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AuditRequest {
    /// Names the audit.
    pub id: AuditId,
    /// The page.
    pub url: PageUrl,
    /// The time of the audit; the only clock that a signal sees.
    pub taken_at: DateTime<Utc>,
    /// Our own `User-Agent`.
    pub user_agent: String,
    /// The kind of page, if a user chose it.
    pub profile: Option<Profile>,
}

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
}

/// Visits a page. Whatever goes wrong is part of the snapshot.
pub async fn visit(fetch: &dyn Fetch, request: &AuditRequest) -> PageSnapshot {
    let page = request.probe(
        Resource::Page,
        request.url.as_url().clone(),
        "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
        limits::MAX_PAGE_BYTES,
    );
    let answer = fetch.fetch(&page).await;
    let robots = match &answer {
        Ok(found) => Some(robots_of(fetch, request, &found.url).await),
        Err(_) => None,
    };
    let sitemap = match (&answer, &robots) {
        (Ok(found), Some(robots)) => sitemap_of(fetch, request, &found.url, robots).await,
        _ => SitemapState::NotAsked,
    };
    PageSnapshot {
        id: request.id,
        asked: Asked::Url(request.url.clone()),
        taken_at: request.taken_at,
        user_agent: request.user_agent.clone(),
        profile: request.profile,
        answer,
        robots,
        sitemap,
    }
}

async fn robots_of(fetch: &dyn Fetch, request: &AuditRequest, page: &Url) -> RobotsFile {
    let Ok(url) = page.join("/robots.txt") else { return RobotsFile::from_answer(None) };
    // One octet more than is parsed shows whether the file is longer.
    let probe = request.probe(Resource::RobotsTxt, url, "*/*", limits::MAX_ROBOTS_BYTES + 1);
    RobotsFile::from_answer(Some(&fetch.fetch(&probe).await))
}

async fn sitemap_of(
    fetch: &dyn Fetch,
    request: &AuditRequest,
    page: &Url,
    robots: &RobotsFile,
) -> SitemapState {
    let named = match robots.state {
        RobotsState::Parsed | RobotsState::ParsedTruncated => robots.rules.sitemaps.first(),
        _ => None,
    };
    let url = named.and_then(|record| page.join(&record.value).ok());
    let Some(url) = url.or_else(|| page.join("/sitemap.xml").ok()) else {
        return SitemapState::Missing;
    };
    let probe = request.probe(Resource::Sitemap, url.clone(), "*/*", limits::MAX_SITEMAP_BYTES);
    state_of(url.to_string(), &fetch.fetch(&probe).await, page)
}

/// What a sitemap says about a page.
fn state_of(url: String, answer: &Answer, page: &Url) -> SitemapState {
    let response = match answer {
        Err(error) => return SitemapState::Failed { url, reason: error.to_string() },
        Ok(response) if response.is_success() => response,
        Ok(response) if response.status < 500 => return SitemapState::Missing,
        Ok(response) => {
            return SitemapState::Failed { url, reason: format!("status {}", response.status) };
        }
    };
    let cut = response.body_end != BodyEnd::Complete;
    let sitemap = match Sitemap::parse(&response.body, cut) {
        Ok(sitemap) => sitemap,
        Err(error) => return SitemapState::Failed { url, reason: error.to_string() },
    };
    let listed = sitemap.entries.iter().find(|entry| entry.loc == page.as_str());
    match listed {
        Some(entry) => SitemapState::Listed { url, entry: entry.clone() },
        None if sitemap.is_index || sitemap.cut => SitemapState::Unread { url },
        None => SitemapState::Unlisted { url },
    }
}
