//! `POST /revoke`: a client revokes a token (RFC 7009).

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;
use visibility_core::accounts::token::TokenDigest;

use super::body;
use super::error::OAuthError;
use super::token::{BasicAuth, client_id};
use crate::http::response;
use crate::runtime::clock;
use crate::state::AppState;

/// `POST /revoke`: the same answer whether the token was known, and whose it was.
pub(super) async fn revoke(State(state): State<AppState>, request: Request) -> Response {
    respond(&state, request).await.unwrap_or_else(OAuthError::into_response)
}

async fn respond(state: &AppState, request: Request) -> Result<Response, OAuthError> {
    let basic = BasicAuth::from_headers(request.headers());
    let form = body::form(state, request).await?;
    let client_id = client_id(&form, basic.as_ref())?;
    let token =
        form.single("token")?.ok_or(OAuthError::invalid_request("The token is missing."))?;
    let digest = TokenDigest::new(token);
    let work = state.clone();
    let done = tokio::task::spawn_blocking(move || {
        work.shared().stores.state_store().revoke_oauth_token(&digest, &client_id, clock::now())
    });
    match done.await {
        Ok(Ok(revoked)) => {
            if let Some(grant) = revoked {
                tracing::info!(%grant, "a client revoked its grant");
            }
            Ok(response::ok(&json!({})))
        }
        Ok(Err(error)) => Err(OAuthError::store(&error)),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot revoke a token");
            Err(OAuthError::unavailable())
        }
    }
}
