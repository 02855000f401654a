//! Fault points around the transactions that publish records: a [`Database`] for tests, between the state and its real
//! database.

use std::time::Duration;

use chrono::{DateTime, Utc};
use visibility_core::store::StoreError;

use super::database::{
    Database, Ending, Inspection, Isolation, Row, SqlError, Statements, Transaction, Value, Work,
};
use crate::runtime::fault;

/// A database whose transactions pass fault points.
#[derive(Debug)]
pub(super) struct FaultPoints<D>(pub(super) D);

impl<D: Database> Database for FaultPoints<D> {
    fn read(&self, work: &mut Work<'_>) -> Result<(), SqlError> {
        self.0.read(work)
    }

    fn snapshot(&self, work: &mut Work<'_>) -> Result<(), SqlError> {
        self.0.snapshot(work)
    }

    fn write(&self, transaction: Transaction<'_>, work: &mut Work<'_>) -> Result<(), SqlError> {
        if !matches!(transaction.isolation, Isolation::Tenant(_)) {
            return self.0.write(transaction, work);
        }
        pass("before-begin")?;
        let mut before_commit = Ok(());
        self.0.write(transaction, &mut |statements| {
            let ending = work(&FaultyStatements(statements));
            if ending == Ending::Commit {
                before_commit = pass("before-commit");
            }
            if before_commit.is_ok() { ending } else { Ending::Rollback }
        })?;
        before_commit?;
        pass(fault::AFTER_COMMIT)
    }

    fn inspect(&self, limit: Duration) -> Result<Inspection, SqlError> {
        self.0.inspect(limit)
    }

    fn connections(&self) -> u64 {
        self.0.connections()
    }

    fn settle(&self) -> Result<(), SqlError> {
        self.0.settle()
    }

    fn continue_numbers(&self, statements: &dyn Statements) -> Result<(), SqlError> {
        self.0.continue_numbers(statements)
    }

    fn is_shared(&self) -> bool {
        self.0.is_shared()
    }

    fn shared_time(&self) -> Result<Option<DateTime<Utc>>, SqlError> {
        self.0.shared_time()
    }

    fn bytes(&self) -> Result<u64, SqlError> {
        self.0.bytes()
    }
}

/// Statements that pass a fault point after those that make a batch known.
struct FaultyStatements<'a>(&'a dyn Statements);

impl Statements for FaultyStatements<'_> {
    fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, SqlError> {
        let rows = self.0.execute(sql, values)?;
        pass_after(sql, rows)
    }

    fn execute_each(&self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<u64, SqlError> {
        let rows = self.0.execute_each(sql, rows)?;
        pass_after(sql, rows)
    }

    fn query(
        &self,
        sql: &str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(Row<'_>) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        self.0.query(sql, values, each)
    }
}

/// Passes the point after a statement that changed rows.
fn pass_after(sql: &str, rows: u64) -> Result<u64, SqlError> {
    const POINTS: [(&str, &str); 5] = [
        ("INSERT INTO batch", "after-insert-batch"),
        ("INSERT INTO data_file", "after-manifest"),
        ("INSERT INTO rollup", "after-rollup"),
        ("INSERT INTO kind_day", "after-kinds"),
        ("INSERT INTO agent_seen", "after-seen"),
    ];
    let beginning = sql.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    let point = POINTS.iter().find(|(start, _)| *start == beginning && rows > 0);
    point.map_or(Ok(()), |(_, name)| pass(name)).map(|()| rows)
}

fn pass(point: &'static str) -> Result<(), SqlError> {
    fault::point(point)
        .map_err(|StoreError { kind, action, .. }| SqlError { kind, source: action.into() })
}
