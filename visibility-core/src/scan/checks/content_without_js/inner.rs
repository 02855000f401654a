//! What the pages behind the home page have without scripts.

use super::{
    BARE, INNER_PAGE, INNER_PAGE_SCRIPTED, INNER_PAGE_UNREADABLE, INNER_SCRIPTED, INNER_UNREADABLE,
    UNFINISHED, evidence, judge,
};
use crate::fetch::{FetchError, Probe, Resource, Response};
use crate::limits::MAX_INNER_PAGES;
use crate::page::Page;
use crate::rubric::finding::{Detection, Evidence, Finding, Verdict};
use crate::scan::facts::draft::is_personal;
use crate::scan::nothing_to_read::OwnWords;
use crate::scan::snapshot::SiteSnapshot;

/// The pages besides the home page that were requested, as far as the answers say something about
/// them.
#[derive(Debug, Default)]
pub(super) struct InnerPages {
    signals: Vec<Detection>,
    evidence: Vec<Evidence>,
    /// Paths of the pages with their text in the HTML.
    readable: Vec<String>,
    /// Paths of the pages that are left to scripts.
    scripted: Vec<String>,
    /// Paths where no page came.
    unreadable: Vec<String>,
}

impl InnerPages {
    pub(super) fn from_site(site: &SiteSnapshot) -> Self {
        let mut pages = Self::default();
        for resource in (1..=MAX_INNER_PAGES).map(Resource::InnerPage) {
            let Some(exchange) = site.exchange(&resource) else { continue };
            let asked = &exchange.probe;
            match &exchange.result {
                Ok(response) => match site.inner_page(&resource) {
                    Some(_) if site.is_off_site(response) || is_personal(&response.url) => {}
                    Some(page) => pages.read(site, asked, response, page),
                    None if says_nothing(response) => {}
                    None => pages.miss(site, asked, &response.status.to_string()),
                },
                Err(error) if is_of_the_site(error) => pages.miss(site, asked, "-"),
                Err(_) => {}
            }
        }
        pages
    }

    fn read(&mut self, site: &SiteSnapshot, asked: &Probe, response: &Response, page: &Page) {
        let outcome = judge(response, page).outcome;
        let is_scripted = outcome.verdict == Verdict::Fail && !matches!(outcome, BARE | UNFINISHED);
        let is_empty = outcome == BARE && OwnWords::of(page) == OwnWords::None;
        if outcome == UNFINISHED || is_empty {
            self.miss(site, asked, &response.status.to_string());
            return;
        }
        let (outcome, paths) = if is_scripted {
            (INNER_PAGE_SCRIPTED, &mut self.scripted)
        } else {
            (INNER_PAGE, &mut self.readable)
        };
        let path = asked.url.path();
        paths.push(path.to_owned());
        let found = outcome.with("path", path).with("chars", page.visible_chars());
        self.signals.push(found.with("words", page.visible_words()));
        self.evidence.push(evidence(response, page));
    }

    fn miss(&mut self, site: &SiteSnapshot, asked: &Probe, status: &str) {
        let path = asked.url.path();
        self.unreadable.push(path.to_owned());
        self.signals.push(INNER_PAGE_UNREADABLE.with("path", path).with("status", status));
        self.evidence.extend(site.evidence(&asked.resource));
    }

    /// What the pages together say against the site, if they do: none of them can be read, or at
    /// least half of those that can are left to scripts.
    pub(super) fn verdict(&self) -> Option<Detection> {
        let read = self.readable.len() + self.scripted.len();
        if read == 0 && !self.unreadable.is_empty() {
            let found = INNER_UNREADABLE.with("count", self.unreadable.len());
            return Some(found.with("paths", self.unreadable.join(", ")));
        }
        (read > 0 && self.scripted.len() * 2 >= read).then(|| {
            let found = INNER_SCRIPTED.with("count", self.scripted.len()).with("read", read);
            found.with("paths", self.scripted.join(", "))
        })
    }

    /// Adds a signal and evidence for each page.
    pub(super) fn add_to(self, finding: Finding) -> Finding {
        self.signals.into_iter().fold(finding, Finding::with_detection).with_evidence(self.evidence)
    }
}

/// Whether a response without a page says nothing about pages: a file, a login, or a rate limit.
fn says_nothing(response: &Response) -> bool {
    let is_file = response.is_success() && !response.starts_with_tag() && !response.body.is_empty();
    is_file || matches!(response.status, 401 | 429)
}

/// Whether a failed request says something about the site, and not about this scan.
fn is_of_the_site(error: &FetchError) -> bool {
    !matches!(
        error,
        FetchError::Skipped { .. }
            | FetchError::Deadline
            | FetchError::NotRecorded
            | FetchError::Denied { .. }
    )
}
