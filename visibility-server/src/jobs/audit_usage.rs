//! Counts audit requests by outcome: in the metrics, and in memory until they are written to the database, every second
//! or so.

use std::collections::BTreeMap;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::NaiveDate;
use tokio::task::spawn_blocking;
use visibility_core::audit::status::Status;

use crate::runtime::clock;
use crate::stores::Stores;
use crate::telemetry::metrics::Metrics;

/// Longest time that counts are only in memory; a crash loses them.
const DELAY: Duration = Duration::from_secs(1);

/// The outcome of an audit request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum UsageEvent {
    /// An audit took place and ended with this status.
    Audited(Status),
    /// A cached result was returned.
    Cached,
    /// The request waited for an audit that was already running.
    Shared,
    /// The address has reached its limit per minute.
    RefusedMinute,
    /// The address has reached its limit per day.
    RefusedDay,
    /// The host has reached its limit per hour.
    RefusedHost,
    /// The address has reached its limit of running and waiting audits.
    RefusedRunning,
    /// The page may not be fetched.
    NotAllowed,
    /// Too many audits of all clients are running and waiting.
    Busy,
    /// All waiting clients disconnected.
    Abandoned,
    /// An internal error.
    Internal,
}

impl UsageEvent {
    /// The name of the event in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Audited(status) => status.as_str(),
            Self::Cached => "cached",
            Self::Shared => "shared",
            Self::RefusedMinute => "refused_minute",
            Self::RefusedDay => "refused_day",
            Self::RefusedHost => "refused_host",
            Self::RefusedRunning => "refused_running",
            Self::NotAllowed => "not_allowed",
            Self::Busy => "busy",
            Self::Abandoned => "abandoned",
            Self::Internal => "internal",
        }
    }
}

/// Counts for the whole process. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AuditUsage(Arc<Inner>);

struct Inner {
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    /// What is not in the database yet.
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    counts: BTreeMap<(NaiveDate, &'static str), u64>,
    /// Whether a task that writes is under way.
    is_write_pending: bool,
}

impl AuditUsage {
    /// Counts for the database of these stores.
    pub(crate) fn new(stores: &Arc<Stores>, metrics: &Arc<Metrics>) -> Self {
        Self(Arc::new(Inner {
            stores: Arc::clone(stores),
            metrics: Arc::clone(metrics),
            pending: Mutex::default(),
        }))
    }

    /// Counts an event for today.
    pub(crate) fn count(&self, event: UsageEvent) {
        self.0.metrics.audits().event(event.as_str());
        let day = clock::now().date_naive();
        {
            let mut pending = self.0.pending.lock().unwrap_or_else(PoisonError::into_inner);
            *pending.counts.entry((day, event.as_str())).or_default() += 1;
            if pending.is_write_pending {
                return;
            }
            // Without a runtime, the counts are written when this is dropped.
            pending.is_write_pending = tokio::runtime::Handle::try_current().is_ok();
            if !pending.is_write_pending {
                return;
            }
        }
        let inner = Arc::clone(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep(DELAY).await;
            let written = spawn_blocking(move || inner.write()).await;
            written.unwrap_or_else(|error| {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "cannot write usage counts"
                );
            });
        });
    }
}

impl Inner {
    /// Writes the counts. After a failure they are kept for the next try.
    fn write(&self) {
        let counts = {
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.is_write_pending = false;
            take(&mut pending.counts)
        };
        if counts.is_empty() {
            return;
        }
        let Err(error) = self.stores.state_store().add_audit_usage(&counts) else { return };
        tracing::warn!(error = &error as &dyn std::error::Error, "cannot write usage counts");
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, count) in counts {
            *pending.counts.entry(key).or_default() += count;
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.write();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_is_counted_is_written_at_the_end_if_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let usage = AuditUsage::new(&stores, &Arc::default());
        for _ in 0..3 {
            usage.count(UsageEvent::Cached);
        }
        usage.count(UsageEvent::Audited(Status::NotFound));
        usage.0.write();
        usage.count(UsageEvent::Cached);
        let today = clock::now().date_naive();
        let count = |event: &str| {
            let found = stores.state_store().audit_usage(today).unwrap();
            found.get(&(today, event.to_owned())).copied()
        };
        assert_eq!((count("cached"), count("not_found")), (Some(3), Some(1)));
        drop(usage);
        assert_eq!(count("cached"), Some(4));
    }

    #[test]
    fn events_have_names_of_their_own() {
        let others = [
            UsageEvent::Cached,
            UsageEvent::Shared,
            UsageEvent::RefusedMinute,
            UsageEvent::RefusedDay,
            UsageEvent::RefusedHost,
            UsageEvent::RefusedRunning,
            UsageEvent::NotAllowed,
            UsageEvent::Busy,
            UsageEvent::Abandoned,
            UsageEvent::Internal,
        ];
        let all = Status::ALL.map(UsageEvent::Audited);
        let names: BTreeSet<&str> = all.into_iter().chain(others).map(UsageEvent::as_str).collect();
        assert_eq!(names.len(), Status::ALL.len() + others.len());
    }
}
