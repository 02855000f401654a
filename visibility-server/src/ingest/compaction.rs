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
use crate::ingest::columns::{self, RecordFileReader, RecordRows};
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
        // Each merge leaves fewer files, so this ends.
        while let Some(files) = self.next_merge()? {
            if is_stopped() {
                return Ok(self.done);
            }
            self.merge(&files)?;
        }
        Ok(self.done)
    }

    fn files(&self) -> Result<Vec<DataFile>, StoreError> {
        self.stores.state_store().live_files(self.tenant, &(NaiveDate::MIN..=NaiveDate::MAX))
    }

    /// Replaces fresh files by sorted ones.
    fn sort(&mut self, files: &[DataFile]) -> Result<(), StoreError> {
        let mut staged = StagedObjects::new(self.stores.objects());
        let mut sorter = Sorter::default();
        let mut rows = RecordRows::default();
        let mut added = Vec::new();
        for file in files {
            let mut reader = self.open(file)?;
            while reader.read(&mut rows)? {
                for row in rows.iter() {
                    sorter.push(&row);
                }
                if sorter.is_full() {
                    added.extend(sorter.write(&mut staged, self.tenant)?);
                }
            }
        }
        added.extend(sorter.write(&mut staged, self.tenant)?);
        self.replace(staged, files, &added)
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

    fn merge(&mut self, files: &[DataFile]) -> Result<(), StoreError> {
        let mut staged = StagedObjects::new(self.stores.objects());
        let readers = files.iter().map(|file| self.open(file)).collect::<Result<_, _>>()?;
        let partials = self.partial_runs(files)?;
        let day = files.first().and_then(|file| file.file.day).unwrap_or_default();
        let added = merge::merge(&mut staged, self.tenant, day, (readers, partials))?;
        self.replace(staged, files, &[added])
    }

    fn open(&self, file: &DataFile) -> Result<RecordFileReader<std::fs::File>, StoreError> {
        let object = self.stores.objects().open(&file.file.name)?;
        RecordFileReader::open(object, file.file.rows)
    }

    fn partial_runs(&self, files: &[DataFile]) -> Result<Vec<merge::Run>, StoreError> {
        let mut runs = Vec::new();
        for name in files.iter().filter_map(|file| file.file.partial.as_ref()) {
            runs.extend(columns::partial_runs(self.stores.objects().open(name)?)?);
        }
        Ok(runs)
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
