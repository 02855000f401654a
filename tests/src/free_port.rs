//! A local port for a server that opens it itself.

use std::net::TcpListener;
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

/// Below the ports that the system gives to programs that ask for any port. One of those that is free now may belong to
/// another test when the server opens it, which then does not start, and the test talks with a stranger.
const FIRST: u16 = 10_000;
const PORTS: u16 = 20_000;

/// How many ports after that of another process a process begins.
const STRIDE: u32 = 61;

static TAKEN: AtomicU16 = AtomicU16::new(0);

/// A port on which nothing listens, and which this function has not returned before.
pub fn free_port() -> u16 {
    let start = process::id().wrapping_mul(STRIDE) % u32::from(PORTS);
    let start = u16::try_from(start).expect("less than the number of ports");
    (0..PORTS)
        .map(|_| FIRST + (start + TAKEN.fetch_add(1, Ordering::Relaxed) % PORTS) % PORTS)
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a free port")
}
