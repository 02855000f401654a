//! A semaphore with a bounded queue, for batches that wait to be validated.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// As many batches at a time as there are permits, and a bounded number that waits.
#[derive(Debug)]
pub(crate) struct BoundedSemaphore {
    permits: Arc<Semaphore>,
    waiters: AtomicUsize,
    max_waiters: usize,
}

/// The place of one that waits, until it is dropped.
struct WaiterGuard<'a>(&'a AtomicUsize);

impl Drop for WaiterGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl BoundedSemaphore {
    /// A queue of so many permits and places to wait.
    pub(crate) fn new(permits: usize, places: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(permits)),
            waiters: AtomicUsize::new(0),
            max_waiters: places,
        }
    }

    /// Waits for a permit; none if too many wait already.
    pub(crate) async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Some(permit);
        }
        let waiting = self.waiters.fetch_add(1, Ordering::SeqCst);
        let _place = WaiterGuard(&self.waiters);
        if waiting >= self.max_waiters {
            return None;
        }
        Arc::clone(&self.permits).acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_too_many_is_refused_and_the_others_get_their_turn() {
        let queue = Arc::new(BoundedSemaphore::new(1, 1));
        let first = queue.acquire().await.unwrap();
        let second = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.acquire().await }
        });
        while queue.waiters.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        assert!(queue.acquire().await.is_none());
        drop(first);
        assert!(second.await.unwrap().is_some());
        assert_eq!(queue.waiters.load(Ordering::SeqCst), 0);
        assert!(queue.acquire().await.is_some());
    }
}
