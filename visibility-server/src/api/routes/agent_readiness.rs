//! `POST /api/v1/agent-readiness`: scans a domain; and the result that is kept of one.

use std::net::SocketAddr;

use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::response::Response;
use visibility_core::accounts::scope::Scope;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::domain::Domain;
use visibility_core::text::locale::Lang;

use crate::access::auth::key;
use crate::api::openapi::{HistoryResponses, ResultResponses, ScanRequest, ScanResponses};
use crate::http::connection::{self, DisconnectSignal};
use crate::http::extension_header;
use crate::http::json_body::JsonBody;
use crate::http::response::{self, ApiError};
use crate::jobs::cache::{self, Representation};
use crate::jobs::quota::{JobKind, Quota};
use crate::jobs::scans::ScanAnswer;
use crate::state::AppState;

/// `POST /api/v1/agent-readiness`.
#[utoipa::path(
    post,
    path = "/api/v1/agent-readiness",
    operation_id = "scanDomain",
    tag = "agent-readiness",
    description = "Requests a few dozen addresses of the site as VisibilityBot, judges the \
        responses, and caches the result for 24 hours in both languages. No browser and \
        no language model is used. Cached results do not count towards limits; \
        simultaneous requests for one domain share a scan, which counts for the first \
        of them.",
    params(("lang" = inline(Option<Lang>), Query, description = "Language of the texts; English for any other value.")),
    request_body(content = ScanRequest, description = "The domain.", example = json!({"domain": "example.com"})),
    responses(ScanResponses)
)]
pub(crate) async fn scan(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    let asked = (request.headers(), request.extensions());
    let principal = key::principal(&state.shared().auth, asked, peer, Scope::ScanRead).await?;
    let quota = Quota::check(&state.shared().quotas, &principal.subject, JobKind::Scans).await?;
    let representation = Representation::negotiate(request.uri(), request.headers());
    let hang_up = request.extensions().get::<DisconnectSignal>().cloned();
    let domain = match parse_request(&state, request).await {
        Ok(domain) => domain,
        Err(error) => return refuse(&quota, error).await,
    };
    // It is waited for as long as the client waits for its answer.
    let obtaining = state.shared().scans.obtain(&domain, representation, &quota);
    let obtained = connection::while_connected(hang_up, obtaining)
        .await
        .ok_or_else(|| ApiError::from(Problem::new(ErrorCode::InvalidRequest, "scan-left")))??;
    Ok(quota.add_headers(match obtained {
        ScanAnswer::Cached(cached) => cache::response::cached(&cached, representation),
        ScanAnswer::Fresh(rendered) => cache::response::fresh(rendered.get(representation.lang)),
        ScanAnswer::Coalesced(packed) => cache::response::cached(
            &packed.get(representation).ok_or_else(ApiError::internal)?,
            representation,
        ),
    }))
}

/// `GET /api/v1/agent-readiness/{domain}`.
#[utoipa::path(
    get,
    path = "/api/v1/agent-readiness/{domain}",
    operation_id = "getScanResult",
    tag = "agent-readiness",
    description = "The cached result of a domain, if there is one; never starts a scan. An \
        extension of the contract.",
    params(
        ("domain" = String, Path, description = "The domain, as it would be scanned.", min_length = 1, max_length = 253, example = "example.com"),
        ("lang" = inline(Option<Lang>), Query, description = "Language of the texts; English for any other value."),
        ("If-None-Match" = Option<String>, Header, description = "`ETag` of the result that you already have.")
    ),
    extensions(("x-service-extension" = json!("agent-readiness-result"))),
    responses(ResultResponses)
)]
pub(crate) async fn show(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    let asked = (request.headers(), request.extensions());
    let principal = key::principal(&state.shared().auth, asked, peer, Scope::ScanRead).await?;
    let quota = Quota::check(&state.shared().quotas, &principal.subject, JobKind::Scans).await?;
    let representation = Representation::negotiate(request.uri(), request.headers());
    // Bytes that are not UTF-8 are not a domain either.
    let text = path.map_or_else(|_| char::REPLACEMENT_CHARACTER.to_string(), |Path(text)| text);
    let domain = match parse_domain(&state, &text) {
        Ok(domain) => domain,
        Err(error) => return refuse(&quota, error).await,
    };
    match state.shared().scans.cached(&domain, representation).await {
        Some(cached) => {
            let response = cache::response::conditional(&cached, representation, request.headers());
            Ok(quota.add_headers(extension_header::mark(response, "agent-readiness-result")))
        }
        None => refuse(&quota, Problem::new(ErrorCode::NotFound, "scan-none").into()).await,
    }
}

/// `GET /api/v1/agent-readiness/{domain}/history`.
#[utoipa::path(
    get,
    path = "/api/v1/agent-readiness/{domain}/history",
    operation_id = "getScanHistory",
    tag = "agent-readiness",
    description = "The last scan of each day (UTC) that is kept of a domain, the oldest first, with what changed \
        since the one before; never starts a scan. Scores and checks are compared only if both scans were judged by \
        the same rules, what agents meet always. An extension of the contract.",
    params(
        ("domain" = String, Path, description = "The domain, as it would be scanned.", min_length = 1, max_length = 253, example = "example.com"),
        ("lang" = inline(Option<Lang>), Query, description = "Language of error messages; English for any other value.")
    ),
    extensions(("x-service-extension" = json!("agent-readiness-history"))),
    responses(HistoryResponses)
)]
pub(crate) async fn history(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    let asked = (request.headers(), request.extensions());
    let principal = key::principal(&state.shared().auth, asked, peer, Scope::ScanRead).await?;
    let quota = Quota::check(&state.shared().quotas, &principal.subject, JobKind::Scans).await?;
    let text = path.map_or_else(|_| char::REPLACEMENT_CHARACTER.to_string(), |Path(text)| text);
    let domain = match parse_domain(&state, &text) {
        Ok(domain) => domain,
        Err(error) => return refuse(&quota, error).await,
    };
    match state.shared().scans.history(&domain).await {
        Ok(history) => {
            let answer = response::ok(&history);
            Ok(quota.add_headers(extension_header::mark(answer, "agent-readiness-history")))
        }
        Err(error) => refuse(&quota, error).await,
    }
}

/// Refuses a request, which counts for the minute all the same.
async fn refuse(quota: &Quota, error: ApiError) -> Result<Response, ApiError> {
    quota.count_request().await?;
    Err(error)
}

/// The domain that the body of a request names.
async fn parse_request(state: &AppState, request: Request) -> Result<Domain, ApiError> {
    let body = JsonBody::read(&state.shared().settings, request, &["domain"]).await?;
    Ok(body.text("domain")?.parse().map_err(|error| Problem::from(&error))?)
}

/// The domain that a text names, if it may be scanned.
fn parse_domain(state: &AppState, text: &str) -> Result<Domain, ApiError> {
    let domain: Domain = text.parse().map_err(|error| Problem::from(&error))?;
    state.shared().scans.check(&domain)?;
    Ok(domain)
}
