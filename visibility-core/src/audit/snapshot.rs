//! Everything that the signals of an audit may see: the page, robots.txt, the sitemap, and the time.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use url::Url;

pub use crate::audit::id::{AuditId, AuditIdError};

use crate::audit::profile::Profile;
use crate::audit::request::AuditRequest;
use crate::documents::robots::RobotsFile;
use crate::documents::sitemap::SitemapEntry;
use crate::fetch::page_url::PageUrl;
use crate::fetch::{BodyEnd, FetchError, FetchResult, Headers, Response};
use crate::text::note::Note;

/// A page as it was found, and what its site says about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageSnapshot {
    /// Names the audit: `aud_` and 128 bits.
    pub id: AuditId,
    /// What was asked for: an address, or the name of a file.
    pub target: AuditTarget,
    /// When; the only clock that a signal sees.
    pub taken_at: DateTime<Utc>,
    /// Our own `User-Agent`, whose token robots.txt may name.
    pub user_agent: String,
    /// The kind of page, if a user chose it.
    pub profile: Option<Profile>,
    /// The page, or why there is none.
    pub result: FetchResult,
    /// robots.txt of the host that the page was found on; `None` if it was not asked for, as for files.
    pub robots: Option<RobotsFile>,
    /// What a sitemap says about the page.
    pub sitemap: SitemapState,
}

/// What was asked for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AuditTarget {
    /// A page on the web.
    Url(PageUrl),
    /// A file, or standard input, by a name to show; and the address it will be published at, if that is known.
    File {
        /// The name, as given.
        name: String,
        /// The URL that the file will have.
        url: Option<PageUrl>,
    },
}

/// What a sitemap says about the page.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SitemapState {
    /// It was not asked for: a file, or no page to look for.
    NotAsked,
    /// The site has none.
    Missing,
    /// It could not be read; the remark says why.
    Failed {
        /// Where it was asked for.
        url: String,
        /// Why it could not be read.
        reason: Note,
    },
    /// It is an index of other sitemaps, was cut, is one of several, or is not asked for, and the page is
    /// not in what was read.
    Unread {
        /// Where it is.
        url: String,
    },
    /// The page is not in it.
    Unlisted {
        /// Where it is.
        url: String,
    },
    /// The page is in it.
    Listed {
        /// Where it is.
        url: String,
        /// The entry.
        entry: SitemapEntry,
    },
}

impl PageSnapshot {
    /// A page that was asked for, or the error, on a host whose robots.txt and sitemap are not known.
    pub fn new(request: &AuditRequest, result: FetchResult) -> Self {
        Self {
            id: request.id,
            target: AuditTarget::Url(request.url.clone()),
            taken_at: request.taken_at,
            user_agent: request.user_agent.clone(),
            profile: request.profile,
            result,
            robots: None,
            sitemap: SitemapState::NotAsked,
        }
    }

    /// A page that is at hand: its robots.txt and sitemap are not asked for.
    pub fn from_file(
        id: AuditId,
        name: impl Into<String>,
        url: Option<PageUrl>,
        body: impl Into<Bytes>,
        taken_at: DateTime<Utc>,
    ) -> Self {
        let name = name.into();
        let body = body.into();
        let address = url.as_ref().map(|url| url.as_url().clone());
        let response = Response {
            url: address.unwrap_or_else(|| file_url(&name)),
            status: 200,
            version: String::new(),
            headers: Headers::default(),
            wire_bytes: u64::try_from(body.len()).unwrap_or(u64::MAX),
            body,
            body_end: BodyEnd::Complete,
            hops: Vec::new(),
            ttfb_ms: 0,
            total_ms: 0,
            retries: 0,
            tls: None,
        };
        Self {
            id,
            target: AuditTarget::File { name, url },
            taken_at,
            user_agent: String::new(),
            profile: None,
            result: Ok(response),
            robots: None,
            sitemap: SitemapState::NotAsked,
        }
    }

    /// The response, if there is one.
    pub fn response(&self) -> Option<&Response> {
        self.result.as_ref().ok()
    }

    /// Why there is no response.
    pub fn failure(&self) -> Option<&FetchError> {
        self.result.as_ref().err()
    }

    /// The address of the page, redirects followed; `None` for a file whose address is not
    /// known.
    pub fn location(&self) -> Option<&Url> {
        match &self.target {
            AuditTarget::Url(asked) => {
                Some(self.response().map_or(asked.as_url(), |found| &found.url))
            }
            AuditTarget::File { url, .. } => url.as_ref().map(PageUrl::as_url),
        }
    }

    /// Whether the page came from a file.
    pub fn is_file(&self) -> bool {
        matches!(self.target, AuditTarget::File { .. })
    }
}

/// A `file:` address for a name, whatever is in it.
#[expect(clippy::expect_used, reason = "the text is a constant")]
fn file_url(name: &str) -> Url {
    let mut url = Url::parse("file:///").expect("an address");
    url.set_path(name);
    url
}

impl AuditTarget {
    /// The address that was asked for, or a `file:` address.
    pub fn url(&self) -> Url {
        match self {
            Self::Url(url) | Self::File { url: Some(url), .. } => url.as_url().clone(),
            Self::File { name, url: None } => file_url(name),
        }
    }
}
