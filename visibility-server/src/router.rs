//! The routes.

use axum::Router;
use axum::middleware;
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use visibility_core::error::{ErrorCode, Problem};

use crate::envelope;
use crate::handlers;
use crate::openapi;
use crate::response::ApiError;
use crate::site;
use crate::state::AppState;

/// The paths that are served, as they are called in metrics and in the log.
pub(crate) const ROUTES: [&str; 13] = [
    "/api/v1",
    "/api/v1/agent-readiness",
    "/api/v1/agent-readiness/{domain}",
    "/api/v1/health",
    "/api/v1/openapi.json",
    "/docs",
    "/docs.md",
    "/healthz",
    "/metrics",
    "/readyz",
    "/v1/logs",
    "/v1/logs/stats",
    "/v1/openapi.json",
];

/// The routes of a listener that serves everything.
pub fn router(state: AppState) -> Router {
    finish(health().merge(public_routes(&state)).merge(ingestion_routes()), state)
}

/// The routes of the public listener, if ingestion has one of its own.
pub fn public(state: AppState) -> Router {
    finish(health().merge(public_routes(&state)), state)
}

/// The routes of a listener for ingestion alone.
pub fn ingestion(state: AppState) -> Router {
    finish(health().merge(ingestion_routes()), state)
}

fn public_routes(state: &AppState) -> Router<AppState> {
    Router::from(api()).merge(openapi::routes()).merge(site::routes(state))
}

fn ingestion_routes() -> Router<AppState> {
    Router::from(logs()).merge(openapi::ingestion_routes())
}

fn health() -> Router<AppState> {
    Router::new()
        .route("/healthz", get(handlers::health::healthz))
        .route("/readyz", get(handlers::health::readyz))
}

/// The public API: what is a route here is described.
pub(crate) fn api() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(handlers::index::show))
        .routes(routes!(openapi::show_api))
        .routes(routes!(handlers::api_health::show))
        .routes(routes!(handlers::agent_readiness::scan))
        .routes(routes!(handlers::agent_readiness::show))
}

/// Log ingestion, which has a description of its own.
pub(crate) fn logs() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(handlers::logs::take))
        .routes(routes!(handlers::stats::count))
}

/// Adds what all listeners have.
fn finish(routes: Router<AppState>, state: AppState) -> Router {
    routes
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(CatchPanicLayer::custom(envelope::caught))
        .layer(middleware::from_fn_with_state(state.clone(), envelope::wrap))
        .with_state(state)
}

pub(crate) async fn not_found() -> ApiError {
    Problem::new(ErrorCode::NotFound, "unknown-route").into()
}

/// The envelope says which methods there are.
async fn method_not_allowed() -> ApiError {
    Problem::new(ErrorCode::MethodNotAllowed, "method").into()
}
