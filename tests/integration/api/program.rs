//! The binary as a service, whose log and memory can be looked at.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use visibility_tests::program::program;

/// A service that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    pub(crate) address: SocketAddr,
    log: PathBuf,
}

impl Program {
    /// Starts the binary on a data directory; its log goes to a file beside it.
    pub(crate) fn start(data_dir: &Path, arguments: &[&str]) -> Self {
        Self::start_with(data_dir, arguments, &[])
    }

    /// Starts the binary with more in its environment.
    pub(crate) fn start_with(
        data_dir: &Path,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let log = data_dir.with_extension("log");
        let mut child = command(data_dir)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut ready = String::new();
        out.read_line(&mut ready).unwrap();
        let address = ready.split("http://").nth(1).unwrap_or_else(|| panic!("{ready}"));
        Self { child, address: address.trim().parse().unwrap(), log }
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// KiB of memory that it has had at most.
    pub(crate) fn peak_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command of the operator; what it prints is JSON.
pub(crate) fn operate(data_dir: &Path, arguments: &[&str]) -> Value {
    let output = command(data_dir).args(arguments).args(["--format", "json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn command(data_dir: &Path) -> Command {
    let mut command = Command::new(program("visibility-server"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("VISIBILITY_DATA_DIR", data_dir);
    command.stdin(Stdio::null());
    command
}
