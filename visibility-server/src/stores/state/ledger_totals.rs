//! Reads the sums that must be equal and the objects that must exist, in one snapshot.

use std::collections::BTreeMap;

use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::{StoreError, StoredObject};

use super::column::slug;
use super::damage::DamagedObject;
use super::manifest::{self, COLUMNS, COLUMNS_COUNT, DataFile, IS_SOUND};
use super::uncounted::{self, DayTotals, UncountedDays};
use super::{StateStore, damage};
use crate::stores::database::{SqlError, Statements, failed};

/// How many records ledger, files and rollups know of one tenant, those included that they have
/// forgotten: `ledger = files + set_aside = rollups`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct LedgerTotals {
    /// Accepted records of all batches.
    pub ledger: u64,
    /// Rows of all live files that are not damaged.
    pub files: u64,
    /// Rows of the live files whose records are damaged.
    #[serde(skip_serializing_if = "is_nothing")]
    pub set_aside: u64,
    /// Records of all rollups.
    pub rollups: u64,
}

impl LedgerTotals {
    /// Whether nothing is lost and nothing is counted twice.
    pub fn is_balanced(&self) -> bool {
        let in_files = self.files.saturating_add(self.set_aside);
        self.ledger == in_files && in_files == self.rollups
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_nothing(records: &u64) -> bool {
    *records == 0
}

/// What is true at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct LedgerSnapshot {
    pub(crate) totals: BTreeMap<TenantSlug, LedgerTotals>,
    pub(crate) files: Vec<(TenantSlug, DataFile)>,
    pub(crate) answers: Vec<(TenantSlug, StoredObject)>,
    pub(crate) damaged: Vec<DamagedObject>,
    /// Days whose counts are not the same in all tables, and should be.
    pub(crate) different_days: Vec<DayTotals>,
    pub(crate) uncounted_days: Vec<UncountedDays>,
}

impl StateStore {
    /// Reads everything that can be compared, at one moment.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn ledger_snapshot(&self) -> Result<LedgerSnapshot, StoreError> {
        self.snapshot(read).map_err(failed(|| "read the books".to_owned()))
    }
}

fn read(statements: &dyn Statements) -> Result<LedgerSnapshot, SqlError> {
    let mut snapshot = LedgerSnapshot::default();
    let mut add = |sql: &str, column: fn(&mut LedgerTotals) -> &mut u64| -> Result<(), SqlError> {
        statements.query(sql, &[], &mut |row| {
            let books = snapshot.totals.entry(slug(row, 0)?).or_default();
            *column(books) += row.get::<u64>(1)?;
            Ok(())
        })
    };
    add("SELECT tenant, CAST(sum(accepted) AS BIGINT) FROM batch GROUP BY tenant", |books| {
        &mut books.ledger
    })?;
    add("SELECT tenant, ledger FROM forgotten", |books| &mut books.ledger)?;
    let sound = format!(
        "SELECT tenant, CAST(sum(rows) AS BIGINT) FROM data_file
         WHERE retired_at IS NULL AND {IS_SOUND} GROUP BY tenant"
    );
    add(&sound, |books| &mut books.files)?;
    let damaged = format!(
        "SELECT tenant, CAST(sum(rows) AS BIGINT) FROM data_file
         WHERE retired_at IS NULL AND NOT {IS_SOUND} GROUP BY tenant"
    );
    add(&damaged, |books| &mut books.set_aside)?;
    add("SELECT tenant, files FROM forgotten", |books| &mut books.files)?;
    add("SELECT tenant, CAST(sum(records) AS BIGINT) FROM rollup GROUP BY tenant", |books| {
        &mut books.rollups
    })?;
    add("SELECT tenant, rollup FROM forgotten", |books| &mut books.rollups)?;
    snapshot.files = statements.query_all(
        &format!("SELECT {COLUMNS}, tenant FROM data_file WHERE retired_at IS NULL ORDER BY name"),
        &[],
        |row| Ok((slug(row, COLUMNS_COUNT)?, manifest::data_file(row)?)),
    )?;
    snapshot.answers = statements.query_all(
        "SELECT tenant, body_object, body_digest FROM batch WHERE body_object IS NOT NULL
         ORDER BY 2",
        &[],
        |row| Ok((slug(row, 0)?, StoredObject { name: row.get(1)?, digest: row.get(2)? })),
    )?;
    snapshot.damaged = damage::damaged(statements, None)?;
    (snapshot.different_days, snapshot.uncounted_days) = uncounted::compare_days(statements)?;
    Ok(snapshot)
}
