//! The command line, as its users start it: the real binary on recorded sites.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod access_logs;
mod agents;
mod audit;
mod badge;
mod checks;
mod diff;
mod documents;
mod exit_codes;
mod failures;
mod log_comparison;
mod log_page;
mod log_report;
mod logs;
mod manual;
mod mcp;
mod program;
mod query;
mod ranges;
mod robots;
mod scan;
mod suggested;
