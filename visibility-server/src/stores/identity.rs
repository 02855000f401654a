//! Makes sure that a database and a folder of objects belong together.
//!
//! A database that does not know the objects takes all of them for orphans. So both have the id of the store: a row
//! of the database, and the file `store.json` beside the objects. A database that is older than its objects has the
//! right id and still does not know the newest of them: `last_published` has their names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use visibility_core::store::commit::only_unnamed;
use visibility_core::store::{Ledger as _, ListedObject, SET_ASIDE, StoreError, TRASH};

use super::clock::{self, newest_time};
use super::last_published::LastPublished;
use super::objects::{IDENTITY, ObjectFiles, ObjectTotals};
use super::state::StateStore;

/// The name of the id in the database.
const ID: &str = "id";
/// The name of the time of the last start in the database.
const STARTED: &str = "started";

/// Why a database and a folder of objects do not belong together.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum IdentityError {
    /// There are objects, and no database.
    #[error("the database is gone or empty, and there are {objects} objects of a store")]
    NoDatabase {
        /// How many there are.
        objects: usize,
    },
    /// The id of the objects cannot be read.
    #[error("`store.json` next to the objects is broken: {reason}")]
    BrokenId {
        /// Why it cannot be read.
        reason: String,
    },
    /// The database has another id than the objects.
    #[error(
        "the objects belong to another database: they are from the store {objects}, \
            the database is from {database}"
    )]
    OtherStore {
        /// The id in the database.
        database: Uuid,
        /// The id beside the objects.
        objects: Uuid,
    },
    /// The database knows none of the objects.
    #[error("the database knows none of the {objects} objects")]
    UnknownObjects {
        /// How many there are.
        objects: usize,
    },
    /// The database knows objects, and there is none.
    #[error("the database knows {known} objects, but none exist")]
    NoObjects {
        /// How many it knows.
        known: usize,
    },
    /// There are objects that were published after the last change of the database.
    #[error("the database is older than the objects: it does not know {newest}, among others")]
    OlderDatabase {
        /// The newest object that it does not know.
        newest: String,
    },
}

impl IdentityError {
    /// What an operator can do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoDatabase { .. } => {
                "restore the database; only if it is lost, set the objects aside and start a new \
                    store with `visibility-server reconcile`"
            }
            Self::OtherStore { .. } | Self::UnknownObjects { .. } => {
                "look for the database that these objects belong to, or for the objects of this \
                    database; only if one of them is lost, set the unknown objects aside with \
                    `visibility-server reconcile`"
            }
            Self::BrokenId { .. } => {
                "restore the file from a backup, or write a new one with \
                    `visibility-server reconcile`"
            }
            Self::NoObjects { .. } => {
                "mount or restore the folder of the objects; if they are lost, run \
                    `visibility-server reconcile`"
            }
            Self::OlderDatabase { .. } => {
                "restore the newest database; only if it is lost, give this one the batches that it \
                    does not know with `visibility-server reconcile --adopt`"
            }
        }
    }

    /// Why a store was refused, if it was for its identity.
    pub fn of(error: &StoreError) -> Option<&Self> {
        error.source.as_ref()?.downcast_ref()
    }
}

/// The content of `store.json`.
#[derive(Debug, Deserialize, Serialize)]
struct IdentityFile {
    id: Uuid,
}

/// How thoroughly to look.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Depth {
    /// At the ids and at the last published object, which is enough for a command beside the service.
    Ids,
    /// At all objects.
    Objects,
}

/// The database and the objects of a data directory.
pub(super) struct Pair<'a> {
    pub(super) data_dir: &'a Path,
    pub(super) state_store: &'a StateStore,
    pub(super) objects: &'a dyn ObjectFiles,
    pub(super) last_published: &'a LastPublished,
}

/// The objects that a database does not know.
#[derive(Clone, Debug, Default)]
pub(super) struct UnknownObjects {
    pub(super) names: BTreeSet<String>,
    /// How many of them are of batches that arrived after everything that the database knows.
    pub(super) newer: usize,
}

/// Refuses objects that lie beside a database that is gone, before a new one is created.
pub(super) fn refuse_lost_database(
    data_dir: &Path,
    database: &Path,
    objects: &dyn ObjectFiles,
) -> Result<(), StoreError> {
    if fs::metadata(database).is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    let mut listed = 0;
    objects.list(&mut |page| {
        listed += page.len();
        Ok(())
    })?;
    if listed == 0 && read_id(data_dir, objects)?.is_none() {
        return Ok(());
    }
    Err(refused(data_dir, IdentityError::NoDatabase { objects: listed }))
}

impl Pair<'_> {
    /// Makes sure that database and objects belong together, and gives them an id if they have none yet. Names the
    /// objects that the database does not know, if it looks at them.
    pub(super) fn verify(&self, depth: Depth) -> Result<UnknownObjects, StoreError> {
        let in_database: Option<Uuid> = self.state_store.value(ID)?;
        let beside_objects = read_id(self.data_dir, self.objects)?;
        let is_identified = match (in_database, beside_objects) {
            (Some(database), Some(objects)) if database != objects => {
                return Err(self.refused(IdentityError::OtherStore { database, objects }));
            }
            (Some(_), Some(_)) => true,
            _ => false,
        };
        if is_identified {
            self.verify_last_published()?;
            if depth == Depth::Ids {
                return Ok(UnknownObjects::default());
            }
        }
        let (listed, unknown) = self.unknown()?;
        if !is_identified {
            self.verify_without_id(listed, unknown.len(), beside_objects)?;
            self.verify_last_published()?;
        }
        if !is_identified {
            self.identify(beside_objects)?;
        }
        let newer = self.count_newer(&unknown)?;
        Ok(UnknownObjects { names: unknown.into_iter().map(|object| object.name).collect(), newer })
    }

    /// How many objects are in use, and those among them that the database does not know.
    fn unknown(&self) -> Result<(usize, Vec<ListedObject>), StoreError> {
        let mut listed = 0;
        let mut unknown = Vec::new();
        self.objects.list(&mut |page| {
            listed += page.len();
            unknown.extend(only_unnamed(page, self.state_store)?);
            Ok(())
        })?;
        Ok((listed, unknown))
    }

    fn refused(&self, error: IdentityError) -> StoreError {
        refused(self.data_dir, error)
    }

    /// Without an id on both sides, the database has to know an object.
    fn verify_without_id(
        &self,
        objects: usize,
        unknown: usize,
        beside_objects: Option<Uuid>,
    ) -> Result<(), StoreError> {
        if unknown < objects {
            return Ok(());
        }
        if objects > 0 || beside_objects.is_some() {
            return Err(self.refused(IdentityError::UnknownObjects { objects }));
        }
        // Retired objects may be gone.
        let known = self.state_store.needed_objects()?;
        if known > 0 {
            return Err(self.refused(IdentityError::NoObjects { known }));
        }
        Ok(())
    }

    /// Refuses a database that does not know an object that was published last.
    pub(super) fn verify_last_published(&self) -> Result<(), StoreError> {
        for newest in self.last_published.names(self.objects)? {
            // In this order: another node deletes a retired object before the database forgets it.
            if !self.state_store.names_object(&newest)? && self.objects.exists(&newest)? {
                return Err(self.refused(IdentityError::OlderDatabase { newest }));
            }
        }
        Ok(())
    }

    /// How many unknown objects are newer than everything in the database. Crashes leave some behind; it may also be that
    /// the database is older than they are.
    fn count_newer(&self, unknown: &[ListedObject]) -> Result<usize, StoreError> {
        let started: Option<DateTime<Utc>> = self.state_store.value(STARTED)?;
        let Some(newest) = newest_time(self.state_store)?.max(started) else { return Ok(0) };
        let made_at = unknown.iter().filter_map(|object| made_at(&object.name));
        Ok(made_at.filter(|made_at| *made_at > newest).count())
    }

    /// Gives the store its id: that of the objects, if they have one. Refuses objects that another database has made
    /// its own meanwhile.
    fn identify(&self, beside_objects: Option<Uuid>) -> Result<(), StoreError> {
        let id = self.id_of_database(beside_objects)?;
        if !self.objects.create_mark(IDENTITY, identity_text(id)?.as_bytes())? {
            let objects = read_id(self.data_dir, self.objects)?;
            if let Some(objects) = objects.filter(|objects| *objects != id) {
                return Err(self.refused(IdentityError::OtherStore { database: id, objects }));
            }
        }
        Ok(())
    }

    /// The id in the database, which gets one if it has none: a new one, unless the objects have one.
    fn id_of_database(&self, beside_objects: Option<Uuid>) -> Result<Uuid, StoreError> {
        let id = beside_objects.unwrap_or_else(Uuid::now_v7);
        self.state_store.init_value(ID, &id)?;
        Ok(self.state_store.value(ID)?.unwrap_or(id))
    }
}

/// What a reconciliation has done.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Reconciliation {
    /// Objects that the database does not know.
    pub set_aside: ObjectTotals,
    /// Where they are, if there are any.
    pub folder: Option<String>,
    /// Objects that the database knows, and that were in the trash or set aside.
    pub brought_back: ObjectTotals,
}

impl Pair<'_> {
    /// Sets aside what the database does not know, brings back what it knows, and gives both one id.
    pub(super) fn reconcile(&self, now: DateTime<Utc>) -> Result<Reconciliation, StoreError> {
        let (_listed, unknown) = self.unknown()?;
        let mut brought_back = Vec::new();
        for folder in [SET_ASIDE, TRASH] {
            for (object, name) in self.missed(folder)? {
                if !self.objects.exists(&name)? {
                    self.objects.rename(&object.name, &name)?;
                    brought_back.push(object);
                }
            }
        }
        let folder = format!("{SET_ASIDE}/{}", now.format("%Y-%m-%dT%H-%M-%SZ"));
        for object in &unknown {
            self.objects.rename(&object.name, &format!("{folder}/{}", object.name))?;
        }
        self.last_published.clear(self.objects)?;
        let id = self.id_of_database(None)?;
        self.objects.replace_mark(IDENTITY, identity_text(id)?.as_bytes())?;
        Ok(Reconciliation {
            set_aside: ObjectTotals::of(&unknown),
            folder: if unknown.is_empty() { None } else { Some(self.objects.address(&folder)?) },
            brought_back: ObjectTotals::of(&brought_back),
        })
    }
}

impl Pair<'_> {
    /// The objects below a folder that the database knows and that are not in use, with the names that it knows.
    fn missed(&self, folder: &str) -> Result<Vec<(ListedObject, String)>, StoreError> {
        let mut missed = Vec::new();
        self.objects.list_below(folder, &mut |page| {
            let names: Vec<String> =
                page.iter().map(|object| name_in_use(&object.name).to_owned()).collect();
            let unnamed = self.state_store.unnamed(&names)?;
            let named = page.into_iter().zip(names).filter(|(_, name)| !unnamed.contains(name));
            for (object, name) in named {
                if !self.objects.exists(&name)? {
                    missed.push((object, name));
                }
            }
            Ok(())
        })?;
        missed.sort();
        Ok(missed)
    }
}

impl Pair<'_> {
    /// The objects that the database does not name, also those that were set aside and those in the trash, by the names
    /// that they had in use. Refuses those of another store.
    pub(super) fn all_unknown(&self) -> Result<BTreeMap<String, ListedObject>, StoreError> {
        let objects = read_id(self.data_dir, self.objects)?;
        let database: Option<Uuid> = self.state_store.value(ID)?;
        if let (Some(database), Some(objects)) = (database, objects)
            && database != objects
        {
            return Err(self.refused(IdentityError::OtherStore { database, objects }));
        }
        let (listed, unknown) = self.unknown()?;
        if database.is_none() || objects.is_none() {
            self.verify_without_id(listed, unknown.len(), objects)?;
        }
        let mut all: BTreeMap<String, ListedObject> =
            unknown.into_iter().map(|object| (object.name.clone(), object)).collect();
        for folder in [SET_ASIDE, TRASH] {
            self.objects.list_below(folder, &mut |page| {
                let names: Vec<String> =
                    page.iter().map(|object| name_in_use(&object.name).to_owned()).collect();
                let unnamed = self.state_store.unnamed(&names)?;
                for (object, name) in page.into_iter().zip(names) {
                    if unnamed.contains(&name) && !all.contains_key(&name) {
                        all.insert(name, object);
                    }
                }
                Ok(())
            })?;
        }
        Ok(all)
    }

    /// Names the newest object that the database knows, whatever was published last before.
    pub(super) fn name_newest_again(&self) -> Result<(), StoreError> {
        self.last_published.clear(self.objects)?;
        match self.state_store.newest_file()? {
            Some(newest) => self.last_published.write_mark(self.objects, &newest),
            None => Ok(()),
        }
    }
}

/// The name that an object had in use which was set aside or is in the trash: both have a folder for each time.
fn name_in_use(name: &str) -> &str {
    name.splitn(3, '/').nth(2).unwrap_or_default()
}

/// Notes that the service has started: objects that an interrupted batch has left are older from now on.
pub(super) fn note_start(state_store: &StateStore, now: DateTime<Utc>) -> Result<(), StoreError> {
    clock::init(state_store, now)?;
    state_store.set_value(STARTED, &now)
}

fn refused(data_dir: &Path, error: IdentityError) -> StoreError {
    StoreError::unchanged(format!("open the data directory {}", data_dir.display()), error)
}

fn read_id(data_dir: &Path, objects: &dyn ObjectFiles) -> Result<Option<Uuid>, StoreError> {
    let Some(json) = objects.mark(IDENTITY)? else { return Ok(None) };
    match serde_json::from_slice::<IdentityFile>(&json) {
        Ok(file) => Ok(Some(file.id)),
        Err(error) => {
            let problem = IdentityError::BrokenId { reason: error.to_string() };
            Err(refused(data_dir, problem))
        }
    }
}

fn identity_text(id: Uuid) -> Result<String, StoreError> {
    let json = serde_json::to_string(&IdentityFile { id })
        .map_err(|error| StoreError::unchanged("write the id of the store", error))?;
    Ok(json + "\n")
}

/// When an object was made, by the id in its name, if it is of a batch. Those of a compaction do not count: it makes
/// many before it publishes them together.
fn made_at(name: &str) -> Option<DateTime<Utc>> {
    let (folder, file) = name.rsplit_once('/')?;
    if !folder.ends_with("/new") && !folder.starts_with("answers/") {
        return None;
    }
    let id = Uuid::parse_str(file.split('.').next()?).ok()?;
    let (seconds, nanoseconds) = id.get_timestamp()?.to_unix();
    DateTime::from_timestamp(seconds.try_into().ok()?, nanoseconds)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn the_name_of_an_object_of_a_batch_says_when_it_was_made() {
        let id = Uuid::now_v7();
        for name in [
            format!("tenant=acme/new/{id}.parquet"),
            format!("tenant=acme/new/{id}.partial.parquet"),
            format!("answers/tenant=acme/{id}.json.gz"),
        ] {
            let age = Utc::now() - made_at(&name).unwrap();
            assert!(age.abs() < TimeDelta::minutes(1), "{name}");
        }
        for name in [
            format!("tenant=acme/day=2026-09-21/{id}.parquet"),
            "tenant=acme/new/1.parquet".to_owned(),
            Uuid::nil().to_string(),
            String::new(),
        ] {
            assert_eq!(made_at(&name), None, "{name}");
        }
    }
}
