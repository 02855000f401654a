//! The clock of the service; tests and demonstrations can shift it.

use std::sync::OnceLock;

use chrono::{DateTime, TimeDelta, Utc};

/// What a demonstration adds to the time of the wall clock.
static SHIFT: OnceLock<TimeDelta> = OnceLock::new();

/// Makes this the time from which on the clock goes, for a demonstration whose pages are to be the same each time.
pub(crate) fn start_at(time: DateTime<Utc>) {
    // The first one counts.
    let _ = SHIFT.set(time - Utc::now());
}

fn wall_clock() -> DateTime<Utc> {
    Utc::now() + SHIFT.get().copied().unwrap_or_default()
}

/// The time of the wall clock. It may jump, in both directions.
#[cfg(not(all(feature = "fault-points", debug_assertions)))]
pub(crate) fn now() -> DateTime<Utc> {
    wall_clock()
}

/// The time of the wall clock, shifted by the seconds in the file that `VISIBILITY_CLOCK_OFFSET` names, so
/// that a test can make it jump.
#[cfg(all(feature = "fault-points", debug_assertions))]
pub(crate) fn now() -> DateTime<Utc> {
    static FILE: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    let file = FILE.get_or_init(|| std::env::var_os("VISIBILITY_CLOCK_OFFSET").map(Into::into));
    let text = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
    let seconds = text.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    wall_clock() + TimeDelta::seconds(seconds)
}
