//! The order of a commit: objects first, the ledger last, and nothing deleted in doubt.
//!
//! 1. Every object of a batch is finished, and so durable, under a name that nobody knows.
//! 2. [`Ledger::publish`] makes batch, file and counts visible in one step. It is the only commit point.
//! 3. The batch is answered.
//!
//! A crash before 2 leaves objects without a name in the ledger: the sweeper takes them after a day.
//! A crash after 2 leaves a published batch, and its answer is given when the sender asks again. After
//! an error that leaves 2 in doubt nothing is deleted, as the ledger may name the objects by now.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Ledger, ListedObject, ObjectWriter, Objects, Publication, Published, StoreError,
    StoreErrorKind, StoredAnswer,
};

/// Age from which an object that the ledger does not name is taken for an orphan: no batch takes this
/// long, so no writer owns it.
pub const ORPHAN_AGE: TimeDelta = TimeDelta::hours(24);

/// The objects of a batch that is not published yet. Dropped, it removes those that are finished.
pub struct Staged<'a> {
    objects: &'a dyn Objects,
    names: Vec<String>,
}

/// What a commit came to: the batch is published, by this sender or by another one before.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Committed {
    /// The answer to give.
    pub answer: StoredAnswer,
    /// Whether it was given before.
    pub is_replay: bool,
}

impl<'a> Staged<'a> {
    /// Nothing staged yet.
    pub fn new(objects: &'a dyn Objects) -> Self {
        Self { objects, names: Vec::new() }
    }

    /// Starts an object of the batch.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn create(&mut self, name: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        let writer = self.objects.create(name)?;
        self.names.push(name.to_owned());
        Ok(writer)
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
            Ok(Published::First) => {
                self.names.clear();
                Ok(Committed { answer: publication.answer.clone(), is_replay: false })
            }
            Ok(Published::Before(answer)) => Ok(Committed { answer, is_replay: true }),
            Err(error) => {
                if error.kind == StoreErrorKind::Unknown {
                    self.names.clear();
                }
                Err(error)
            }
        }
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        for name in &self.names {
            // What stays is an orphan, and the sweeper's.
            let _ = self.objects.delete(name);
        }
    }
}

impl fmt::Debug for Staged<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Staged").field("names", &self.names).finish_non_exhaustive()
    }
}

/// Removes objects that the ledger does not name and that are older than [`ORPHAN_AGE`]; says which.
///
/// The list of objects is taken before the names of the ledger: an object that is published in
/// between is seen by its name.
///
/// # Errors
///
/// When a store cannot be read, or an orphan cannot be removed.
pub fn sweep(
    objects: &dyn Objects,
    ledger: &dyn Ledger,
    now: DateTime<Utc>,
) -> Result<Vec<ListedObject>, StoreError> {
    let listed = objects.list()?;
    let named = ledger.objects()?;
    let is_orphan =
        |object: &ListedObject| now - object.modified > ORPHAN_AGE && !named.contains(&object.name);
    let orphans: Vec<ListedObject> = listed.into_iter().filter(is_orphan).collect();
    for orphan in &orphans {
        objects.delete(&orphan.name)?;
    }
    Ok(orphans)
}
