//! Counts the records of a day again, by kind and by hour, from its live files.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;
use visibility_core::store::sums::OTHER_HOST;
use visibility_core::traffic::PathKind;

use super::columns::{RecordFileReader, RecordRows, StoredRecord, SumsBuilder, day_number};
use super::sound;
use crate::runtime::{clock, fault};
use crate::stores::Stores;
use crate::stores::state::manifest::DataFile;
use crate::stores::state::recount::{CountedDay, Replacement};

/// How often a day is begun whose files change while they are read.
const MOST_ATTEMPTS: usize = 3;

/// Why a day was not counted again. Nothing of its counts has changed.
#[derive(Debug, thiserror::Error)]
pub enum RecountError {
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There are fewer records than were counted.
    #[error("records were forgotten: {found} of {counted} are left")]
    RecordsForgotten {
        /// Those that are left.
        found: u64,
        /// Those that were counted when they arrived.
        counted: u64,
    },
    /// There are more records than were counted, which must not be.
    #[error("the files have {found} records, and {counted} were counted by status")]
    TooMany {
        /// Those in files.
        found: u64,
        /// Those that were counted when they arrived.
        counted: u64,
    },
    /// Some records cannot be read.
    #[error("{records} records of its files are damaged")]
    Damaged {
        /// So many, of all days of their files.
        records: u64,
    },
    /// Batches arrived or files were merged, each time before all of them were read.
    #[error("its files changed while they were read")]
    Changing,
    /// It was stopped in the middle.
    #[error("it was stopped")]
    Stopped,
}

/// Counts the records of a day again, and replaces its counts in one transaction. Says how many records there are.
///
/// # Errors
///
/// [`RecountError`].
pub fn recount(
    stores: &Stores,
    tenant: &TenantSlug,
    day: NaiveDate,
    is_stopped: &dyn Fn() -> bool,
) -> Result<u64, RecountError> {
    let state_store = stores.state_store();
    for _ in 0..MOST_ATTEMPTS {
        let hosts = state_store.hosts_of_day(tenant, day)?;
        let mut count = DayCount { day, hosts, ..DayCount::default() };
        for file in state_store.live_files(tenant, &(day..=day))? {
            if is_stopped() {
                return Err(RecountError::Stopped);
            }
            count.read(stores, tenant, &file)?;
        }
        // A file may turn out to be damaged when it is read.
        refuse_damage(stores, tenant, day)?;
        let found = count.records;
        fault::freeze_point(fault::BEFORE_RECOUNT);
        let counted = count.finish();
        match state_store.replace_counts(tenant, day, &counted)? {
            Replacement::Done => return Ok(found),
            Replacement::Changed => {}
            Replacement::Different { counted } if counted > found => {
                return Err(RecountError::RecordsForgotten { found, counted });
            }
            Replacement::Different { counted } => {
                return Err(RecountError::TooMany { found, counted });
            }
        }
    }
    Err(RecountError::Changing)
}

/// Records that cannot be read would be missing from the counts.
fn refuse_damage(stores: &Stores, tenant: &TenantSlug, day: NaiveDate) -> Result<(), RecountError> {
    let damaged = stores.state_store().damaged_files(tenant, &(day..=day))?;
    let records = damaged.iter().map(|file| file.file.rows).fold(0, u64::saturating_add);
    if damaged.is_empty() { Ok(()) } else { Err(RecountError::Damaged { records }) }
}

/// The records of a day, while they are counted.
#[derive(Default)]
struct DayCount {
    day: NaiveDate,
    /// Those with rows of their own.
    hosts: BTreeSet<String>,
    /// The files that were read.
    files: BTreeSet<i64>,
    totals: SumsBuilder,
    records: u64,
}

impl DayCount {
    /// Counts the records that a file has of the day.
    fn read(
        &mut self,
        stores: &Stores,
        tenant: &TenantSlug,
        file: &DataFile,
    ) -> Result<(), StoreError> {
        let Some(object) = sound::open(stores, &file.known_records(tenant), clock::now())? else {
            return Ok(());
        };
        let mut reader = RecordFileReader::open(object, file.file.rows)?;
        let day = self.day.to_epoch_days();
        let mut rows = RecordRows::default();
        while reader.read(&mut rows)? {
            for record in rows.iter().filter(|row| day_number(row.timestamp_micros) == day) {
                self.push(&record);
            }
        }
        self.files.insert(file.id);
        Ok(())
    }

    fn push(&mut self, record: &StoredRecord<'_>) {
        let path = record.request_path;
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        let host = if self.hosts.contains(record.host) { record.host } else { OTHER_HOST };
        self.totals.push(&StoredRecord { host, ..*record }, PathKind::of(path));
        self.records += 1;
    }

    fn finish(self) -> CountedDay {
        CountedDay { files: self.files, hosts: self.hosts, sums: self.totals.finish() }
    }
}
