//! What waits for an operator's confirmation before it is deleted.

use chrono::{DateTime, Utc};
use serde::Serialize;
use visibility_core::store::commit;
use visibility_core::store::{StoreError, TRASH};

use super::Stores;
use super::objects::ObjectTotals;
use crate::settings::Retention;

/// What a sweep would delete, or has deleted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ConfirmedSweep {
    /// Objects that the database does not know.
    pub orphans: ObjectTotals,
    /// Objects in the trash.
    pub trash: ObjectTotals,
    /// Settings that keep less than before.
    pub retention: Option<Retention>,
}

/// What waits for a confirmation.
///
/// # Errors
///
/// When a store cannot be read.
pub(crate) fn waiting(stores: &Stores, now: DateTime<Utc>) -> Result<ConfirmedSweep, StoreError> {
    Ok(ConfirmedSweep {
        orphans: ObjectTotals::of(&commit::orphans(stores.objects(), stores.state_store(), now)?),
        trash: ObjectTotals::of(&stores.objects().list_all_below(TRASH)?),
        retention: stores.state_store().waiting_retention()?,
    })
}

/// Moves all orphans to the trash, empties it, and lets the next round of maintenance apply the settings of retention.
///
/// # Errors
///
/// When a store cannot be read or written.
pub(crate) fn confirm(stores: &Stores, now: DateTime<Utc>) -> Result<ConfirmedSweep, StoreError> {
    let waiting = waiting(stores, now)?;
    stores.state_store().confirm_retention()?;
    commit::sweep_confirmed(stores.objects(), stores.state_store(), now)?;
    commit::empty_trash(stores.objects(), None)?;
    Ok(waiting)
}
