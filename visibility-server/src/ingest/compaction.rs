//! Compaction: merges the files of recent batches into files of one day, sorted by host, agent and time.
//!
//! Two steps, each one transaction that retires files and publishes others with the same rows. First,
//! fresh files are read, sorted as far as memory allows, and written as one file a day. Then, small
//! files of a day are merged with each other until they are of a good size; a file is only taken in
//! again by others that are together at least half as large, so a record is written a few times and
//! not once an hour. A crash leaves unreferenced objects, and the files as they were.

mod day_file;
mod merge;
mod sorter;

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::commit::StagedObjects;
use visibility_core::store::{NewFile, StoreError};

use self::sorter::Sorter;
use crate::ingest::columns::{self, Label, RecordFileReader, RecordRows, RecordSums};
use crate::ingest::sound;
use crate::runtime::fault;
use crate::stores::Stores;
use crate::stores::state::manifest::DataFile;

/// Bytes from which a file of a day is left alone.
const GOOD_BYTES: u64 = 128 * 1024 * 1024;
/// Bytes that the files that are merged may have together.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Bytes up to which a file is always worth a merge.
const SMALL_BYTES: u64 = 4 * 1024 * 1024;
/// Files that are merged at once: each costs some mebibytes.
const MAX_MERGED: usize = 8;
/// Fresh files that are replaced in one transaction.
const MAX_FRESH: usize = 64;

/// What a compaction has done.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Compacted {
    /// Files that were retired.
    pub retired: usize,
    /// Files that took their place.
    pub added: usize,
}

/// One compaction of a tenant.
struct Compaction<'a> {
    stores: &'a Stores,
    tenant: &'a TenantSlug,
    now: DateTime<Utc>,
    done: Compacted,
}

/// Compacts the fresh files of all tenants that were published until a time, and what they make
/// small. Blocks; between two transactions it looks whether it is to stop.
///
/// # Errors
///
/// When a file cannot be read or written, or a transaction fails: the first failure, after the other
/// tenants were processed, so that a broken file of one does not stop the others. Completed work stays.
pub fn compact(
    stores: &Stores,
    until: DateTime<Utc>,
    now: DateTime<Utc>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Compacted, StoreError> {
    let mut done = Compacted::default();
    let mut failure = None;
    for tenant in stores.state_store().tenants_with_files()? {
        let compaction = Compaction { stores, tenant: &tenant, now, done: Compacted::default() };
        match compaction.run(until, is_stopped) {
            Ok(more) => {
                done.retired += more.retired;
                done.added += more.added;
            }
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    failure.map_or(Ok(done), Err)
}

impl<'a> Compaction<'a> {
    fn run(
        mut self,
        until: DateTime<Utc>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Compacted, StoreError> {
        let mut fresh = self.files()?;
        fresh.retain(|file| file.file.day.is_none() && file.created_at <= until);
        for files in fresh.chunks(MAX_FRESH) {
            if is_stopped() {
                return Ok(self.done);
            }
            self.sort(files)?;
        }
        // Each merge leaves fewer files, or fewer that are taken for whole, so this ends.
        loop {
            if is_stopped() {
                return Ok(self.done);
            }
            if let Some(file) = self.next_without_counts()? {
                self.sort(&[file])?;
            } else if let Some(files) = self.next_merge()? {
                self.merge(&files)?;
            } else {
                return Ok(self.done);
            }
        }
    }

    fn files(&self) -> Result<Vec<DataFile>, StoreError> {
        self.stores.state_store().live_files(self.tenant, &(NaiveDate::MIN..=NaiveDate::MAX))
    }

    /// Replaces files by sorted ones.
    fn sort(&mut self, files: &[DataFile]) -> Result<(), StoreError> {
        let mut staged = StagedObjects::new(self.stores.objects());
        let mut sorter = Sorter::default();
        let mut rows = RecordRows::default();
        let mut taken = Vec::new();
        let mut labels = Vec::new();
        let (mut read, mut written) = (RecordSums::default(), RecordSums::default());
        let mut added = Vec::new();
        for file in files {
            let Some(mut reader) = self.open(file)? else { continue };
            labels.push(reader.label());
            while reader.read(&mut rows)? {
                for row in rows.iter() {
                    sorter.push(&row);
                }
                if sorter.is_full() {
                    let label = Label::of_merged(self.tenant, &labels);
                    let (files, sums) = sorter.write(&mut staged, self.tenant, &label)?;
                    added.extend(files);
                    written.add(sums);
                }
            }
            read.add(reader.sums());
            taken.push(file.clone());
        }
        let label = Label::of_merged(self.tenant, &labels);
        let (files, sums) = sorter.write(&mut staged, self.tenant, &label)?;
        added.extend(files);
        written.add(sums);
        day_file::refuse_other_sums(read, written, "the records")?;
        if taken.is_empty() {
            return Ok(());
        }
        self.replace(staged, &taken, &added)
    }

    /// A file of a day whose counts by path are damaged. They are made again by sorting its records once more.
    fn next_without_counts(&self) -> Result<Option<DataFile>, StoreError> {
        let mut files = self.files()?.into_iter();
        Ok(files.find(|file| file.is_partial_damaged && file.file.day.is_some()))
    }

    /// The files of a day that are worth a merge.
    fn next_merge(&self) -> Result<Option<Vec<DataFile>>, StoreError> {
        let mut days: BTreeMap<NaiveDate, Vec<DataFile>> = BTreeMap::new();
        for file in self.files()? {
            if let Some(day) = file.file.day {
                days.entry(day).or_default().push(file);
            }
        }
        Ok(days.into_values().map(worth_a_merge).find(|files| files.len() > 1))
    }

    /// Merges files, unless one of them turns out to be damaged: the others are merged by another choice then.
    fn merge(&mut self, files: &[DataFile]) -> Result<(), StoreError> {
        let mut readers = Vec::new();
        let mut partials = Vec::new();
        for file in files {
            readers.extend(self.open(file)?);
            partials.extend(self.partial_runs(file)?);
        }
        let are_whole = readers.len() == files.len() && partials.len() == files.len();
        if !are_whole {
            return Ok(());
        }
        let mut staged = StagedObjects::new(self.stores.objects());
        let day = files.first().and_then(|file| file.file.day).unwrap_or_default();
        let added = merge::merge(
            &mut staged,
            self.tenant,
            day,
            (readers, partials.into_iter().flatten().collect()),
        )?;
        self.replace(staged, files, &[added])
    }

    /// The records of a file, unless they are damaged.
    fn open(&self, file: &DataFile) -> Result<Option<RecordFileReader<std::fs::File>>, StoreError> {
        let times = file.file.min_timestamp_micros..=file.file.max_timestamp_micros;
        sound::open(self.stores, &file.known_records(self.tenant), self.now)?
            .map(|object| Ok(RecordFileReader::open(object, file.file.rows)?.within(times)))
            .transpose()
    }

    /// The counts by path of a file, which may have none, unless they are damaged.
    fn partial_runs(&self, file: &DataFile) -> Result<Option<Vec<merge::Run>>, StoreError> {
        let Some(known) = file.known_partial(self.tenant) else { return Ok(Some(Vec::new())) };
        sound::open(self.stores, &known, self.now)?.map(columns::partial_runs).transpose()
    }

    fn replace(
        &mut self,
        staged: StagedObjects<'a>,
        files: &[DataFile],
        added: &[NewFile],
    ) -> Result<(), StoreError> {
        let retired: Vec<i64> = files.iter().map(|file| file.id).collect();
        let state_store = self.stores.state_store();
        fault::freeze_point(fault::BEFORE_REPLACE);
        staged.publish(|| state_store.replace(self.tenant, &retired, added, self.now))?;
        if let Some(file) = added.last() {
            self.stores.object_published(&file.name);
        }
        self.done.retired += retired.len();
        self.done.added += added.len();
        Ok(())
    }
}

/// The smallest files of a day, as long as the next is not much larger than all before it.
fn worth_a_merge(mut files: Vec<DataFile>) -> Vec<DataFile> {
    files.retain(|file| file.file.bytes < GOOD_BYTES);
    files.sort_by_key(|file| file.file.bytes);
    let mut sum = 0_u64;
    let mut count = 0;
    for bytes in files.iter().map(|file| file.file.bytes) {
        let is_worth_it = count == 0 || bytes <= SMALL_BYTES.max(sum.saturating_mul(2));
        let all = sum.saturating_add(bytes);
        if count == MAX_MERGED || !is_worth_it || all > MAX_BYTES {
            break;
        }
        sum = all;
        count += 1;
    }
    files.truncate(count);
    files
}
