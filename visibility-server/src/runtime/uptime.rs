//! A clock that never jumps, and that goes on when the process starts again.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

/// The time since the machine was started.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Uptime {
    /// Which start of the machine it is.
    boot: String,
    milliseconds: i64,
}

impl Uptime {
    /// What the clock says.
    #[cfg(target_os = "linux")]
    pub(crate) fn now() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        // Unlike the clock of `Instant`, this one counts the time in which the machine sleeps.
        let uptime = || -> Option<Self> {
            let boot = read("/proc/sys/kernel/random/boot_id")?.trim().to_owned();
            let seconds: f64 = read("/proc/uptime")?.split(' ').next()?.parse().ok()?;
            let since_boot = std::time::Duration::try_from_secs_f64(seconds).ok()?;
            Some(Self { boot, milliseconds: i64::try_from(since_boot.as_millis()).ok()? })
        };
        uptime().unwrap_or_else(Self::unknown)
    }

    /// What the clock says: here, the time since the first look at it.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn now() -> Self {
        use std::sync::OnceLock;
        use std::time::Instant;

        static START: OnceLock<(Instant, String)> = OnceLock::new();
        let (start, boot) =
            START.get_or_init(|| (Instant::now(), uuid::Uuid::now_v7().to_string()));
        let milliseconds = i64::try_from(start.elapsed().as_millis()).unwrap_or(i64::MAX);
        Self { boot: boot.clone(), milliseconds }
    }

    /// A reading that no other one can be compared with.
    pub(crate) fn unknown() -> Self {
        Self { boot: String::new(), milliseconds: 0 }
    }

    /// The time that passed since an earlier reading, if both are of one start of the machine.
    pub(crate) fn since(&self, earlier: &Self) -> Option<TimeDelta> {
        let is_comparable = !self.boot.is_empty() && self.boot == earlier.boot;
        let passed = self.milliseconds.checked_sub(earlier.milliseconds)?;
        // In a container, the clock may begin again.
        (is_comparable && passed >= 0).then(|| TimeDelta::milliseconds(passed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_of_one_start_can_be_compared() {
        let first = Uptime::now();
        let later = Uptime { milliseconds: first.milliseconds + 1500, ..first.clone() };
        assert_eq!(later.since(&first), Some(TimeDelta::milliseconds(1500)));
        assert_eq!(first.since(&later), None);
        assert!(Uptime::now().since(&first).is_some());
        let other = Uptime { boot: "other".to_owned(), ..first };
        assert_eq!(other.since(&first), None);
        assert_eq!(Uptime::unknown().since(&Uptime::unknown()), None);
    }
}
