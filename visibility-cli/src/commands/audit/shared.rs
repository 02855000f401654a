//! What the pages of a site have in common is asked for once in a run: robots.txt and the sitemap.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;
use visibility_core::fetch::{Answer, BoxFuture, Fetch, FetchError, Probe, Resource, Response};

/// Answers that are kept at most; a sitemap may have 5 MiB.
const MAX_ANSWERS: usize = 64;

/// Answers by address.
#[derive(Debug, Default)]
pub(super) struct Shared {
    answers: Mutex<BTreeMap<String, Arc<OnceCell<Response>>>>,
}

impl Shared {
    /// The place for an answer; `None` when there are too many.
    fn place(&self, url: &str) -> Option<Arc<OnceCell<Response>>> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = answers.get(url) {
            return Some(Arc::clone(place));
        }
        let place = Arc::default();
        (answers.len() < MAX_ANSWERS).then(|| {
            answers.insert(url.to_owned(), Arc::clone(&place));
            place
        })
    }
}

/// A fetcher of one page that shares.
#[derive(Debug)]
pub(super) struct Sharing<'a> {
    pub(super) fetch: &'a dyn Fetch,
    pub(super) shared: &'a Shared,
}

impl Fetch for Sharing<'_> {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, Answer> {
        let is_common = matches!(probe.resource, Resource::RobotsTxt | Resource::Sitemap);
        let place = if is_common { self.shared.place(probe.url.as_str()) } else { None };
        let Some(place) = place else { return self.fetch.fetch(probe) };
        Box::pin(async move {
            // What failed for one page may succeed for the next.
            let answer = place.get_or_try_init(|| self.fetch.fetch(probe)).await;
            answer.cloned().map_err(|error: FetchError| error)
        })
    }
}
