//! Whether the stores can be written, for those who ask again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::state::AppState;

/// For how long an answer of the stores is good, so that strangers who ask cost nothing.
const FRESH: Duration = Duration::from_secs(1);
/// How long the stores may take to answer: a disk that hangs is one that cannot be written.
const PATIENCE: Duration = Duration::from_millis(800);

/// Whether the stores could be written when they were last asked.
#[derive(Debug, Default)]
pub(crate) struct Readiness {
    known: watch::Sender<Option<(Instant, bool)>>,
    /// Whether the stores are being asked: one who waits for a disk is enough.
    is_asking: Arc<AtomicBool>,
}

impl Readiness {
    /// Whether the stores can be written; known within a second, whatever they do.
    pub(crate) async fn check(&self, state: &AppState) -> bool {
        self.check_with(state, can_write).await
    }

    async fn check_with(&self, state: &AppState, can_write: fn(&AppState) -> bool) -> bool {
        let is_fresh =
            |known: &Option<(Instant, bool)>| known.is_some_and(|(at, _)| at.elapsed() < FRESH);
        let mut known = self.known.subscribe();
        if !is_fresh(&known.borrow()) && !self.is_asking.swap(true, Ordering::AcqRel) {
            let (state, asking) = (state.clone(), CheckInProgress(Arc::clone(&self.is_asking)));
            spawn_blocking(move || {
                let is_ready = can_write(&state);
                // Before the next one may ask, so that it finds the answer.
                state.shared().readiness.known.send_replace(Some((Instant::now(), is_ready)));
                drop(asking);
            });
        }
        match timeout(PATIENCE, known.wait_for(is_fresh)).await {
            Ok(Ok(known)) => known.is_some_and(|(_, is_ready)| is_ready),
            _ => false,
        }
    }
}

/// The stores are being asked, until this is dropped.
struct CheckInProgress(Arc<AtomicBool>);

impl Drop for CheckInProgress {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

fn can_write(state: &AppState) -> bool {
    let spool = state.shared().spool.probe();
    let database =
        state.shared().stores.sqlite().writer().execute_batch("BEGIN IMMEDIATE; ROLLBACK");
    if let Err(error) = &spool {
        tracing::error!(error = error as &dyn std::error::Error, "the spool cannot be written");
    }
    if let Err(error) = &database {
        tracing::error!(error = error as &dyn std::error::Error, "the database cannot be written");
    }
    spool.is_ok() && database.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_disk_that_hangs_is_known_within_a_second_and_asked_once() {
        static ASKED: AtomicBool = AtomicBool::new(false);
        let folder = tempfile::tempdir().unwrap();
        let state = AppState::for_tests(folder.path());
        let hangs: fn(&AppState) -> bool = |_| {
            assert!(!ASKED.swap(true, Ordering::SeqCst), "asked twice");
            std::thread::sleep(Duration::from_secs(2));
            true
        };
        let readiness = &state.shared().readiness;
        let started = Instant::now();
        let asks = (0..100).map(|_| readiness.check_with(&state, hangs));
        let answers = futures_util::future::join_all(asks).await;
        assert!(started.elapsed() < Duration::from_secs(1));
        assert!(answers.iter().all(|is_ready| !is_ready));
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert!(readiness.check_with(&state, hangs).await, "it is known since it hangs no more");
    }

    #[tokio::test]
    async fn a_failed_question_does_not_stand_in_the_way_of_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let state = AppState::for_tests(folder.path());
        let readiness = &state.shared().readiness;
        assert!(!readiness.check_with(&state, |_| panic!("a bug")).await);
        assert!(readiness.check(&state).await);
    }
}
