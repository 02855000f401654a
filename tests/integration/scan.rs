//! Scans of fixture sites, without a network.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "cases of a check are a table, and a broken fixture should stop the test"
)]

mod builders;
mod checks;
mod fixes;
mod forms;
mod home_pages;
mod honest;
mod observations;
mod plan;
mod profile;
mod prompt;
mod schema;
mod tiers;
mod typical;
mod whole_plan;
