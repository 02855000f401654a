//! Judges the wall clock by what the store has seen of it.
//!
//! A clock that is ahead would have everything deleted for its age, and one that is behind would have fresh
//! records rejected because they come from the future. So the database keeps a reference: a time at which the
//! clock was right, with the uptime of the machine at that moment. From it follows what the clock should say now, also after
//! the process was started again. An operator can set the reference: `visibility-server clock accept`.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use visibility_core::limits;
use visibility_core::store::StoreError;

use super::state::StateStore;
use crate::runtime::uptime::Uptime;

/// How far the clock may be from where it should be, before nothing is deleted by it.
pub const JUMP: TimeDelta = TimeDelta::hours(1);
/// How far the clock may be behind before new batches have to wait: records of senders whose clock is right would
/// be too far in the future.
pub const BEHIND: TimeDelta = TimeDelta::minutes(5);
/// How far the clock drifts away from uptime between two rounds of maintenance, if it does not jump.
const DRIFT: TimeDelta = TimeDelta::seconds(5);

/// The name of the reference in the database.
const REFERENCE: &str = "clock";

/// A time at which the clock was right.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Reference {
    time: DateTime<Utc>,
    uptime: Uptime,
}

/// What the store makes of the clock.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ClockVerdict {
    /// How far it is ahead of where it should be; below zero if it is behind.
    pub ahead: TimeDelta,
}

impl ClockVerdict {
    /// Of a clock that is where it should be.
    pub(crate) const RIGHT: Self = Self { ahead: TimeDelta::zero() };
    /// Of a clock that cannot be judged.
    pub(crate) const UNKNOWN: Self = Self { ahead: TimeDelta::MAX };

    /// Whether something may be deleted because it is old: the clock is at most [`JUMP`] away.
    pub fn is_plausible(self) -> bool {
        (-JUMP..=JUMP).contains(&self.ahead)
    }

    /// Whether the clock becomes the reference. One that is ahead does if it was so in the round before: many small
    /// jumps would lead the reference away together. One that is behind does not, as long as new batches have to
    /// wait for it.
    pub(crate) fn is_trusted_after(self, before: Self) -> bool {
        let is_ahead = |verdict: Self| verdict.ahead > DRIFT && verdict.is_plausible();
        let is_usual = (-BEHIND..=DRIFT).contains(&self.ahead);
        is_usual || is_ahead(self) && is_ahead(before)
    }
}

/// What the store knows of the clock.
#[derive(Debug)]
pub(super) struct StoreClock {
    /// The newest time in the store, in microseconds since 1970.
    newest: AtomicI64,
    /// The reference when it was last read: of the database, or the clock of one that nodes share.
    reference: Mutex<Option<Reference>>,
}

impl StoreClock {
    pub(super) fn open(state_store: &StateStore) -> Result<Self, StoreError> {
        let newest = newest_time(state_store)?.map_or(i64::MIN, |time| time.timestamp_micros());
        let clock = Self { newest: newest.into(), reference: Mutex::default() };
        clock.read_reference(state_store)?;
        Ok(clock)
    }

    /// Reads the reference once more.
    pub(super) fn read_reference(&self, state_store: &StateStore) -> Result<(), StoreError> {
        let uptime = Uptime::now();
        let reference = match state_store.shared_time()? {
            Some(time) => Some(Reference { time, uptime }),
            None => state_store.value(REFERENCE)?,
        };
        *self.reference.lock().unwrap_or_else(PoisonError::into_inner) = reference;
        Ok(())
    }

    /// What the clock should say, if that is known: not after the machine was off.
    fn expected(&self) -> Option<DateTime<Utc>> {
        let reference = self.reference.lock().unwrap_or_else(PoisonError::into_inner).clone();
        reference?.expected(&Uptime::now())
    }

    /// The time by which tokens expire: that of the clock, unless it is known to be wrong.
    pub(super) fn trusted_time(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let is_wrong = |expected: &DateTime<Utc>| (now - *expected).abs() > JUMP;
        self.expected().filter(is_wrong).unwrap_or(now)
    }

    /// How far the clock is ahead, if it is known that records of today are too old by it.
    pub(super) fn ahead(
        &self,
        state_store: &StateStore,
        now: DateTime<Utc>,
    ) -> Result<Option<TimeDelta>, StoreError> {
        let far_ahead = || {
            let ahead = self.expected().map(|expected| now - expected);
            ahead.filter(|ahead| *ahead > TimeDelta::days(limits::MAX_RECORD_AGE_DAYS))
        };
        if far_ahead().is_none() {
            return Ok(None);
        }
        // An operator may have said meanwhile that it is right.
        self.read_reference(state_store)?;
        Ok(far_ahead())
    }

    /// Notes the time at which a batch arrived.
    pub(super) fn batch_arrived(&self, received_at: DateTime<Utc>) {
        self.newest.fetch_max(received_at.timestamp_micros(), Ordering::Relaxed);
    }

    /// Whether the clock is behind the newest time in the store by more than [`BEHIND`].
    pub(super) fn is_behind_newest(&self, now: DateTime<Utc>) -> bool {
        let newest = DateTime::from_timestamp_micros(self.newest.load(Ordering::Relaxed));
        newest.is_some_and(|newest| newest - now > BEHIND)
    }

    /// How far the clock is behind the newest time in the store, if that is more than [`BEHIND`].
    ///
    /// The newest time itself may be wrong, as batches are taken while the clock is ahead. If the reference says
    /// that the clock is right, it is.
    pub(super) fn behind(
        &self,
        state_store: &StateStore,
        now: DateTime<Utc>,
    ) -> Result<Option<TimeDelta>, StoreError> {
        let newest = DateTime::from_timestamp_micros(self.newest.load(Ordering::Relaxed));
        let Some(behind) = newest.map(|newest| newest - now).filter(|behind| *behind > BEHIND)
        else {
            return Ok(None);
        };
        let expected = state_store
            .value::<Reference>(REFERENCE)?
            .and_then(|reference| reference.expected(&Uptime::now()));
        if expected.is_some_and(|expected| expected - now <= BEHIND) {
            self.newest.store(now.timestamp_micros(), Ordering::Relaxed);
            return Ok(None);
        }
        Ok(Some(behind))
    }
}

impl Reference {
    /// What the clock should say, if the machine was not started again since.
    fn expected(&self, uptime: &Uptime) -> Option<DateTime<Utc>> {
        self.time.checked_add_signed(uptime.since(&self.uptime)?)
    }

    /// How far the clock is ahead. After a start of the machine it is not known how long it was off, and the
    /// reference may be as old as the pause between two rounds of maintenance.
    fn ahead(&self, now: DateTime<Utc>, uptime: &Uptime, pause: TimeDelta) -> TimeDelta {
        match self.expected(uptime) {
            Some(expected) => now - expected,
            None if now < self.time => now - self.time,
            None => (now - self.time - pause).max(TimeDelta::zero()),
        }
    }
}

/// The newest time that a database knows: of a batch, or at which the clock was right.
pub(super) fn newest_time(state_store: &StateStore) -> Result<Option<DateTime<Utc>>, StoreError> {
    let reference = state_store.value::<Reference>(REFERENCE)?.map(|reference| reference.time);
    Ok(state_store.newest_batch()?.max(reference))
}

/// Makes sure that there is a reference. The first is the time of the newest batch, and the clock of today in a new
/// store.
pub(super) fn init(state_store: &StateStore, now: DateTime<Utc>) -> Result<(), StoreError> {
    let reference = match state_store.newest_batch()? {
        Some(time) => Reference { time, uptime: Uptime::unknown() },
        None => Reference { time: now, uptime: Uptime::now() },
    };
    state_store.init_value(REFERENCE, &reference)
}

/// Judges the clock. Without a reference it is right.
pub(super) fn judge(
    state_store: &StateStore,
    now: DateTime<Utc>,
    pause: TimeDelta,
) -> Result<ClockVerdict, StoreError> {
    // Nodes agree on the time of their database.
    if let Some(time) = state_store.shared_time()? {
        return Ok(ClockVerdict { ahead: now - time });
    }
    let Some(reference) = state_store.value::<Reference>(REFERENCE)? else {
        return Ok(ClockVerdict::RIGHT);
    };
    Ok(ClockVerdict { ahead: reference.ahead(now, &Uptime::now(), pause) })
}

/// Makes a time of the clock the reference.
pub(super) fn trust(state_store: &StateStore, now: DateTime<Utc>) -> Result<(), StoreError> {
    state_store.set_value(REFERENCE, &Reference { time: now, uptime: Uptime::now() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stores::state::testing::TestStore;

    fn ahead(seconds: i64) -> ClockVerdict {
        ClockVerdict { ahead: TimeDelta::seconds(seconds) }
    }

    #[test]
    fn a_clock_is_plausible_up_to_an_hour_away() {
        for (seconds, expected) in
            [(0, true), (3600, true), (3601, false), (-3600, true), (-3601, false)]
        {
            assert_eq!(ahead(seconds).is_plausible(), expected, "{seconds}");
        }
        assert!(ClockVerdict::RIGHT.is_plausible() && !ClockVerdict::UNKNOWN.is_plausible());
    }

    #[test]
    fn a_clock_that_is_ahead_is_trusted_the_second_time() {
        for (now, before, expected) in [
            (0, 0, true),
            (5, 0, true),
            (6, 0, false),
            (6, 6, true),
            (3600, 3600, true),
            (3601, 3601, false),
            (-300, 0, true),
            (-301, 0, false),
            (-301, -301, false),
        ] {
            assert_eq!(ahead(now).is_trusted_after(ahead(before)), expected, "{now} {before}");
        }
    }

    #[test]
    fn small_jumps_do_not_lead_the_reference_away() {
        let state_store = TestStore::new();
        let start = Utc::now();
        trust(&state_store, start).unwrap();
        for minutes in 1..10 {
            let now = start + TimeDelta::minutes(4 * minutes);
            let verdict = judge(&state_store, now, TimeDelta::hours(1)).unwrap();
            assert!(verdict.is_plausible());
            if verdict.is_trusted_after(ClockVerdict::RIGHT) {
                trust(&state_store, now).unwrap();
            }
        }
        let verdict = judge(&state_store, Utc::now(), TimeDelta::hours(1)).unwrap();
        assert!(verdict.ahead.abs() < BEHIND, "{verdict:?}");
    }
}
