//! The pages and files by which the service is a site that agents can read.

use axum::Router;

use crate::state::AppState;

/// The routes of the site.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
}
