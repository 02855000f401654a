//! Sums by time and one other column, grouped by the database.

use std::ops::RangeInclusive;

use chrono::NaiveDate;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::{StateStore, sums};
use crate::stores::database::{failed, params};

/// How long each span of time is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Span {
    Day,
    Hour,
}

/// What records are grouped by.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Column {
    Agent,
    Host,
    /// By day alone.
    Status,
    /// By day alone.
    Kind,
}

/// Records of a span and a value of the column.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct SpanCount {
    /// The number of the day or hour since 1970.
    pub(crate) time: i64,
    pub(crate) key: String,
    pub(crate) records: u64,
}

impl StateStore {
    /// Hands over the records of some days by time and a column, those without records left out.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn for_each_count(
        &self,
        tenant: &TenantSlug,
        days: &RangeInclusive<NaiveDate>,
        (span, column): (Span, Column),
        take: &mut dyn FnMut(SpanCount),
    ) -> Result<(), StoreError> {
        let (first, last) = (days.start().to_epoch_days(), days.end().to_epoch_days());
        let (first, last) = (i64::from(first), i64::from(last));
        let (first, last) = match span {
            Span::Day => (first, last),
            Span::Hour => (first * 24, last * 24 + 23),
        };
        let sql = statement(span, column);
        self.read(|statements| {
            statements.query(sql, params![tenant.as_str(), first, last], &mut |row| {
                let key = match column {
                    Column::Agent | Column::Host => row.get(1)?,
                    Column::Status => row.get::<u16>(1)?.to_string(),
                    Column::Kind => sums::kind(row, 1)?.as_str().to_owned(),
                };
                take(SpanCount { time: row.get(0)?, key, records: row.get(2)? });
                Ok(())
            })
        })
        .map_err(failed(|| format!("count the records of {tenant}")))
    }
}

fn statement(span: Span, column: Column) -> &'static str {
    match (span, column) {
        (Span::Day, Column::Agent) => {
            "SELECT day, agent, CAST(sum(records) AS BIGINT) FROM rollup
             WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3 GROUP BY day, agent"
        }
        (Span::Day, Column::Host) => {
            // The inner groups are in the order of the key; far fewer of them are left to be sorted.
            "SELECT day, host, CAST(sum(records) AS BIGINT) FROM (
                 SELECT day, agent, host, sum(records) AS records FROM rollup
                 WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3
                 GROUP BY day, agent, host) AS counted
             GROUP BY day, host"
        }
        (Span::Day, Column::Status) => {
            "SELECT day, status, CAST(sum(records) AS BIGINT) FROM rollup
             WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3 GROUP BY day, status"
        }
        (Span::Day, Column::Kind) => {
            "SELECT day, kind, CAST(sum(records) AS BIGINT) FROM kind_day
             WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3 GROUP BY day, kind"
        }
        (Span::Hour, Column::Host) => {
            "SELECT hour, host, CAST(sum(records) AS BIGINT) FROM hour
             WHERE tenant = ?1 AND hour BETWEEN ?2 AND ?3 GROUP BY hour, host"
        }
        (Span::Hour, _) => {
            "SELECT hour, agent, CAST(sum(records) AS BIGINT) FROM hour
             WHERE tenant = ?1 AND hour BETWEEN ?2 AND ?3 GROUP BY hour, agent"
        }
    }
}
