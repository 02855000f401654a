//! What each route does.

pub(crate) mod agent_readiness;
pub(crate) mod api_health;
pub(crate) mod audit;
pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod logs;
pub(crate) mod stats;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::openapi;
use crate::state::AppState;

/// The public API: what is a route here is described.
pub(crate) fn api() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(index::show))
        .routes(routes!(openapi::show_api))
        .routes(routes!(api_health::show))
        .routes(routes!(agent_readiness::scan))
        .routes(routes!(agent_readiness::show))
        .routes(routes!(audit::audit))
        .routes(routes!(audit::show))
}

/// Log ingestion, which has a description of its own.
pub(crate) fn logs() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(logs::post)).routes(routes!(stats::count))
}
