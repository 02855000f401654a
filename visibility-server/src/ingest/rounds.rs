//! Work that is done again and again while the service runs, by one node at a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use visibility_core::store::StoreError;

use crate::runtime::clock;
use crate::stores::Stores;

/// How often a lease is renewed while its work lasts.
const RENEW_LEASE: Duration = Duration::from_secs(20);
/// How much longer than the pause between two rounds a lease lasts.
const LEASE_MARGIN: TimeDelta = TimeDelta::minutes(2);

/// Work of which a round is done from time to time.
pub(crate) trait Rounds: Clone + Send + 'static {
    /// The time between two rounds.
    fn pause(&self) -> Duration;

    /// Does one round. Blocks.
    fn work(&mut self, now: DateTime<Utc>);
}

/// Does a round now and after each pause, until the service stops.
pub(crate) async fn repeat(mut work: impl Rounds, mut stop: watch::Receiver<bool>) {
    loop {
        let mut round = work.clone();
        let round = spawn_blocking(move || {
            round.work(clock::now());
            round
        });
        match round.await {
            Ok(after) => work = after,
            Err(error) => tracing::error!(%error, "a round of work in the background failed"),
        }
        tokio::select! {
            () = tokio::time::sleep(work.pause()) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// Makes some work that of one node at a time. A node that loses the lease in the middle of a step, because it was
/// stopped for minutes, does no harm: the database refuses what another one has done meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    name: &'static str,
    span: TimeDelta,
    renewed: Arc<Mutex<Option<Instant>>>,
}

impl Lease {
    /// A lease that its holder may keep over some pause.
    pub(crate) fn new(name: &'static str, pause: TimeDelta) -> Self {
        Self {
            name,
            span: pause.checked_add(&LEASE_MARGIN).unwrap_or(TimeDelta::MAX),
            renewed: Arc::default(),
        }
    }

    /// Whether this node may go on, for which it asks the database from time to time.
    pub(crate) fn is_held(&self, stores: &Stores) -> bool {
        let Some(node) = stores.node() else { return true };
        let mut renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        if renewed.is_some_and(|at| at.elapsed() < RENEW_LEASE) {
            return true;
        }
        let held = stores.state_store().acquire_lease(self.name, &node.holder(), self.span);
        let is_held = held.unwrap_or_else(|error| {
            log_failure("lease", &error);
            false
        });
        *renewed = is_held.then(Instant::now);
        is_held
    }

    /// Lets another node go on.
    pub(crate) fn release(&self, stores: &Stores) {
        let Some(node) = stores.node() else { return };
        let renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner).take();
        if renewed.is_none() {
            return;
        }
        if let Err(error) = stores.state_store().release_lease(self.name, &node.holder()) {
            log_failure("lease", &error);
        }
    }
}

/// Logs the failure of a step that is tried every few seconds: once, and not again until it is another one or over.
#[derive(Clone, Debug)]
pub(crate) struct FailureLog {
    step: &'static str,
    last: Option<String>,
}

impl FailureLog {
    pub(crate) fn new(step: &'static str) -> Self {
        Self { step, last: None }
    }

    /// Takes note of how the step ended this time.
    pub(crate) fn note(&mut self, outcome: Result<(), StoreError>) {
        let failure = outcome.err().map(|error| (text_without_numbers(&error), error));
        match (&failure, &self.last) {
            (Some((text, error)), last) if last.as_ref() != Some(text) => {
                log_failure(self.step, error);
            }
            (None, Some(_)) => {
                tracing::info!(step = self.step, "the work in the background succeeds again");
            }
            _ => {}
        }
        self.last = failure.map(|(text, _)| text);
    }
}

/// What an error says. Some say how long it took, which differs each time.
fn text_without_numbers(error: &StoreError) -> String {
    let mut text = error.to_string();
    if let Some(cause) = &error.source {
        text.push_str(&cause.to_string());
    }
    text.retain(|character| !character.is_ascii_digit());
    text
}

/// Logs that a step of such work failed; its next round tries again.
pub(crate) fn log_failure(step: &str, error: &StoreError) {
    let cause = error.source.as_ref().map(ToString::to_string);
    tracing::error!(step, %error, cause, "a step of the work in the background failed");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_that_differ_in_a_duration_alone_are_the_same_one() {
        let failure = |cause: &str| StoreError::unchanged("write a mark", cause);
        let first = text_without_numbers(&failure("refused after 2.15 s"));
        assert_eq!(text_without_numbers(&failure("refused after 10.04 s")), first);
        assert_ne!(text_without_numbers(&failure("no answer after 10.04 s")), first);
        let action = StoreError { source: None, ..failure("") };
        assert_eq!(text_without_numbers(&action), "cannot write a mark");
    }
}
