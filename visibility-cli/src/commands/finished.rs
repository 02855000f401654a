//! Results that wait for an earlier one, because results are shown in the order of the inputs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::commands::no_result::Done;

/// What is done and not shown yet, by its place among the inputs. It outlives the run that fills it, so that
/// an interrupted run loses none of it. It is as large as the number of jobs that a run may be ahead.
#[derive(Debug)]
pub(crate) struct Finished<R>(Arc<Mutex<BTreeMap<usize, Done<R>>>>);

impl<R> Finished<R> {
    /// Adds a result.
    pub(crate) fn put(&self, place: usize, done: Done<R>) {
        self.results().insert(place, done);
    }

    /// Takes the result at a place.
    pub(crate) fn take(&self, place: usize) -> Option<Done<R>> {
        self.results().remove(&place)
    }

    /// Takes everything, in order.
    pub(crate) fn drain(&self) -> Vec<Done<R>> {
        std::mem::take(&mut *self.results()).into_values().collect()
    }

    fn results(&self) -> MutexGuard<'_, BTreeMap<usize, Done<R>>> {
        // No operation on the map can leave it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> Default for Finished<R> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<R> Clone for Finished<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
