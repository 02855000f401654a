//! Scans and audits: one run for all who ask at the same time, quotas, and the cache of results.

pub(crate) mod audits;
pub(crate) mod cache;
pub(crate) mod quota;
pub(crate) mod scans;
pub(crate) mod single_flight;
