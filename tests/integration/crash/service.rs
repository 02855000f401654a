//! The service: the real binary, started again and again with the same data, as one node or as several.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use visibility_server::settings::Settings;
use visibility_server::stores::Stores;
use visibility_server::stores::location::StoreLocation;
use visibility_tests::bucket;
use visibility_tests::database;
use visibility_tests::delta::DeltaTable;
use visibility_tests::program::program;
use visibility_tests::wait::until_blocking;

/// What a fault point ends the process with.
const SIGKILL: i32 = 9;

/// Names and values of environment variables.
type Variables = Vec<(&'static str, String)>;

/// Where the data are: one data directory for each node, and what nodes share.
#[derive(Debug)]
pub(crate) struct Place {
    folder: TempDir,
    /// Where the stores of each node are.
    nodes: Vec<Variables>,
    /// Where commands find the same stores.
    commands: Variables,
}

impl Place {
    /// One node, on the database under test.
    pub(crate) fn of_one_node() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let variables = database::variables(&folder.path().join("0"));
        Self { folder, nodes: vec![variables.clone()], commands: variables }
    }

    /// Nodes that reach one database at these addresses, and a folder that they share, or a bucket at an address.
    /// Commands use the addresses of the database and of the store themselves.
    pub(crate) fn of_nodes(
        databases: &[String],
        database: &str,
        store: Option<SocketAddr>,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let shared = folder.path().join("shared");
        let mut objects = bucket::variables(&shared);
        if objects.is_empty() {
            objects.push(("VISIBILITY_OBJECTS__URL", format!("file://{}", shared.display())));
        }
        let mut commands = objects.clone();
        commands.push(("VISIBILITY_DATABASE__URL", database.to_owned()));
        let mut nodes = Vec::new();
        for database in databases {
            let mut variables = objects.clone();
            variables.push(("VISIBILITY_DATABASE__URL", database.clone()));
            if let Some(store) = store {
                // The last one counts.
                variables.push(("VISIBILITY_OBJECTS__ENDPOINT", format!("http://{store}")));
            }
            nodes.push(variables);
        }
        Self { folder, nodes, commands }
    }

    /// Creates tenants, and a token for each.
    pub(crate) fn create(&self, tenants: &[&str]) -> BTreeMap<String, String> {
        let mut tokens = BTreeMap::new();
        for tenant in tenants {
            self.json(&["tenants", "create", tenant]);
            let token = self.json(&["tokens", "create", tenant]);
            tokens.insert((*tenant).to_owned(), token["token"].as_str().unwrap().to_owned());
        }
        tokens
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn data(&self, node: usize) -> PathBuf {
        self.folder.path().join(node.to_string())
    }

    fn command(&self, node: usize, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("visibility-server"));
        command.args(arguments).env_clear().current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("VISIBILITY_DATA_DIR", self.data(node));
        command
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--format", "json"]].concat();
        let mut command = self.command(0, &arguments);
        let output = command.envs(self.commands.clone()).output().expect("the binary runs");
        let error = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {error}"))
    }

    /// The Delta log of a tenant, if it has one.
    pub(crate) fn delta_table(&self, tenant: &str) -> Option<DeltaTable> {
        let url = self.commands.iter().find(|(name, _)| *name == "VISIBILITY_OBJECTS__URL");
        let objects = match url {
            Some((_, url)) => match url.strip_prefix("file://") {
                Some(folder) => PathBuf::from(folder),
                None => bucket::folder_of(url)?,
            },
            None => self.data(0).join("objects"),
        };
        DeltaTable::read(&objects.join(format!("tenant={tenant}/_delta_log")))
    }

    /// The stores of all nodes, unless the objects are in a bucket.
    pub(crate) fn stores(&self) -> Option<Stores> {
        let mut settings = Settings { data_dir: self.data(0), ..Settings::default() };
        for (name, value) in &self.commands {
            match *name {
                "VISIBILITY_DATABASE__URL" => settings.database.url = Some(value.clone()),
                "VISIBILITY_OBJECTS__URL" => settings.objects.url = Some(value.clone()),
                _ => {}
            }
        }
        if settings.objects.url.as_ref().is_some_and(|url| !url.starts_with("file://")) {
            return None;
        }
        settings.node.alone = settings.objects.url.is_none();
        let location = StoreLocation::of(&settings).expect("a place for the stores");
        Some(Stores::open(location).expect("they open"))
    }

    /// Changes the database past all rules.
    pub(crate) fn execute(&self, sql: &str) {
        let url = self.commands.iter().find(|(name, _)| *name == "VISIBILITY_DATABASE__URL");
        match url {
            Some((_, url)) => database::run(url, sql),
            None => database::execute(&self.data(0), sql),
        }
    }

    fn clock(&self, node: usize) -> PathBuf {
        self.folder.path().join(format!("clock-{node}"))
    }

    /// Sets the clock of a node ahead by some seconds, also while it runs.
    pub(crate) fn set_clock(&self, node: usize, ahead: i64) {
        fs::write(self.clock(node), ahead.to_string()).expect("a file");
    }

    /// What `visibility-server check` says.
    pub(crate) fn check(&self) -> Value {
        self.json(&["check"])
    }

    /// Starts a node, with more in its environment.
    ///
    /// # Errors
    ///
    /// If it ends before it is ready.
    pub(crate) fn serve(
        &self,
        node: usize,
        variables: &[(&str, &str)],
    ) -> Result<Service, StartError> {
        let mut command = self.command(
            node,
            &[
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--set",
                "limits.burst=0",
                "--set",
                "limits.batches_per_hour=0",
                "--set",
                "delta.interval=60",
            ],
        );
        command.envs(self.nodes[node].clone());
        command.env("VISIBILITY_CLOCK_OFFSET", self.clock(node));
        command.envs(variables.iter().copied());
        let log = self.folder.path().join(format!("log-{node}"));
        let file = fs::File::create(&log).expect("a file");
        let mut child = command.stdout(Stdio::piped()).stderr(file).spawn().expect("the binary");
        let mut ready = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut ready).expect("a line");
        let address = ready.trim().rsplit_once("http://").map(|(_, address)| address.parse());
        let Some(Ok(address)) = address else {
            let status = child.wait().expect("a child");
            let output = format!("{ready}{}", fs::read_to_string(&log).unwrap_or_default());
            return Err(StartError { status, output });
        };
        Ok(Service { child, address, log })
    }

    /// Nothing is left of bodies and objects that were being written when a node died.
    pub(crate) fn assert_no_leftovers(&self) {
        for node in 0..self.nodes() {
            let spool = self.data(node).join("spool");
            // A file that a running node has just made loses its name at once.
            until_blocking("no body is left in the spool", || {
                fs::read_dir(&spool).map_or(0, Iterator::count) == 0
            });
        }
        let mut folders = vec![self.data(0).join("objects")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().map(Result::unwrap) {
                let path = entry.path();
                let name = entry.file_name().into_string().unwrap();
                if path.is_dir() {
                    // The service that runs now may be compacting into a day, or writing a log.
                    if !name.starts_with("day=") && name != "_delta_log" {
                        folders.push(path);
                    }
                    continue;
                }
                let is_whole =
                    [".parquet", ".json.gz", "store.json"].iter().any(|end| name.ends_with(end));
                // It is replaced again and again.
                let is_newest = name.starts_with("newest.json");
                assert!(is_whole || is_newest, "{} is left", path.display());
            }
        }
    }
}

/// A node ended before it was ready.
#[derive(Debug)]
pub(crate) struct StartError {
    status: ExitStatus,
    output: String,
}

impl StartError {
    /// Whether it died at a fault point: the work between batches begins just before a node is ready.
    pub(crate) fn is_killed(&self) -> bool {
        self.status.signal() == Some(SIGKILL)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a node ended before it was ready, {}: {}", self.status, self.output)
    }
}

/// A running node.
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

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: &str) {
        let process = self.child.id().to_string();
        let status = Command::new("kill").args([signal, &process]).status().expect("kill runs");
        assert!(status.success(), "{signal} {process}: {status}");
    }

    /// Whether it gets no time of a processor.
    pub(crate) fn is_frozen(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        status.is_ok_and(|status| {
            status.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
        })
    }

    /// Whether it is dead. It dies of nothing but SIGKILL.
    pub(crate) fn is_dead(&mut self) -> bool {
        let ended = self.child.try_wait().expect("a child");
        if let Some(status) = ended {
            assert_eq!(ExitStatus::signal(&status), Some(SIGKILL), "{status}: {}", self.log());
        }
        ended.is_some()
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
