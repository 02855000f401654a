//! A checkpoint: the whole table as of one version, so that readers need not read all versions before it.
//!
//! Files that were removed are not in it. They are gone for good, and only the cleaning up of Delta Lake, which this
//! table is not for, looks for them.

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::version::{self, READER_VERSION, WRITER_VERSION};
use crate::ingest::columns::failed;
use crate::stores::state::manifest::DataFile;

/// The columns. Each row is one action: one of the groups has values, and the others are null.
const SCHEMA: &str = "
message checkpoint {
    optional group protocol {
        required int32 minReaderVersion;
        required int32 minWriterVersion;
    }
    optional group metaData {
        required binary id (STRING);
        required group format {
            required binary provider (STRING);
            required group options (MAP) {
                repeated group key_value {
                    required binary key (STRING);
                    optional binary value (STRING);
                }
            }
        }
        required binary schemaString (STRING);
        required group partitionColumns (LIST) {
            repeated group list {
                required binary element (STRING);
            }
        }
        required group configuration (MAP) {
            repeated group key_value {
                required binary key (STRING);
                optional binary value (STRING);
            }
        }
    }
    optional group add {
        required binary path (STRING);
        required group partitionValues (MAP) {
            repeated group key_value {
                required binary key (STRING);
                optional binary value (STRING);
            }
        }
        required int64 size;
        required int64 modificationTime;
        required boolean dataChange;
        required binary stats (STRING);
    }
}";

/// The rows before those of the files.
const FIRST_ROWS: usize = 2;

/// A checkpoint that is to be written.
pub(super) struct Checkpoint<'a> {
    pub(super) tenant: &'a TenantSlug,
    /// The id of the table.
    pub(super) id: Uuid,
    pub(super) files: &'a [DataFile],
}

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

impl Checkpoint<'_> {
    /// Its number of rows.
    pub(super) fn rows(&self) -> usize {
        FIRST_ROWS + self.files.len()
    }

    /// The file.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        let schema = version::schema()?;
        let write = || -> Result<Vec<u8>, ParquetError> {
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
                .build();
            let message = Arc::new(parse_message_type(SCHEMA)?);
            let mut file = SerializedFileWriter::new(Vec::new(), message, Arc::new(properties))?;
            let mut group = file.next_row_group()?;
            self.write_protocol(&mut group)?;
            self.write_meta_data(&mut group, &schema)?;
            self.write_files(&mut group)?;
            group.close()?;
            file.into_inner()
        };
        write().map_err(failed(format!("write a checkpoint of {}", self.tenant)))
    }

    fn write_protocol(&self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        self.column::<Int32Type>(group, 0, &[READER_VERSION])?;
        self.column::<Int32Type>(group, 0, &[WRITER_VERSION])
    }

    fn write_meta_data(&self, group: &mut Group<'_>, schema: &str) -> Result<(), ParquetError> {
        self.column::<ByteArrayType>(group, 1, &[self.id.to_string().as_str().into()])?;
        self.column::<ByteArrayType>(group, 1, &["parquet".into()])?;
        self.empty_map(group, 1, 1)?;
        self.column::<ByteArrayType>(group, 1, &[schema.into()])?;
        self.empty_list(group, 1, 1)?;
        self.empty_map(group, 1, 1)
    }

    fn write_files(&self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        let count = self.files.len();
        let files = || self.files.iter();
        let paths: Vec<ByteArray> =
            files().map(|file| version::path(self.tenant, file).as_str().into()).collect();
        self.column::<ByteArrayType>(group, FIRST_ROWS, &paths)?;
        self.empty_map(group, FIRST_ROWS, count)?;
        let sizes: Vec<i64> =
            files().map(|file| file.file.bytes.try_into().unwrap_or(i64::MAX)).collect();
        self.column::<Int64Type>(group, FIRST_ROWS, &sizes)?;
        let times: Vec<i64> = files().map(|file| file.created_at.timestamp_millis()).collect();
        self.column::<Int64Type>(group, FIRST_ROWS, &times)?;
        self.column::<BoolType>(group, FIRST_ROWS, &vec![false; count])?;
        let stats: Vec<ByteArray> =
            files().map(|file| version::stats(file).as_str().into()).collect();
        self.column::<ByteArrayType>(group, FIRST_ROWS, &stats)
    }

    /// Writes the next column: values in some rows, and nothing in the others.
    fn column<T: DataType>(
        &self,
        group: &mut Group<'_>,
        first: usize,
        values: &[T::T],
    ) -> Result<(), ParquetError> {
        next_column::<T>(group, values, &self.levels(first, values.len()), None)
    }

    /// Writes the next two columns: maps without entries in some rows.
    fn empty_map(
        &self,
        group: &mut Group<'_>,
        first: usize,
        count: usize,
    ) -> Result<(), ParquetError> {
        self.empty_list(group, first, count)?;
        self.empty_list(group, first, count)
    }

    /// Writes the next column: lists without entries in some rows.
    fn empty_list(
        &self,
        group: &mut Group<'_>,
        first: usize,
        count: usize,
    ) -> Result<(), ParquetError> {
        let repetitions = vec![0; self.rows()];
        next_column::<ByteArrayType>(group, &[], &self.levels(first, count), Some(&repetitions))
    }

    /// What says in which rows the group of a column is.
    fn levels(&self, first: usize, count: usize) -> Vec<i16> {
        (0..self.rows()).map(|row| i16::from((first..first + count).contains(&row))).collect()
    }
}

/// Writes the next column, with the levels that say where it has values.
fn next_column<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    definitions: &[i16],
    repetitions: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let missing = || ParquetError::General("the schema has no such column".into());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, Some(definitions), repetitions)?;
    column.close()
}
