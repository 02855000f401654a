//! A key as a row.

use std::error::Error;
use std::str::FromStr;

use chrono::TimeDelta;
use rusqlite::{Row, Transaction, params};

use super::super::column::{optional_time, slug, time, unreadable};
use super::{NewKey, StoredKey};

/// What [`stored_key`] reads.
pub(super) const SELECT_KEY: &str = "
    SELECT id, api_key.tenant, name, shown, digest, scopes, networks, created_by,
           api_key.created_at, lifetime, expires_at, revoked_at, replaced_by, last_used_at,
           last_used_from, disabled_at
    FROM api_key JOIN tenant ON tenant.slug = api_key.tenant";

/// Keeps a key.
pub(super) fn insert(transaction: &Transaction<'_>, key: &NewKey) -> rusqlite::Result<usize> {
    transaction.execute(
        "INSERT INTO api_key (id, tenant, name, shown, digest, scopes, networks, created_by,
                              created_at, lifetime, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            key.id.to_string(),
            key.tenant.as_str(),
            key.name.as_str(),
            key.shown,
            key.digest.as_bytes(),
            words(&key.scopes),
            words(&key.networks),
            key.created_by,
            key.created_at.timestamp_micros(),
            key.lifetime.and_then(|lifetime| lifetime.num_microseconds()),
            key.expires_at().map(|end| end.timestamp_micros()),
        ],
    )
}

/// The key of a row.
pub(super) fn stored_key(row: &Row<'_>) -> rusqlite::Result<StoredKey> {
    let made = NewKey {
        id: parsed(row, 0)?,
        tenant: slug(row, 1)?,
        name: parsed(row, 2)?,
        shown: row.get(3)?,
        digest: row.get::<_, [u8; 32]>(4)?.into(),
        scopes: listed(row, 5)?,
        networks: listed(row, 6)?,
        created_by: row.get(7)?,
        created_at: time(row, 8)?,
        lifetime: row.get::<_, Option<i64>>(9)?.map(TimeDelta::microseconds),
    };
    Ok(StoredKey {
        made,
        expires_at: optional_time(row, 10)?,
        revoked_at: optional_time(row, 11)?,
        replaced_by: optional(row, 12)?,
        last_used_at: optional_time(row, 13)?,
        last_used_from: optional(row, 14)?,
        tenant_disabled_at: optional_time(row, 15)?,
    })
}

/// A list in one column: none of what is listed has spaces.
fn words(list: impl IntoIterator<Item = impl ToString>) -> String {
    list.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}

fn listed<T, L>(row: &Row<'_>, column: usize) -> rusqlite::Result<L>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
    L: FromIterator<T>,
{
    let text: String = row.get(column)?;
    let items =
        text.split_whitespace().map(|word| word.parse().map_err(|error| unreadable(column, error)));
    items.collect()
}

fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    row.get::<_, String>(column)?.parse().map_err(|error| unreadable(column, error))
}

fn optional<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    let text: Option<String> = row.get(column)?;
    text.map(|text| text.parse().map_err(|error| unreadable(column, error))).transpose()
}
