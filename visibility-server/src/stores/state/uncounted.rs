//! Days of which the counts by kind and by hour lack records, as a program without these tables published them.

use std::fmt;
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::{day, slug};
use crate::stores::database::{Row, SqlError, Statements, Transaction, failed, params};

/// The name of the note that a node of an earlier version may have published since days were last compared.
const OLDER_NODES: &str = "older_nodes";

/// A day whose counts by kind and by hour are not whole.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct UncountedDay {
    pub(crate) tenant: TenantSlug,
    pub(crate) day: NaiveDate,
    pub(crate) state: UncountedState,
}

/// Why counts are not whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UncountedState {
    /// They are not yet counted again.
    Waiting,
    /// They cannot be counted again: some records were forgotten.
    RecordsForgotten,
}

/// Days in a row whose counts by kind and by hour are not whole.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct UncountedDays {
    /// Whose.
    #[schema(value_type = String)]
    pub tenant: TenantSlug,
    /// The first of them.
    #[schema(value_type = String, format = Date)]
    pub from: NaiveDate,
    /// The last one.
    #[schema(value_type = String, format = Date)]
    pub to: NaiveDate,
    /// Why they are not whole.
    pub state: UncountedState,
}

/// The numbers of records of a day, where they are not the same.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct DayTotals {
    /// Whose.
    pub tenant: TenantSlug,
    /// The day.
    pub day: NaiveDate,
    /// Records of the rollups.
    pub rollups: u64,
    /// Records counted by kind of path.
    pub kinds: u64,
    /// Records counted by hour; none if they are not stored any more.
    pub hours: u64,
}

/// Days whose counts are not the same in all tables. Counts by hour are stored for fewer days.
const DIFFERENT_DAYS: &str = "
    FROM (SELECT tenant, day, records AS rollups, 0 AS kinds, 0 AS hours FROM rollup
          UNION ALL SELECT tenant, day, 0, records, 0 FROM kind_day
          UNION ALL SELECT tenant, hour / 24, 0, 0, records FROM hour) AS counted
    GROUP BY tenant, day
    HAVING sum(rollups) <> sum(kinds) OR (sum(hours) > 0 AND sum(hours) <> sum(rollups))";

impl StateStore {
    /// The days that are to be counted again, of all tenants, the newest first.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn waiting_days(&self) -> Result<Vec<UncountedDay>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT tenant, day, forgotten FROM uncounted_day WHERE forgotten = 0
                 ORDER BY day DESC, tenant",
                &[],
                uncounted_day,
            )
        })
        .map_err(failed(|| "list the days that are to be counted again".to_owned()))
    }

    /// Those days of a tenant whose counts by kind and by hour are not whole.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn uncounted_days(
        &self,
        tenant: &TenantSlug,
        days: &RangeInclusive<NaiveDate>,
    ) -> Result<Vec<UncountedDays>, StoreError> {
        let (first, last) = (days.start().to_epoch_days(), days.end().to_epoch_days());
        self.read(|statements| {
            statements.query_all(
                "SELECT tenant, day, forgotten FROM uncounted_day
                 WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3",
                params![tenant.as_str(), first, last],
                uncounted_day,
            )
        })
        .map(in_a_row)
        .map_err(failed(|| format!("list the days of {tenant} that are not whole")))
    }

    /// Marks days whose counts are not the same in all tables as days to be counted again, if a node of an earlier version
    /// may have published since the last time. Says how many there are.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn mark_uncounted_days(&self) -> Result<u64, StoreError> {
        let describe = || "mark the days that are not counted".to_owned();
        if !self.read(may_lack_records).map_err(failed(describe))? {
            return Ok(0);
        }
        self.write_as(Transaction::of_all_tenants(), |statements| {
            let marked = statements.execute(
                &format!(
                    "INSERT INTO uncounted_day (tenant, day)
                     SELECT tenant, day {DIFFERENT_DAYS}
                     ON CONFLICT (tenant, day) DO NOTHING"
                ),
                &[],
            )?;
            if !statements.exists(OLDER_NODE, &[])? {
                statements
                    .execute("DELETE FROM store_state WHERE name = ?1", params![OLDER_NODES])?;
            }
            Ok(marked)
        })
        .map_err(failed(describe))
    }

    /// Notes that all records of a day that there are were read, and that they are fewer than were counted.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub(crate) fn note_forgotten_day(
        &self,
        tenant: &TenantSlug,
        day: NaiveDate,
    ) -> Result<(), StoreError> {
        self.write(|statements| {
            statements.execute(
                "UPDATE uncounted_day SET forgotten = 1 WHERE tenant = ?1 AND day = ?2",
                params![tenant.as_str(), day.to_epoch_days()],
            )
        })
        .map(|_rows| ())
        .map_err(failed(|| format!("note that records of {day} were forgotten")))
    }
}

/// A node of an earlier version, which may be serving.
const OLDER_NODE: &str = "SELECT 1 FROM node WHERE schema_version IS NULL";

/// Whether a node of an earlier version may have published since days were last compared.
fn may_lack_records(statements: &dyn Statements) -> Result<bool, SqlError> {
    let note = "SELECT 1 FROM store_state WHERE name = ?1";
    Ok(statements.exists(note, params![OLDER_NODES])? || statements.exists(OLDER_NODE, &[])?)
}

/// Notes that there is a node of an earlier version, if there is one.
pub(super) fn note_older_nodes(statements: &dyn Statements) -> Result<(), SqlError> {
    if statements.exists(OLDER_NODE, &[])? {
        statements.execute(
            "INSERT INTO store_state (name, value) VALUES (?1, 'true')
             ON CONFLICT (name) DO NOTHING",
            params![OLDER_NODES],
        )?;
    }
    Ok(())
}

/// What the counts of days say of each other.
pub(super) fn compare_days(
    statements: &dyn Statements,
) -> Result<(Vec<DayTotals>, Vec<UncountedDays>), SqlError> {
    let mut different: Vec<DayTotals> = statements.query_all(
        &format!(
            "SELECT tenant, day, CAST(sum(rollups) AS BIGINT), CAST(sum(kinds) AS BIGINT),
                 CAST(sum(hours) AS BIGINT) {DIFFERENT_DAYS} ORDER BY tenant, day"
        ),
        &[],
        |row| {
            Ok(DayTotals {
                tenant: slug(row, 0)?,
                day: day(row, 1)?,
                rollups: row.get(2)?,
                kinds: row.get(3)?,
                hours: row.get(4)?,
            })
        },
    )?;
    let mut uncounted: Vec<UncountedDay> = statements.query_all(
        "SELECT tenant, day, forgotten FROM uncounted_day ORDER BY tenant, day DESC",
        &[],
        uncounted_day,
    )?;
    different.retain(|found| !uncounted.iter().any(|other| found.is_of(&other.tenant, other.day)));
    if may_lack_records(statements)? {
        uncounted.extend(different.drain(..).map(|DayTotals { tenant, day, .. }| UncountedDay {
            tenant,
            day,
            state: UncountedState::Waiting,
        }));
    }
    Ok((different, in_a_row(uncounted)))
}

impl fmt::Display for UncountedDays {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, state, .. } = self;
        let state = match state {
            UncountedState::Waiting => "not yet counted again",
            UncountedState::RecordsForgotten => "cannot be counted again (records forgotten)",
        };
        write!(formatter, "{from} to {to}: {state}")
    }
}

impl DayTotals {
    fn is_of(&self, tenant: &TenantSlug, day: NaiveDate) -> bool {
        self.tenant == *tenant && self.day == day
    }
}

fn uncounted_day(row: Row<'_>) -> Result<UncountedDay, SqlError> {
    let is_forgotten = row.get::<i64>(2)? != 0;
    let state =
        if is_forgotten { UncountedState::RecordsForgotten } else { UncountedState::Waiting };
    Ok(UncountedDay { tenant: slug(row, 0)?, day: day(row, 1)?, state })
}

/// Puts days together that follow each other.
fn in_a_row(mut days: Vec<UncountedDay>) -> Vec<UncountedDays> {
    days.sort_by(|one, other| (&one.tenant, one.day).cmp(&(&other.tenant, other.day)));
    let mut rows: Vec<UncountedDays> = Vec::new();
    for UncountedDay { tenant, day, state } in days {
        match rows.last_mut() {
            Some(row)
                if row.tenant == tenant && row.state == state && row.to.succ_opt() == Some(day) =>
            {
                row.to = day;
            }
            _ => rows.push(UncountedDays { tenant, from: day, to: day, state }),
        }
    }
    rows
}
