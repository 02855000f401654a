//! What the service stores: its state in a database, and immutable objects in a folder.

pub mod check;
pub mod clock;
mod database;
#[cfg(all(feature = "fault-points", debug_assertions))]
mod fault_points;
pub mod identity;
mod last_published;
pub mod location;
pub(crate) mod looks;
pub(crate) mod node;
mod objects;
pub mod password_hash;
#[cfg(feature = "postgres")]
pub mod postgres;
mod schema;
#[cfg(any(feature = "postgres", feature = "s3", feature = "clickhouse"))]
pub(crate) mod secret_file;
mod sqlite;
pub mod state;
pub(crate) mod sweep;
#[cfg(any(feature = "postgres", feature = "s3", feature = "clickhouse"))]
pub(crate) mod tls;
pub(crate) mod transfer;
mod trust;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use uuid::Uuid;
use visibility_core::store::{ListedObject, Publication, ResponseBody, StoreError};

use self::clock::{ClockVerdict, StoreClock};
use self::identity::{Depth, Pair, Reconciliation, UnknownObjects};
use self::last_published::LastPublished;
use self::location::{DatabaseLocation, ObjectsLocation, StoreLocation};
use self::node::Node;
#[cfg(feature = "s3")]
use self::objects::BucketObjects;
pub(crate) use self::objects::DELTA_LOG;
use self::objects::{FolderObjects, free_bytes, make_folder};
pub use self::objects::{ObjectFiles, ObjectTotals};
use self::state::StateStore;
use self::trust::DatabaseTrust;
pub(crate) use self::trust::database_damage;
use crate::runtime::clock::now;

const DATABASE: &str = "state.sqlite";
const LAST_PUBLISHED: &str = "last-published";
const LOCK: &str = "lock";
const SPOOL: &str = "spool";
/// Longest pause between two times at which the clock is noted to be right.
const LONG_PAUSE: TimeDelta = TimeDelta::hours(24);

/// Another process holds the lock of a data directory.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("another process is using it")]
pub struct InUse;

/// Nodes serve from stores that no one must use meanwhile.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("nodes serve from them: {0}")]
pub struct NodesServe(String);

/// Everything that a data directory holds.
#[derive(Debug)]
pub struct Stores {
    data_dir: PathBuf,
    /// Whether other nodes use the same database and objects.
    is_shared: bool,
    spool: PathBuf,
    state_store: StateStore,
    objects: Box<dyn ObjectFiles>,
    clock: StoreClock,
    last_published: LastPublished,
    left_behind: UnknownObjects,
    trust: DatabaseTrust,
    /// Whether this process serves from them.
    serves: bool,
    /// This process among those that serve, if the database is one that several may share.
    node: Option<Node>,
    /// Held as long as the stores are open, by the process that serves.
    _lock: Option<DirectoryLock>,
    /// The last field, so that it is dropped when the lock is released.
    open: watch::Sender<()>,
}

/// The lock of a data directory, released when it is dropped.
///
/// Closing the file would not do: a process that another thread is about to start has a copy of its descriptor
/// until it runs its program, and the lock with it.
#[derive(Debug)]
struct DirectoryLock(File);

impl DirectoryLock {
    fn acquire(data_dir: &Path) -> Result<Self, StoreError> {
        let file =
            private_file(&data_dir.join(LOCK)).map_err(|error| cannot_open(data_dir, error))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::unchanged(
                format!("open the data directory {}", data_dir.display()),
                InUse,
            ),
            TryLockError::Error(error) => cannot_open(data_dir, error),
        })?;
        Ok(Self(file))
    }
}

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        // If this fails, closing the file releases the lock.
        let _ = self.0.unlock();
    }
}

/// What is looked at before a database is created.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Check {
    /// Whether there are objects, whose database is gone.
    LostDatabase,
    Nothing,
}

impl Stores {
    /// Opens or creates a data directory beside the process that serves from it.
    ///
    /// # Errors
    ///
    /// When it cannot be created, read or written, and when its database and its objects do not belong together
    /// ([`IdentityError`](identity::IdentityError)).
    pub fn open(location: impl Into<StoreLocation>) -> Result<Self, StoreError> {
        let location = location.into();
        create(&location.data_dir).map_err(|error| cannot_open(&location.data_dir, error))?;
        let stores = Self::open_locked(location, None, Check::LostDatabase)?;
        stores.pair().verify(Depth::Ids)?;
        Ok(stores)
    }

    /// Opens or creates a data directory for the one process that serves from it, and removes what
    /// an earlier one has left unfinished.
    ///
    /// # Errors
    ///
    /// When it cannot be created, read or written, when another process serves from it, and when its database and its
    /// objects do not belong together ([`IdentityError`](identity::IdentityError)).
    pub fn open_exclusive(location: impl Into<StoreLocation>) -> Result<Self, StoreError> {
        let location = location.into();
        let data_dir = location.data_dir.clone();
        create(&data_dir).map_err(|error| cannot_open(&data_dir, error))?;
        let lock = DirectoryLock::acquire(&data_dir)?;
        let is_shared = location.is_shared;
        let mut stores = Self::open_locked(location, Some(lock), Check::LostDatabase)?;
        let unknown = stores.pair().verify(Depth::Objects)?;
        warn_of_newer(unknown.newer);
        stores.left_behind = unknown;
        stores.serves = true;
        identity::note_start(&stores.state_store, now())?;
        stores.remove_leftovers()?;
        if stores.state_store.shares_limits() {
            let node =
                Node::open(&data_dir, !is_shared).map_err(|error| cannot_open(&data_dir, error))?;
            stores.node = Some(node);
            stores.beat(now())?;
        }
        Ok(stores)
    }

    /// This process among those that serve, if the database is one that several may share.
    pub(crate) fn node(&self) -> Option<&Node> {
        self.node.as_ref()
    }

    /// Shows the other nodes that this one serves, and notes how it agrees with them. Blocks.
    ///
    /// # Errors
    ///
    /// When the database fails, or the folder of the objects cannot be written.
    pub(crate) fn beat(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let Some(node) = &self.node else { return Ok(()) };
        node.beat(&self.state_store, self.objects(), now)?;
        self.clock.read_reference(&self.state_store)
    }

    /// Makes the database and the objects of a data directory one store again: sets aside the objects that the
    /// database does not know, and brings back those that it knows from the trash and from what was set aside. The
    /// database is created if it is gone.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, written or moved, and when another process serves from the data directory.
    pub fn reconcile(
        location: impl Into<StoreLocation>,
        now: DateTime<Utc>,
    ) -> Result<Reconciliation, StoreError> {
        Self::open_idle(location.into())?.pair().reconcile(now)
    }

    /// The objects that the database does not name, also those that were set aside and those in the trash, by the names
    /// that they had in use.
    ///
    /// # Errors
    ///
    /// When they are of another store than the database, and when one of them cannot be read.
    pub(crate) fn unknown_objects(&self) -> Result<BTreeMap<String, ListedObject>, StoreError> {
        self.pair().all_unknown()
    }

    /// Names the newest object that the database knows, whatever was published last before.
    ///
    /// # Errors
    ///
    /// When a store cannot be read or written.
    pub(crate) fn name_newest_again(&self) -> Result<(), StoreError> {
        self.pair().name_newest_again()
    }

    /// Opens stores that nothing serves from, and keeps it so.
    ///
    /// # Errors
    ///
    /// When they cannot be opened, and when something serves from them.
    pub(crate) fn open_idle(location: StoreLocation) -> Result<Self, StoreError> {
        create(&location.data_dir).map_err(|error| cannot_open(&location.data_dir, error))?;
        let lock = DirectoryLock::acquire(&location.data_dir)?;
        let stores = Self::open_locked(location, Some(lock), Check::Nothing)?;
        stores.refuse_serving_nodes("change the stores")?;
        Ok(stores)
    }

    /// Refuses what only may be done while no node serves.
    fn refuse_serving_nodes(&self, action: &str) -> Result<(), StoreError> {
        if !self.state_store.shares_limits() {
            return Ok(());
        }
        let serving = self.state_store.serving_nodes()?;
        if serving.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = serving.into_iter().map(|node| node.name).collect();
        Err(StoreError::unchanged(action, NodesServe(names.join(", "))))
    }

    /// Makes sure that the database and the objects belong together, by a look at all objects.
    ///
    /// # Errors
    ///
    /// [`IdentityError`](identity::IdentityError) if not, and when a store cannot be read.
    pub fn verify(&self) -> Result<(), StoreError> {
        self.pair().verify(Depth::Objects).map(|_unknown| ())
    }

    /// How many objects that the database does not know are newer than everything that it knows, after [`Self::verify`].
    ///
    /// # Errors
    ///
    /// Those of [`Self::verify`].
    pub(crate) fn count_newer(&self) -> Result<usize, StoreError> {
        Ok(self.pair().verify(Depth::Objects)?.newer)
    }

    /// The objects that the database did not know when the only process that can publish them started: those before
    /// it have left them behind.
    pub(crate) fn left_behind(&self) -> BTreeSet<String> {
        // Another node may be about to publish them.
        if self.is_shared { BTreeSet::new() } else { self.left_behind.names.clone() }
    }

    /// How many of the objects that the database did not know at the start were newer than everything that it knew.
    pub(crate) fn newer_at_start(&self) -> usize {
        self.left_behind.newer
    }

    fn pair(&self) -> Pair<'_> {
        Pair {
            data_dir: &self.data_dir,
            state_store: &self.state_store,
            objects: self.objects(),
            last_published: &self.last_published,
        }
    }

    fn open_locked(
        location: StoreLocation,
        lock: Option<DirectoryLock>,
        check: Check,
    ) -> Result<Self, StoreError> {
        let data_dir = location.data_dir;
        let spool = data_dir.join(SPOOL);
        make_folder(&spool).map_err(|error| cannot_open(&data_dir, error))?;
        let objects: Box<dyn ObjectFiles> = match location.objects {
            ObjectsLocation::Folder(folder) => Box::new(FolderObjects::open(&folder)?),
            #[cfg(feature = "s3")]
            ObjectsLocation::Bucket(address) => {
                Box::new(BucketObjects::open(*address, spool.clone())?)
            }
        };
        let state_store = match location.database {
            DatabaseLocation::DataDir => {
                let database = data_dir.join(DATABASE);
                if check == Check::LostDatabase {
                    identity::refuse_lost_database(&data_dir, &database, &*objects)?;
                }
                // SQLite gives its other files the mode of this one.
                private_file(&database).map_err(|error| cannot_open(&data_dir, error))?;
                StateStore::open(&database)?
            }
            #[cfg(feature = "postgres")]
            DatabaseLocation::Postgres { address, connections } => {
                StateStore::open_postgres(&address, connections)?
            }
        };
        let last_published = LastPublished::open(&data_dir.join(LAST_PUBLISHED))
            .map_err(|error| cannot_open(&data_dir, error))?;
        let clock = StoreClock::open(&state_store)?;
        Ok(Self {
            data_dir,
            is_shared: location.is_shared,
            spool,
            state_store,
            objects,
            clock,
            last_published,
            left_behind: UnknownObjects::default(),
            trust: DatabaseTrust::default(),
            serves: false,
            node: None,
            _lock: lock,
            open: watch::Sender::new(()),
        })
    }

    /// Ends when the stores are closed and another process can open them.
    pub fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut open = self.open.subscribe();
        async move { while open.changed().await.is_ok() {} }
    }

    fn remove_leftovers(&self) -> Result<(), StoreError> {
        let empty_spool = || -> io::Result<()> {
            for entry in fs::read_dir(&self.spool)? {
                fs::remove_file(entry?.path())?;
            }
            Ok(())
        };
        empty_spool().map_err(|error| cannot_open(&self.data_dir, error))?;
        // Another node may be writing them.
        if !self.is_shared {
            self.objects.remove_leftovers(None)?;
        }
        Ok(())
    }

    /// Removes what nodes that share the folder of the objects have left there when they were killed before that time.
    /// A node that has the folder for itself does so at its start. Blocks.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read or a file cannot be removed.
    pub(crate) fn remove_shared_leftovers(&self, before: DateTime<Utc>) -> Result<(), StoreError> {
        if !self.is_shared {
            return Ok(());
        }
        let removed = self.objects.remove_leftovers(Some(before.into()))?;
        if removed > 0 {
            tracing::info!(files = removed, "deleted unfinished files");
        }
        Ok(())
    }

    /// Notes that a batch was published.
    pub(crate) fn batch_published(&self, publication: &Publication) {
        self.clock.batch_arrived(publication.received_at);
        let answer = match &publication.response.body {
            ResponseBody::Object(object) => Some(&object.name),
            ResponseBody::Inline(_) => None,
        };
        if let Some(name) = publication.file.as_ref().map(|file| &file.name).or(answer) {
            self.object_published(name);
        }
    }

    /// Notes that an object was published, in a batch or by compaction.
    pub(crate) fn object_published(&self, name: &str) {
        self.last_published.write(name);
    }

    /// How far the clock is ahead of where it should be, or behind if it is below zero, if that is too far for new batches:
    /// the times of their records would be judged wrongly, and for good.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn clock_too_far_off(
        &self,
        now: DateTime<Utc>,
    ) -> Result<Option<TimeDelta>, StoreError> {
        match self.clock_behind(now)? {
            Some(behind) => Ok(Some(-behind)),
            None => self.clock.ahead(&self.state_store, now),
        }
    }

    /// Whether the times of records can be judged by the clock.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn can_judge_times(&self, now: DateTime<Utc>) -> Result<bool, StoreError> {
        Ok(self.judge_clock(now, LONG_PAUSE)?.is_plausible())
    }

    /// The time by which tokens expire: a clock that is known to have jumped ends none.
    pub(crate) fn trusted_time(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.clock.trusted_time(now)
    }

    /// How far the clock is behind the newest time in the store, or behind that of the database that nodes share, if that
    /// is too far for new batches.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn clock_behind(&self, now: DateTime<Utc>) -> Result<Option<TimeDelta>, StoreError> {
        if let Some(node) = &self.node {
            let mut behind = node.health().clock_ahead.map(|ahead| -ahead);
            // A clock that was set back a moment ago is behind what this node has seen.
            if self.clock.is_behind_newest(now) {
                behind = self.state_store.shared_time()?.map(|time| time - now);
            }
            return Ok(behind.filter(|behind| *behind > clock::BEHIND));
        }
        self.clock.behind(&self.state_store, now)
    }

    /// Judges the clock by what the store has seen of it. The pause is the one between two rounds of maintenance.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn judge_clock(
        &self,
        now: DateTime<Utc>,
        pause: TimeDelta,
    ) -> Result<ClockVerdict, StoreError> {
        self.clock.read_reference(&self.state_store)?;
        clock::judge(&self.state_store, now, pause)
    }

    /// Takes the clock for right, whatever the store has seen before.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn trust_clock(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        clock::trust(&self.state_store, now)?;
        self.clock.read_reference(&self.state_store)
    }

    /// The folder of everything.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// How many bytes there is room for, where there is the least.
    pub(crate) fn free_bytes(&self) -> io::Result<u64> {
        let of_spool = free_bytes(&self.spool)?;
        let of_objects = self.objects.free_bytes()?;
        Ok(of_objects.map_or(of_spool, |free| free.min(of_spool)))
    }

    /// The folder of bodies that are being received, emptied at each start of the service.
    pub fn spool(&self) -> &Path {
        &self.spool
    }

    /// The database.
    pub fn state_store(&self) -> &StateStore {
        &self.state_store
    }

    /// The objects.
    pub fn objects(&self) -> &dyn ObjectFiles {
        &*self.objects
    }
}

impl Stores {
    /// Notes the newest object, and says to other nodes that this one serves no more. Blocks.
    pub(crate) fn leave(&self) {
        if self.serves
            && let Err(error) = self.note_newest()
        {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "cannot note the newest object"
            );
        }
        if let Some(node) = &self.node {
            node.leave(&self.state_store, self.objects());
        }
    }
}

impl Drop for Stores {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Says that objects are newer than the database, which may be no fault of it.
fn warn_of_newer(objects: usize) {
    if objects > 0 {
        tracing::warn!(
            objects,
            "objects are newer than everything in the database, which does not know them: batches that were \
                interrupted leave some; if the database is older than the objects, stop the server and put \
                the newest one in its place"
        );
    }
}

/// Makes the data directory, and those above it as they are wont to be.
fn create(data_dir: &Path) -> io::Result<()> {
    if let Some(above) = data_dir.parent() {
        DirBuilder::new().recursive(true).mode(0o755).create(above)?;
    }
    make_folder(data_dir)
}

/// A file of our own that has no name any more.
pub(crate) fn unnamed_file(folder: &Path) -> io::Result<File> {
    let path = folder.join(Uuid::now_v7().to_string());
    let file =
        OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// Opens a file for writing that only its owner can read, or creates it.
fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
}

fn cannot_open(data_dir: &Path, error: io::Error) -> StoreError {
    StoreError::io(format!("open the data directory {}", data_dir.display()), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy of the descriptor is what a process has that is about to run its program.
    #[test]
    fn a_released_lock_can_be_acquired_while_a_copy_of_its_descriptor_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let lock = DirectoryLock::acquire(folder.path()).unwrap();
        let copy = lock.0.try_clone().unwrap();
        let error = DirectoryLock::acquire(folder.path()).unwrap_err();
        assert!(error.source.unwrap().is::<InUse>());
        drop(lock);
        drop(DirectoryLock::acquire(folder.path()).unwrap());
        drop(copy);
    }
}
