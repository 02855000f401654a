//! The public API and log ingestion: one file for each route, and their descriptions.

pub(crate) mod descriptions;
pub(crate) mod openapi;
pub(crate) mod readiness;
pub(crate) mod routes;
