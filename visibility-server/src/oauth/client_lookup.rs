//! Finding a client by its id: among the registered ones, or by the document at the address that the id is.

use std::net::IpAddr;

use visibility_core::store::StoreError;

use super::client::{Client, ClientError, ClientKind};
use super::document::FetchAdmission;
use super::{Documents, document};
use crate::access::limiter::{LimitError, LimitScope};
use crate::http::response::ApiError;
use crate::runtime::clock;
use crate::state::AppState;
use crate::telemetry::metrics::RateScope;

/// Looks up a client by its id, for a request from this address.
///
/// # Errors
///
/// [`ClientError`].
pub(crate) async fn find(
    state: &AppState,
    documents: &Documents,
    id: &str,
    address: IpAddr,
) -> Result<Client, ClientError> {
    if document::is_address(id) {
        let documents = documents.as_ref().ok_or(ClientError::Unknown)?;
        let work = state.clone();
        let admit = Box::new(move || admit(&work, address));
        let admission = if state.shared().limiter.is_shared() {
            FetchAdmission::Blocking(admit)
        } else {
            FetchAdmission::AtOnce(admit)
        };
        return documents.find(id, admission).await;
    }
    let id = id.to_owned();
    let found = state
        .blocking(move |state| {
            let found = state.shared().stores.state_store().registered_client(&id);
            found.map_err(|error| ApiError::store(&error))
        })
        .await
        .map_err(|_failed| ClientError::Store)?
        .ok_or(ClientError::Unknown)?;
    Ok(Client {
        id: found.id,
        name: found.name,
        kind: ClientKind::Registered,
        verified_host: None,
        redirect_uris: found.redirect_uris,
    })
}

/// Counts a document that is fetched for an address.
fn admit(state: &AppState, address: IpAddr) -> Result<(), ClientError> {
    let shared = state.shared();
    let subject = shared.address_key.subject(address);
    let state_store = shared.stores.state_store();
    match shared.limiter.admit(state_store, &subject, LimitScope::ClientDocument, clock::now) {
        Ok(_counted) => Ok(()),
        Err(LimitError::Reached { limit, wait, .. }) => {
            shared.metrics.rate_limited(RateScope::ClientDocument);
            Err(ClientError::TooMany { limit, wait })
        }
        Err(LimitError::Store(error)) => {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot count a fetch");
            Err(ClientError::Store)
        }
    }
}

/// Whether there may be a client with an id, without a look at its document. Blocks.
///
/// # Errors
///
/// When a store fails.
pub(super) fn is_known(state: &AppState, id: &str) -> Result<bool, StoreError> {
    let shared = state.shared();
    if document::is_address(id) {
        return Ok(shared.settings.oauth.client_documents && document::address(id).is_some());
    }
    shared.stores.state_store().registered_client(id).map(|found| found.is_some())
}
