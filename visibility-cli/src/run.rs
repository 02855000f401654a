//! Runs scans and audits: arguments become targets, each target gets a result, and each result is written.
//!
//! The commands `scan`, `audit`, `badge`, `robots` and `mcp` put these parts together. `logs query` and `history` ask a server.

pub(crate) mod auditor;
pub(crate) mod demo;
pub(crate) mod file_argument;
pub(crate) mod fix_folder;
pub(crate) mod network;
pub(crate) mod page_input;
pub(crate) mod range_file;
pub(crate) mod recordings;
pub(crate) mod report;
pub(crate) mod result_buffer;
pub(crate) mod robots_file;
pub(crate) mod scanner;
pub(crate) mod secret_file;
pub(crate) mod service;
pub(crate) mod tally;
pub(crate) mod writer;
