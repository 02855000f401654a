//! Writes the records of a batch, or of a day, to a Parquet file.

use std::fmt;

use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use visibility_core::ingest::LogRecord;
use visibility_core::store::{ObjectWriter, StoreError};

use super::row_group::{self, FileWriter, RowGroup, column, dictionary, numbers, texts};
use super::values::{DictionaryColumn, TextColumn};
use super::{Label, RecordSums, StoredRecord, failed, schema};

/// Rows of a row group.
const MAX_ROWS: usize = 128 * 1024;
/// Bytes of strings in a row group: senders choose them, and a path has up to 8,192.
const MAX_HELD: usize = 24 * 1024 * 1024;
const ACTION: &str = "write a file of records";

/// Writes a file of records. Dropped before [`finish`](Self::finish), it leaves nothing.
pub struct RecordFileWriter {
    file: FileWriter,
    group: PendingRows,
    done: RecordFile,
}

/// What a file of records has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RecordFile {
    /// Number of records.
    pub rows: u64,
    /// Size of the file in bytes; 0 before it is finished.
    pub bytes: u64,
    /// Sum of the `response_bytes` of the records.
    pub response_bytes: u64,
    /// Earliest timestamp, microseconds since 1970; 0 without records.
    pub min_timestamp_micros: i64,
    /// Latest timestamp; 0 without records.
    pub max_timestamp_micros: i64,
}

impl RecordFile {
    /// What the records come to.
    pub fn sums(&self) -> RecordSums {
        RecordSums { records: self.rows, response_bytes: self.response_bytes }
    }
}

/// The rows that wait to be written.
#[derive(Debug, Default)]
struct PendingRows {
    timestamp: Vec<i64>,
    agent: DictionaryColumn,
    user_agent: DictionaryColumn,
    request_method: DictionaryColumn,
    request_path: TextColumn,
    status_code: Vec<i32>,
    response_bytes: Vec<i64>,
    referrer: TextColumn,
    host: DictionaryColumn,
    client_ip_hash: DictionaryColumn,
}

impl RecordFileWriter {
    /// Starts a file.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn new(out: Box<dyn ObjectWriter>) -> Result<Self, StoreError> {
        let start = || row_group::start(out, schema::records()?, schema::record_properties()?);
        let file = start().map_err(failed(ACTION))?;
        Ok(Self { file, group: PendingRows::default(), done: RecordFile::default() })
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn push(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        self.push_stored(&StoredRecord::from(record))
    }

    /// Adds a record of another file.
    pub(crate) fn push_stored(&mut self, record: &StoredRecord<'_>) -> Result<(), StoreError> {
        self.count(record);
        self.group.push(record);
        if self.group.is_full() {
            self.flush().map_err(failed(ACTION))?;
        }
        Ok(())
    }

    /// What was written until now.
    pub fn so_far(&self) -> &RecordFile {
        &self.done
    }

    /// Makes the file say what it is.
    pub fn set_label(&mut self, label: &Label) {
        self.file.append_key_value_metadata(label.entry());
    }

    /// Writes what is left and makes the file durable.
    ///
    /// # Errors
    ///
    /// When it may not be durable.
    pub fn finish(mut self) -> Result<RecordFile, StoreError> {
        if !self.group.timestamp.is_empty() {
            self.flush().map_err(failed(ACTION))?;
        }
        let bytes = row_group::end(self.file, ACTION)?;
        Ok(RecordFile { bytes, ..self.done })
    }

    fn count(&mut self, record: &StoredRecord<'_>) {
        let timestamp = record.timestamp_micros;
        let RecordFile { rows, min_timestamp_micros: min, max_timestamp_micros: max, .. } =
            &mut self.done;
        let is_first = *rows == 0;
        *min = if is_first { timestamp } else { timestamp.min(*min) };
        *max = if is_first { timestamp } else { timestamp.max(*max) };
        *rows += 1;
        self.done.response_bytes = self.done.response_bytes.saturating_add(record.counted_bytes());
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        let mut out = self.file.next_row_group()?;
        self.group.write(&mut out)?;
        out.close()?;
        Ok(())
    }
}

impl PendingRows {
    fn push(&mut self, record: &StoredRecord<'_>) {
        self.timestamp.push(record.timestamp_micros);
        self.agent.push(record.agent);
        self.user_agent.push(record.user_agent);
        self.request_method.push(record.request_method);
        self.request_path.push(record.request_path);
        self.status_code.push(i32::from(record.status_code));
        self.response_bytes.push(record.response_bytes);
        self.referrer.push(record.referrer);
        self.host.push(record.host);
        self.client_ip_hash.push(record.client_ip_hash);
    }

    fn is_full(&self) -> bool {
        let held = self.request_path.byte_len()
            + self.referrer.byte_len()
            + self.user_agent.byte_len()
            + self.request_method.byte_len()
            + self.host.byte_len()
            + self.client_ip_hash.byte_len();
        self.timestamp.len() >= MAX_ROWS || held >= MAX_HELD
    }

    /// Writes the columns in the order of the schema.
    fn write(&mut self, out: &mut RowGroup<'_>) -> Result<(), ParquetError> {
        let rows = self.timestamp.len();
        numbers::<Int64Type>(out, &mut self.timestamp)?;
        dictionary(out, &mut self.agent)?;
        dictionary(out, &mut self.user_agent)?;
        dictionary(out, &mut self.request_method)?;
        texts(out, &mut self.request_path)?;
        numbers::<Int32Type>(out, &mut self.status_code)?;
        numbers::<Int64Type>(out, &mut self.response_bytes)?;
        texts(out, &mut self.referrer)?;
        dictionary(out, &mut self.host)?;
        dictionary(out, &mut self.client_ip_hash)?;
        column::<ByteArrayType>(out, &vec![ByteArray::from(schema::CLAIMED); rows])
    }
}

impl fmt::Debug for RecordFileWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RecordFileWriter").field("done", &self.done).finish_non_exhaustive()
    }
}
