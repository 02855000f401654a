//! `GET /api/v1/health`: whether the service is well.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use chrono::SecondsFormat;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::openapi::HealthResponses;
use crate::api::readiness::Readiness;
use crate::http::response;
use crate::runtime::clock;
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
    /// Version of the service.
    #[schema(required = false)]
    version: &'static str,
    /// True if sites are not fetched where they are: a result then says nothing about the internet.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    fetch_test_mode: Option<bool>,
}

/// How the service is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HealthStatus {
    /// All well.
    Ok,
    /// It answers, but cannot keep anything, or it is about to stop.
    Degraded,
}

/// `GET /api/v1/health`.
#[utoipa::path(
    get,
    path = "/api/v1/health",
    operation_id = "getHealth",
    tag = "discovery",
    description = "Always 200 while the process responds; `degraded` if the database or the disk \
        cannot be written, or the service is about to stop.",
    security(()),
    responses(HealthResponses)
)]
pub(crate) async fn show(
    State(state): State<AppState>,
    Extension(readiness): Extension<Readiness>,
) -> Response {
    let is_well = readiness.check().await;
    let is_test = !state.shared().settings.fetch.connect_to.is_empty();
    let health = Health {
        status: if is_well { HealthStatus::Ok } else { HealthStatus::Degraded },
        service: "visibility",
        time: clock::now().to_rfc3339_opts(SecondsFormat::Secs, true),
        version: env!("CARGO_PKG_VERSION"),
        fetch_test_mode: is_test.then_some(true),
    };
    response::ok(&health)
}
