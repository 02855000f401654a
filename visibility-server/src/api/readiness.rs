//! Readiness of the service, cached for frequent health checks.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use visibility_core::limits::MAX_BATCH_WIRE_BYTES;

use crate::ingest::spool::Spool;
use crate::runtime::clock;
use crate::state::AppState;
use crate::stores::Stores;
use crate::stores::node::{Node, NodeHealth};

/// How long a probe of the stores stays valid, so that frequent health checks cost nothing.
const FRESH: Duration = Duration::from_secs(1);
/// How long the stores may take to answer: a disk that hangs cannot be written.
const PATIENCE: Duration = Duration::from_millis(800);

/// The latest probe of the stores. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Readiness(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    stores: Arc<Stores>,
    spool: Spool,
    stop: watch::Receiver<bool>,
    /// When the stores were probed last, and whether they could be written.
    latest: watch::Sender<Option<(Instant, bool)>>,
    /// One thread that waits for a disk is enough.
    is_probing: AtomicBool,
}

impl Readiness {
    pub(crate) fn new(state: &AppState) -> Self {
        let shared = state.shared();
        Self(Arc::new(Shared {
            stores: Arc::clone(&shared.stores),
            spool: shared.spool.clone(),
            stop: shared.stop.clone(),
            latest: watch::Sender::default(),
            is_probing: AtomicBool::default(),
        }))
    }

    /// Whether the service can do its work and is not about to stop. Answers within a second, even if a
    /// disk hangs.
    pub(crate) async fn check(&self) -> bool {
        !*self.0.stop.borrow() && self.faults().is_empty() && self.check_stores(can_write).await
    }

    /// What this node has found out about its agreement with others.
    pub(crate) fn node_health(&self) -> NodeHealth {
        self.0.stores.node().map(Node::health).unwrap_or_default()
    }

    /// Why no batch would be accepted now although the stores work: the clock is wrong, or one of the size that is allowed
    /// would not fit on a disk: its body, and at most as much for its records.
    pub(crate) async fn obstacle(&self) -> Option<String> {
        let stores = Arc::clone(&self.0.stores);
        let look =
            spawn_blocking(move || (stores.clock_too_far_off(clock::now()), stores.free_bytes()));
        let Ok(Ok((clock, free))) = timeout(PATIENCE, look).await else {
            return Some("a disk does not say how much room it has".to_owned());
        };
        let Ok(ahead) = clock else {
            return Some("the database does not say whether the clock is right".to_owned());
        };
        if let Some(ahead) = ahead {
            let direction = if ahead < TimeDelta::zero() { "behind" } else { "ahead" };
            let seconds = ahead.num_seconds().abs();
            return Some(format!("the clock is {seconds} seconds {direction}"));
        }
        let needed = 2 * MAX_BATCH_WIRE_BYTES;
        match free {
            Ok(free) if free >= needed => None,
            Ok(free) => {
                let mebibytes = |bytes: u64| bytes / (1024 * 1024);
                let (free, needed) = (mebibytes(free), mebibytes(needed));
                Some(format!("a disk has {free} MiB left, and a batch may need {needed} MiB"))
            }
            Err(_) => Some("a disk does not say how much room it has".to_owned()),
        }
    }

    /// Why no batches are accepted, as far as it is known without asking the stores.
    pub(crate) fn faults(&self) -> Vec<String> {
        let of_database = self.0.stores.database_faults();
        self.node_health().faults.into_iter().chain(of_database).collect()
    }

    async fn check_stores(&self, can_write: fn(&Shared) -> bool) -> bool {
        let mut latest = self.0.latest.subscribe();
        if !latest.borrow().is_some_and(is_fresh) && !self.0.is_probing.swap(true, Ordering::AcqRel)
        {
            let probe = ProbeInProgress(Arc::clone(&self.0));
            spawn_blocking(move || {
                let is_ready = can_write(&probe.0);
                // Before another probe may start, so that the next check finds this result.
                probe.0.latest.send_replace(Some((Instant::now(), is_ready)));
            });
        }
        match timeout(PATIENCE, latest.wait_for(|latest| latest.is_some_and(is_fresh))).await {
            Ok(Ok(latest)) => latest.is_some_and(|(_, is_ready)| is_ready),
            _ => false,
        }
    }
}

fn is_fresh((at, _): (Instant, bool)) -> bool {
    at.elapsed() < FRESH
}

/// Allows the next probe when dropped, also if this one panics.
struct ProbeInProgress(Arc<Shared>);

impl Drop for ProbeInProgress {
    fn drop(&mut self) {
        self.0.is_probing.store(false, Ordering::Release);
    }
}

fn can_write(shared: &Shared) -> bool {
    let spool = shared.spool.probe();
    let database = shared.stores.state_store().probe();
    if let Err(error) = &spool {
        tracing::error!(error = error as &dyn Error, "cannot write to the spool");
    }
    if let Err(error) = &database {
        tracing::error!(error = error as &dyn Error, "cannot write to the database");
    }
    spool.is_ok() && database.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_disk_that_hangs_is_known_and_asked_once() {
        static ASKED: AtomicBool = AtomicBool::new(false);
        static HANGS: AtomicBool = AtomicBool::new(true);
        let folder = tempfile::tempdir().unwrap();
        let hangs: fn(&Shared) -> bool = |_| {
            let is_first = !ASKED.swap(true, Ordering::SeqCst);
            assert!(is_first || !HANGS.load(Ordering::SeqCst), "asked twice");
            while HANGS.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
            true
        };
        let readiness = Readiness::new(&AppState::for_tests(folder.path()));
        let asks = (0..100).map(|_| readiness.check_stores(hangs));
        let answers = futures_util::future::join_all(asks).await;
        assert!(answers.iter().all(|is_ready| !is_ready));
        HANGS.store(false, Ordering::SeqCst);
        let knows = async { while !readiness.check_stores(hangs).await {} };
        timeout(Duration::from_mins(1), knows).await.expect("it is known when it hangs no more");
    }

    #[tokio::test]
    async fn a_failed_question_does_not_stand_in_the_way_of_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let readiness = Readiness::new(&AppState::for_tests(folder.path()));
        assert!(!readiness.check_stores(|_| panic!("a bug")).await);
        assert!(readiness.check().await);
    }
}
