//! The authorization server: OAuth 2.1 for clients that act on behalf of a user.
//!
//! One kind of client (public), one flow (the authorization code with PKCE S256), opaque tokens of which
//! only digests are stored. A token is valid for every spelling of our address.

mod authorize;
mod body;
pub(crate) mod client;
mod client_lookup;
pub(crate) mod document;
mod error;
mod fetch_limits;
mod pages;
mod parameters;
mod pkce;
pub(crate) mod redirect;
mod register;
pub(crate) mod request;
mod revoke;
mod token;

use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Extension, Router};

use self::document::ClientDocuments;
use crate::fetch::{FetchClientError, document_client};
use crate::http::urls::AUTHORIZE_PATH;
use crate::settings::Settings;
use crate::state::AppState;

/// Clients that are identified by the address of a document; `None` if the settings allow none.
pub(crate) type Documents = Option<Arc<ClientDocuments>>;

/// Prepares to fetch client documents, if the settings allow them.
///
/// # Errors
///
/// When sites cannot be fetched with these settings.
pub(crate) fn documents(settings: &Settings) -> Result<Documents, FetchClientError> {
    let http = document_client(settings)?;
    Ok(http.map(|http| Arc::new(ClientDocuments::new(settings, http))))
}

/// The routes that programs ask and on which people decide, each by the name that the metadata say and by one
/// that some expect; none if the operator has named another authorization server.
pub(crate) fn routes(state: &AppState, documents: Documents) -> Router<AppState> {
    let router = Router::new();
    if state.shared().auth.external.is_some() {
        return router;
    }
    let authorize = get(authorize::show).post(authorize::post);
    router
        .route(AUTHORIZE_PATH, authorize.clone())
        .route("/oauth/authorize", authorize)
        .route("/token", post(token::issue))
        .route("/oauth/token", post(token::issue))
        .route("/register", post(register::register))
        .route("/oauth/register", post(register::register))
        .route("/revoke", post(revoke::revoke))
        .route("/oauth/revoke", post(revoke::revoke))
        .layer(Extension(documents))
}
