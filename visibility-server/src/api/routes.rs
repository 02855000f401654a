//! One handler for each route.

pub(crate) mod agent_readiness;
pub(crate) mod api_health;
pub(crate) mod audit;
pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod logs;
pub(crate) mod openapi;
pub(crate) mod reference;
pub(crate) mod stats;

use std::sync::Arc;

use axum::routing::get;
use axum::{Extension, Router};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::openapi::{Descriptions, MARKDOWN_PATH, PAGE_PATH};
use crate::api::readiness::Readiness;
use crate::http::urls::INGESTION_PATH;
use crate::state::AppState;

/// The routes of the public API that its OpenAPI description has.
pub(crate) fn api() -> OpenApiRouter<AppState> {
    about_the_service().merge(scans_and_audits())
}

fn about_the_service() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(index::show))
        .routes(routes!(openapi::show_api))
        .routes(routes!(api_health::show))
}

fn scans_and_audits() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
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
pub(crate) fn public(descriptions: &Arc<Descriptions>, readiness: &Readiness) -> Router<AppState> {
    // Only these routes have the layers, because every request through a layer pays for it.
    let about = Router::from(about_the_service())
        .route(PAGE_PATH, get(reference::show_page))
        .route(MARKDOWN_PATH, get(reference::show_markdown))
        .layer(Extension(Arc::clone(descriptions)))
        .layer(Extension(readiness.clone()));
    about.merge(Router::from(scans_and_audits()))
}

/// All routes of log ingestion.
pub(crate) fn ingestion(descriptions: &Arc<Descriptions>) -> Router<AppState> {
    let description = Router::new()
        .route(INGESTION_PATH, get(openapi::show_ingestion))
        .layer(Extension(Arc::clone(descriptions)));
    Router::from(logs()).merge(description)
}

/// The routes that say whether the process runs and takes requests.
pub(crate) fn health(readiness: &Readiness) -> Router<AppState> {
    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .layer(Extension(readiness.clone()))
}
