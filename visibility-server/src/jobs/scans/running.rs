//! Scans that go on when their caller has left: how far each is, and why the latest failed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::{BoxFuture, Fetch, FetchResult, Probe};

use super::ScanJobError;
use crate::jobs::failures::RecentFailures;

/// What this node knows of the scans that it began.
#[derive(Debug, Default)]
pub(super) struct RunningScans {
    counts: Mutex<HashMap<Domain, Arc<AtomicU32>>>,
    failures: RecentFailures<Domain, ScanJobError>,
}

impl RunningScans {
    fn counts(&self) -> MutexGuard<'_, HashMap<Domain, Arc<AtomicU32>>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the latest scans failed.
    pub(super) fn failures(&self) -> &RecentFailures<Domain, ScanJobError> {
        &self.failures
    }

    /// Counts the requests of a scan until this is dropped.
    pub(super) fn count(self: &Arc<Self>, domain: &Domain) -> RequestCounter {
        let requests = Arc::new(AtomicU32::new(0));
        self.counts().insert(domain.clone(), Arc::clone(&requests));
        RequestCounter { scans: Arc::clone(self), domain: domain.clone(), requests }
    }

    /// Requests of the scan of a domain that were answered by now; `None` if it does not run here.
    pub(super) fn answered(&self, domain: &Domain) -> Option<u32> {
        self.counts().get(domain).map(|requests| requests.load(Ordering::Relaxed))
    }
}

/// The count of one scan.
#[derive(Debug)]
pub(super) struct RequestCounter {
    scans: Arc<RunningScans>,
    domain: Domain,
    requests: Arc<AtomicU32>,
}

impl RequestCounter {
    /// A fetcher that counts the answers.
    pub(super) fn wrap<'a>(&'a self, fetch: &'a dyn Fetch) -> CountingFetch<'a> {
        CountingFetch { fetch, requests: &self.requests }
    }
}

impl Drop for RequestCounter {
    fn drop(&mut self) {
        let mut counts = self.scans.counts();
        // Another scan of the domain may have begun meanwhile.
        if counts.get(&self.domain).is_some_and(|known| Arc::ptr_eq(known, &self.requests)) {
            counts.remove(&self.domain);
        }
    }
}

/// Counts answers.
#[derive(Debug)]
pub(super) struct CountingFetch<'a> {
    fetch: &'a dyn Fetch,
    requests: &'a AtomicU32,
}

impl Fetch for CountingFetch<'_> {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        Box::pin(async move {
            let answer = self.fetch.fetch(probe).await;
            self.requests.fetch_add(1, Ordering::Relaxed);
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(text: &str) -> Domain {
        text.parse().unwrap()
    }

    #[test]
    fn a_count_ends_with_its_scan() {
        let scans = Arc::new(RunningScans::default());
        assert_eq!(scans.answered(&domain("example.com")), None);
        let first = scans.count(&domain("example.com"));
        first.requests.fetch_add(3, Ordering::Relaxed);
        assert_eq!(scans.answered(&domain("example.com")), Some(3));
        let second = scans.count(&domain("example.com"));
        drop(first);
        assert_eq!(scans.answered(&domain("example.com")), Some(0));
        drop(second);
        assert_eq!(scans.answered(&domain("example.com")), None);
    }
}
