//! The log and the metrics of the running service.

pub mod log;
pub mod metrics;
