//! Fixes in the programs that they are written for: rules in nginx, Apache and Caddy, JSON-LD in a processor.

#![expect(clippy::expect_used, reason = "a server that does not start fails its test")]

mod json_ld;
mod program;
mod projects;
mod promises;
mod rules;
mod wordpress;
