//! Counts of audit requests by outcome and day, stored as long as rollups.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rusqlite::params;
use visibility_core::store::StoreError;

use super::{Sqlite, begin, failed};

/// Counts by day (UTC) and event, in a word of ours.
pub(crate) type Counts = BTreeMap<(NaiveDate, String), u64>;

impl Sqlite {
    /// Adds to the counts, in one step.
    ///
    /// # Errors
    ///
    /// When the database fails; nothing is added then.
    pub(crate) fn add_audit_usage(
        &self,
        counts: &BTreeMap<(NaiveDate, &'static str), u64>,
    ) -> Result<(), StoreError> {
        let describe = || "count the usage of audits".to_owned();
        let mut writer = self.writer();
        let transaction = begin(&mut writer)?;
        for ((day, event), count) in counts {
            transaction
                .prepare_cached(
                    "INSERT INTO audit_usage (day, event, count) VALUES (?1, ?2, ?3)
                     ON CONFLICT (day, event) DO UPDATE SET count = count + excluded.count",
                )
                .and_then(|mut add| add.execute(params![day.to_epoch_days(), event, count]))
                .map_err(failed(describe))?;
        }
        self.commit(transaction, describe)
    }

    /// The counts of all days from one on.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn audit_usage(&self, from: NaiveDate) -> Result<Counts, StoreError> {
        let reader = self.reader();
        let read = || -> rusqlite::Result<Counts> {
            let mut select = reader
                .prepare_cached("SELECT day, event, count FROM audit_usage WHERE day >= ?1")?;
            let rows = select.query_map(params![from.to_epoch_days()], |row| {
                let days: i32 = row.get(0)?;
                let day = NaiveDate::from_epoch_days(days)
                    .ok_or(rusqlite::Error::IntegralValueOutOfRange(0, days.into()))?;
                Ok(((day, row.get(1)?), row.get(2)?))
            })?;
            rows.collect()
        };
        read().map_err(failed(|| "read the usage of audits".to_owned()))
    }

    /// Forgets the counts of all days before one.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn forget_audit_usage(&self, first_kept: NaiveDate) -> Result<(), StoreError> {
        self.writer()
            .execute("DELETE FROM audit_usage WHERE day < ?1", params![first_kept.to_epoch_days()])
            .map(|_rows| ())
            .map_err(failed(|| "forget the usage of audits".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_day_are_added_up_and_forgotten_by_day() {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = Sqlite::open(&folder.path().join("state.sqlite")).unwrap();
        let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        let add = |counts: &[((NaiveDate, &'static str), u64)]| {
            sqlite.add_audit_usage(&counts.iter().copied().collect()).unwrap();
        };
        add(&[((day(1), "completed"), 2), ((day(1), "cached"), 1), ((day(2), "completed"), 5)]);
        add(&[((day(1), "completed"), 3)]);
        let found = sqlite.audit_usage(day(1)).unwrap();
        assert_eq!(found[&(day(1), "completed".to_owned())], 5);
        assert_eq!(found.len(), 3);
        assert_eq!(sqlite.audit_usage(day(2)).unwrap().len(), 1);
        sqlite.forget_audit_usage(day(2)).unwrap();
        assert_eq!(sqlite.audit_usage(day(1)).unwrap().len(), 1);
    }
}
