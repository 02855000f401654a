//! The Delta log of each tenant: the names of its live files, in the form that engines for data lakes read.
//!
//! The log is made from the [outbox](crate::stores::state::outbox) and is never read to find out what is true. A version
//! is created under a name that did not exist, and the events in it are struck afterwards; after a crash in between, the
//! version that is there says which events they were. A log that does not fit the database, because one of them was
//! lost or restored, is written once more from its beginning, under a new id.

mod checkpoint;
mod version;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use self::checkpoint::Checkpoint;
use self::version::Version;
use crate::ingest::rounds::{Lease, Rounds, log_failure};
use crate::runtime::fault;
use crate::stores::state::outbox::{Consumer, ConsumerProgress};
use crate::stores::{DELTA_LOG, Stores};

/// The name of the lease under which the logs are written.
const LEASE: &str = "delta";
/// The time between two looks at logs that are switched off.
const PAUSE_WHEN_OFF: Duration = Duration::from_hours(1);
/// Versions after which a checkpoint is written, from which readers begin.
const CHECKPOINT_EVERY: u64 = 50;
/// How long versions before a checkpoint stay, for readers that follow the log.
const VERSIONS_KEPT: TimeDelta = TimeDelta::days(7);
/// The file that names the newest checkpoint.
const LAST_CHECKPOINT: &str = "_last_checkpoint";

/// The Delta logs of all tenants.
#[derive(Clone, Debug)]
pub struct DeltaLogs {
    stores: Arc<Stores>,
    interval: u64,
    stop: watch::Receiver<bool>,
    lease: Lease,
    /// Tenants whose log was compared with the database since the start.
    compared: BTreeSet<TenantSlug>,
}

impl DeltaLogs {
    /// The logs beside the objects of some stores, with a version every so many seconds at most; none with 0.
    pub fn new(stores: Arc<Stores>, interval: u64, stop: watch::Receiver<bool>) -> Self {
        let seconds = i64::try_from(interval).unwrap_or(i64::MAX);
        let pause = TimeDelta::try_seconds(seconds).unwrap_or(TimeDelta::MAX);
        let lease = Lease::new(LEASE, pause);
        Self { stores, interval, stop, lease, compared: BTreeSet::new() }
    }

    /// Writes the next version of each log whose tenant has changed files. What fails is logged, and the rest goes on.
    /// Blocks.
    pub fn round(&mut self, now: DateTime<Utc>) {
        let stores = Arc::clone(&self.stores);
        let tenants = match self.tenants() {
            Ok(tenants) => tenants,
            Err(error) => return log_failure("Delta logs", &error),
        };
        for tenant in &tenants {
            if *self.stop.borrow() || !self.lease.is_held(&stores) {
                return;
            }
            let log = DeltaLog { stores: &stores, tenant, now };
            let outcome = if self.interval == 0 {
                log.clear()
            } else {
                let is_compared = self.compared.contains(tenant);
                log.write_version(is_compared).map(|()| {
                    self.compared.insert(tenant.clone());
                })
            };
            if let Err(error) = outcome {
                log_failure("Delta log", &error);
            }
        }
        if self.interval == 0
            && !tenants.is_empty()
            && let Err(error) = stores.state_store().end(Consumer::Delta)
        {
            log_failure("end of the Delta logs", &error);
        }
    }

    /// The tenants whose log is to change. After a start, those whose log may not fit the database as well.
    fn tenants(&self) -> Result<BTreeSet<TenantSlug>, StoreError> {
        let state_store = self.stores.state_store();
        let mut tenants = BTreeSet::new();
        if self.interval == 0 || self.compared.is_empty() {
            tenants.extend(state_store.consumed_tenants(Consumer::Delta)?);
        }
        if self.interval > 0 {
            tenants.extend(state_store.tenants_to_consume(Consumer::Delta)?);
        }
        Ok(tenants)
    }
}

impl Rounds for DeltaLogs {
    fn pause(&self) -> Duration {
        match self.interval {
            0 => PAUSE_WHEN_OFF,
            seconds => Duration::from_secs(seconds),
        }
    }

    fn work(&mut self, now: DateTime<Utc>) {
        self.round(now);
    }
}

/// The log of one tenant.
struct DeltaLog<'a> {
    stores: &'a Stores,
    tenant: &'a TenantSlug,
    now: DateTime<Utc>,
}

/// The content of [`LAST_CHECKPOINT`].
#[derive(Deserialize)]
struct LastCheckpoint {
    version: u64,
}

/// How far a log has come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Written {
    /// As far as one version goes.
    Done,
    /// Nowhere: it is not the one that the database knows.
    Astray,
}

impl DeltaLog<'_> {
    /// Writes the next version, if files have changed since the last one.
    fn write_version(&self, is_compared: bool) -> Result<(), StoreError> {
        let progress = self.stores.state_store().progress(Consumer::Delta, self.tenant)?;
        if let Some(progress) = progress
            && (is_compared || self.fits(progress)?)
            && self.write_after(progress)? == Written::Done
        {
            return Ok(());
        }
        if progress.is_some_and(|progress| progress.version.is_some()) {
            tracing::warn!(
                tenant = %self.tenant,
                "the Delta log does not fit the database; it is written again from its beginning"
            );
        }
        let progress = self.stores.state_store().begin(Consumer::Delta, self.tenant)?;
        self.clear()?;
        match self.write_after(progress)? {
            Written::Done => Ok(()),
            Written::Astray => Err(StoreError::unchanged(
                format!("write the Delta log of {}", self.tenant),
                "a part of the log before it is still there",
            )),
        }
    }

    fn write_after(&self, before: ConsumerProgress) -> Result<Written, StoreError> {
        let (state_store, objects) = (self.stores.state_store(), self.stores.objects());
        let events = state_store.events(Consumer::Delta, self.tenant, version::MOST_EVENTS)?;
        let events = version::whole_changes(&events);
        if events.is_empty() {
            return Ok(Written::Done);
        }
        if let Some(version) = before.version
            && !self.exists(version)?
        {
            return Ok(Written::Astray);
        }
        let number = before.version.map_or(0, |version| version + 1);
        let version = Version { tenant: self.tenant, id: before.id, number, now: self.now };
        let name = self.name(&version_file(number));
        let taken = if objects.create_mark(&name, version.text(events)?.as_bytes())? {
            fault::point(fault::AFTER_DELTA_VERSION)?;
            events.to_vec()
        } else {
            let found = objects.mark(&name)?.unwrap_or_default();
            let Some(taken) = version.events_of(&found, events) else {
                return Ok(Written::Astray);
            };
            taken
        };
        let consumer = (Consumer::Delta, self.tenant);
        if state_store.advance(consumer, (before, Some(number)), &taken, self.now)? {
            self.write_checkpoint(before.id, number)?;
        }
        Ok(Written::Done)
    }

    /// Whether the log is as long as the database says, but for a version that a crash left behind.
    fn fits(&self, progress: ConsumerProgress) -> Result<bool, StoreError> {
        let Some(version) = progress.version else { return Ok(false) };
        let is_shorter = !self.exists(version)?;
        // A crash leaves one version, which events are waiting for.
        let is_longer = self.exists(version + 1)?
            && (self.exists(version + 2)?
                || self.stores.state_store().events(Consumer::Delta, self.tenant, 1)?.is_empty());
        Ok(!is_shorter && !is_longer)
    }

    /// Removes the log, the newest first: what a crash leaves is never taken for the whole.
    fn clear(&self) -> Result<(), StoreError> {
        let objects = self.stores.objects();
        objects.remove_mark(&self.name(LAST_CHECKPOINT))?;
        let mut marks = objects.list_all_below(&self.name(""))?;
        marks.sort_by(|one, other| other.name.cmp(&one.name));
        marks.iter().try_for_each(|mark| objects.remove_mark(&mark.name))
    }

    /// Writes a checkpoint if enough versions were written since the last one, and removes what readers need no more.
    fn write_checkpoint(&self, id: Uuid, number: u64) -> Result<(), StoreError> {
        let objects = self.stores.objects();
        let last = self.name(LAST_CHECKPOINT);
        let before = objects
            .mark(&last)?
            .and_then(|text| serde_json::from_slice(&text).ok())
            .map_or(0, |last: LastCheckpoint| last.version);
        if number < before.saturating_add(CHECKPOINT_EVERY) {
            return Ok(());
        }
        let files = self.stores.state_store().consumed_files(Consumer::Delta, self.tenant)?;
        let checkpoint = Checkpoint { tenant: self.tenant, id, files: &files };
        objects.replace_mark(&self.name(&checkpoint_file(number)), &checkpoint.bytes()?)?;
        let newest = json!({"version": number, "size": checkpoint.rows()});
        objects.replace_mark(&last, newest.to_string().as_bytes())?;
        self.remove_versions_before(number)
    }

    /// Removes old versions and checkpoints that readers do not need to begin from a newer checkpoint.
    fn remove_versions_before(&self, checkpoint: u64) -> Result<(), StoreError> {
        let objects = self.stores.objects();
        let until = self.now - VERSIONS_KEPT;
        let first_kept = self.name(&checkpoint_file(checkpoint));
        for mark in objects.list_all_below(&self.name(""))? {
            let is_old = mark.name < first_kept && mark.modified < until;
            if is_old {
                objects.remove_mark(&mark.name)?;
            }
        }
        Ok(())
    }

    fn exists(&self, version: u64) -> Result<bool, StoreError> {
        self.stores.objects().exists(&self.name(&version_file(version)))
    }

    /// The name of a file of the log.
    fn name(&self, file: &str) -> String {
        format!("tenant={}/{DELTA_LOG}/{file}", self.tenant)
    }
}

/// The file of a version.
fn version_file(version: u64) -> String {
    format!("{version:020}.json")
}

/// The file of the checkpoint of a version.
fn checkpoint_file(version: u64) -> String {
    format!("{version:020}.checkpoint.parquet")
}
