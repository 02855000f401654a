//! The state of the service in one SQLite database.
//!
//! Write-ahead log with `synchronous = FULL`: when a transaction has returned, it survives the loss of
//! power. Other processes (the commands of the operator) may open the same database.

pub(crate) mod audit_usage;
pub(crate) mod audits;
mod column;
pub mod credentials;
pub(crate) mod hits;
pub mod keys;
mod ledger;
pub mod ledger_totals;
pub mod manifest;
pub mod oauth_clients;
pub mod oauth_grants;
pub mod oauth_tokens;
pub mod retention;
mod rollup;
pub(crate) mod scans;
mod schema;
mod secret;
pub(crate) mod sessions;
mod sizes;
mod store_state;
pub mod tenant_state;
pub mod users;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use visibility_core::store::{StoreError, StoreErrorKind};

/// How long a statement waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections that read beside the one that writes.
const READERS: usize = 4;
/// Statements that a connection keeps compiled.
const CACHED_STATEMENTS: usize = 64;

/// The database: one connection that writes and some that read.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Vec<Mutex<Connection>>,
    in_doubt: AtomicBool,
}

impl Sqlite {
    /// Opens or creates the database and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is not a database, or was written by a newer version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut writer = connect(path)?;
        schema::migrate(&mut writer)?;
        let readers =
            (0..READERS).map(|_| connect(path).map(Mutex::new)).collect::<Result<_, _>>()?;
        Ok(Self {
            path: path.to_owned(),
            writer: Mutex::new(writer),
            readers,
            in_doubt: AtomicBool::new(false),
        })
    }

    /// The path of the database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The connection that writes; waits for it.
    pub(crate) fn writer(&self) -> MutexGuard<'_, Connection> {
        // A panic elsewhere rolled its transaction back; the connection is as good as before.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits what a transaction did, and says what is certain if that fails.
    ///
    /// A commit that failed for lack of room has no valid commit frame in the write-ahead log, and
    /// one that was busy has written nothing: rusqlite rolls it back. After any other failure the
    /// frame may be in the log. No reader sees it now, but a restart may find it, unless a later
    /// commit has written over it.
    fn commit(
        &self,
        transaction: Transaction<'_>,
        action: impl FnOnce() -> String,
    ) -> Result<(), StoreError> {
        let Err(error) = transaction.commit() else {
            self.in_doubt.store(false, Ordering::SeqCst);
            return Ok(());
        };
        let is_certain = matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DiskFull | rusqlite::ErrorCode::DatabaseBusy)
        );
        let failure = failed(action)(error);
        if is_certain {
            return Err(failure);
        }
        self.in_doubt.store(true, Ordering::SeqCst);
        Err(StoreError { kind: StoreErrorKind::Unknown, ..failure })
    }

    /// Makes sure that a commit in doubt stays undone, by a commit that writes over it.
    fn settle(&self) -> Result<(), StoreError> {
        if !self.in_doubt.load(Ordering::SeqCst) {
            return Ok(());
        }
        let describe = || "settle a commit in doubt".to_owned();
        let mut writer = self.writer();
        let transaction = begin(&mut writer)?;
        // Setting the version to what it is writes a page.
        let version: i64 = transaction
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(failed(describe))?;
        transaction.pragma_update(None, "user_version", version).map_err(failed(describe))?;
        self.commit(transaction, describe)
    }

    /// A connection that reads; the first that is free, or else the first.
    pub(crate) fn reader(&self) -> MutexGuard<'_, Connection> {
        let free = self.readers.iter().find_map(|reader| reader.try_lock().ok());
        free.unwrap_or_else(|| match self.readers.first() {
            Some(reader) => reader.lock().unwrap_or_else(PoisonError::into_inner),
            None => self.writer(),
        })
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)
        .map_err(failed(|| format!("open the database {}", path.display())))?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection
        .busy_timeout(BUSY_TIMEOUT)
        .and_then(|()| {
            connection.execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
            )
        })
        .map_err(failed(|| format!("set up the database {}", path.display())))?;
    Ok(connection)
}

/// Starts a transaction that writes.
fn begin(connection: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed(|| "begin a transaction".to_owned()))
}

/// Tells a failed statement outside a commit: nothing was changed.
pub(crate) fn failed(
    action: impl FnOnce() -> String,
) -> impl FnOnce(rusqlite::Error) -> StoreError {
    |error| {
        let is_full = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull);
        let kind = if is_full { StoreErrorKind::Full } else { StoreErrorKind::Unchanged };
        StoreError { kind, action: action(), source: Some(Box::new(error)) }
    }
}
