//! Requests what the pages of a site share only once in a run: robots.txt and the sitemap.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;
use visibility_core::audit::visit::{SitemapResult, Sitemaps};
use visibility_core::fetch::{BoxFuture, Fetch, FetchResult, Probe, Resource};

/// What is kept at most of each kind; a sitemap may have 5 MiB.
const MAX_KEPT: usize = 64;

/// What was asked for, by address.
#[derive(Debug, Default)]
pub(super) struct SharedFetches {
    robots: OnceMap<FetchResult>,
    sitemaps: OnceMap<Arc<SitemapResult>>,
}

/// Places for what is asked for once.
#[derive(Debug)]
struct OnceMap<T>(Mutex<BTreeMap<String, Arc<OnceCell<T>>>>);

impl<T> Default for OnceMap<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> OnceMap<T> {
    /// The response for an address, fetched once. Concurrent callers share a failure;
    /// later callers try again.
    async fn get(
        &self,
        url: &str,
        ask: impl Future<Output = T>,
        has_failed: impl Fn(&T) -> bool,
    ) -> T {
        let Some(place) = self.slot(url) else { return ask.await };
        let found = place.get_or_init(|| ask).await;
        if has_failed(found) {
            self.forget(url, &place);
        }
        found.clone()
    }

    /// The place for an address; `None` when there are too many.
    fn slot(&self, url: &str) -> Option<Arc<OnceCell<T>>> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.get(url) {
            return Some(Arc::clone(place));
        }
        let place = Arc::new(OnceCell::new());
        (places.len() < MAX_KEPT).then(|| {
            places.insert(url.to_owned(), Arc::clone(&place));
            place
        })
    }

    fn forget(&self, url: &str, failed: &Arc<OnceCell<T>>) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.get(url).is_some_and(|place| Arc::ptr_eq(place, failed)) {
            places.remove(url);
        }
    }
}

/// A fetcher of one page that shares.
#[derive(Debug)]
pub(super) struct SharedFetcher<'a> {
    pub(super) fetch: &'a dyn Fetch,
    pub(super) shared: &'a SharedFetches,
}

impl Fetch for SharedFetcher<'_> {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        if probe.resource != Resource::RobotsTxt {
            return self.fetch.fetch(probe);
        }
        let ask = self.fetch.fetch(probe);
        Box::pin(self.shared.robots.get(probe.url.as_str(), ask, FetchResult::is_err))
    }
}

impl Sitemaps for SharedFetches {
    fn read<'a>(
        &'a self,
        fetch: &'a dyn Fetch,
        probe: &'a Probe,
    ) -> BoxFuture<'a, Arc<SitemapResult>> {
        let ask = async { Arc::new(SitemapResult::from_result(&fetch.fetch(probe).await)) };
        Box::pin(self.sitemaps.get(probe.url.as_str(), ask, |read| read.has_failed()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join;
    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn waiters_share_a_failure_and_later_callers_try_again() {
        let (places, asked) = (OnceMap::<Result<u8, u8>>::default(), AtomicUsize::new(0));
        let ask = |result| {
            let asked = &asked;
            async move {
                asked.fetch_add(1, Ordering::Relaxed);
                yield_now().await;
                result
            }
        };
        let get = |result| places.get("a", ask(result), Result::is_err);
        assert_eq!(join(get(Err(1)), get(Err(2))).await, (Err(1), Err(1)));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert_eq!(get(Ok(3)).await, Ok(3));
        assert_eq!(get(Ok(4)).await, Ok(3));
        assert_eq!(asked.load(Ordering::Relaxed), 2);
    }
}
