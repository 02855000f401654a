//! The public API over real sockets, with sites of our own behind it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics fails"
)]

mod dns;
mod gate;
mod index;
mod own_site;
mod scan;
mod server;
mod site;
