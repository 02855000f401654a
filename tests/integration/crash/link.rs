//! The way of a node to the database, which breaks in every way that networks have.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// What a commit looks like on the wire.
const COMMIT: &[u8] = b"COMMIT\0";

/// Forwards connections to the database.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    address: SocketAddr,
    state: Arc<LinkState>,
}

#[derive(Debug, Default)]
struct LinkState {
    condition: Mutex<Condition>,
    changed: Condvar,
}

/// What the link does.
#[derive(Debug, Default)]
struct Condition {
    state: State,
    /// How many commits are still to be cut, and how many have been.
    commits_to_cut: usize,
    commits_cut: usize,
    connections: Vec<TcpStream>,
}

/// What becomes of bytes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum State {
    #[default]
    Forwards,
    /// Each connection is closed at once.
    Refuses,
    /// Nothing arrives, and neither end hears of it: a cable that is pulled out.
    Swallows,
}

impl Link {
    /// Listens on a free port of loopback.
    pub(crate) fn to(database: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let link =
            Self { address: listener.local_addr().expect("an address"), state: Arc::default() };
        let state = Arc::clone(&link.state);
        thread::spawn(move || {
            for client in listener.incoming() {
                // It may be gone already, and so may the server.
                if let (Ok(client), Ok(server)) = (client, TcpStream::connect(database)) {
                    state.forward(client, server);
                }
            }
        });
        link
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on it does this. What it has swallowed does not come back: those connections are closed.
    pub(crate) fn set(&self, state: State) {
        let mut condition = self.state.lock();
        condition.state = state;
        if state != State::Swallows {
            for connection in condition.connections.drain(..) {
                let _ = connection.shutdown(Shutdown::Both);
            }
        }
        self.state.changed.notify_all();
    }

    /// Closes the connections of so many commits: one before the database hears of it, the next one before the node
    /// hears the answer.
    pub(crate) fn cut_commits(&self, commits: usize) {
        self.state.lock().commits_to_cut = commits;
    }

    /// How many commits are still to be cut.
    pub(crate) fn commits_to_cut(&self) -> usize {
        self.state.lock().commits_to_cut
    }

    /// How many commits have been cut.
    pub(crate) fn commits_cut(&self) -> usize {
        self.state.lock().commits_cut
    }
}

impl LinkState {
    fn lock(&self) -> MutexGuard<'_, Condition> {
        self.condition.lock().expect("no thread panics with it")
    }

    fn forward(self: &Arc<Self>, client: TcpStream, server: TcpStream) {
        let copy = |stream: &TcpStream| stream.try_clone().expect("a copy of a socket");
        {
            let mut condition = self.lock();
            if condition.state == State::Refuses {
                return;
            }
            condition.connections.extend([copy(&client), copy(&server)]);
        }
        for (from, to, is_to_server) in
            [(copy(&client), copy(&server), true), (server, client, false)]
        {
            let state = Arc::clone(self);
            thread::spawn(move || {
                state.copy(&from, &to, is_to_server);
                let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
            });
        }
    }

    fn copy(&self, mut from: &TcpStream, mut to: &TcpStream, is_to_server: bool) {
        let mut buffer = [0; 16_384];
        while let Ok(count) = from.read(&mut buffer) {
            let bytes = buffer.get(..count).unwrap_or_default();
            if bytes.is_empty() {
                return;
            }
            let condition = self.lock();
            let is_swallowed = condition.state == State::Swallows;
            let mut condition = self
                .changed
                .wait_while(condition, |condition| condition.state == State::Swallows)
                .expect("no thread panics with it");
            if is_swallowed {
                return;
            }
            let is_commit = is_to_server && bytes.windows(COMMIT.len()).any(|part| part == COMMIT);
            if is_commit && condition.commits_to_cut > 0 {
                condition.commits_to_cut -= 1;
                condition.commits_cut += 1;
                let arrives = condition.commits_cut.is_multiple_of(2);
                drop(condition);
                // Nothing goes back from now on.
                let _ = from.shutdown(Shutdown::Both);
                if arrives && to.write_all(bytes).is_ok() {
                    thread::sleep(Duration::from_millis(100));
                }
                return;
            }
            drop(condition);
            if to.write_all(bytes).is_err() {
                return;
            }
        }
    }
}
