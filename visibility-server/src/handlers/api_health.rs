//! `GET /api/v1/health`: whether the service is well.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use crate::clock;
use crate::openapi::HealthResponses;
use crate::response::{self, ApiError};
use crate::state::AppState;

/// Whether the service is well.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// Whether it can do its work.
    status: HealthStatus,
    /// Name of the service.
    #[schema(required = false)]
    service: &'static str,
    /// Now, by the clock of the service.
    #[schema(value_type = String, format = DateTime, required = false)]
    time: String,
}

/// How the service is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HealthStatus {
    /// All well.
    Ok,
    /// It answers, but cannot keep anything.
    Degraded,
}

/// `GET /api/v1/health`.
#[utoipa::path(
    get,
    path = "/api/v1/health",
    operation_id = "getHealth",
    tag = "discovery",
    description = "Always 200 while the process answers; `degraded` if the database or the disk cannot be written.",
    security(()),
    responses(HealthResponses)
)]
pub(crate) async fn show(State(state): State<AppState>) -> Result<Response, ApiError> {
    let is_ready = state.blocking(|state| Ok(state.shared().readiness.ask(state))).await?;
    let health = Health {
        status: if is_ready { HealthStatus::Ok } else { HealthStatus::Degraded },
        service: "visibility",
        time: clock::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    };
    Ok(response::json(StatusCode::OK, &health))
}
