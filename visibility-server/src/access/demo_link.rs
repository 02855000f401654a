//! The link that signs in to a demonstration: its secret works once, for a while.

use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};

use crate::settings::DemoSettings;

/// The tenant of the demonstration, and the user who is signed in.
pub(crate) const NAME: &str = "demo";
/// How long the secret works.
const LIFETIME: TimeDelta = TimeDelta::minutes(10);

/// The digest of a secret and when it expires; the secret itself is not stored.
pub(crate) fn settings_for(secret: &str, now: DateTime<Utc>) -> DemoSettings {
    DemoSettings { secret_digest: digest(secret), ends_at: now + LIFETIME }
}

/// The link of a service.
#[derive(Debug)]
pub(crate) struct DemoLink {
    settings: DemoSettings,
    is_used: AtomicBool,
}

impl DemoLink {
    pub(crate) fn new(settings: DemoSettings) -> Self {
        Self { settings, is_used: AtomicBool::new(false) }
    }

    /// Whether a secret opens the demonstration now; from then on it does not.
    pub(crate) fn take(&self, secret: &str, now: DateTime<Utc>) -> bool {
        // Of digests a comparison that ends early tells nothing.
        let is_right = digest(secret) == self.settings.secret_digest;
        is_right && now < self.settings.ends_at && !self.is_used.swap(true, Ordering::Relaxed)
    }
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_works_once_and_for_ten_minutes() {
        let now = Utc::now();
        let link = DemoLink::new(settings_for("a", now));
        assert!(!link.take("b", now));
        assert!(!link.take("a", now + TimeDelta::minutes(10)));
        assert!(link.take("a", now + TimeDelta::minutes(9)));
        assert!(!link.take("a", now));
    }
}
