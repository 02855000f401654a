//! Reads a file of partial counts row group by row group, without putting its runs in one order.

use std::ops::RangeInclusive;

use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use visibility_core::store::StoreError;

use super::decode::{self, ColumnReader};
use super::partial::MAX_ROWS;
use super::sorted_texts::SortedTexts;
use super::{failed, schema};

const ACTION: &str = "read a file of partial counts";

/// The places of the columns in the schema.
const PATH: usize = 0;
const DAY: usize = 1;
const HOST: usize = 2;
const AGENT: usize = 3;
const STATUS_CLASS: usize = 4;
const RECORDS: usize = 5;
const BYTES: usize = 6;

/// Which rows are wanted. What is `None` is not looked at, and not read.
#[derive(Default)]
pub(crate) struct PartialSelection<'a> {
    /// Days since 1970.
    pub(crate) days: Option<RangeInclusive<i32>>,
    /// The only host.
    pub(crate) host: Option<&'a str>,
    /// Ids of agents.
    pub(crate) agent: Option<&'a dyn Fn(&str) -> bool>,
    /// The only first digit of a status.
    pub(crate) status_class: Option<u8>,
}

/// A row that was selected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SelectedRow<'a> {
    /// Its number in the row group.
    pub(crate) number: usize,
    /// Path without query.
    pub(crate) path: &'a [u8],
    /// Whether it has the path of the selected row before it.
    pub(crate) is_same_path: bool,
    /// Number of records.
    pub(crate) records: u64,
    /// Sum of their `response_bytes`.
    pub(crate) bytes: u64,
}

/// A file of partial counts.
pub(crate) struct PartialGroups<R: ChunkReader + 'static> {
    file: SerializedFileReader<R>,
}

impl<R: ChunkReader + 'static> PartialGroups<R> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is not ours.
    pub(crate) fn open(file: R) -> Result<Self, StoreError> {
        let open = || decode::open(file, &schema::partials()?);
        Ok(Self { file: decode::guarded(open).map_err(failed(ACTION))? })
    }

    /// Row groups.
    pub(crate) fn count(&self) -> usize {
        self.file.num_row_groups()
    }

    /// Rows of a row group.
    pub(crate) fn rows(&self, number: usize) -> u64 {
        let group = self.file.metadata().row_groups().get(number);
        group.map_or(0, |group| group.num_rows().max(0).unsigned_abs())
    }

    /// Reads the paths of a row group.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(crate) fn read_paths(
        &self,
        number: usize,
        columns: &mut PartialGroup,
    ) -> Result<(), StoreError> {
        let read = || {
            let group = ColumnReader::open(&self.file, number)?;
            columns.path.read(&mut *group.pages(PATH)?, group.rows().min(MAX_ROWS))
        };
        decode::guarded(read).map_err(failed(ACTION))
    }

    /// Hands over the selected rows of a row group.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(crate) fn for_each(
        &self,
        number: usize,
        selection: &PartialSelection<'_>,
        columns: &mut PartialGroup,
        take: impl FnMut(SelectedRow<'_>),
    ) -> Result<(), StoreError> {
        let read = || columns.read(&self.file, number, selection);
        decode::guarded(read).map_err(failed(ACTION))?;
        columns.for_each(take);
        Ok(())
    }
}

/// The columns of a row group that are needed.
#[derive(Debug, Default)]
pub(crate) struct PartialGroup {
    /// Whether each row is selected; empty if all are.
    selected: Vec<bool>,
    path: SortedTexts,
    records: Vec<i64>,
    bytes: Vec<i64>,
    texts: Vec<ByteArray>,
    numbers: Vec<i32>,
}

impl PartialGroup {
    fn read<R: ChunkReader + 'static>(
        &mut self,
        file: &SerializedFileReader<R>,
        number: usize,
        selection: &PartialSelection<'_>,
    ) -> Result<(), ParquetError> {
        self.path.clear();
        self.records.clear();
        self.bytes.clear();
        let columns = ColumnReader::open(file, number)?;
        let count = columns.rows();
        if count > MAX_ROWS {
            return Err(decode::broken("a row group is too long"));
        }
        if !self.select(&columns, selection)? {
            return Ok(());
        }
        self.path.read(&mut *columns.pages(PATH)?, count)?;
        decode::numbers(&mut columns.at::<Int64Type>(RECORDS)?, count, &mut self.records)?;
        decode::numbers(&mut columns.at::<Int64Type>(BYTES)?, count, &mut self.bytes)
    }

    /// Whether any row is selected.
    fn select(
        &mut self,
        columns: &ColumnReader<'_>,
        selection: &PartialSelection<'_>,
    ) -> Result<bool, ParquetError> {
        self.selected.clear();
        if let Some(days) = &selection.days {
            self.by_numbers(columns, DAY, |day| days.contains(&day))?;
        }
        if let Some(class) = selection.status_class {
            self.by_numbers(columns, STATUS_CLASS, |other| other == i32::from(class))?;
        }
        if let Some(only) = selection.host {
            self.by_texts(columns, HOST, |host| host == only)?;
        }
        if let Some(is_wanted) = selection.agent {
            self.by_texts(columns, AGENT, is_wanted)?;
        }
        Ok(self.selected.is_empty() || self.selected.contains(&true))
    }

    fn by_numbers(
        &mut self,
        columns: &ColumnReader<'_>,
        column: usize,
        is_wanted: impl Fn(i32) -> bool,
    ) -> Result<(), ParquetError> {
        self.numbers.clear();
        let mut reader = columns.at::<Int32Type>(column)?;
        decode::numbers(&mut reader, columns.rows(), &mut self.numbers)?;
        let wanted = self.numbers.iter().map(|number| is_wanted(*number));
        narrow(&mut self.selected, wanted);
        Ok(())
    }

    fn by_texts(
        &mut self,
        columns: &ColumnReader<'_>,
        column: usize,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<(), ParquetError> {
        self.texts.clear();
        let mut reader = columns.at::<ByteArrayType>(column)?;
        decode::texts(&mut reader, columns.rows(), &mut self.texts)?;
        // The values are few.
        let mut known: Vec<(&ByteArray, bool)> = Vec::new();
        let wanted = self.texts.iter().map(|text| {
            if let Some((_, is_wanted)) = known.iter().find(|(other, _)| *other == text) {
                return *is_wanted;
            }
            let is_wanted = is_wanted(decode::text(text));
            known.push((text, is_wanted));
            is_wanted
        });
        narrow(&mut self.selected, wanted);
        Ok(())
    }

    /// The path of a row that was read.
    pub(crate) fn path(&self, row: usize) -> String {
        let text = self.path.get(row).unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    fn for_each(&self, mut take: impl FnMut(SelectedRow<'_>)) {
        let rows = self.path.iter().zip(&self.records).zip(&self.bytes).enumerate();
        let unsigned = |number: &i64| number.max(&0).unsigned_abs();
        let all = std::iter::repeat(&true);
        let mut before = None;
        for (row, is_selected) in rows.zip(self.selected.iter().chain(all)) {
            if !is_selected {
                continue;
            }
            let (number, (((place, path), records), bytes)) = row;
            take(SelectedRow {
                number,
                path,
                is_same_path: before == Some(place),
                records: unsigned(records),
                bytes: unsigned(bytes),
            });
            before = Some(place);
        }
    }
}

/// Takes out of the selected rows those that are not wanted.
fn narrow(selected: &mut Vec<bool>, wanted: impl Iterator<Item = bool>) {
    if selected.is_empty() {
        selected.extend(wanted);
        return;
    }
    for (is_selected, is_wanted) in selected.iter_mut().zip(wanted) {
        *is_selected &= is_wanted;
    }
}
