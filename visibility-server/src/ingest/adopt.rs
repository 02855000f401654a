//! Gives batches to a database that does not know them, from what their objects say of themselves.
//!
//! A database that was restored from a backup does not know the batches that arrived after it. Their objects have all that
//! the ledger had: whose they are, when they arrived, and the response.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write};

use chrono::{DateTime, Utc};
use flate2::read::MultiGzDecoder;
use serde::Serialize;
use uuid::Uuid;
use visibility_core::accounts::tenant::{BatchKey, TenantSlug};
use visibility_core::store::commit::StagedObjects;
use visibility_core::store::digest::Digest;
use visibility_core::store::sums::{RejectionRow, Sums};
use visibility_core::store::{
    Counts, ListedObject, NewFile, ObjectWriter, Publication, ResponseBody, StoreError,
    StoredObject, StoredResponse, fresh_folder,
};

use super::batch::{rejections_of, response_without_rejections};
use super::columns::{
    BatchLabel, PartialMerge, PartialWriter, RecordFileReader, RecordRows, partial_runs,
};
use super::origin::{Origin, is_answer};
use crate::stores::Stores;

/// What was adopted, and what was not.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub(crate) struct Adoption {
    /// Batches that the database knows from now on.
    pub(crate) batches: usize,
    /// Their records.
    pub(crate) records: u64,
    /// Batches that it knew already, as they were sent again. Their objects are not needed.
    pub(crate) known: usize,
    /// Files of an earlier version, which do not say of which batch they are. Their records may have been sent again.
    pub(crate) without_id: usize,
    /// Objects that stay as they are, and why.
    pub(crate) left: Vec<LeftObject>,
}

/// An object that stays as it is.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub(crate) struct LeftObject {
    /// Its name.
    pub(crate) name: String,
    /// Why it cannot be adopted.
    pub(crate) reason: String,
}

/// An object that the database does not name: where it is, and its name while it was in use.
type Unknown = BTreeMap<String, ListedObject>;

/// The batch of an object, as it is to be given to the database.
struct Batch {
    key: BatchKey,
    received_at: DateTime<Utc>,
    response: StoredResponse,
}

/// The objects that may be adopted.
struct Adopter<'a> {
    stores: &'a Stores,
    unknown: Unknown,
    with_those_without_id: bool,
    adoption: Adoption,
}

/// Adopts the batches of all objects that the database does not know, also of those that were set aside or are in the trash.
///
/// # Errors
///
/// When the database and the objects are of different stores, and when one of them fails.
pub(crate) fn adopt(stores: &Stores, with_those_without_id: bool) -> Result<Adoption, StoreError> {
    let unknown = stores.unknown_objects()?;
    let names: Vec<String> = unknown.keys().cloned().collect();
    let adoption = Adoption::default();
    let mut adopter = Adopter { stores, unknown, with_those_without_id, adoption };
    // Files first: a response without records is the batch itself.
    let (answers, files): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| is_answer(name));
    for name in files.into_iter().chain(answers) {
        adopter.adopt(&name)?;
    }
    stores.name_newest_again()?;
    Ok(adopter.adoption)
}

impl Adopter<'_> {
    fn adopt(&mut self, name: &str) -> Result<(), StoreError> {
        let Some(object) = self.unknown.get(name).cloned() else { return Ok(()) };
        let is_file = is_fresh_file(name);
        if !is_file && !is_answer(name) && !name.contains("/day=") {
            return Ok(());
        }
        let label = match Origin::of(self.stores, &object)? {
            Origin::Stranger => return Ok(()),
            Origin::Unlabelled if is_file => return self.adopt_without_id(name, &object),
            Origin::Unlabelled => {
                self.leave(name, "it does not say of which batches it is");
                return Ok(());
            }
            Origin::Labelled(label) => label,
        };
        let (Some(tenant), Some(ids)) = (&label.tenant, &label.batch_ids) else {
            self.leave(name, "it does not say of which batches it is");
            return Ok(());
        };
        if self.stores.state_store().knows_batches(tenant, ids)? {
            if is_file {
                self.adoption.known += 1;
            }
            return Ok(());
        }
        let (Some(labelled), [id]) = (&label.batch, ids.as_slice()) else {
            if name.ends_with(".partial.parquet") {
                return Ok(());
            }
            self.leave(
                name,
                "it was merged from files of several batches, some of which are unknown",
            );
            return Ok(());
        };
        if is_answer(name) && labelled.accepted > 0 {
            self.leave(name, "the file with the records of its batch is not there");
            return Ok(());
        }
        let key = BatchKey { tenant: tenant.clone(), batch_id: *id };
        let batch = match self.batch(key, labelled)? {
            Ok(batch) => batch,
            Err(reason) => {
                self.leave(name, &reason);
                return Ok(());
            }
        };
        self.publish(batch, is_file.then_some(name))
    }

    /// A file of a version that gave objects no labels.
    fn adopt_without_id(&mut self, name: &str, object: &ListedObject) -> Result<(), StoreError> {
        self.adoption.without_id += 1;
        let tenant: Option<TenantSlug> = tenant_of(name);
        let (true, Some(tenant)) = (self.with_those_without_id, tenant) else { return Ok(()) };
        let rows = match self.open(name).and_then(RecordFileReader::open_whole) {
            Ok((_, rows)) => rows,
            Err(error) => {
                self.leave(name, &with_cause(&error));
                return Ok(());
            }
        };
        let key = BatchKey { tenant, batch_id: Uuid::now_v7() };
        let counts = Counts { received: rows, accepted: rows, rejected: 0 };
        let json = response_without_rejections(key.batch_id, counts)?;
        let response = StoredResponse { counts, body: ResponseBody::Inline(json) };
        let received_at = object.modified;
        self.publish(Batch { key, received_at, response }, Some(name))?;
        self.adoption.without_id -= 1;
        Ok(())
    }

    /// What a label says of its batch; or why that is not enough.
    fn batch(
        &mut self,
        key: BatchKey,
        label: &BatchLabel,
    ) -> Result<Result<Batch, String>, StoreError> {
        let Ok(received_at) = DateTime::parse_from_rfc3339(&label.received_at) else {
            return Ok(Err("it does not say when its batch arrived".to_owned()));
        };
        let body = match (&label.response, &label.response_object) {
            (Some(json), _) => ResponseBody::Inline(json.clone().into_bytes()),
            (None, Some(object)) => {
                self.bring_back(object)?;
                match self.digest(object) {
                    Ok((digest, _)) => ResponseBody::Object(StoredObject {
                        name: object.clone(),
                        digest: Some(digest),
                    }),
                    Err(error) => {
                        return Ok(Err(format!(
                            "the response to its batch: {}",
                            with_cause(&error)
                        )));
                    }
                }
            }
            (None, None) => return Ok(Err("it has no response to its batch".to_owned())),
        };
        let BatchLabel { received, accepted, rejected, .. } = *label;
        let response = StoredResponse { counts: Counts { received, accepted, rejected }, body };
        Ok(Ok(Batch { key, received_at: received_at.to_utc(), response }))
    }

    /// Gives a batch to the database, with the records of its file.
    fn publish(&mut self, batch: Batch, file: Option<&str>) -> Result<(), StoreError> {
        let stores = self.stores;
        let rejections = match self.rejections(&batch) {
            Ok(rejections) => rejections,
            Err(error) => {
                let name = file.map_or_else(|| batch.key.batch_id.to_string(), str::to_owned);
                self.leave(&name, &with_cause(&error));
                return Ok(());
            }
        };
        let mut staged = StagedObjects::new(stores.objects());
        let (file, mut sums) = match file {
            None => (None, Sums::default()),
            Some(name) => match self.read_file(name, &batch, &mut staged) {
                Ok((file, sums)) => (Some(file), sums),
                Err(error) => {
                    self.leave(name, &with_cause(&error));
                    return Ok(());
                }
            },
        };
        let Batch { key, received_at, response } = batch;
        sums.rejections = rejections;
        let publication = Publication { key, received_at, response, file, sums };
        let committed = staged.commit(stores.state_store(), &publication)?;
        if committed.is_replay {
            self.adoption.known += 1;
        } else {
            self.adoption.batches += 1;
            self.adoption.records += publication.response.counts.accepted;
        }
        Ok(())
    }

    /// What the response to a batch says of its rejections.
    fn rejections(&self, batch: &Batch) -> Result<Vec<RejectionRow>, StoreError> {
        let read = match &batch.response.body {
            ResponseBody::Inline(json) => rejections_of(json.as_slice(), batch.received_at),
            ResponseBody::Object(object) => {
                let file = MultiGzDecoder::new(self.open(&object.name)?);
                rejections_of(file, batch.received_at)
            }
        };
        read.map_err(|error| StoreError::io("read the response to its batch", error))
    }

    /// Reads all records of a file, and counts them.
    fn read_file(
        &mut self,
        name: &str,
        batch: &Batch,
        staged: &mut StagedObjects<'_>,
    ) -> Result<(NewFile, Sums), StoreError> {
        self.bring_back(name)?;
        let rows = batch.response.counts.accepted;
        let partial = self.sound_partial(name, rows)?;
        let new_partial =
            format!("{}/{}.partial.parquet", fresh_folder(&batch.key.tenant), Uuid::now_v7());
        let out: Box<dyn ObjectWriter> = match &partial {
            Some(_) => Box::new(Nowhere),
            None => staged.create(&new_partial)?,
        };
        let mut counts = PartialWriter::new(out)?;
        let mut reader = RecordFileReader::open(self.open(name)?, rows)?;
        let mut times: Option<(i64, i64)> = None;
        let mut some = RecordRows::default();
        while reader.read(&mut some)? {
            for record in some.iter() {
                let time = record.timestamp_micros;
                let (first, last) = times.unwrap_or((time, time));
                times = Some((first.min(time), last.max(time)));
                counts.push_stored(&record)?;
            }
        }
        if let Some(label) = reader.label() {
            if label.sums.is_some_and(|sums| sums != reader.sums()) {
                return Err(StoreError::unchanged(
                    "read the records",
                    "their sums are not those of the label",
                ));
            }
            counts.set_label(&label);
        }
        let (_, sums) = counts.finish()?;
        let (digest, bytes) = self.digest(name)?;
        let partial = partial.unwrap_or_else(|| StoredObject {
            digest: staged.digest(&new_partial),
            name: new_partial,
        });
        let (min_timestamp_micros, max_timestamp_micros) = times.unwrap_or_default();
        let file = NewFile {
            name: name.to_owned(),
            partial: Some(partial.name),
            rows,
            bytes,
            min_timestamp_micros,
            max_timestamp_micros,
            day: None,
            digest: Some(digest),
            partial_digest: partial.digest,
        };
        Ok((file, sums))
    }

    /// The counts by path of a file, if they are there and right.
    fn sound_partial(&mut self, name: &str, rows: u64) -> Result<Option<StoredObject>, StoreError> {
        let Some(start) = name.strip_suffix(".parquet") else { return Ok(None) };
        let partial = format!("{start}.partial.parquet");
        if !self.unknown.contains_key(&partial) {
            return Ok(None);
        }
        self.bring_back(&partial)?;
        let mut counted = 0_u64;
        let counts = self.open(&partial).and_then(partial_runs).and_then(PartialMerge::new);
        let read = counts.and_then(|counts| {
            counts.for_each(|row| {
                counted = counted.saturating_add(row.records);
                Ok(())
            })
        });
        if read.is_err() || counted != rows {
            return Ok(None);
        }
        let (digest, _) = self.digest(&partial)?;
        Ok(Some(StoredObject { name: partial, digest: Some(digest) }))
    }

    /// Puts an object where it was while it was in use.
    fn bring_back(&mut self, name: &str) -> Result<(), StoreError> {
        if let Some(object) = self.unknown.get_mut(name)
            && object.name != name
        {
            self.stores.objects().rename(&object.name, name)?;
            name.clone_into(&mut object.name);
        }
        Ok(())
    }

    /// An object, wherever it is.
    fn open(&self, name: &str) -> Result<File, StoreError> {
        let place = self.unknown.get(name).map_or(name, |object| &object.name);
        self.stores.objects().open(place)
    }

    fn digest(&self, name: &str) -> Result<(Digest, u64), StoreError> {
        let again = |error| StoreError::io(format!("read {name}"), error);
        let mut file = self.open(name)?;
        file.seek(SeekFrom::Start(0)).map_err(again)?;
        Digest::of_source(&file).map_err(again)
    }

    fn leave(&mut self, name: &str, reason: &str) {
        let (name, reason) = (name.to_owned(), reason.to_owned());
        self.adoption.left.push(LeftObject { name, reason });
    }
}

/// An object that is kept nowhere.
struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ObjectWriter for Nowhere {
    fn finish(self: Box<Self>) -> Result<u64, StoreError> {
        Ok(0)
    }
}

/// Whether a name is that of the records of one batch.
fn is_fresh_file(name: &str) -> bool {
    name.contains("/new/") && name.ends_with(".parquet") && !name.ends_with(".partial.parquet")
}

fn tenant_of(name: &str) -> Option<TenantSlug> {
    name.split('/').next()?.strip_prefix("tenant=")?.parse().ok()
}

fn with_cause(error: &StoreError) -> String {
    let cause = error.source.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}
