//! Counts of records, grouped by the database.

use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate, Utc};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;
use visibility_core::traffic::PathKind;

use super::column::{day, time};
use super::{StateStore, sums};
use crate::stores::database::{Row, SqlError, Value, failed, params};

/// Statuses beside a range that a set can have: as many as there are statuses of a refusal.
const MAX_SINGLE_STATUSES: usize = 5;

/// In the place of an agent or a host: all of them. It is the name of none.
const ANY: &str = "*";

/// Which records are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordFilter<'a> {
    pub(crate) tenant: &'a TenantSlug,
    /// Days, UTC.
    pub(crate) days: &'a RangeInclusive<NaiveDate>,
    /// The only agent.
    pub(crate) agent: Option<&'a str>,
    /// The only host.
    pub(crate) host: Option<&'a str>,
    pub(crate) statuses: StatusSet,
    /// The only kind of path; rollups have none.
    pub(crate) kind: Option<PathKind>,
}

/// A range of statuses, and single ones beside it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct StatusSet {
    first: u16,
    last: u16,
    singles: [u16; MAX_SINGLE_STATUSES],
}

/// A table of counts by day.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum DayTable {
    /// By agent, host and status.
    Rollup,
    /// By kind of path, agent, host and group of statuses: of one kind, or grouped by kind.
    Kind,
}

/// What records of a day are grouped by.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum DayColumn {
    Agent,
    Host,
    /// In rollups alone.
    Status,
    /// In counts by kind alone.
    Kind,
}

/// What is counted of an hour.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum HourCount {
    All,
    Refused,
    Missing,
    Failed,
}

/// Records of a span of time, an agent and a value of the column.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct CellCount {
    /// The number of the day or hour since 1970.
    pub(crate) time: i64,
    /// Empty if all agents are one.
    pub(crate) agent: String,
    /// Empty if it is the agent.
    pub(crate) key: String,
    pub(crate) records: u64,
}

/// Sums of a day and an agent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct AgentDay {
    pub(crate) agent: String,
    pub(crate) records: u64,
    pub(crate) bytes: u64,
}

/// Records of an agent with a status.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct AgentStatus {
    pub(crate) agent: String,
    /// A status, or that of a group.
    pub(crate) status: u16,
    pub(crate) records: u64,
    /// The first day with one.
    pub(crate) first_day: NaiveDate,
    /// The last day with one.
    pub(crate) last_day: NaiveDate,
}

/// Records of a day, a host and a status.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct HostDay {
    pub(crate) day: NaiveDate,
    /// Empty if all agents are one.
    pub(crate) agent: String,
    pub(crate) host: String,
    /// A status from 400, or that of a group; 0 for all below.
    pub(crate) status: u16,
    pub(crate) records: u64,
}

/// When an agent came first and last.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct SeenAgent {
    pub(crate) agent: String,
    pub(crate) first: DateTime<Utc>,
    pub(crate) last: DateTime<Utc>,
}

impl StatusSet {
    /// Every status.
    pub(crate) const ALL: Self = Self { first: 0, last: 999, singles: [0; MAX_SINGLE_STATUSES] };

    pub(crate) fn range(statuses: RangeInclusive<u16>) -> Self {
        Self { first: *statuses.start(), last: *statuses.end(), ..Self::ALL }
    }

    /// Some statuses; those beyond the fifth are left out.
    pub(crate) fn of(statuses: impl IntoIterator<Item = u16>) -> Self {
        let mut set = Self { first: 0, last: 0, ..Self::ALL };
        for (place, status) in set.singles.iter_mut().zip(statuses) {
            *place = status;
        }
        set
    }
}

const FROM_ROLLUPS: &str = "
    FROM rollup WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3
        AND (?4 = '*' OR agent = ?4) AND (?5 = '*' OR host = ?5)
        AND (status BETWEEN ?6 AND ?7 OR status IN (?8, ?9, ?10, ?11, ?12))";

/// For counts that are grouped by kind, so that the rows are in the order of the key.
const FROM_KINDS: &str = "
    FROM kind_day WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3
        AND (?4 = '*' OR agent = ?4) AND (?5 = '*' OR host = ?5)
        AND (status_group BETWEEN ?6 AND ?7 OR status_group IN (?8, ?9, ?10, ?11, ?12))
        AND (CAST(?13 AS BIGINT) < 0 OR kind = ?13)";

/// For counts of one kind, whose rows are found day by day: the others are never read.
const FROM_ONE_KIND: &str = "
    FROM (WITH RECURSIVE span (each_day) AS (
              SELECT CAST(?2 AS BIGINT)
              UNION ALL SELECT each_day + 1 FROM span WHERE each_day < ?3)
          SELECT each_day FROM span) AS days
    CROSS JOIN kind_day WHERE tenant = ?1 AND day = each_day AND kind = ?13
        AND (?4 = '*' OR agent = ?4) AND (?5 = '*' OR host = ?5)
        AND (status_group BETWEEN ?6 AND ?7 OR status_group IN (?8, ?9, ?10, ?11, ?12))";

const FROM_HOURS: &str = "
    FROM hour WHERE tenant = ?1 AND hour BETWEEN ?2 AND ?3
        AND (?4 = '*' OR agent = ?4) AND (?5 = '*' OR host = ?5)";

/// The status of an error; what is none has one number.
const ERROR_STATUS: &str = "CASE WHEN status < 400 THEN 0 ELSE status END";

const RECORDS: &str = "CAST(sum(records) AS BIGINT)";

const HOUR_SUM: &str = "
    CAST(sum(CASE CAST(?6 AS BIGINT) WHEN 1 THEN refused WHEN 2 THEN missing WHEN 3 THEN failed ELSE records END) AS BIGINT)";

/// The sums of a group of rows. Bytes are two sums, each of which fits into a column however large the numbers are.
const SUMS: &str = "
    CAST(sum(records) AS BIGINT),
    CAST(sum(bytes / 4294967296) AS BIGINT), CAST(sum(bytes % 4294967296) AS BIGINT)";

impl StateStore {
    /// Hands over the records of some days by day and a column, and with their agents if those matter.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn for_each_day_count(
        &self,
        filter: &RecordFilter<'_>,
        (table, column): (DayTable, DayColumn),
        with_agents: bool,
        take: &mut dyn FnMut(CellCount),
    ) -> Result<(), StoreError> {
        let sql = day_statement(table, column, with_agents);
        self.for_each_row(filter, table, &sql, &mut |row| {
            let key = match column {
                DayColumn::Agent | DayColumn::Host => row.get(2)?,
                DayColumn::Status => row.get::<u16>(2)?.to_string(),
                DayColumn::Kind => sums::kind(row, 2)?.as_str().to_owned(),
            };
            take(CellCount { time: row.get(0)?, agent: row.get(1)?, key, records: row.get(3)? });
            Ok(())
        })
    }

    /// The same by hour, by agent or by host and agent.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn for_each_hour_count(
        &self,
        filter: &RecordFilter<'_>,
        counted: HourCount,
        by_host: bool,
        take: &mut dyn FnMut(CellCount),
    ) -> Result<(), StoreError> {
        let RecordFilter { tenant, days, agent, host, .. } = *filter;
        let (first_day, last_day) = (days.start().to_epoch_days(), days.end().to_epoch_days());
        let (first, last) = (i64::from(first_day) * 24, i64::from(last_day) * 24 + 23);
        let counted: i64 = match counted {
            HourCount::All => 0,
            HourCount::Refused => 1,
            HourCount::Missing => 2,
            HourCount::Failed => 3,
        };
        let sql = if by_host {
            format!("SELECT hour, agent, host, {HOUR_SUM} {FROM_HOURS} GROUP BY hour, agent, host")
        } else {
            format!("SELECT hour, agent, '', {HOUR_SUM} {FROM_HOURS} GROUP BY hour, agent")
        };
        let (agent, host) = (name_or_any(agent), name_or_any(host));
        let slug = tenant.as_str();
        self.read(|statements| {
            let values = params![slug, first, last, agent, host, counted];
            statements.query(&sql, values, &mut |row| {
                let (time, agent, key) = (row.get(0)?, row.get(1)?, row.get(2)?);
                take(CellCount { time, agent, key, records: row.get(3)? });
                Ok(())
            })
        })
        .map_err(failed(|| format!("count the records of {tenant} by hour")))
    }

    /// Hands over the sums of each day and agent.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn for_each_agent_day(
        &self,
        filter: &RecordFilter<'_>,
        table: DayTable,
        take: &mut dyn FnMut(NaiveDate, AgentDay),
    ) -> Result<(), StoreError> {
        let sql = match table {
            DayTable::Rollup => {
                format!("SELECT day, agent, {SUMS} {FROM_ROLLUPS} GROUP BY day, agent")
            }
            DayTable::Kind => {
                format!("SELECT day, agent, {SUMS} {FROM_ONE_KIND} GROUP BY day, agent")
            }
        };
        self.for_each_row(filter, table, &sql, &mut |row| {
            let (large, small): (u64, u64) = (row.get(3)?, row.get(4)?);
            let sums = AgentDay {
                agent: row.get(1)?,
                records: row.get(2)?,
                bytes: large.saturating_mul(1 << 32).saturating_add(small),
            };
            take(day(row, 0)?, sums);
            Ok(())
        })
    }

    /// When each agent came first and last, at all hosts or at one.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn seen_agents(
        &self,
        tenant: &TenantSlug,
        host: Option<&str>,
    ) -> Result<Vec<SeenAgent>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT agent, min(first_at), max(last_at) FROM agent_seen
                 WHERE tenant = ?1 AND (?2 = '*' OR host = ?2) GROUP BY agent",
                params![tenant.as_str(), name_or_any(host)],
                |row| {
                    Ok(SeenAgent { agent: row.get(0)?, first: time(row, 1)?, last: time(row, 2)? })
                },
            )
        })
        .map_err(failed(|| format!("read when agents came to {tenant}")))
    }

    /// Hands over the records of each agent and status from 400.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn for_each_error(
        &self,
        filter: &RecordFilter<'_>,
        table: DayTable,
        take: &mut dyn FnMut(AgentStatus),
    ) -> Result<(), StoreError> {
        let sql = match table {
            DayTable::Rollup => format!(
                "SELECT agent, status, CAST(sum(records) AS BIGINT), min(day), max(day) {FROM_ROLLUPS} AND status >= 400
                 GROUP BY agent, status"
            ),
            DayTable::Kind => format!(
                "SELECT agent, status_group, CAST(sum(records) AS BIGINT), min(day), max(day) {FROM_ONE_KIND} AND status_group >= 400
                 GROUP BY agent, status_group"
            ),
        };
        self.for_each_row(filter, table, &sql, &mut |row| {
            let (agent, status) = (row.get(0)?, row.get(1)?);
            let (first_day, last_day) = (day(row, 3)?, day(row, 4)?);
            take(AgentStatus { agent, status, records: row.get(2)?, first_day, last_day });
            Ok(())
        })
    }

    /// Hands over the records of each day, host and status from 400, and with their agents if those matter.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn for_each_host_day(
        &self,
        filter: &RecordFilter<'_>,
        table: DayTable,
        with_agents: bool,
        take: &mut dyn FnMut(HostDay),
    ) -> Result<(), StoreError> {
        let sql = match (table, with_agents) {
            (DayTable::Rollup, true) => format!(
                "SELECT day, agent, host, {ERROR_STATUS} AS error, {RECORDS} {FROM_ROLLUPS} GROUP BY day, agent, host, error"
            ),
            (DayTable::Rollup, false) => format!(
                "SELECT day, '', host, {ERROR_STATUS} AS error, {RECORDS} {FROM_ROLLUPS} GROUP BY day, host, error"
            ),
            (DayTable::Kind, _) => format!(
                "SELECT day, agent, host, status_group, {RECORDS} {FROM_ONE_KIND} GROUP BY day, agent, host, status_group"
            ),
        };
        self.for_each_row(filter, table, &sql, &mut |row| {
            take(HostDay {
                day: day(row, 0)?,
                agent: row.get(1)?,
                host: row.get(2)?,
                status: row.get(3)?,
                records: row.get(4)?,
            });
            Ok(())
        })
    }

    fn for_each_row(
        &self,
        filter: &RecordFilter<'_>,
        table: DayTable,
        sql: &str,
        take: &mut dyn FnMut(Row<'_>) -> Result<(), SqlError>,
    ) -> Result<(), StoreError> {
        let RecordFilter { tenant, days, agent, host, statuses, kind } = *filter;
        let (start, end) = (days.start().to_epoch_days(), days.end().to_epoch_days());
        let (agent, host) = (name_or_any(agent), name_or_any(host));
        let StatusSet { first, last, singles } = statuses;
        let mut values = vec![Value::Text(tenant.as_str()), Value::int(start), Value::int(end)];
        values.extend([agent, host].map(Value::Text));
        values.extend([first, last].into_iter().chain(singles).map(Value::int));
        if table == DayTable::Kind {
            values.push(Value::Int(kind.map_or(-1, sums::kind_number)));
        }
        self.read(|statements| statements.query(sql, &values, take))
            .map_err(failed(|| format!("count the records of {tenant}")))
    }
}

/// What stands for a name in a statement. Strangers choose names: one that nothing has stands for those that would mean
/// something else, or that a database does not take.
fn name_or_any(name: Option<&str>) -> &str {
    match name {
        None => ANY,
        Some(name) if name == ANY || name.contains('\0') => "",
        Some(name) => name,
    }
}

fn day_statement(table: DayTable, column: DayColumn, with_agents: bool) -> String {
    match (table, column, with_agents) {
        (DayTable::Rollup, DayColumn::Host, true) => {
            format!("SELECT day, agent, host, {RECORDS} {FROM_ROLLUPS} GROUP BY day, agent, host")
        }
        // The inner groups are in the order of the key; far fewer of them are left to be sorted.
        (DayTable::Rollup, DayColumn::Host, false) => format!(
            "SELECT day, '', host, {RECORDS} FROM (
                 SELECT day, agent, host, sum(records) AS records {FROM_ROLLUPS} GROUP BY day, agent, host) AS counted
             GROUP BY day, host"
        ),
        (DayTable::Rollup, DayColumn::Status, true) => {
            format!("SELECT day, agent, status, {RECORDS} {FROM_ROLLUPS} GROUP BY day, agent, status")
        }
        (DayTable::Rollup, DayColumn::Status, false) => {
            format!("SELECT day, '', status, {RECORDS} {FROM_ROLLUPS} GROUP BY day, status")
        }
        (DayTable::Rollup, _, _) => {
            format!("SELECT day, agent, '', {RECORDS} {FROM_ROLLUPS} GROUP BY day, agent")
        }
        (DayTable::Kind, DayColumn::Host, _) => {
            format!("SELECT day, agent, host, {RECORDS} {FROM_ONE_KIND} GROUP BY day, agent, host")
        }
        (DayTable::Kind, DayColumn::Kind, true) => {
            format!("SELECT day, agent, kind, {RECORDS} {FROM_KINDS} GROUP BY day, kind, agent")
        }
        (DayTable::Kind, DayColumn::Kind, false) => {
            format!("SELECT day, '', kind, {RECORDS} {FROM_KINDS} GROUP BY day, kind")
        }
        (DayTable::Kind, _, _) => {
            format!("SELECT day, agent, '', {RECORDS} {FROM_ONE_KIND} GROUP BY day, agent")
        }
    }
}
