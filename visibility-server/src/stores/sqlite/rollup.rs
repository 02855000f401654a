//! Rollups: records and bytes by day, agent, host and status.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use rusqlite::types::Type;
use rusqlite::{Row, Transaction, params};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::rollup::{MAX_ROLLUP_BYTES, fold_hosts};
use visibility_core::store::{Publication, RollupRow, StoreError};

use super::{Sqlite, failed};

impl Sqlite {
    /// The rollups of a tenant for some days, sorted.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn rollups(
        &self,
        tenant: &TenantSlug,
        days: &RangeInclusive<NaiveDate>,
    ) -> Result<Vec<RollupRow>, StoreError> {
        let reader = self.reader();
        let select = || -> Result<Vec<RollupRow>, rusqlite::Error> {
            reader
                .prepare_cached(
                    "SELECT day, agent, host, status, records, bytes FROM rollup
                     WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3
                     ORDER BY day, agent, host, status",
                )?
                .query_map(
                    params![
                        tenant.as_str(),
                        days.start().to_epoch_days(),
                        days.end().to_epoch_days()
                    ],
                    rollup_row,
                )?
                .collect()
        };
        select().map_err(failed(|| format!("read the rollups of {tenant}")))
    }
}

fn rollup_row(row: &Row<'_>) -> Result<RollupRow, rusqlite::Error> {
    Ok(RollupRow {
        day: day(row, 0)?,
        agent: row.get(1)?,
        host: row.get(2)?,
        status: row.get(3)?,
        records: row.get(4)?,
        bytes: row.get(5)?,
    })
}

/// A column with a day.
pub(super) fn day(row: &Row<'_>, column: usize) -> Result<NaiveDate, rusqlite::Error> {
    let days: i32 = row.get(column)?;
    NaiveDate::from_epoch_days(days).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Integer,
            format!("{days} is not a day").into(),
        )
    })
}

pub(super) fn add(
    transaction: &Transaction<'_>,
    publication: &Publication,
) -> Result<(), rusqlite::Error> {
    let tenant = publication.key.tenant.as_str();
    let known = known_hosts(transaction, &publication.key.tenant)?;
    let folded = fold_hosts(&publication.rollups, &known);
    let mut insert =
        transaction.prepare_cached("INSERT INTO rollup_host (tenant, host) VALUES (?1, ?2)")?;
    for host in &folded.new_hosts {
        insert.execute(params![tenant, host])?;
    }
    let mut upsert = transaction.prepare_cached(
        "INSERT INTO rollup (tenant, day, agent, host, status, records, bytes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (tenant, day, agent, host, status) DO UPDATE SET
             records = records + excluded.records,
             bytes = bytes + min(excluded.bytes, 9223372036854775807 - bytes)",
    )?;
    for row in folded.rows.iter() {
        let bytes = row.bytes.min(MAX_ROLLUP_BYTES);
        let day = row.day.to_epoch_days();
        upsert.execute(params![
            tenant,
            day,
            row.agent,
            row.host,
            row.status,
            row.records,
            bytes
        ])?;
    }
    Ok(())
}

fn known_hosts(
    transaction: &Transaction<'_>,
    tenant: &TenantSlug,
) -> Result<BTreeSet<String>, rusqlite::Error> {
    let mut select =
        transaction.prepare_cached("SELECT host FROM rollup_host WHERE tenant = ?1")?;
    select.query_map(params![tenant.as_str()], |row| row.get(0))?.collect()
}
