//! Copies everything from one place of stores to another one: from SQLite to PostgreSQL, and back.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use visibility_core::store::digest::{Digest, HashingWriter};
use visibility_core::store::{ListedObject, SET_ASIDE, StoreError, TRASH};

use super::Stores;
use super::location::StoreLocation;
use super::objects::ObjectFiles;
use super::objects::ObjectTotals;
use super::state::ledger_totals::LedgerTotals;
use crate::runtime::clock::now;

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
    /// Objects that are damaged, at both places.
    pub(crate) damaged: usize,
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
    let digests = source.state_store().digests()?;
    let damaged = Mutex::default();
    let ends = Ends { source: source.objects(), target: target.objects() };
    let objects = copy_objects(ends, (&digests, &damaged), report)?;
    target.state_store().copy_from(source.state_store(), report)?;
    compare(&source, &target)?;
    // Both have the id of the source now.
    target.verify()?;
    let damaged = damaged.into_inner().unwrap_or_else(PoisonError::into_inner);
    note_damage(&target, &damaged, report)?;
    let totals = target.state_store().ledger_snapshot()?.totals;
    Ok(Transfer {
        objects,
        rows: target.state_store().row_counts()?.values().sum(),
        records: totals.values().map(|sum| sum.ledger).sum(),
        damaged: damaged.len(),
    })
}

/// Where objects are copied from, and to.
#[derive(Clone, Copy)]
struct Ends<'a> {
    source: &'a dyn ObjectFiles,
    target: &'a dyn ObjectFiles,
}

/// What the bytes of objects are known by, and those whose bytes turned out to be others.
type Known<'a> = (&'a BTreeMap<String, Digest>, &'a Mutex<BTreeSet<String>>);

/// Copies the objects that the target does not have yet.
fn copy_objects(
    ends: Ends<'_>,
    known: Known<'_>,
    report: &dyn Fn(&str),
) -> Result<ObjectTotals, StoreError> {
    let Ends { source, target } = ends;
    let objects = all(source)?;
    let totals = ObjectTotals::of(&objects);
    if source.is_same_place(target) {
        return Ok(totals);
    }
    let there: BTreeMap<String, u64> =
        all(target)?.into_iter().map(|object| (object.name, object.bytes)).collect();
    let sizes: BTreeMap<&str, u64> =
        objects.iter().map(|object| (object.name.as_str(), object.bytes)).collect();
    if let Some(other) = there.keys().find(|name| !sizes.contains_key(name.as_str())) {
        return Err(refused(TransferError::OtherObject(other.clone())));
    }
    let missing: Vec<&ListedObject> =
        objects.iter().filter(|object| there.get(&object.name) != Some(&object.bytes)).collect();
    let copy_one = |object: &ListedObject| {
        if there.contains_key(&object.name) {
            target.delete(&object.name)?;
        }
        copy(ends, known, &object.name)
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

/// Copies an object as it is. One that is damaged is damaged at its new place as well, and known to be.
fn copy(ends: Ends<'_>, (digests, damaged): Known<'_>, name: &str) -> Result<(), StoreError> {
    let describe = |error| StoreError::io(format!("copy {name}"), error);
    let mut file = ends.source.open(name)?;
    let mut writer = HashingWriter::new(ends.target.create(name)?);
    io::copy(&mut file, &mut writer).map_err(describe)?;
    if digests.get(name).is_some_and(|digest| *digest != writer.digest()) {
        damaged.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }
    writer.into_inner().finish().map(|_bytes| ())
}

/// Takes objects out of use that were found to be damaged.
fn note_damage(
    target: &Stores,
    damaged: &BTreeSet<String>,
    report: &dyn Fn(&str),
) -> Result<(), StoreError> {
    if damaged.is_empty() {
        return Ok(());
    }
    for known in target.state_store().needed()? {
        let name = &known.object.name;
        if damaged.contains(name) {
            report(&format!("{name} is damaged, and out of use until a good copy is in its place"));
            target.take_out_of_use(&known, "its bytes are not those that were written", now())?;
        }
    }
    Ok(())
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
        let in_files = |totals: &LedgerTotals| totals.files + totals.set_aside;
        differs(format!("records of {tenant} in files"), in_files(&there), in_files(&totals))?;
        differs(format!("records of {tenant} in counts"), there.rollups, totals.rollups)?;
    }
    let (there, here) =
        (ObjectTotals::of(&all(target.objects())?), ObjectTotals::of(&all(source.objects())?));
    differs("bytes of objects".to_owned(), there.bytes, here.bytes)
}

fn refused(error: TransferError) -> StoreError {
    StoreError::unchanged("move the stores", error)
}
