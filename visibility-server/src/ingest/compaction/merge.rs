//! Merges sorted files of one day, and their partial counts.

use std::fs::File;

use chrono::NaiveDate;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::commit::StagedObjects;
use visibility_core::store::{NewFile, StoreError};

use super::day_file::{DayFile, refuse_other_sums};
use crate::ingest::columns::{
    Label, PartialMerge, PartialRun, RecordFileReader, RecordFileWriter, RecordRows, RecordSums,
    SortedWriter,
};

/// A sorted run of partial counts.
pub(super) type Run = PartialRun<File>;

/// A sorted file and the row that comes next.
struct Cursor {
    reader: RecordFileReader<File>,
    rows: RecordRows,
    at: usize,
}

/// Writes one file with the records of many and the sums of their partial counts.
pub(super) fn merge(
    staged: &mut StagedObjects<'_>,
    tenant: &TenantSlug,
    day: NaiveDate,
    (readers, runs): (Vec<RecordFileReader<File>>, Vec<Run>),
) -> Result<NewFile, StoreError> {
    let (file, (records, partial)) = DayFile::create(staged, tenant, day)?;
    let mut writer = RecordFileWriter::new(records)?;
    let labels: Vec<Option<Label>> = readers.iter().map(RecordFileReader::label).collect();
    let mut cursors = readers.into_iter().map(Cursor::open).collect::<Result<Vec<_>, _>>()?;
    // Few files: looking at the head of each is as fast as a heap, and copies no string.
    while let Some(cursor) = cursors.iter_mut().filter(|one| one.is_open()).min_by(|one, other| {
        let (one, other) = (one.rows.sort_key(one.at), other.rows.sort_key(other.at));
        one.cmp(&other)
    }) {
        if let Some(record) = cursor.rows.row(cursor.at) {
            writer.push_stored(&record)?;
        }
        cursor.advance()?;
    }
    let mut read = RecordSums::default();
    for cursor in &cursors {
        read.add(cursor.reader.sums());
    }
    let sums = writer.so_far().sums();
    refuse_other_sums(read, sums, "the records")?;
    let label = Label::of_merged(tenant, &labels).with_sums(sums);
    writer.set_label(&label);
    let written = writer.finish()?;

    let mut counts = SortedWriter::new(partial)?;
    counts.set_label(&label);
    counts.start_run()?;
    PartialMerge::new(runs)?.for_each(|row| counts.push(row))?;
    refuse_other_sums(sums, counts.finish()?.sums, "the counts by path")?;
    Ok(file.into_new_file(written, staged))
}

impl Cursor {
    fn open(reader: RecordFileReader<File>) -> Result<Self, StoreError> {
        let mut cursor = Self { reader, rows: RecordRows::default(), at: 0 };
        cursor.reader.read(&mut cursor.rows)?;
        Ok(cursor)
    }

    fn is_open(&self) -> bool {
        self.at < self.rows.len()
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        self.at += 1;
        if self.at == self.rows.len() {
            self.reader.read(&mut self.rows)?;
            self.at = 0;
        }
        Ok(())
    }
}
