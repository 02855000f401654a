//! Values of columns.

use std::error::Error;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, Utc};
use visibility_core::accounts::tenant::TenantSlug;

use crate::stores::database::{Row, SqlError};

/// A name of a tenant.
pub(super) fn slug(row: Row<'_>, column: usize) -> Result<TenantSlug, SqlError> {
    parsed(row, column)
}

/// A time, from microseconds since 1970.
pub(super) fn time(row: Row<'_>, column: usize) -> Result<DateTime<Utc>, SqlError> {
    as_time(row.get(column)?)
}

/// A time, or nothing.
pub(super) fn optional_time(
    row: Row<'_>,
    column: usize,
) -> Result<Option<DateTime<Utc>>, SqlError> {
    row.get::<Option<i64>>(column)?.map(as_time).transpose()
}

fn as_time(micros: i64) -> Result<DateTime<Utc>, SqlError> {
    DateTime::from_timestamp_micros(micros)
        .ok_or_else(|| SqlError::unchanged(format!("{micros} is not a time")))
}

/// A day, from days since 1970.
pub(super) fn day(row: Row<'_>, column: usize) -> Result<NaiveDate, SqlError> {
    let days: i32 = row.get(column)?;
    NaiveDate::from_epoch_days(days)
        .ok_or_else(|| SqlError::unchanged(format!("{days} is not a day")))
}

/// A list in one column: none of what is listed has spaces.
pub(super) fn join_list(list: impl IntoIterator<Item = impl ToString>) -> String {
    list.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}

/// The list that [`join_list`] wrote.
pub(super) fn split_list<T, L>(row: Row<'_>, column: usize) -> Result<L, SqlError>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
    L: FromIterator<T>,
{
    let text: String = row.get(column)?;
    text.split_whitespace().map(|word| word.parse().map_err(SqlError::unchanged)).collect()
}

/// A value in its wire form.
pub(super) fn parsed<T>(row: Row<'_>, column: usize) -> Result<T, SqlError>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    row.get::<String>(column)?.parse().map_err(SqlError::unchanged)
}

/// A value in its wire form, or nothing.
pub(super) fn optional<T>(row: Row<'_>, column: usize) -> Result<Option<T>, SqlError>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    let text: Option<String> = row.get(column)?;
    text.map(|text| text.parse().map_err(SqlError::unchanged)).transpose()
}
