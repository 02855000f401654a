//! A new data file with the records of one day, and the file with its partial counts.

use chrono::NaiveDate;
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::commit::StagedObjects;
use visibility_core::store::{NewFile, ObjectWriter, StoreError};

use crate::ingest::columns::{RecordFile, RecordSums};

/// The names of a new file's objects.
#[derive(Debug)]
pub(super) struct DayFile {
    day: NaiveDate,
    name: String,
    partial: String,
}

/// The objects of a new file: records, and partial counts.
pub(super) type Outputs = (Box<dyn ObjectWriter>, Box<dyn ObjectWriter>);

impl DayFile {
    /// Starts to write both objects.
    pub(super) fn create(
        staged: &mut StagedObjects<'_>,
        tenant: &TenantSlug,
        day: NaiveDate,
    ) -> Result<(Self, Outputs), StoreError> {
        let id = Uuid::now_v7();
        let name = format!("tenant={tenant}/day={day}/{id}.parquet");
        let partial = format!("tenant={tenant}/day={day}/{id}.partial.parquet");
        let outputs = (staged.create(&name)?, staged.create(&partial)?);
        Ok((Self { day, name, partial }, outputs))
    }

    /// The entry for the manifest, once both objects are finished.
    pub(super) fn into_new_file(self, records: RecordFile, staged: &StagedObjects<'_>) -> NewFile {
        NewFile {
            digest: staged.digest(&self.name),
            partial_digest: staged.digest(&self.partial),
            name: self.name,
            partial: Some(self.partial),
            rows: records.rows,
            bytes: records.bytes,
            min_timestamp_micros: records.min_timestamp_micros,
            max_timestamp_micros: records.max_timestamp_micros,
            day: Some(self.day),
        }
    }
}

/// Refuses to go on with records that come to something else than those that they were made from.
pub(super) fn refuse_other_sums(
    before: RecordSums,
    after: RecordSums,
    of_what: &str,
) -> Result<(), StoreError> {
    if before == after {
        return Ok(());
    }
    let why = format!(
        "{} records with {} bytes were read, and {of_what} have {} with {}",
        before.records, before.response_bytes, after.records, after.response_bytes
    );
    Err(StoreError::unchanged("merge files", why))
}
