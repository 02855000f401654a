//! `POST /api/v1/agent-readiness`: scans a domain; and the result that is kept of one.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Path, Request, State};
use axum::response::Response;

use crate::auth::key::{self, Principal};
use crate::response::ApiError;
use crate::state::AppState;
use visibility_core::scope::Scope;

/// `POST /api/v1/agent-readiness`.
pub(crate) async fn scan(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    let _principal: Principal =
        key::principal(&state, request.headers(), peer, Scope::ScanRead).await?;
    Err(ApiError::unavailable())
}

/// `GET /api/v1/agent-readiness/{domain}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Path(_domain): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let _principal: Principal =
        key::principal(&state, request.headers(), peer, Scope::ScanRead).await?;
    Err(ApiError::unavailable())
}
