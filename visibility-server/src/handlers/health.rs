//! `GET /healthz` and `GET /readyz`, for whoever starts and balances processes.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::response::{self, ApiError};
use crate::state::AppState;

/// The process lives.
pub(crate) async fn healthz() -> Response {
    response::json(StatusCode::OK, &json!({ "status": "ok" }))
}

/// The process takes batches.
pub(crate) async fn readyz(State(state): State<AppState>) -> Response {
    if state.is_draining() {
        return ApiError::unavailable().into_response();
    }
    response::json(StatusCode::OK, &json!({ "status": "ok" }))
}
