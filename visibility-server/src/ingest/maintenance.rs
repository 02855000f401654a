//! Background maintenance: orphaned objects, compaction, retention and retired files.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Months, TimeDelta, Utc};
use futures_util::future::join5;
use tokio::sync::watch;
use visibility_core::store::commit::{self, Sweeper};
use visibility_core::store::{ListedObject, StoreError};

use crate::fetch::excluded::denied_hosts;
#[cfg(feature = "clickhouse")]
use crate::ingest::clickhouse::ClickHouse;
use crate::ingest::compaction::{self, Compacted};
use crate::ingest::delta::DeltaLogs;
use crate::ingest::recount::{self, RecountError};
use crate::ingest::rounds::{self, Lease, Rounds, log_failure};
use crate::ingest::scrub::Scrub;
use crate::ingest::{heartbeat, origin};
use crate::settings::Settings;
use crate::stores::ObjectTotals;
use crate::stores::Stores;
use crate::stores::clock::ClockVerdict;
use crate::stores::state::uncounted::UncountedDay;
use crate::telemetry::metrics::Metrics;

/// The name of the lease of maintenance.
const LEASE: &str = "maintenance";

/// Least time between two sweeps, longer than any commit takes.
const SWEEP_PAUSE: Duration = Duration::from_mins(10);

/// Time between two inspections of the database.
const INSPECT_EVERY: Duration = Duration::from_hours(24);
/// How long one may take.
const INSPECTION_LIMIT: Duration = Duration::from_mins(1);

/// How long results of scans stay after they expired: a clock that was ahead for a while costs none.
const EXPIRED_FOR: TimeDelta = TimeDelta::hours(24);

/// How long grants and tokens stay after their end, so that errors can say what happened to them.
const ENDED_FOR: TimeDelta = TimeDelta::hours(24);
/// How long an unused client stays that registered itself.
const UNUSED_FOR: TimeDelta = TimeDelta::days(90);

/// What one round after the other does.
#[derive(Clone, Debug)]
pub struct Maintenance {
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    settings: Settings,
    stop: watch::Receiver<bool>,
    sweeper: Sweeper,
    swept_at: Option<Instant>,
    inspected_at: Option<Instant>,
    /// What the last round made of the clock.
    clock: ClockVerdict,
    lease: Lease,
}

type Step = fn(&mut Maintenance, DateTime<Utc>) -> Result<(), StoreError>;

/// The steps of each round, and their names for the log.
const STEPS: [(&str, Step); 4] = [
    ("compaction", Maintenance::compact),
    ("count of older days", Maintenance::recount),
    ("removal of old results", Maintenance::remove_results),
    ("removal of old audits", Maintenance::remove_audits),
];

/// The steps that only take away what is old: there are none of them in a round whose clock is not plausible.
const STEPS_BY_AGE: [(&str, Step); 5] = [
    ("sweep", Maintenance::sweep),
    ("retention", Maintenance::apply_retention),
    ("removal of old objects", Maintenance::remove_retired),
    ("removal of old grants", Maintenance::remove_grants),
    ("removal of old sessions", Maintenance::remove_sessions),
];

impl Maintenance {
    /// The maintenance of some stores, until `stop` is true.
    pub fn new(
        stores: Arc<Stores>,
        metrics: Arc<Metrics>,
        settings: Settings,
        stop: watch::Receiver<bool>,
    ) -> Self {
        metrics.objects_newer(stores.newer_at_start());
        let sweeper = Sweeper::knowing(stores.left_behind());
        Self {
            stores,
            metrics,
            settings,
            stop,
            sweeper,
            swept_at: None,
            inspected_at: None,
            clock: ClockVerdict::RIGHT,
            lease: Lease::new(LEASE, TimeDelta::zero()),
        }
    }

    /// Does a round now and after each interval, writes the Delta logs in their own interval, copies records to ClickHouse, and
    /// shows other nodes all the time that this one serves, until the service stops.
    pub async fn run(self) {
        let heartbeat = heartbeat::beat(Arc::clone(&self.stores), self.stop.clone());
        let stop = self.stop.clone();
        let stores = Arc::clone(&self.stores);
        let delta_logs = DeltaLogs::new(stores, self.settings.delta.interval, stop.clone());
        let delta_logs = rounds::repeat(delta_logs, stop.clone());
        let copies = copy_to_clickhouse(&self);
        let scrub = self.scrub();
        let scrub = rounds::repeat(scrub, stop.clone());
        join5(rounds::repeat(self, stop), delta_logs, copies, scrub, heartbeat).await;
    }

    fn scrub(&self) -> Scrub {
        let (stores, metrics) = (Arc::clone(&self.stores), Arc::clone(&self.metrics));
        Scrub::new(stores, metrics, &self.settings, self.stop.clone())
    }

    /// Does one round; what fails is logged, and the rest goes on. Blocks.
    pub fn round(&mut self, now: DateTime<Utc>) {
        if let Err(error) = self.inspect_database() {
            log_failure("inspection of the database", &error);
        }
        if !self.stores.database_faults().is_empty() {
            return;
        }
        if let Err(error) = self.judge_clock(now) {
            log_failure("look at the clock", &error);
        }
        let by_age = STEPS_BY_AGE.iter().filter(|_| self.clock.is_plausible());
        let steps: Vec<&(&str, Step)> = STEPS.iter().chain(by_age).collect();
        for (name, step) in steps {
            self.step(name, *step, now);
        }
        self.lease.release(&self.stores);
    }

    /// At the start, and once a day.
    fn inspect_database(&mut self) -> Result<(), StoreError> {
        if self.inspected_at.is_some_and(|at| at.elapsed() < INSPECT_EVERY) {
            return Ok(());
        }
        self.inspected_at = Some(Instant::now());
        self.stores.inspect_database(INSPECTION_LIMIT)
    }

    fn step(&mut self, name: &str, step: Step, now: DateTime<Utc>) {
        if *self.stop.borrow() || !self.lease.is_held(&self.stores) {
            return;
        }
        if let Err(error) = step(self, now) {
            log_failure(name, &error);
        }
    }

    /// What is deleted or forgotten is gone for good, and by a clock that is months ahead everything is old.
    fn judge_clock(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        // It stays so if the database cannot be read.
        let before = std::mem::replace(&mut self.clock, ClockVerdict::UNKNOWN);
        self.clock = self.stores.judge_clock(now, self.settings.maintenance.pause())?;
        if !self.clock.is_plausible() {
            tracing::warn!(
                seconds_ahead = self.clock.ahead.num_seconds(),
                "the clock has jumped; nothing is deleted until it is set or you run \
                    `visibility-server clock accept`"
            );
        } else if !before.is_plausible() {
            tracing::info!("the clock is plausible again");
        }
        if self.clock.is_trusted_after(before) {
            self.stores.trust_clock(now)?;
        }
        Ok(())
    }

    fn sweep(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        if self.swept_at.is_some_and(|at| at.elapsed() < SWEEP_PAUSE) {
            return Ok(());
        }
        let objects = self.stores.objects();
        let is_needless = |object: &ListedObject| origin::is_needless(&self.stores, object, now);
        let sweep = self.sweeper.sweep(objects, self.stores.state_store(), now, &is_needless)?;
        self.swept_at = Some(Instant::now());
        self.metrics.orphans_held(sweep.held + sweep.kept);
        if sweep.kept > 0 {
            tracing::warn!(
                objects = sweep.kept,
                "objects are of batches that the database does not know; they stay until you run \
                    `visibility-server reconcile --adopt` or `visibility-server sweep --confirm`"
            );
        }
        if sweep.held > 0 {
            tracing::warn!(
                objects = sweep.held,
                "many objects are unknown to the database; they stay until you run \
                    `visibility-server sweep --confirm`"
            );
        }
        if !sweep.moved.is_empty() {
            let ObjectTotals { objects, bytes } = ObjectTotals::of(&sweep.moved);
            tracing::info!(objects, bytes, "moved unknown objects to the trash");
        }
        self.stores.remove_shared_leftovers(now - commit::ORPHAN_AGE)?;
        let deleted = commit::empty_trash(objects, Some((now - commit::TRASH_AGE).date_naive()))?;
        if !deleted.is_empty() {
            let ObjectTotals { objects, bytes } = ObjectTotals::of(&deleted);
            tracing::info!(objects, bytes, "deleted old objects from the trash");
        }
        Ok(())
    }

    fn compact(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let Some(until) = before(now, self.settings.maintenance.compact_after) else {
            return Ok(());
        };
        let is_stopped = || *self.stop.borrow() || !self.lease.is_held(&self.stores);
        let done = compaction::compact(&self.stores, until, now, &is_stopped)?;
        if done != Compacted::default() {
            tracing::info!(retired = done.retired, added = done.added, "files compacted");
        }
        Ok(())
    }

    /// Counts a day again that an earlier version has served, the newest first. Each round reads the files of one day.
    fn recount(&mut self, _now: DateTime<Utc>) -> Result<(), StoreError> {
        let state_store = self.stores.state_store();
        let days = state_store.mark_uncounted_days()?;
        if days > 0 {
            tracing::info!(days, "days are to be counted again: an earlier version has served");
        }
        let is_stopped = || *self.stop.borrow() || !self.lease.is_held(&self.stores);
        for UncountedDay { tenant, day, .. } in state_store.waiting_days()? {
            match recount::recount(&self.stores, &tenant, day, &is_stopped) {
                Ok(records) => {
                    tracing::info!(%tenant, %day, records, "counted a day again");
                    return Ok(());
                }
                Err(RecountError::Store(error)) => return Err(error),
                Err(RecountError::Stopped) => return Ok(()),
                Err(error @ RecountError::RecordsForgotten { .. }) => {
                    tracing::info!(%tenant, %day, %error, "a day cannot be counted again");
                    state_store.note_forgotten_day(&tenant, day)?;
                }
                Err(error) => {
                    tracing::info!(%tenant, %day, %error, "a day is not yet counted again");
                }
            }
        }
        Ok(())
    }

    fn apply_retention(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let state_store = self.stores.state_store();
        let (retention, waiting) = state_store.confirmed_retention(&self.settings.retention)?;
        if waiting.is_some() {
            tracing::warn!(
                "`retention` is shorter than before; older records and counts stay \
                    until you run `visibility-server sweep --confirm`"
            );
        }
        let forgotten = state_store.apply_retention(&retention, now)?;
        if forgotten != <_>::default() {
            tracing::info!(
                batches = forgotten.batches,
                files = forgotten.files,
                rollups = forgotten.rollups,
                "deleted old records and counts"
            );
        }
        Ok(())
    }

    /// Removes the objects first: a file whose row is gone would be an orphan for a day.
    fn remove_retired(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let Some(until) = before(now, self.settings.maintenance.grace) else {
            return Ok(());
        };
        let retired = self.stores.state_store().retired_files(until)?;
        if retired.is_empty() {
            return Ok(());
        }
        for file in &retired {
            self.stores.objects().delete(&file.name)?;
            if let Some(partial) = &file.partial {
                self.stores.objects().delete(partial)?;
            }
        }
        let ids: Vec<i64> = retired.iter().map(|file| file.id).collect();
        self.stores.state_store().delete_retired_files(&ids)?;
        tracing::info!(files = ids.len(), "deleted retired files");
        Ok(())
    }

    fn remove_results(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let most = self.settings.cache.domains;
        let removed =
            self.stores.state_store().remove_scans(self.before(now, EXPIRED_FOR), most)?;
        if removed > 0 {
            tracing::info!(removed, "deleted old scan results");
        }
        self.forget_denied()?;
        let months = Months::new(self.settings.retention.rollup_months);
        let first_kept = now.date_naive().checked_sub_months(months);
        if let Some(first_kept) = first_kept.filter(|_| self.clock.is_plausible()) {
            self.stores.state_store().forget_scan_days(first_kept)?;
        }
        Ok(())
    }
}

impl Maintenance {
    /// Forgets the results and histories of domains that are excluded by now.
    fn forget_denied(&self) -> Result<(), StoreError> {
        if self.settings.fetch.deny.is_empty() {
            return Ok(());
        }
        let denied = denied_hosts(&self.settings);
        let domains = self.stores.state_store().forget_domains(|domain| denied.contains(domain))?;
        if domains > 0 {
            tracing::info!(domains, "deleted results and histories of excluded domains");
        }
        Ok(())
    }

    /// Removes audits that are too old or too many, what addresses have used up too long ago to count, and
    /// counts of usage that are older than all rollups.
    fn remove_audits(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let state_store = self.stores.state_store();
        let Settings { audits, retention, .. } = &self.settings;
        let until = self.before(now, TimeDelta::days(audits.keep_days.into()));
        let removed = state_store.remove_audits(until, audits.keep_results)?;
        if removed > 0 {
            tracing::info!(removed, "deleted old audits");
        }
        let until = self.before(now, EXPIRED_FOR + TimeDelta::days(1));
        if state_store.shares_limits() {
            state_store.remove_old_hits(until)?;
        } else {
            state_store.remove_anonymous_hits(until)?;
        }
        let months = Months::new(retention.rollup_months);
        let first_kept = now.date_naive().checked_sub_months(months);
        match first_kept.filter(|_| self.clock.is_plausible()) {
            Some(first_kept) => state_store.forget_audit_usage(first_kept),
            None => Ok(()),
        }
    }

    /// The time before which things are older than `age`. By a clock that is not plausible, nothing is.
    fn before(&self, now: DateTime<Utc>, age: TimeDelta) -> DateTime<Utc> {
        let until = now.checked_sub_signed(age).filter(|_| self.clock.is_plausible());
        until.unwrap_or(DateTime::<Utc>::MIN_UTC)
    }
}

impl Maintenance {
    /// Removes ended grants and tokens, after a while in which their clients still get a specific error, and
    /// unused clients.
    fn remove_grants(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let state_store = self.stores.state_store();
        let grants = state_store.remove_grants(now - ENDED_FOR)?;
        let clients = state_store.remove_unused_clients(now - UNUSED_FOR)?;
        if grants + clients > 0 {
            tracing::info!(grants, clients, "deleted old grants and unused clients");
        }
        Ok(())
    }

    /// Removes sessions that are over.
    fn remove_sessions(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let removed = self.stores.state_store().remove_sessions(now)?;
        if removed > 0 {
            tracing::debug!(removed, "deleted old sessions");
        }
        Ok(())
    }
}

impl Rounds for Maintenance {
    fn pause(&self) -> Duration {
        Duration::from_secs(self.settings.maintenance.interval.max(1))
    }

    fn work(&mut self, now: DateTime<Utc>) {
        self.round(now);
    }
}

/// Copies records to ClickHouse, until the service stops.
#[cfg(feature = "clickhouse")]
fn copy_to_clickhouse(maintenance: &Maintenance) -> impl Future<Output = ()> + use<> {
    let Maintenance { stores, settings, stop, .. } = maintenance;
    let copies = ClickHouse::new(Arc::clone(stores), settings.clickhouse.clone(), stop.clone());
    rounds::repeat(copies, stop.clone())
}

#[cfg(not(feature = "clickhouse"))]
fn copy_to_clickhouse(_maintenance: &Maintenance) -> impl Future<Output = ()> + use<> {
    std::future::ready(())
}

/// A time this many seconds earlier, if there is one.
fn before(now: DateTime<Utc>, seconds: u64) -> Option<DateTime<Utc>> {
    let span = TimeDelta::try_seconds(i64::try_from(seconds).ok()?)?;
    now.checked_sub_signed(span)
}
