//! The statements of the table.

use std::fs::File;
use std::sync::LazyLock;

use parquet::basic::{LogicalType, Type as PhysicalType};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::client::{ClickHouseClient, Query};
use crate::ingest::columns;
use crate::stores::state::manifest::DataFile;

/// The table, as the server makes it if there is none.
const CREATE: &str = "
CREATE TABLE IF NOT EXISTS logs
(
    tenant         LowCardinality(String),
    timestamp      DateTime64(6, 'UTC'),
    agent          LowCardinality(String),
    user_agent     LowCardinality(String),
    request_method LowCardinality(String),
    request_path   String,
    status_code    UInt16,
    response_bytes UInt64,
    referrer       String,
    host           LowCardinality(String),
    client_ip_hash String,
    verification   LowCardinality(String),
    file           LowCardinality(String)
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (tenant, host, agent, timestamp)
SETTINGS non_replicated_deduplication_window = 1000";

/// Rows up to which a file is one block. Blocks with the same token are recognized, if they are cut in the same way.
const ONE_BLOCK_ROWS: u64 = 1_000_000;

/// A table.
pub(super) struct LogsTable {
    /// Its id. It is the same for all tables if their database has no ids.
    pub(super) id: String,
    /// Whether it was made just now.
    pub(super) is_new: bool,
}

/// Makes sure that there is a table.
pub(super) fn prepare(client: &ClickHouseClient) -> Result<LogsTable, StoreError> {
    let find = Query::new(
        "look for the table",
        "SELECT uuid FROM system.tables WHERE database = currentDatabase() AND name = 'logs' FORMAT TSV",
    );
    let found = client.run(&find)?;
    if !found.trim().is_empty() {
        return Ok(LogsTable { id: found.trim().to_owned(), is_new: false });
    }
    client.run(&Query::new("create the table", CREATE))?;
    Ok(LogsTable { id: client.run(&find)?.trim().to_owned(), is_new: true })
}

/// Removes all records of a tenant.
pub(super) fn remove_tenant(
    client: &ClickHouseClient,
    tenant: &TenantSlug,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM logs WHERE tenant = {tenant:String}";
    let query = Query::new("remove the records of a tenant", sql);
    client.run(&query.with("tenant", &tenant)).map(|_| ())
}

/// Removes the records of a tenant before a time, in microseconds since 1970.
pub(super) fn remove_before(
    client: &ClickHouseClient,
    tenant: &TenantSlug,
    micros: i64,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM logs WHERE tenant = {tenant:String}
         AND timestamp < fromUnixTimestamp64Micro({end:Int64}, 'UTC')";
    let query = Query::new("remove old records", sql);
    client.run(&query.with("tenant", &tenant).with("end", &micros)).map(|_| ())
}

/// Removes the records of a file.
pub(super) fn remove_file(
    client: &ClickHouseClient,
    tenant: &TenantSlug,
    file: &DataFile,
) -> Result<(), StoreError> {
    let sql = format!("DELETE FROM logs WHERE {OF_FILE}");
    client.run(&of_file("remove a file", &sql, tenant, file)).map(|_| ())
}

/// How many records of a file the table has.
pub(super) fn rows_of(
    client: &ClickHouseClient,
    tenant: &TenantSlug,
    file: &DataFile,
) -> Result<u64, StoreError> {
    let sql = format!("SELECT count() FROM logs WHERE {OF_FILE} FORMAT TSV");
    let query = of_file("count the rows of a file", &sql, tenant, file);
    let answer = client.run(&query)?;
    let rows = answer.trim().parse();
    rows.map_err(|error| StoreError::unchanged("count the rows of a file in ClickHouse", error))
}

/// The condition of the records of a file. Its times say in which days to look.
const OF_FILE: &str = "tenant = {tenant:String} AND file = {file:String}
    AND timestamp >= fromUnixTimestamp64Micro({first:Int64}, 'UTC')
    AND timestamp <= fromUnixTimestamp64Micro({last:Int64}, 'UTC')";

fn of_file(action: &'static str, sql: &str, tenant: &TenantSlug, file: &DataFile) -> Query {
    Query::new(action, sql)
        .with("tenant", &tenant)
        .with("file", &file.file.name)
        .with("first", &file.file.min_timestamp_micros)
        .with("last", &file.file.max_timestamp_micros)
}

/// A file that is to be inserted.
pub(super) struct Insert<'a> {
    pub(super) tenant: &'a TenantSlug,
    pub(super) file: &'a DataFile,
    pub(super) token: &'a str,
}

impl Insert<'_> {
    /// Sends the file. `go_on` is asked from time to time.
    pub(super) fn run(
        &self,
        client: &ClickHouseClient,
        object: File,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(), StoreError> {
        let columns = columns()?;
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        let structure: Vec<String> =
            columns.iter().map(|(name, kind)| format!("{name} {kind}")).collect();
        let structure = structure.join(", ").replace('\'', "\\'");
        // Of the letters of a UUID and a name of an object.
        let token = self.token;
        // As many rows as the file has, or the default.
        let block = if self.file.file.rows <= ONE_BLOCK_ROWS {
            "min_insert_block_size_rows = 1000000, min_insert_block_size_bytes = 0, "
        } else {
            ""
        };
        let sql = format!(
            "INSERT INTO logs ({names}, tenant, file)
             SETTINGS {block}max_insert_threads = 1, max_partitions_per_insert_block = 0,
                 input_format_parquet_preserve_order = 1, async_insert = 0,
                 insert_deduplicate = 1, insert_deduplication_token = '{token}'
             SELECT {names}, {{tenant:String}}, {{file:String}} FROM input('{structure}')
             FORMAT Parquet"
        );
        let query = Query::new("insert a file", &sql)
            .with("tenant", &self.tenant)
            .with("file", &self.file.file.name);
        client.send(&query, object, go_on)
    }
}

/// The columns of a record file, with their types in ClickHouse.
fn columns() -> Result<&'static [(String, &'static str)], StoreError> {
    static COLUMNS: LazyLock<Option<Vec<(String, &'static str)>>> = LazyLock::new(|| {
        let columns = columns::record_columns().ok()?;
        let columns = columns.iter().map(|column| {
            let kind = match (column.physical_type(), column.logical_type_ref()) {
                (PhysicalType::INT64, Some(LogicalType::Timestamp { .. })) => {
                    "DateTime64(6, 'UTC')"
                }
                (PhysicalType::INT64, _) => "Int64",
                (PhysicalType::INT32, _) => "Int32",
                _ => "String",
            };
            (column.name().to_owned(), kind)
        });
        Some(columns.collect())
    });
    COLUMNS
        .as_deref()
        .ok_or_else(|| StoreError::unchanged("read the schema of the records", "it is not valid"))
}
