//! The MCP server over HTTP: JSON-RPC by POST, without sessions, for the revision of today and those with a
//! handshake.
//!
//! What is not the protocol is answered here, in this order: where the request comes from, who sends it,
//! its method, how often, its form, and whether the sender may use what it names. The rest is done by
//! `rmcp`, and what that answers in words of its own is put into ours.

mod fast_path;
pub(crate) mod host;
mod message;
mod rate_limit;
mod response;
mod rpc;
mod stream;
mod traffic;

use std::any::Any;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, AUTHORIZATION, CACHE_CONTROL, HOST, ORIGIN,
    WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http_body_util::Full;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use visibility_core::accounts::scope::Scope;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::mcp::McpServer;

use self::fast_path::FastPath;
use self::host::{Caller, ServiceHost};
use self::message::Message;
use crate::access::auth::key::{self, Principal};
use crate::access::challenge::{self, ChallengeError};
use crate::http::connection::{self, DisconnectSignal};
use crate::http::json_body::{self, media_type};
use crate::http::response::{ApiError, no_content};
use crate::http::urls::McpEndpoint;
use crate::http::{accept, cors, language};
use crate::settings::Settings;
use crate::settings::origins::AllowList;
use crate::state::AppState;

/// Bytes of a body.
const MAX_BYTES: u64 = 256 * 1024;
/// What a client must be ready to take: MCP 2026-07-28, Streamable HTTP.
const ANSWERS: [&str; 2] = ["application/json", "text/event-stream"];
/// The methods that there are.
const METHODS: HeaderValue = HeaderValue::from_static("POST, OPTIONS");

/// The MCP server of the service.
pub(crate) struct McpService {
    allowed: AllowList,
    /// Only if no server of an application wraps ours.
    direct: Option<FastPath>,
    speak: Box<MessageHandler>,
}

/// Has a message answered by what is served, whatever that is.
type MessageHandler =
    dyn Fn(Request<Full<Bytes>>) -> BoxFuture<'static, response::LibraryResponse> + Send + Sync;

impl McpService {
    /// Creates the server, wrapped as the application wants it.
    pub(crate) fn new<S: ServerHandler + Clone>(
        settings: &Settings,
        around: impl FnOnce(McpServer<ServiceHost>) -> S,
    ) -> Self {
        let served = around(McpServer::new(Arc::new(ServiceHost)));
        let own = (&served as &dyn Any).downcast_ref::<McpServer<ServiceHost>>();
        let direct = own.cloned().map(FastPath::new);
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_sse_retry(None)
            .with_max_request_body_bytes(usize::try_from(MAX_BYTES).unwrap_or(usize::MAX))
            // Both are judged before, by the same rules for all methods.
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(served.clone()), sessions, config);
        let service = Arc::new(service);
        let speak = Box::new(move |request| {
            let service = Arc::clone(&service);
            async move { service.handle(request).await }.boxed()
        });
        Self { allowed: AllowList::new(settings), direct, speak }
    }
}

/// The revisions that are spoken, the newest first.
pub(crate) fn versions() -> Vec<String> {
    let versions = McpServer::<ServiceHost>::versions().iter();
    versions.map(|version| version.as_str().to_owned()).collect()
}

impl fmt::Debug for McpService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Mcp").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

/// The addresses of the server, and what is taken for one.
pub(crate) fn routes(mcp: &Arc<McpService>) -> Router<AppState> {
    let unknown = ["/api/mcp/v1", "/api/mcp/v1/", "/api/mcp/v1/{*transport}", "/mcp/"];
    let routes =
        unknown.iter().fold(Router::new(), |routes, path| routes.route(path, any(unknown_path)));
    McpEndpoint::ALL.into_iter().fold(routes, |routes, address| {
        let mcp = Arc::clone(mcp);
        let serve = async move |State(state): State<AppState>, request: Request| {
            serve(&state, &mcp, address, request).await
        };
        routes.route(address.path(), any(serve))
    })
}

/// The error for an unknown transport.
async fn unknown_path(State(state): State<AppState>, uri: Uri) -> ApiError {
    let name: String = uri
        .path()
        .strip_prefix(crate::http::urls::PREFIX)
        .unwrap_or_default()
        .chars()
        .filter(|shown| !shown.is_control())
        .take(64)
        .collect();
    Problem::new(ErrorCode::UnknownTransport, "transport")
        .value("name", &name)
        .value("url", crate::http::urls::canonical(&state.shared().settings))
        .detail("supported", crate::http::urls::names())
        .into()
}

/// Answers a request to one of the addresses, and puts on it what all such answers have.
async fn serve(
    state: &AppState,
    mcp: &McpService,
    address: McpEndpoint,
    request: Request,
) -> Response {
    let origin = mcp.allowed.origin(request.headers());
    let is_allowed = origin.is_ok();
    let shared_with = origin.ok().flatten().and_then(|sent| HeaderValue::from_bytes(sent).ok());
    let mut response = if request.method() == Method::OPTIONS {
        preflight(request.headers(), shared_with.is_some())
    } else {
        let answered = answer(state, mcp, address, request, is_allowed).await;
        answered.unwrap_or_else(IntoResponse::into_response)
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    cors::allow_origin(shared_with, headers);
    response
}

/// What a page may ask, without a look at who it is for.
fn preflight(asked: &HeaderMap, is_shared: bool) -> Response {
    let mut response = no_content(METHODS);
    if is_shared {
        let wanted = asked.get(ACCESS_CONTROL_REQUEST_HEADERS);
        cors::respond_to_preflight(wanted, response.headers_mut());
    }
    response
}

async fn answer(
    state: &AppState,
    mcp: &McpService,
    address: McpEndpoint,
    request: Request,
    is_origin_allowed: bool,
) -> Result<Response, ApiError> {
    if !mcp.allowed.has_host(request.headers()) {
        return Err(refused_host(request.headers()));
    }
    if !is_origin_allowed {
        return Err(refused_origin(request.headers()));
    }
    let (head, body) = request.into_parts();
    let peer = head.extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map(|ConnectInfo(peer)| *peer).ok_or_else(ApiError::internal)?;
    let principal =
        match key::identify(&state.shared().auth, (&head.headers, &head.extensions), peer).await {
            Ok(principal) => principal,
            Err(error) => return Ok(with_challenge(state, address, &head.headers, error)),
        };
    if head.method != Method::POST {
        return Ok(other_method(address, &head.method));
    }
    let left = rate_limit::count(state, &principal.subject).await?;
    let answered = post(state, mcp, address, principal, Request::from_parts(head, body)).await;
    let mut response = answered.unwrap_or_else(IntoResponse::into_response);
    left.put(response.headers_mut());
    Ok(response)
}

/// Adds to a 401 where a token comes from; other errors stay as they are.
fn with_challenge(
    state: &AppState,
    address: McpEndpoint,
    headers: &HeaderMap,
    error: ApiError,
) -> Response {
    let has_token = headers.contains_key(AUTHORIZATION);
    let error = if error.is_unauthorized() && !has_token {
        let (problem, _) = error.into_parts();
        problem.with_hint_from(["errors", "mcp-login"]).into()
    } else {
        error
    };
    let is_unauthorized = error.is_unauthorized();
    let mut response = error.into_response();
    if is_unauthorized {
        let failure = has_token.then_some(ChallengeError::InvalidToken);
        let value = challenge::challenge(&state.shared().settings, address.path(), failure);
        response.headers_mut().insert(WWW_AUTHENTICATE, value);
    }
    response
}

fn refused_host(headers: &HeaderMap) -> ApiError {
    let named = headers.get(HOST).map(HeaderValue::as_bytes).unwrap_or_default();
    let named: String = String::from_utf8_lossy(named).chars().take(128).collect();
    let problem = Problem::new(ErrorCode::Forbidden, "mcp-host").value("host", &named);
    problem.detail("host", named).into()
}

fn refused_origin(headers: &HeaderMap) -> ApiError {
    let sent = headers.get(ORIGIN).map(HeaderValue::as_bytes).unwrap_or_default();
    let sent: String = String::from_utf8_lossy(sent).chars().take(128).collect();
    let problem = Problem::new(ErrorCode::OriginNotAllowed, "mcp-origin").value("origin", &sent);
    problem.detail("origin", sent).into()
}

fn other_method(address: McpEndpoint, method: &Method) -> Response {
    let hint = if address == McpEndpoint::Sse { "mcp-sse" } else { "mcp-method" };
    let method: String = method.as_str().chars().take(32).collect();
    let problem = Problem::new(ErrorCode::MethodNotAllowed, "method")
        .with_hint_from(["errors", hint])
        .value("method", &method)
        .detail("method", method)
        .detail("allow", vec!["POST", "OPTIONS"]);
    let mut response = ApiError::from(problem).into_response();
    response.headers_mut().insert(ALLOW, METHODS);
    response
}

/// Takes a message in, and has it answered.
async fn post(
    state: &AppState,
    mcp: &McpService,
    address: McpEndpoint,
    principal: Principal,
    request: Request,
) -> Result<Response, ApiError> {
    let (mut head, body) = request.into_parts();
    if !accept::names_all(&head.headers, &ANSWERS) {
        return Err(Problem::new(ErrorCode::NotAcceptable, "mcp-accept").into());
    }
    media_type::check_strictly(&head.headers)?;
    let patience = Duration::from_secs(state.shared().settings.timeouts.api_body);
    let bytes = json_body::collect(body, patience, MAX_BYTES).await?;
    let lang = language::from_query(&head.uri);
    let message = match Message::read(&bytes) {
        Ok(message) => message,
        Err(error) => return Ok(error.response(None, lang)),
    };
    if let Some(scope) = message.scope()
        && let Err(error) = principal.require(scope)
    {
        return Ok(missing_scope(state, address, &principal, (scope, error)));
    }
    let version = head.headers.get("mcp-protocol-version").cloned();
    if let Some(version) = version.as_ref().filter(|_| !message.names_revision())
        && let Err(error) = response::check_version(version)
    {
        return Ok(error.response(message.id(), lang));
    }
    // Nothing behind this needs the secret.
    head.headers.remove(AUTHORIZATION);
    let hang_up = head.extensions.get::<DisconnectSignal>().cloned();
    head.extensions.insert(Caller { state: state.clone(), principal });
    let left = || Problem::new(ErrorCode::InvalidRequest, "mcp-left");
    let direct = mcp.direct.as_ref();
    let usual = direct.and_then(|direct| Some((direct, direct.parse(&head.headers, &bytes)?)));
    if let Some((direct, usual)) = usual {
        let answered = connection::while_connected(hang_up, direct.respond(usual, head)).await;
        return answered.ok_or_else(left)?.ok_or_else(ApiError::internal);
    }
    let spoken = connection::while_connected(hang_up.clone(), dispatch(mcp, head, bytes))
        .await
        .ok_or_else(left)?;
    Ok(response::to_client_response(
        spoken,
        hang_up,
        &response::SentMessage { message: &message, version, lang },
    ))
}

/// A 403 for a tool names all scopes that a new token needs: those of the old one, too.
fn missing_scope(
    state: &AppState,
    address: McpEndpoint,
    principal: &Principal,
    (needed, error): (Scope, ApiError),
) -> Response {
    let scopes = Scope::FOR_PROGRAMS
        .into_iter()
        .filter(|scope| *scope == needed || principal.scopes.contains(scope));
    let failure = ChallengeError::InsufficientScope(scopes.collect());
    let value = challenge::challenge(&state.shared().settings, address.path(), Some(failure));
    let mut response = error.into_response();
    response.headers_mut().insert(WWW_AUTHENTICATE, value);
    response
}

/// Hands a message to the library.
async fn dispatch(mcp: &McpService, head: Parts, bytes: Bytes) -> response::LibraryResponse {
    let request = Request::from_parts(head, Full::new(bytes));
    (mcp.speak)(request).await
}
