//! A new data file with the records of one day, and the file with its partial counts.

use chrono::NaiveDate;
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::commit::StagedObjects;
use visibility_core::store::{NewFile, ObjectWriter, StoreError};

use crate::ingest::columns::RecordFile;

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
    pub(super) fn into_new_file(self, records: RecordFile) -> NewFile {
        NewFile {
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
