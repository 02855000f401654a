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
    let health = readiness.node_health();
    if !readiness.check().await {
        return Err(ApiError::unavailable_because(&readiness.faults()));
    }
    if let Some(reason) = readiness.obstacle().await {
        return Err(ApiError::unavailable_because(&[reason]));
    }
    Ok(match health.clock_ahead {
        None => ok(),
        Some(ahead) => response::ok(&json!({
            "status": "ok",
            "clock_ahead_seconds": ahead.num_seconds(),
        })),
    })
}

fn ok() -> Response {
    response::ok(&json!({ "status": "ok" }))
}
