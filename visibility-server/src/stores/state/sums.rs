//! Everything of a batch that is added up, table by table.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::sums::{
    HourRow, KindDayRow, MAX_ROLLUP_BYTES, RejectionRow, RollupRow, SeenRow, Sums,
};
use visibility_core::store::{Publication, StoreError};
use visibility_core::traffic::PathKind;

use super::StateStore;
use super::column::day;
use crate::stores::database::{Row, SqlError, Statements, Value, failed, params};

/// Rows whose values are in memory at once.
const ROWS_AT_ONCE: usize = 1000;

/// Kinds of paths; the place of each is its number in the database, and stays as it is.
const KINDS: [PathKind; 8] = [
    PathKind::Page,
    PathKind::Robots,
    PathKind::Sitemap,
    PathKind::Llms,
    PathKind::Markdown,
    PathKind::Feed,
    PathKind::Api,
    PathKind::Asset,
];

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
        self.read(|statements| read_rollups(statements, tenant, days))
            .map_err(failed(|| format!("read the rollups of {tenant}")))
    }

    /// All that is added up of a tenant, at one moment.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn sums(&self, tenant: &TenantSlug) -> Result<Sums, StoreError> {
        self.snapshot(|statements| {
            let slug = &[Value::Text(tenant.as_str())];
            Ok(Sums {
                rollups: read_rollups(statements, tenant, &(NaiveDate::MIN..=NaiveDate::MAX))?,
                kinds: statements.query_all(
                    "SELECT day, agent, host, kind, status_group, records, bytes FROM kind_day
                     WHERE tenant = ?1 ORDER BY day, agent, host, kind, status_group",
                    slug,
                    kind_row,
                )?,
                hours: statements.query_all(
                    "SELECT hour, agent, host, records, refused, missing, failed FROM hour
                     WHERE tenant = ?1 ORDER BY hour, agent, host",
                    slug,
                    hour_row,
                )?,
                seen: statements.query_all(
                    "SELECT agent, host, first_at, last_at FROM agent_seen
                     WHERE tenant = ?1 ORDER BY agent, host",
                    slug,
                    seen_row,
                )?,
                rejections: statements.query_all(
                    "SELECT day, reason, records FROM rejection
                     WHERE tenant = ?1 ORDER BY day, reason",
                    slug,
                    rejection_row,
                )?,
            })
        })
        .map_err(failed(|| format!("read the sums of {tenant}")))
    }
}

fn read_rollups(
    statements: &dyn Statements,
    tenant: &TenantSlug,
    days: &RangeInclusive<NaiveDate>,
) -> Result<Vec<RollupRow>, SqlError> {
    let (start, end) = (days.start().to_epoch_days(), days.end().to_epoch_days());
    statements.query_all(
        "SELECT day, agent, host, status, records, bytes FROM rollup
         WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3
         ORDER BY day, agent, host, status",
        params![tenant.as_str(), start, end],
        rollup_row,
    )
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

fn kind_row(row: Row<'_>) -> Result<KindDayRow, SqlError> {
    Ok(KindDayRow {
        day: day(row, 0)?,
        agent: row.get(1)?,
        host: row.get(2)?,
        kind: kind(row, 3)?,
        status_group: row.get(4)?,
        records: row.get(5)?,
        bytes: row.get(6)?,
    })
}

fn hour_row(row: Row<'_>) -> Result<HourRow, SqlError> {
    Ok(HourRow {
        hour: row.get(0)?,
        agent: row.get(1)?,
        host: row.get(2)?,
        records: row.get(3)?,
        refused: row.get(4)?,
        missing: row.get(5)?,
        failed: row.get(6)?,
    })
}

fn seen_row(row: Row<'_>) -> Result<SeenRow, SqlError> {
    Ok(SeenRow {
        agent: row.get(0)?,
        host: row.get(1)?,
        first_micros: row.get(2)?,
        last_micros: row.get(3)?,
    })
}

fn rejection_row(row: Row<'_>) -> Result<RejectionRow, SqlError> {
    Ok(RejectionRow { day: day(row, 0)?, reason: row.get(1)?, records: row.get(2)? })
}

/// A kind of path, from its number.
pub(super) fn kind(row: Row<'_>, column: usize) -> Result<PathKind, SqlError> {
    let number: usize = row.get(column)?;
    let kind = KINDS.get(number).copied();
    kind.ok_or_else(|| SqlError::unchanged(format!("{number} is not a kind of path")))
}

/// The number of a kind in the database.
pub(super) fn kind_number(kind: PathKind) -> i64 {
    let place = KINDS.iter().position(|other| *other == kind).unwrap_or_default();
    i64::try_from(place).unwrap_or_default()
}

/// Adds the sums of a batch to those of its tenant. The rows of each statement are sorted by their key, so that two
/// transactions never wait for each other in a circle.
pub(super) fn add(statements: &dyn Statements, publication: &Publication) -> Result<(), SqlError> {
    let tenant = publication.key.tenant.as_str();
    let known = known_hosts(statements, &publication.key.tenant)?;
    let folded = publication.sums.fold_hosts(&known);
    let new_hosts: Vec<_> =
        folded.new_hosts.iter().map(|host| vec![Value::Text(tenant), Value::Text(host)]).collect();
    statements
        .execute_each("INSERT INTO rollup_host (tenant, host) VALUES (?1, ?2)", &new_hosts)?;
    add_rollups(statements, tenant, &folded.sums.rollups)?;
    add_kinds(statements, tenant, &folded.sums.kinds)?;
    add_hours(statements, tenant, &folded.sums.hours)?;
    add_seen(statements, tenant, &folded.sums.seen)?;
    add_rejections(statements, tenant, &folded.sums.rejections)
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

/// Adds rows, some at a time: their values, and what waits for the answers of PostgreSQL, are more than the rows.
fn add_each<'r, R>(
    statements: &dyn Statements,
    rows: &'r [R],
    sql: &str,
    values: impl Fn(&'r R) -> Vec<Value<'r>>,
) -> Result<(), SqlError> {
    for rows in rows.chunks(ROWS_AT_ONCE) {
        let rows: Vec<_> = rows.iter().map(&values).collect();
        statements.execute_each(sql, &rows)?;
    }
    Ok(())
}

fn add_rollups<'r>(
    statements: &dyn Statements,
    tenant: &'r str,
    rows: &'r [RollupRow],
) -> Result<(), SqlError> {
    add_each(
        statements,
        rows,
        "INSERT INTO rollup (tenant, day, agent, host, status, records, bytes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (tenant, day, agent, host, status) DO UPDATE SET
             records = rollup.records + excluded.records,
             bytes = CASE WHEN excluded.bytes > 9223372036854775807 - rollup.bytes
                          THEN 9223372036854775807 ELSE rollup.bytes + excluded.bytes END",
        |row| {
            vec![
                Value::Text(tenant),
                Value::int(row.day.to_epoch_days()),
                Value::Text(&row.agent),
                Value::Text(&row.host),
                Value::int(row.status),
                Value::int(row.records),
                Value::int(row.bytes.min(MAX_ROLLUP_BYTES)),
            ]
        },
    )
}

pub(super) fn add_kinds<'r>(
    statements: &dyn Statements,
    tenant: &'r str,
    rows: &'r [KindDayRow],
) -> Result<(), SqlError> {
    add_each(
        statements,
        rows,
        "INSERT INTO kind_day (tenant, day, agent, host, kind, status_group, records, bytes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (tenant, day, kind, agent, host, status_group) DO UPDATE SET
             records = kind_day.records + excluded.records,
             bytes = CASE WHEN excluded.bytes > 9223372036854775807 - kind_day.bytes
                          THEN 9223372036854775807 ELSE kind_day.bytes + excluded.bytes END",
        |row| {
            vec![
                Value::Text(tenant),
                Value::int(row.day.to_epoch_days()),
                Value::Text(&row.agent),
                Value::Text(&row.host),
                Value::int(kind_number(row.kind)),
                Value::int(row.status_group),
                Value::int(row.records),
                Value::int(row.bytes.min(MAX_ROLLUP_BYTES)),
            ]
        },
    )
}

pub(super) fn add_hours<'r>(
    statements: &dyn Statements,
    tenant: &'r str,
    rows: &'r [HourRow],
) -> Result<(), SqlError> {
    add_each(
        statements,
        rows,
        "INSERT INTO hour (tenant, hour, agent, host, records, refused, missing, failed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (tenant, hour, agent, host) DO UPDATE SET
             records = hour.records + excluded.records,
             refused = hour.refused + excluded.refused,
             missing = hour.missing + excluded.missing,
             failed = hour.failed + excluded.failed",
        |row| {
            vec![
                Value::Text(tenant),
                Value::int(row.hour),
                Value::Text(&row.agent),
                Value::Text(&row.host),
                Value::int(row.records),
                Value::int(row.refused),
                Value::int(row.missing),
                Value::int(row.failed),
            ]
        },
    )
}

pub(super) fn add_seen<'r>(
    statements: &dyn Statements,
    tenant: &'r str,
    rows: &'r [SeenRow],
) -> Result<(), SqlError> {
    add_each(
        statements,
        rows,
        "INSERT INTO agent_seen (tenant, agent, host, first_at, last_at)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (tenant, agent, host) DO UPDATE SET
             first_at = CASE WHEN excluded.first_at < agent_seen.first_at
                             THEN excluded.first_at ELSE agent_seen.first_at END,
             last_at = CASE WHEN excluded.last_at > agent_seen.last_at
                            THEN excluded.last_at ELSE agent_seen.last_at END",
        |row| {
            vec![
                Value::Text(tenant),
                Value::Text(&row.agent),
                Value::Text(&row.host),
                Value::int(row.first_micros),
                Value::int(row.last_micros),
            ]
        },
    )
}

fn add_rejections<'r>(
    statements: &dyn Statements,
    tenant: &'r str,
    rows: &'r [RejectionRow],
) -> Result<(), SqlError> {
    add_each(
        statements,
        rows,
        "INSERT INTO rejection (tenant, day, reason, records) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (tenant, day, reason) DO UPDATE SET
             records = rejection.records + excluded.records",
        |row| {
            vec![
                Value::Text(tenant),
                Value::int(row.day.to_epoch_days()),
                Value::Text(&row.reason),
                Value::int(row.records),
            ]
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_path_has_a_number() {
        for kind in PathKind::ALL {
            let number = usize::try_from(kind_number(kind)).unwrap();
            assert_eq!(KINDS.get(number), Some(&kind));
        }
    }
}
