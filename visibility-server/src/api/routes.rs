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
pub(crate) mod traffic;

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
    about_the_service().merge(scans_and_audits()).merge(traffic())
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
        .routes(routes!(agent_readiness::history))
        .routes(routes!(audit::audit))
        .routes(routes!(audit::show))
}

fn traffic() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(traffic::summary))
        .routes(routes!(traffic::series))
        .routes(routes!(traffic::agents))
        .routes(routes!(traffic::hosts))
        .routes(routes!(traffic::errors))
        .routes(routes!(traffic::sources))
}

/// The same answers as CSV, for programs that cannot set `Accept`.
fn traffic_as_csv() -> Router<AppState> {
    Router::new()
        .route("/api/v1/logs/summary.csv", get(traffic::summary))
        .route("/api/v1/logs/series.csv", get(traffic::series))
        .route("/api/v1/logs/agents.csv", get(traffic::agents))
        .route("/api/v1/logs/hosts.csv", get(traffic::hosts))
        .route("/api/v1/logs/errors.csv", get(traffic::errors))
        .route("/api/v1/logs/sources.csv", get(traffic::sources))
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
    about
        .merge(Router::from(scans_and_audits()))
        .merge(Router::from(traffic()))
        .merge(traffic_as_csv())
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
