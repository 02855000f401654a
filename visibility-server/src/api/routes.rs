//! What each route does.

pub(crate) mod agent_readiness;
pub(crate) mod api_health;
pub(crate) mod audit;
pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod logs;
pub(crate) mod openapi;
pub(crate) mod reference;
pub(crate) mod stats;

use axum::Router;
use axum::routing::get;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::openapi as descriptions;
use crate::http::urls::INGESTION_PATH;
use crate::state::AppState;

/// The routes of the public API that its OpenAPI description has.
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

/// The routes of log ingestion that its OpenAPI description has.
pub(crate) fn logs() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(logs::post)).routes(routes!(stats::count))
}

/// All routes of the public API, with its reference for people.
pub(crate) fn public() -> Router<AppState> {
    Router::from(api())
        .route(descriptions::PAGE_PATH, get(reference::show_page))
        .route(descriptions::MARKDOWN_PATH, get(reference::show_markdown))
}

/// All routes of log ingestion.
pub(crate) fn ingestion() -> Router<AppState> {
    Router::from(logs()).route(INGESTION_PATH, get(openapi::show_ingestion))
}

/// The routes that say whether the process runs and takes requests.
pub(crate) fn health() -> Router<AppState> {
    Router::new().route("/healthz", get(health::healthz)).route("/readyz", get(health::readyz))
}
