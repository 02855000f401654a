//! Runs scans and audits: one run for concurrent requests, quotas, and caches of results.

pub(crate) mod audit_usage;
pub(crate) mod audits;
pub(crate) mod cache;
pub(crate) mod failures;
pub(crate) mod lease;
pub(crate) mod quota;
pub(crate) mod scans;
pub(crate) mod single_flight;
