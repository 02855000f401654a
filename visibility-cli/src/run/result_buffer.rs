//! Holds results back until all earlier ones are written, because output follows the order of the inputs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::target_error::TargetOutcome;

/// What is done and not shown yet, by its place among the inputs. It outlives the run that fills it, so that
/// an interrupted run loses none of it. It is as large as the number of jobs that a run may be ahead.
#[derive(Debug)]
pub(crate) struct ResultBuffer<R> {
    results: Arc<Mutex<BTreeMap<usize, TargetOutcome<R>>>>,
    /// Results so far, those that were taken included.
    count: Arc<AtomicUsize>,
}

impl<R> ResultBuffer<R> {
    /// Adds a result. Returns how many there were so far.
    pub(crate) fn put(&self, place: usize, outcome: TargetOutcome<R>) -> usize {
        self.results().insert(place, outcome);
        self.count.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Takes the result at a place.
    pub(crate) fn take(&self, place: usize) -> Option<TargetOutcome<R>> {
        self.results().remove(&place)
    }

    /// Takes everything, in order.
    pub(crate) fn drain(&self) -> Vec<TargetOutcome<R>> {
        std::mem::take(&mut *self.results()).into_values().collect()
    }

    fn results(&self) -> MutexGuard<'_, BTreeMap<usize, TargetOutcome<R>>> {
        // No operation on the map can leave it half done.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> Default for ResultBuffer<R> {
    fn default() -> Self {
        Self { results: Arc::default(), count: Arc::default() }
    }
}

impl<R> Clone for ResultBuffer<R> {
    fn clone(&self) -> Self {
        Self { results: Arc::clone(&self.results), count: Arc::clone(&self.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(subject: &str) -> TargetOutcome<u8> {
        TargetOutcome { subject: subject.to_owned(), file: None, outcome: Ok(0) }
    }

    #[test]
    fn what_waits_comes_out_in_order_and_once() {
        let finished = ResultBuffer::default();
        let counts: Vec<usize> = [(2, "c"), (0, "a"), (1, "b")]
            .map(|(place, name)| finished.put(place, done(name)))
            .into();
        assert_eq!(counts, [1, 2, 3]);
        assert_eq!(finished.take(0).map(|outcome| outcome.subject).as_deref(), Some("a"));
        assert!(finished.take(0).is_none());
        let rest: Vec<String> =
            finished.drain().into_iter().map(|outcome| outcome.subject).collect();
        assert_eq!(rest, ["b", "c"]);
        assert!(finished.drain().is_empty());
    }
}
