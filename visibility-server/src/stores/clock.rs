//! Judges the wall clock by what the store has seen of it.
//!
//! A clock that is ahead would have everything deleted for its age, and one that is behind would have fresh
//! records rejected because they come from the future. So the database keeps a reference: a time at which the
//! clock was right, with the uptime of the machine at that moment. From it follows what the clock should say now, also after
//! the process was started again. An operator can set the reference: `visibility-server clock accept`.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use visibility_core::store::StoreError;

use super::sqlite::Sqlite;
use crate::runtime::uptime::Uptime;

/// How far the clock may be from where it should be, before nothing is deleted by it.
pub const JUMP: TimeDelta = TimeDelta::hours(1);
/// How far the clock may be behind before new batches have to wait: records of senders whose clock is right would
/// be too far in the future.
pub const BEHIND: TimeDelta = TimeDelta::minutes(5);

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
pub enum ClockVerdict {
    /// It is where it should be.
    Right,
    /// It is more than [`BEHIND`] and at most [`JUMP`] away from there.
    Off(TimeDelta),
    /// It is more than [`JUMP`] away. Nothing may be deleted or forgotten by it.
    Jumped(TimeDelta),
}

impl ClockVerdict {
    /// Whether something may be deleted because it is old.
    pub fn is_plausible(self) -> bool {
        !matches!(self, Self::Jumped(_))
    }

    /// Whether the clock becomes the reference. One that is a little ahead does if it was so in the round before;
    /// one that is behind does not, as long as new batches have to wait for it.
    pub(crate) fn is_trusted_after(self, before: Self) -> bool {
        let is_ahead = |verdict| matches!(verdict, Self::Off(ahead) if ahead > TimeDelta::zero());
        self == Self::Right || is_ahead(self) && is_ahead(before)
    }
}

/// What the store knows of the clock.
#[derive(Debug)]
pub(super) struct StoreClock {
    /// The newest time in the store, in microseconds since 1970.
    newest: AtomicI64,
}

impl StoreClock {
    pub(super) fn open(sqlite: &Sqlite) -> Result<Self, StoreError> {
        let newest = newest_time(sqlite)?.map_or(i64::MIN, |time| time.timestamp_micros());
        Ok(Self { newest: newest.into() })
    }

    /// Notes the time at which a batch arrived.
    pub(super) fn batch_arrived(&self, received_at: DateTime<Utc>) {
        self.newest.fetch_max(received_at.timestamp_micros(), Ordering::Relaxed);
    }

    /// How far the clock is behind the newest time in the store, if that is more than [`BEHIND`].
    ///
    /// The newest time itself may be wrong, as batches are taken while the clock is ahead. If the reference says
    /// that the clock is right, it is.
    pub(super) fn behind(
        &self,
        sqlite: &Sqlite,
        now: DateTime<Utc>,
    ) -> Result<Option<TimeDelta>, StoreError> {
        let newest = DateTime::from_timestamp_micros(self.newest.load(Ordering::Relaxed));
        let Some(behind) = newest.map(|newest| newest - now).filter(|behind| *behind > BEHIND)
        else {
            return Ok(None);
        };
        let expected = sqlite
            .state::<Reference>(REFERENCE)?
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
pub(super) fn newest_time(sqlite: &Sqlite) -> Result<Option<DateTime<Utc>>, StoreError> {
    let reference = sqlite.state::<Reference>(REFERENCE)?.map(|reference| reference.time);
    Ok(sqlite.newest_batch()?.max(reference))
}

/// Makes sure that there is a reference. The first is the time of the newest batch, and the clock of today in a new
/// store.
pub(super) fn init(sqlite: &Sqlite, now: DateTime<Utc>) -> Result<(), StoreError> {
    let reference = match sqlite.newest_batch()? {
        Some(time) => Reference { time, uptime: Uptime::unknown() },
        None => Reference { time: now, uptime: Uptime::now() },
    };
    sqlite.init_state(REFERENCE, &reference)
}

/// Judges the clock. Without a reference it is right.
pub(super) fn judge(
    sqlite: &Sqlite,
    now: DateTime<Utc>,
    pause: TimeDelta,
) -> Result<ClockVerdict, StoreError> {
    let Some(reference) = sqlite.state::<Reference>(REFERENCE)? else {
        return Ok(ClockVerdict::Right);
    };
    let ahead = reference.ahead(now, &Uptime::now(), pause);
    Ok(match ahead.abs() {
        off if off > JUMP => ClockVerdict::Jumped(ahead),
        off if off > BEHIND => ClockVerdict::Off(ahead),
        _ => ClockVerdict::Right,
    })
}

/// Makes a time of the clock the reference.
pub(super) fn trust(sqlite: &Sqlite, now: DateTime<Utc>) -> Result<(), StoreError> {
    sqlite.set_state(REFERENCE, &Reference { time: now, uptime: Uptime::now() })
}
