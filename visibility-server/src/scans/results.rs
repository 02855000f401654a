//! Results that are kept: in the database for a day, and in memory for as long as there is room.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use visibility_core::locale::Lang;
use visibility_core::scan::score::RUBRIC_VERSION;
use visibility_core::store::StoreError;

use super::clock::WatchedClock;
use super::render::{expires_at, unpack};
use crate::clock;
use crate::metrics::Metrics;
use crate::stores::Stores;
use crate::stores::sqlite::scans::{KeptScan, Others};

/// How far a result may be ahead of the clock.
const SKEW: TimeDelta = TimeDelta::seconds(5);
/// Octets that an entry of the memory takes beside its body.
const OVERHEAD: usize = 256;
/// Octets of a usual entry, for the size of the index.
const USUAL_BYTES: u64 = 16 * 1024;
/// Results that wait to be written at the same time; more are not kept in the database.
const WRITES: usize = 16;

/// In which form an answer is sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Form {
    pub(crate) lang: Lang,
    pub(crate) coding: Coding,
}

/// The content coding of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
}

impl Form {
    fn number(self) -> u8 {
        match (self.lang, self.coding) {
            (Lang::En, Coding::Identity) => 0,
            (Lang::En, Coding::Gzip) => 1,
            (Lang::Tr, Coding::Identity) => 2,
            (Lang::Tr, Coding::Gzip) => 3,
        }
    }

    fn packed(self) -> Self {
        Self { coding: Coding::Gzip, ..self }
    }
}

/// A result in one form.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) scanned_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
    /// Changes with the result, and is the same in all forms.
    pub(crate) tag: Arc<str>,
    pub(crate) body: Bytes,
}

impl Kept {
    /// The time since the scan.
    pub(crate) fn age(&self) -> TimeDelta {
        (clock::now() - self.scanned_at).max(TimeDelta::zero())
    }

    fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        self.scanned_at <= now + SKEW && now < self.expires_at
    }

    fn unpack(&self) -> Option<Self> {
        match unpack(&self.body) {
            Ok(body) => Some(Self { body, ..self.clone() }),
            Err(error) => {
                tracing::error!(%error, "a result that was kept cannot be unpacked");
                None
            }
        }
    }
}

#[derive(Debug, Eq, Hash, PartialEq)]
struct Key {
    domain: Box<str>,
    form: u8,
}

#[derive(Hash)]
struct KeyRef<'a> {
    domain: &'a str,
    form: u8,
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.form == key.form && *self.domain == *key.domain
    }
}

#[derive(Clone, Debug)]
struct Octets;

impl Weighter<Key, Kept> for Octets {
    fn weight(&self, key: &Key, kept: &Kept) -> u64 {
        u64::try_from(key.domain.len() + kept.body.len() + OVERHEAD).unwrap_or(u64::MAX)
    }
}

/// Results by domain.
#[derive(Debug)]
pub(super) struct Results {
    memory: Cache<Key, Kept, Octets>,
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    clock: WatchedClock,
    /// Whether what the database has is older than a step of the clock, so that nobody knows how old.
    is_void: AtomicBool,
    writes: Arc<Semaphore>,
}

impl Results {
    /// Results with so many octets of memory.
    pub(super) fn new(memory: u64, stores: Arc<Stores>, metrics: Arc<Metrics>) -> Self {
        let entries = usize::try_from(memory / USUAL_BYTES).unwrap_or(usize::MAX);
        Self {
            memory: Cache::with_weighter(entries, memory, Octets),
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
        let found = self.memory.get(&KeyRef { domain, form: form.number() });
        let found = found.or_else(|| self.unpacked(domain, form));
        found.filter(|kept| kept.is_fresh(now))
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
        self.remember(domain, form.packed(), packed.clone());
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
            self.remember(&scan.domain, Form { lang, coding: packed }, kept);
            // What was unpacked of the result before goes.
            let form = Form { lang, coding: plain }.number();
            self.memory.remove(&KeyRef { domain: &scan.domain, form });
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

    /// The body of a result that is in memory as gzip.
    fn unpacked(&self, domain: &str, form: Form) -> Option<Kept> {
        if form.coding == Coding::Gzip {
            return None;
        }
        let packed = self.memory.get(&KeyRef { domain, form: form.packed().number() })?;
        self.remember_unpacked(domain, form, &packed)
    }

    fn remember_unpacked(&self, domain: &str, form: Form, packed: &Kept) -> Option<Kept> {
        let kept = packed.unpack()?;
        self.remember(domain, form, kept.clone());
        Some(kept)
    }

    fn remember(&self, domain: &str, form: Form, kept: Kept) {
        self.memory.insert(Key { domain: domain.into(), form: form.number() }, kept);
    }

    /// The time. A clock that has gone back makes all results void: how old they are is not known.
    fn now(&self) -> DateTime<Utc> {
        let now = clock::now();
        if self.clock.has_gone_back(now, Instant::now()) {
            tracing::warn!(%now, "the clock has gone back; results of scans are made anew");
            self.is_void.store(true, Ordering::Release);
            self.memory.clear();
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_fresh_for_a_day_and_never_before_it_was_made() {
        let start = DateTime::UNIX_EPOCH;
        let kept = Kept {
            scanned_at: start,
            expires_at: expires_at(start),
            tag: "a".into(),
            body: Bytes::new(),
        };
        let is_fresh = |seconds| kept.is_fresh(start + TimeDelta::seconds(seconds));
        assert!(is_fresh(0) && is_fresh(86_399) && is_fresh(-5));
        assert!(!is_fresh(86_400) && !is_fresh(-6));
    }
}
