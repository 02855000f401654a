//! The description of the service for machines, and the page that is made of it.

use axum::Router;

use crate::state::AppState;

/// The routes of the descriptions and of the page.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
}
