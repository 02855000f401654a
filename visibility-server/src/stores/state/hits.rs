//! Requests that count towards a limit, stored so that a restart does not reset it.
//!
//! They do not wait for the disk: a loss of power may forget the latest ones. Nothing but a limit depends on them.

use chrono::{DateTime, Utc};
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::time;
use crate::stores::database::{Transaction, failed, params};

impl StateStore {
    /// The hits of a subject in the order in which they were granted.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn hits(&self, subject: &str, kind: i64) -> Result<Vec<DateTime<Utc>>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT at FROM hit WHERE subject = ?1 AND kind = ?2 ORDER BY seq",
                params![subject, kind],
                |row| time(row, 0),
            )
        })
        .map_err(failed(|| format!("read the hits of {subject}")))
    }

    /// Keeps a hit.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn add_hit(
        &self,
        subject: &str,
        kind: i64,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO hit (subject, kind, at) VALUES (?1, ?2, ?3)";
        self.write_hit(sql, subject, (kind, at.timestamp_micros()))
    }

    /// Forgets one hit of a subject that was kept with a time.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn remove_hit(
        &self,
        subject: &str,
        kind: i64,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let sql = "
            DELETE FROM hit WHERE seq = (
                SELECT max(seq) FROM hit WHERE subject = ?1 AND kind = ?2 AND at = ?3)";
        self.write_hit(sql, subject, (kind, at.timestamp_micros()))
    }

    /// Forgets all hits of a subject but the last `keep`, and at least the last one.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn prune_hits(&self, subject: &str, kind: i64, keep: u32) -> Result<(), StoreError> {
        // The newest hit of a subject always stays, so that a number is never given again and their order is the
        // order of the hits.
        let sql = "
            DELETE FROM hit WHERE subject = ?1 AND kind = ?2 AND seq <= (
                SELECT seq FROM hit WHERE subject = ?1 AND kind = ?2
                ORDER BY seq DESC LIMIT 1 OFFSET ?3)";
        self.write_hit(sql, subject, (kind, keep.max(1).into()))
    }

    fn write_hit(
        &self,
        sql: &str,
        subject: &str,
        (kind, value): (i64, i64),
    ) -> Result<(), StoreError> {
        self.write_as(Transaction::until_power_loss(), |statements| {
            statements.execute(sql, params![subject, kind, value])
        })
        .map(|_rows| ())
        .map_err(failed(|| format!("keep a hit of {subject}")))
    }
}
