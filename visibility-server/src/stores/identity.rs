//! Makes sure that a database and a folder of objects belong together.
//!
//! A database that does not know the objects takes all of them for orphans. So both have the id of the store: a row
//! of the database, and the file `store.json` beside the objects. A database that is older than its objects has the
//! right id and still does not know the newest of them. Two things show that: the file `last-published` names an
//! object that was published, and the names of objects say when they were made.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use visibility_core::store::commit::only_unnamed;
use visibility_core::store::{Ledger as _, ListedObject, SET_ASIDE, StoreError, TRASH};

use super::clock::newest_time;
use super::objects::{IDENTITY, ObjectFiles, ObjectTotals};
use super::state::StateStore;
use super::{clock, private_file};

/// The name of the id in the database.
const ID: &str = "id";
/// The name of the time of the last start in the database.
const STARTED: &str = "started";
/// How much newer than everything else in the store the objects of a batch may be that a crash has interrupted:
/// something in the database is as new as the last round of maintenance, which there is each hour unless a setting
/// says otherwise.
const MAX_LEAD: TimeDelta = TimeDelta::hours(3);
/// Bytes of the file that names the object that was published last. The name ends with spaces.
const LAST_PUBLISHED_BYTES: usize = 512;

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
                "restore the database, or set the objects aside and start a new \
                    store with `visibility-server reconcile`"
            }
            Self::OtherStore { .. } | Self::UnknownObjects { .. } => {
                "restore the database and objects that belong together, or set the \
                    unknown objects aside with `visibility-server reconcile`"
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
                "restore the newest database, or set the unknown objects aside with \
                    `visibility-server reconcile`"
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
    /// How many batches one crash may interrupt. None if any number may leave objects behind: several nodes do at once,
    /// and so does a network between a node and its objects.
    pub(super) most_interrupted: Option<usize>,
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
    pub(super) fn verify(&self, depth: Depth) -> Result<BTreeSet<String>, StoreError> {
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
                return Ok(BTreeSet::new());
            }
        }
        let (listed, unknown) = self.unknown()?;
        if !is_identified {
            self.verify_without_id(listed, unknown.len(), beside_objects)?;
            self.verify_last_published()?;
        }
        self.verify_age(&unknown)?;
        if !is_identified {
            self.identify(beside_objects)?;
        }
        Ok(unknown.into_iter().map(|object| object.name).collect())
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

    /// Refuses a database that does not know the object that was published last.
    fn verify_last_published(&self) -> Result<(), StoreError> {
        let Some(newest) = self.last_published.read() else { return Ok(()) };
        // In this order: another node deletes a retired object before the database forgets it.
        if !self.state_store.names_object(&newest)? && self.objects.exists(&newest)? {
            return Err(self.refused(IdentityError::OlderDatabase { newest }));
        }
        Ok(())
    }

    /// Refuses more unknown new objects than one crash can leave behind.
    fn verify_age(&self, unknown: &[ListedObject]) -> Result<(), StoreError> {
        let started: Option<DateTime<Utc>> = self.state_store.value(STARTED)?;
        let Some(newest) = newest_time(self.state_store)?.max(started) else { return Ok(()) };
        let newer: Vec<(DateTime<Utc>, &str)> = unknown
            .iter()
            .filter_map(|object| Some((made_at(&object.name)?, object.name.as_str())))
            .filter(|(made_at, _)| *made_at > newest)
            .collect();
        let Some((made_at, name)) = newer.iter().max() else { return Ok(()) };
        let batches = newer.iter().filter(|(_, name)| is_records(name)).count();
        let answers = newer.iter().filter(|(_, name)| name.starts_with("answers/")).count();
        let are_too_many = self.most_interrupted.is_some_and(|most| batches.max(answers) > most);
        if *made_at - newest > MAX_LEAD || are_too_many {
            return Err(self.refused(IdentityError::OlderDatabase { newest: (*name).to_owned() }));
        }
        Ok(())
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
        self.last_published
            .clear()
            .map_err(|error| StoreError::io("forget the last object", error))?;
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
            // The folder has one for each time.
            let original = |name: &str| name.splitn(3, '/').nth(2).unwrap_or_default().to_owned();
            let names: Vec<String> = page.iter().map(|object| original(&object.name)).collect();
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

/// Whether an object has the records of a batch.
fn is_records(name: &str) -> bool {
    name.contains("/new/") && name.matches('.').count() == 1
}

/// The file that names the object that was published last.
///
/// It is written after each publication, and not made durable: a crash of the process does not lose it, and one of the
/// machine makes it older, which is safe.
#[derive(Debug)]
pub(super) struct LastPublished(File);

impl LastPublished {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = fs::OpenOptions::new().read(true).write(true).open(path);
        match file {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                private_file(path)?;
                fs::OpenOptions::new().read(true).write(true).open(path)
            }
            file => file,
        }
        .map(Self)
    }

    pub(super) fn write(&self, name: &str) {
        let mut bytes = [b' '; LAST_PUBLISHED_BYTES];
        if let Some(place) = bytes.get_mut(..name.len()) {
            place.copy_from_slice(name.as_bytes());
            // Without it, an older database is noticed later.
            let _ = self.0.write_all_at(&bytes, 0);
        }
    }

    pub(super) fn clear(&self) -> io::Result<()> {
        self.0.set_len(0)
    }

    fn read(&self) -> Option<String> {
        let mut bytes = [0; LAST_PUBLISHED_BYTES];
        self.0.read_exact_at(&mut bytes, 0).ok()?;
        let name = str::from_utf8(&bytes).ok()?.trim_end();
        (!name.is_empty()).then(|| name.to_owned())
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn only_a_file_with_records_is_one() {
        let is = [
            "tenant=a/new/1.parquet",
            "tenant=a/new/1.partial.parquet",
            "answers/tenant=a/1.json.gz",
        ]
        .map(is_records);
        assert_eq!(is, [true, false, false]);
    }

    #[test]
    fn the_last_published_object_is_the_one_that_was_written_last() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("last-published");
        let file = LastPublished::open(&path).unwrap();
        assert_eq!(file.read(), None);
        file.write("tenant=acme/new/a-long-one.parquet");
        file.write("tenant=acme/new/1.parquet");
        let file = LastPublished::open(&path).unwrap();
        assert_eq!(file.read().as_deref(), Some("tenant=acme/new/1.parquet"));
        file.write(&"a".repeat(1000));
        assert_eq!(file.read().as_deref(), Some("tenant=acme/new/1.parquet"));
        file.clear().unwrap();
        assert_eq!(file.read(), None);
    }
}
