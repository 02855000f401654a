//! Interfaces to storage, and its one rule: what the [`Ledger`] has published exists.
//!
//! All calls block: they are made from a thread that may wait. A backend that is asynchronous drives
//! its own runtime. [`memory`] has both seams for tests and for programs without a disk.

pub mod commit;
pub mod digest;
pub mod memory;
pub mod sums;

use std::collections::BTreeSet;
use std::fmt;
use std::io;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use self::digest::Digest;
use self::sums::Sums;
use crate::accounts::tenant::{BatchKey, TenantSlug};

/// What is certain after a store has failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum StoreErrorKind {
    /// Nothing was changed.
    Unchanged,
    /// Nothing was changed, as there is no room.
    Full,
    /// The change may or may not have happened: the connection broke within a commit.
    Unknown,
}

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action}")]
pub struct StoreError {
    /// What is certain.
    pub kind: StoreErrorKind,
    /// What was tried, as it reads after "cannot": `read the keys`.
    pub action: String,
    /// The cause.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// A failure that changed nothing.
    pub fn unchanged(
        action: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { kind: StoreErrorKind::Unchanged, action: action.into(), source: Some(source.into()) }
    }

    /// A failure of a file that changed nothing; says whether it was for lack of room.
    pub fn io(action: impl Into<String>, source: io::Error) -> Self {
        let is_full =
            matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        let kind = if is_full { StoreErrorKind::Full } else { StoreErrorKind::Unchanged };
        Self { kind, action: action.into(), source: Some(source.into()) }
    }
}

/// The answer to a batch, as it was first given.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StoredResponse {
    /// What was counted; 202 when nothing was rejected, else 207.
    pub counts: Counts,
    /// The body as it is sent.
    pub body: ResponseBody,
}

/// Where the bytes of an answer are.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ResponseBody {
    /// Here, as JSON.
    Inline(Vec<u8>),
    /// In this object, as gzipped JSON.
    Object(StoredObject),
}

/// An object that a ledger names.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct StoredObject {
    /// Its name.
    pub name: String,
    /// What its bytes are known by. None if it was written before there were digests, and was not read since.
    pub digest: Option<Digest>,
}

/// A file of records that is to be published, with the file of its partial counts.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct NewFile {
    /// Name of the object with the records.
    pub name: String,
    /// Name of the object with counts by path, if it has one.
    pub partial: Option<String>,
    /// Number of records.
    pub rows: u64,
    /// Bytes of the records' object.
    pub bytes: u64,
    /// Earliest timestamp, microseconds since 1970.
    pub min_timestamp_micros: i64,
    /// Latest timestamp.
    pub max_timestamp_micros: i64,
    /// The day of its records, if it is compacted: those of one batch may span days.
    pub day: Option<NaiveDate>,
    /// What the bytes of the records' object are known by, as in [`StoredObject::digest`].
    pub digest: Option<Digest>,
    /// What those of the object with counts by path are known by.
    pub partial_digest: Option<Digest>,
}

impl NewFile {
    /// The object with the records.
    pub fn records_object(&self) -> StoredObject {
        StoredObject { name: self.name.clone(), digest: self.digest }
    }

    /// The object with counts by path, if it has one.
    pub fn partial_object(&self) -> Option<StoredObject> {
        let name = self.partial.clone()?;
        Some(StoredObject { name, digest: self.partial_digest })
    }
}

/// Everything that becomes true of a batch at once.
#[derive(Clone, Debug)]
pub struct Publication {
    /// The batch.
    pub key: BatchKey,
    /// The time of its arrival.
    pub received_at: DateTime<Utc>,
    /// The response to the batch.
    pub response: StoredResponse,
    /// Its records, unless none was accepted.
    pub file: Option<NewFile>,
    /// All that is added up of it.
    pub sums: Sums,
}

impl Publication {
    /// Refuses a batch whose answer, file and sums do not say the same number of records: the
    /// books of a ledger cannot go wrong by one.
    ///
    /// # Errors
    ///
    /// When the numbers differ.
    pub fn check_sums(&self) -> Result<(), StoreError> {
        let counts = self.response.counts;
        let rows = self.file.as_ref().map_or(0, |file| file.rows);
        let difference = if counts.accepted == rows {
            self.sums.check(counts).err()
        } else {
            Some(format!("{} records accepted, {rows} written", counts.accepted))
        };
        difference.map_or(Ok(()), |difference| {
            Err(StoreError::unchanged(format!("publish batch {}", self.key.batch_id), difference))
        })
    }
}

/// What publishing came to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PublishOutcome {
    /// The batch is published.
    First,
    /// Another sender's copy of the batch was published before; this is its answer. Nothing changed.
    Before(StoredResponse),
}

/// Remembers batches and names the files that exist.
pub trait Ledger: fmt::Debug + Send + Sync {
    /// The answer to a batch that was published.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn response(&self, key: &BatchKey) -> Result<Option<StoredResponse>, StoreError>;

    /// Publishes a batch: its answer, its file and its counts become visible in one durable step, or,
    /// if the batch is known, nothing does.
    ///
    /// # Errors
    ///
    /// [`StoreErrorKind`] says what is certain then.
    fn publish(&self, publication: &Publication) -> Result<PublishOutcome, StoreError>;

    /// Which of some objects it does not name, neither as an answer nor as a file, retired or not.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn unnamed(&self, names: &[String]) -> Result<BTreeSet<String>, StoreError>;
}

/// An object that is listed.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct ListedObject {
    /// Its name, such as `tenant=acme/new/0198….parquet`.
    pub name: String,
    /// When it was finished.
    pub modified: DateTime<Utc>,
    /// Its size.
    pub bytes: u64,
}

/// What is done with each page of listed objects.
pub type EachPage<'a> = dyn FnMut(Vec<ListedObject>) -> Result<(), StoreError> + 'a;

/// How many listed objects are a page.
pub const LIST_PAGE: usize = 1_000;

/// Keeps immutable objects by name. A name is fresh and never used again.
pub trait Objects: fmt::Debug + Send + Sync {
    /// Starts an object. It has no name until [`ObjectWriter::finish`].
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn create(&self, name: &str) -> Result<Box<dyn ObjectWriter>, StoreError>;

    /// The bytes of an object.
    ///
    /// # Errors
    ///
    /// When it does not exist or cannot be read.
    fn read(&self, name: &str) -> Result<Vec<u8>, StoreError>;

    /// Removes an object. One that does not exist is removed already.
    ///
    /// # Errors
    ///
    /// When it may still exist.
    fn delete(&self, name: &str) -> Result<(), StoreError>;

    /// Removes objects that no one has published, without a promise: one that stays is an orphan. Does not wait for a
    /// store that is away.
    fn discard(&self, names: &[String]) {
        for name in names {
            let _ = self.delete(name);
        }
    }

    /// Gives an object another name. One that does not exist has been renamed already.
    ///
    /// # Errors
    ///
    /// When it may still have its old name.
    fn rename(&self, from: &str, to: &str) -> Result<(), StoreError>;

    /// Lists the finished objects in use, those below neither [`TRASH`] nor [`SET_ASIDE`], in pages of
    /// [`LIST_PAGE`] at most.
    ///
    /// # Errors
    ///
    /// When they cannot be listed, and the error of a page.
    fn list(&self, each_page: &mut EachPage<'_>) -> Result<(), StoreError>;

    /// Lists the objects below [`TRASH`] or [`SET_ASIDE`], in such pages.
    ///
    /// # Errors
    ///
    /// When they cannot be listed, and the error of a page.
    fn list_below(&self, folder: &str, each_page: &mut EachPage<'_>) -> Result<(), StoreError>;

    /// All objects that [`list`](Self::list) finds, in the order of their names.
    ///
    /// # Errors
    ///
    /// When they cannot be listed.
    fn list_all(&self) -> Result<Vec<ListedObject>, StoreError> {
        sorted(|each_page| self.list(each_page))
    }

    /// All objects that [`list_below`](Self::list_below) finds, in the order of their names.
    ///
    /// # Errors
    ///
    /// When they cannot be listed.
    fn list_all_below(&self, folder: &str) -> Result<Vec<ListedObject>, StoreError> {
        sorted(|each_page| self.list_below(folder, each_page))
    }
}

fn sorted(
    list: impl FnOnce(&mut EachPage<'_>) -> Result<(), StoreError>,
) -> Result<Vec<ListedObject>, StoreError> {
    let mut all = Vec::new();
    list(&mut |page| {
        all.extend(page);
        Ok(())
    })?;
    all.sort();
    Ok(all)
}

/// The folder of objects that are deleted after [`commit::TRASH_AGE`].
pub const TRASH: &str = "trash";
/// The folder of objects that an operator took out of use. Nothing deletes them.
pub const SET_ASIDE: &str = "set-aside";

/// Whether the name of an object is below a folder.
pub fn is_below(name: &str, folder: &str) -> bool {
    name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// An object that is being written. Dropped before it is finished, it leaves nothing.
pub trait ObjectWriter: io::Write + Send {
    /// Makes the object durable under its name and says its bytes: when this returns, neither a
    /// crash of the process nor of the machine loses it.
    ///
    /// # Errors
    ///
    /// When it may not be durable; it must not be published then.
    fn finish(self: Box<Self>) -> Result<u64, StoreError>;
}

/// The folder of a tenant's fresh batches.
pub fn fresh_folder(tenant: &TenantSlug) -> String {
    format!("tenant={tenant}/new")
}

/// How many records came, and what became of them: `accepted + rejected = received`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Counts {
    /// Records in the batch.
    pub received: u64,
    /// Records that are kept.
    pub accepted: u64,
    /// Records that are not.
    pub rejected: u64,
}
