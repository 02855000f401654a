//! Counts of audit requests by outcome and day, stored as long as rollups.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::day;
use crate::stores::database::{Value, failed, params};

/// Counts by day (UTC) and event, in a word of ours.
pub(crate) type Counts = BTreeMap<(NaiveDate, String), u64>;

impl StateStore {
    /// Adds to the counts, in one step.
    ///
    /// # Errors
    ///
    /// When the database fails; nothing is added then.
    pub(crate) fn add_audit_usage(
        &self,
        counts: &BTreeMap<(NaiveDate, &'static str), u64>,
    ) -> Result<(), StoreError> {
        let rows: Vec<_> = counts
            .iter()
            .map(|((day, event), count)| {
                vec![Value::int(day.to_epoch_days()), Value::Text(event), Value::int(*count)]
            })
            .collect();
        self.write(|statements| {
            statements.execute_each(
                "INSERT INTO audit_usage (day, event, count) VALUES (?1, ?2, ?3)
                 ON CONFLICT (day, event)
                 DO UPDATE SET count = audit_usage.count + excluded.count",
                &rows,
            )
        })
        .map(|_rows| ())
        .map_err(failed(|| "count the usage of audits".to_owned()))
    }

    /// The counts of all days from one on.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn audit_usage(&self, from: NaiveDate) -> Result<Counts, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT day, event, count FROM audit_usage WHERE day >= ?1",
                params![from.to_epoch_days()],
                |row| Ok(((day(row, 0)?, row.get(1)?), row.get(2)?)),
            )
        })
        .map_err(failed(|| "read the usage of audits".to_owned()))
    }

    /// Forgets the counts of all days before one.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn forget_audit_usage(&self, first_kept: NaiveDate) -> Result<(), StoreError> {
        self.write(|statements| {
            statements.execute(
                "DELETE FROM audit_usage WHERE day < ?1",
                params![first_kept.to_epoch_days()],
            )
        })
        .map(|_rows| ())
        .map_err(failed(|| "forget the usage of audits".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::TestStore;
    use super::*;

    #[test]
    fn counts_of_a_day_are_added_up_and_forgotten_by_day() {
        let state_store = TestStore::new();
        let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        let add = |counts: &[((NaiveDate, &'static str), u64)]| {
            state_store.add_audit_usage(&counts.iter().copied().collect()).unwrap();
        };
        add(&[((day(1), "completed"), 2), ((day(1), "cached"), 1), ((day(2), "completed"), 5)]);
        add(&[((day(1), "completed"), 3)]);
        let found = state_store.audit_usage(day(1)).unwrap();
        assert_eq!(found[&(day(1), "completed".to_owned())], 5);
        assert_eq!(found.len(), 3);
        assert_eq!(state_store.audit_usage(day(2)).unwrap().len(), 1);
        state_store.forget_audit_usage(day(2)).unwrap();
        assert_eq!(state_store.audit_usage(day(1)).unwrap().len(), 1);
    }
}
