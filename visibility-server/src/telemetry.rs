//! The log and the metrics of the running service.

pub(crate) mod log;
pub mod metrics;
