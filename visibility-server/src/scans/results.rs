//! Results that are kept: in the database for a day, and in memory for as long as there is room.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use chrono::{DateTime, Utc};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use visibility_core::locale::Lang;
use visibility_core::scan::score::RUBRIC_VERSION;
use visibility_core::store::StoreError;

use super::clock::WatchedClock;
use super::kept::{Coding, Form, Kept};
use super::memory::Memory;
use super::render::expires_at;
use crate::clock;
use crate::metrics::Metrics;
use crate::stores::Stores;
use crate::stores::sqlite::scans::{KeptScan, Others};

/// Results that wait to be written at the same time; more are not kept in the database.
const WRITES: usize = 16;

/// Results by domain.
#[derive(Debug)]
pub(super) struct Results {
    memory: Memory,
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    clock: WatchedClock,
    /// Whether what the database has is older than a step of the clock, so that nobody knows how old.
    is_void: AtomicBool,
    writes: Arc<Semaphore>,
}

/// A result in both languages, as gzip.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    en: Kept,
    tr: Kept,
}

impl Packed {
    /// The result in a form.
    pub(crate) fn of(&self, form: Form) -> Option<Kept> {
        let kept = match form.lang {
            Lang::En => &self.en,
            Lang::Tr => &self.tr,
        };
        match form.coding {
            Coding::Identity => kept.unpack(),
            Coding::Gzip => Some(kept.clone()),
        }
    }
}

impl Results {
    /// Results with so many octets of memory.
    pub(super) fn new(memory: u64, stores: Arc<Stores>, metrics: Arc<Metrics>) -> Self {
        Self {
            memory: Memory::new(memory),
            stores,
            metrics,
            clock: WatchedClock::new(clock::now(), Instant::now()),
            is_void: AtomicBool::new(false),
            writes: Arc::new(Semaphore::new(WRITES)),
        }
    }

    /// The fresh result of a domain, if it is in memory.
    pub(super) fn in_memory(&self, domain: &str, form: Form) -> Option<Kept> {
        let now = self.now();
        let find = |form| self.memory.find(domain, form).filter(|kept| kept.is_fresh(now));
        find(form).or_else(|| match form.coding {
            Coding::Gzip => None,
            Coding::Identity => self.remember_unpacked(domain, form, &find(form.packed())?),
        })
    }

    /// The fresh result of a domain in both languages, if it is in memory.
    pub(super) fn packed(&self, domain: &str) -> Option<Packed> {
        let of = |lang| self.in_memory(domain, Form { lang, coding: Coding::Gzip });
        Some(Packed { en: of(Lang::En)?, tr: of(Lang::Tr)? })
    }

    /// The fresh result of a domain, if the database has one. Blocks.
    pub(super) fn in_database(&self, domain: &str, form: Form) -> Option<Kept> {
        let now = self.now();
        if self.is_void.load(Ordering::Acquire) {
            return None;
        }
        let found = self.stores.sqlite().kept_scan(domain, form.lang, RUBRIC_VERSION);
        let found = found.unwrap_or_else(|error| {
            self.failed(&error, "a result cannot be read");
            None
        })?;
        let packed = Kept {
            scanned_at: found.scanned_at,
            expires_at: found.expires_at.min(expires_at(found.scanned_at)),
            tag: found.tag.into(),
            body: found.body.into(),
        };
        if !packed.is_fresh(now) {
            return None;
        }
        self.memory.keep(domain, form.packed(), packed.clone());
        match form.coding {
            Coding::Gzip => Some(packed),
            Coding::Identity => self.remember_unpacked(domain, form, &packed),
        }
    }

    /// Keeps a result: in memory now, in the database soon.
    pub(super) fn keep(self: &Arc<Self>, scan: KeptScan) {
        let tag: Arc<str> = scan.tag.as_str().into();
        for (lang, body) in [(Lang::En, &scan.en), (Lang::Tr, &scan.tr)] {
            let (packed, plain) = (Coding::Gzip, Coding::Identity);
            let kept = Kept {
                scanned_at: scan.scanned_at,
                expires_at: scan.expires_at,
                tag: Arc::clone(&tag),
                body: body.clone(),
            };
            self.memory.keep(&scan.domain, Form { lang, coding: packed }, kept);
            // What was unpacked of the result before goes.
            self.memory.forget(&scan.domain, Form { lang, coding: plain });
        }
        let Ok(permit) = Arc::clone(&self.writes).try_acquire_owned() else {
            tracing::warn!("a result is not kept in the database: too many wait to be written");
            self.metrics.scans().store_failure();
            return;
        };
        let results = Arc::clone(self);
        // Nobody waits for the disk.
        spawn_blocking(move || {
            let _permit = permit;
            results.write(&scan);
        });
    }

    fn write(&self, scan: &KeptScan) {
        let is_void = self.is_void.load(Ordering::Acquire);
        let others = if is_void { Others::Go } else { Others::Stay };
        match self.stores.sqlite().keep_scan(scan, others) {
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

    fn remember_unpacked(&self, domain: &str, form: Form, packed: &Kept) -> Option<Kept> {
        let kept = packed.unpack()?;
        self.memory.keep(domain, form, kept.clone());
        Some(kept)
    }

    /// The time. A clock that has gone back makes all results void: how old they are is not known.
    fn now(&self) -> DateTime<Utc> {
        let now = clock::now();
        if self.clock.has_gone_back(now, Instant::now()) {
            tracing::warn!(%now, "the clock has gone back; results of scans are made anew");
            self.make_void();
        }
        now
    }

    /// Serves nothing of what is kept any more. The database is cleared with the next result.
    fn make_void(&self) {
        self.is_void.store(true, Ordering::Release);
        self.memory.clear();
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use visibility_core::scan::snapshot::SiteSnapshot;

    use super::*;
    use crate::scans::render::render;

    fn scan(domain: &str, seconds_ago: i64) -> KeptScan {
        let scanned_at = clock::now() - TimeDelta::seconds(seconds_ago);
        let site = SiteSnapshot::new(domain.parse().unwrap(), scanned_at);
        render(&site).unwrap().kept
    }

    /// Keeps a result, and waits until it is written.
    async fn keep(results: &Arc<Results>, domain: &str, seconds_ago: i64) {
        results.keep(scan(domain, seconds_ago));
        let written = results.writes.acquire_many(u32::try_from(WRITES).unwrap());
        drop(written.await.unwrap());
    }

    #[tokio::test]
    async fn a_clock_that_goes_back_voids_what_is_in_memory_and_in_the_database() {
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let open = || {
            let (stores, metrics) = (Arc::clone(&stores), Arc::new(Metrics::default()));
            Arc::new(Results::new(1024 * 1024, stores, metrics))
        };
        let results = open();
        let form = Form { lang: Lang::Tr, coding: Coding::Identity };
        keep(&results, "a.com", 0).await;
        assert!(results.in_memory("a.com", form).is_some());
        assert!(open().in_database("a.com", form).is_some());
        results.make_void();
        assert!(results.in_memory("a.com", form).is_none());
        assert!(results.in_database("a.com", form).is_none());
        keep(&results, "b.com", 0).await;
        assert!(results.in_memory("b.com", form).is_some());
        let body = results.in_database("b.com", form).unwrap().body;
        assert!(body.starts_with(b"{\"cached\":true"));
        assert!(results.in_database("a.com", form).is_none(), "nobody knows how old it is");
    }

    #[tokio::test]
    async fn a_new_result_takes_the_place_of_what_was_unpacked_of_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let results = Arc::new(Results::new(1024 * 1024, stores, Arc::new(Metrics::default())));
        let form = Form { lang: Lang::En, coding: Coding::Identity };
        let tag = || results.in_memory("a.com", form).unwrap().tag;
        keep(&results, "a.com", 10).await;
        let old = tag();
        keep(&results, "a.com", 0).await;
        assert_ne!(tag(), old);
    }
}
