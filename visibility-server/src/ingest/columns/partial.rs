//! Partial counts by path: a small file beside the records, so that top paths need no scan of the records.

use std::fmt;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use parquet::data_type::{Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use visibility_core::ingest::LogRecord;
use visibility_core::store::sums::Sums;
use visibility_core::store::{ObjectWriter, StoreError};
use visibility_core::traffic::PathKind;

use super::row_group::{self, FileWriter, RowGroup, dictionary, numbers, texts};
use super::sums_builder::{CountKey, CountSums, HourKey, HourSums, day_number, hour_number};
use super::values::{DictionaryColumn, StringInterner, TextColumn};
use super::{Label, RecordSums, StoredRecord, SumsBuilder, failed, schema};

/// Bytes that the counts of a batch may take before they are written as one sorted run.
const MAX_HELD: usize = 32 * 1024 * 1024;
/// Bytes of what one record counts for.
const ROW_BYTES: usize = size_of::<CountedRow>();
/// Bytes of a slot: in the table, in the list, while they are sorted, and while they are counted by kind.
const SLOT_BYTES: usize = 6 * size_of::<(CountKey, CountSums)>() + size_of::<KindSums>();
/// Bytes of an hour in its table.
const HOUR_BYTES: usize = 2 * size_of::<(HourKey, HourSums)>();
/// Rows of a row group: a merge of many runs holds one of each.
pub(super) const MAX_ROWS: usize = 4096;
/// Bytes of the paths of a row group.
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
    /// Number of records.
    pub records: u64,
    /// Sum of their `response_bytes`.
    pub bytes: u64,
}

/// What a file of partial counts has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PartialFile {
    /// Rows: groups, not records.
    pub rows: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// What the counted records come to.
    pub sums: RecordSums,
}

/// Counts the records of a batch by path, and adds them up without their paths.
///
/// Dropped before [`finish`](Self::finish), it leaves nothing.
pub struct PartialWriter {
    runs: SortedWriter,
    totals: SumsBuilder,
    paths: StringInterner,
    hosts: StringInterner,
    agents: StringInterner,
    /// All that a record counts for beside its path. They are few, so that one number is enough for
    /// four.
    slots: HashMap<CountKey, u32, RandomState>,
    /// The slots by their numbers, and what they have come to.
    sums: Vec<(CountKey, CountSums)>,
    /// What each hour has come to.
    hours: HashMap<HourKey, HourSums, RandomState>,
    /// What each record counts for. Sorted at once they take a third of the time of a table.
    rows: Vec<CountedRow>,
}

/// What a slot has come to for each kind of path, in the order of [`PathKind::ALL`].
type KindSums = [CountSums; PathKind::ALL.len()];

/// Writes rows that are sorted already.
pub(crate) struct SortedWriter {
    file: FileWriter,
    group: PartialColumns,
    groups: usize,
    starts: Vec<usize>,
    done: PartialFile,
}

/// What a record counts for.
#[derive(Clone, Copy, Debug)]
struct CountedRow {
    path: u32,
    slot: u32,
    bytes: u64,
}

#[derive(Debug, Default)]
struct PartialColumns {
    path: TextColumn,
    day: Vec<i32>,
    host: DictionaryColumn,
    agent: DictionaryColumn,
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
            totals: SumsBuilder::default(),
            paths: StringInterner::default(),
            hosts: StringInterner::default(),
            agents: StringInterner::default(),
            slots: HashMap::default(),
            sums: Vec::new(),
            hours: HashMap::default(),
            rows: Vec::new(),
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
        let path = self.paths.intern(path);
        let slot = CountKey {
            day: day_number(record.timestamp_micros),
            host: self.hosts.intern(record.host),
            agent: self.agents.intern(record.agent),
            status: record.status_code,
        };
        let bytes = record.counted_bytes();
        self.count_hour(slot, record.timestamp_micros);
        let slot = self.slot(slot, bytes);
        self.rows.push(CountedRow { path, slot, bytes });
        if self.byte_len() >= MAX_HELD {
            self.write_run()?;
        }
        Ok(())
    }

    /// Makes the file say what it is.
    pub fn set_label(&mut self, label: &Label) {
        self.runs.set_label(label);
    }

    /// Writes what is left and makes the file durable; also says what the records come to.
    ///
    /// # Errors
    ///
    /// When it may not be durable.
    pub fn finish(mut self) -> Result<(PartialFile, Sums), StoreError> {
        self.write_run()?;
        let Self { runs, totals, .. } = self;
        Ok((runs.finish()?, totals.finish()))
    }

    /// Counts a record of a slot for its hour.
    fn count_hour(&mut self, slot: CountKey, timestamp_micros: i64) {
        let CountKey { agent, host, status, .. } = slot;
        let key = HourKey { hour: hour_number(timestamp_micros), agent, host };
        self.hours.entry(key).or_insert(HourSums::NONE).push(status, timestamp_micros);
    }

    /// Counts a record for a slot; says the slot's number.
    fn slot(&mut self, slot: CountKey, bytes: u64) -> u32 {
        let Self { slots, sums, .. } = self;
        let number = *slots.entry(slot).or_insert_with(|| {
            sums.push((slot, CountSums::default()));
            // A run has fewer records than this has room.
            u32::try_from(sums.len() - 1).unwrap_or(u32::MAX)
        });
        if let Some((_, sums)) = sums.get_mut(number as usize) {
            sums.add(CountSums { records: 1, bytes });
        }
        number
    }

    fn byte_len(&self) -> usize {
        let names = self.paths.byte_len() + self.hosts.byte_len() + self.agents.byte_len();
        names
            + self.sums.len() * SLOT_BYTES
            + self.hours.len() * HOUR_BYTES
            + self.rows.len() * ROW_BYTES
    }

    fn write_run(&mut self) -> Result<(), StoreError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.add_to_totals();
        let Self { runs, paths, hosts, agents, sums, rows, .. } = self;
        runs.start_run()?;
        let groups = groups(sums, hosts, agents);
        let ranks = ranks(&groups, sums.len());
        let sorted = paths.sorted();
        for row in &mut *rows {
            row.path = sorted.ranks.get(row.path as usize).copied().unwrap_or_default();
            row.slot = ranks.get(row.slot as usize).copied().unwrap_or_default();
        }
        rows.sort_unstable_by_key(CountedRow::order);
        for same_path in rows.chunk_by(|one, other| one.path == other.path) {
            let number = same_path.first().and_then(|row| sorted.numbers.get(row.path as usize));
            let path = paths.resolve(number.copied().unwrap_or_default());
            for same in same_path.chunk_by(|one, other| one.slot == other.slot) {
                let group = same.first().and_then(|row| groups.get(row.slot as usize));
                let Some((group, _)) = group else { continue };
                let records = same.len() as u64;
                let bytes = same.iter().fold(0, |sum: u64, row| sum.saturating_add(row.bytes));
                runs.push(&PartialRow { path, records, bytes, ..*group })?;
            }
        }
        self.forget();
        Ok(())
    }

    /// Adds what slots and hours have come to, under the names of their agents and hosts.
    fn add_to_totals(&mut self) {
        let kinds = self.count_kinds();
        let Self { totals, hosts, agents, sums, hours, .. } = self;
        for ((slot, sums), kinds) in sums.iter().zip(kinds) {
            let names = (agents.resolve(slot.agent), hosts.resolve(slot.host));
            let (agent, host) = totals.numbers(names.0, names.1);
            let slot = CountKey { agent, host, ..*slot };
            totals.add(slot, *sums);
            let of_kinds = PathKind::ALL.into_iter().zip(kinds);
            for (kind, sums) in of_kinds.filter(|(_, sums)| sums.records > 0) {
                totals.add_kind(slot, kind, sums);
            }
        }
        for (key, sums) in &*hours {
            let names = (agents.resolve(key.agent), hosts.resolve(key.host));
            let (agent, host) = totals.numbers(names.0, names.1);
            totals.add_hour(HourKey { agent, host, ..*key }, *sums);
        }
    }

    /// What each slot has come to for each kind of path. The kind is decided once for each path.
    fn count_kinds(&self) -> Vec<KindSums> {
        let place = |kind| (0..).zip(PathKind::ALL).find(|(_, other)| *other == kind);
        let paths = 0..u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        let places: Vec<u8> = paths
            .map(|path| place(PathKind::of(self.paths.resolve(path))))
            .map(|place| place.map_or(0, |(place, _)| place))
            .collect();
        let mut kinds = vec![KindSums::default(); self.sums.len()];
        for row in &self.rows {
            let place = places.get(row.path as usize).copied().unwrap_or_default();
            let slot = kinds.get_mut(row.slot as usize);
            if let Some(sums) = slot.and_then(|slot| slot.get_mut(usize::from(place))) {
                sums.add(CountSums { records: 1, bytes: row.bytes });
            }
        }
        kinds
    }

    fn forget(&mut self) {
        self.rows.clear();
        self.hours.clear();
        self.sums.clear();
        self.slots.clear();
        self.paths.clear();
        self.hosts.clear();
        self.agents.clear();
    }
}

/// The slots as rows without a path, sorted, and the number of each.
fn groups<'a>(
    sums: &[(CountKey, CountSums)],
    hosts: &'a StringInterner,
    agents: &'a StringInterner,
) -> Vec<(PartialRow<'a>, u32)> {
    let group = |slot: &CountKey| PartialRow {
        path: "",
        day: slot.day,
        host: hosts.resolve(slot.host),
        agent: agents.resolve(slot.agent),
        status_class: u8::try_from(slot.status / 100).unwrap_or_default(),
        records: 0,
        bytes: 0,
    };
    let mut groups: Vec<_> =
        sums.iter().zip(0..).map(|((slot, _), number)| (group(slot), number)).collect();
    groups.sort_unstable();
    groups
}

/// The place of each slot among the sorted groups; equal groups have the place of their first.
fn ranks(groups: &[(PartialRow<'_>, u32)], slots: usize) -> Vec<u32> {
    let mut ranks = vec![0; slots];
    let mut first = 0_u32;
    for same in groups.chunk_by(|(one, _), (other, _)| one == other) {
        for (_, number) in same {
            if let Some(rank) = ranks.get_mut(*number as usize) {
                *rank = first;
            }
        }
        first = first.saturating_add(u32::try_from(same.len()).unwrap_or(u32::MAX));
    }
    ranks
}

impl CountedRow {
    /// Its path and slot in one number, for a fast comparison.
    fn order(&self) -> u64 {
        (u64::from(self.path) << 32) | u64::from(self.slot)
    }
}

impl SortedWriter {
    /// Starts a file.
    pub(crate) fn new(out: Box<dyn ObjectWriter>) -> Result<Self, StoreError> {
        let start = || row_group::start(out, schema::partials()?, schema::partial_properties()?);
        let file = start().map_err(failed(ACTION))?;
        let done = PartialFile::default();
        Ok(Self { file, group: PartialColumns::default(), groups: 0, starts: Vec::new(), done })
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
        self.done.rows += 1;
        self.done.sums.add(RecordSums { records: row.records, response_bytes: row.bytes });
        if self.group.day.len() >= MAX_ROWS || self.group.path.byte_len() >= MAX_PATH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Makes the file say what it is.
    pub(crate) fn set_label(&mut self, label: &Label) {
        self.file.append_key_value_metadata(label.entry());
    }

    /// Writes what is left and makes the file durable.
    pub(crate) fn finish(mut self) -> Result<PartialFile, StoreError> {
        self.flush()?;
        let starts: Vec<String> = self.starts.iter().map(usize::to_string).collect();
        self.file.append_key_value_metadata(KeyValue::new(RUNS.to_owned(), starts.join(",")));
        Ok(PartialFile { bytes: row_group::end(self.file, ACTION)?, ..self.done })
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

impl PartialColumns {
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
        dictionary(out, &mut self.host)?;
        dictionary(out, &mut self.agent)?;
        numbers::<Int32Type>(out, &mut self.status_class)?;
        numbers::<Int64Type>(out, &mut self.records)?;
        numbers::<Int64Type>(out, &mut self.bytes)
    }
}

impl fmt::Debug for PartialWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.rows.len();
        formatter.debug_struct("PartialWriter").field("rows", &rows).finish_non_exhaustive()
    }
}

impl fmt::Debug for SortedWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SortedWriter").field("done", &self.done).finish_non_exhaustive()
    }
}
