//! The binary, recordings for it to scan, and folders that go away.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use serde_json::Value;
use visibility_core::scan;
use visibility_core::scan::recording::{Recorder, Recording};
use visibility_tests::program::program;
use visibility_tests::site::{Reply, Site, good, good_home};

/// What a run left behind.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The command, in an environment that says nothing.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(program("visibility"));
    command.args(arguments).env_clear().stdin(Stdio::null());
    command
}

/// Runs to the end.
pub(crate) fn run(arguments: &[&str]) -> Run {
    finish(command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn())
}

/// Runs to the end with this on standard input.
pub(crate) fn run_with_input(arguments: &[&str], input: impl AsRef<[u8]>) -> Run {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_ref()).expect("the binary reads");
    drop(stdin);
    finish(Ok(child))
}

pub(crate) fn finish(child: std::io::Result<Child>) -> Run {
    let output = child.and_then(Child::wait_with_output).expect("the binary runs");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// A folder that goes away with its owner.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("visibility-cli-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    /// A path in the folder, as an argument.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").to_owned()
    }

    /// The folder, as an argument.
    pub(crate) fn all(&self) -> String {
        self.0.to_str().expect("UTF-8").to_owned()
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
        self.path(name)
    }

    /// Writes a file that no one else may read.
    pub(crate) fn secret_file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        use std::os::unix::fs::PermissionsExt as _;

        let path = self.file(name, content);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a mode");
        path
    }

    /// Records a scan of a site in a folder of its name.
    pub(crate) fn record(&self, site: &Site) {
        let request = site.request();
        let recorder = Recorder::new(site);
        // A site that cannot be reached is worth a recording, too.
        let _ = scan::scan(&recorder, &request).now_or_never().expect("no fixture waits");
        let recording = Recording { request, exchanges: recorder.into_exchanges() };
        for (name, content) in recording.to_files().expect("a recording") {
            let path = self.0.join(&site.host).join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A recording of one site.
pub(crate) fn recorded(site: &Site) -> Folder {
    let folder = Folder::new();
    folder.record(site);
    folder
}

/// A site with something of everything: blocked agents, a refused one, text that is meant to harm.
pub(crate) fn mixed() -> Site {
    let host = "shop.example.com";
    let title = "Example <script>alert(1)</script> | `x` \u{1b}[31m \u{202e}";
    let home = good_home(host).replace("<title>Example Instruments", &format!("<title>{title}"));
    good(host)
        .with("/", Reply::html(home))
        .with(
            "/robots.txt",
            Reply::text(
                "User-agent: *\nAllow: /\n\nUser-agent: PerplexityBot\nUser-agent: GPTBot\n\
                 Disallow: / # <b>|`\u{1b}[2J\nContent-Signal: ai-train=no\n",
            ),
        )
        .with("/llms.txt", Reply::error(404))
        .for_user_agent("OAI-SearchBot", Reply::error(403))
}

/// What a command prints as JSON.
pub(crate) fn json_of(arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    serde_json::from_str(&run(&all).stdout).unwrap()
}
