//! Fault points: places where a test can end the process or make a step fail.
//!
//! With the feature `fault-points`, `VISIBILITY_CRASH_AT=<point>[:n]` ends the process with SIGKILL
//! when it passes the point for the n-th time, and `VISIBILITY_FAIL_AT=<point>[:n]` makes it fail
//! there from the n-th time on. `VISIBILITY_PANIC_AT` and `VISIBILITY_FREEZE_AT` name points of their own. Without the
//! feature, or without debug assertions, a point is nothing: the
//! tests of the workspace enable the feature, and a release build beside them must not be armed.

use visibility_core::store::StoreError;
#[cfg(all(feature = "fault-points", debug_assertions))]
use visibility_core::store::StoreErrorKind;

/// All points, in the order in which a batch passes them, and then those of the work between batches.
pub const POINTS: [&str; 17] = [
    "after-spool",
    "before-file-finish",
    "after-file-finish",
    "after-partial-finish",
    "after-answer-object",
    "before-begin",
    "after-insert-batch",
    "after-manifest",
    "after-rollup",
    "after-kinds",
    "after-seen",
    "before-commit",
    AFTER_COMMIT,
    BEFORE_ANSWER,
    AFTER_DELTA_VERSION,
    BEFORE_NEWEST,
    AFTER_NEWEST,
];

/// The batch is published, and its sender does not know yet.
pub(crate) const AFTER_COMMIT: &str = "after-commit";

/// The batch is published, and its answer is about to be sent.
pub(crate) const BEFORE_ANSWER: &str = "before-answer";

/// A version of a Delta log is written, and the database does not know yet.
pub(crate) const AFTER_DELTA_VERSION: &str = "after-delta-version";

/// The name of the newest object is about to be noted beside the objects.
pub(crate) const BEFORE_NEWEST: &str = "before-newest";

/// The name of the newest object was noted.
pub(crate) const AFTER_NEWEST: &str = "after-newest";

/// An audit is about to be judged; a point for [`panic_point`].
pub(crate) const JUDGE_AUDIT: &str = "judge-audit";

/// Files are about to be replaced; a point for [`freeze_point`].
pub(crate) const BEFORE_REPLACE: &str = "before-replace";

/// The counts of a day are about to be replaced; a point for [`freeze_point`].
pub(crate) const BEFORE_RECOUNT: &str = "before-recount";

/// Passes a point where a test takes the processor away from this process: `VISIBILITY_FREEZE_AT` names it.
#[cfg(not(all(feature = "fault-points", debug_assertions)))]
#[inline]
pub(crate) fn freeze_point(_name: &'static str) {}

/// Passes a point where a test takes the processor away from this process, until the test sends SIGCONT.
#[cfg(all(feature = "fault-points", debug_assertions))]
pub(crate) fn freeze_point(name: &'static str) {
    if armed::FREEZE
        .get_or_init(|| armed::Trap::from_environment("VISIBILITY_FREEZE_AT"))
        .is_hit(name)
    {
        armed::send_to_itself("-STOP");
        // Another thread takes the signal, perhaps only when a busy machine has time for it.
        std::thread::sleep(std::time::Duration::from_secs(2));
    }
}

/// Passes a point where a test makes a thread panic: `VISIBILITY_PANIC_AT` names it.
#[cfg(not(all(feature = "fault-points", debug_assertions)))]
#[inline]
pub(crate) fn panic_point(_name: &'static str) {}

/// Passes a point where a test makes a thread panic.
#[cfg(all(feature = "fault-points", debug_assertions))]
pub(crate) fn panic_point(name: &'static str) {
    let trap = armed::PANIC.get_or_init(|| armed::Trap::from_environment("VISIBILITY_PANIC_AT"));
    assert!(!trap.is_hit(name), "asked for at {name}");
}

/// Passes a point.
#[cfg(not(all(feature = "fault-points", debug_assertions)))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it fails")]
pub(crate) fn point(_name: &'static str) -> Result<(), StoreError> {
    Ok(())
}

/// Passes a point.
#[cfg(all(feature = "fault-points", debug_assertions))]
pub(crate) fn point(name: &'static str) -> Result<(), StoreError> {
    if armed::CRASH
        .get_or_init(|| armed::Trap::from_environment("VISIBILITY_CRASH_AT"))
        .is_hit(name)
    {
        armed::end_process();
    }
    if armed::FAIL.get_or_init(|| armed::Trap::from_environment("VISIBILITY_FAIL_AT")).is_hit(name)
    {
        let is_published = matches!(name, AFTER_COMMIT | BEFORE_ANSWER);
        let kind = if is_published { StoreErrorKind::Unknown } else { StoreErrorKind::Unchanged };
        return Err(StoreError { kind, action: format!("pass {name}"), source: None });
    }
    Ok(())
}

#[cfg(all(feature = "fault-points", debug_assertions))]
mod armed {
    use std::process::Command;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    pub(crate) static CRASH: OnceLock<Trap> = OnceLock::new();
    pub(crate) static PANIC: OnceLock<Trap> = OnceLock::new();
    pub(crate) static FAIL: OnceLock<Trap> = OnceLock::new();
    pub(crate) static FREEZE: OnceLock<Trap> = OnceLock::new();

    /// What the environment asks for.
    pub(crate) struct Trap {
        point: Option<String>,
        from: u64,
        passed: AtomicU64,
    }

    impl Trap {
        pub(super) fn from_environment(variable: &str) -> Self {
            let asked = std::env::var(variable).ok();
            let (point, from) = match asked.as_deref().map(|text| (text, text.split_once(':'))) {
                Some((_, Some((point, from)))) => {
                    (Some(point.to_owned()), from.parse().unwrap_or(1))
                }
                Some((point, None)) => (Some(point.to_owned()), 1),
                None => (None, 1),
            };
            Self { point, from, passed: AtomicU64::new(0) }
        }

        pub(super) fn is_hit(&self, name: &str) -> bool {
            self.point.as_deref() == Some(name)
                && self.passed.fetch_add(1, Ordering::SeqCst) + 1 >= self.from
        }
    }

    /// Ends this process without a last word, as the kernel does when memory runs out.
    pub(crate) fn end_process() -> ! {
        static IS_ENDING: AtomicBool = AtomicBool::new(false);
        // Once: another `kill`, forked while this process dies, would hold the lock of its data directory for a moment
        // longer than it lives.
        if !IS_ENDING.swap(true, Ordering::SeqCst) {
            send_to_itself("-9");
        }
        loop {
            std::thread::park();
        }
    }

    /// Sends a signal to this process.
    pub(crate) fn send_to_itself(signal: &str) {
        let _ = Command::new("kill").args([signal, &std::process::id().to_string()]).status();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn points_have_names_of_their_own() {
        assert_eq!(POINTS.into_iter().collect::<BTreeSet<_>>().len(), POINTS.len());
    }
}
