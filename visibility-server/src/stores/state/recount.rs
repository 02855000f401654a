//! Replaces the counts of a day by kind and by hour with those of its live files.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;
use visibility_core::store::sums::{OTHER_HOST, Sums};

use super::manifest::{IS_SOUND, MICROS_OF_A_DAY, start_micros};
use super::{StateStore, sums};
use crate::stores::database::{SqlError, Statements, Transaction, failed, params};

/// What the files of a day have come to.
pub(crate) struct CountedDay {
    /// The ids of the files that were read.
    pub(crate) files: BTreeSet<i64>,
    /// The hosts that have rows of their own.
    pub(crate) hosts: BTreeSet<String>,
    /// The counts of the day.
    pub(crate) sums: Sums,
}

/// What became of the counts of a day.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Replacement {
    /// They are replaced.
    Done,
    /// Nothing has changed: other files are live now than those that were read.
    Changed,
    /// Nothing has changed: by status, another number of records is counted.
    Different {
        /// That number.
        counted: u64,
    },
}

impl StateStore {
    /// The hosts that have rows of their own on a day.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn hosts_of_day(
        &self,
        tenant: &TenantSlug,
        day: NaiveDate,
    ) -> Result<BTreeSet<String>, StoreError> {
        self.read(|statements| hosts_of_day(statements, tenant, day))
            .map_err(failed(|| format!("read the hosts of {tenant}")))
    }

    /// Replaces the counts of a day by kind and by hour, and adds when agents were seen, unless other files are live now
    /// than those that were read.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn replace_counts(
        &self,
        tenant: &TenantSlug,
        day: NaiveDate,
        counted: &CountedDay,
    ) -> Result<Replacement, StoreError> {
        self.write_as(Transaction::of_tenant(tenant), |statements| {
            replace_counts(statements, tenant, day, counted)
        })
        .map_err(failed(|| format!("replace the counts of {tenant} of {day}")))
    }
}

fn hosts_of_day(
    statements: &dyn Statements,
    tenant: &TenantSlug,
    day: NaiveDate,
) -> Result<BTreeSet<String>, SqlError> {
    statements.query_all(
        "SELECT DISTINCT host FROM rollup WHERE tenant = ?1 AND day = ?2 AND host <> ?3",
        params![tenant.as_str(), day.to_epoch_days(), OTHER_HOST],
        |row| row.get(0),
    )
}

fn replace_counts(
    statements: &dyn Statements,
    tenant: &TenantSlug,
    day: NaiveDate,
    CountedDay { files, hosts, sums }: &CountedDay,
) -> Result<Replacement, SqlError> {
    let start = start_micros(day);
    let live: BTreeSet<i64> = statements.query_all(
        &format!(
            "SELECT id FROM data_file WHERE tenant = ?1 AND retired_at IS NULL
             AND max_time >= ?2 AND min_time < ?3 AND {IS_SOUND}"
        ),
        params![tenant.as_str(), start, start.saturating_add(MICROS_OF_A_DAY)],
        |row| row.get(0),
    )?;
    if live != *files || hosts_of_day(statements, tenant, day)? != *hosts {
        return Ok(Replacement::Changed);
    }
    let tenant = tenant.as_str();
    let number = day.to_epoch_days();
    let counted: u64 = statements.query_one(
        "SELECT CAST(coalesce(sum(records), 0) AS BIGINT) FROM rollup
         WHERE tenant = ?1 AND day = ?2",
        params![tenant, number],
        |row| row.get(0),
    )?;
    if counted != sums.rollups.iter().map(|row| row.records).fold(0, u64::saturating_add) {
        return Ok(Replacement::Different { counted });
    }
    statements
        .execute("DELETE FROM kind_day WHERE tenant = ?1 AND day = ?2", params![tenant, number])?;
    statements.execute(
        "DELETE FROM hour WHERE tenant = ?1 AND hour BETWEEN ?2 * 24 AND ?2 * 24 + 23",
        params![tenant, number],
    )?;
    sums::add_kinds(statements, tenant, &sums.kinds)?;
    sums::add_hours(statements, tenant, &sums.hours)?;
    sums::add_seen(statements, tenant, &sums.seen)?;
    statements.execute(
        "DELETE FROM uncounted_day WHERE tenant = ?1 AND day = ?2",
        params![tenant, number],
    )?;
    Ok(Replacement::Done)
}
