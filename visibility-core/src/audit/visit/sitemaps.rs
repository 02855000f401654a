//! Sitemaps that are parsed once and searched for many pages.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use url::Url;

use crate::audit::address;
use crate::audit::snapshot::SitemapState;
use crate::documents::sitemap::{Sitemap, SitemapEntry};
use crate::fetch::challenge;
use crate::fetch::{BodyEnd, BoxFuture, Fetch, FetchResult, Probe};
use crate::text::note::Note;

/// Where the sitemaps of a visit come from.
pub trait Sitemaps: fmt::Debug + Send + Sync {
    /// Reads a sitemap, or gives the one that was read before.
    fn read<'a>(
        &'a self,
        fetch: &'a dyn Fetch,
        probe: &'a Probe,
    ) -> BoxFuture<'a, Arc<SitemapResult>>;
}

/// Reads a sitemap again each time.
#[derive(Clone, Copy, Debug, Default)]
pub struct SitemapFetcher;

impl Sitemaps for SitemapFetcher {
    fn read<'a>(
        &'a self,
        fetch: &'a dyn Fetch,
        probe: &'a Probe,
    ) -> BoxFuture<'a, Arc<SitemapResult>> {
        Box::pin(async move { Arc::new(SitemapResult::from_result(&fetch.fetch(probe).await)) })
    }
}

/// A sitemap, or why there is none.
#[derive(Clone, Debug)]
pub struct SitemapResult(SitemapContent);

#[derive(Clone, Debug)]
enum SitemapContent {
    Missing,
    Failed { reason: Note },
    Index,
    Pages { entries: BTreeMap<String, SitemapEntry>, is_cut: bool },
}

impl SitemapResult {
    /// Judges the answer to the request for a sitemap. Of entries for one page the first counts.
    pub fn from_result(answer: &FetchResult) -> Self {
        let failed = |reason: Note| Self(SitemapContent::Failed { reason });
        let response = match answer {
            Err(error) => return failed(error.note()),
            Ok(response) => response,
        };
        if let Some(sign) = challenge::marker(response) {
            return failed(Note::verbatim(sign));
        }
        match response.status {
            200..=299 => {}
            404 | 410 => return Self(SitemapContent::Missing),
            status => return failed(Note::new("status").with("status", status)),
        }
        let is_cut = response.body_end != BodyEnd::Complete;
        let sitemap = match Sitemap::parse(&response.body, is_cut) {
            Ok(sitemap) => sitemap,
            Err(error) => return failed(error.note()),
        };
        if sitemap.is_index {
            return Self(SitemapContent::Index);
        }
        let mut entries = BTreeMap::new();
        for entry in sitemap.entries {
            if let Ok(url) = Url::parse(&entry.loc) {
                entries.entry(address::normalized(&url)).or_insert(entry);
            }
        }
        Self(SitemapContent::Pages { entries, is_cut: sitemap.cut })
    }

    /// Whether it could not be read; another try may do better.
    pub fn has_failed(&self) -> bool {
        matches!(self.0, SitemapContent::Failed { .. })
    }

    /// What it says about a page.
    pub(super) fn state(&self, url: String, page: &Url) -> SitemapState {
        match &self.0 {
            SitemapContent::Missing => SitemapState::Missing,
            SitemapContent::Failed { reason } => {
                SitemapState::Failed { url, reason: reason.clone() }
            }
            SitemapContent::Index => SitemapState::Unread { url },
            SitemapContent::Pages { entries, is_cut } => {
                match entries.get(&address::normalized(page)) {
                    Some(entry) => SitemapState::Listed { url, entry: entry.clone() },
                    None if *is_cut => SitemapState::Unread { url },
                    None => SitemapState::Unlisted { url },
                }
            }
        }
    }
}
