//! One connection, and what is known when a statement on it fails.

use std::cell::Cell;
use std::pin::pin;

use deadpool_postgres::{Object, PoolError};
use futures_util::StreamExt as _;
use futures_util::future::try_join_all;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;
use visibility_core::store::StoreErrorKind;

use super::Postgres;
use crate::stores::database::{Row, SqlError, Statements, Value};

/// Rows of an answer that are in memory at a time.
const ROWS_AT_ONCE: usize = 256;

/// Why a transaction may be run again: nothing has changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Interruption {
    /// Another transaction was in the way.
    Conflict,
    /// A row exists already, which another transaction may have written meanwhile.
    Duplicate,
    /// The connection was lost before the commit.
    ConnectionLost,
}

/// A connection, with a transaction at most. One that ends in the middle of a transaction is closed, not used again.
pub(super) struct Connection<'a> {
    postgres: &'a Postgres,
    /// None only while it is being dropped.
    client: Option<Object>,
    is_in_transaction: Cell<bool>,
    has_failed: Cell<bool>,
    interruption: Cell<Option<Interruption>>,
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        if self.is_in_transaction.get()
            && let Some(client) = self.client.take()
        {
            drop(Object::take(client));
        }
    }
}

impl<'a> Connection<'a> {
    pub(super) fn new(postgres: &'a Postgres, client: Object) -> Self {
        Self {
            postgres,
            client: Some(client),
            is_in_transaction: Cell::new(false),
            has_failed: Cell::new(false),
            interruption: Cell::new(None),
        }
    }

    /// Why the transaction may be run again, if something has interrupted it.
    pub(super) fn interruption(&self) -> Option<Interruption> {
        self.interruption.get()
    }

    /// Begins a transaction with some statements.
    pub(super) fn begin(&self, sql: &str) -> Result<(), SqlError> {
        self.is_in_transaction.set(true);
        self.run(sql)
    }

    /// Runs statements without parameters.
    pub(super) fn run(&self, sql: &str) -> Result<(), SqlError> {
        let client = self.client()?;
        self.wait(client.batch_execute(sql))
    }

    /// Commits the transaction. An error of the kind [`StoreErrorKind::Unknown`] leaves open whether it took effect.
    pub(super) fn commit(&self) -> Result<(), SqlError> {
        if self.has_failed.get() {
            // A commit would undo everything, and say nothing.
            return Err(SqlError::unchanged("a statement of the transaction has failed"));
        }
        let client = self.client()?;
        let unknown = |error: SqlError| SqlError { kind: StoreErrorKind::Unknown, ..error };
        let committed = self.postgres.wait(client.batch_execute("COMMIT")).map_err(unknown)?;
        let Err(error) = committed else {
            self.is_in_transaction.set(false);
            return Ok(());
        };
        match error.code().map(SqlState::code) {
            Some(code) if code.starts_with("40") => {
                self.interruption.set(Some(Interruption::Conflict));
                Err(sql_error(&error))
            }
            Some(code) if code.starts_with("23") => Err(sql_error(&error)),
            _ => Err(unknown(sql_error(&error))),
        }
    }

    /// Ends the transaction without effect.
    pub(super) fn roll_back(&self) {
        let Ok(client) = self.client() else { return };
        // If it fails, the connection is closed, with the same effect.
        if matches!(self.postgres.wait(client.batch_execute("ROLLBACK")), Ok(Ok(()))) {
            self.is_in_transaction.set(false);
        }
    }

    fn client(&self) -> Result<&Object, SqlError> {
        self.client.as_ref().ok_or_else(|| SqlError::unchanged("the connection is closed"))
    }

    /// Waits for an answer, and notes what it interrupts.
    fn wait<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, SqlError> {
        let answer = self.postgres.wait(work).inspect_err(|_silence| {
            self.has_failed.set(true);
            // What it may still be doing must not go on with the next transaction.
            self.is_in_transaction.set(true);
        })?;
        answer.map_err(|error| {
            self.has_failed.set(true);
            let interruption = interruption_of(&error);
            if interruption.is_some() {
                self.interruption.set(interruption);
            }
            sql_error(&error)
        })
    }
}

impl Statements for Connection<'_> {
    fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, SqlError> {
        let client = self.client()?;
        let sql = numbered(sql);
        self.wait(async {
            let statement = client.prepare_cached(&sql).await?;
            client.execute_raw(&statement, values.iter().copied()).await
        })
    }

    fn execute_each(&self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<u64, SqlError> {
        if rows.is_empty() {
            return Ok(0);
        }
        let client = self.client()?;
        let sql = numbered(sql);
        let changed = self.wait(async {
            let statement = client.prepare_cached(&sql).await?;
            let statement = &statement;
            // They are sent in their order, all before the first answer.
            try_join_all(rows.iter().map(|values| async move {
                client.execute_raw(statement, values.iter().copied()).await
            }))
            .await
        })?;
        Ok(changed.iter().sum())
    }

    fn query(
        &self,
        sql: &str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(Row<'_>) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        let client = self.client()?;
        let sql = numbered(sql);
        let rows = self.wait(async {
            let statement = client.prepare_cached(&sql).await?;
            client.query_raw(&statement, values.iter().copied()).await
        })?;
        // Some at a time, so that a large table does not come to memory as a whole.
        let mut chunks = pin!(rows.ready_chunks(ROWS_AT_ONCE));
        while let Some(rows) = self.wait(async { Ok(chunks.next().await) })? {
            for row in rows {
                let row = self.wait(async { row })?;
                each(Row::new(&row))?;
            }
        }
        Ok(())
    }
}

/// A statement with its parameters as PostgreSQL writes them: `$1` for `?1`. No statement has a question mark in a text.
fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

fn interruption_of(error: &Error) -> Option<Interruption> {
    let Some(code) = error.code().map(SqlState::code) else {
        return error.is_closed().then_some(Interruption::ConnectionLost);
    };
    if code.starts_with("40") {
        Some(Interruption::Conflict)
    } else if code == SqlState::UNIQUE_VIOLATION.code() {
        Some(Interruption::Duplicate)
    } else if code.starts_with("08") || code.starts_with("57P") {
        Some(Interruption::ConnectionLost)
    } else {
        None
    }
}

/// Why no connection was to be had.
pub(super) fn pool_error(error: PoolError) -> SqlError {
    match error {
        PoolError::Backend(error) => sql_error(&error),
        PoolError::Timeout(_) => SqlError::unchanged("no connection became free in time"),
        PoolError::PostCreateHook(_) | PoolError::Closed | PoolError::NoRuntimeSpecified => {
            SqlError::unchanged(error)
        }
    }
}

/// An error in words: what the database says, without the values of rows.
fn sql_error(error: &Error) -> SqlError {
    let Some(said) = error.as_db_error() else {
        let cause = std::error::Error::source(error);
        let text = cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"));
        return SqlError::unchanged(text);
    };
    let text = format!("{} (SQLSTATE {})", said.message(), said.code().code());
    let is_full = *said.code() == SqlState::DISK_FULL;
    let kind = if is_full { StoreErrorKind::Full } else { StoreErrorKind::Unchanged };
    SqlError { kind, source: text.into() }
}
