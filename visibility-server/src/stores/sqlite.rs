//! The state in one SQLite database.
//!
//! Write-ahead log with `synchronous = FULL`: when a transaction has returned, it survives the loss of power. Other
//! processes (the commands of the operator) may open the same database.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, Transaction as SqliteTransaction, TransactionBehavior,
    params_from_iter,
};
use visibility_core::store::{StoreError, StoreErrorKind};

use super::database::{
    Columns, Database, Durability, Ending, Inspection, Row, SqlError, Statements, Transaction,
    Value, Work, failed,
};
use super::schema::{STEPS, missing_steps};

/// How long a statement waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections that read beside the one that writes.
const READERS: usize = 4;
/// Statements that a connection keeps compiled.
const CACHED_STATEMENTS: usize = 128;

/// The database: a connection that writes, another one that does not wait for the disk, and some that read.
#[derive(Debug)]
pub(super) struct Sqlite {
    writer: Mutex<Connection>,
    /// Used only by who holds `writer`: SQLite has one writer at a time. Waiting for our own is fair and wakes at
    /// once; the database's own wait looks again after ever longer pauses.
    unsynced_writer: Mutex<Connection>,
    readers: Vec<Mutex<Connection>>,
    in_doubt: AtomicBool,
    path: PathBuf,
}

impl Sqlite {
    /// Opens or creates the database and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is not a database, or was written by a newer version.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let open = || format!("open the database {}", path.display());
        let connect = || connect(path).map_err(failed(open));
        let mut writer = connect()?;
        migrate(&mut writer)?;
        let unsynced_writer = connect()?;
        unsynced_writer
            .pragma_update(None, "synchronous", "NORMAL")
            .map_err(sql_error)
            .map_err(failed(open))?;
        let readers = (0..READERS).map(|_| connect().map(Mutex::new)).collect::<Result<_, _>>()?;
        Ok(Self {
            writer: Mutex::new(writer),
            unsynced_writer: Mutex::new(unsynced_writer),
            readers,
            in_doubt: AtomicBool::new(false),
            path: path.to_owned(),
        })
    }

    /// A connection that reads; the first that is free, or else the first.
    fn reader(&self) -> MutexGuard<'_, Connection> {
        let free = self.readers.iter().find_map(|reader| reader.try_lock().ok());
        free.unwrap_or_else(|| lock(self.readers.first().unwrap_or(&self.writer)))
    }

    /// Commits what a transaction did, and says what is certain if that fails.
    ///
    /// A commit that failed for lack of room has no valid commit frame in the write-ahead log, and
    /// one that was busy has written nothing: rusqlite rolls it back. After any other failure the
    /// frame may be in the log. No reader sees it now, but a restart may find it, unless a later
    /// commit has written over it.
    fn commit(&self, transaction: SqliteTransaction<'_>) -> Result<(), SqlError> {
        let Err(error) = transaction.commit() else {
            self.in_doubt.store(false, Ordering::SeqCst);
            return Ok(());
        };
        let is_certain = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy)
        );
        let failure = sql_error(error);
        if is_certain {
            return Err(failure);
        }
        self.in_doubt.store(true, Ordering::SeqCst);
        Err(SqlError { kind: StoreErrorKind::Unknown, ..failure })
    }
}

impl Database for Sqlite {
    fn read(&self, work: &mut Work<'_>) -> Result<(), SqlError> {
        work(&*self.reader());
        Ok(())
    }

    fn snapshot(&self, work: &mut Work<'_>) -> Result<(), SqlError> {
        let mut reader = self.reader();
        let transaction = begin(&mut reader, TransactionBehavior::Deferred)?;
        work(&*transaction);
        Ok(())
    }

    fn write(&self, transaction: Transaction<'_>, work: &mut Work<'_>) -> Result<(), SqlError> {
        let mut writer = lock(&self.writer);
        let mut unsynced_writer;
        let connection: &mut Connection = match transaction.durability {
            Durability::PowerLoss => &mut writer,
            Durability::ProcessEnd => {
                unsynced_writer = lock(&self.unsynced_writer);
                &mut unsynced_writer
            }
        };
        let transaction = begin(connection, TransactionBehavior::Immediate)?;
        match work(&*transaction) {
            Ending::Commit => self.commit(transaction),
            Ending::Rollback => Ok(()),
        }
    }

    fn settle(&self) -> Result<(), SqlError> {
        if !self.in_doubt.load(Ordering::SeqCst) {
            return Ok(());
        }
        let mut writer = lock(&self.writer);
        let transaction = begin(&mut writer, TransactionBehavior::Immediate)?;
        // A commit writes over the one in doubt. Setting the version to what it is writes a page.
        let version: i64 = transaction
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(sql_error)?;
        transaction.pragma_update(None, "user_version", version).map_err(sql_error)?;
        self.commit(transaction)
    }

    /// Has a connection of its own, as the others are in use all the time.
    fn inspect(&self, limit: Duration) -> Result<Inspection, SqlError> {
        let inspected = connect(&self.path).and_then(|connection| quick_check(&connection, limit));
        match inspected {
            Err(error) if is_damage(&*error.source) => {
                Ok(Inspection::Damaged(error.source.to_string()))
            }
            inspected => inspected,
        }
    }

    /// A new row has the number after the highest one.
    fn continue_numbers(&self, _statements: &dyn Statements) -> Result<(), SqlError> {
        Ok(())
    }

    fn bytes(&self) -> Result<u64, SqlError> {
        let reader = self.reader();
        let statements: &dyn Statements = &*reader;
        statements.query_one(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
            &[],
            |row| row.get(0),
        )
    }
}

impl Statements for Connection {
    fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, SqlError> {
        let mut statement = self.prepare_cached(sql).map_err(sql_error)?;
        let rows = statement.execute(params_from_iter(values)).map_err(sql_error)?;
        Ok(rows.try_into().unwrap_or(u64::MAX))
    }

    fn execute_each(&self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<u64, SqlError> {
        let mut statement = self.prepare_cached(sql).map_err(sql_error)?;
        let mut changed = 0;
        for values in rows {
            let rows = statement.execute(params_from_iter(values)).map_err(sql_error)?;
            changed += u64::try_from(rows).unwrap_or(u64::MAX);
        }
        Ok(changed)
    }

    fn query(
        &self,
        sql: &str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(Row<'_>) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        let mut statement = self.prepare_cached(sql).map_err(sql_error)?;
        let mut rows = statement.query(params_from_iter(values)).map_err(sql_error)?;
        while let Some(row) = rows.next().map_err(sql_error)? {
            each(Row::new(row))?;
        }
        Ok(())
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(int) => ValueRef::Integer(*int),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Columns for rusqlite::Row<'_> {
    fn value(&self, column: usize) -> Result<Value<'_>, SqlError> {
        let value = self.get_ref(column).map_err(sql_error)?;
        Ok(match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(int) => Value::Int(int),
            ValueRef::Text(_) => Value::Text(value.as_str().map_err(SqlError::unchanged)?),
            ValueRef::Blob(bytes) => Value::Bytes(bytes),
            ValueRef::Real(_) => {
                return Err(SqlError::unchanged(format!("column {column} is no integer")));
            }
        })
    }
}

/// Reads all pages, but does not compare indexes with their tables, which takes many times as long.
fn quick_check(connection: &Connection, limit: Duration) -> Result<Inspection, SqlError> {
    let interrupt = connection.get_interrupt_handle();
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            // The other end is dropped when the check is over.
            if is_done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                interrupt.interrupt();
            }
        });
        let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        drop(done);
        match found {
            Ok(text) if text == "ok" => Ok(Inspection::Sound),
            Ok(text) => Ok(Inspection::Damaged(text)),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                Ok(Inspection::Unfinished)
            }
            Err(error) => Err(sql_error(error)),
        }
    })
}

/// Whether an error says that the file of the database is damaged.
pub(super) fn is_damage(error: &(dyn Error + 'static)) -> bool {
    let code = error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn connect(path: &Path) -> Result<Connection, SqlError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(sql_error)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.busy_timeout(BUSY_TIMEOUT).map_err(sql_error)?;
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
        )
        .map_err(sql_error)?;
    Ok(connection)
}

/// Takes the steps that are missing, in one transaction.
fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let describe = || "bring the schema of the database up to date".to_owned();
    let migration_failed = |error| failed(describe)(sql_error(error));
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(migration_failed)?;
    let taken: i64 = transaction
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(migration_failed)?;
    for step in missing_steps(taken).map_err(failed(|| "open the database".to_owned()))? {
        transaction.execute_batch(step).map_err(migration_failed)?;
    }
    transaction.pragma_update(None, "user_version", STEPS.len()).map_err(migration_failed)?;
    transaction.commit().map_err(migration_failed)
}

fn begin(
    connection: &mut Connection,
    behavior: TransactionBehavior,
) -> Result<SqliteTransaction<'_>, SqlError> {
    connection.transaction_with_behavior(behavior).map_err(sql_error)
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    // A panic elsewhere rolled its transaction back; the connection is as good as before.
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Outside a commit, a failure has changed nothing.
fn sql_error(error: rusqlite::Error) -> SqlError {
    let is_full = error.sqlite_error_code() == Some(ErrorCode::DiskFull);
    let kind = if is_full { StoreErrorKind::Full } else { StoreErrorKind::Unchanged };
    SqlError { kind, source: Box::new(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> Connection {
        Connection::open(path).unwrap()
    }

    #[test]
    fn an_older_database_keeps_its_users_and_hits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.sqlite");
        let connection = open(&path);
        connection.execute_batch(STEPS[0]).unwrap();
        connection
            .execute_batch(
                "INSERT INTO tenant (slug, created_at) VALUES ('acme', 1);
                 INSERT INTO hit (tenant, kind, at) VALUES ('acme', 1, 7);
                 PRAGMA user_version = 1;",
            )
            .unwrap();
        for step in &STEPS[1..7] {
            connection.execute_batch(step).unwrap();
        }
        connection
            .execute_batch(
                "INSERT INTO user (id, tenant, name, scopes, password, created_at,
                                   credentials_changed_at)
                 VALUES ('u', 'acme', 'ada', '', '', 1, 1);
                 INSERT INTO session (digest, user, created_at, used_at) VALUES (x'00', 'u', 2, 2);
                 PRAGMA user_version = 7;",
            )
            .unwrap();
        drop(connection);
        let mut connection = open(&path);
        migrate(&mut connection).unwrap();
        migrate(&mut connection).unwrap();
        let hit: (String, i64, i64) = connection
            .query_row("SELECT subject, kind, at FROM hit", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(hit, ("acme".to_owned(), 1, 7));
        let person: String = connection
            .query_row(
                "SELECT name FROM person JOIN session ON session.person = person.id",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(person, "ada");
    }

    #[test]
    fn a_damaged_page_is_found_if_there_is_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.sqlite");
        let sqlite = Sqlite::open(&path).unwrap();
        let long = Duration::from_mins(1);
        assert_eq!(sqlite.inspect(long).unwrap(), Inspection::Sound);
        drop(sqlite);
        let mut bytes = std::fs::read(&path).unwrap();
        for byte in &mut bytes[2 * 4096..5 * 4096] {
            *byte = byte.wrapping_mul(31).wrapping_add(7);
        }
        std::fs::write(&path, bytes).unwrap();
        let damaged = match Sqlite::open(&path) {
            Ok(sqlite) => matches!(sqlite.inspect(long).unwrap(), Inspection::Damaged(_)),
            Err(error) => is_damage(&*error.source.unwrap()),
        };
        assert!(damaged);
    }

    #[test]
    fn a_database_of_a_newer_program_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = open(&folder.path().join("state.sqlite"));
        migrate(&mut connection).unwrap();
        let newer = i64::try_from(STEPS.len()).unwrap() + 1;
        connection.pragma_update(None, "user_version", newer).unwrap();
        let error = migrate(&mut connection).unwrap_err();
        assert!(error.source.unwrap().to_string().contains("this program supports"));
    }
}
