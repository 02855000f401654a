//! Caches audits: in the database for weeks, and in memory while there is room.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use flate2::Compression;
use visibility_core::audit::score::RUBRIC_VERSION;
use visibility_core::store::StoreError;

use super::fresh_until;
use super::render::{RenderedView, View};
use crate::http::validators::{digest, gzip};
use crate::jobs::cache::clock::WatchedClock;
use crate::jobs::cache::memory::MemoryCache;
use crate::jobs::cache::writes::BackgroundWrites;
use crate::jobs::cache::{CachedBody, CachedResult, Coding, Representation};
use crate::runtime::clock;
use crate::settings;
use crate::stores::Stores;
use crate::stores::sqlite::audits::StoredAudit;
use crate::stores::sqlite::scans::{OlderResults, StoredBody};
use crate::telemetry::metrics::Metrics;

/// Results by page and by id.
#[derive(Debug)]
pub(super) struct AuditCache {
    memory: MemoryCache,
    keep_for: TimeDelta,
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    clock: WatchedClock,
    /// Whether stored results are older than a step of the clock, so that their age is unknown.
    is_void: AtomicBool,
    writes: BackgroundWrites,
}

impl AuditCache {
    /// Results with so many bytes of memory, and as much time as the settings give them.
    pub(super) fn new(
        settings: &settings::AuditSettings,
        memory: u64,
        stores: &Arc<Stores>,
        metrics: &Arc<Metrics>,
    ) -> Self {
        Self {
            memory: MemoryCache::new(memory),
            keep_for: TimeDelta::days(settings.keep_days.into()),
            stores: Arc::clone(stores),
            metrics: Arc::clone(metrics),
            clock: WatchedClock::new(clock::now(), Instant::now()),
            is_void: AtomicBool::new(false),
            writes: BackgroundWrites::default(),
        }
    }

    /// The fresh result of a page, if it is in memory.
    pub(super) fn page_in_memory(
        &self,
        name: &str,
        representation: Representation,
    ) -> Option<CachedBody> {
        self.memory.find(name, representation, self.now())
    }

    /// The fresh result of a page in both languages, if it is in memory.
    pub(super) fn page_in_all_languages(&self, name: &str) -> Option<CachedResult> {
        self.memory.find_all_languages(name, self.now())
    }

    /// The fresh result of a page, if the database has one. Blocks.
    pub(super) fn page_in_database(
        &self,
        name: &str,
        representation: Representation,
    ) -> Option<CachedBody> {
        let now = self.now();
        if self.is_void.load(Ordering::Acquire) {
            return None;
        }
        let found = self.stores.sqlite().audit_of_page(name, representation.lang, RUBRIC_VERSION);
        let found = self.read(found)?;
        let expires_at = found.expires_at.min(fresh_until(found.taken_at));
        let compressed = cached_body(found, expires_at);
        compressed
            .is_fresh(now)
            .then(|| self.memory.insert_one(name, representation, compressed))
            .flatten()
    }

    /// A view of the result with an id, if it is in memory.
    pub(super) fn view_in_memory(
        &self,
        id: &str,
        view: View,
        representation: Representation,
    ) -> Option<RenderedView> {
        let cached = self.memory.find(&name_of(id, view), representation, self.now())?;
        Some(RenderedView { view, cached })
    }

    /// A view of the result with an id, if the database has it. Blocks.
    pub(super) fn view_in_database(
        &self,
        id: &str,
        view: View,
        representation: Representation,
    ) -> Option<RenderedView> {
        if view == View::Json {
            return Some(RenderedView { view, cached: self.json(id, representation)? });
        }
        let json = self.json(id, Representation { coding: Coding::Identity, ..representation })?;
        let shown = view.render(&json.body).and_then(|body| {
            // Another version of the program may show the same result otherwise.
            let tag = format!("{id}-{}", digest(&body)).into();
            Ok(CachedBody { body: gzip(&body, Compression::default())?, tag, ..json })
        });
        match shown {
            Ok(compressed) => {
                let cached =
                    self.memory.insert_one(&name_of(id, view), representation, compressed)?;
                Some(RenderedView { view, cached })
            }
            Err(error) => {
                tracing::error!(%error, "an audit that was kept cannot be shown");
                None
            }
        }
    }

    /// The result with an id as it is kept. Blocks.
    fn json(&self, id: &str, representation: Representation) -> Option<CachedBody> {
        let now = self.now();
        self.memory.find(id, representation, now).or_else(|| {
            let found = self.read(self.stores.sqlite().audit(id, representation.lang))?;
            let expires_at = found.taken_at + self.keep_for;
            // A result ahead of the clock is shown: its age does not matter when it is found by its id.
            let compressed = cached_body(found, expires_at);
            (now < expires_at)
                .then(|| self.memory.insert_one(id, representation, compressed))
                .flatten()
        })
    }

    /// Keeps a result: in memory now, in the database soon. Gives it in both languages.
    pub(super) fn store(self: &Arc<Self>, audit: StoredAudit) -> CachedResult {
        let of = |body: &Bytes, expires_at| CachedBody {
            taken_at: audit.created_at,
            expires_at,
            tag: audit.id.as_str().into(),
            body: body.clone(),
        };
        let both = |expires_at| CachedResult {
            en: of(&audit.en, expires_at),
            tr: of(&audit.tr, expires_at),
        };
        let compressed = both(audit.expires_at);
        if let Some(name) = &audit.name {
            self.memory.insert_all_languages(name, &compressed);
        }
        self.memory.insert_all_languages(&audit.id, &both(audit.created_at + self.keep_for));
        let results = Arc::clone(self);
        if self.writes.spawn(move || results.write(&audit)).is_err() {
            tracing::warn!("an audit is not kept in the database: too many wait to be written");
            self.metrics.audits().store_failure();
        }
        compressed
    }

    fn write(&self, audit: &StoredAudit) {
        let is_void = self.is_void.load(Ordering::Acquire);
        let others = if is_void { OlderResults::Remove } else { OlderResults::Keep };
        match self.stores.sqlite().store_audit(audit, others) {
            Ok(()) if is_void => self.is_void.store(false, Ordering::Release),
            Ok(()) => {}
            Err(error) => self.failed(&error, "an audit is not kept in the database"),
        }
    }

    fn read(&self, found: Result<Option<StoredBody>, StoreError>) -> Option<StoredBody> {
        found.unwrap_or_else(|error| {
            self.failed(&error, "an audit cannot be read");
            None
        })
    }

    fn failed(&self, error: &StoreError, what: &str) {
        let cause = error.source.as_deref().map(ToString::to_string).unwrap_or_default();
        tracing::error!(%error, cause, "{what}");
        self.metrics.audits().store_failure();
    }

    /// The time. A clock that has gone back ends the standing in of all results: how old they are is not
    /// known.
    fn now(&self) -> DateTime<Utc> {
        let now = clock::now();
        if self.clock.has_gone_back(now, Instant::now()) {
            tracing::warn!(%now, "the clock has gone back; cached audits are not used");
            self.invalidate_all();
        }
        now
    }

    fn invalidate_all(&self) {
        self.is_void.store(true, Ordering::Release);
        self.memory.clear();
    }
}

fn cached_body(found: StoredBody, expires_at: DateTime<Utc>) -> CachedBody {
    CachedBody {
        taken_at: found.taken_at,
        expires_at,
        tag: found.tag.into(),
        body: found.body.into(),
    }
}

/// The name of a view in memory.
fn name_of(id: &str, view: View) -> String {
    format!("{id}{}", view.suffix())
}
