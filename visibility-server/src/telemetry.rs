//! What an operator sees of the running service: the log and the metrics.

pub mod log;
pub mod metrics;
