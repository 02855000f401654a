//! The order of a commit: objects first, the ledger last, and nothing deleted in doubt.
//!
//! 1. Every object of a batch is finished, and so durable, under a name that nothing refers to.
//! 2. [`Ledger::publish`] makes batch, file and counts visible in one step. It is the only commit point.
//! 3. The batch is answered.
//!
//! A crash before 2 leaves objects without a name in the ledger: the [`Sweeper`] takes them after a
//! day. A crash after 2 leaves a published batch, and its answer is given when the sender asks again.
//! After an error that leaves 2 in doubt nothing is deleted, as the ledger may name the objects by now.

use std::collections::BTreeSet;
use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Ledger, ListedObject, ObjectWriter, Objects, Publication, PublishOutcome, StoreError,
    StoreErrorKind, StoredResponse,
};

/// Age from which an object that the ledger does not name is taken for an orphan: no batch takes this
/// long.
pub const ORPHAN_AGE: TimeDelta = TimeDelta::hours(24);

/// The objects of a batch that is not published yet. Dropped, it removes those that are finished.
pub struct StagedObjects<'a> {
    objects: &'a dyn Objects,
    names: Vec<String>,
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
        for name in &self.names {
            // What stays is an orphan, and the sweeper's.
            let _ = self.objects.delete(name);
        }
    }
}

impl fmt::Debug for StagedObjects<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Staged").field("names", &self.names).finish_non_exhaustive()
    }
}

/// Removes objects that no ledger names, round by round.
///
/// Age alone does not prove that no one is about to publish an object: clocks jump. So an object is
/// removed that two rounds have found without a name and older than [`ORPHAN_AGE`]. Between two rounds
/// the caller lets more time pass, by a clock that does not jump, than a commit takes.
#[derive(Clone, Debug, Default)]
pub struct Sweeper {
    suspects: BTreeSet<String>,
}

impl Sweeper {
    /// Does one round and says what it has removed.
    ///
    /// The list of objects is taken before the names of the ledger: an object that is published in
    /// between is seen by its name.
    ///
    /// # Errors
    ///
    /// When a store cannot be read, or an orphan cannot be removed.
    pub fn sweep(
        &mut self,
        objects: &dyn Objects,
        ledger: &dyn Ledger,
        now: DateTime<Utc>,
    ) -> Result<Vec<ListedObject>, StoreError> {
        let listed = objects.list()?;
        let named = ledger.objects()?;
        let unnamed: Vec<ListedObject> = listed
            .into_iter()
            .filter(|object| is_orphan(object, now) && !named.contains(&object.name))
            .collect();
        let before = std::mem::take(&mut self.suspects);
        let (orphans, suspects): (Vec<_>, Vec<_>) =
            unnamed.into_iter().partition(|object| before.contains(&object.name));
        self.suspects = suspects.into_iter().map(|object| object.name).collect();
        for orphan in &orphans {
            objects.delete(&orphan.name)?;
        }
        Ok(orphans)
    }
}

/// Whether an object is an orphan if nothing names it.
pub fn is_orphan(object: &ListedObject, now: DateTime<Utc>) -> bool {
    now - object.modified > ORPHAN_AGE
}
