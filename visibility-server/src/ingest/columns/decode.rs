//! Checked access to the columns of a row group, for both readers.

use std::panic::{self, AssertUnwindSafe};

use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::TypePtr;

/// Opens the columns of a row group, in the order of the schema.
pub(super) struct ColumnReader<'a> {
    group: Box<dyn RowGroupReader + 'a>,
    rows: usize,
    next: usize,
}

/// Opens a file that has the columns of a schema.
pub(super) fn open<R: ChunkReader + 'static>(
    file: R,
    schema: &TypePtr,
) -> Result<SerializedFileReader<R>, ParquetError> {
    let file = SerializedFileReader::new(file)?;
    let columns = file.metadata().file_metadata().schema();
    if columns.get_fields() != schema.get_fields() {
        return Err(broken("the columns are not those of the schema"));
    }
    Ok(file)
}

/// Refuses a file with another number of rows.
pub(super) fn check_rows<R: ChunkReader + 'static>(
    file: &SerializedFileReader<R>,
    rows: u64,
) -> Result<(), ParquetError> {
    let metadata = file.metadata();
    let sum: i64 = metadata.row_groups().iter().map(|group| group.num_rows().max(0)).sum();
    let is_right = u64::try_from(sum) == Ok(rows)
        && u64::try_from(metadata.file_metadata().num_rows()) == Ok(rows);
    if is_right { Ok(()) } else { Err(broken("the number of rows differs")) }
}

/// Runs the decoder, which may panic on bytes that are not Parquet.
pub(super) fn guarded<T>(
    read: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    // After an error, nothing that it may have left half-done is used.
    panic::catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(broken("the decoder panicked")))
}

/// The error for a file that this program did not write.
pub(super) fn broken(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

impl<'a> ColumnReader<'a> {
    /// Opens a row group.
    pub(super) fn open<R: ChunkReader + 'static>(
        file: &'a SerializedFileReader<R>,
        number: usize,
    ) -> Result<Self, ParquetError> {
        let group = file.get_row_group(number)?;
        let rows = usize::try_from(group.metadata().num_rows())?;
        Ok(Self { group, rows, next: 0 })
    }

    /// Rows of the group.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Opens the next column.
    pub(super) fn next<T: DataType>(&mut self) -> Result<ColumnReaderImpl<T>, ParquetError> {
        let column = self.at(self.next)?;
        self.next += 1;
        Ok(column)
    }

    /// The pages of the column at a place of the schema.
    pub(super) fn pages(&self, place: usize) -> Result<Box<dyn PageReader>, ParquetError> {
        self.group.get_column_page_reader(place)
    }

    /// Opens the column at a place of the schema.
    pub(super) fn at<T: DataType>(
        &self,
        place: usize,
    ) -> Result<ColumnReaderImpl<T>, ParquetError> {
        Ok(get_typed_column_reader::<T>(self.group.get_column_reader(place)?))
    }
}

/// Reads exactly `count` numbers.
pub(super) fn numbers<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    count: usize,
    values: &mut Vec<T::T>,
) -> Result<(), ParquetError> {
    column.read_records(count, None, None, values)?;
    if values.len() == count { Ok(()) } else { Err(broken("a column is too short")) }
}

/// Reads exactly `count` strings.
pub(super) fn texts(
    column: &mut ColumnReaderImpl<ByteArrayType>,
    count: usize,
    values: &mut Vec<ByteArray>,
) -> Result<(), ParquetError> {
    numbers(column, count, values)?;
    values.iter().try_for_each(|value| value.as_utf8().map(|_| ()))
}

/// The text of a value that [`texts`] has read.
pub(super) fn text(value: &ByteArray) -> &str {
    value.as_utf8().unwrap_or_default()
}
