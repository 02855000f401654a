//! The public API and log ingestion: one file for each route, and their descriptions.

pub(crate) mod descriptions;
pub(crate) mod openapi;
mod parameters;
pub(crate) mod readiness;
pub(crate) mod routes;
