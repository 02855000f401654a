//! Agent readiness of web sites and visibility of their pages, as a pure library.
//!
//! A scan has three steps: [`scan::plan`] says what to request, a [`fetch::Fetch`] requests it, and
//! everything after that is a pure function of the answers. An audit of one page has the same: see
//! [`mod@audit`]. The crate has no clock, no files, no
//! environment and no network of its own; the feature `http` adds a ready fetcher on reqwest.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod agents;
pub mod api_key;
pub mod audit;
pub mod challenge;
pub mod directives;
pub mod document;
pub mod domain;
pub mod error;
pub mod fetch;
pub mod finding;
pub mod fix;
#[cfg(feature = "http")]
pub mod http;
pub mod ingest;
mod instruction;
pub mod json_ld;
pub mod limits;
pub mod link_header;
pub mod locale;
#[cfg(feature = "manual")]
pub mod manual;
pub mod nearest;
pub mod note;
pub mod page;
pub mod page_url;
pub mod rate;
pub mod report;
pub mod robots;
pub mod rubric;
pub mod scan;
pub mod scope;
pub mod sitemap;
pub mod store;
pub mod syntax_error;
pub mod tenant;
pub mod token;
pub mod user;
pub mod words;
