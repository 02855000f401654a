//! The state of the service: every rule about batches, accounts and results that a database keeps, over any
//! database.

pub(crate) mod audit_usage;
pub(crate) mod audits;
mod column;
pub(crate) mod copy;
pub(crate) mod counts;
pub mod credentials;
pub mod damage;
pub(crate) mod hits;
pub mod keys;
mod ledger;
pub mod ledger_totals;
pub mod manifest;
pub(crate) mod nodes;
pub mod oauth_clients;
pub mod oauth_grants;
pub mod oauth_tokens;
pub mod outbox;
pub(crate) mod recount;
pub mod retention;
pub(crate) mod scan_days;
pub(crate) mod scans;
mod secret;
pub(crate) mod sessions;
mod sizes;
pub(crate) mod sources;
pub(crate) mod sums;
pub mod tenant_state;
#[cfg(test)]
pub(crate) mod testing;
pub mod uncounted;
pub mod users;
mod values;

use std::path::Path;
use std::time::Duration;

use visibility_core::store::StoreError;

use super::database::{self, Database, Ending, Inspection, SqlError, Statements, failed};
use super::sqlite::Sqlite;

/// What the service keeps in its database.
#[derive(Debug)]
pub struct StateStore {
    database: Box<dyn Database>,
}

impl StateStore {
    /// Opens or creates a SQLite database and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is not a database, or was written by a newer version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::new(Sqlite::open(path)?))
    }

    /// Opens a PostgreSQL database and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// When it cannot be reached or refuses the user, and when it was written by a newer version.
    #[cfg(feature = "postgres")]
    pub fn open_postgres(
        address: &crate::settings::database_address::DatabaseAddress,
        connections: usize,
    ) -> Result<Self, StoreError> {
        Ok(Self::new(super::postgres::Postgres::open(address, connections)?))
    }

    #[cfg(not(all(feature = "fault-points", debug_assertions)))]
    fn new(database: impl Database + 'static) -> Self {
        Self { database: Box::new(database) }
    }

    #[cfg(all(feature = "fault-points", debug_assertions))]
    fn new(database: impl Database + 'static) -> Self {
        Self { database: Box::new(super::fault_points::FaultPoints(database)) }
    }

    /// Makes sure that the database can be written.
    ///
    /// # Errors
    ///
    /// When it cannot.
    pub(crate) fn probe(&self) -> Result<(), StoreError> {
        self.database
            .write(database::Transaction::DEFAULT, &mut |_statements| Ending::Rollback)
            .map_err(failed(|| "begin a transaction".to_owned()))
    }

    /// Reads the whole database, for as long as the limit says, to find out whether it is damaged.
    ///
    /// # Errors
    ///
    /// When it cannot be read for another reason.
    pub(crate) fn inspect(&self, limit: Duration) -> Result<Inspection, StoreError> {
        self.database.inspect(limit).map_err(failed(|| "inspect the database".to_owned()))
    }

    /// How often this process has connected to the database, if that is another process.
    pub(crate) fn connections(&self) -> u64 {
        self.database.connections()
    }

    /// Runs statements that change nothing.
    fn read<T>(
        &self,
        mut work: impl FnMut(&dyn Statements) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let mut outcome = None;
        self.database.read(&mut |statements| end(&mut outcome, work(statements)))?;
        outcome.unwrap_or_else(|| Err(not_run()))
    }

    /// Runs statements that change nothing and see one moment.
    fn snapshot<T>(
        &self,
        mut work: impl FnMut(&dyn Statements) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let mut outcome = None;
        self.database.snapshot(&mut |statements| end(&mut outcome, work(statements)))?;
        outcome.unwrap_or_else(|| Err(not_run()))
    }

    /// Runs statements as one transaction, which has no effect if one of them fails. May run the work again from its
    /// start.
    fn write<T>(
        &self,
        work: impl FnMut(&dyn Statements) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.write_as(database::Transaction::DEFAULT, work)
    }

    /// As [`write`](Self::write), with what the transaction needs.
    fn write_as<T>(
        &self,
        transaction: database::Transaction<'_>,
        mut work: impl FnMut(&dyn Statements) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let mut outcome = None;
        self.database.write(transaction, &mut |statements| end(&mut outcome, work(statements)))?;
        outcome.unwrap_or_else(|| Err(not_run()))
    }

    /// Runs a transaction that may be refused for other reasons than a failure of the database.
    fn change<T, E: From<StoreError>>(
        &self,
        action: impl Fn() -> String,
        mut work: impl FnMut(&dyn Statements) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut outcome = None;
        self.database
            .write(database::Transaction::DEFAULT, &mut |statements| {
                end(&mut outcome, work(statements))
            })
            .map_err(failed(&action))?;
        outcome.unwrap_or_else(|| Err(failed(action)(not_run()).into()))
    }
}

/// Keeps the outcome of some work, and says how its transaction ends.
fn end<T, E>(outcome: &mut Option<Result<T, E>>, result: Result<T, E>) -> Ending {
    let ending = if result.is_ok() { Ending::Commit } else { Ending::Rollback };
    *outcome = Some(result);
    ending
}

fn not_run() -> SqlError {
    SqlError::unchanged("the database has not run the statements")
}
