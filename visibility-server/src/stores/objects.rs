//! What the service asks of a place of objects beyond what batches need, whether it is a folder or a bucket.

#[cfg(feature = "s3")]
pub(super) mod bucket;
mod folder;

use std::error::Error as _;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, SystemTime};

use object_store::path::Path as Location;
use serde::Serialize;
use uuid::Uuid;
use visibility_core::store::{
    ListedObject, Objects, SET_ASIDE, StoreError, StoreErrorKind, TRASH, is_below,
};

#[cfg(feature = "s3")]
pub(super) use self::bucket::BucketObjects;
pub(super) use self::folder::{FolderObjects, free_bytes, make_folder};

/// The mark with the identity of the store.
pub(super) const IDENTITY: &str = "store.json";
/// The mark with the name of the object that was published last.
pub(super) const NEWEST: &str = "newest.json";
/// The folder, below that of a tenant, with the versions of its Delta log.
pub(crate) const DELTA_LOG: &str = "_delta_log";
/// What the marks begin with by which nodes see that all of them use the same objects.
const NODE: &str = "node-";

/// How many objects there are, and how large they are together.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct ObjectTotals {
    /// Their number.
    pub objects: usize,
    /// The sum of their sizes.
    pub bytes: u64,
}

impl ObjectTotals {
    /// The totals of listed objects.
    pub fn of(listed: &[ListedObject]) -> Self {
        let bytes = listed.iter().map(|object| object.bytes).sum();
        Self { objects: listed.len(), bytes }
    }
}

/// A place of objects that can be read as files.
///
/// Beside the objects it has marks, which are written as a whole and are no objects: the identity of the store, the name
/// of the object that was published last, the nodes that serve from it, and the versions of the Delta logs.
pub trait ObjectFiles: Objects + fmt::Display {
    /// An object as a file, from its start.
    ///
    /// # Errors
    ///
    /// When it does not exist or cannot be read.
    fn open(&self, name: &str) -> Result<File, StoreError>;

    /// Some bytes of an object.
    ///
    /// # Errors
    ///
    /// When it does not exist, ends before them, or cannot be read.
    fn read_range(&self, name: &str, range: Range<u64>) -> Result<Vec<u8>, StoreError>;

    /// Where other programs find an object: its path, or its address such as `s3://bucket/prefix/name`.
    ///
    /// # Errors
    ///
    /// When no object can have this name.
    fn address(&self, name: &str) -> Result<String, StoreError>;

    /// Whether there is an object of this name.
    ///
    /// # Errors
    ///
    /// When that cannot be found out.
    fn exists(&self, name: &str) -> Result<bool, StoreError>;

    /// The text of a mark, if there is one.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn mark(&self, mark: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Makes a mark durable, unless there is one of this name. Says whether it did.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn create_mark(&self, mark: &str, text: &[u8]) -> Result<bool, StoreError>;

    /// Makes a mark durable in place of the one that there may be.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn replace_mark(&self, mark: &str, text: &[u8]) -> Result<(), StoreError>;

    /// Removes a mark. One that does not exist is removed already.
    ///
    /// # Errors
    ///
    /// When it may still exist.
    fn remove_mark(&self, mark: &str) -> Result<(), StoreError>;

    /// How often nodes look at the marks of each other. Each look at a bucket has a price.
    fn look_every(&self) -> Duration;

    /// How many bytes there is room for, if there is a bound.
    ///
    /// # Errors
    ///
    /// When that cannot be found out.
    fn free_bytes(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// Removes what processes that were killed have left: objects that are not finished, and the marks of nodes. Says
    /// how many. With a time only those that were last written before it, for other nodes may be writing theirs.
    ///
    /// # Errors
    ///
    /// When something cannot be read or removed.
    fn remove_leftovers(&self, before: Option<SystemTime>) -> Result<usize, StoreError>;

    /// Whether this is the place of other objects too.
    fn is_same_place(&self, other: &dyn ObjectFiles) -> bool {
        self.to_string() == other.to_string()
    }
}

/// The mark of a node.
pub(super) fn node_mark(id: Uuid) -> String {
    format!("{NODE}{id}")
}

/// Whether a name is that of the mark of a node.
pub(super) fn is_node_mark(name: &str) -> bool {
    name.strip_prefix(NODE).is_some_and(|id| id.parse::<Uuid>().is_ok())
}

/// Whether a name is that of an object in use.
pub(super) fn is_in_use(name: &str) -> bool {
    let is_of_delta_log = name.split('/').nth(1) == Some(DELTA_LOG);
    name != IDENTITY
        && name != NEWEST
        && !is_node_mark(name)
        && !is_of_delta_log
        && !is_below(name, TRASH)
        && !is_below(name, SET_ASIDE)
}

fn location(name: &str) -> Result<Location, StoreError> {
    Location::parse(name)
        .map_err(|error| StoreError::unchanged(format!("use the name `{name}`"), error))
}

fn failed(action: String, error: &object_store::Error) -> StoreError {
    let is_full =
        matches!(io_kind(error), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    let kind = if is_full { StoreErrorKind::Full } else { StoreErrorKind::Unchanged };
    StoreError { kind, action, source: Some(cause_of(error).into()) }
}

/// What an error and its causes say. Most of them repeat the text of their cause, which is left out.
fn cause_of(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

/// The kind of the error of the file system at the bottom.
fn io_kind(error: &object_store::Error) -> io::ErrorKind {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return error.kind();
        }
        cause = error.source();
    }
    io::ErrorKind::Other
}

/// Waits for a future on this thread.
///
/// Tokio's own way to block panics on a thread that drives tasks. This one works everywhere: what
/// the store does inside a runtime is done by the runtime's threads for blocking work.
fn wait_for<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
