//! Deletes old data and adds its counts to the totals, so that all sums stay equal.

use chrono::{DateTime, Days, Months, NaiveDate, TimeDelta, Utc};
use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;
use visibility_core::limits;
use visibility_core::store::StoreError;

use super::manifest::start_micros;
use super::{Sqlite, begin, failed};
use crate::settings::Retention;

/// How much was forgotten.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct RetentionReport {
    /// Batches that are too old to be replayed.
    pub batches: usize,
    /// Files whose records are all too old.
    pub files: usize,
    /// Rows of the rollups.
    pub rollups: usize,
}

impl Sqlite {
    /// Forgets what is older than the settings and the contract say, in one durable step. Objects
    /// are not touched: those of files are retired, those of answers have no name any more.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn apply_retention(
        &self,
        retention: &Retention,
        now: DateTime<Utc>,
    ) -> Result<RetentionReport, StoreError> {
        let describe = || "forget what is too old".to_owned();
        let mut writer = self.writer();
        let transaction = begin(&mut writer)?;
        let today = now.date_naive();
        let batches = forget_batches(&transaction, now - TimeDelta::days(limits::LEDGER_DAYS))
            .map_err(failed(describe))?;
        let first_kept = today.checked_sub_days(Days::new(retention.raw_days.into()));
        let files = first_kept
            .map_or(Ok(0), |first_kept| forget_files(&transaction, first_kept, now))
            .map_err(failed(describe))?;
        let first_kept = today.checked_sub_months(Months::new(retention.rollup_months));
        let rollups = first_kept
            .map_or(Ok(0), |first_kept| forget_rollups(&transaction, first_kept))
            .map_err(failed(describe))?;
        let forgotten = RetentionReport { batches, files, rollups };
        if forgotten != RetentionReport::default() {
            self.commit(transaction, describe)?;
        }
        Ok(forgotten)
    }
}

fn forget_batches(
    transaction: &Transaction<'_>,
    until: DateTime<Utc>,
) -> Result<usize, rusqlite::Error> {
    let until = until.timestamp_micros();
    transaction.execute(
        "INSERT INTO forgotten (tenant, ledger)
         SELECT tenant, sum(accepted) FROM batch WHERE received_at < ?1 GROUP BY tenant
         ON CONFLICT (tenant) DO UPDATE SET ledger = ledger + excluded.ledger",
        params![until],
    )?;
    transaction.execute("DELETE FROM batch WHERE received_at < ?1", params![until])
}

/// Retires files without a record of a day that is kept. One that spans days stays for its last.
fn forget_files(
    transaction: &Transaction<'_>,
    first_kept: NaiveDate,
    now: DateTime<Utc>,
) -> Result<usize, rusqlite::Error> {
    let until = start_micros(first_kept);
    transaction.execute(
        "INSERT INTO forgotten (tenant, files)
         SELECT tenant, sum(rows) FROM data_file
         WHERE retired_at IS NULL AND max_time < ?1 GROUP BY tenant
         ON CONFLICT (tenant) DO UPDATE SET files = files + excluded.files",
        params![until],
    )?;
    transaction.execute(
        "UPDATE data_file SET retired_at = ?2 WHERE retired_at IS NULL AND max_time < ?1",
        params![until, now.timestamp_micros()],
    )
}

/// Tenant by tenant, as the days of all of them together have no index.
fn forget_rollups(
    transaction: &Transaction<'_>,
    first_kept: NaiveDate,
) -> Result<usize, rusqlite::Error> {
    let day = first_kept.to_epoch_days();
    let mut next =
        transaction.prepare_cached("SELECT min(tenant) FROM rollup WHERE tenant > ?1")?;
    let mut total = 0;
    let mut last = String::new();
    while let Some(tenant) =
        next.query_row(params![last], |row| row.get::<_, Option<String>>(0)).optional()?.flatten()
    {
        let records: u64 = transaction
            .prepare_cached(
                "SELECT coalesce(sum(records), 0) FROM rollup WHERE tenant = ?1 AND day < ?2",
            )?
            .query_row(params![tenant, day], |row| row.get(0))?;
        let rows = transaction
            .prepare_cached("DELETE FROM rollup WHERE tenant = ?1 AND day < ?2")?
            .execute(params![tenant, day])?;
        if rows > 0 {
            transaction.execute(
                "INSERT INTO forgotten (tenant, rollup) VALUES (?1, ?2)
                 ON CONFLICT (tenant) DO UPDATE SET rollup = rollup + excluded.rollup",
                params![tenant, records],
            )?;
            transaction.execute(
                "DELETE FROM rollup_host WHERE tenant = ?1
                 AND host NOT IN (SELECT host FROM rollup WHERE tenant = ?1)",
                params![tenant],
            )?;
        }
        total += rows;
        last = tenant;
    }
    Ok(total)
}
