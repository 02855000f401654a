//! The service behind `visibility`: log ingestion over HTTP, its embedded stores, and the commands of
//! its operator.
//!
//! Everything that decides stands in `visibility-core`; this crate brings sockets, files and a clock.

mod auth;
pub mod batch;
pub mod columns;
mod connection;
mod envelope;
pub mod fault;
mod handlers;
mod limiter;
pub mod listener;
pub mod metrics;
mod response;
pub mod router;
pub mod settings;
mod spool;
pub mod state;
pub mod stores;
pub mod telemetry;
