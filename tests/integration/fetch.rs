//! The fetcher over real sockets on loopback.

#![expect(clippy::unwrap_used, reason = "a fixture that cannot start fails its test")]

mod addresses;
mod bodies;
mod connections;
mod failures;
mod fixture;
mod proxies;
mod rate;
mod redirects;
