//! The public API over real sockets, with sites of our own behind it.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics fails"
)]

mod abuse;
mod audit;
mod audit_budgets;
mod audit_kept;
mod audit_refusals;
mod audit_sharing;
mod auth;
mod authorize;
mod bodies;
mod cache;
mod cors;
mod described;
mod dns;
mod embedded;
mod errors;
mod external;
mod gate;
mod hang_up;
mod health;
mod index;
mod limits;
mod log;
mod mcp;
mod oauth;
mod openapi;
mod own_site;
mod program;
mod refusals;
mod scan;
mod server;
mod sharing;
mod site;
