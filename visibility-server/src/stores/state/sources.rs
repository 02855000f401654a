//! What is known about the batches of a tenant, and about the state of its counts.

use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate, Utc};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::{optional_time, time};
use super::manifest::start_micros;
use crate::stores::database::{failed, params};

/// A batch, without its records.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct ReceivedBatch {
    pub(crate) at: DateTime<Utc>,
    pub(crate) accepted: u64,
    pub(crate) rejected: u64,
}

/// What the counts of a tenant were made of. While it is the same, so are they.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct CountsVersion {
    newest_file: Option<i64>,
    newest_batch: Option<DateTime<Utc>>,
    uncounted_days: u64,
    first_day: Option<NaiveDate>,
}

impl StateStore {
    /// Hands over the batches that arrived on some days, in the order in which they did.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn for_each_batch(
        &self,
        tenant: &TenantSlug,
        days: &RangeInclusive<NaiveDate>,
        take: &mut dyn FnMut(ReceivedBatch),
    ) -> Result<(), StoreError> {
        let start = start_micros(*days.start());
        let end = days.end().succ_opt().map_or(i64::MAX, start_micros);
        self.read(|statements| {
            statements.query(
                "SELECT received_at, accepted, rejected FROM batch
                 WHERE tenant = ?1 AND received_at >= ?2 AND received_at < ?3 ORDER BY received_at",
                params![tenant.as_str(), start, end],
                &mut |row| {
                    let (accepted, rejected) = (row.get(1)?, row.get(2)?);
                    take(ReceivedBatch { at: time(row, 0)?, accepted, rejected });
                    Ok(())
                },
            )
        })
        .map_err(failed(|| format!("read the batches of {tenant}")))
    }

    /// When the first and the last batch arrived, whatever the days. The first is not known once batches were forgotten.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn first_and_last_batch(
        &self,
        tenant: &TenantSlug,
    ) -> Result<[Option<DateTime<Utc>>; 2], StoreError> {
        self.read(|statements| {
            statements.query_one(
                "SELECT (SELECT min(received_at) FROM batch WHERE tenant = ?1 AND NOT EXISTS (
                         SELECT 1 FROM forgotten WHERE tenant = ?1 AND ledger > 0)),
                     (SELECT max(received_at) FROM batch WHERE tenant = ?1)",
                params![tenant.as_str()],
                |row| Ok([optional_time(row, 0)?, optional_time(row, 1)?]),
            )
        })
        .map_err(failed(|| format!("read the times of the batches of {tenant}")))
    }

    /// The hosts of the records of a tenant, in their order.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn seen_hosts(&self, tenant: &TenantSlug) -> Result<Vec<String>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT DISTINCT host FROM agent_seen WHERE tenant = ?1 ORDER BY host",
                params![tenant.as_str()],
                |row| row.get(0),
            )
        })
        .map_err(failed(|| format!("read the hosts of {tenant}")))
    }

    /// How many lines were rejected for each reason, the most frequent first.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn rejections(
        &self,
        tenant: &TenantSlug,
        days: &RangeInclusive<NaiveDate>,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let (start, end) = (days.start().to_epoch_days(), days.end().to_epoch_days());
        self.read(|statements| {
            statements.query_all(
                "SELECT reason, CAST(sum(records) AS BIGINT) AS lines FROM rejection
                 WHERE tenant = ?1 AND day BETWEEN ?2 AND ?3
                 GROUP BY reason ORDER BY lines DESC, reason",
                params![tenant.as_str(), start, end],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
        })
        .map_err(failed(|| format!("read the rejections of {tenant}")))
    }

    /// The first day with records that are counted.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn first_counted_day(
        &self,
        tenant: &TenantSlug,
    ) -> Result<Option<NaiveDate>, StoreError> {
        self.counts_version(tenant).map(|version| version.first_day)
    }

    /// What the counts of a tenant are made of at this moment.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn counts_version(&self, tenant: &TenantSlug) -> Result<CountsVersion, StoreError> {
        self.read(|statements| {
            statements.query_one(
                "SELECT (SELECT max(id) FROM data_file WHERE tenant = ?1),
                     (SELECT max(received_at) FROM batch WHERE tenant = ?1),
                     (SELECT count(*) FROM uncounted_day WHERE tenant = ?1),
                     (SELECT min(day) FROM rollup WHERE tenant = ?1)",
                params![tenant.as_str()],
                |row| {
                    let first_day: Option<i32> = row.get(3)?;
                    Ok(CountsVersion {
                        newest_file: row.get(0)?,
                        newest_batch: optional_time(row, 1)?,
                        uncounted_days: row.get(2)?,
                        first_day: first_day.and_then(NaiveDate::from_epoch_days),
                    })
                },
            )
        })
        .map_err(failed(|| format!("read what is known of {tenant}")))
    }
}
