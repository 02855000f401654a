//! Values of columns.

use std::error::Error;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use rusqlite::Row;
use visibility_core::accounts::tenant::TenantSlug;

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

/// A list in one column: none of what is listed has spaces.
pub(super) fn join_list(list: impl IntoIterator<Item = impl ToString>) -> String {
    list.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}

/// The list that [`join_list`] wrote.
pub(super) fn split_list<T, L>(row: &Row<'_>, column: usize) -> rusqlite::Result<L>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
    L: FromIterator<T>,
{
    let text: String = row.get(column)?;
    let items =
        text.split_whitespace().map(|word| word.parse().map_err(|error| unreadable(column, error)));
    items.collect()
}

/// A value in its wire form.
pub(super) fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    row.get::<_, String>(column)?.parse().map_err(|error| unreadable(column, error))
}

/// A value in its wire form, or nothing.
pub(super) fn optional<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    let text: Option<String> = row.get(column)?;
    text.map(|text| text.parse().map_err(|error| unreadable(column, error))).transpose()
}

/// Why a column cannot be read.
pub(super) fn unreadable(
    column: usize,
    error: impl Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}
