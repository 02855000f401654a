//! Reads the sums that must be equal and the objects that must exist, in one snapshot.

use std::collections::BTreeMap;

use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::slug;
use super::manifest::{self, COLUMNS, DataFile};
use crate::stores::database::{SqlError, Statements, failed};

/// How many records ledger, files and rollups know of one tenant, those included that they have
/// forgotten. All three are equal.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct LedgerTotals {
    /// Accepted records of all batches.
    pub ledger: u64,
    /// Rows of all live files.
    pub files: u64,
    /// Records of all rollups.
    pub rollups: u64,
}

impl LedgerTotals {
    /// Whether nothing is lost and nothing is counted twice.
    pub fn is_balanced(&self) -> bool {
        self.ledger == self.files && self.files == self.rollups
    }
}

/// What is true at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct LedgerSnapshot {
    pub(crate) totals: BTreeMap<TenantSlug, LedgerTotals>,
    pub(crate) files: Vec<DataFile>,
    pub(crate) answers: Vec<String>,
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
    add(
        "SELECT tenant, CAST(sum(rows) AS BIGINT) FROM data_file
         WHERE retired_at IS NULL GROUP BY tenant",
        |books| &mut books.files,
    )?;
    add("SELECT tenant, files FROM forgotten", |books| &mut books.files)?;
    add("SELECT tenant, CAST(sum(records) AS BIGINT) FROM rollup GROUP BY tenant", |books| {
        &mut books.rollups
    })?;
    add("SELECT tenant, rollup FROM forgotten", |books| &mut books.rollups)?;
    snapshot.files = statements.query_all(
        &format!("SELECT {COLUMNS} FROM data_file WHERE retired_at IS NULL ORDER BY name"),
        &[],
        manifest::data_file,
    )?;
    snapshot.answers = statements.query_all(
        "SELECT body_object FROM batch WHERE body_object IS NOT NULL ORDER BY 1",
        &[],
        |row| row.get(0),
    )?;
    Ok(snapshot)
}
