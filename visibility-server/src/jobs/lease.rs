//! A name that one of several nodes holds, for as long as it works on what has the name.

use std::sync::Arc;

use chrono::TimeDelta;
use visibility_core::store::StoreError;

use crate::http::blocking::{blocking, in_background};
use crate::http::response::ApiError;
use crate::stores::Stores;

/// A name that this node holds until this is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct NodeLease {
    stores: Arc<Stores>,
    name: String,
    holder: String,
}

impl NodeLease {
    /// Takes a name unless another node has it. If this node ends without giving it back, it is free after the span. Blocks.
    pub(crate) fn acquire(
        stores: &Arc<Stores>,
        name: String,
        holder: String,
        span: TimeDelta,
    ) -> Option<Self> {
        let held = stores.state_store().acquire_lease(&name, &holder, span);
        let is_held = held.unwrap_or_else(|error| {
            log(&error);
            false
        });
        is_held.then(|| Self { stores: Arc::clone(stores), name, holder })
    }
}

/// Whether a node holds a name at the moment; never if there is only one node.
///
/// # Errors
///
/// When the database fails.
pub(crate) async fn is_held(stores: &Arc<Stores>, name: String) -> Result<bool, ApiError> {
    if stores.node().is_none() {
        return Ok(false);
    }
    let stores = Arc::clone(stores);
    blocking(move || stores.state_store().is_leased(&name).map_err(|error| ApiError::store(&error)))
        .await
}

impl Drop for NodeLease {
    fn drop(&mut self) {
        let stores = Arc::clone(&self.stores);
        let (name, holder) = (std::mem::take(&mut self.name), std::mem::take(&mut self.holder));
        in_background(move || {
            if let Err(error) = stores.state_store().release_lease(&name, &holder) {
                log(&error);
            }
        });
    }
}

fn log(error: &StoreError) {
    let cause = error.source.as_ref().map(ToString::to_string);
    tracing::error!(%error, cause, "cannot agree with other nodes on who does what");
}
