//! `GET /healthz` and `GET /readyz`, for whoever starts and balances processes.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use crate::response::{self, ApiError};
use crate::state::AppState;

/// For how long an answer of the stores is good, so that strangers who ask cost nothing.
const FRESH: Duration = Duration::from_secs(1);

/// Whether the stores could be written when they were last asked.
#[derive(Debug, Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, bool)>>);

impl Readiness {
    /// Whether the stores can be written. Blocks.
    pub(super) fn ask(&self, state: &AppState) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, is_ready)) = *known
            && at.elapsed() < FRESH
        {
            return is_ready;
        }
        let is_ready = can_write(state);
        *known = Some((Instant::now(), is_ready));
        is_ready
    }
}

fn can_write(state: &AppState) -> bool {
    let spool = state.shared().spool.probe();
    let database =
        state.shared().stores.sqlite().writer().execute_batch("BEGIN IMMEDIATE; ROLLBACK");
    if let Err(error) = &spool {
        tracing::error!(error = error as &dyn std::error::Error, "the spool cannot be written");
    }
    if let Err(error) = &database {
        tracing::error!(error = error as &dyn std::error::Error, "the database cannot be written");
    }
    spool.is_ok() && database.is_ok()
}

/// The process lives.
pub(crate) async fn healthz() -> Response {
    ok()
}

/// The process takes batches.
pub(crate) async fn readyz(State(state): State<AppState>) -> Result<Response, ApiError> {
    if state.is_draining() {
        return Err(ApiError::unavailable());
    }
    let is_ready = state.blocking(|state| Ok(state.shared().readiness.ask(state))).await?;
    if is_ready { Ok(ok()) } else { Err(ApiError::unavailable()) }
}

fn ok() -> Response {
    response::json(StatusCode::OK, &json!({ "status": "ok" }))
}
