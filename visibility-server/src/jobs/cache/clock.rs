//! The clock for the age of results: the wall clock, with detection of steps back.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};

/// How far the clock of the wall may fall behind the one that never jumps.
const TOLERANCE: TimeDelta = TimeDelta::minutes(1);

/// Compares the clock of the wall with the one that never jumps.
#[derive(Debug)]
pub(crate) struct WatchedClock {
    started: Instant,
    started_at: DateTime<Utc>,
    /// By how many microseconds the wall was ahead at the most.
    ahead: AtomicI64,
}

impl WatchedClock {
    pub(crate) fn new(now: DateTime<Utc>, at: Instant) -> Self {
        Self { started: at, started_at: now, ahead: AtomicI64::new(0) }
    }

    /// Whether the wall clock went back since the last look. Each step is reported once.
    pub(crate) fn has_gone_back(&self, now: DateTime<Utc>, at: Instant) -> bool {
        let passed = TimeDelta::from_std(at - self.started).unwrap_or(TimeDelta::MAX);
        let micros = |span: TimeDelta| span.num_microseconds().unwrap_or(i64::MAX);
        let ahead = micros(now - self.started_at).saturating_sub(micros(passed));
        let most = self.ahead.fetch_max(ahead, Ordering::Relaxed);
        let has_gone_back = ahead < most.saturating_sub(micros(TOLERANCE));
        if has_gone_back {
            self.ahead.store(ahead, Ordering::Relaxed);
        }
        has_gone_back
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_step_back_is_reported_once_and_small_ones_add_up() {
        let (start, at) = (DateTime::UNIX_EPOCH, Instant::now());
        let clock = WatchedClock::new(start, at);
        let mut later = at;
        let mut look = |passed: u64, wall: i64| {
            later += Duration::from_secs(passed);
            clock.has_gone_back(start + TimeDelta::seconds(wall), later)
        };
        assert!(!look(0, 0));
        assert!(!look(100, 100));
        assert!(!look(10, 5000), "forward");
        assert!(!look(10, 4960), "within the tolerance");
        assert!(look(10, 4959), "61 s behind the most");
        assert!(!look(10, 4970));
        assert!(look(10, 0));
        assert!(!look(10, 10));
        assert!(look(1, -1_000_000), "before the start");
    }
}
