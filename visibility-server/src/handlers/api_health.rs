//! `GET /api/v1/health`: whether the service is well.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use crate::response::{self, ApiError};
use crate::state::AppState;

/// `GET /api/v1/health`.
pub(crate) async fn show(State(state): State<AppState>) -> Result<Response, ApiError> {
    let is_ready = state.blocking(|state| Ok(state.shared().readiness.ask(state))).await?;
    let status = if is_ready { "ok" } else { "degraded" };
    Ok(response::json(StatusCode::OK, &json!({ "status": status, "service": "visibility" })))
}
