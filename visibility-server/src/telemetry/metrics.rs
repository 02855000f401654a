//! Metrics in the text format of `OpenMetrics`.
//!
//! Labels have few values: routes and reasons of ours, statuses, methods. Never a tenant, a path or a
//! user agent, of which strangers could make as many as they like.

pub mod audits;
pub mod scans;

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use visibility_core::ingest::Reason;

use self::audits::AuditMetrics;
use self::scans::{ResultLabels, ScanMetrics};

/// Media type of what [`Metrics::render`] returns.
pub(crate) const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper ends of the buckets of request times, in seconds: from an answer of the ledger to a full
/// batch over a slow line.
const SECONDS: [f64; 12] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 600.0];

/// Methods that have a label of their own.
const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct RequestLabels {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct RouteLabels {
    route: String,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct StatusLabels {
    status: u16,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct RecordLabels {
    outcome: &'static str,
    reason: String,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ConsumerLabels {
    consumer: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ScopeLabels {
    scope: &'static str,
}

/// Which limit a request met.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RateScope {
    /// Requests in ten seconds.
    Burst,
    /// Batches in an hour.
    Hour,
    /// Requests of a key in a minute.
    Minute,
    /// Scans of a key in a day.
    Day,
    /// Requests for audits of an address in a minute.
    AuditMinute,
    /// Audits for an address in a day.
    AuditDay,
    /// Audits of a host in an hour.
    AuditHost,
    /// Audits for an address at the same time.
    AuditRunning,
    /// Scans of visitors of an address in a minute.
    VisitorMinute,
    /// Scans of visitors of an address in a day.
    VisitorDay,
    /// Scans of all visitors in a day.
    VisitorTotal,
    /// Scans of visitors of one site in an hour.
    VisitorSite,
    /// Requests of one caller to the MCP server in a minute.
    McpMinute,
    /// Clients of an address that register themselves in an hour.
    Registration,
    /// Documents about clients that are fetched for an address in an hour.
    ClientDocument,
    /// Batches and questions of a tenant that wait.
    Waiting,
}

/// All metrics of the service.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    batches: Family<StatusLabels, Counter>,
    records: Family<RecordLabels, Counter>,
    replays: Counter,
    rate_limited: Family<ScopeLabels, Counter>,
    sign_ins: Family<ResultLabels, Counter>,
    in_flight: Gauge,
    spool_bytes: Gauge<u64, AtomicU64>,
    db_bytes: Gauge<u64, AtomicU64>,
    files_live: Gauge<u64, AtomicU64>,
    file_events_waiting: Family<ConsumerLabels, Gauge<u64, AtomicU64>>,
    orphans_held: Gauge<u64, AtomicU64>,
    objects_newer: Gauge<u64, AtomicU64>,
    objects_damaged: Gauge<u64, AtomicU64>,
    objects_not_yet_verified: Gauge<u64, AtomicU64>,
    oldest_look: Gauge<u64, AtomicU64>,
    scans: ScanMetrics,
    audits: AuditMetrics,
}

impl Default for Metrics {
    fn default() -> Self {
        let durations: Family<RouteLabels, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(SECONDS));
        let mut metrics = Self {
            registry: Registry::with_prefix("visibility"),
            requests: Family::default(),
            durations,
            batches: Family::default(),
            records: Family::default(),
            replays: Counter::default(),
            rate_limited: Family::default(),
            sign_ins: Family::default(),
            in_flight: Gauge::default(),
            spool_bytes: Gauge::default(),
            db_bytes: Gauge::default(),
            files_live: Gauge::default(),
            file_events_waiting: Family::default(),
            orphans_held: Gauge::default(),
            objects_newer: Gauge::default(),
            objects_damaged: Gauge::default(),
            objects_not_yet_verified: Gauge::default(),
            oldest_look: Gauge::default(),
            scans: ScanMetrics::default(),
            audits: AuditMetrics::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("http_requests", "Requests answered", self.requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "Time from the head of a request to the end of its response",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register("ingest_batches", "Batches answered", self.batches.clone());
        registry.register(
            "ingest_records",
            "Records of stored batches, by outcome",
            self.records.clone(),
        );
        registry.register(
            "ingest_idempotent_replays",
            "Batches answered from the ledger",
            self.replays.clone(),
        );
        registry.register("rate_limited", "Requests refused by a limit", self.rate_limited.clone());
        registry.register("sign_ins", "Sign-ins, by outcome", self.sign_ins.clone());
        registry.register(
            "ingest_batches_in_flight",
            "Batches that are being processed or waiting",
            self.in_flight.clone(),
        );
        let sizes = [
            ("spool", "Bodies that are being processed or waiting", &self.spool_bytes),
            ("db", "Size of the database", &self.db_bytes),
        ];
        for (name, help, gauge) in sizes {
            registry.register_with_unit(name, help, Unit::Bytes, gauge.clone());
        }
        registry.register("files_live", "Files of records for readers", self.files_live.clone());
        registry.register(
            "file_events_waiting",
            "Changes of files that are not in a Delta log or in ClickHouse yet",
            self.file_events_waiting.clone(),
        );
        registry.register(
            "orphans_held",
            "Objects unknown to the database, too many to be swept without confirmation",
            self.orphans_held.clone(),
        );
        self.register_objects();
        let registry = &mut self.registry;
        self.scans.register(registry);
        self.audits.register(registry);
    }

    fn register_objects(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "objects_newer_than_database",
            "Objects at the start of the server that were newer than everything in the database",
            self.objects_newer.clone(),
        );
        registry.register(
            "objects_damaged",
            "Objects that are not what was written, and out of use",
            self.objects_damaged.clone(),
        );
        registry.register(
            "objects_not_yet_verified",
            "Objects of an earlier version that were not read since and have no digest",
            self.objects_not_yet_verified.clone(),
        );
        registry.register_with_unit(
            "objects_oldest_look_age",
            "Time since the object was written or compared for which that is longest ago",
            Unit::Seconds,
            self.oldest_look.clone(),
        );
    }

    /// Says how many objects at the start were newer than everything in the database.
    pub(crate) fn objects_newer(&self, objects: usize) {
        self.objects_newer.set(objects as u64);
    }

    /// Says how many orphans stay until an operator confirms that they may go.
    pub fn orphans_held(&self, objects: usize) {
        self.orphans_held.set(objects as u64);
    }

    /// Says how well the objects are known.
    pub(crate) fn objects(&self, damaged: u64, not_yet_verified: u64, oldest_look: Duration) {
        self.objects_damaged.set(damaged);
        self.objects_not_yet_verified.set(not_yet_verified);
        self.oldest_look.set(oldest_look.as_secs());
    }

    /// Those of audits.
    pub fn audits(&self) -> &AuditMetrics {
        &self.audits
    }

    /// Those of scans.
    pub fn scans(&self) -> &ScanMetrics {
        &self.scans
    }

    /// Counts a request that was answered. The route is the pattern that matched, not the path.
    pub fn request(&self, route: &str, method: &str, status: u16, took: Duration) {
        let method = METHODS.into_iter().find(|known| *known == method).unwrap_or("other");
        let route = route.to_owned();
        let labels = RequestLabels { route: route.clone(), method, status };
        self.requests.get_or_create(&labels).inc();
        self.durations.get_or_create(&RouteLabels { route }).observe(took.as_secs_f64());
    }

    /// Counts a batch by the status of its answer.
    pub fn batch(&self, status: u16) {
        self.batches.get_or_create(&StatusLabels { status }).inc();
    }

    /// Counts records that were kept.
    pub fn accepted(&self, records: u64) {
        let labels = RecordLabels { outcome: "accepted", reason: String::new() };
        self.records.get_or_create(&labels).inc_by(records);
    }

    /// Counts records that were not kept, for a reason.
    pub fn rejected(&self, reason: Reason, records: u64) {
        // The wire name, which is a string.
        let name = serde_json::to_value(reason).ok();
        let reason = name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
        let labels = RecordLabels { outcome: "rejected", reason };
        self.records.get_or_create(&labels).inc_by(records);
    }

    /// Counts a batch that was answered from the ledger.
    pub fn replay(&self) {
        self.replays.inc();
    }

    /// Counts a request that was refused by a limit.
    pub fn rate_limited(&self, scope: RateScope) {
        let scope = match scope {
            RateScope::Burst => "burst",
            RateScope::Hour => "hour",
            RateScope::Minute => "minute",
            RateScope::Day => "day",
            RateScope::AuditMinute => "audit_minute",
            RateScope::AuditDay => "audit_day",
            RateScope::AuditHost => "audit_host",
            RateScope::AuditRunning => "audit_running",
            RateScope::VisitorMinute => "visitor_minute",
            RateScope::VisitorDay => "visitor_day",
            RateScope::VisitorTotal => "visitor_total",
            RateScope::VisitorSite => "visitor_site",
            RateScope::McpMinute => "mcp_minute",
            RateScope::Registration => "registration",
            RateScope::ClientDocument => "client_document",
            RateScope::Waiting => "waiting",
        };
        self.rate_limited.get_or_create(&ScopeLabels { scope }).inc();
    }

    /// Counts the outcome of a sign-in.
    pub fn sign_in(&self, result: &'static str) {
        self.sign_ins.get_or_create(&ResultLabels { result }).inc();
    }

    /// Counts a batch as in flight until the guard is dropped.
    pub fn in_flight(&self) -> InFlightGuard {
        self.in_flight.inc();
        InFlightGuard(self.in_flight.clone())
    }

    /// Counts bytes as spooled until the guard is dropped.
    pub fn spooled(&self) -> SpooledGuard {
        SpooledGuard { gauge: self.spool_bytes.clone(), bytes: 0 }
    }

    /// Says how large the stores are.
    pub fn stored(&self, db_bytes: u64, files_live: u64) {
        self.db_bytes.set(db_bytes);
        self.files_live.set(files_live);
    }

    /// Says how many changes of files wait for a consumer.
    pub fn file_events_waiting(&self, consumer: &'static str, events: u64) {
        self.file_events_waiting.get_or_create(&ConsumerLabels { consumer }).set(events);
    }

    /// All metrics as text.
    pub fn render(&self) -> String {
        let mut rendered = String::new();
        // Writing to a string does not fail.
        let _ = text::encode(&mut rendered, &self.registry);
        rendered
    }
}

/// A batch that is being judged, or waits for it.
#[derive(Debug)]
pub struct InFlightGuard(Gauge);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The bytes of one body in the spool.
#[derive(Debug)]
pub struct SpooledGuard {
    gauge: Gauge<u64, AtomicU64>,
    bytes: u64,
}

impl SpooledGuard {
    /// Adds bytes that were written.
    pub fn add(&mut self, bytes: u64) {
        self.gauge.inc_by(bytes);
        self.bytes += bytes;
    }
}

impl Drop for SpooledGuard {
    fn drop(&mut self) {
        self.gauge.dec_by(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_rendered_under_its_documented_name() {
        let metrics = Metrics::default();
        metrics.request("/v1/logs", "POST", 202, Duration::from_millis(20));
        metrics.batch(207);
        metrics.accepted(5);
        metrics.rejected(Reason::FieldNotAllowed, 2);
        metrics.replay();
        metrics.rate_limited(RateScope::Burst);
        metrics.sign_in("refused");
        metrics.stored(4096, 3);
        metrics.rate_limited(RateScope::AuditHost);
        metrics.scans().scan("dns");
        metrics.audits().event("blocked");
        metrics.audits().observe_duration(Duration::from_millis(300));
        metrics.audits().store_failure();
        let auditing = metrics.audits().in_flight();
        metrics.scans().hit();
        metrics.scans().store_failure();
        let running = metrics.scans().in_flight();
        let rendered = metrics.render();
        for line in [
            r#"visibility_http_requests_total{route="/v1/logs",method="POST",status="202"} 1"#,
            r#"visibility_http_request_duration_seconds_bucket{le="0.05",route="/v1/logs"} 1"#,
            r#"visibility_ingest_batches_total{status="207"} 1"#,
            r#"visibility_ingest_records_total{outcome="accepted",reason=""} 5"#,
            r#"visibility_ingest_records_total{outcome="rejected",reason="field_not_allowed"} 2"#,
            "visibility_ingest_idempotent_replays_total 1",
            r#"visibility_rate_limited_total{scope="burst"} 1"#,
            r#"visibility_sign_ins_total{result="refused"} 1"#,
            "visibility_ingest_batches_in_flight 0",
            "visibility_spool_bytes 0",
            "visibility_db_bytes 4096",
            "visibility_files_live 3",
            r#"visibility_scans_total{result="dns"} 1"#,
            r#"visibility_scan_cache_lookups_total{result="hit"} 1"#,
            "visibility_scan_store_failures_total 1",
            "visibility_scans_in_flight 1",
            "visibility_scans_waiting 0",
            r#"visibility_rate_limited_total{scope="audit_host"} 1"#,
            r#"visibility_audits_total{result="blocked"} 1"#,
            r#"visibility_audit_duration_seconds_bucket{le="0.5"} 1"#,
            "visibility_audit_store_failures_total 1",
            "visibility_audits_in_flight 1",
            "visibility_audits_waiting 0",
            "# EOF",
        ] {
            assert!(rendered.lines().any(|found| found == line), "{line}\n{rendered}");
        }
        drop((running, auditing));
        assert!(metrics.render().contains("visibility_scans_in_flight 0\n"));
    }

    #[test]
    fn strangers_cannot_make_labels() {
        let metrics = Metrics::default();
        for method in ["GET", "BREW", "get", "X\"} 9"] {
            metrics.request("other", method, 405, Duration::ZERO);
        }
        let rendered = metrics.render();
        let lines = rendered.lines().filter(|line| line.starts_with("visibility_http_requests_"));
        assert_eq!(lines.count(), 2, "{rendered}");
    }

    #[test]
    fn gauges_fall_when_their_guards_go() {
        let metrics = Metrics::default();
        let (batch, mut body) = (metrics.in_flight(), metrics.spooled());
        body.add(10);
        body.add(5);
        let rendered = metrics.render();
        assert!(rendered.contains("visibility_ingest_batches_in_flight 1\n"), "{rendered}");
        assert!(rendered.contains("visibility_spool_bytes 15\n"), "{rendered}");
        drop((batch, body));
        let rendered = metrics.render();
        assert!(rendered.contains("visibility_ingest_batches_in_flight 0\n"), "{rendered}");
        assert!(rendered.contains("visibility_spool_bytes 0\n"), "{rendered}");
    }
}
