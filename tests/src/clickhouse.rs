//! ClickHouse in a library, behind an HTTP interface: `tests/run` installs it, and `LAKE_PYTHON` names its Python.

#![expect(clippy::expect_used, reason = "a test stops where something is not as it should be")]

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tokio::runtime::Runtime;

use crate::client::Message;

/// The user that the interface lets in, and the password.
pub const USER: &str = "visibility";
/// The password of the user.
pub const PASSWORD: &str = "secret";

/// A server with a database. It ends with this value.
#[derive(Debug)]
pub struct ClickHouseServer {
    address: SocketAddr,
    database: &'static str,
    process: Child,
    runtime: Runtime,
}

impl ClickHouseServer {
    /// Starts a server, whose database there will be when it is used.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn start(database: &'static str) -> Self {
        let python = std::env::var("LAKE_PYTHON").expect("LAKE_PYTHON names a Python");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("integration/files");
        let mut process = Command::new(python)
            .arg(folder.join("clickhouse_server.py"))
            .args([USER, PASSWORD])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("an output");
        BufReader::new(output).read_line(&mut line).expect("it says its address");
        let address = line.trim().strip_prefix("http://").expect("an address");
        Self {
            address: address.parse().expect("an address"),
            database,
            process,
            runtime: Runtime::new().expect("a runtime"),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    fn post(&self, path: &str, body: &str) -> (u16, String) {
        let message = Message::new("POST", path)
            .with("x-clickhouse-user", USER)
            .with("x-clickhouse-key", PASSWORD)
            .body(body);
        let reply = self.runtime.block_on(message.send(self.address));
        (reply.status, String::from_utf8(reply.bytes).expect("text"))
    }

    /// The rows of a statement.
    ///
    /// # Panics
    ///
    /// When it is refused.
    pub fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        let (status, text) = self.post(&format!("/?database={}", self.database), sql);
        assert_eq!(status, 200, "{sql}: {text}");
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    }

    /// Makes the next insert go wrong.
    ///
    /// # Panics
    ///
    /// When the server does not take it.
    pub fn fail_next(&self, fault: &str) {
        assert_eq!(self.post(&format!("/fault?next={fault}"), "").0, 200);
    }

    /// How many records the table has.
    ///
    /// # Panics
    ///
    /// When there is no table.
    pub fn count(&self) -> u64 {
        let rows = self.rows("SELECT count() FROM logs");
        rows.first().and_then(|row| row.first()).expect("a row").parse().expect("a number")
    }
}

impl Drop for ClickHouseServer {
    fn drop(&mut self) {
        // If it has ended already, there is nothing to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
