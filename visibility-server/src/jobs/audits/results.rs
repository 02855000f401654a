//! Results that are kept: in the database for weeks, and in memory for as long as there is room.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use flate2::Compression;
use visibility_core::audit::score::RUBRIC_VERSION;
use visibility_core::store::StoreError;

use super::render::{View, Viewed};
use super::stands_in_until;
use crate::http::validators::{digest, gzip};
use crate::jobs::cache::clock::WatchedClock;
use crate::jobs::cache::memory::Memory;
use crate::jobs::cache::writes::Writes;
use crate::jobs::cache::{Coding, Form, Kept, Packed};
use crate::runtime::clock;
use crate::settings;
use crate::stores::Stores;
use crate::stores::sqlite::audits::KeptAudit;
use crate::stores::sqlite::scans::{KeptBody, Others};
use crate::telemetry::metrics::Metrics;

/// Results by page and by id.
#[derive(Debug)]
pub(super) struct Results {
    memory: Memory,
    keep_for: TimeDelta,
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    clock: WatchedClock,
    /// Whether what the database has is older than a step of the clock, so that nobody knows how old.
    is_void: AtomicBool,
    writes: Writes,
}

impl Results {
    /// Results with so many octets of memory, and as much time as the settings give them.
    pub(super) fn new(
        settings: &settings::Audits,
        memory: u64,
        stores: &Arc<Stores>,
        metrics: &Arc<Metrics>,
    ) -> Self {
        Self {
            memory: Memory::new(memory),
            keep_for: TimeDelta::days(settings.keep_days.into()),
            stores: Arc::clone(stores),
            metrics: Arc::clone(metrics),
            clock: WatchedClock::new(clock::now(), Instant::now()),
            is_void: AtomicBool::new(false),
            writes: Writes::default(),
        }
    }

    /// The fresh result of a page, if it is in memory.
    pub(super) fn of_page_in_memory(&self, name: &str, form: Form) -> Option<Kept> {
        self.memory.find(name, form, self.now())
    }

    /// The fresh result of a page in both languages, if it is in memory.
    pub(super) fn packed(&self, name: &str) -> Option<Packed> {
        self.memory.packed(name, self.now())
    }

    /// The fresh result of a page, if the database has one. Blocks.
    pub(super) fn of_page_in_database(&self, name: &str, form: Form) -> Option<Kept> {
        let now = self.now();
        if self.is_void.load(Ordering::Acquire) {
            return None;
        }
        let found = self.stores.sqlite().audit_of_page(name, form.lang, RUBRIC_VERSION);
        let found = self.read(found)?;
        let expires_at = found.expires_at.min(stands_in_until(found.taken_at));
        let packed = kept(found, expires_at);
        packed.is_fresh(now).then(|| self.memory.take_in(name, form, packed)).flatten()
    }

    /// A view of the result with an id, if it is in memory.
    pub(super) fn view_in_memory(&self, id: &str, view: View, form: Form) -> Option<Viewed> {
        let kept = self.memory.find(&name_of(id, view), form, self.now())?;
        Some(Viewed { view, kept })
    }

    /// A view of the result with an id, if the database has it. Blocks.
    pub(super) fn view_in_database(&self, id: &str, view: View, form: Form) -> Option<Viewed> {
        if view == View::Json {
            return Some(Viewed { view, kept: self.json(id, form)? });
        }
        let json = self.json(id, Form { coding: Coding::Identity, ..form })?;
        let shown = view.of(&json.body).and_then(|body| {
            // Another version of the program may show the same result otherwise.
            let tag = format!("{id}-{}", digest(&body)).into();
            Ok(Kept { body: gzip(&body, Compression::default())?, tag, ..json })
        });
        match shown {
            Ok(packed) => {
                let kept = self.memory.take_in(&name_of(id, view), form, packed)?;
                Some(Viewed { view, kept })
            }
            Err(error) => {
                tracing::error!(%error, "an audit that was kept cannot be shown");
                None
            }
        }
    }

    /// The result with an id as it is kept. Blocks.
    fn json(&self, id: &str, form: Form) -> Option<Kept> {
        let now = self.now();
        self.memory.find(id, form, now).or_else(|| {
            let found = self.read(self.stores.sqlite().audit(id, form.lang))?;
            let expires_at = found.taken_at + self.keep_for;
            // One that is ahead of the clock is shown: of what is found by its id, nobody asks how old it is.
            let packed = kept(found, expires_at);
            (now < expires_at).then(|| self.memory.take_in(id, form, packed)).flatten()
        })
    }

    /// Keeps a result: in memory now, in the database soon. Gives it in both languages.
    pub(super) fn keep(self: &Arc<Self>, audit: KeptAudit) -> Packed {
        let of = |body: &Bytes, expires_at| Kept {
            taken_at: audit.created_at,
            expires_at,
            tag: audit.id.as_str().into(),
            body: body.clone(),
        };
        let both =
            |expires_at| Packed { en: of(&audit.en, expires_at), tr: of(&audit.tr, expires_at) };
        let packed = both(audit.expires_at);
        if let Some(name) = &audit.name {
            self.memory.keep(name, &packed);
        }
        self.memory.keep(&audit.id, &both(audit.created_at + self.keep_for));
        let results = Arc::clone(self);
        if self.writes.soon(move || results.write(&audit)).is_err() {
            tracing::warn!("an audit is not kept in the database: too many wait to be written");
            self.metrics.audits().store_failure();
        }
        packed
    }

    fn write(&self, audit: &KeptAudit) {
        let is_void = self.is_void.load(Ordering::Acquire);
        let others = if is_void { Others::Go } else { Others::Stay };
        match self.stores.sqlite().keep_audit(audit, others) {
            Ok(()) if is_void => self.is_void.store(false, Ordering::Release),
            Ok(()) => {}
            Err(error) => self.failed(&error, "an audit is not kept in the database"),
        }
    }

    fn read(&self, found: Result<Option<KeptBody>, StoreError>) -> Option<KeptBody> {
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
            tracing::warn!(%now, "the clock has gone back; audits are made anew");
            self.make_void();
        }
        now
    }

    fn make_void(&self) {
        self.is_void.store(true, Ordering::Release);
        self.memory.clear();
    }
}

fn kept(found: KeptBody, expires_at: DateTime<Utc>) -> Kept {
    Kept { taken_at: found.taken_at, expires_at, tag: found.tag.into(), body: found.body.into() }
}

/// The name of a view in memory.
fn name_of(id: &str, view: View) -> String {
    format!("{id}{}", view.suffix())
}
