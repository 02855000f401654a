//! Agent readiness of web sites and visibility of their pages, as a pure library.
//!
//! A scan has three steps: [`scan::plan`] says what to request, a [`fetch::Fetch`] requests it, and
//! everything after that is a pure function of the answers. An audit of one page has the same: see
//! [`mod@audit`]. The crate has no clock, no files, no
//! environment and no network of its own; the feature `http` adds a ready fetcher on reqwest.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod accounts;
pub mod agents;
pub mod audit;
pub mod documents;
pub mod error;
pub mod fetch;
pub mod ingest;
pub mod limits;
#[cfg(feature = "manual")]
pub mod manual;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod page;
pub mod report;
pub mod rubric;
pub mod scan;
pub mod store;
pub mod text;
