//! The live files of a tenant, for other engines.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use crate::stores::Stores;

/// A file of records that exists for readers. It stays for the grace time of the service after it is
/// replaced, and never changes.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct LiveFile {
    /// The Parquet file of the records: its path, or its address such as `s3://bucket/prefix/name`.
    pub path: String,
    /// The Parquet file of their counts by path.
    pub partial: Option<String>,
    /// Number of records.
    pub rows: u64,
    /// Bytes of the file of the records.
    pub bytes: u64,
    /// Earliest record.
    pub min_time: DateTime<Utc>,
    /// Latest record.
    pub max_time: DateTime<Utc>,
    /// The day of all records, if the file is compacted.
    pub day: Option<NaiveDate>,
}

/// The live files of a tenant, in the order of their publication.
///
/// # Errors
///
/// When the database cannot be read.
pub fn live_files(stores: &Stores, tenant: &TenantSlug) -> Result<Vec<LiveFile>, StoreError> {
    let objects = stores.objects();
    let all = NaiveDate::MIN..=NaiveDate::MAX;
    stores
        .state_store()
        .live_files(tenant, &all)?
        .into_iter()
        .map(|file| {
            let file = file.file;
            Ok(LiveFile {
                path: objects.address(&file.name)?,
                partial: file.partial.map(|name| objects.address(&name)).transpose()?,
                rows: file.rows,
                bytes: file.bytes,
                min_time: time(file.min_timestamp_micros),
                max_time: time(file.max_timestamp_micros),
                day: file.day,
            })
        })
        .collect()
}

fn time(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).unwrap_or_default()
}
