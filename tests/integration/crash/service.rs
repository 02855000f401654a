//! The service: the real binary, started again and again on one data directory.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use visibility_tests::database;
use visibility_tests::program::program;

/// What a fault point ends the process with.
const SIGKILL: i32 = 9;

static TOKENS: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// The token of a tenant.
pub(crate) fn token_of(tenant: &str) -> &'static str {
    &TOKENS.get().expect("tenants come first")[tenant]
}

/// A data directory with tenants.
#[derive(Debug)]
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new(tenants: &[&str]) -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        let mut tokens = BTreeMap::new();
        for tenant in tenants {
            place.json(&["tenants", "create", tenant]);
            let token = place.json(&["tokens", "create", tenant]);
            tokens.insert((*tenant).to_owned(), token["token"].as_str().unwrap().to_owned());
        }
        TOKENS.set(tokens).expect("one place");
        place
    }

    fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("visibility-server"));
        command.args(arguments).env_clear().current_dir(self.0.path()).stdin(Stdio::null());
        command.env("VISIBILITY_DATA_DIR", self.data());
        command.envs(database::variables(&self.data()));
        command
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--format", "json"]].concat();
        let output = self.command(&arguments).output().expect("the binary runs");
        let error = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {error}"))
    }

    fn clock(&self) -> PathBuf {
        self.0.path().join("clock")
    }

    /// Sets the clock of the service ahead by some seconds, also while it runs.
    pub(crate) fn set_clock(&self, seconds: u32) {
        fs::write(self.clock(), seconds.to_string()).expect("a file");
    }

    /// What `visibility-server check` says.
    pub(crate) fn check(&self) -> Value {
        self.json(&["check"])
    }

    /// Starts the service; with a point and a number it dies when it passes the point that often.
    pub(crate) fn serve(&self, crash_at: Option<String>) -> Service {
        let mut command = self.command(&[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--set",
            "limits.burst=0",
            "--set",
            "limits.batches_per_hour=0",
        ]);
        command.env("VISIBILITY_CLOCK_OFFSET", self.clock());
        command.envs(crash_at.map(|point| ("VISIBILITY_CRASH_AT", point)));
        let log = self.0.path().join("log");
        let file = fs::File::create(&log).expect("a file");
        let mut child = command.stdout(Stdio::piped()).stderr(file).spawn().expect("the binary");
        let mut ready = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut ready).expect("a line");
        let address = ready.trim().rsplit_once("http://").map(|(_, address)| address.parse());
        let Some(Ok(address)) = address else {
            panic!("not ready: {ready}{}", fs::read_to_string(&log).unwrap_or_default());
        };
        Service { child, address, log }
    }

    /// Nothing is left of bodies and objects that were being written when the service died.
    pub(crate) fn assert_no_leftovers(&self) {
        let spooled = fs::read_dir(self.data().join("spool")).map_or(0, Iterator::count);
        assert_eq!(spooled, 0, "bodies are left in the spool");
        let mut folders = vec![self.data().join("objects")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().map(Result::unwrap) {
                let path = entry.path();
                let name = entry.file_name().into_string().unwrap();
                if path.is_dir() {
                    // The service that runs now may be compacting into a day.
                    if !name.starts_with("day=") {
                        folders.push(path);
                    }
                    continue;
                }
                let is_whole =
                    [".parquet", ".json.gz", "store.json"].iter().any(|end| name.ends_with(end));
                assert!(is_whole, "{} is left", path.display());
            }
        }
    }
}

/// A running service.
#[derive(Debug)]
pub(crate) struct Service {
    child: Child,
    address: SocketAddr,
    log: PathBuf,
}

impl Service {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for its death. Gives up after some time, or when there is nothing left to die of.
    pub(crate) fn dies_within(&mut self, time: Duration, is_over: impl Fn() -> bool) -> bool {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                assert_eq!(status.signal(), Some(SIGKILL), "{status}: {}", self.log());
                return true;
            }
            if start.elapsed() >= time || is_over() {
                return false;
            }
            // There is no wait with a timeout in the standard library.
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// SIGKILL, if it lives.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().expect("a child");
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
    }
}
