//! The service, as its operator starts it: the real binary, its commands and its settings.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod broken;
mod documents;
mod fetching;
mod grants;
mod help;
mod keys;
mod openapi;
mod program;
mod reading;
mod serve;
mod settings;
mod tenants;
mod tokens;
mod users;
