//! Reads a file of records back, some rows at a time.

use std::fmt;
use std::ops::RangeInclusive;

use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use visibility_core::store::StoreError;

use super::decode::{self, ColumnReader};
use super::{Label, RecordSums, StoredRecord, failed, schema};

/// Rows that are decoded at a time.
const MAX_ROWS: usize = 1024;
const ACTION: &str = "read a file of records";

/// Reads a file of records. A file that is corrupt or not ours gives an error.
pub struct RecordFileReader<R: ChunkReader + 'static> {
    file: SerializedFileReader<R>,
    next_group: usize,
    group: Option<OpenRowGroup>,
    left: u64,
    times: RangeInclusive<i64>,
    sums: RecordSums,
}

/// Some rows of a file of records.
#[derive(Debug, Default)]
pub struct RecordRows {
    timestamp: Vec<i64>,
    agent: Vec<ByteArray>,
    user_agent: Vec<ByteArray>,
    request_method: Vec<ByteArray>,
    request_path: Vec<ByteArray>,
    status_code: Vec<i32>,
    response_bytes: Vec<i64>,
    referrer: Vec<ByteArray>,
    host: Vec<ByteArray>,
    client_ip_hash: Vec<ByteArray>,
}

/// The columns of a row group, each at the same row.
struct OpenRowGroup {
    left: usize,
    timestamp: ColumnReaderImpl<Int64Type>,
    agent: ColumnReaderImpl<ByteArrayType>,
    user_agent: ColumnReaderImpl<ByteArrayType>,
    request_method: ColumnReaderImpl<ByteArrayType>,
    request_path: ColumnReaderImpl<ByteArrayType>,
    status_code: ColumnReaderImpl<Int32Type>,
    response_bytes: ColumnReaderImpl<Int64Type>,
    referrer: ColumnReaderImpl<ByteArrayType>,
    host: ColumnReaderImpl<ByteArrayType>,
    client_ip_hash: ColumnReaderImpl<ByteArrayType>,
}

impl<R: ChunkReader + 'static> RecordFileReader<R> {
    /// Opens a file that should have a number of rows.
    ///
    /// # Errors
    ///
    /// When it cannot be read, has other columns, or another number of rows.
    pub fn open(file: R, rows: u64) -> Result<Self, StoreError> {
        let file = decode::guarded(|| {
            let file = decode::open(file, &schema::records()?)?;
            decode::check_rows(&file, rows)?;
            Ok(file)
        })
        .map_err(failed(ACTION))?;
        let (times, sums) = (i64::MIN..=i64::MAX, RecordSums::default());
        Ok(Self { file, next_group: 0, group: None, left: rows, times, sums })
    }

    /// Opens a file that may have any number of rows, and says how many it has.
    ///
    /// # Errors
    ///
    /// When it cannot be read or has other columns.
    pub(crate) fn open_whole(file: R) -> Result<(Self, u64), StoreError> {
        let (file, rows) = decode::guarded(|| {
            let file = decode::open(file, &schema::records()?)?;
            let rows = file.metadata().file_metadata().num_rows().unsigned_abs();
            decode::check_rows(&file, rows)?;
            Ok((file, rows))
        })
        .map_err(failed(ACTION))?;
        let (times, sums) = (i64::MIN..=i64::MAX, RecordSums::default());
        Ok((Self { file, next_group: 0, group: None, left: rows, times, sums }, rows))
    }

    /// The same file, which should have no record outside of some times.
    #[must_use]
    pub fn within(self, times: RangeInclusive<i64>) -> Self {
        Self { times, ..self }
    }

    /// What the file says of itself.
    pub(crate) fn label(&self) -> Option<Label> {
        Label::of_file(self.file.metadata().file_metadata())
    }

    /// What the records come to that were read until now.
    pub(crate) fn sums(&self) -> RecordSums {
        self.sums
    }

    /// Reads the next rows over those that are there; says whether there were any.
    ///
    /// # Errors
    ///
    /// When they cannot be read; the file is of no use then.
    pub fn read(&mut self, rows: &mut RecordRows) -> Result<bool, StoreError> {
        rows.clear();
        decode::guarded(|| self.read_some(rows)).map_err(failed(ACTION))?;
        self.left = self.left.saturating_sub(rows.len() as u64);
        self.sums.add(rows.sums());
        if let Some(time) = rows.timestamp.iter().find(|time| !self.times.contains(time)) {
            let why =
                format!("a record has the time {time}, which is outside of those of the file");
            return Err(failed(ACTION)(decode::broken(&why)));
        }
        Ok(!rows.is_empty())
    }

    fn read_some(&mut self, rows: &mut RecordRows) -> Result<(), ParquetError> {
        while self.group.as_ref().is_none_or(|group| group.left == 0) {
            if self.next_group == self.file.num_row_groups() {
                let is_whole = self.left == 0;
                return if is_whole { Ok(()) } else { Err(decode::broken("rows are missing")) };
            }
            self.group = Some(OpenRowGroup::open(&self.file, self.next_group)?);
            self.next_group += 1;
        }
        match &mut self.group {
            Some(group) => group.read(rows),
            None => Ok(()),
        }
    }
}

impl OpenRowGroup {
    fn open<R: ChunkReader + 'static>(
        file: &SerializedFileReader<R>,
        number: usize,
    ) -> Result<Self, ParquetError> {
        let mut columns = ColumnReader::open(file, number)?;
        Ok(Self {
            left: columns.rows(),
            timestamp: columns.next::<Int64Type>()?,
            agent: columns.next::<ByteArrayType>()?,
            user_agent: columns.next::<ByteArrayType>()?,
            request_method: columns.next::<ByteArrayType>()?,
            request_path: columns.next::<ByteArrayType>()?,
            status_code: columns.next::<Int32Type>()?,
            response_bytes: columns.next::<Int64Type>()?,
            referrer: columns.next::<ByteArrayType>()?,
            host: columns.next::<ByteArrayType>()?,
            client_ip_hash: columns.next::<ByteArrayType>()?,
        })
    }

    fn read(&mut self, rows: &mut RecordRows) -> Result<(), ParquetError> {
        let count = self.left.min(MAX_ROWS);
        decode::numbers(&mut self.timestamp, count, &mut rows.timestamp)?;
        decode::texts(&mut self.agent, count, &mut rows.agent)?;
        decode::texts(&mut self.user_agent, count, &mut rows.user_agent)?;
        decode::texts(&mut self.request_method, count, &mut rows.request_method)?;
        decode::texts(&mut self.request_path, count, &mut rows.request_path)?;
        decode::numbers(&mut self.status_code, count, &mut rows.status_code)?;
        decode::numbers(&mut self.response_bytes, count, &mut rows.response_bytes)?;
        decode::texts(&mut self.referrer, count, &mut rows.referrer)?;
        decode::texts(&mut self.host, count, &mut rows.host)?;
        decode::texts(&mut self.client_ip_hash, count, &mut rows.client_ip_hash)?;
        self.left -= count;
        Ok(())
    }
}

impl RecordRows {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.timestamp.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.timestamp.is_empty()
    }

    /// One of them.
    pub fn row(&self, number: usize) -> Option<StoredRecord<'_>> {
        Some(StoredRecord {
            timestamp_micros: *self.timestamp.get(number)?,
            agent: decode::text(self.agent.get(number)?),
            user_agent: decode::text(self.user_agent.get(number)?),
            request_method: decode::text(self.request_method.get(number)?),
            request_path: decode::text(self.request_path.get(number)?),
            status_code: u16::try_from(*self.status_code.get(number)?).ok()?,
            response_bytes: *self.response_bytes.get(number)?,
            referrer: decode::text(self.referrer.get(number)?),
            host: decode::text(self.host.get(number)?),
            client_ip_hash: decode::text(self.client_ip_hash.get(number)?),
        })
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = StoredRecord<'_>> {
        (0..self.len()).filter_map(|number| self.row(number))
    }

    /// What they come to.
    pub(crate) fn sums(&self) -> RecordSums {
        let bytes = self.response_bytes.iter().map(|bytes| bytes.max(&0).unsigned_abs());
        RecordSums {
            records: self.len() as u64,
            response_bytes: bytes.fold(0, u64::saturating_add),
        }
    }

    /// What files of a day are sorted by: host, agent, time.
    pub(crate) fn sort_key(&self, number: usize) -> Option<(&[u8], &[u8], i64)> {
        let (host, agent) = (self.host.get(number)?.data(), self.agent.get(number)?.data());
        Some((host, agent, *self.timestamp.get(number)?))
    }

    fn clear(&mut self) {
        self.timestamp.clear();
        self.agent.clear();
        self.user_agent.clear();
        self.request_method.clear();
        self.request_path.clear();
        self.status_code.clear();
        self.response_bytes.clear();
        self.referrer.clear();
        self.host.clear();
        self.client_ip_hash.clear();
    }
}

impl<R: ChunkReader + 'static> fmt::Debug for RecordFileReader<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RecordFileReader").field("left", &self.left).finish_non_exhaustive()
    }
}
