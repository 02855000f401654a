//! Counts by path: a second, small file beside the records, so that top paths need no scan.

use std::fmt;

use parquet::data_type::{Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use visibility_core::ingest::LogRecord;
use visibility_core::store::{ObjectWriter, StoreError};

use super::rollup::day_number;
use super::row_group::{self, FileWriter, RowGroup, numbers, texts, words};
use super::values::{Names, Texts, Words};
use super::{StoredRecord, failed, schema};

/// Octets that the counts of a batch may take before they are written as one sorted run.
const MAX_HELD: usize = 32 * 1024 * 1024;
/// Octets of what one record counts for.
const GROUP_BYTES: usize = size_of::<(Group, u64)>();
/// Rows of a row group: a merge of many runs holds one of each.
pub(super) const MAX_ROWS: usize = 4096;
/// Octets of the paths of a row group.
const MAX_PATH_BYTES: usize = 256 * 1024;
/// The name under which a file says with which row groups its runs start.
pub(super) const RUNS: &str = "visibility.runs";
const ACTION: &str = "write a file of partial counts";

/// The counts of one path, day, host, agent and class of status. Rows sort in this order.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct PartialRow<'a> {
    /// Path without query.
    pub path: &'a str,
    /// Days since 1970.
    pub day: i32,
    /// Host.
    pub host: &'a str,
    /// Id of the agent.
    pub agent: &'a str,
    /// First digit of the status.
    pub status_class: u8,
    /// Records.
    pub records: u64,
    /// Sum of their `response_bytes`.
    pub bytes: u64,
}

/// What a file of partial counts has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PartialFile {
    /// Rows: groups, not records.
    pub rows: u64,
    /// Octets.
    pub bytes: u64,
}

/// Counts the records of a batch by path. Dropped before [`finish`](Self::finish), it leaves nothing.
pub struct PartialWriter {
    runs: SortedWriter,
    paths: Names,
    hosts: Names,
    agents: Names,
    /// What each record counts for. Sorted at once they take a third of the time of a table.
    groups: Vec<(Group, u64)>,
}

/// Writes rows that are sorted already.
pub(crate) struct SortedWriter {
    file: FileWriter,
    group: Columns,
    groups: usize,
    starts: Vec<usize>,
    rows: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Group {
    path: u32,
    day: i32,
    host: u32,
    agent: u32,
    status_class: u8,
}

#[derive(Debug, Default)]
struct Columns {
    path: Texts,
    day: Vec<i32>,
    host: Words,
    agent: Words,
    status_class: Vec<i32>,
    records: Vec<i64>,
    bytes: Vec<i64>,
}

impl PartialWriter {
    /// Starts a file.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn new(out: Box<dyn ObjectWriter>) -> Result<Self, StoreError> {
        Ok(Self {
            runs: SortedWriter::new(out)?,
            paths: Names::default(),
            hosts: Names::default(),
            agents: Names::default(),
            groups: Vec::new(),
        })
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
        let path = record.request_path;
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        let path = self.paths.number(path);
        let day = day_number(record.timestamp_micros);
        let host = self.hosts.number(record.host);
        let agent = self.agents.number(record.agent);
        let status_class = u8::try_from(record.status_code / 100).unwrap_or_default();
        let group = Group { path, day, host, agent, status_class };
        self.groups.push((group, record.counted_bytes()));
        if self.held() >= MAX_HELD {
            self.write_run()?;
        }
        Ok(())
    }

    /// Writes what is left and makes the file durable.
    ///
    /// # Errors
    ///
    /// When it may not be durable.
    pub fn finish(mut self) -> Result<PartialFile, StoreError> {
        self.write_run()?;
        let Self { runs, .. } = self;
        runs.finish()
    }

    fn held(&self) -> usize {
        self.paths.held() + self.hosts.held() + self.groups.len() * GROUP_BYTES
    }

    fn write_run(&mut self) -> Result<(), StoreError> {
        if self.groups.is_empty() {
            return Ok(());
        }
        self.runs.start_run()?;
        let (paths, hosts, agents) =
            (self.paths.sorted(), self.hosts.sorted(), self.agents.sorted());
        let rank = |ranks: &[u32], number: u32| ranks.get(number as usize).copied().unwrap_or(0);
        for (group, _) in &mut self.groups {
            group.path = rank(&paths.ranks, group.path);
            group.host = rank(&hosts.ranks, group.host);
            group.agent = rank(&agents.ranks, group.agent);
        }
        self.groups.sort_unstable_by_key(|(group, _)| group.order());
        for same in self.groups.chunk_by(|(one, _), (other, _)| one == other) {
            let Some((group, _)) = same.first() else { continue };
            self.runs.push(&PartialRow {
                path: self.paths.name(rank(&paths.numbers, group.path)),
                day: group.day,
                host: self.hosts.name(rank(&hosts.numbers, group.host)),
                agent: self.agents.name(rank(&agents.numbers, group.agent)),
                status_class: group.status_class,
                records: same.len() as u64,
                bytes: same.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes)),
            })?;
        }
        self.groups.clear();
        self.paths.clear();
        self.hosts.clear();
        self.agents.clear();
        Ok(())
    }
}

impl Group {
    /// Its members in few numbers, for a fast comparison.
    fn order(&self) -> (u64, u64, u8) {
        // Days before 1970 come first.
        let day = self.day.cast_unsigned() ^ (1 << 31);
        let pair = |high: u32, low: u32| (u64::from(high) << 32) | u64::from(low);
        (pair(self.path, day), pair(self.host, self.agent), self.status_class)
    }
}

impl SortedWriter {
    /// Starts a file.
    pub(crate) fn new(out: Box<dyn ObjectWriter>) -> Result<Self, StoreError> {
        let start = || row_group::start(out, schema::partials()?, schema::partial_properties()?);
        let file = start().map_err(failed(ACTION))?;
        Ok(Self { file, group: Columns::default(), groups: 0, starts: Vec::new(), rows: 0 })
    }

    /// Starts a run: rows that follow are sorted among themselves.
    pub(crate) fn start_run(&mut self) -> Result<(), StoreError> {
        self.flush()?;
        self.starts.push(self.groups);
        Ok(())
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: &PartialRow<'_>) -> Result<(), StoreError> {
        self.group.push(row);
        self.rows += 1;
        if self.group.day.len() >= MAX_ROWS || self.group.path.held() >= MAX_PATH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what is left and makes the file durable.
    pub(crate) fn finish(mut self) -> Result<PartialFile, StoreError> {
        self.flush()?;
        let starts: Vec<String> = self.starts.iter().map(usize::to_string).collect();
        self.file.append_key_value_metadata(KeyValue::new(RUNS.to_owned(), starts.join(",")));
        Ok(PartialFile { rows: self.rows, bytes: row_group::end(self.file, ACTION)? })
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if self.group.day.is_empty() {
            return Ok(());
        }
        self.groups += 1;
        let mut write = || {
            let mut out = self.file.next_row_group()?;
            self.group.write(&mut out)?;
            out.close()
        };
        write().map_err(failed(ACTION))?;
        Ok(())
    }
}

impl Columns {
    fn push(&mut self, row: &PartialRow<'_>) {
        self.path.push(row.path);
        self.day.push(row.day);
        self.host.push(row.host);
        self.agent.push(row.agent);
        self.status_class.push(row.status_class.into());
        self.records.push(i64::try_from(row.records).unwrap_or(i64::MAX));
        self.bytes.push(i64::try_from(row.bytes).unwrap_or(i64::MAX));
    }

    /// Writes the columns in the order of the schema.
    fn write(&mut self, out: &mut RowGroup<'_>) -> Result<(), ParquetError> {
        texts(out, &mut self.path)?;
        numbers::<Int32Type>(out, &mut self.day)?;
        words(out, &mut self.host)?;
        words(out, &mut self.agent)?;
        numbers::<Int32Type>(out, &mut self.status_class)?;
        numbers::<Int64Type>(out, &mut self.records)?;
        numbers::<Int64Type>(out, &mut self.bytes)
    }
}

impl fmt::Debug for PartialWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = self.groups.len();
        formatter.debug_struct("PartialWriter").field("groups", &groups).finish_non_exhaustive()
    }
}

impl fmt::Debug for SortedWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SortedWriter").field("rows", &self.rows).finish_non_exhaustive()
    }
}
