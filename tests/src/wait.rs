//! Waiting in tests: for the thing itself, and long enough for a machine that is busy with other work.
//!
//! A test asserts no short bound on elapsed time. Where a deadline is the subject, its bound is at least ten times
//! the expected time and at least [`LEEWAY`].

#![expect(clippy::panic, reason = "a test that has waited long enough stops")]

use std::future::Future;
use std::thread;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

/// The longest wait for something that should come soon. On a quiet machine it comes in milliseconds, so this never
/// delays a test that passes.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// The shortest bound on elapsed time that a test may assert.
pub const LEEWAY: Duration = Duration::from_secs(10);

const PAUSE: Duration = Duration::from_millis(5);

/// Waits until something holds.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    eventually(what, async || holds()).await;
}

/// Waits until something holds that has to be asked for.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain: {what}");
        sleep(PAUSE).await;
    }
}

/// Waits on this thread until something holds.
pub fn until_blocking(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain: {what}");
        thread::sleep(PAUSE);
    }
}

/// What a future gives; it has [`PATIENCE`] for that.
pub async fn in_time<F: Future>(what: &str, future: F) -> F::Output {
    let output = timeout(PATIENCE, future).await;
    output.unwrap_or_else(|_| panic!("waited {PATIENCE:?} in vain: {what}"))
}
