//! Copies all rows of one database to another one.

use std::collections::BTreeMap;

use visibility_core::store::StoreError;

use super::StateStore;
use crate::stores::database::{Row, SqlError, Statements, Value, failed, params};

/// Rows that are on their way at a time, and their bytes.
const CHUNK_ROWS: usize = 500;
const CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// A table, with all of its columns. Tables come after those that they refer to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [&'static str],
}

const fn table(name: &'static str, columns: &'static [&'static str]) -> Table {
    Table { name, columns }
}

/// What is copied. Nodes and their leases are not: none serves meanwhile. The successors of keys come last, as one
/// refers to another.
pub(crate) const TABLES: [Table; 31] = [
    table("tenant", &["slug", "created_at", "disabled_at"]),
    table(
        "token",
        &["id", "tenant", "digest", "created_at", "expires_at", "revoked_at", "last_used_at"],
    ),
    table(
        "batch",
        &[
            "tenant",
            "batch_id",
            "received_at",
            "received",
            "accepted",
            "rejected",
            "body_object",
            "body",
            "body_digest",
            "looked_at",
        ],
    ),
    table(
        "data_file",
        &[
            "id",
            "tenant",
            "name",
            "partial",
            "rows",
            "bytes",
            "min_time",
            "max_time",
            "day",
            "created_at",
            "retired_at",
            "digest",
            "partial_digest",
            "looked_at",
            "newest_batch",
        ],
    ),
    table("damage", &["object", "tenant", "found_at", "reason"]),
    table("rollup", &["tenant", "day", "agent", "host", "status", "records", "bytes"]),
    table("rollup_host", &["tenant", "host"]),
    table(
        "kind_day",
        &["tenant", "day", "agent", "host", "kind", "status_group", "records", "bytes"],
    ),
    table("hour", &["tenant", "hour", "agent", "host", "records", "refused", "missing", "failed"]),
    table("agent_seen", &["tenant", "agent", "host", "first_at", "last_at"]),
    table("rejection", &["tenant", "day", "reason", "records"]),
    table("uncounted_day", &["tenant", "day", "forgotten"]),
    table("consumer", &["name", "tenant", "id", "version"]),
    table("file_event", &["seq", "consumer", "tenant", "kind", "file_id"]),
    table("forgotten", &["tenant", "ledger", "files", "rollup"]),
    table("hit", &["seq", "subject", "kind", "at"]),
    table(
        "api_key",
        &[
            "id",
            "tenant",
            "name",
            "shown",
            "digest",
            "scopes",
            "networks",
            "created_by",
            "created_at",
            "lifetime",
            "expires_at",
            "revoked_at",
            "last_used_at",
            "last_used_from",
        ],
    ),
    table("scan", &["domain", "scanned_at", "expires_at", "rubric", "tag", "en", "tr"]),
    table(
        "scan_day",
        &["domain", "day", "scanned_at", "rubric", "score", "tier", "tag", "checks", "agents"],
    ),
    table("audit", &["id", "name", "created_at", "expires_at", "rubric", "en", "tr"]),
    table("audit_usage", &["day", "event", "count"]),
    table("secret", &["name", "value"]),
    table(
        "person",
        &[
            "id",
            "tenant",
            "name",
            "scopes",
            "password",
            "created_at",
            "credentials_changed_at",
            "disabled_at",
        ],
    ),
    table("session", &["digest", "person", "created_at", "used_at"]),
    table("oauth_client", &["id", "name", "redirect_uris", "created_at", "last_used_at"]),
    table(
        "oauth_grant",
        &[
            "id",
            "user_id",
            "client_id",
            "client_name",
            "scopes",
            "resource",
            "created_at",
            "expires_at",
            "revoked_at",
        ],
    ),
    table(
        "oauth_code",
        &["digest", "grant_id", "redirect_uri", "challenge", "expires_at", "used_at"],
    ),
    table(
        "oauth_access_token",
        &["digest", "grant_id", "scopes", "created_at", "expires_at", "revoked_at"],
    ),
    table(
        "oauth_refresh_token",
        &[
            "digest",
            "grant_id",
            "parent",
            "created_at",
            "expires_at",
            "replaced_at",
            "successor_used_at",
        ],
    ),
    table("store_state", &["name", "value"]),
    // Rows of `api_key` once more.
    table(SUCCESSORS, &["id", "replaced_by"]),
];

/// The name under which the successors of keys are copied.
const SUCCESSORS: &str = "api_key (replaced_by)";

impl StateStore {
    /// How many rows each table has.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn row_counts(&self) -> Result<BTreeMap<&'static str, u64>, StoreError> {
        self.snapshot(|statements| {
            TABLES.iter().map(|table| Ok((table.name, table.count(statements)?))).collect()
        })
        .map_err(failed(|| "count all rows".to_owned()))
    }

    /// Copies all rows of another database to this one, which has none, in one transaction.
    ///
    /// # Errors
    ///
    /// When one of them fails. Nothing is copied then.
    pub(crate) fn copy_from(
        &self,
        source: &Self,
        report: &dyn Fn(&str),
    ) -> Result<BTreeMap<&'static str, u64>, StoreError> {
        self.write(|to| {
            let copied = source.snapshot(|from| {
                TABLES
                    .iter()
                    .map(|table| {
                        let rows = table.copy(from, to)?;
                        if rows > 0 {
                            report(&format!("{}: {rows} rows", table.name));
                        }
                        Ok((table.name, rows))
                    })
                    .collect()
            })?;
            self.database.continue_numbers(to)?;
            Ok(copied)
        })
        .map_err(failed(|| "copy all rows".to_owned()))
    }
}

impl Table {
    fn count(&self, statements: &dyn Statements) -> Result<u64, SqlError> {
        let sql = match self.name {
            SUCCESSORS => "SELECT count(*) FROM api_key WHERE replaced_by IS NOT NULL".to_owned(),
            name => format!("SELECT count(*) FROM {name}"),
        };
        statements.query_one(&sql, &[], |row| row.get(0))
    }

    fn copy(&self, from: &dyn Statements, to: &dyn Statements) -> Result<u64, SqlError> {
        let columns = self.columns.join(", ");
        let (select, insert) = match self.name {
            SUCCESSORS => (
                "SELECT id, replaced_by FROM api_key WHERE replaced_by IS NOT NULL".to_owned(),
                "UPDATE api_key SET replaced_by = ?2 WHERE id = ?1".to_owned(),
            ),
            name => {
                let numbers: Vec<String> =
                    (1..=self.columns.len()).map(|number| format!("?{number}")).collect();
                (
                    format!("SELECT {columns} FROM {name}"),
                    format!("INSERT INTO {name} ({columns}) VALUES ({})", numbers.join(", ")),
                )
            }
        };
        let mut copied = 0;
        let mut chunk = Chunk::default();
        from.query(&select, params![], &mut |row| {
            chunk.push(row, self.columns.len())?;
            if chunk.is_full() {
                copied += chunk.send(to, &insert)?;
            }
            Ok(())
        })?;
        copied += chunk.send(to, &insert)?;
        Ok(copied)
    }
}

/// Rows on their way.
#[derive(Default)]
struct Chunk {
    rows: Vec<Vec<OwnedValue>>,
    bytes: usize,
}

enum OwnedValue {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Chunk {
    fn push(&mut self, row: Row<'_>, columns: usize) -> Result<(), SqlError> {
        let mut values = Vec::with_capacity(columns);
        for column in 0..columns {
            let value = match row.value(column)? {
                Value::Null => OwnedValue::Null,
                Value::Int(int) => OwnedValue::Int(int),
                Value::Text(text) => OwnedValue::Text(text.to_owned()),
                Value::Bytes(bytes) => OwnedValue::Bytes(bytes.to_owned()),
            };
            self.bytes += match &value {
                OwnedValue::Null | OwnedValue::Int(_) => size_of::<i64>(),
                OwnedValue::Text(text) => text.len(),
                OwnedValue::Bytes(bytes) => bytes.len(),
            };
            values.push(value);
        }
        self.rows.push(values);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= CHUNK_ROWS || self.bytes >= CHUNK_BYTES
    }

    fn send(&mut self, to: &dyn Statements, sql: &str) -> Result<u64, SqlError> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let rows: Vec<Vec<Value<'_>>> =
            rows.iter().map(|row| row.iter().map(OwnedValue::borrow).collect()).collect();
        to.execute_each(sql, &rows)
    }
}

impl OwnedValue {
    fn borrow(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Int(int) => Value::Int(*int),
            Self::Text(text) => Value::Text(text),
            Self::Bytes(bytes) => Value::Bytes(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::TestStore;
    use super::*;

    /// A column that is added and not copied would be lost.
    #[test]
    fn every_column_of_every_table_is_copied() {
        let store = TestStore::in_files();
        let of_schema: Vec<String> = store
            .read(|statements| {
                statements.query_all(
                    "SELECT t.name || '.' || c.name FROM sqlite_schema AS t
                     JOIN pragma_table_info(t.name) AS c
                     WHERE t.type = 'table' AND t.name NOT IN ('node', 'lease')
                     ORDER BY 1",
                    &[],
                    |row| row.get(0),
                )
            })
            .unwrap();
        let mut copied: Vec<String> = TABLES
            .iter()
            .filter(|table| table.name != SUCCESSORS)
            .flat_map(|table| table.columns.iter().map(|column| format!("{}.{column}", table.name)))
            .chain(["api_key.replaced_by".to_owned()])
            .collect();
        copied.sort();
        assert_eq!(of_schema, copied);
    }
}
