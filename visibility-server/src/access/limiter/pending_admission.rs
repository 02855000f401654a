//! Admissions of anonymous clients that count only if their job starts.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::subject::Subject;
use super::{Admission, LimitError, LimitScope, Limiter};

/// An admission that is taken back when this is dropped, unless it was spent.
#[derive(Debug)]
#[must_use]
pub(crate) struct PendingAdmission {
    limiter: Arc<Limiter>,
    subject: Subject,
    admission: Option<Admission>,
}

impl PendingAdmission {
    /// Says that what it was for takes place.
    pub(crate) fn commit(mut self) {
        self.admission = None;
    }
}

impl Drop for PendingAdmission {
    fn drop(&mut self) {
        if let Some(admission) = self.admission.take() {
            self.limiter.windows(&self.subject).undo(admission);
        }
    }
}

impl Limiter {
    /// Counts an audit of the pages of a host, in memory alone; nothing if the limit is lifted.
    ///
    /// # Errors
    ///
    /// How many there may be, and after what time one more, when they are used up.
    pub(crate) fn admit_pending(
        self: &Arc<Self>,
        host: Subject,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Result<Option<PendingAdmission>, (u32, Duration)> {
        let scope = LimitScope::AuditHost;
        if scope.limit(&self.limits) == 0 {
            return Ok(None);
        }
        let windows = self.windows(&host);
        let _order = windows.order();
        // Nothing of it is kept in a store.
        self.restore(&windows, scope, Vec::new());
        match self.count(&windows, scope, clock) {
            Ok(counted) => Ok(counted.map(|(admission, _)| PendingAdmission {
                limiter: Arc::clone(self),
                subject: host,
                admission: Some(admission),
            })),
            Err(LimitError::Reached { limit, wait, .. }) => Err((limit, wait)),
            Err(LimitError::Store(_)) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::settings::Limits;

    #[test]
    fn what_did_not_take_place_does_not_count() {
        let limits = Limits { audits_per_host: 2, ..Limits::default() };
        let limiter = Arc::new(Limiter::new(&limits));
        let start = DateTime::UNIX_EPOCH;
        let admit = |seconds| {
            let host = Subject::host("host/example.com".to_owned());
            limiter.admit_pending(host, || start + TimeDelta::seconds(seconds))
        };
        drop(admit(0).unwrap());
        let second = admit(1).unwrap().unwrap();
        admit(2).unwrap().unwrap().commit();
        assert_eq!(admit(3).unwrap_err(), (2, Duration::from_secs(3598)));
        drop(second);
        admit(4).unwrap().unwrap().commit();
        assert_eq!(admit(5).unwrap_err(), (2, Duration::from_secs(3597)));
        let other = Subject::host("host/example.net".to_owned());
        assert!(limiter.admit_pending(other, || start).is_ok());
        assert!(admit(3602).is_ok());
    }
}
