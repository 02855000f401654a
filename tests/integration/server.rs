//! The service, as its operator starts it: the real binary, its commands and its settings.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod adopt;
mod check;
mod clock;
mod config;
mod damage;
mod demo;
mod documents;
mod files;
mod grants;
mod health;
mod help;
mod keys;
mod killed_scans;
mod logs;
mod openapi;
pub(crate) mod program;
mod reconcile;
mod serve;
pub(crate) mod store;
mod sweep;
mod tenants;
mod tokens;
mod users;
