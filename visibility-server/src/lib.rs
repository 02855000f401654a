//! The service behind `visibility`: log ingestion over HTTP, its embedded stores, and the commands of
//! its operator.
//!
//! Everything that decides stands in `visibility-core`; this crate brings sockets, files and a clock.

pub mod columns;
pub mod metrics;
pub mod settings;
pub mod stores;
pub mod telemetry;
