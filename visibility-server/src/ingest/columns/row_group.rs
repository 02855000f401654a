//! Writes the columns of a row group, in the order of its schema, and ends files.

use std::io::{self, Write};

use parquet::data_type::{ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::types::TypePtr;
use visibility_core::store::{ObjectWriter, StoreError};

use super::failed;
use super::schema::WRITE_BATCH;
use super::values::{DictionaryColumn, TextColumn};

/// A file that becomes an object.
pub(super) type FileWriter = SerializedFileWriter<ObjectOutput>;

/// A row group of it.
pub(super) type RowGroup<'a> = SerializedRowGroupWriter<'a, ObjectOutput>;

/// The object, until it is finished.
pub(super) struct ObjectOutput(Option<Box<dyn ObjectWriter>>);

/// Starts a file.
pub(super) fn start(
    out: Box<dyn ObjectWriter>,
    schema: TypePtr,
    properties: WriterPropertiesPtr,
) -> Result<FileWriter, ParquetError> {
    SerializedFileWriter::new(ObjectOutput(Some(out)), schema, properties)
}

/// Ends a file and makes it durable; says its bytes.
pub(super) fn end(mut file: FileWriter, action: &str) -> Result<u64, StoreError> {
    // Not `into_inner`: it forgets why the last bytes could not be written.
    file.finish().map_err(failed(action))?;
    match file.inner_mut().0.take() {
        Some(out) => out.finish(),
        None => Err(StoreError::unchanged(action, "it has ended before")),
    }
}

impl Write for ObjectOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open()?.flush()
    }
}

impl ObjectOutput {
    fn open(&mut self) -> io::Result<&mut Box<dyn ObjectWriter>> {
        self.0.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

/// Writes the next column, of numbers, and forgets them.
pub(super) fn numbers<T: DataType>(
    out: &mut RowGroup<'_>,
    values: &mut Vec<T::T>,
) -> Result<(), ParquetError> {
    column::<T>(out, values)?;
    values.clear();
    Ok(())
}

/// Writes the next column, of strings that seldom repeat, and forgets them.
pub(super) fn texts(out: &mut RowGroup<'_>, values: &mut TextColumn) -> Result<(), ParquetError> {
    column::<ByteArrayType>(out, &values.take())
}

/// Writes the next column, of strings that repeat, and forgets them.
pub(super) fn dictionary(
    out: &mut RowGroup<'_>,
    values: &mut DictionaryColumn,
) -> Result<(), ParquetError> {
    let (different, rows) = values.take();
    let mut column = next(out)?;
    let mut batch = Vec::with_capacity(WRITE_BATCH);
    for numbers in rows.chunks(WRITE_BATCH) {
        batch.clear();
        batch.extend(numbers.iter().filter_map(|number| different.get(*number as usize).cloned()));
        column.typed::<ByteArrayType>().write_batch(&batch, None, None)?;
    }
    column.close()
}

/// Writes the next column.
pub(super) fn column<T: DataType>(
    out: &mut RowGroup<'_>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let mut column = next(out)?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

fn next<'a>(out: &'a mut RowGroup<'_>) -> Result<SerializedColumnWriter<'a>, ParquetError> {
    out.next_column()?.ok_or_else(|| ParquetError::General("the schema has no such column".into()))
}
