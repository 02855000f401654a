//! The routes.

use axum::Router;
use axum::http::{Method, Uri};
use axum::middleware;
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use visibility_core::error::ErrorCode;

use crate::envelope;
use crate::handlers;
use crate::openapi;
use crate::response::ApiError;
use crate::site;
use crate::state::AppState;

/// The paths that are served, as they are called in metrics and in the log.
pub(crate) const ROUTES: [&str; 9] = [
    "/api/v1",
    "/api/v1/agent-readiness",
    "/api/v1/agent-readiness/{domain}",
    "/api/v1/health",
    "/healthz",
    "/metrics",
    "/readyz",
    "/v1/logs",
    "/v1/logs/stats",
];

/// The routes of a listener that serves everything.
pub fn router(state: AppState) -> Router {
    finish(
        health().merge(api()).merge(openapi::routes()).merge(site::routes(&state)).merge(logs()),
        state,
    )
}

/// The routes of the public listener, if ingestion has one of its own.
pub fn public(state: AppState) -> Router {
    finish(health().merge(api()).merge(openapi::routes()).merge(site::routes(&state)), state)
}

fn health() -> Router<AppState> {
    Router::new()
        .route("/healthz", get(handlers::health::healthz))
        .route("/readyz", get(handlers::health::readyz))
}

fn api() -> Router<AppState> {
    Router::new()
        .route("/api/v1", get(handlers::index::show))
        .route("/api/v1/health", get(handlers::api_health::show))
        .route("/api/v1/agent-readiness", post(handlers::agent_readiness::scan))
        .route("/api/v1/agent-readiness/{domain}", get(handlers::agent_readiness::show))
}

fn logs() -> Router<AppState> {
    Router::new()
        .route("/v1/logs", post(handlers::logs::take))
        .route("/v1/logs/stats", get(handlers::stats::count))
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

async fn not_found(uri: Uri) -> ApiError {
    tracing::debug!(path = uri.path(), "no route");
    ApiError::new(ErrorCode::NotFound, "There is nothing at this address.")
}

async fn method_not_allowed(method: Method) -> ApiError {
    let message = format!("This address does not take `{method}`.");
    ApiError::new(ErrorCode::MethodNotAllowed, message)
}
