//! Writes the accepted records of a batch and collects the rejections.

use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::ingest::{LogRecord, RecordSink, Rejection};
use visibility_core::store::commit::StagedObjects;
use visibility_core::store::sums::Sums;
use visibility_core::store::{NewFile, StoreError, fresh_folder};

use super::response::Rejections;
use crate::ingest::columns::{Label, PartialWriter, RecordFileWriter};
use crate::runtime::fault;

/// Keeps records in the objects of their batch, and counts them.
pub(super) struct BatchSink<'s, 'o> {
    staged: &'s mut StagedObjects<'o>,
    folder: String,
    files: Option<Files>,
    rejections: Rejections,
}

/// The objects of the accepted records, once there is one.
struct Files {
    name: String,
    partial_name: String,
    records: RecordFileWriter,
    partial: PartialWriter,
}

/// What a batch has come to; its objects are durable.
pub(super) struct StoredBatch {
    pub(super) file: Option<NewFile>,
    /// Without its rejections.
    pub(super) sums: Sums,
    pub(super) rejections: Rejections,
}

impl<'s, 'o> BatchSink<'s, 'o> {
    pub(super) fn new(
        staged: &'s mut StagedObjects<'o>,
        tenant: &TenantSlug,
        rejections: Rejections,
    ) -> Self {
        let folder = fresh_folder(tenant);
        Self { staged, folder, files: None, rejections }
    }

    /// What was rejected.
    pub(super) fn rejections(&self) -> &Rejections {
        &self.rejections
    }

    /// Makes the objects durable, with this label.
    pub(super) fn finish(self, label: &Label) -> Result<StoredBatch, StoreError> {
        let (file, sums) = match self.files {
            Some(files) => {
                let (file, sums) = files.finish(label.clone(), self.staged)?;
                (Some(file), sums)
            }
            None => (None, Sums::default()),
        };
        Ok(StoredBatch { file, sums, rejections: self.rejections })
    }
}

impl Files {
    fn create(staged: &mut StagedObjects<'_>, folder: &str) -> Result<Self, StoreError> {
        let id = Uuid::now_v7();
        let name = format!("{folder}/{id}.parquet");
        let partial_name = format!("{folder}/{id}.partial.parquet");
        let records = RecordFileWriter::new(staged.create(&name)?)?;
        let partial = PartialWriter::new(staged.create(&partial_name)?)?;
        Ok(Self { name, partial_name, records, partial })
    }

    fn finish(
        mut self,
        label: Label,
        staged: &StagedObjects<'_>,
    ) -> Result<(NewFile, Sums), StoreError> {
        let label = label.with_sums(self.records.so_far().sums());
        self.records.set_label(&label);
        self.partial.set_label(&label);
        fault::point("before-file-finish")?;
        let records = self.records.finish()?;
        fault::point("after-file-finish")?;
        let (_, sums) = self.partial.finish()?;
        let file = NewFile {
            digest: staged.digest(&self.name),
            partial_digest: staged.digest(&self.partial_name),
            name: self.name,
            partial: Some(self.partial_name),
            rows: records.rows,
            bytes: records.bytes,
            min_timestamp_micros: records.min_timestamp_micros,
            max_timestamp_micros: records.max_timestamp_micros,
            day: None,
        };
        Ok((file, sums))
    }
}

impl RecordSink for BatchSink<'_, '_> {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        let files = match &mut self.files {
            Some(files) => files,
            none => none.insert(Files::create(self.staged, &self.folder)?),
        };
        files.records.push(record)?;
        files.partial.push(record)
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        self.rejections.push(rejection)
    }
}

/// Forgets accepted records.
pub(super) struct TestSink {
    pub(super) rejections: Rejections,
}

impl RecordSink for TestSink {
    fn accept(&mut self, _record: &LogRecord<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        self.rejections.push(rejection)
    }
}
