//! Background writes of results to the database, so that responses do not wait for the disk.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Results that wait to be written at the same time; more are not kept in the database.
const WRITES: usize = 16;

/// A bounded number of background writes.
#[derive(Debug)]
pub(crate) struct BackgroundWrites(Arc<Semaphore>);

/// Too many wait to be written.
#[derive(Debug)]
pub(crate) struct TooManyWrites;

impl Default for BackgroundWrites {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(WRITES)))
    }
}

impl BackgroundWrites {
    /// Writes soon, where blocking is allowed.
    ///
    /// # Errors
    ///
    /// When too many wait already; nothing is written then.
    pub(crate) fn spawn(&self, write: impl FnOnce() + Send + 'static) -> Result<(), TooManyWrites> {
        let permit = Arc::clone(&self.0).try_acquire_owned().map_err(|_taken| TooManyWrites)?;
        spawn_blocking(move || {
            let _permit = permit;
            write();
        });
        Ok(())
    }

    /// Waits until nothing is left to write.
    #[cfg(test)]
    pub(crate) async fn done(&self) {
        let all = self.0.acquire_many(u32::try_from(WRITES).unwrap()).await;
        drop(all.unwrap());
    }
}
