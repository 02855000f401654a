//! The rules of fixes in the servers that they are written for: nginx, Apache and Caddy.

#![expect(clippy::expect_used, reason = "a server that does not start fails its test")]

mod program;
mod rules;
