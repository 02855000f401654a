//! Results of one kind, of scans or of audits: in memory while there is room, and in the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use chrono::{DateTime, Utc};
use visibility_core::store::StoreError;

use super::clock::WatchedClock;
use super::memory::MemoryCache;
use super::writes::BackgroundWrites;
use super::{CachedBody, CachedResult, Representation};
use crate::runtime::clock;
use crate::stores::Stores;
use crate::stores::state::StateStore;
use crate::stores::state::scans::{OlderResults, StoredBody};
use crate::telemetry::metrics::Metrics;

/// Counts a result that could not be read or kept.
type CountFailure = fn(&Metrics);

/// Results of one kind, by name.
#[derive(Debug)]
pub(crate) struct ResultCache {
    memory: MemoryCache,
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    count_failure: CountFailure,
    clock: WatchedClock,
    /// Whether stored results are older than a step of the clock, so that their age is unknown.
    is_void: AtomicBool,
    writes: BackgroundWrites,
}

impl ResultCache {
    /// Results with so many bytes of memory.
    pub(crate) fn new(
        memory: u64,
        stores: Arc<Stores>,
        metrics: Arc<Metrics>,
        count_failure: CountFailure,
    ) -> Arc<Self> {
        Arc::new(Self {
            memory: MemoryCache::new(memory),
            stores,
            metrics,
            count_failure,
            clock: WatchedClock::new(clock::now(), Instant::now()),
            is_void: AtomicBool::new(false),
            writes: BackgroundWrites::default(),
        })
    }

    /// The fresh result of a name, if it is in memory.
    pub(crate) fn find(&self, name: &str, representation: Representation) -> Option<CachedBody> {
        self.memory.find(name, representation, self.now())
    }

    /// The fresh result of a name in both languages, if it is in memory.
    pub(crate) fn find_all_languages(&self, name: &str) -> Option<CachedResult> {
        self.memory.find_all_languages(name, self.now())
    }

    /// The fresh result of a name, if the database has one whose age is known. `fresh_until` says how long one of
    /// a time is fresh. Blocks.
    pub(crate) fn find_stored(
        &self,
        name: &str,
        representation: Representation,
        fresh_until: fn(DateTime<Utc>) -> DateTime<Utc>,
        read: impl FnOnce(&StateStore) -> Result<Option<StoredBody>, StoreError>,
    ) -> Option<CachedBody> {
        let now = self.now();
        if self.is_void.load(Ordering::Acquire) {
            return None;
        }
        let found = self.read(read)?;
        let expires_at = found.expires_at.min(fresh_until(found.taken_at));
        let compressed = found.into_cached(expires_at);
        compressed
            .is_fresh(now)
            .then(|| self.memory.insert_one(name, representation, compressed))
            .flatten()
    }

    /// What the database has, whatever its age; a failure is logged and counted. Blocks.
    pub(crate) fn read(
        &self,
        read: impl FnOnce(&StateStore) -> Result<Option<StoredBody>, StoreError>,
    ) -> Option<StoredBody> {
        read(self.stores.state_store()).unwrap_or_else(|error| {
            self.failed(&error, "cannot read a result");
            None
        })
    }

    /// Keeps a result of the database in memory, and gives it in a form.
    pub(crate) fn keep_one(
        &self,
        name: &str,
        representation: Representation,
        compressed: CachedBody,
    ) -> Option<CachedBody> {
        self.memory.insert_one(name, representation, compressed)
    }

    /// Keeps a new result in memory.
    pub(crate) fn keep(&self, name: &str, compressed: &CachedResult) {
        self.memory.insert_all_languages(name, compressed);
    }

    /// Keeps a new result in the database soon, with `write`.
    pub(crate) fn store(
        self: &Arc<Self>,
        write: impl FnOnce(&StateStore, OlderResults) -> Result<(), StoreError> + Send + 'static,
    ) {
        let results = Arc::clone(self);
        if self.writes.spawn(move || results.write(write)).is_err() {
            tracing::warn!(
                "a result is not stored in the database: too many are waiting to be \
                written"
            );
            (self.count_failure)(&self.metrics);
        }
    }

    fn write(&self, write: impl FnOnce(&StateStore, OlderResults) -> Result<(), StoreError>) {
        let is_void = self.is_void.load(Ordering::Acquire);
        let others = if is_void { OlderResults::Remove } else { OlderResults::Keep };
        match write(self.stores.state_store(), others) {
            Ok(()) if is_void => self.is_void.store(false, Ordering::Release),
            Ok(()) => {}
            Err(error) => self.failed(&error, "a result is not stored in the database"),
        }
    }

    fn failed(&self, error: &StoreError, what: &str) {
        let cause = error.source.as_deref().map(ToString::to_string).unwrap_or_default();
        tracing::error!(%error, cause, "{what}");
        (self.count_failure)(&self.metrics);
    }

    /// The time. A clock that has gone back makes all results void: how old they are is not known.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        let now = clock::now();
        if self.clock.has_gone_back(now, Instant::now()) {
            tracing::warn!(%now, "the clock went back; the cache is discarded");
            self.invalidate_all();
        }
        now
    }

    /// Serves nothing of what is kept any more. The database is cleared with the next result.
    pub(crate) fn invalidate_all(&self) {
        self.is_void.store(true, Ordering::Release);
        self.memory.clear();
    }

    /// Waits until all results are written.
    #[cfg(test)]
    pub(crate) async fn written(&self) {
        self.writes.done().await;
    }
}

impl StoredBody {
    /// As it is kept in memory, until a time.
    pub(crate) fn into_cached(self, expires_at: DateTime<Utc>) -> CachedBody {
        let Self { taken_at, tag, body, .. } = self;
        CachedBody { taken_at, expires_at, tag: tag.into(), body: body.into() }
    }
}
