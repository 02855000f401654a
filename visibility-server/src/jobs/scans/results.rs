//! Caches scans: in the database for a day, and in memory while there is room.

use std::sync::Arc;

use bytes::Bytes;
use visibility_core::scan::score::RUBRIC_VERSION;
use visibility_core::text::locale::Lang;

use super::render::expires_at;
use crate::jobs::cache::results::ResultCache;
use crate::jobs::cache::{CachedBody, CachedResult, Coding, Representation};
use crate::stores::Stores;
use crate::stores::state::scans::StoredScan;
use crate::telemetry::metrics::Metrics;

/// Results by domain.
#[derive(Debug)]
pub(super) struct ScanCache(Arc<ResultCache>);

impl ScanCache {
    /// Results with so many bytes of memory.
    pub(super) fn new(memory: u64, stores: Arc<Stores>, metrics: Arc<Metrics>) -> Self {
        let count_failure = |metrics: &Metrics| metrics.scans().store_failure();
        Self(ResultCache::new(memory, stores, metrics, count_failure))
    }

    /// The fresh result of a domain, if it is in memory.
    pub(super) fn in_memory(
        &self,
        domain: &str,
        representation: Representation,
    ) -> Option<CachedBody> {
        self.0.find(domain, representation)
    }

    /// The fresh result of a domain in both languages, if it is in memory.
    pub(super) fn in_all_languages(&self, domain: &str) -> Option<CachedResult> {
        self.0.find_all_languages(domain)
    }

    /// The fresh result of a domain, if the database has one. Blocks.
    pub(super) fn in_database(
        &self,
        domain: &str,
        representation: Representation,
    ) -> Option<CachedBody> {
        self.0.find_stored(domain, representation, expires_at, |state_store| {
            state_store.find_scan(domain, representation.lang, RUBRIC_VERSION)
        })
    }

    /// The fresh result of a domain in both languages, if the database has one. Blocks.
    pub(super) fn all_languages_in_database(&self, domain: &str) -> Option<CachedResult> {
        for lang in Lang::ALL {
            self.in_database(domain, Representation { lang, coding: Coding::Gzip })?;
        }
        self.in_all_languages(domain)
    }

    /// Keeps a result: in memory now, in the database soon. Ends what is `held` after that.
    pub(super) fn store(&self, scan: StoredScan, held: impl Send + 'static) {
        let tag: Arc<str> = scan.tag.as_str().into();
        let cached = |body: &Bytes| CachedBody {
            taken_at: scan.scanned_at,
            expires_at: scan.expires_at,
            tag: Arc::clone(&tag),
            body: body.clone(),
        };
        self.0.keep(&scan.domain, &CachedResult { en: cached(&scan.en), tr: cached(&scan.tr) });
        self.0.store(move |state_store, others| {
            let stored = state_store.store_scan(&scan, others);
            drop(held);
            stored
        });
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use visibility_core::scan::snapshot::SiteSnapshot;

    use super::*;
    use crate::jobs::scans::render::render;
    use crate::runtime::clock;

    fn scan(domain: &str, seconds_ago: i64) -> StoredScan {
        let scanned_at = clock::now() - TimeDelta::seconds(seconds_ago);
        let site = SiteSnapshot::new(domain.parse().unwrap(), scanned_at);
        render(&site).unwrap().stored
    }

    /// Keeps a result, and waits until it is written.
    async fn keep(results: &ScanCache, domain: &str, seconds_ago: i64) {
        results.store(scan(domain, seconds_ago), ());
        results.0.written().await;
    }

    #[tokio::test]
    async fn a_clock_that_goes_back_voids_what_is_in_memory_and_in_the_database() {
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let open = || {
            let (stores, metrics) = (Arc::clone(&stores), Arc::new(Metrics::default()));
            ScanCache::new(1024 * 1024, stores, metrics)
        };
        let results = open();
        let representation = Representation { lang: Lang::Tr, coding: Coding::Identity };
        keep(&results, "a.com", 0).await;
        assert!(results.in_memory("a.com", representation).is_some());
        assert!(open().in_database("a.com", representation).is_some());
        results.0.invalidate_all();
        assert!(results.in_memory("a.com", representation).is_none());
        assert!(results.in_database("a.com", representation).is_none());
        keep(&results, "b.com", 0).await;
        assert!(results.in_memory("b.com", representation).is_some());
        let body = results.in_database("b.com", representation).unwrap().body;
        assert!(body.starts_with(b"{\"cached\":true"));
        assert!(results.in_database("a.com", representation).is_none(), "its age is unknown");
    }

    #[tokio::test]
    async fn a_new_result_takes_the_place_of_what_was_unpacked_of_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let results = ScanCache::new(1024 * 1024, stores, Arc::new(Metrics::default()));
        let representation = Representation { lang: Lang::En, coding: Coding::Identity };
        let tag = || results.in_memory("a.com", representation).unwrap().tag;
        keep(&results, "a.com", 10).await;
        let old = tag();
        keep(&results, "a.com", 0).await;
        assert_ne!(tag(), old);
    }
}
