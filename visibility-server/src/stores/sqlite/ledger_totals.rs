//! Reads the sums that must be equal and the objects that must exist, in one snapshot.

use std::collections::BTreeMap;

use rusqlite::{Connection, TransactionBehavior};
use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::manifest::{self, COLUMNS, DataFile};
use super::{Sqlite, failed};

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

impl Sqlite {
    /// Reads everything that can be compared, at one moment.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn snapshot(&self) -> Result<LedgerSnapshot, StoreError> {
        let mut reader = self.reader();
        read(&mut reader).map_err(failed(|| "read the books".to_owned()))
    }
}

fn read(connection: &mut Connection) -> Result<LedgerSnapshot, rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let mut snapshot = LedgerSnapshot::default();
    let mut add =
        |sql: &str, column: fn(&mut LedgerTotals) -> &mut u64| -> Result<(), rusqlite::Error> {
            let mut select = transaction.prepare(sql)?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let books = snapshot.totals.entry(manifest::slug(row, 0)?).or_default();
                let records: u64 = row.get(1)?;
                *column(books) += records;
            }
            Ok(())
        };
    add("SELECT tenant, sum(accepted) FROM batch GROUP BY tenant", |books| &mut books.ledger)?;
    add("SELECT tenant, ledger FROM forgotten", |books| &mut books.ledger)?;
    add(
        "SELECT tenant, sum(rows) FROM data_file WHERE retired_at IS NULL GROUP BY tenant",
        |books| &mut books.files,
    )?;
    add("SELECT tenant, files FROM forgotten", |books| &mut books.files)?;
    add("SELECT tenant, sum(records) FROM rollup GROUP BY tenant", |books| &mut books.rollups)?;
    add("SELECT tenant, rollup FROM forgotten", |books| &mut books.rollups)?;
    snapshot.files = transaction
        .prepare(&format!("SELECT {COLUMNS} WHERE retired_at IS NULL ORDER BY name"))?
        .query_map([], manifest::data_file)?
        .collect::<Result<_, _>>()?;
    snapshot.answers = transaction
        .prepare("SELECT body_object FROM batch WHERE body_object IS NOT NULL ORDER BY 1")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(snapshot)
}
