//! `GET /healthz` and `GET /readyz`, for process managers and load balancers.

use axum::Extension;
use axum::response::Response;
use serde_json::json;

use crate::api::readiness::Readiness;
use crate::http::response::{self, ApiError};

/// The process lives.
pub(crate) async fn healthz() -> Response {
    ok()
}

/// The process takes batches.
pub(crate) async fn readyz(
    Extension(readiness): Extension<Readiness>,
) -> Result<Response, ApiError> {
    if readiness.check().await { Ok(ok()) } else { Err(ApiError::unavailable()) }
}

fn ok() -> Response {
    response::ok(&json!({ "status": "ok" }))
}
