//! `GET /healthz` and `GET /readyz`, for whoever starts and balances processes.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use crate::http::response::{self, ApiError};
use crate::state::AppState;

/// The process lives.
pub(crate) async fn healthz() -> Response {
    ok()
}

/// The process takes batches.
pub(crate) async fn readyz(State(state): State<AppState>) -> Result<Response, ApiError> {
    if state.is_healthy().await { Ok(ok()) } else { Err(ApiError::unavailable()) }
}

fn ok() -> Response {
    response::json(StatusCode::OK, &json!({ "status": "ok" }))
}
