//! `GET /api/v1/health`: whether the service is well.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use chrono::SecondsFormat;
use serde::Serialize;

use crate::clock;
use crate::response;
use crate::state::AppState;

/// Whether the service is well.
#[derive(Debug, Serialize)]
pub(crate) struct Health {
    /// Whether it can do its work.
    status: HealthStatus,
    /// Name of the service.
    service: &'static str,
    /// Now, by the clock of the service.
    time: String,
    /// Version of the service.
    version: &'static str,
    /// True if sites are not fetched where they are: a result then says nothing about the internet.
    #[serde(skip_serializing_if = "Option::is_none")]
    fetch_test_mode: Option<bool>,
}

/// How the service is.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HealthStatus {
    /// All well.
    Ok,
    /// It answers, but cannot keep anything, or it is about to stop.
    Degraded,
}

/// `GET /api/v1/health`.
pub(crate) async fn show(State(state): State<AppState>) -> Response {
    let is_well = state.is_well().await;
    let is_test = !state.shared().settings.fetch.connect_to.is_empty();
    let health = Health {
        status: if is_well { HealthStatus::Ok } else { HealthStatus::Degraded },
        service: "visibility",
        time: clock::now().to_rfc3339_opts(SecondsFormat::Secs, true),
        version: env!("CARGO_PKG_VERSION"),
        fetch_test_mode: is_test.then_some(true),
    };
    response::json(StatusCode::OK, &health)
}
