//! Metrics of scans.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
pub(super) struct ResultLabels {
    pub(super) result: &'static str,
}

/// The metrics of scans.
#[derive(Debug, Default)]
pub struct ScanMetrics {
    scans: Family<ResultLabels, Counter>,
    lookups: Family<ResultLabels, Counter>,
    failures: Counter,
    in_flight: Gauge,
    waiting: Gauge,
}

impl ScanMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("scans", "Scans, by outcome", self.scans.clone());
        registry.register(
            "scan_cache_lookups",
            "Requests for a domain, by whether a result was cached",
            self.lookups.clone(),
        );
        registry.register(
            "scan_store_failures",
            "Results of scans that could not be read or stored",
            self.failures.clone(),
        );
        registry.register("scans_in_flight", "Scans that run", self.in_flight.clone());
        registry.register("scans_waiting", "Scans that are waiting", self.waiting.clone());
    }

    /// Counts a scan by how it ended, in a word of ours.
    pub fn scan(&self, result: &'static str) {
        self.scans.get_or_create(&ResultLabels { result }).inc();
    }

    /// Counts a request that was answered from what is kept.
    pub fn hit(&self) {
        self.lookups.get_or_create(&ResultLabels { result: "hit" }).inc();
    }

    /// Counts a request for which nothing was kept.
    pub fn miss(&self) {
        self.lookups.get_or_create(&ResultLabels { result: "miss" }).inc();
    }

    /// Counts a result that could not be read or kept.
    pub fn store_failure(&self) {
        self.failures.inc();
    }

    /// Counts a scan as running until the guard is dropped.
    pub fn in_flight(&self) -> GaugeGuard {
        GaugeGuard::new(&self.in_flight)
    }

    /// Counts a scan as waiting until the guard is dropped.
    pub fn waiting(&self) -> GaugeGuard {
        GaugeGuard::new(&self.waiting)
    }
}

/// Something that is counted until it is dropped.
#[derive(Debug)]
pub struct GaugeGuard(Gauge);

impl GaugeGuard {
    pub(super) fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}
