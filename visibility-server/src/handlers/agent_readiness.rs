//! `POST /api/v1/agent-readiness`: scans a domain; and the result that is kept of one.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Path, Request, State};
use axum::response::Response;

use crate::auth::key::{self, Principal};
use crate::openapi::{ResultResponses, ScanRequest, ScanResponses};
use crate::response::ApiError;
use crate::state::AppState;
use visibility_core::locale::Lang;
use visibility_core::scope::Scope;

/// `POST /api/v1/agent-readiness`.
#[utoipa::path(
    post,
    path = "/api/v1/agent-readiness",
    operation_id = "scanDomain",
    tag = "agent-readiness",
    description = "Requests a few dozen addresses of the site under our own name, judges what came back, and keeps the \
                   result for 24 hours in both languages. No page is rendered, no model is asked. A result that is kept \
                   costs nothing of the limits; those who ask for the same domain at the same time share one scan.",
    params(("lang" = inline(Option<Lang>), Query, description = "Language of the prose; English for any other value.")),
    request_body(content = ScanRequest, description = "The domain.", example = json!({"domain": "example.com"})),
    responses(ScanResponses)
)]
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
#[utoipa::path(
    get,
    path = "/api/v1/agent-readiness/{domain}",
    operation_id = "getScanResult",
    tag = "agent-readiness",
    description = "The result that is kept of a domain, if there is one: nothing is scanned. An extension of the contract.",
    params(
        ("domain" = String, Path, description = "The domain, as it would be scanned.", min_length = 1, max_length = 253, example = "example.com"),
        ("lang" = inline(Option<Lang>), Query, description = "Language of the prose; English for any other value."),
        ("If-None-Match" = Option<String>, Header, description = "`ETag` of the result that you have.")
    ),
    extensions(("x-service-extension" = json!("agent-readiness-result"))),
    responses(ResultResponses)
)]
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
