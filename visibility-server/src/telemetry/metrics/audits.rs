//! Metrics of audits.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::scans::{GaugeGuard, ResultLabels};

/// Upper ends of the buckets of times, in seconds: from a page near by to the deadline.
const SECONDS: [f64; 9] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// The metrics of audits.
#[derive(Debug)]
pub struct AuditMetrics {
    events: Family<ResultLabels, Counter>,
    durations: Histogram,
    failures: Counter,
    in_flight: Gauge,
    waiting: Gauge,
}

impl Default for AuditMetrics {
    fn default() -> Self {
        Self {
            events: Family::default(),
            durations: Histogram::new(SECONDS),
            failures: Counter::default(),
            in_flight: Gauge::default(),
            waiting: Gauge::default(),
        }
    }
}

impl AuditMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("audits", "Audit requests, by outcome", self.events.clone());
        registry.register_with_unit(
            "audit_duration",
            "Time from the start of an audit to its result",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "audit_store_failures",
            "Results of audits that could not be read or stored",
            self.failures.clone(),
        );
        registry.register("audits_in_flight", "Audits that run", self.in_flight.clone());
        registry.register("audits_waiting", "Audits that are waiting", self.waiting.clone());
    }

    /// Counts the outcome of an audit request.
    pub fn event(&self, result: &'static str) {
        self.events.get_or_create(&ResultLabels { result }).inc();
    }

    /// Counts how long an audit took.
    pub fn observe_duration(&self, time: Duration) {
        self.durations.observe(time.as_secs_f64());
    }

    /// Counts a result that could not be read or kept.
    pub fn store_failure(&self) {
        self.failures.inc();
    }

    /// Counts an audit as running until the guard is dropped.
    pub fn in_flight(&self) -> GaugeGuard {
        GaugeGuard::new(&self.in_flight)
    }

    /// Counts an audit as waiting until the guard is dropped.
    pub fn waiting(&self) -> GaugeGuard {
        GaugeGuard::new(&self.waiting)
    }
}
