//! The manifest: which files exist for readers.

use chrono::{DateTime, Utc};
use rusqlite::{Transaction, params};
use visibility_core::store::NewFile;
use visibility_core::tenant::TenantSlug;

/// Adds a file.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    tenant: &TenantSlug,
    file: &NewFile,
    now: DateTime<Utc>,
) -> Result<(), rusqlite::Error> {
    transaction
        .prepare_cached(
            "INSERT INTO data_file
             (tenant, name, partial, rows, bytes, min_time, max_time, day, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            tenant.as_str(),
            file.name,
            file.partial,
            file.rows,
            file.bytes,
            file.min_timestamp_micros,
            file.max_timestamp_micros,
            file.day.map(|day| day.to_epoch_days()),
            now.timestamp_micros(),
        ])?;
    Ok(())
}
