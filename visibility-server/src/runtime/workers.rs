//! The threads that validate batches, one for each permit.
//!
//! They are always the same: an allocator keeps memory for each thread, and a batch takes much. What
//! waits for the disk on them waits there, and nowhere else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that end when this is dropped.
#[derive(Debug)]
pub(crate) struct Workers(Sender<Job>);

impl Workers {
    /// Starts so many threads.
    ///
    /// # Errors
    ///
    /// When the system has no room for them.
    pub(crate) fn start(count: usize) -> io::Result<Self> {
        let (sender, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 1..=count {
            let jobs = Arc::clone(&jobs);
            thread::Builder::new().name(format!("batch-{number}")).spawn(move || work(&jobs))?;
        }
        Ok(Self(sender))
    }

    /// Runs a job on one of the threads, to its end even if the caller stops waiting. `None` if
    /// it panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.0
            .send(Box::new(move || {
                // The caller may have stopped waiting.
                let _ = answer.send(job());
            }))
            .ok()?;
        answered.await.ok()
    }
}

/// Runs jobs until the channel closes.
fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        // The panic hook has logged it; the caller sees the dropped channel.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_job_that_panics_takes_no_thread_with_it() {
        let workers = Workers::start(1).unwrap();
        assert_eq!(workers.run(|| -> u8 { panic!("as the test wants it") }).await, None);
        assert_eq!(workers.run(|| 7).await, Some(7));
    }

    #[tokio::test]
    async fn a_job_is_done_even_if_no_one_waits() {
        let workers = Workers::start(1).unwrap();
        let (done, is_done) = channel();
        drop(
            tokio::time::timeout(
                std::time::Duration::ZERO,
                workers.run(move || done.send(()).unwrap()),
            )
            .await,
        );
        assert_eq!(workers.run(|| 1).await, Some(1));
        assert!(is_done.recv().is_ok());
    }
}
