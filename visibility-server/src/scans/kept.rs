//! A result that is kept, in one form.

use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::locale::Lang;

use super::render::unpack;
use crate::clock;

/// How far a result may be ahead of the clock.
const SKEW: TimeDelta = TimeDelta::seconds(5);

/// In which form an answer is sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Form {
    pub(crate) lang: Lang,
    pub(crate) coding: Coding,
}

/// The content coding of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
}

impl Form {
    /// The same as gzip.
    pub(super) fn packed(self) -> Self {
        Self { coding: Coding::Gzip, ..self }
    }
}

/// A result in one form.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) scanned_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
    /// Changes with the result, and is the same in all forms.
    pub(crate) tag: Arc<str>,
    pub(crate) body: Bytes,
}

impl Kept {
    /// The time since the scan.
    pub(crate) fn age(&self) -> TimeDelta {
        (clock::now() - self.scanned_at).max(TimeDelta::zero())
    }

    /// Whether it may be served.
    pub(super) fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        self.scanned_at <= now + SKEW && now < self.expires_at
    }

    /// The same without its content coding.
    pub(super) fn unpack(&self) -> Option<Self> {
        match unpack(&self.body) {
            Ok(body) => Some(Self { body, ..self.clone() }),
            Err(error) => {
                tracing::error!(%error, "a result that was kept cannot be unpacked");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::render::expires_at;

    #[test]
    fn a_result_is_fresh_for_a_day_and_never_before_it_was_made() {
        let start = DateTime::UNIX_EPOCH;
        let kept = Kept {
            scanned_at: start,
            expires_at: expires_at(start),
            tag: "a".into(),
            body: Bytes::new(),
        };
        let is_fresh = |seconds| kept.is_fresh(start + TimeDelta::seconds(seconds));
        assert!(is_fresh(0) && is_fresh(86_399) && is_fresh(-5));
        assert!(!is_fresh(86_400) && !is_fresh(-6));
    }
}
