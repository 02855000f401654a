//! A local port that refuses connections.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpSocket;

/// A port that is bound and never listens. While this is held, the system gives the port to no one else; a
/// port that was merely free a moment ago may get a listener of another test.
#[derive(Debug)]
pub struct ClosedPort {
    _socket: TcpSocket,
    address: SocketAddr,
}

impl ClosedPort {
    /// Binds a port that the system chooses.
    pub fn bind() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a free port");
        let address = socket.local_addr().expect("its address");
        Self { _socket: socket, address }
    }

    /// The address that refuses connections.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl fmt::Display for ClosedPort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(formatter)
    }
}
