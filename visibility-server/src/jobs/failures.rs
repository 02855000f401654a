//! Why work failed that goes on when its caller has left.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// For how long it is known why work failed.
const REMEMBERED: Duration = Duration::from_mins(2);
/// Failures that are remembered, those of last.
const MAX_FAILURES: usize = 512;

/// The latest failures, by what the work was for.
#[derive(Debug)]
pub(crate) struct RecentFailures<K, E>(Mutex<VecDeque<Failure<K, E>>>);

#[derive(Debug)]
struct Failure<K, E> {
    at: Instant,
    key: K,
    error: E,
}

impl<K, E> Default for RecentFailures<K, E> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, E: Clone> RecentFailures<K, E> {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Failure<K, E>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes why work came to nothing.
    pub(crate) fn note(&self, key: K, error: E) {
        let mut failures = self.lock();
        failures.retain(|known| known.key != key && known.at.elapsed() < REMEMBERED);
        failures.truncate(MAX_FAILURES - 1);
        failures.push_front(Failure { at: Instant::now(), key, error });
    }

    /// Forgets why earlier work for the same failed.
    pub(crate) fn forget(&self, key: &K) {
        self.lock().retain(|known| known.key != *key);
    }

    /// Why the latest work for something failed, if that is not long ago.
    pub(crate) fn find(&self, key: &K) -> Option<E> {
        let failures = self.lock();
        let found = failures.iter().find(|known| known.key == *key);
        found.filter(|known| known.at.elapsed() < REMEMBERED).map(|known| known.error.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_failures_are_remembered_until_they_are_forgotten() {
        let failures = RecentFailures::default();
        for number in 0..2_000 {
            failures.note(number, "busy");
        }
        assert_eq!(failures.lock().len(), MAX_FAILURES);
        assert_eq!(failures.find(&1_999), Some("busy"));
        assert_eq!(failures.find(&1), None);
        failures.note(1_999, "gone");
        assert_eq!(failures.find(&1_999), Some("gone"));
        failures.forget(&1_999);
        assert_eq!(failures.find(&1_999), None);
    }
}
