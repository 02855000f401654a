//! What a server shows every few seconds while it runs: other nodes, that it serves; and beside the objects, which of them
//! is the newest.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use visibility_core::store::StoreError;

use super::rounds::{FailureLog, Lease};
use crate::runtime::clock;
use crate::stores::{Stores, node};

/// The lease of the node that names the newest object.
const NEWEST: &str = "newest";
/// How often it is looked what is due.
const TICK: Duration = Duration::from_secs(1);

/// Longest time between two names where each has a price.
const MOST_PAUSE: Duration = Duration::from_secs(5);

/// What a server shows, and when it did.
struct Heartbeat {
    stores: Arc<Stores>,
    newest: Lease,
    shown_at: Option<Instant>,
    named_at: Option<Instant>,
}

/// Shows that this server works, until it stops.
pub(super) async fn beat(stores: Arc<Stores>, mut stop: watch::Receiver<bool>) {
    let mut failures = FailureLog::new("show that this server works");
    let newest = Lease::new(NEWEST, TimeDelta::zero());
    let mut heartbeat =
        Heartbeat { stores, newest, shown_at: Some(Instant::now()), named_at: None };
    while !*stop.borrow() {
        let once = spawn_blocking(move || {
            let outcome = heartbeat.beat_once();
            (heartbeat, outcome)
        });
        match once.await {
            Ok((same, outcome)) => {
                heartbeat = same;
                failures.note(outcome);
            }
            Err(error) => {
                tracing::error!(%error, "cannot show any more that this server works");
                return;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(TICK) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }
    // If this fails, another node waits until the lease is over.
    let _ = spawn_blocking(move || heartbeat.newest.release(&heartbeat.stores)).await;
}

impl Heartbeat {
    fn beat_once(&mut self) -> Result<(), StoreError> {
        let Self { stores, newest, .. } = self;
        if is_due(&mut self.shown_at, node::BEAT) {
            stores.beat(clock::now())?;
        }
        let pause = stores.objects().look_every().min(MOST_PAUSE);
        if is_due(&mut self.named_at, pause)
            && stores.is_database_current()?
            && newest.is_held(stores)
        {
            stores.note_newest()?;
        }
        Ok(())
    }
}

/// Whether something was not done for some time; then it is done now.
fn is_due(last: &mut Option<Instant>, pause: Duration) -> bool {
    let is_due = last.is_none_or(|last| last.elapsed() >= pause);
    if is_due {
        *last = Some(Instant::now());
    }
    is_due
}
