//! The database under test: SQLite, or with `VISIBILITY_TEST_DATABASE` the PostgreSQL server of that address.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use tokio_postgres::{Client, Error, NoTls};
use visibility_server::settings::Settings;
use visibility_server::stores::location::StoreLocation;

use crate::bucket;

/// The address of a PostgreSQL server, with a user who may create schemas.
const VARIABLE: &str = "VISIBILITY_TEST_DATABASE";

/// The address of the database that belongs to a data directory, always the same one for a directory; none if it is
/// in there.
///
/// # Panics
///
/// When the server cannot be used.
pub fn url(data_dir: &Path) -> Option<String> {
    static CREATED: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let server = std::env::var(VARIABLE).ok()?;
    let mut hasher = DefaultHasher::new();
    data_dir.hash(&mut hasher);
    let schema = format!("t{:016x}", hasher.finish());
    let mut created = CREATED.lock().unwrap_or_else(PoisonError::into_inner);
    if created.get_or_insert_default().insert(schema.clone()) {
        run(&server, &format!("CREATE SCHEMA IF NOT EXISTS {schema}"));
    }
    Some(format!("{server}?options=-csearch_path%3D{schema}"))
}

/// What sets the database and the objects of a data directory in the environment of a program.
pub fn variables(data_dir: &Path) -> Vec<(&'static str, String)> {
    let mut variables = bucket::variables(data_dir);
    if let Some(url) = url(data_dir) {
        variables.extend([
            ("VISIBILITY_DATABASE__URL", url),
            ("VISIBILITY_DATABASE__CONNECTIONS", "4".to_owned()),
            ("VISIBILITY_NODE__ALONE", "true".to_owned()),
        ]);
    }
    variables
}

/// Sets the database and the objects of the data directory in settings.
pub fn set(settings: &mut Settings) {
    bucket::set(settings);
    if let Some(url) = url(&settings.data_dir) {
        settings.database.url = Some(url);
        settings.database.connections = 4;
        settings.node.alone = true;
    }
}

/// A PostgreSQL server that no other test uses, so that a test may restart it. It ends with this value.
#[derive(Debug)]
pub struct OwnServer {
    /// Waits for the end of its input.
    process: Child,
    url: String,
    restart: String,
}

impl OwnServer {
    /// Starts one.
    ///
    /// # Panics
    ///
    /// When PostgreSQL is not installed, or does not start.
    pub fn start() -> Self {
        let mut process = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/postgres"))
            .args(["sh", "-c"])
            .arg("echo $VISIBILITY_TEST_DATABASE; echo $VISIBILITY_TEST_DATABASE_RESTART; read end")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut lines = output.lines().map(|line| line.expect("text"));
        let mut next = || lines.next().expect("PostgreSQL starts");
        Self { url: next(), restart: next(), process }
    }

    /// Its address, with a user who may do everything.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Ends it without notice, as a crash does, and starts it again.
    ///
    /// # Panics
    ///
    /// When it does not start again.
    pub fn restart(&self) {
        let output = Command::new(&self.restart).output().expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Where the stores of a data directory are.
///
/// # Panics
///
/// When the server cannot be used.
pub fn location(data_dir: &Path) -> StoreLocation {
    let mut settings = Settings { data_dir: data_dir.to_owned(), ..Settings::default() };
    set(&mut settings);
    StoreLocation::of(&settings).expect("a place for the stores")
}

/// Changes the database of a data directory past all rules.
///
/// # Panics
///
/// When the statement fails.
pub fn execute(data_dir: &Path, sql: &str) {
    if let Some(url) = url(data_dir) {
        run(&url, sql);
    } else {
        let database = rusqlite::Connection::open(data_dir.join("state.sqlite"));
        database.expect("it opens").execute(sql, []).expect("the statement runs");
    }
}

/// Runs statements of PostgreSQL.
///
/// # Panics
///
/// When they fail.
pub fn run(database: &str, sql: &str) {
    with_client(database, async |client| client.batch_execute(sql).await)
        .expect("the statements run");
}

/// Prepares a statement of PostgreSQL, and runs nothing.
///
/// # Errors
///
/// What the server says.
pub fn prepare(database: &str, sql: &str) -> Result<(), String> {
    let prepared = with_client(database, async |client| client.prepare(sql).await.map(|_| ()));
    prepared.map_err(|error| {
        error.as_db_error().map_or_else(|| error.to_string(), |said| said.message().to_owned())
    })
}

fn with_client(
    database: &str,
    work: impl AsyncFnOnce(&Client) -> Result<(), Error> + Send,
) -> Result<(), Error> {
    // The caller may be on a thread of a runtime, on which no other may run.
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let (client, connection) =
                    tokio_postgres::connect(database, NoTls).await.expect("a connection");
                let connection = tokio::spawn(connection);
                let done = work(&client).await;
                drop(client);
                connection.await.expect("no panic").expect("the connection ends");
                done
            })
        });
        worker.join().expect("no panic")
    })
}
