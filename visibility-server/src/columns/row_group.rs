//! Writes the columns of a row group, in the order of its schema.

use parquet::data_type::{ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedColumnWriter, SerializedRowGroupWriter};
use visibility_core::store::ObjectWriter;

use super::schema::WRITE_BATCH;
use super::values::{Texts, Words};

/// A row group of a file that becomes an object.
pub(super) type RowGroup<'a> = SerializedRowGroupWriter<'a, Box<dyn ObjectWriter>>;

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
pub(super) fn texts(out: &mut RowGroup<'_>, values: &mut Texts) -> Result<(), ParquetError> {
    column::<ByteArrayType>(out, &values.take())
}

/// Writes the next column, of strings that repeat, and forgets them.
pub(super) fn words(out: &mut RowGroup<'_>, values: &mut Words) -> Result<(), ParquetError> {
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
