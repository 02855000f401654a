//! Single flight: one run at a time for each key, shared by all concurrent callers.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, WeakShared};

/// A work that some wait for. It goes on as long as one of them does.
pub(crate) type SharedRun<T> = Shared<BoxFuture<'static, T>>;

/// The work that is done, by key.
#[derive(Debug)]
pub(crate) struct SingleFlight<K: Eq + Hash, T: Clone>(Arc<Mutex<Runs<K, T>>>);

#[derive(Debug)]
struct Runs<K, T: Clone> {
    lanes: HashMap<K, RunEntry<T>>,
    /// Works that were started: each has a number of its own.
    started: u64,
}

#[derive(Debug)]
struct RunEntry<T: Clone> {
    number: u64,
    flight: WeakShared<BoxFuture<'static, T>>,
}

impl<K: Eq + Hash, T: Clone> Default for SingleFlight<K, T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Runs { lanes: HashMap::new(), started: 0 })))
    }
}

impl<K, T> SingleFlight<K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Clone + Send + Sync + 'static,
{
    /// Joins the run for a key, or starts it. Nothing happens until the result is awaited.
    pub(crate) fn join(
        &self,
        key: &K,
        start: impl FnOnce() -> BoxFuture<'static, T>,
    ) -> SharedRun<T> {
        let Ok(run) = self.try_join(key, || Ok::<_, Infallible>(start()));
        run
    }

    /// The work for a key, if it is done at the moment.
    pub(crate) fn running(&self, key: &K) -> Option<SharedRun<T>> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.lanes.get(key).and_then(|lane| lane.flight.upgrade())
    }

    /// Takes part in the work for a key, or starts it if it may be.
    ///
    /// # Errors
    ///
    /// Those of `start`.
    pub(crate) fn try_join<E>(
        &self,
        key: &K,
        start: impl FnOnce() -> Result<BoxFuture<'static, T>, E>,
    ) -> Result<SharedRun<T>, E> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A lane whose work cannot be joined is that of one which is just being dropped.
        if let Some(run) = taken.lanes.get(key).and_then(|lane| lane.flight.upgrade()) {
            return Ok(run);
        }
        let work = start()?;
        taken.started += 1;
        let number = taken.started;
        let turn = RunGuard { lanes: Self(Arc::clone(&self.0)), key: key.clone(), number };
        let run = async move {
            // The lane is free before anybody hears how the work ended.
            let _turn = turn;
            work.await
        };
        let run = run.boxed().shared();
        if let Some(weak) = run.downgrade() {
            taken.lanes.insert(key.clone(), RunEntry { number, flight: weak });
        }
        Ok(run)
    }
}

/// The lane of a work, until this is dropped.
struct RunGuard<K: Eq + Hash, T: Clone> {
    lanes: SingleFlight<K, T>,
    key: K,
    number: u64,
}

impl<K: Eq + Hash, T: Clone> Drop for RunGuard<K, T> {
    fn drop(&mut self) {
        let mut taken = self.lanes.0.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.lanes.get(&self.key).is_some_and(|lane| lane.number == self.number) {
            taken.lanes.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::sync::oneshot;
    use visibility_core::fetch::domain::Domain;

    use super::*;

    fn domain() -> Domain {
        "example.com".parse().unwrap()
    }

    fn is_empty(lanes: &SingleFlight<Domain, u32>) -> bool {
        lanes.0.lock().unwrap().lanes.is_empty()
    }

    #[tokio::test]
    async fn concurrent_callers_share_and_later_ones_start_again() {
        let lanes: SingleFlight<Domain, u32> = SingleFlight::default();
        let (end, outcome) = oneshot::channel();
        let first = lanes.join(&domain(), || async move { outcome.await.unwrap() }.boxed());
        let second = lanes.join(&domain(), || async { 2 }.boxed());
        let other = lanes.join(&"example.net".parse().unwrap(), || async { 3 }.boxed());
        assert_eq!(other.await, 3);
        end.send(1).unwrap();
        assert_eq!((second.await, first.await), (1, 1));
        assert!(is_empty(&lanes));
        assert_eq!(lanes.join(&domain(), || async { 4 }.boxed()).await, 4);
    }

    #[tokio::test]
    async fn a_work_ends_with_the_last_who_waits() {
        struct Dropped(Option<oneshot::Sender<()>>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.take().unwrap().send(()).unwrap();
            }
        }
        let lanes: SingleFlight<Domain, u32> = SingleFlight::default();
        let (dropped, mut is_dropped) = oneshot::channel();
        let dropped = Dropped(Some(dropped));
        let work = async move {
            let _dropped = dropped;
            pending().await
        };
        let first = lanes.join(&domain(), || work.boxed());
        let mut second = lanes.join(&domain(), || async { 2 }.boxed());
        let first = tokio::spawn(first);
        assert!(futures_util::poll!(&mut second).is_pending());
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        assert!(futures_util::poll!(&mut second).is_pending());
        assert!(is_dropped.try_recv().is_err(), "one still waits");
        drop(second);
        assert!(is_dropped.try_recv().is_ok());
        assert!(is_empty(&lanes));
    }
}
