//! Fixture sites over real sockets.

#![expect(clippy::unwrap_used, reason = "a broken fixture should stop the test")]

mod scan;
mod server;
