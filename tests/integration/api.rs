//! The public API over real sockets, with sites of our own behind it.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics fails"
)]

mod abuse;
mod account;
mod agent_readiness;
mod audit;
mod audit_pages;
mod auth;
pub(crate) mod browser;
mod cors;
mod described;
mod dns;
mod embedded;
mod errors;
mod gate;
mod health;
mod index;
mod limits;
mod log;
mod mcp;
mod oauth;
mod openapi;
mod program;
mod scan_pages;
pub(crate) mod server;
mod site;
