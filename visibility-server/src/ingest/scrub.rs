//! The scrub: reads every object once a month and compares it with its digest.
//!
//! So a disk that forgets is noticed while a backup still has what it has forgotten. An operator can have all objects
//! read at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use tokio::sync::watch;
use visibility_core::store::StoreError;

use super::sound;
use crate::ingest::rounds::{FailureLog, Lease, Rounds};
use crate::settings::Settings;
use crate::stores::Stores;
use crate::stores::looks::{Look, Pace};
use crate::stores::state::damage::{KnownObject, LookTotals};
use crate::telemetry::metrics::Metrics;

/// The name of the lease under which objects are read.
const LEASE: &str = "scrub";
/// The time between two rounds, and so from a good copy in its place until a damaged object is in use again.
const PAUSE: Duration = Duration::from_mins(5);
/// The age of a look from which an object is looked at again.
const LOOK_EVERY: TimeDelta = TimeDelta::days(30);
/// Objects that are asked for at a time.
const MOST_OBJECTS: usize = 100;
/// How often the number of objects that were read is reported.
const REPORT_EVERY: Duration = Duration::from_secs(2);

/// The scrub of some stores.
#[derive(Clone, Debug)]
pub(crate) struct Scrub {
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    bytes_per_second: u64,
    stop: watch::Receiver<bool>,
    lease: Lease,
    failures: FailureLog,
}

impl Scrub {
    pub(crate) fn new(
        stores: Arc<Stores>,
        metrics: Arc<Metrics>,
        settings: &Settings,
        stop: watch::Receiver<bool>,
    ) -> Self {
        let bytes_per_second = mebibytes(settings.maintenance.scrub_mib_per_second);
        let lease = Lease::new(LEASE, TimeDelta::zero());
        let failures = FailureLog::new("scrub");
        Self { stores, metrics, bytes_per_second, stop, lease, failures }
    }

    fn round(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let is_stopped = || *self.stop.borrow() || !self.lease.is_held(&self.stores);
        if !is_stopped() {
            let mut pace = Pace::new(Some(self.bytes_per_second), &is_stopped);
            self.look_again(&mut pace, now, &is_stopped)?;
            self.look_at_old(&mut pace, now, &is_stopped)?;
            self.lease.release(&self.stores);
        }
        let totals = self.stores.state_store().look_totals()?;
        let age = totals.oldest_look.and_then(|oldest| (now - oldest).to_std().ok());
        let LookTotals { damaged, not_yet_verified, .. } = totals;
        self.metrics.objects(damaged, not_yet_verified, age.unwrap_or_default());
        Ok(())
    }

    /// Looks whether good copies are in the place of damaged objects.
    fn look_again(
        &self,
        pace: &mut Pace<'_>,
        now: DateTime<Utc>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), StoreError> {
        for known in self.stores.state_store().known_damaged()? {
            if is_stopped() {
                return Ok(());
            }
            look(&self.stores, &known, pace, now)?;
        }
        self.stores.state_store().forget_unneeded_damage()
    }

    fn look_at_old(
        &self,
        pace: &mut Pace<'_>,
        now: DateTime<Utc>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), StoreError> {
        let Some(before) = now.checked_sub_signed(LOOK_EVERY) else { return Ok(()) };
        loop {
            // Each object that was looked at is not among the next ones.
            let objects = self.stores.state_store().objects_to_look_at(before, MOST_OBJECTS)?;
            if objects.is_empty() {
                return Ok(());
            }
            for known in objects {
                if is_stopped() {
                    return Ok(());
                }
                look(&self.stores, &known, pace, now)?;
            }
        }
    }
}

impl Rounds for Scrub {
    fn pause(&self) -> Duration {
        PAUSE
    }

    fn work(&mut self, now: DateTime<Utc>) {
        let outcome = self.round(now);
        self.failures.note(outcome);
    }
}

/// What a look at all objects has found.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct DeepCheck {
    /// Objects that were read.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those of them that are damaged.
    pub damaged: u64,
}

/// Reads all objects that are needed, damaged ones as well, and notes in the ledger what they are.
///
/// # Errors
///
/// When a store cannot be read.
pub fn check_deeply(
    stores: &Stores,
    mib_per_second: Option<u64>,
    now: DateTime<Utc>,
    report: &dyn Fn(&str),
) -> Result<DeepCheck, StoreError> {
    let objects = stores.state_store().needed()?;
    let never = || false;
    let mut pace = Pace::new(mib_per_second.map(mebibytes), &never);
    let mut found = DeepCheck::default();
    let mut reported = Instant::now();
    for known in &objects {
        let is_sound = look(stores, known, &mut pace, now)?;
        found.objects += 1;
        found.damaged += u64::from(!is_sound);
        if reported.elapsed() >= REPORT_EVERY {
            let mebibytes = pace.bytes() / mebibytes(1);
            report(&format!(
                "read {} of {} objects, {mebibytes} MiB",
                found.objects,
                objects.len()
            ));
            reported = Instant::now();
        }
    }
    found.bytes = pace.bytes();
    Ok(found)
}

/// Looks at an object, and notes what it is. Says whether it is sound.
fn look(
    stores: &Stores,
    known: &KnownObject,
    pace: &mut Pace<'_>,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    match sound::look(stores, known, pace)? {
        Look::Sound(_, digest) => {
            stores.state_store().note_look(known, digest, now)?;
            stores.take_into_use(known)?;
            Ok(true)
        }
        Look::Damaged(reason) => {
            stores.take_out_of_use(known, &reason, now)?;
            Ok(false)
        }
    }
}

fn mebibytes(number: u64) -> u64 {
    number.saturating_mul(1024 * 1024)
}
