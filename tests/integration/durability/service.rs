//! The binary as a service in a folder of its own, and a sender.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use chrono::{SecondsFormat, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use visibility_tests::database;
use visibility_tests::program::program;
use visibility_tests::wait::PATIENCE;

/// A service that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Service {
    child: Child,
    address: String,
    token: String,
    /// The lines of its log are in this file.
    data_dir: PathBuf,
}

/// An answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Service {
    /// Starts the binary on a data directory, behind the words of a wrapper if there are any.
    pub(crate) fn start(data_dir: &Path, wrapper: &[&str]) -> Self {
        run(data_dir, &["tenants", "create", "acme"]);
        let token = run(data_dir, &["tokens", "create", "acme", "--format", "json"]);
        let token: Value = serde_json::from_str(&token).expect("JSON");
        let binary = program("visibility-server").display().to_string();
        let words = [
            wrapper,
            &[binary.as_str(), "serve", "--listen", "127.0.0.1:0"],
            &["--set", "limits.burst=0", "--set", "limits.batches_per_hour=0"],
        ]
        .concat();
        let (program, arguments) = words.split_first().expect("a program");
        let mut child = command(program, data_dir)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut ready = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut ready).expect("a line");
        let address = ready.split("http://").nth(1).expect("an address").trim().to_owned();
        let token = token.get("token").and_then(Value::as_str).expect("a token").to_owned();
        Self { child, address, token, data_dir: data_dir.to_owned() }
    }

    /// Sends a batch.
    pub(crate) fn send(&self, id: Uuid, body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let head = format!(
            "POST /v1/logs HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\
             Authorization: Bearer {}\r\nX-Service-Tenant: acme\r\nX-Service-Schema: 1\r\n\
             Content-Type: application/x-ndjson\r\nX-Service-Batch-Id: {id}\r\n\r\n",
            self.address,
            body.len(),
            self.token,
        );
        stream.write_all(head.as_bytes()).expect("it is sent");
        // A service that has no room may answer before it has read everything.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
        let (head, body) = answer.split_at(end + 4);
        let head = String::from_utf8_lossy(head);
        let status = head.split(' ').nth(1).and_then(|text| text.parse().ok());
        Answer { status: status.expect("a status"), body: body.to_vec() }
    }

    /// What `visibility-server check` finds.
    pub(crate) fn check(&self) -> Value {
        let report = run(&self.data_dir, &["check", "--format", "json"]);
        serde_json::from_str(&report).expect("JSON")
    }

    /// The process of the service, or its wrapper.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end of the process.
    pub(crate) fn wait(mut self) {
        self.child.wait().expect("it ends");
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As many records of now, no two with the same path.
pub(crate) fn records(count: usize) -> Vec<u8> {
    let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
    let record = |number: usize| {
        let record = json!({
            "timestamp": now,
            "user_agent": "GPTBot/1.2",
            "request_method": "GET",
            "request_path": format!("/{}", Uuid::now_v7()),
            "status_code": 200,
            "response_bytes": number,
            "referrer": "",
            "host": "a.example",
            "client_ip_hash": "0123456789abcdef",
        });
        format!("{record}\n")
    };
    (0..count).map(record).collect::<String>().into_bytes()
}

/// Runs a command of the operator to its end.
pub(crate) fn run(data_dir: &Path, arguments: &[&str]) -> String {
    let output =
        command(program("visibility-server"), data_dir).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn command(program: impl AsRef<std::ffi::OsStr>, data_dir: &Path) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("VISIBILITY_DATA_DIR", data_dir);
    command.envs(database::variables(data_dir));
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}
