//! Requests that count towards a limit, stored so that a restart does not reset it.
//!
//! They have a connection of their own with `synchronous = NORMAL`: what it has written survives the
//! end of the process, however sudden, and costs no wait for the disk. A loss of power may forget the
//! latest ones; nothing but a limit depends on them.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, params};
use visibility_core::store::StoreError;

use super::{Sqlite, connect, failed};

/// The connection for hits.
#[derive(Debug)]
pub(crate) struct Hits(Mutex<Connection>);

impl Hits {
    /// Opens the connection.
    ///
    /// # Errors
    ///
    /// When the database cannot be opened.
    pub(crate) fn open(sqlite: &Sqlite) -> Result<Self, StoreError> {
        let connection = connect(sqlite.path())?;
        connection
            .pragma_update(None, "synchronous", "NORMAL")
            .map_err(failed(|| "set up the database for hits".to_owned()))?;
        Ok(Self(Mutex::new(connection)))
    }

    /// The hits of a subject in the order in which they were granted.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn for_subject(
        &self,
        subject: &str,
        kind: i64,
    ) -> Result<Vec<DateTime<Utc>>, StoreError> {
        let sql = "SELECT at FROM hit WHERE subject = ?1 AND kind = ?2 ORDER BY rowid";
        let connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || -> rusqlite::Result<Vec<DateTime<Utc>>> {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![subject, kind], |row| {
                let micros: i64 = row.get(0)?;
                DateTime::from_timestamp_micros(micros)
                    .ok_or(rusqlite::Error::IntegralValueOutOfRange(0, micros))
            })?;
            rows.collect()
        };
        read().map_err(failed(|| format!("read the hits of {subject}")))
    }

    /// Keeps a hit.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn add(
        &self,
        sqlite: &Sqlite,
        subject: &str,
        kind: i64,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.write(
            sqlite,
            "INSERT INTO hit (subject, kind, at) VALUES (?1, ?2, ?3)",
            subject,
            (kind, at.timestamp_micros()),
        )
    }

    /// Forgets one hit of a subject that was kept with a time.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn remove(
        &self,
        sqlite: &Sqlite,
        subject: &str,
        kind: i64,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let sql = "
            DELETE FROM hit WHERE rowid = (
                SELECT max(rowid) FROM hit WHERE subject = ?1 AND kind = ?2 AND at = ?3)";
        self.write(sqlite, sql, subject, (kind, at.timestamp_micros()))
    }

    /// Forgets all hits of a subject but the last `keep`.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn prune(
        &self,
        sqlite: &Sqlite,
        subject: &str,
        kind: i64,
        keep: u32,
    ) -> Result<(), StoreError> {
        // The newest hit of a subject always stays, so that a row number is never given again and their
        // order is the order of the hits.
        let sql = "
            DELETE FROM hit WHERE subject = ?1 AND kind = ?2 AND rowid <= (
                SELECT rowid FROM hit WHERE subject = ?1 AND kind = ?2
                ORDER BY rowid DESC LIMIT 1 OFFSET max(?3, 1))";
        self.write(sqlite, sql, subject, (kind, keep.into()))
    }

    fn write(
        &self,
        sqlite: &Sqlite,
        sql: &str,
        subject: &str,
        (kind, value): (i64, i64),
    ) -> Result<(), StoreError> {
        // SQLite has one writer at a time. Waiting for our own here is fair and wakes at once; the
        // database's own wait looks again after ever longer pauses.
        let _turn = sqlite.writer();
        let connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params![subject, kind, value]))
            .map(|_| ())
            .map_err(failed(|| format!("keep a hit of {subject}")))
    }
}
