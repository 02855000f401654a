//! The threads that visit sites, for scans and audits. Responses of strangers are parsed there, so that a slow
//! one does not delay the requests that the service answers.

use std::fmt;
use std::io;
use std::num::NonZero;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::{JoinError, JoinHandle};

/// The name of each of the threads.
pub(crate) const NAME: &str = "visit";

/// Threads for works of which none is in a hurry.
pub(crate) struct FetchThreads {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl FetchThreads {
    /// Half of the cores; the other half is left to the serving threads.
    pub(crate) fn start() -> io::Result<Self> {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let runtime = Builder::new_multi_thread()
            .worker_threads((cores / 2).max(1))
            .thread_name(NAME)
            .enable_all()
            .build()?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }

    /// Runs a future on one of the threads. It is dropped soon after the caller stops waiting.
    ///
    /// # Errors
    ///
    /// When the work panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, JoinError> {
        AbortOnDrop(self.handle.spawn(work)).await
    }
}

impl Drop for FetchThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A runtime that waited for its threads could not be dropped inside of another one.
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for FetchThreads {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Threads").finish_non_exhaustive()
    }
}

/// A work that ends with the one who waits for it.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Future for AbortOnDrop<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_task_that_blocks_its_thread_does_not_delay_others() {
        let threads = FetchThreads::start().unwrap();
        let (go_on, waits) = std::sync::mpsc::channel();
        let work = async move {
            waits.recv().unwrap();
            std::thread::current().name().map(str::to_owned)
        };
        let mut working = Box::pin(threads.run(work));
        assert!(futures_util::poll!(&mut working).is_pending());
        go_on.send(()).unwrap();
        assert_eq!(working.await.unwrap().as_deref(), Some(NAME));
    }

    #[tokio::test]
    async fn a_task_ends_when_no_one_waits_for_it() {
        let threads = FetchThreads::start().unwrap();
        let (start, started) = oneshot::channel();
        let (held, dropped) = oneshot::channel::<()>();
        let work = async move {
            let _held = held;
            start.send(()).unwrap();
            pending::<()>().await;
        };
        let mut working = Box::pin(threads.run(work));
        assert!(futures_util::poll!(&mut working).is_pending());
        started.await.unwrap();
        drop(working);
        assert!(dropped.await.is_err());
    }

    #[tokio::test]
    async fn a_panic_ends_one_work_and_no_thread() {
        let threads = FetchThreads::start().unwrap();
        let panicking = threads.run(async { panic!("as the test wants it") });
        assert!(panicking.await.unwrap_err().is_panic());
        assert_eq!(threads.run(async { 1 }).await.unwrap(), 1);
    }
}
