//! What a ledger knows, as plain values: a transaction makes a copy and puts it in its place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, Days, TimeDelta, Utc};
use visibility_core::accounts::tenant::{BatchKey, TenantSlug};
use visibility_core::limits;
use visibility_core::store::{Publication, ResponseBody, StoredResponse};

/// Days for which records are kept; few, so that runs get there.
pub(crate) const RAW_DAYS: u32 = 90;

#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) batches: BTreeMap<BatchKey, Batch>,
    pub(crate) live: BTreeMap<String, LiveFile>,
    pub(crate) retired: BTreeMap<String, DateTime<Utc>>,
    pub(crate) counted: u64,
    pub(crate) forgotten_batches: u64,
    pub(crate) forgotten_rows: u64,
    /// Everything that was committed, for a real database to do the same.
    pub(crate) history: Vec<Arc<Change>>,
}

/// A transaction.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Publish(Box<Publication>),
    Replace { retire: Vec<String>, name: String, file: LiveFile, now: DateTime<Utc> },
    Forget { now: DateTime<Utc> },
    Strike { name: String },
}

#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) answer: StoredResponse,
    received_at: DateTime<Utc>,
}

#[derive(Clone, Debug)]
pub(crate) struct LiveFile {
    pub(crate) tenant: TenantSlug,
    pub(crate) rows: u64,
    pub(crate) newest: DateTime<Utc>,
}

impl Model {
    /// Publishes a batch that is not known.
    pub(crate) fn publish(&mut self, publication: &Publication) {
        let batch =
            Batch { answer: publication.response.clone(), received_at: publication.received_at };
        self.batches.insert(publication.key.clone(), batch);
        if let Some(file) = &publication.file {
            let newest =
                DateTime::from_timestamp_micros(file.max_timestamp_micros).unwrap_or_default();
            let tenant = publication.key.tenant.clone();
            self.live.insert(file.name.clone(), LiveFile { tenant, rows: file.rows, newest });
        }
        self.counted += publication.sums.rollups.iter().map(|row| row.records).sum::<u64>();
        self.history.push(Arc::new(Change::Publish(Box::new(publication.clone()))));
    }

    /// Whether the files are live and have these rows: then one that is new takes their place.
    pub(crate) fn replace(
        &mut self,
        retire: &[String],
        name: &str,
        file: LiveFile,
        now: DateTime<Utc>,
    ) -> bool {
        let old: Option<u64> =
            retire.iter().map(|name| self.live.get(name).map(|file| file.rows)).sum();
        if old != Some(file.rows) {
            return false;
        }
        for name in retire {
            self.live.remove(name);
            self.retired.insert(name.clone(), now);
        }
        self.live.insert(name.to_owned(), file.clone());
        let (retire, name) = (retire.to_vec(), name.to_owned());
        self.history.push(Arc::new(Change::Replace { retire, name, file, now }));
        true
    }

    /// Strikes a retired file.
    pub(crate) fn strike(&mut self, name: &str) -> bool {
        self.history.push(Arc::new(Change::Strike { name: name.to_owned() }));
        self.retired.remove(name).is_some()
    }

    /// Forgets what is too old.
    pub(crate) fn forget(&mut self, now: DateTime<Utc>) {
        let is_old = |_: &BatchKey, batch: &mut Batch| {
            now - batch.received_at > TimeDelta::days(limits::LEDGER_DAYS)
        };
        for (_, batch) in self.batches.extract_if(.., is_old) {
            self.forgotten_batches += batch.answer.counts.accepted;
        }
        let first_kept = now.date_naive() - Days::new(RAW_DAYS.into());
        let is_old = |_: &String, file: &mut LiveFile| file.newest.date_naive() < first_kept;
        for (name, file) in self.live.extract_if(.., is_old) {
            self.forgotten_rows += file.rows;
            self.retired.insert(name, now);
        }
        self.history.push(Arc::new(Change::Forget { now }));
    }

    /// The objects that must exist: a retired file may be gone.
    pub(crate) fn needed(&self) -> BTreeSet<String> {
        let answers = self.batches.values().filter_map(|batch| match &batch.answer.body {
            ResponseBody::Object(object) => Some(object.name.clone()),
            ResponseBody::Inline(_) => None,
        });
        self.live.keys().cloned().chain(answers).collect()
    }

    /// The objects that have a name.
    pub(crate) fn named(&self) -> BTreeSet<String> {
        self.needed().into_iter().chain(self.retired.keys().cloned()).collect()
    }

    /// Whether ledger, files and counts know the same records.
    pub(crate) fn sums_are_equal(&self) -> bool {
        let accepted: u64 = self.batches.values().map(|batch| batch.answer.counts.accepted).sum();
        let rows: u64 = self.live.values().map(|file| file.rows).sum();
        accepted + self.forgotten_batches == self.counted
            && rows + self.forgotten_rows == self.counted
    }
}
