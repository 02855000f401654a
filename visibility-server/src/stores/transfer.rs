//! Copies everything from one place of stores to another one: from SQLite to PostgreSQL, and back.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use visibility_core::store::{ListedObject, SET_ASIDE, StoreError, TRASH};

use super::Stores;
use super::location::StoreLocation;
use super::objects::ObjectFiles;
use super::objects::ObjectTotals;

/// How often the number of copied objects is reported.
const REPORT_EVERY: Duration = Duration::from_secs(2);

/// How many objects are copied at a time: each waits for the network or the disk.
const AT_A_TIME: usize = 16;

/// Why a transfer was refused.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum TransferError {
    /// The database of the target has something in it.
    #[error("the database to move to is not empty: `{table}` has {rows} rows")]
    NotEmpty {
        /// A table of it.
        table: &'static str,
        /// How many there are.
        rows: u64,
    },
    /// The place of the target has something else in it.
    #[error("the place to move to has an object that is not in the source: {0}")]
    OtherObject(String),
    /// Both sides do not have the same after all.
    #[error("the copy has {copied} {what}, the source {original}")]
    Differs {
        /// What differs.
        what: String,
        /// How many there are in the copy.
        copied: u64,
        /// How many there are in the source.
        original: u64,
    },
}

impl TransferError {
    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::NotEmpty { .. } => "move to a new database, or to a new schema of it",
            Self::OtherObject(_) => "move to a folder or a prefix of its own",
            Self::Differs { .. } => {
                "nothing has changed in the source; empty the target, and try again"
            }
        }
    }

    /// Why a transfer was refused, if it was.
    pub(crate) fn of(error: &StoreError) -> Option<&Self> {
        error.source.as_ref()?.downcast_ref()
    }
}

/// What a transfer has copied.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Transfer {
    /// Objects, those in the trash and set aside included.
    pub(crate) objects: ObjectTotals,
    /// Rows of the database.
    pub(crate) rows: u64,
    /// Records that the ledger knows, in all.
    pub(crate) records: u64,
}

/// Copies everything, and makes sure that it is the same. The source stays as it is.
///
/// # Errors
///
/// When something serves from one of them, when the target has something else in it, and when a store fails. The
/// database of the target has nothing then; another try goes on with the objects.
pub(crate) fn transfer(
    from: StoreLocation,
    to: StoreLocation,
    report: &dyn Fn(&str),
) -> Result<Transfer, StoreError> {
    let source = Stores::open_idle(from)?;
    source.verify()?;
    let target = Stores::open_idle(to)?;
    if let Some((table, rows)) =
        target.state_store().row_counts()?.into_iter().find(|(_, rows)| *rows > 0)
    {
        return Err(refused(TransferError::NotEmpty { table, rows }));
    }
    let objects = copy_objects(source.objects(), target.objects(), report)?;
    target.state_store().copy_from(source.state_store(), report)?;
    compare(&source, &target)?;
    // Both have the id of the source now.
    target.verify()?;
    let totals = target.state_store().ledger_snapshot()?.totals;
    Ok(Transfer {
        objects,
        rows: target.state_store().row_counts()?.values().sum(),
        records: totals.values().map(|sum| sum.ledger).sum(),
    })
}

/// Copies the objects that the target does not have yet.
fn copy_objects(
    source: &dyn ObjectFiles,
    target: &dyn ObjectFiles,
    report: &dyn Fn(&str),
) -> Result<ObjectTotals, StoreError> {
    let objects = all(source)?;
    let totals = ObjectTotals::of(&objects);
    if source.is_same_place(target) {
        return Ok(totals);
    }
    let there: BTreeMap<String, u64> =
        all(target)?.into_iter().map(|object| (object.name, object.bytes)).collect();
    let known: BTreeMap<&str, u64> =
        objects.iter().map(|object| (object.name.as_str(), object.bytes)).collect();
    if let Some(other) = there.keys().find(|name| !known.contains_key(name.as_str())) {
        return Err(refused(TransferError::OtherObject(other.clone())));
    }
    let missing: Vec<&ListedObject> =
        objects.iter().filter(|object| there.get(&object.name) != Some(&object.bytes)).collect();
    let copy_one = |object: &ListedObject| {
        if there.contains_key(&object.name) {
            target.delete(&object.name)?;
        }
        copy(source, target, &object.name)
    };
    copy_each(&missing, &copy_one, report)?;
    report(&format!("objects: {}", objects.len()));
    Ok(totals)
}

/// Copies objects, some at a time. Stops at the first failure.
fn copy_each(
    objects: &[&ListedObject],
    copy_one: &(dyn Fn(&ListedObject) -> Result<(), StoreError> + Sync),
    report: &dyn Fn(&str),
) -> Result<(), StoreError> {
    let next = AtomicUsize::new(0);
    let (done, finished) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(objects.len()) {
            let (next, done) = (&next, done.clone());
            scope.spawn(move || {
                while let Some(object) = objects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = copy_one(object);
                    // The receiver is gone after a failure.
                    if outcome.is_err() || done.send(Ok(())).is_err() {
                        let _ = done.send(outcome);
                        return;
                    }
                }
            });
        }
        drop(done);
        let mut reported = Instant::now();
        for (number, outcome) in finished.into_iter().enumerate() {
            outcome?;
            if reported.elapsed() >= REPORT_EVERY {
                report(&format!("objects: {} of {}", number + 1, objects.len()));
                reported = Instant::now();
            }
        }
        Ok(())
    })
}

fn copy(source: &dyn ObjectFiles, target: &dyn ObjectFiles, name: &str) -> Result<(), StoreError> {
    let describe = |error| StoreError::io(format!("copy {name}"), error);
    let mut file = source.open(name)?;
    let mut writer = target.create(name)?;
    io::copy(&mut file, &mut writer).map_err(describe)?;
    writer.finish().map(|_bytes| ())
}

fn all(objects: &dyn ObjectFiles) -> Result<Vec<ListedObject>, StoreError> {
    let mut all = objects.list_all()?;
    for folder in [TRASH, SET_ASIDE] {
        all.extend(objects.list_all_below(folder)?);
    }
    Ok(all)
}

/// Makes sure that the target has what the source has.
fn compare(source: &Stores, target: &Stores) -> Result<(), StoreError> {
    let differs = |what: String, copied: u64, original: u64| {
        if copied == original {
            return Ok(());
        }
        Err(refused(TransferError::Differs { what, copied, original }))
    };
    let copied = target.state_store().row_counts()?;
    for (table, rows) in source.state_store().row_counts()? {
        let there = copied.get(table).copied().unwrap_or_default();
        differs(format!("rows of `{table}`"), there, rows)?;
    }
    let copied = target.state_store().ledger_snapshot()?;
    for (tenant, totals) in source.state_store().ledger_snapshot()?.totals {
        let there = copied.totals.get(&tenant).copied().unwrap_or_default();
        differs(format!("records of {tenant} in the ledger"), there.ledger, totals.ledger)?;
        differs(format!("records of {tenant} in files"), there.files, totals.files)?;
        differs(format!("records of {tenant} in counts"), there.rollups, totals.rollups)?;
    }
    let (there, here) =
        (ObjectTotals::of(&all(target.objects())?), ObjectTotals::of(&all(source.objects())?));
    differs("bytes of objects".to_owned(), there.bytes, here.bytes)
}

fn refused(error: TransferError) -> StoreError {
    StoreError::unchanged("move the stores", error)
}
