//! Visits of people who come from an AI assistant: the page that they landed on, and what says where they were.

use std::collections::BTreeMap;

use super::paths::BoundedTable;
use crate::access_log::LogEntry;
use crate::ingest::redaction::Redaction;
use crate::traffic::{AssistantIndex, PathKind};

/// Landing pages that are counted one by one.
const MAX_PAGES: usize = 10_000;
const MAX_PAGE_BYTES: usize = 1024 * 1024;

/// What came from one assistant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VisitCounts {
    pub(super) by_referrer: u64,
    /// Those without its referrer, whose address names it.
    pub(super) by_utm_source: u64,
}

impl VisitCounts {
    pub(super) fn total(self) -> u64 {
        self.by_referrer + self.by_utm_source
    }
}

/// All visits from assistants.
#[derive(Debug)]
pub(super) struct Visits {
    /// By the number of the assistant.
    pub(super) by_assistant: BTreeMap<usize, VisitCounts>,
    /// Landing pages with their hosts, and their visits by assistant.
    pub(super) pages: BoundedTable<BTreeMap<usize, u64>>,
    /// Visits to pages that had no room.
    pub(super) folded: u64,
    redaction: Redaction,
    scratch: String,
}

impl Default for Visits {
    fn default() -> Self {
        Self {
            by_assistant: BTreeMap::new(),
            pages: BoundedTable::new(MAX_PAGES, MAX_PAGE_BYTES),
            folded: 0,
            redaction: Redaction::default(),
            scratch: String::new(),
        }
    }
}

/// Where a person comes from.
pub(super) struct AssistantVisit {
    /// The number of the assistant.
    assistant: usize,
    /// Whether the referrer says so, and not the address alone.
    by_referrer: bool,
}

/// The assistant that a person who requests a page comes from.
pub(super) fn assistant_of(entry: &LogEntry<'_>) -> Option<AssistantVisit> {
    let target = entry.target.as_deref().unwrap_or_default();
    let index = AssistantIndex::embedded();
    let referrer = entry.referrer.as_deref().filter(|referrer| referrer.len() > 1);
    let by_referrer = referrer.and_then(|referrer| index.by_referrer(referrer));
    let assistant = by_referrer.or_else(|| index.by_utm_source(target))?;
    let is_page = entry.method.as_deref() == Some("GET") && PathKind::of(target) == PathKind::Page;
    is_page.then_some(AssistantVisit { assistant, by_referrer: by_referrer.is_some() })
}

impl Visits {
    /// Counts the request of a person that was served, if it is the first of a visit from an assistant. `page` is its host
    /// and its path, `kind` the kind of the path if that is known.
    pub(super) fn count(
        &mut self,
        page: &str,
        kind: Option<PathKind>,
        entry: &LogEntry<'_>,
    ) -> bool {
        if kind.is_some_and(|kind| kind != PathKind::Page) {
            return false;
        }
        let Some(AssistantVisit { assistant, by_referrer }) = assistant_of(entry) else {
            return false;
        };
        let counts = self.by_assistant.entry(assistant).or_default();
        if by_referrer {
            counts.by_referrer += 1;
        } else {
            counts.by_utm_source += 1;
        }
        let page = self.redaction.redact(page, &mut self.scratch);
        match self.pages.row(page, BTreeMap::new) {
            Some(visits) => *visits.entry(assistant).or_default() += 1,
            None => self.folded += 1,
        }
        true
    }
}
