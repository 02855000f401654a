//! Real programs: fixes in those that they are written for, and what servers log.

#![expect(clippy::expect_used, reason = "a server that does not start fails its test")]

mod access_logs;
mod json_ld;
mod program;
mod projects;
mod promises;
mod rules;
mod wordpress;
