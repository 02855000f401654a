//! Values of columns.

use chrono::{DateTime, Utc};
use rusqlite::Row;
use visibility_core::tenant::TenantSlug;

/// A name of a tenant.
pub(super) fn slug(row: &Row<'_>, column: usize) -> rusqlite::Result<TenantSlug> {
    row.get::<_, String>(column)?.parse().map_err(|error| unreadable(column, error))
}

/// A time, from microseconds since 1970.
pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<DateTime<Utc>> {
    let micros: i64 = row.get(column)?;
    DateTime::from_timestamp_micros(micros)
        .ok_or(rusqlite::Error::IntegralValueOutOfRange(column, micros))
}

/// A time, or nothing.
pub(super) fn optional_time(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<DateTime<Utc>>> {
    if row.get_ref(column)? == rusqlite::types::ValueRef::Null {
        return Ok(None);
    }
    time(row, column).map(Some)
}

/// Why a column cannot be read.
pub(super) fn unreadable(
    column: usize,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}
