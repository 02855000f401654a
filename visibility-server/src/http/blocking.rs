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

/// Does work that blocks on another thread if this one runs tasks, and does not wait for it.
pub(crate) fn in_background(work: impl FnOnce() + Send + 'static) {
    match tokio::runtime::Handle::try_current() {
        // It runs to its end; failures are in the log.
        Ok(runtime) => drop(runtime.spawn_blocking(work)),
        Err(_no_runtime) => work(),
    }
}
