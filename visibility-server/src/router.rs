//! The routes.

use axum::Router;
use axum::http::{Method, Uri};
use axum::middleware;
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use visibility_core::error::ErrorCode;

use crate::envelope;
use crate::handlers::health;
use crate::response::ApiError;
use crate::state::AppState;

/// The routes of a listener that serves everything.
pub fn router(state: AppState) -> Router {
    let routes =
        Router::new().route("/healthz", get(health::healthz)).route("/readyz", get(health::readyz));
    finish(routes, state)
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
