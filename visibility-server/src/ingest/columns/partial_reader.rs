//! Reads the sorted runs of a file of partial counts, and merges many.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use visibility_core::store::StoreError;

use super::decode::{self, ColumnReader};
use super::partial::{MAX_ROWS, PartialRow, RUNS};
use super::{failed, schema};

const ACTION: &str = "read a file of partial counts";

/// A sorted run of a file of partial counts. Holds one row group at a time.
pub struct PartialRun<R: ChunkReader + 'static> {
    file: Arc<SerializedFileReader<R>>,
    groups: Range<usize>,
    rows: Rows,
    at: usize,
}

/// Many runs as one: equal groups are added up, and rows come sorted.
pub struct PartialMerge<R: ChunkReader + 'static> {
    runs: Vec<PartialRun<R>>,
    // The next row of each run, by its sort key.
    heads: BinaryHeap<Reverse<(OwnedRow, usize)>>,
}

#[derive(Debug, Default)]
struct Rows {
    path: Vec<ByteArray>,
    day: Vec<i32>,
    host: Vec<ByteArray>,
    agent: Vec<ByteArray>,
    status_class: Vec<i32>,
    records: Vec<i64>,
    bytes: Vec<i64>,
}

/// A row that owns its strings, without a copy of their bytes.
#[derive(Clone, Debug)]
struct OwnedRow {
    path: ByteArray,
    day: i32,
    host: ByteArray,
    agent: ByteArray,
    status_class: u8,
    records: u64,
    bytes: u64,
}

/// The runs of a file.
///
/// # Errors
///
/// When it cannot be read or is not ours.
pub fn partial_runs<R: ChunkReader + 'static>(file: R) -> Result<Vec<PartialRun<R>>, StoreError> {
    let open = || {
        let file = decode::open(file, &schema::partials()?)?;
        let starts = starts(&file)?;
        let file = Arc::new(file);
        let ends = starts.iter().skip(1).copied().chain([file.num_row_groups()]);
        Ok(starts
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| PartialRun {
                file: Arc::clone(&file),
                groups: start..end,
                rows: Rows::default(),
                at: 0,
            })
            .collect())
    };
    decode::guarded(open).map_err(failed(ACTION))
}

/// The row groups with which runs start: ascending, from 0.
fn starts<R: ChunkReader + 'static>(
    file: &SerializedFileReader<R>,
) -> Result<Vec<usize>, ParquetError> {
    let metadata = file.metadata().file_metadata().key_value_metadata();
    let runs = metadata.and_then(|entries| entries.iter().find(|entry| entry.key == RUNS));
    let text = runs
        .and_then(|runs| runs.value.as_deref())
        .ok_or_else(|| decode::broken("the runs are not named"))?;
    if text.is_empty() && file.num_row_groups() == 0 {
        return Ok(Vec::new());
    }
    let starts: Result<Vec<usize>, _> = text.split(',').map(str::parse).collect();
    let starts = starts.map_err(|error| ParquetError::External(Box::new(error)))?;
    let is_ascending = starts.is_sorted_by(|one, other| one < other);
    let is_within = starts.last().is_some_and(|last| *last < file.num_row_groups());
    if starts.first() == Some(&0) && is_ascending && is_within {
        Ok(starts)
    } else {
        Err(decode::broken("the runs are not in the file"))
    }
}

impl<R: ChunkReader + 'static> PartialRun<R> {
    fn next_head(&mut self) -> Result<Option<OwnedRow>, StoreError> {
        if !self.fill()? {
            return Ok(None);
        }
        self.at += 1;
        Ok(self.rows.head(self.at - 1))
    }

    /// Makes sure that there is a row to take, unless the run is at its end.
    fn fill(&mut self) -> Result<bool, StoreError> {
        while self.at >= self.rows.day.len() {
            let Some(group) = self.groups.next() else { return Ok(false) };
            let Self { file, rows, .. } = self;
            decode::guarded(|| rows.read(file, group)).map_err(failed(ACTION))?;
            self.at = 0;
        }
        Ok(true)
    }
}

impl Rows {
    fn read<R: ChunkReader + 'static>(
        &mut self,
        file: &SerializedFileReader<R>,
        group: usize,
    ) -> Result<(), ParquetError> {
        *self = Self::default();
        let mut columns = ColumnReader::open(file, group)?;
        let count = columns.rows();
        if count > MAX_ROWS {
            return Err(decode::broken("a row group is too long"));
        }
        decode::texts(&mut columns.next::<ByteArrayType>()?, count, &mut self.path)?;
        decode::numbers(&mut columns.next::<Int32Type>()?, count, &mut self.day)?;
        decode::texts(&mut columns.next::<ByteArrayType>()?, count, &mut self.host)?;
        decode::texts(&mut columns.next::<ByteArrayType>()?, count, &mut self.agent)?;
        decode::numbers(&mut columns.next::<Int32Type>()?, count, &mut self.status_class)?;
        decode::numbers(&mut columns.next::<Int64Type>()?, count, &mut self.records)?;
        decode::numbers(&mut columns.next::<Int64Type>()?, count, &mut self.bytes)
    }

    fn head(&self, number: usize) -> Option<OwnedRow> {
        Some(OwnedRow {
            path: self.path.get(number)?.clone(),
            day: *self.day.get(number)?,
            host: self.host.get(number)?.clone(),
            agent: self.agent.get(number)?.clone(),
            status_class: u8::try_from(*self.status_class.get(number)?).unwrap_or_default(),
            records: self.records.get(number)?.max(&0).unsigned_abs(),
            bytes: self.bytes.get(number)?.max(&0).unsigned_abs(),
        })
    }
}

impl<R: ChunkReader + 'static> PartialMerge<R> {
    /// Merges runs.
    ///
    /// # Errors
    ///
    /// When the first row of one cannot be read.
    pub fn new(mut runs: Vec<PartialRun<R>>) -> Result<Self, StoreError> {
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter_mut().enumerate() {
            if let Some(head) = run.next_head()? {
                heads.push(Reverse((head, number)));
            }
        }
        Ok(Self { runs, heads })
    }

    /// Hands over every group once, in the order of [`PartialRow`].
    ///
    /// # Errors
    ///
    /// When a run cannot be read, and what `take` says.
    pub fn for_each(
        mut self,
        mut take: impl FnMut(&PartialRow<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut sum: Option<OwnedRow> = None;
        while let Some(head) = self.pop()? {
            match &mut sum {
                Some(sum) if *sum == head => sum.add(&head),
                Some(done) => take(&std::mem::replace(done, head).row())?,
                none => *none = Some(head),
            }
        }
        sum.map_or(Ok(()), |sum| take(&sum.row()))
    }

    fn pop(&mut self) -> Result<Option<OwnedRow>, StoreError> {
        let Some(mut top) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((head, number)) = &mut *top;
        let next = match self.runs.get_mut(*number) {
            Some(run) => run.next_head()?,
            None => None,
        };
        match next {
            Some(next) => Ok(Some(std::mem::replace(head, next))),
            None => Ok(Some(std::collections::binary_heap::PeekMut::pop(top).0.0)),
        }
    }
}

impl OwnedRow {
    fn key(&self) -> (&[u8], i32, &[u8], &[u8], u8) {
        (self.path.data(), self.day, self.host.data(), self.agent.data(), self.status_class)
    }

    fn add(&mut self, other: &Self) {
        self.records = self.records.saturating_add(other.records);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    fn row(&self) -> PartialRow<'_> {
        PartialRow {
            path: decode::text(&self.path),
            day: self.day,
            host: decode::text(&self.host),
            agent: decode::text(&self.agent),
            status_class: self.status_class,
            records: self.records,
            bytes: self.bytes,
        }
    }
}

impl Eq for OwnedRow {}

impl PartialEq for OwnedRow {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Ord for OwnedRow {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for OwnedRow {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<R: ChunkReader + 'static> fmt::Debug for PartialRun<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PartialRun").field("groups", &self.groups).finish_non_exhaustive()
    }
}

impl<R: ChunkReader + 'static> fmt::Debug for PartialMerge<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PartialMerge").field("runs", &self.runs).finish_non_exhaustive()
    }
}
