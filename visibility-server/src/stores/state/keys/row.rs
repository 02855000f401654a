//! A key as a row.

use chrono::TimeDelta;

use super::super::column::{join_list, optional, optional_time, parsed, slug, split_list, time};
use super::{NewKey, StoredKey};
use crate::stores::database::{Row, SqlError, Statements, params};

/// What [`stored_key`] reads.
pub(super) const SELECT_KEY: &str = "
    SELECT id, api_key.tenant, name, shown, digest, scopes, networks, created_by,
           api_key.created_at, lifetime, expires_at, revoked_at, replaced_by, last_used_at,
           last_used_from, disabled_at
    FROM api_key JOIN tenant ON tenant.slug = api_key.tenant";

/// Keeps a key.
pub(super) fn insert(statements: &dyn Statements, key: &NewKey) -> Result<u64, SqlError> {
    statements.execute(
        "INSERT INTO api_key (id, tenant, name, shown, digest, scopes, networks, created_by,
                              created_at, lifetime, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            key.id.to_string(),
            key.tenant.as_str(),
            key.name.as_str(),
            key.abbreviated,
            key.digest.as_bytes(),
            join_list(&key.scopes),
            join_list(&key.networks),
            key.created_by,
            key.created_at.timestamp_micros(),
            key.lifetime.and_then(|lifetime| lifetime.num_microseconds()),
            key.expires_at().map(|end| end.timestamp_micros()),
        ],
    )
}

/// The key of a row.
pub(super) fn stored_key(row: Row<'_>) -> Result<StoredKey, SqlError> {
    let made = NewKey {
        id: parsed(row, 0)?,
        tenant: slug(row, 1)?,
        name: parsed(row, 2)?,
        abbreviated: row.get(3)?,
        digest: row.get::<[u8; 32]>(4)?.into(),
        scopes: split_list(row, 5)?,
        networks: split_list(row, 6)?,
        created_by: row.get(7)?,
        created_at: time(row, 8)?,
        lifetime: row.get::<Option<i64>>(9)?.map(TimeDelta::microseconds),
    };
    Ok(StoredKey {
        key: made,
        expires_at: optional_time(row, 10)?,
        revoked_at: optional_time(row, 11)?,
        replaced_by: optional(row, 12)?,
        last_used_at: optional_time(row, 13)?,
        last_used_from: optional(row, 14)?,
        tenant_disabled_at: optional_time(row, 15)?,
    })
}
