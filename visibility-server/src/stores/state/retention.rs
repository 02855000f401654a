//! Deletes old data and adds its counts to the totals, so that all sums stay equal.

use chrono::{DateTime, Days, Months, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use visibility_core::limits;
use visibility_core::store::StoreError;
use visibility_core::store::commit::most_in_a_round;

use super::StateStore;
use super::manifest::{IS_SOUND, MICROS_OF_A_DAY, start_micros};
use super::outbox::{ADDITIONS, FileChange, OF_EACH_CONSUMER};
use crate::settings::Retention;
use crate::stores::database::{SqlError, Statements, Transaction, failed, params};

/// How much was forgotten.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct RetentionReport {
    /// Batches that are too old to be replayed.
    pub batches: u64,
    /// Files whose records are all too old.
    pub files: u64,
    /// Rows of the rollups.
    pub rollups: u64,
}

/// The name of the confirmed retention in the database.
const STATE: &str = "retention";

/// What was confirmed to be kept, and what waits for a confirmation.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Confirmed {
    confirmed: Retention,
    waiting: Option<Retention>,
}

impl StateStore {
    /// The retention to apply: that of the settings, but nothing is kept for less time than was confirmed. The first
    /// settings need no confirmation. What waits for one is the second value.
    ///
    /// # Errors
    ///
    /// When the database cannot be read or written.
    pub(crate) fn confirmed_retention(
        &self,
        wanted: &Retention,
    ) -> Result<(Retention, Option<Retention>), StoreError> {
        let before: Option<Confirmed> = self.value(STATE)?;
        let confirmed = before.as_ref().map_or(wanted, |before| &before.confirmed);
        let longest = Retention {
            raw_days: wanted.raw_days.max(confirmed.raw_days),
            rollup_months: wanted.rollup_months.max(confirmed.rollup_months),
        };
        let waiting = (longest != *wanted).then(|| wanted.clone());
        let now = Confirmed { confirmed: longest, waiting };
        if before.as_ref() != Some(&now) {
            self.set_value(STATE, &now)?;
        }
        Ok((now.confirmed, now.waiting))
    }

    /// The retention that waits for a confirmation.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn waiting_retention(&self) -> Result<Option<Retention>, StoreError> {
        Ok(self.value::<Confirmed>(STATE)?.and_then(|state| state.waiting))
    }

    /// Confirms the retention that waits.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub(crate) fn confirm_retention(&self) -> Result<(), StoreError> {
        match self.waiting_retention()? {
            Some(confirmed) => self.set_value(STATE, &Confirmed { confirmed, waiting: None }),
            None => Ok(()),
        }
    }

    /// Forgets what is older than the settings and the contract say, in one durable step, the oldest first and as
    /// much as one round may ([`most_in_a_round`]). Objects are not touched: those of files are retired, those of
    /// answers have no name any more.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn apply_retention(
        &self,
        retention: &Retention,
        now: DateTime<Utc>,
    ) -> Result<RetentionReport, StoreError> {
        let today = now.date_naive();
        let until = now - TimeDelta::days(limits::LEDGER_DAYS);
        let first_file_kept = today.checked_sub_days(Days::new(retention.raw_days.into()));
        let first_rollup_kept = today.checked_sub_months(Months::new(retention.rollup_months));
        let first_hour_kept = today.checked_sub_days(Days::new(limits::HOUR_DAYS.into()));
        self.write_as(Transaction::of_all_tenants(), |statements| {
            Ok(RetentionReport {
                batches: forget_batches(statements, until)?,
                files: first_file_kept
                    .map_or(Ok(0), |first_kept| forget_files(statements, first_kept, now))?,
                rollups: forget_sums(
                    statements,
                    first_rollup_kept.unwrap_or(NaiveDate::MIN),
                    first_hour_kept.unwrap_or(NaiveDate::MIN),
                )?,
            })
        })
        .map_err(failed(|| "forget what is too old".to_owned()))
    }
}

fn forget_batches(statements: &dyn Statements, until: DateTime<Utc>) -> Result<u64, SqlError> {
    const OLDEST: &str = "(tenant, batch_id) IN (
         SELECT tenant, batch_id FROM batch WHERE received_at < ?1
         ORDER BY received_at, tenant, batch_id LIMIT ?2)";
    let most = most_in_a_round(count(statements, "SELECT count(*) FROM batch")?);
    let until = until.timestamp_micros();
    statements.execute(
        &format!(
            "INSERT INTO forgotten (tenant, ledger)
             SELECT tenant, sum(accepted) FROM batch WHERE {OLDEST} GROUP BY tenant
             ON CONFLICT (tenant) DO UPDATE SET ledger = forgotten.ledger + excluded.ledger"
        ),
        params![until, most],
    )?;
    statements.execute(&format!("DELETE FROM batch WHERE {OLDEST}"), params![until, most])
}

/// Retires files without a record of a day that is kept. One that spans days stays for its last, and one with records of
/// a batch that arrived on a day that is kept stays, whatever their timestamps are.
fn forget_files(
    statements: &dyn Statements,
    first_kept: NaiveDate,
    now: DateTime<Utc>,
) -> Result<u64, SqlError> {
    const OLDEST: &str = "id IN (
         SELECT id FROM data_file WHERE retired_at IS NULL AND max_time < ?1
             AND coalesce(newest_batch, created_at) < ?1
         ORDER BY max_time, id LIMIT ?2)";
    let files = count(statements, "SELECT count(*) FROM data_file WHERE retired_at IS NULL")?;
    // A file has two objects.
    let most = most_in_a_round(2 * files) / 2;
    let until = start_micros(first_kept);
    statements.execute(
        &format!(
            "INSERT INTO forgotten (tenant, files)
             SELECT tenant, sum(rows) FROM data_file WHERE {OLDEST} GROUP BY tenant
             ON CONFLICT (tenant) DO UPDATE SET files = forgotten.files + excluded.files"
        ),
        params![until, most],
    )?;
    statements.execute(
        &format!(
            "INSERT INTO file_event (consumer, tenant, kind, file_id)
             SELECT consumer.name, data_file.tenant, CAST(?3 AS BIGINT), {OF_EACH_CONSUMER}
             WHERE data_file.{OLDEST} AND (consumer.name <> 'delta' OR {IS_SOUND})
             ORDER BY data_file.id"
        ),
        params![until, most, FileChange::Forgotten.number()],
    )?;
    // A damaged file is not in the Delta log, and is not to be added to anything any more.
    statements.execute(
        &format!(
            "DELETE FROM file_event WHERE kind IN {ADDITIONS} AND file_id IN (
                 SELECT id FROM data_file WHERE {OLDEST} AND NOT {IS_SOUND})"
        ),
        params![until, most],
    )?;
    statements.execute(
        &format!("UPDATE data_file SET retired_at = ?3 WHERE {OLDEST}"),
        params![until, most, now.timestamp_micros()],
    )
}

fn count(statements: &dyn Statements, sql: &str) -> Result<usize, SqlError> {
    statements.query_one(sql, &[], |row| row.get(0))
}

/// How the days of a tenant are read from a table of counts.
struct DayTable {
    /// The first of them.
    first: &'static str,
    /// All, in their order.
    all: &'static str,
}

const ROLLUPS: DayTable = DayTable {
    first: "SELECT min(day) FROM rollup WHERE tenant = ?1",
    all: "SELECT DISTINCT day FROM rollup WHERE tenant = ?1 ORDER BY day",
};
const HOURS: DayTable = DayTable {
    first: "SELECT min(hour) / 24 FROM hour WHERE tenant = ?1",
    all: "SELECT DISTINCT hour / 24 AS day FROM hour WHERE tenant = ?1 ORDER BY day",
};
const REJECTIONS: DayTable = DayTable {
    first: "SELECT min(day) FROM rejection WHERE tenant = ?1",
    all: "SELECT DISTINCT day FROM rejection WHERE tenant = ?1 ORDER BY day",
};

/// Forgets the counts of old days and says how many rollups those were. Tenant by tenant, as the days of all of them
/// together have no index.
fn forget_sums(
    statements: &dyn Statements,
    first_kept: NaiveDate,
    first_hour_kept: NaiveDate,
) -> Result<u64, SqlError> {
    let mut rollups = 0;
    let mut last = String::new();
    while let Some(tenant) = next_tenant(statements, &last)? {
        if let Some(day) = first_day_kept(statements, &tenant, &ROLLUPS, first_kept)? {
            rollups += forget_days(statements, &tenant, day)?;
        }
        if let Some(day) = first_day_kept(statements, &tenant, &HOURS, first_hour_kept)? {
            statements.execute(
                "DELETE FROM hour WHERE tenant = ?1 AND hour < ?2 * 24",
                params![tenant, day],
            )?;
        }
        if let Some(day) = first_day_kept(statements, &tenant, &REJECTIONS, first_kept)? {
            statements.execute(
                "DELETE FROM rejection WHERE tenant = ?1 AND day < ?2",
                params![tenant, day],
            )?;
        }
        last = tenant;
    }
    Ok(rollups)
}

/// Forgets the days of a tenant before another one, in all tables that are kept for the same time: so their sums stay
/// equal. Says how many rollups those were.
fn forget_days(statements: &dyn Statements, tenant: &str, day: i64) -> Result<u64, SqlError> {
    let records: u64 = statements.query_one(
        "SELECT CAST(coalesce(sum(records), 0) AS BIGINT) FROM rollup
         WHERE tenant = ?1 AND day < ?2",
        params![tenant, day],
        |row| row.get(0),
    )?;
    let rows = statements
        .execute("DELETE FROM rollup WHERE tenant = ?1 AND day < ?2", params![tenant, day])?;
    statements
        .execute("DELETE FROM kind_day WHERE tenant = ?1 AND day < ?2", params![tenant, day])?;
    statements.execute(
        "DELETE FROM uncounted_day WHERE tenant = ?1 AND day < ?2",
        params![tenant, day],
    )?;
    statements.execute(
        "DELETE FROM agent_seen WHERE tenant = ?1 AND last_at < ?2",
        params![tenant, day.saturating_mul(MICROS_OF_A_DAY)],
    )?;
    if rows > 0 {
        statements.execute(
            "INSERT INTO forgotten (tenant, rollup) VALUES (?1, ?2)
             ON CONFLICT (tenant) DO UPDATE SET rollup = forgotten.rollup + excluded.rollup",
            params![tenant, records],
        )?;
        statements.execute(
            "DELETE FROM rollup_host WHERE tenant = ?1
             AND host NOT IN (SELECT host FROM rollup WHERE tenant = ?1)",
            params![tenant],
        )?;
    }
    Ok(rows)
}

/// The first tenant with counts after another one.
fn next_tenant(statements: &dyn Statements, last: &str) -> Result<Option<String>, SqlError> {
    statements.query_one(
        "SELECT min(tenant) FROM (
             SELECT min(tenant) AS tenant FROM rollup WHERE tenant > ?1
             UNION ALL SELECT min(tenant) FROM hour WHERE tenant > ?1
             UNION ALL SELECT min(tenant) FROM rejection WHERE tenant > ?1) AS of_tables",
        params![last],
        |row| row.get(0),
    )
}

/// The first day of a tenant in a table that stays in this round, unless all of them do.
fn first_day_kept(
    statements: &dyn Statements,
    tenant: &str,
    table: &DayTable,
    first_kept: NaiveDate,
) -> Result<Option<i64>, SqlError> {
    let first_kept = i64::from(first_kept.to_epoch_days());
    let first: Option<i64> =
        statements.query_one(table.first, params![tenant], |row| row.get(0))?;
    if first.is_none_or(|first| first >= first_kept) {
        return Ok(None);
    }
    let days: Vec<i64> = statements.query_all(table.all, params![tenant], |row| row.get(0))?;
    let most = most_in_a_round(days.len());
    // The oldest day that this round may not take, if there is one.
    let first_left = days.into_iter().take_while(|day| *day < first_kept).nth(most);
    Ok(Some(first_left.unwrap_or(first_kept)))
}
