//! The pages of a sitemap.

use std::collections::BTreeSet;

use url::Url;
use visibility_core::documents::sitemap::{Sitemap, SitemapEntry};
use visibility_core::fetch::domain::is_same_site;
use visibility_core::fetch::http::HttpClient;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::fetch::{BodyEnd, Fetch, FetchError, Probe};
use visibility_core::limits::MAX_SITEMAP_BYTES;
use visibility_core::report::labels::Labels;

use crate::error::CommandError;
use crate::run::network::USER_AGENT;
use crate::run::page_input::{PageInput, PageSource};

/// Sitemaps of an index that are read.
const MAX_SITEMAPS: usize = 100;

/// The pages of a sitemap, and what is to be said about it.
#[derive(Debug, Default)]
pub(super) struct SitemapPages {
    pub(super) pages: Vec<PageInput>,
    pub(super) notes: Vec<String>,
}

/// Why there are no pages.
enum SitemapReadError {
    Fetch(FetchError),
    Status(u16),
    Content(String),
}

/// Reads a sitemap, and if it is an index those that it names, up to so many pages.
pub(super) async fn pages(
    client: &HttpClient,
    url: &PageUrl,
    most: usize,
    labels: Labels,
) -> Result<SitemapPages, CommandError> {
    let first =
        read(client, url.as_url()).await.map_err(|failed| failed.into_command_error(url))?;
    let mut collected = PageCollector::new(url, most);
    if first.is_index {
        let children: Vec<Url> = first
            .entries
            .iter()
            .filter_map(|entry| collected.own(entry))
            .map(|page| page.as_url().clone())
            .collect();
        for child in children.iter().take(MAX_SITEMAPS) {
            if collected.is_cut {
                break;
            }
            match read(client, child).await {
                // One level, as the protocol has it.
                Ok(sitemap) if sitemap.is_index => {}
                Ok(sitemap) => collected.add(&sitemap.entries),
                Err(failed) => {
                    let reason = failed.reason();
                    let values: [(&'static str, &dyn ToString); 2] =
                        [("url", child), ("reason", &reason)];
                    collected.notes.push(labels.sentence("sitemap-unread", &values));
                }
            }
        }
        collected.is_cut |= children.len() > MAX_SITEMAPS;
    } else {
        collected.is_cut = first.cut;
        collected.add(&first.entries);
    }
    collected.into_found(url, labels)
}

/// What was collected so far.
#[derive(Debug)]
struct PageCollector {
    site: Url,
    most: usize,
    seen: BTreeSet<String>,
    pages: Vec<PageInput>,
    notes: Vec<String>,
    foreign: usize,
    is_cut: bool,
}

impl PageCollector {
    fn new(url: &PageUrl, most: usize) -> Self {
        Self {
            site: url.as_url().clone(),
            most,
            seen: BTreeSet::new(),
            pages: Vec::new(),
            notes: Vec::new(),
            foreign: 0,
            is_cut: false,
        }
    }

    fn add(&mut self, entries: &[SitemapEntry]) {
        for entry in entries {
            let Some(url) = self.own(entry) else { continue };
            if self.seen.contains(url.as_str()) {
                continue;
            }
            if self.pages.len() == self.most {
                self.is_cut = true;
                return;
            }
            self.seen.insert(url.to_string());
            self.pages.push(PageInput { name: url.to_string(), source: PageSource::Url(url) });
        }
    }

    /// The address of an entry, unless it is on another site: only the user decides which sites are
    /// visited.
    fn own(&mut self, entry: &SitemapEntry) -> Option<PageUrl> {
        let url: Option<PageUrl> = entry.loc.parse().ok();
        let own = url.filter(|url| is_same_site(&self.site, url.as_url()));
        self.foreign += usize::from(own.is_none());
        own
    }

    fn into_found(mut self, url: &PageUrl, labels: Labels) -> Result<SitemapPages, CommandError> {
        if self.pages.is_empty() {
            return Err(CommandError::usage_with(
                format!("the sitemap `{url}` lists no page of its own site"),
                "give pages, or another sitemap",
            ));
        }
        if self.foreign > 0 {
            self.notes.push(labels.sentence("sitemap-foreign", &[("count", &self.foreign)]));
        }
        if self.is_cut {
            self.notes.push(labels.sentence("sitemap-cut", &[("count", &self.pages.len())]));
        }
        Ok(SitemapPages { pages: self.pages, notes: self.notes })
    }
}

async fn read(client: &HttpClient, url: &Url) -> Result<Sitemap, SitemapReadError> {
    let probe = Probe::new(url.clone(), USER_AGENT, MAX_SITEMAP_BYTES);
    let response = client.session().fetch(&probe).await.map_err(SitemapReadError::Fetch)?;
    if !response.is_success() {
        return Err(SitemapReadError::Status(response.status));
    }
    Sitemap::parse(&response.body, response.body_end != BodyEnd::Complete)
        .map_err(|error| SitemapReadError::Content(error.to_string()))
}

impl SitemapReadError {
    fn reason(&self) -> String {
        match self {
            Self::Fetch(error) => error.to_string(),
            Self::Status(status) => format!("status {status}"),
            Self::Content(reason) => reason.clone(),
        }
    }

    fn into_command_error(self, url: &PageUrl) -> CommandError {
        let message = format!("cannot read the sitemap `{url}`: {}", self.reason());
        match self {
            Self::Fetch(FetchError::Denied { after_redirect: false }) => CommandError::usage_with(
                message,
                "for a site on your own network, add --allow-network CIDR or \
                    --connect-to HOST:PORT:HOST:PORT",
            ),
            Self::Fetch(_) | Self::Status(500..) => CommandError::Unreachable { message },
            Self::Status(_) | Self::Content(_) => CommandError::usage_with(
                message,
                "give the URL of an XML sitemap, such as https://example.com/sitemap.xml",
            ),
        }
    }
}
