//! The command line, as its users start it: the real binary on recorded sites.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod audit;
mod commands;
mod exit_codes;
mod failures;
mod lists;
mod logs;
mod mcp;
mod output;
mod program;
mod robots;
mod typed;
