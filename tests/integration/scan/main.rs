//! Scans of fixture sites, without a network.

#![expect(clippy::expect_used, clippy::panic, reason = "a broken fixture should stop the test")]

mod checks;
mod observations;
mod plan;
mod profile;
mod typical;
