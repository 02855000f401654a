//! The clock of the service; tests can shift it.

use chrono::{DateTime, Utc};

/// The time of the wall clock. It may jump, in both directions.
#[cfg(not(all(feature = "fault-points", debug_assertions)))]
pub(crate) fn now() -> DateTime<Utc> {
    Utc::now()
}

/// The time of the wall clock, shifted by the seconds in the file that `VISIBILITY_CLOCK_OFFSET` names, so
/// that a test can make it jump.
#[cfg(all(feature = "fault-points", debug_assertions))]
pub(crate) fn now() -> DateTime<Utc> {
    use std::sync::OnceLock;

    use chrono::TimeDelta;

    static FILE: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    let file = FILE.get_or_init(|| std::env::var_os("VISIBILITY_CLOCK_OFFSET").map(Into::into));
    let text = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
    let seconds = text.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    Utc::now() + TimeDelta::seconds(seconds)
}
