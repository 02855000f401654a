//! Parquet files: the records of a batch, and its partial counts.
//!
//! Both are written while the batch is judged, record by record, with bounded memory: values gather
//! in arenas, and a row group is written when an arena or its number of rows is full.

mod decode;
mod label;
mod partial;
mod partial_groups;
mod partial_reader;
mod record;
mod record_reader;
mod record_writer;
mod row_group;
mod schema;
mod sorted_texts;
mod sums;
mod sums_builder;
mod values;

use std::io;

use parquet::errors::ParquetError;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use visibility_core::store::{StoreError, StoreErrorKind};

pub use self::label::{BatchLabel, Label};
pub(crate) use self::partial::SortedWriter;
pub use self::partial::{PartialFile, PartialRow, PartialWriter};
pub(crate) use self::partial_groups::{PartialGroup, PartialGroups, PartialSelection};
pub use self::partial_reader::{PartialMerge, PartialRun, partial_runs};
pub use self::record::StoredRecord;
pub use self::record_reader::{RecordFileReader, RecordRows};
pub use self::record_writer::{RecordFile, RecordFileWriter};
pub use self::sums::RecordSums;
pub use self::sums_builder::SumsBuilder;
pub(crate) use self::sums_builder::{date, day_number};
pub(crate) use self::values::StringInterner;

/// The columns of a record file, in their order.
pub(crate) fn record_columns() -> Result<Vec<ColumnDescPtr>, StoreError> {
    let schema = schema::records().map_err(failed("read the schema of the records"))?;
    Ok(SchemaDescriptor::new(schema).columns().to_vec())
}

/// Tells a failure of the writer or the reader of a file.
pub(crate) fn failed(action: impl Into<String>) -> impl FnOnce(ParquetError) -> StoreError {
    let action = action.into();
    |error| {
        let kind = if is_full(&error) { StoreErrorKind::Full } else { StoreErrorKind::Unchanged };
        StoreError { kind, action, source: Some(Box::new(error)) }
    }
}

/// Whether the cause is that there is no room.
fn is_full(error: &ParquetError) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return matches!(
                error.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            );
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests;
