//! The order of a commit: objects first, the ledger last, and nothing deleted in doubt.
//!
//! 1. Every object of a batch is finished, and so durable, under a name that nothing refers to.
//! 2. [`Ledger::publish`] makes batch, file and counts visible in one step. It is the only commit point.
//! 3. The batch is answered.
//!
//! A crash before 2 leaves objects without a name in the ledger: the [`Sweeper`] moves them to the trash
//! after a day. A crash after 2 leaves a published batch, and its answer is given when the sender asks again.
//! After an error that leaves 2 in doubt nothing is deleted, as the ledger may name the objects by now.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::digest::{Digest, HashingWriter};
use super::{
    Ledger, ListedObject, ObjectWriter, Objects, Publication, PublishOutcome, StoreError,
    StoreErrorKind, StoredResponse, TRASH,
};

/// Age from which an object that the ledger does not name is taken for an orphan: no batch takes this
/// long.
pub const ORPHAN_AGE: TimeDelta = TimeDelta::hours(24);

/// How long the trash keeps an object.
pub const TRASH_AGE: TimeDelta = TimeDelta::days(7);

/// The objects of a batch that is not published yet. Dropped, it removes those that are finished.
pub struct StagedObjects<'a> {
    objects: &'a dyn Objects,
    names: Vec<String>,
    digests: Digests,
}

/// The digests of finished objects, by their names.
type Digests = Arc<Mutex<BTreeMap<String, Digest>>>;

/// An object of a batch that is being written, and hashed meanwhile.
struct StagedWriter {
    name: String,
    object: HashingWriter<Box<dyn ObjectWriter>>,
    digests: Digests,
}

/// What a commit came to: the batch is published, by this sender or by another one before.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Committed {
    /// The answer to give.
    pub response: StoredResponse,
    /// Whether it was given before.
    pub is_replay: bool,
}

impl<'a> StagedObjects<'a> {
    /// Nothing staged yet.
    pub fn new(objects: &'a dyn Objects) -> Self {
        Self { objects, names: Vec::new(), digests: Digests::default() }
    }

    /// Starts an object of the batch.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn create(&mut self, name: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        let object = HashingWriter::new(self.objects.create(name)?);
        self.names.push(name.to_owned());
        let digests = Arc::clone(&self.digests);
        Ok(Box::new(StagedWriter { name: name.to_owned(), object, digests }))
    }

    /// What the bytes of an object are known by that is finished.
    pub fn digest(&self, name: &str) -> Option<Digest> {
        self.digests.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }

    /// Publishes the batch. All objects must be finished.
    ///
    /// # Errors
    ///
    /// That of [`Ledger::publish`]. Unless it is in doubt, the objects are removed.
    pub fn commit(
        mut self,
        ledger: &dyn Ledger,
        publication: &Publication,
    ) -> Result<Committed, StoreError> {
        match ledger.publish(publication) {
            Ok(PublishOutcome::First) => {
                self.names.clear();
                Ok(Committed { response: publication.response.clone(), is_replay: false })
            }
            Ok(PublishOutcome::Before(answer)) => {
                Ok(Committed { response: answer, is_replay: true })
            }
            Err(error) => self.publish(|| Err(error)),
        }
    }

    /// Publishes the objects by another durable step than a batch's. All objects must be finished.
    ///
    /// # Errors
    ///
    /// That of the step. Unless it is in doubt, the objects are removed.
    pub fn publish<T>(
        mut self,
        step: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let outcome = step();
        let is_certain = outcome.as_ref().is_err_and(|error| error.kind != StoreErrorKind::Unknown);
        if !is_certain {
            self.names.clear();
        }
        outcome
    }
}

impl Drop for StagedObjects<'_> {
    fn drop(&mut self) {
        // What stays is an orphan, and the sweeper's.
        if !self.names.is_empty() {
            self.objects.discard(&self.names);
        }
    }
}

impl Write for StagedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.object.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.object.flush()
    }
}

impl ObjectWriter for StagedWriter {
    fn finish(self: Box<Self>) -> Result<u64, StoreError> {
        let Self { name, object, digests } = *self;
        let digest = object.digest();
        let bytes = object.into_inner().finish()?;
        digests.lock().unwrap_or_else(PoisonError::into_inner).insert(name, digest);
        Ok(bytes)
    }
}

impl fmt::Debug for StagedObjects<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Staged").field("names", &self.names).finish_non_exhaustive()
    }
}

/// Takes objects that no ledger names out of use, round by round: it moves them to the [`TRASH`].
///
/// Age alone does not prove that no one is about to publish an object: clocks jump. So an object is
/// moved that two rounds have found without a name and older than [`ORPHAN_AGE`]. Between two rounds
/// the caller lets more time pass, by a clock that does not jump, than a commit takes.
///
/// What is the only copy of a batch that the ledger does not know stays: the ledger may be older than it, and only an
/// operator knows. A ledger that does not know many objects has probably lost them, so a round that finds more orphans
/// than [`most_in_a_round`] moves none of them. [`sweep_confirmed`] moves all when an operator says so.
#[derive(Clone, Debug, Default)]
pub struct Sweeper {
    suspects: BTreeSet<String>,
}

/// What a round of the [`Sweeper`] has done.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Sweep {
    /// Orphans that are in the trash now.
    pub moved: Vec<ListedObject>,
    /// Orphans that stay, because they are too many to be moved without an operator's confirmation.
    pub held: usize,
    /// Orphans that stay, because they may have records that are nowhere else.
    pub kept: usize,
}

impl Sweeper {
    /// A sweeper that need not look a second time at some objects, as they cannot be published any more.
    pub fn knowing(suspects: BTreeSet<String>) -> Self {
        Self { suspects }
    }

    /// Does one round.
    ///
    /// Each page of objects is listed before the ledger is asked for their names: an object that is published
    /// in between is seen by its name. The caller says whether an orphan is needless because all of its records are
    /// elsewhere.
    ///
    /// # Errors
    ///
    /// When a store cannot be read, or an orphan cannot be moved.
    pub fn sweep(
        &mut self,
        objects: &dyn Objects,
        ledger: &dyn Ledger,
        now: DateTime<Utc>,
        is_needless: &dyn Fn(&ListedObject) -> Result<bool, StoreError>,
    ) -> Result<Sweep, StoreError> {
        let (listed, unnamed) = unnamed(objects, ledger, now)?;
        let mut needless = Vec::new();
        let mut kept = 0;
        let mut suspects = BTreeSet::new();
        for object in unnamed {
            if !self.suspects.contains(&object.name) {
                suspects.insert(object.name);
            } else if is_needless(&object)? {
                needless.push(object);
            } else {
                kept += 1;
                suspects.insert(object.name);
            }
        }
        self.suspects = suspects;
        if needless.len() > most_in_a_round(listed) {
            let held = needless.len();
            self.suspects.extend(needless.into_iter().map(|object| object.name));
            return Ok(Sweep { moved: Vec::new(), held, kept });
        }
        move_to_trash(objects, &needless, now)?;
        Ok(Sweep { moved: needless, held: 0, kept })
    }
}

/// How many of some objects one round may take out of use without an operator's confirmation: 5 % of
/// them, or 20 if that is more.
pub fn most_in_a_round(objects: usize) -> usize {
    (objects / 20).max(20)
}

/// Moves all orphans to the trash, as many as they are. For an operator who has confirmed that.
///
/// # Errors
///
/// When a store cannot be read, or an orphan cannot be moved.
pub fn sweep_confirmed(
    objects: &dyn Objects,
    ledger: &dyn Ledger,
    now: DateTime<Utc>,
) -> Result<Vec<ListedObject>, StoreError> {
    let orphans = orphans(objects, ledger, now)?;
    move_to_trash(objects, &orphans, now)?;
    Ok(orphans)
}

/// Deletes what was moved to the trash before a day; everything without a day.
///
/// # Errors
///
/// When the trash cannot be listed, or an object cannot be deleted.
pub fn empty_trash(
    objects: &dyn Objects,
    before: Option<NaiveDate>,
) -> Result<Vec<ListedObject>, StoreError> {
    let mut trash = objects.list_all_below(TRASH)?;
    if let Some(before) = before {
        trash.retain(|object| moved_on(&object.name).is_some_and(|day| day < before));
    }
    for object in &trash {
        objects.delete(&object.name)?;
    }
    Ok(trash)
}

/// Whether an object is an orphan if nothing names it.
pub fn is_orphan(object: &ListedObject, now: DateTime<Utc>) -> bool {
    now - object.modified > ORPHAN_AGE
}

/// All orphans.
///
/// # Errors
///
/// When a store cannot be read.
pub fn orphans(
    objects: &dyn Objects,
    ledger: &dyn Ledger,
    now: DateTime<Utc>,
) -> Result<Vec<ListedObject>, StoreError> {
    unnamed(objects, ledger, now).map(|(_listed, orphans)| orphans)
}

/// How many objects are in use, and the orphans among them in the order of their names.
fn unnamed(
    objects: &dyn Objects,
    ledger: &dyn Ledger,
    now: DateTime<Utc>,
) -> Result<(usize, Vec<ListedObject>), StoreError> {
    let mut listed = 0;
    let mut orphans = Vec::new();
    objects.list(&mut |mut page| {
        listed += page.len();
        page.retain(|object| is_orphan(object, now));
        orphans.extend(only_unnamed(page, ledger)?);
        Ok(())
    })?;
    orphans.sort();
    Ok((listed, orphans))
}

/// Those of some objects that the ledger does not name.
///
/// # Errors
///
/// When the ledger cannot be read.
pub fn only_unnamed(
    mut listed: Vec<ListedObject>,
    ledger: &dyn Ledger,
) -> Result<Vec<ListedObject>, StoreError> {
    if listed.is_empty() {
        return Ok(listed);
    }
    let names: Vec<String> = listed.iter().map(|object| object.name.clone()).collect();
    let unnamed = ledger.unnamed(&names)?;
    listed.retain(|object| unnamed.contains(&object.name));
    Ok(listed)
}

/// The trash has a folder for each day, so that it is known since when an object is there.
fn move_to_trash(
    objects: &dyn Objects,
    orphans: &[ListedObject],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let day = now.date_naive();
    for orphan in orphans {
        objects.rename(&orphan.name, &format!("{TRASH}/{day}/{}", orphan.name))?;
    }
    Ok(())
}

/// The day on which an object in the trash was moved there.
fn moved_on(name: &str) -> Option<NaiveDate> {
    name.split('/').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::store::memory::{MemoryLedger, MemoryObjects};

    const ALL: &dyn Fn(&ListedObject) -> Result<bool, StoreError> = &|_| Ok(true);
    const NOW: DateTime<Utc> = DateTime::from_timestamp(9 * 86_400, 0).unwrap();

    fn orphaned(count: usize) -> MemoryObjects {
        let objects = MemoryObjects::default();
        for number in 0..count {
            let mut writer = objects.create(&format!("tenant=a/new/{number}.parquet")).unwrap();
            writer.write_all(b"record").unwrap();
            writer.finish().unwrap();
        }
        objects
    }

    #[test]
    fn orphans_are_in_the_trash_for_a_week() {
        let (objects, ledger) = (orphaned(20), MemoryLedger::default());
        let mut sweeper = Sweeper::default();
        assert_eq!(sweeper.sweep(&objects, &ledger, NOW, ALL).unwrap(), Sweep::default());
        assert_eq!(sweeper.sweep(&objects, &ledger, NOW, ALL).unwrap().moved.len(), 20);
        assert_eq!(objects.list_all().unwrap(), []);
        let day = NOW.date_naive();
        assert_eq!(
            objects.read(&format!("trash/{day}/tenant=a/new/7.parquet")).unwrap(),
            b"record"
        );
        let a_week_later = (NOW + TRASH_AGE).date_naive();
        let emptied = |now: NaiveDate| empty_trash(&objects, Some(now - TRASH_AGE)).unwrap().len();
        assert_eq!(emptied(a_week_later), 0);
        assert_eq!(emptied(a_week_later.succ_opt().unwrap()), 20);
        assert_eq!(objects.list_all_below(TRASH).unwrap(), []);
    }

    #[test]
    fn more_orphans_than_a_round_may_take_wait_for_a_confirmation() {
        let (objects, ledger) = (orphaned(21), MemoryLedger::default());
        let mut sweeper = Sweeper::default();
        sweeper.sweep(&objects, &ledger, NOW, ALL).unwrap();
        for _ in 0..3 {
            let sweep = sweeper.sweep(&objects, &ledger, NOW, ALL).unwrap();
            assert_eq!(sweep, Sweep { held: 21, ..Sweep::default() });
        }
        assert_eq!(objects.list_all().unwrap().len(), 21);
        assert_eq!(sweep_confirmed(&objects, &ledger, NOW).unwrap().len(), 21);
        assert_eq!(objects.list_all().unwrap(), []);
        assert_eq!(empty_trash(&objects, None).unwrap().len(), 21);
    }

    #[test]
    fn what_may_be_the_only_copy_of_its_records_stays_until_a_confirmation() {
        let (objects, ledger) = (orphaned(20), MemoryLedger::default());
        let is_needless = |object: &ListedObject| Ok(!object.name.ends_with("/7.parquet"));
        let mut sweeper = Sweeper::default();
        sweeper.sweep(&objects, &ledger, NOW, &is_needless).unwrap();
        let sweep = sweeper.sweep(&objects, &ledger, NOW, &is_needless).unwrap();
        assert_eq!((sweep.moved.len(), sweep.held, sweep.kept), (19, 0, 1));
        for _ in 0..3 {
            let sweep = sweeper.sweep(&objects, &ledger, NOW, &is_needless).unwrap();
            assert_eq!(sweep, Sweep { kept: 1, ..Sweep::default() });
        }
        assert_eq!(objects.list_all().unwrap().len(), 1);
        // Until another copy is known.
        assert_eq!(sweeper.sweep(&objects, &ledger, NOW, ALL).unwrap().moved.len(), 1);
    }

    #[test]
    fn a_round_may_take_a_twentieth_of_many_objects() {
        let most = [0, 399, 400, 420, 100_000].map(most_in_a_round);
        assert_eq!(most, [20, 20, 20, 21, 5_000]);
    }
}
