//! `GET /api/v1`: what there is.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use crate::response;
use crate::state::AppState;

/// `GET /api/v1`.
pub(crate) async fn show(State(state): State<AppState>) -> Response {
    let base = state.shared().settings.public_url();
    response::json(
        StatusCode::OK,
        &json!({ "name": "visibility", "documentation": format!("{base}/docs") }),
    )
}
