//! Rollups: records and bytes by day, agent, host and status.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::rollup::{MAX_ROLLUP_BYTES, fold_hosts};
use visibility_core::store::{Publication, RollupRow, StoreError};

use super::StateStore;
use super::column::day;
use crate::stores::database::{Row, SqlError, Statements, Value, failed, params};

impl StateStore {
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
        let (start, end) = (days.start().to_epoch_days(), days.end().to_epoch_days());
        self.read(|statements| {
            statements.query_all(
                "SELECT day, agent, host, status, records, bytes FROM rollup
                 WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3
                 ORDER BY day, agent, host, status",
                params![tenant.as_str(), start, end],
                rollup_row,
            )
        })
        .map_err(failed(|| format!("read the rollups of {tenant}")))
    }
}

fn rollup_row(row: Row<'_>) -> Result<RollupRow, SqlError> {
    Ok(RollupRow {
        day: day(row, 0)?,
        agent: row.get(1)?,
        host: row.get(2)?,
        status: row.get(3)?,
        records: row.get(4)?,
        bytes: row.get(5)?,
    })
}

pub(super) fn add(statements: &dyn Statements, publication: &Publication) -> Result<(), SqlError> {
    let tenant = publication.key.tenant.as_str();
    let known = known_hosts(statements, &publication.key.tenant)?;
    let folded = fold_hosts(&publication.rollups, &known);
    let new_hosts: Vec<_> =
        folded.new_hosts.iter().map(|host| vec![Value::Text(tenant), Value::Text(host)]).collect();
    statements
        .execute_each("INSERT INTO rollup_host (tenant, host) VALUES (?1, ?2)", &new_hosts)?;
    let rows: Vec<_> = folded
        .rows
        .iter()
        .map(|row| {
            vec![
                Value::Text(tenant),
                Value::int(row.day.to_epoch_days()),
                Value::Text(&row.agent),
                Value::Text(&row.host),
                Value::int(row.status),
                Value::int(row.records),
                Value::int(row.bytes.min(MAX_ROLLUP_BYTES)),
            ]
        })
        .collect();
    statements.execute_each(
        "INSERT INTO rollup (tenant, day, agent, host, status, records, bytes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (tenant, day, agent, host, status) DO UPDATE SET
             records = rollup.records + excluded.records,
             bytes = CASE WHEN excluded.bytes > 9223372036854775807 - rollup.bytes
                          THEN 9223372036854775807 ELSE rollup.bytes + excluded.bytes END",
        &rows,
    )?;
    Ok(())
}

fn known_hosts(
    statements: &dyn Statements,
    tenant: &TenantSlug,
) -> Result<BTreeSet<String>, SqlError> {
    statements.query_all(
        "SELECT host FROM rollup_host WHERE tenant = ?1",
        params![tenant.as_str()],
        |row| row.get(0),
    )
}
