//! Caches audits: in the database for weeks, and in memory while there is room.

use std::sync::Arc;

use bytes::Bytes;
use chrono::TimeDelta;
use flate2::Compression;
use visibility_core::audit::score::RUBRIC_VERSION;

use super::fresh_until;
use super::render::{RenderedView, View};
use crate::http::validators::{digest, gzip};
use crate::jobs::cache::results::ResultCache;
use crate::jobs::cache::{CachedBody, CachedResult, Coding, Representation};
use crate::settings;
use crate::stores::Stores;
use crate::stores::state::audits::StoredAudit;
use crate::telemetry::metrics::Metrics;

/// Results by page and by id.
#[derive(Debug)]
pub(super) struct AuditCache {
    results: Arc<ResultCache>,
    keep_for: TimeDelta,
}

impl AuditCache {
    /// Results with so many bytes of memory, and as much time as the settings give them.
    pub(super) fn new(
        settings: &settings::AuditSettings,
        memory: u64,
        stores: &Arc<Stores>,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let count_failure = |metrics: &Metrics| metrics.audits().store_failure();
        Self {
            results: ResultCache::new(
                memory,
                Arc::clone(stores),
                Arc::clone(metrics),
                count_failure,
            ),
            keep_for: TimeDelta::days(settings.keep_days.into()),
        }
    }

    /// The fresh result of a page, if it is in memory.
    pub(super) fn page_in_memory(
        &self,
        name: &str,
        representation: Representation,
    ) -> Option<CachedBody> {
        self.results.find(name, representation)
    }

    /// The fresh result of a page in both languages, if it is in memory.
    pub(super) fn page_in_all_languages(&self, name: &str) -> Option<CachedResult> {
        self.results.find_all_languages(name)
    }

    /// The fresh result of a page, if the database has one. Blocks.
    pub(super) fn page_in_database(
        &self,
        name: &str,
        representation: Representation,
    ) -> Option<CachedBody> {
        self.results.find_stored(name, representation, fresh_until, |state_store| {
            state_store.audit_of_page(name, representation.lang, RUBRIC_VERSION)
        })
    }

    /// A view of the result with an id, if it is in memory.
    pub(super) fn view_in_memory(
        &self,
        id: &str,
        view: View,
        representation: Representation,
    ) -> Option<RenderedView> {
        let cached = self.results.find(&name_of(id, view), representation)?;
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
                    self.results.keep_one(&name_of(id, view), representation, compressed)?;
                Some(RenderedView { view, cached })
            }
            Err(error) => {
                tracing::error!(%error, "cannot show a stored audit");
                None
            }
        }
    }

    /// The result with an id as it is kept. Blocks.
    fn json(&self, id: &str, representation: Representation) -> Option<CachedBody> {
        self.results.find(id, representation).or_else(|| {
            let found =
                self.results.read(|state_store| state_store.audit(id, representation.lang))?;
            let expires_at = found.taken_at + self.keep_for;
            // A result ahead of the clock is shown: its age does not matter when it is found by its id.
            let compressed = found.into_cached(expires_at);
            (self.results.now() < expires_at)
                .then(|| self.results.keep_one(id, representation, compressed))
                .flatten()
        })
    }

    /// Keeps a result: in memory now, in the database soon, and ends what is `held` after that. Gives it in both languages.
    pub(super) fn store(&self, audit: StoredAudit, held: impl Send + 'static) -> CachedResult {
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
            self.results.keep(name, &compressed);
        }
        self.results.keep(&audit.id, &both(audit.created_at + self.keep_for));
        self.results.store(move |state_store, others| {
            let stored = state_store.store_audit(&audit, others);
            drop(held);
            stored
        });
        compressed
    }
}

/// The name of a view in memory.
fn name_of(id: &str, view: View) -> String {
    format!("{id}{}", view.suffix())
}
