//! Fixture sites over real sockets.

mod server;
