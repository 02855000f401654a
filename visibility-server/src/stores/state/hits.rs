//! Requests that count towards a limit, stored so that a restart does not reset it.
//!
//! They do not wait for the disk: a loss of power may forget the latest ones. Nothing but a limit depends on them.

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::{optional_time, time};
use crate::stores::database::{self, Transaction, failed, params};

/// A limit of a subject.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubjectLimit<'a> {
    pub(crate) subject: &'a str,
    /// The number of its scope.
    pub(crate) kind: i64,
    /// Admissions in any span.
    pub(crate) most: u32,
    pub(crate) span: TimeDelta,
}

/// What is used of a limit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct LimitUse {
    /// When one more was admitted; none if it was not.
    pub(crate) admitted_at: Option<DateTime<Utc>>,
    /// Admissions in the span that ends now.
    pub(crate) used: u32,
    /// When the oldest of them counts no longer.
    pub(crate) frees_in: TimeDelta,
}

impl StateStore {
    /// Whether other nodes may count for the same limits, in this database.
    pub(crate) fn shares_limits(&self) -> bool {
        self.database.is_shared()
    }

    /// What is used of a limit that all nodes share, with one more admission if `counts` and it is not reached. They
    /// count one after another, by the clock of the database, so that the limit is exact over all of them.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn count_hit(
        &self,
        limit: &SubjectLimit<'_>,
        counts: bool,
    ) -> Result<LimitUse, StoreError> {
        let &SubjectLimit { subject, kind, most, span } = limit;
        let span = span.num_microseconds().unwrap_or(i64::MAX / 2);
        let lock = database::lock_key(&format!("limit {kind} of {subject}"));
        // If the connection is lost it may count twice: rather too many than too few.
        self.read(|statements| {
            statements.query_one(
                "SELECT admitted_at, used, frees_in
                 FROM count_hit(?1, ?2, ?3, ?4, CAST(?5 AS BIGINT) = 1, ?6)",
                params![subject, kind, most, span, i32::from(counts), lock],
                |row| {
                    Ok(LimitUse {
                        admitted_at: optional_time(row, 0)?,
                        used: row.get(1)?,
                        frees_in: TimeDelta::microseconds(row.get(2)?),
                    })
                },
            )
        })
        .map_err(failed(|| format!("count a hit of {subject}")))
    }

    /// Forgets all hits of a subject.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn remove_hits(&self, subject: &str, kind: i64) -> Result<(), StoreError> {
        let sql = "DELETE FROM hit WHERE subject = ?1 AND kind = ?2";
        self.write_as(Transaction::until_power_loss(), |statements| {
            statements.execute(sql, params![subject, kind])
        })
        .map(|_rows| ())
        .map_err(failed(|| format!("forget the hits of {subject}")))
    }

    /// Forgets the hits of all subjects that are older than the longest span of any limit.
    ///
    /// # Errors
    ///
    /// When the database fails; some may be forgotten then.
    pub(crate) fn remove_old_hits(&self, until: DateTime<Utc>) -> Result<u64, StoreError> {
        let old = "DELETE FROM hit WHERE seq IN
            (SELECT seq FROM hit WHERE at < ?1 ORDER BY seq LIMIT ?2)";
        self.remove_in_parts(old, until)
    }

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
