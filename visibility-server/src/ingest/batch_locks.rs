//! Locks by batch id: concurrent senders of a batch wait and get the response to the first.
//!
//! It only saves work: the ledger publishes a batch once, however many try.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;
use visibility_core::accounts::tenant::BatchKey;

type LockEntry = Arc<tokio::sync::Mutex<()>>;

/// The batches that are being received or judged.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchLocks(Arc<Mutex<HashMap<BatchKey, LockEntry>>>);

/// The right to be the one sender of a batch, until it is dropped.
#[derive(Debug)]
pub(crate) struct BatchLock {
    flights: BatchLocks,
    key: BatchKey,
    turn: Option<OwnedMutexGuard<()>>,
}

impl BatchLocks {
    /// Waits for the right to be the one sender of a batch; none if others take too long.
    pub(crate) async fn acquire(&self, key: &BatchKey, patience: Duration) -> Option<BatchLock> {
        let lane = {
            let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(lanes.entry(key.clone()).or_default())
        };
        // Dropping the guard removes an unused entry, also if this future is dropped.
        let mut flight = BatchLock { flights: self.clone(), key: key.clone(), turn: None };
        flight.turn = Some(timeout(patience, lane.lock_owned()).await.ok()?);
        Some(flight)
    }
}

impl Drop for BatchLock {
    fn drop(&mut self) {
        let mut lanes = self.flights.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.turn = None;
        // A lane that waits or flies has an owner besides the map; new ones need the map's lock.
        if lanes.get(&self.key).is_some_and(|lane| Arc::strong_count(lane) == 1) {
            lanes.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn key(number: u128) -> BatchKey {
        BatchKey { tenant: "acme".parse().unwrap(), batch_id: Uuid::from_u128(number) }
    }

    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn one_sender_flies_and_the_next_follows() {
        let locks = BatchLocks::default();
        let first = locks.acquire(&key(1), PATIENCE).await.unwrap();
        assert!(locks.acquire(&key(1), Duration::ZERO).await.is_none());
        assert!(locks.acquire(&key(2), Duration::ZERO).await.is_some());
        let waiting = tokio::spawn({
            let locks = locks.clone();
            async move { locks.acquire(&key(1), PATIENCE).await }
        });
        drop(first);
        assert!(waiting.await.unwrap().is_some());
    }

    #[tokio::test]
    async fn nothing_is_remembered_of_flights_that_ended() {
        let locks = BatchLocks::default();
        let first = locks.acquire(&key(1), PATIENCE).await;
        assert!(locks.acquire(&key(1), Duration::ZERO).await.is_none());
        drop(locks.acquire(&key(2), PATIENCE).await);
        assert_eq!(locks.0.lock().unwrap().len(), 1);
        drop(first);
        assert!(locks.0.lock().unwrap().is_empty());
    }
}
