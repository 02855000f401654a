//! Audits that run on this node, by their ids.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::TimeDelta;
use visibility_core::audit::snapshot::AuditId;

use super::RequestedPage;
use crate::jobs::lease::NodeLease;
use crate::stores::Stores;

/// How long other nodes take an audit for running whose node has ended: longer than any audit.
const SPAN: TimeDelta = TimeDelta::seconds(90);

/// The audits that run.
#[derive(Debug, Default)]
pub(super) struct RunningAudits(Mutex<Vec<RunningAudit>>);

#[derive(Debug)]
struct RunningAudit {
    id: AuditId,
    page: RequestedPage,
    /// What shows other nodes that it runs, if it takes long.
    sign: Option<NodeLease>,
}

/// An audit, which runs until this is dropped: until its result can be found.
#[derive(Debug)]
#[must_use]
pub(super) struct AuditRun {
    audits: Arc<RunningAudits>,
    id: AuditId,
}

impl RunningAudits {
    fn lock(&self) -> MutexGuard<'_, Vec<RunningAudit>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an audit that begins.
    pub(super) fn begin(self: &Arc<Self>, id: AuditId, page: RequestedPage) -> AuditRun {
        self.lock().push(RunningAudit { id, page, sign: None });
        AuditRun { audits: Arc::clone(self), id }
    }

    /// The id of the latest audit of a page that runs.
    pub(super) fn id_of(&self, page: &RequestedPage) -> Option<AuditId> {
        self.lock().iter().rev().find(|audit| audit.page == *page).map(|audit| audit.id)
    }

    /// Whether an audit runs on this node.
    pub(super) fn contains(&self, id: AuditId) -> bool {
        self.lock().iter().any(|audit| audit.id == id)
    }

    /// Shows other nodes that an audit runs, until it ends. Blocks.
    pub(super) fn announce(&self, stores: &Arc<Stores>, id: AuditId) {
        let Some(node) = stores.node() else { return };
        let Some(sign) = NodeLease::acquire(stores, lease_name(id), node.holder(), SPAN) else {
            return;
        };
        // The audit may be over by now: the sign ends here then.
        if let Some(audit) = self.lock().iter_mut().find(|audit| audit.id == id) {
            audit.sign = Some(sign);
        }
    }
}

/// What a node holds that runs an audit.
pub(super) fn lease_name(id: AuditId) -> String {
    format!("audit/{id}")
}

impl AuditRun {
    /// The id that its result will have.
    pub(super) fn id(&self) -> AuditId {
        self.id
    }
}

impl Drop for AuditRun {
    fn drop(&mut self) {
        let mut audits = self.audits.lock();
        let ended = audits.iter().position(|audit| audit.id == self.id);
        let ended = ended.map(|at| audits.remove(at));
        // Its sign is given back without the lock.
        drop(audits);
        drop(ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audit_runs_until_it_is_dropped() {
        let audits = Arc::new(RunningAudits::default());
        let page = RequestedPage::new("https://a.example.com/".parse().unwrap(), None);
        let [first, second] =
            [1, 2].map(|bits| audits.begin(AuditId::from_bits(bits), page.clone()));
        assert!(audits.contains(first.id()) && audits.contains(second.id()));
        assert_eq!(audits.id_of(&page), Some(second.id()));
        drop(second);
        assert_eq!(audits.id_of(&page), Some(first.id()));
        drop(first);
        assert_eq!(audits.id_of(&page), None);
    }
}
