//! What objects say of themselves that the database does not name, and whether what they hold is elsewhere.

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::limits;
use visibility_core::store::{ListedObject, StoreError};

use super::columns::Label;
use crate::stores::Stores;
use crate::stores::check::read_footer;

/// What each Parquet file begins with.
const PARQUET: &[u8] = b"PAR1";
/// What each gzip file begins with.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// Bytes in which the label of a stored response ends.
const HEAD_BYTES: u64 = 64 * 1024;

/// What an object says of itself.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// It is nothing that the service has written.
    Stranger,
    /// It is of a version that gave objects no labels, or its label cannot be read.
    Unlabelled,
    /// Its label.
    Labelled(Box<Label>),
}

impl Origin {
    /// Reads as much of an object as that takes.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(super) fn of(stores: &Stores, object: &ListedObject) -> Result<Self, StoreError> {
        let objects = stores.objects();
        let ListedObject { name, bytes, .. } = object;
        let begins_with = |magic: &[u8]| -> Result<bool, StoreError> {
            let length = magic.len() as u64;
            Ok(*bytes >= length && objects.read_range(name, 0..length)? == magic)
        };
        let label = if is_answer(name) && begins_with(GZIP)? {
            Label::of_gzip_head(&objects.read_range(name, 0..HEAD_BYTES.min(*bytes))?)
        } else if name.ends_with(".parquet") && begins_with(PARQUET)? {
            read_footer(objects, name, *bytes).ok().as_ref().and_then(Label::of_file)
        } else {
            return Ok(Self::Stranger);
        };
        Ok(label.map_or(Self::Unlabelled, |label| Self::Labelled(Box::new(label))))
    }
}

/// Whether an object that the database does not name may go: it is of batches that the database knows, so that their records
/// are in other objects, or it is the response to a batch that was forgotten. Nothing else proves it.
///
/// # Errors
///
/// When a store cannot be read.
pub(super) fn is_needless(
    stores: &Stores,
    object: &ListedObject,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let is_forgotten = now - object.modified > TimeDelta::days(limits::LEDGER_DAYS);
    if is_forgotten && is_answer(&object.name) {
        return Ok(true);
    }
    match Origin::of(stores, object)? {
        Origin::Stranger => Ok(true),
        Origin::Unlabelled => Ok(false),
        Origin::Labelled(label) => match (&label.tenant, &label.batch_ids) {
            (Some(tenant), Some(ids)) if !ids.is_empty() => {
                stores.state_store().knows_batches(tenant, ids)
            }
            _ => Ok(false),
        },
    }
}

/// Whether a name is that of a stored response.
pub(super) fn is_answer(name: &str) -> bool {
    name.starts_with("answers/") && name.ends_with(".json.gz")
}
