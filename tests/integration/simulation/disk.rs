//! A machine whose stores fail, lose what was not made durable, and stop at any step.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use visibility_core::accounts::tenant::BatchKey;
use visibility_core::store::{
    EachPage, Ledger, ListedObject, ObjectWriter, Objects, Publication, PublishOutcome, StoreError,
    StoreErrorKind, StoredResponse,
};

use super::Sabotage;
use super::model::{LiveFile, Model};
use super::random::Random;

/// The machine. Copies share it.
#[derive(Clone, Debug)]
pub(crate) struct Disk(Arc<Mutex<State>>);

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) random: Random,
    pub(crate) now: DateTime<Utc>,
    pub(crate) sabotage: Option<Sabotage>,
    pub(crate) objects: BTreeMap<String, Object>,
    /// Objects whose removal was not made durable.
    removed: BTreeMap<String, Object>,
    pub(crate) model: Model,
    /// A commit that failed after its last byte: a restart finds it, unless another commit has
    /// written over it.
    in_doubt: Option<Model>,
    /// Whether the process has ended: nothing that it does has an effect any more.
    pub(crate) is_dead: bool,
    /// How often a step fails, of a thousand.
    pub(crate) fault_rate: usize,
    pub(crate) faults: u64,
    pub(crate) crashes: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) content: Vec<u8>,
    modified: DateTime<Utc>,
    is_durable: bool,
}

/// What goes wrong with a step.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fault {
    None,
    FailBefore,
    FailAfter,
    CrashBefore,
    CrashAfter,
}

impl Disk {
    pub(crate) fn new(random: Random, now: DateTime<Utc>, sabotage: Option<Sabotage>) -> Self {
        Self(Arc::new(Mutex::new(State {
            random,
            now,
            sabotage,
            objects: BTreeMap::new(),
            removed: BTreeMap::new(),
            model: Model::default(),
            in_doubt: None,
            is_dead: false,
            fault_rate: 0,
            faults: 0,
            crashes: 0,
        })))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces files by one.
    pub(crate) fn replace(
        &self,
        retire: &[String],
        name: &str,
        file: LiveFile,
    ) -> Result<(), StoreError> {
        self.state().commit("replace", |model, now| model.replace(retire, name, file, now))
    }

    /// Forgets what is too old.
    pub(crate) fn forget(&self) -> Result<(), StoreError> {
        self.state().commit("forget", |model, now| {
            model.forget(now);
            true
        })
    }

    /// Strikes a retired file.
    pub(crate) fn strike(&self, name: &str) -> Result<(), StoreError> {
        self.state().commit("strike", |model, _| model.strike(name))
    }
}

impl State {
    /// Ends the process; with the machine, what was not made durable may be lost or come back.
    pub(crate) fn crash(&mut self, loses_power: bool) {
        self.is_dead = true;
        self.crashes += 1;
        if loses_power {
            let random = &mut self.random;
            self.objects.retain(|_, object| object.is_durable || random.chance(500));
            let removed = std::mem::take(&mut self.removed);
            self.objects.extend(removed.into_iter().filter(|_| random.chance(500)));
        }
        if let Some(model) = self.in_doubt.take()
            && self.random.chance(500)
        {
            self.model = model;
        }
    }

    fn fault(&mut self, action: &str) -> Result<Fault, StoreError> {
        if self.is_dead {
            return Err(failure(action, StoreErrorKind::Unchanged));
        }
        if !self.random.chance(self.fault_rate) {
            return Ok(Fault::None);
        }
        self.faults += 1;
        let faults = [Fault::FailBefore, Fault::FailAfter, Fault::CrashBefore, Fault::CrashAfter];
        Ok(faults[self.random.below(faults.len())])
    }

    /// Does a step that is all or nothing, unless it goes wrong before or after.
    fn step<T>(
        &mut self,
        action: &str,
        effect: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, StoreError> {
        let fault = self.fault(action)?;
        if matches!(fault, Fault::FailBefore | Fault::CrashBefore) {
            return self.fail(action, fault, StoreErrorKind::Unchanged);
        }
        let outcome = effect(self);
        if fault == Fault::None {
            return Ok(outcome);
        }
        self.fail(action, fault, StoreErrorKind::Unchanged)
    }

    /// Does a transaction, unless `change` refuses.
    fn commit(
        &mut self,
        action: &str,
        change: impl FnOnce(&mut Model, DateTime<Utc>) -> bool,
    ) -> Result<(), StoreError> {
        let fault = self.fault(action)?;
        let mut changed = self.model.clone();
        let is_changed = change(&mut changed, self.now);
        if !is_changed {
            return Err(failure(action, StoreErrorKind::Unchanged));
        }
        match fault {
            Fault::None => {
                self.model = changed;
                self.in_doubt = None;
                Ok(())
            }
            Fault::FailBefore => self.fail(action, fault, StoreErrorKind::Full),
            Fault::CrashBefore => self.fail(action, fault, StoreErrorKind::Unknown),
            Fault::FailAfter if self.random.chance(500) => {
                self.in_doubt = Some(changed);
                self.fail(action, fault, StoreErrorKind::Unknown)
            }
            Fault::FailAfter | Fault::CrashAfter => {
                self.model = changed;
                self.in_doubt = None;
                self.fail(action, fault, StoreErrorKind::Unknown)
            }
        }
    }

    fn fail<T>(
        &mut self,
        action: &str,
        fault: Fault,
        kind: StoreErrorKind,
    ) -> Result<T, StoreError> {
        if matches!(fault, Fault::CrashBefore | Fault::CrashAfter) {
            let loses_power = self.random.chance(500);
            self.crash(loses_power);
        }
        Err(failure(action, kind))
    }
}

fn failure(action: &str, kind: StoreErrorKind) -> StoreError {
    StoreError { kind, action: action.to_owned(), source: None }
}

impl Ledger for Disk {
    fn response(&self, key: &BatchKey) -> Result<Option<StoredResponse>, StoreError> {
        self.state()
            .step("look up", |state| state.model.batches.get(key).map(|batch| batch.answer.clone()))
    }

    fn publish(&self, publication: &Publication) -> Result<PublishOutcome, StoreError> {
        publication.check_sums()?;
        let mut state = self.state();
        let is_unique = state.sabotage != Some(Sabotage::PublishTwice);
        let known = state.model.batches.get(&publication.key).filter(|_| is_unique);
        if let Some(batch) = known.cloned() {
            return state.step("publish", |_| PublishOutcome::Before(batch.answer));
        }
        state.commit("publish", |model, _| {
            model.publish(publication);
            true
        })?;
        Ok(PublishOutcome::First)
    }

    fn unnamed(&self, names: &[String]) -> Result<BTreeSet<String>, StoreError> {
        let mut state = self.state();
        if state.in_doubt.is_some() && state.sabotage != Some(Sabotage::SweepInDoubt) {
            state.commit("settle", |_, _| true)?;
        }
        state.step("name objects", |state| {
            let named = state.model.named();
            names.iter().filter(|name| !named.contains(*name)).cloned().collect()
        })
    }
}

impl Objects for Disk {
    fn create(&self, name: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.state().step("create", |_| ())?;
        let writer = DiskWriter { disk: self.clone(), name: name.to_owned(), content: Vec::new() };
        Ok(Box::new(writer))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        let found = self.state().step("read", |state| state.objects.get(name).cloned())?;
        let object = found.ok_or_else(|| failure("read", StoreErrorKind::Unchanged))?;
        Ok(object.content)
    }

    fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.state().step("delete", |state| {
            if let Some(object) = state.objects.remove(name) {
                state.removed.insert(name.to_owned(), object);
            }
        })
    }

    /// Objects are renamed to take them out of use only, so this machine forgets them.
    fn rename(&self, from: &str, _to: &str) -> Result<(), StoreError> {
        self.state().step("rename", |state| {
            if let Some(object) = state.objects.remove(from) {
                state.removed.insert(from.to_owned(), object);
            }
        })
    }

    fn list_below(&self, _folder: &str, _each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        self.state().step("list", |_| ())
    }

    fn list(&self, each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        let listed: Vec<ListedObject> = self.state().step("list", |state| {
            let listed = |(name, object): (&String, &Object)| ListedObject {
                name: name.clone(),
                modified: object.modified,
                bytes: object.content.len() as u64,
            };
            state.objects.iter().map(listed).collect()
        })?;
        // Pages are small, so that what happens between two of them is tried as well.
        listed.chunks(3).try_for_each(|page| each_page(page.to_vec()))
    }
}

/// An object that is written: until it is finished, a crash leaves nothing of it.
#[derive(Debug)]
struct DiskWriter {
    disk: Disk,
    name: String,
    content: Vec<u8>,
}

impl Write for DiskWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.state().step("write", |_| ()).map_err(io::Error::other)?;
        self.content.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ObjectWriter for DiskWriter {
    fn finish(self: Box<Self>) -> Result<u64, StoreError> {
        let bytes = self.content.len() as u64;
        let mut state = self.disk.state();
        let is_durable = state.sabotage != Some(Sabotage::ForgetSync);
        let (name, content) = (self.name.clone(), self.content.clone());
        state.step("finish", |state| {
            let modified = state.now;
            state.objects.insert(name, Object { content, modified, is_durable });
        })?;
        Ok(bytes)
    }
}
