//! The stores of a sender, with others at work around each call.

use std::collections::BTreeSet;
use std::fmt;

use visibility_core::accounts::tenant::BatchKey;
use visibility_core::store::{
    EachPage, Ledger, ObjectWriter, Objects, Publication, PublishOutcome, StoreError,
    StoreErrorKind, StoredResponse,
};

use super::Sabotage;
use super::disk::Disk;
use super::world::Simulation;

/// The stores, with others at work before and after each call.
pub(crate) struct Interrupted<'s, 'd>(pub(crate) &'s Simulation<'d>);

impl Interrupted<'_, '_> {
    fn call<T>(&self, call: impl FnOnce(&Disk) -> T) -> T {
        self.0.interrupt();
        let outcome = call(self.0.disk);
        self.0.interrupt();
        outcome
    }
}

impl fmt::Debug for Interrupted<'_, '_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Interrupted")
    }
}

impl Ledger for Interrupted<'_, '_> {
    fn response(&self, key: &BatchKey) -> Result<Option<StoredResponse>, StoreError> {
        self.call(|disk| disk.response(key))
    }

    fn publish(&self, publication: &Publication) -> Result<PublishOutcome, StoreError> {
        let outcome = self.call(|disk| disk.publish(publication));
        if matches!(outcome, Ok(PublishOutcome::Before(_))) {
            self.0.figures().conflicts += 1;
        }
        if self.0.sabotage() == Some(Sabotage::DeleteInDoubt) {
            return outcome
                .map_err(|error| StoreError { kind: StoreErrorKind::Unchanged, ..error });
        }
        outcome
    }

    fn unnamed(&self, names: &[String]) -> Result<BTreeSet<String>, StoreError> {
        self.call(|disk| disk.unnamed(names))
    }
}

impl Objects for Interrupted<'_, '_> {
    fn create(&self, name: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.call(|disk| disk.create(name))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        self.call(|disk| disk.read(name))
    }

    fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.call(|disk| disk.delete(name))
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.call(|disk| disk.rename(from, to))
    }

    fn list(&self, each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        self.call(|disk| disk.list(each_page))
    }

    fn list_below(&self, folder: &str, each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        self.call(|disk| disk.list_below(folder, each_page))
    }
}
