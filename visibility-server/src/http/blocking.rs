//! Runs blocking work outside of the threads that serve requests.

use std::error::Error;

use tokio::task::spawn_blocking;
use tracing::Span;

use crate::http::response::ApiError;

/// Runs blocking work where blocking is allowed, to the end even if the caller stops
/// waiting.
///
/// # Errors
///
/// That of the work; if it panics, that it is our fault.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let span = Span::current();
    spawn_blocking(move || span.in_scope(work)).await.unwrap_or_else(|error| {
        tracing::error!(error = &error as &dyn Error, "a blocking task failed");
        Err(ApiError::internal())
    })
}
