//! The binary, to the end or as a service, in a folder that goes away.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use tempfile::TempDir;
use visibility_tests::database;
use visibility_tests::program::program;
use visibility_tests::wait::PATIENCE;

/// What a run left behind.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The result, of a run that went well.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        serde_json::from_str(&self.stdout).expect("JSON")
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// A folder to work in; the data directory in it is `data`.
#[derive(Debug)]
pub(crate) struct Place {
    folder: TempDir,
    /// The address of the database, if it is not that of all tests.
    database: Option<String>,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), database: None }
    }

    /// A place whose state is in a database of its own.
    pub(crate) fn with_database(url: String) -> Self {
        Self { database: Some(url), ..Self::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// Writes a file, and gives its path as an argument.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.path().join(name);
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    }

    /// The command, in an environment that names the data directory and nothing else.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("visibility-server"));
        command.args(arguments).env_clear().current_dir(self.path()).stdin(Stdio::null());
        // The program is called as it is when it is installed, so that its texts are stable.
        command.arg0("visibility-server");
        command.env("VISIBILITY_DATA_DIR", self.data());
        command.envs(database::variables(&self.data()));
        if let Some(url) = &self.database {
            command.env("VISIBILITY_DATABASE__URL", url);
        }
        command
    }

    /// Runs to the end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.command(arguments).output().expect("the binary runs").into()
    }

    /// The result for machines of a run that goes well.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.run(&[arguments, &["--format", "json"]].concat()).json()
    }

    /// Starts the service on a free port and waits until it is ready.
    pub(crate) fn serve(&self, arguments: &[&str]) -> Service {
        self.serve_on("127.0.0.1:0", arguments)
    }

    /// Starts the service at an address and waits until it is ready.
    pub(crate) fn serve_on(&self, address: &str, arguments: &[&str]) -> Service {
        self.serve_with(&[&["--listen", address], arguments].concat(), &[])
    }

    /// Starts the service with variables in its environment and waits until it is ready.
    pub(crate) fn serve_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Service {
        let mut command = self.command(&[&["serve"], arguments].concat());
        command.envs(environment.iter().copied());
        // Its first steps can be pasted wherever it was started from.
        command.arg0(program("visibility-server"));
        Service::start(command)
    }
}

/// A service that runs; it is ended with its owner.
#[derive(Debug)]
pub(crate) struct Service {
    child: Child,
    /// The lines on standard output up to an empty one, or to the last that is needed.
    pub(crate) ready: String,
    out: mpsc::Receiver<String>,
    log: mpsc::Receiver<String>,
}

impl Service {
    /// Starts what this command serves and waits until it is ready.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary");
        let out = lines(child.stdout.take().expect("a pipe"));
        let log = lines(child.stderr.take().expect("a pipe"));
        let Ok(ready) = out.recv_timeout(PATIENCE) else {
            let _ = child.kill();
            panic!("not ready: {}", log.iter().collect::<String>());
        };
        Self { child, ready, out, log }
    }

    /// Address of the public listener.
    pub(crate) fn address(&self) -> String {
        address(&self.ready)
    }

    /// The next line on standard output.
    pub(crate) fn line(&self) -> String {
        self.out.recv_timeout(PATIENCE).expect("a line")
    }

    /// Waits for a line of the log that has these words.
    pub(crate) fn logged(&self, words: &str) -> String {
        loop {
            let line = self.log.recv_timeout(PATIENCE).expect("a line of the log");
            if line.contains(words) {
                return line;
            }
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(kill.expect("kill").success());
    }

    /// Waits for its end; what it still said is in the result.
    pub(crate) fn wait(mut self) -> Run {
        let status = self.child.wait().expect("an end");
        Run {
            code: status.code(),
            stdout: self.out.iter().collect(),
            stderr: self.log.iter().collect(),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a pipe, with their ends, as they come.
fn lines(pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = String::new();
        while pipe.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
    });
    receiver
}

/// The address in a line such as `visibility-server: listening on http://127.0.0.1:1234`.
pub(crate) fn address(line: &str) -> String {
    let (_, address) = line.trim().split_once("http://").expect(line);
    address.split('/').next().unwrap_or_default().to_owned()
}

/// Sends bytes and gives everything that comes back.
pub(crate) fn exchange(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

pub(crate) fn get(address: &str, path: &str) -> String {
    exchange(address, &format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
}

/// A place with the tenant `acme`.
pub(crate) fn with_tenant() -> Place {
    let place = Place::new();
    place.json(&["tenants", "create", "acme"]);
    place
}

/// Days from now, to the nearest.
pub(crate) fn days_left(value: &Value) -> i64 {
    let time: DateTime<Utc> = value.as_str().unwrap().parse().unwrap();
    (time - Utc::now() + TimeDelta::hours(12)).num_days()
}

/// The contents of all files below a folder.
pub(crate) fn contents(folder: &Path, found: &mut Vec<Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            contents(&path, found);
        } else {
            found.push(fs::read(path).unwrap());
        }
    }
}
