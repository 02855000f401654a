//! Admissions of anonymous clients that count only if their job starts.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::subject::Subject;
use super::{Admission, LimitError, LimitScope, Limiter};
use crate::http::blocking::in_background;
use crate::stores::Stores;

/// An admission that is taken back when this is dropped, unless it was spent.
#[derive(Debug)]
#[must_use]
pub(crate) struct PendingAdmission {
    limiter: Arc<Limiter>,
    stores: Arc<Stores>,
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
        let Some(admission) = self.admission.take() else { return };
        self.limiter.undo(&self.subject, admission);
        if self.limiter.is_shared() {
            let (limiter, stores) = (Arc::clone(&self.limiter), Arc::clone(&self.stores));
            let subject = self.subject.clone();
            in_background(move || limiter.delete(stores.state_store(), &subject, admission));
        }
    }
}

impl Limiter {
    /// Counts an audit of the pages of a host, in memory alone unless all nodes count together; nothing if the limit is
    /// lifted. Blocks if they do.
    ///
    /// # Errors
    ///
    /// [`LimitError`].
    pub(crate) fn admit_pending(
        self: &Arc<Self>,
        stores: &Arc<Stores>,
        host: Subject,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Result<Option<PendingAdmission>, LimitError> {
        let scope = LimitScope::AuditHost;
        if scope.limit(&self.limits) == 0 {
            return Ok(None);
        }
        let admission = if self.is_shared() {
            self.admit_shared(stores.state_store(), &host, scope)?
        } else {
            self.admit_in_memory(&host, clock)?
        };
        Ok(admission.map(|admission| PendingAdmission {
            limiter: Arc::clone(self),
            stores: Arc::clone(stores),
            subject: host,
            admission: Some(admission),
        }))
    }

    fn admit_in_memory(
        &self,
        host: &Subject,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Result<Option<Admission>, LimitError> {
        let scope = LimitScope::AuditHost;
        let windows = self.windows(host);
        let _order = windows.order();
        // Nothing of it is kept in a store.
        self.restore(&windows, scope, Vec::new());
        let counted = self.count(&windows, scope, clock)?;
        Ok(counted.map(|(admission, _)| admission))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::TimeDelta;

    use super::*;
    use crate::settings::Limits;

    fn wait(admitted: &Result<Option<PendingAdmission>, LimitError>) -> Option<Duration> {
        match admitted {
            Err(LimitError::Reached { limit: 2, wait, .. }) => Some(*wait),
            _ => None,
        }
    }

    #[test]
    fn what_did_not_take_place_does_not_count() {
        let limits = Limits { audits_per_host: 2, ..Limits::default() };
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let limiter = Arc::new(Limiter::new(&limits, stores.state_store()));
        let start = DateTime::UNIX_EPOCH;
        let admit = |seconds| {
            let host = Subject::host("host/example.com".to_owned());
            limiter.admit_pending(&stores, host, || start + TimeDelta::seconds(seconds))
        };
        drop(admit(0).unwrap());
        let second = admit(1).unwrap().unwrap();
        admit(2).unwrap().unwrap().commit();
        assert_eq!(wait(&admit(3)), Some(Duration::from_secs(3598)));
        drop(second);
        admit(4).unwrap().unwrap().commit();
        assert_eq!(wait(&admit(5)), Some(Duration::from_secs(3597)));
        let other = Subject::host("host/example.net".to_owned());
        assert!(limiter.admit_pending(&stores, other, || start).is_ok());
        assert!(admit(3602).is_ok());
    }
}
