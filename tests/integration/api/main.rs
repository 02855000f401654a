//! The public API over real sockets, with sites of our own behind it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics fails"
)]

mod auth;
mod cache;
mod dns;
mod gate;
mod hang_up;
mod index;
mod limits;
mod own_site;
mod refusals;
mod scan;
mod server;
mod sharing;
mod site;
