//! Caches scans: in the database for a day, and in memory while there is room.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use visibility_core::scan::score::RUBRIC_VERSION;
use visibility_core::store::StoreError;

use super::render::expires_at;
use crate::jobs::cache::clock::WatchedClock;
use crate::jobs::cache::memory::MemoryCache;
use crate::jobs::cache::writes::BackgroundWrites;
use crate::jobs::cache::{CachedBody, CachedResult, Representation};
use crate::runtime::clock;
use crate::stores::Stores;
use crate::stores::sqlite::scans::{OlderResults, StoredScan};
use crate::telemetry::metrics::Metrics;

/// Results by domain.
#[derive(Debug)]
pub(super) struct ScanCache {
    memory: MemoryCache,
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    clock: WatchedClock,
    /// Whether stored results are older than a step of the clock, so that their age is unknown.
    is_void: AtomicBool,
    writes: BackgroundWrites,
}

impl ScanCache {
    /// Results with so many bytes of memory.
    pub(super) fn new(memory: u64, stores: Arc<Stores>, metrics: Arc<Metrics>) -> Self {
        Self {
            memory: MemoryCache::new(memory),
            stores,
            metrics,
            clock: WatchedClock::new(clock::now(), Instant::now()),
            is_void: AtomicBool::new(false),
            writes: BackgroundWrites::default(),
        }
    }

    /// The fresh result of a domain, if it is in memory.
    pub(super) fn in_memory(
        &self,
        domain: &str,
        representation: Representation,
    ) -> Option<CachedBody> {
        self.memory.find(domain, representation, self.now())
    }

    /// The fresh result of a domain in both languages, if it is in memory.
    pub(super) fn in_all_languages(&self, domain: &str) -> Option<CachedResult> {
        self.memory.find_all_languages(domain, self.now())
    }

    /// The fresh result of a domain, if the database has one. Blocks.
    pub(super) fn in_database(
        &self,
        domain: &str,
        representation: Representation,
    ) -> Option<CachedBody> {
        let now = self.now();
        if self.is_void.load(Ordering::Acquire) {
            return None;
        }
        let found = self
            .stores
            .sqlite()
            .find_scan(domain, representation.lang, RUBRIC_VERSION)
            .unwrap_or_else(|error| {
                self.failed(&error, "a result cannot be read");
                None
            })?;
        let compressed = CachedBody {
            taken_at: found.taken_at,
            expires_at: found.expires_at.min(expires_at(found.taken_at)),
            tag: found.tag.into(),
            body: found.body.into(),
        };
        compressed
            .is_fresh(now)
            .then(|| self.memory.insert_one(domain, representation, compressed))
            .flatten()
    }

    /// Keeps a result: in memory now, in the database soon.
    pub(super) fn store(self: &Arc<Self>, scan: StoredScan) {
        let tag: Arc<str> = scan.tag.as_str().into();
        let cached = |body: &Bytes| CachedBody {
            taken_at: scan.scanned_at,
            expires_at: scan.expires_at,
            tag: Arc::clone(&tag),
            body: body.clone(),
        };
        self.memory.insert_all_languages(
            &scan.domain,
            &CachedResult { en: cached(&scan.en), tr: cached(&scan.tr) },
        );
        let results = Arc::clone(self);
        if self.writes.spawn(move || results.write(&scan)).is_err() {
            tracing::warn!("a result is not kept in the database: too many wait to be written");
            self.metrics.scans().store_failure();
        }
    }

    fn write(&self, scan: &StoredScan) {
        let is_void = self.is_void.load(Ordering::Acquire);
        let others = if is_void { OlderResults::Remove } else { OlderResults::Keep };
        match self.stores.sqlite().store_scan(scan, others) {
            Ok(()) if is_void => self.is_void.store(false, Ordering::Release),
            Ok(()) => {}
            Err(error) => self.failed(&error, "a result is not kept in the database"),
        }
    }

    fn failed(&self, error: &StoreError, what: &str) {
        let cause = error.source.as_deref().map(ToString::to_string).unwrap_or_default();
        tracing::error!(%error, cause, "{what}");
        self.metrics.scans().store_failure();
    }

    /// The time. A clock that has gone back makes all results void: how old they are is not known.
    fn now(&self) -> DateTime<Utc> {
        let now = clock::now();
        if self.clock.has_gone_back(now, Instant::now()) {
            tracing::warn!(%now, "the clock has gone back; cached scans are not used");
            self.invalidate_all();
        }
        now
    }

    /// Serves nothing of what is kept any more. The database is cleared with the next result.
    fn invalidate_all(&self) {
        self.is_void.store(true, Ordering::Release);
        self.memory.clear();
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use visibility_core::scan::snapshot::SiteSnapshot;
    use visibility_core::text::locale::Lang;

    use super::*;
    use crate::jobs::cache::Coding;
    use crate::jobs::scans::render::render;

    fn scan(domain: &str, seconds_ago: i64) -> StoredScan {
        let scanned_at = clock::now() - TimeDelta::seconds(seconds_ago);
        let site = SiteSnapshot::new(domain.parse().unwrap(), scanned_at);
        render(&site).unwrap().stored
    }

    /// Keeps a result, and waits until it is written.
    async fn keep(results: &Arc<ScanCache>, domain: &str, seconds_ago: i64) {
        results.store(scan(domain, seconds_ago));
        results.writes.done().await;
    }

    #[tokio::test]
    async fn a_clock_that_goes_back_voids_what_is_in_memory_and_in_the_database() {
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let open = || {
            let (stores, metrics) = (Arc::clone(&stores), Arc::new(Metrics::default()));
            Arc::new(ScanCache::new(1024 * 1024, stores, metrics))
        };
        let results = open();
        let representation = Representation { lang: Lang::Tr, coding: Coding::Identity };
        keep(&results, "a.com", 0).await;
        assert!(results.in_memory("a.com", representation).is_some());
        assert!(open().in_database("a.com", representation).is_some());
        results.invalidate_all();
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
        let results = Arc::new(ScanCache::new(1024 * 1024, stores, Arc::new(Metrics::default())));
        let representation = Representation { lang: Lang::En, coding: Coding::Identity };
        let tag = || results.in_memory("a.com", representation).unwrap().tag;
        keep(&results, "a.com", 10).await;
        let old = tag();
        keep(&results, "a.com", 0).await;
        assert_ne!(tag(), old);
    }
}
