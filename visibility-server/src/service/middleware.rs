//! Middleware for every route: request ids, security headers, method checks.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST,
    REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::locale::Lang;

use crate::http::accept;
use crate::http::cors;
use crate::http::language;
use crate::http::parameter_error::ParameterError;
use crate::http::request_id::{self, X_REQUEST_ID};
use crate::http::response::{self, ApiError};
use crate::http::urls;
use crate::service::paths::PATHS;
use crate::site::Site;
use crate::site::layout::FrameKind;
use crate::site::page::PageContext;
use crate::site::problem_page::{self, ProblemPage};
use crate::state::AppState;

/// For how long browsers come back by TLS alone: a year.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");
/// Longest method name echoed in an error message, in characters.
const MAX_METHOD_CHARS: usize = 32;

/// What of a request its answer depends on, whatever the handler does.
#[derive(Debug)]
struct RequestContext {
    method: Method,
    lang: Lang,
    is_shared: bool,
    /// Whether the MCP server is asked, which says by itself what methods it has.
    is_mcp: bool,
    /// Whether the service as a whole is meant: RFC 9110 section 9.3.7.
    is_star: bool,
    /// The names of headers that a page of another origin wants to send.
    preflight: Option<HeaderValue>,
    /// For a request of a person, in whose browser an error is a page.
    page: Option<PageContext>,
}

impl RequestContext {
    fn from_request(listener: &ListenerState, request: &Request) -> Self {
        Self {
            page: listener.has_pages.then(|| page_context(&listener.state, request)).flatten(),
            method: request.method().clone(),
            lang: language_of(request.uri()),
            is_star: request.uri().path() == "*",
            is_mcp: urls::is_mcp(request.uri().path()),
            is_shared: cors::is_open_to_any_origin(request.uri().path()),
            preflight: request.headers().get(ACCESS_CONTROL_REQUEST_HEADERS).cloned(),
        }
    }
}

/// What the page of an error depends on; `None` where an error is JSON.
fn page_context(state: &AppState, request: &Request) -> Option<PageContext> {
    let (path, headers) = (request.uri().path(), request.headers());
    let offered = ["application/json", "text/html"];
    let is_page = accept::preferred(headers, &offered) == Some("text/html");
    let settings = &state.shared().settings;
    (is_page && !urls::is_for_programs(path))
        .then(|| PageContext::from_request(settings, path, request.uri(), headers))
}

/// The language of what the service says of itself. Ingestion speaks English to programs.
fn language_of(uri: &Uri) -> Lang {
    if urls::is_ingestion(uri.path()) { Lang::En } else { language::from_query(uri) }
}

/// A listener, as its middleware knows it.
#[derive(Clone, Debug)]
pub(crate) struct ListenerState {
    pub(crate) state: AppState,
    /// Whether it serves pages, to which the pages of errors link.
    pub(crate) has_pages: bool,
}

/// Refuses messages that two parties may read differently, and puts on every answer what all have.
pub(crate) async fn wrap(
    State(listener): State<ListenerState>,
    request: Request,
    next: Next,
) -> Response {
    let id = request_id::from_headers(request.headers());
    // As an error, so that no filter of the log takes the id off the lines that it leaves.
    let span = tracing::error_span!("request", request_id = id);
    let mut response = respond(&listener, &id, request, next).instrument(span).await;
    let id = HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("unknown"));
    response.headers_mut().insert(X_REQUEST_ID, id);
    response
}

async fn respond(
    listener: &ListenerState,
    request_id: &str,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let state = &listener.state;
    let context = RequestContext::from_request(listener, &request);
    let response = match reject_message(request.version(), request.headers()) {
        Some(error) => error.close_connection().into_response(),
        None => next.run(request).await,
    };
    let mut response = render(normalize(response, &context), &context, request_id);
    put_headers(state, &context, response.headers_mut());
    let route = response.extensions().get().map_or("other", |Route(route)| *route);
    let took = started.elapsed();
    let status = response.status().as_u16();
    state.shared().metrics.request(route, context.method.as_str(), status, took);
    tracing::info!(
        method = method_label(&context.method),
        route,
        status,
        milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "answered"
    );
    response
}

/// Writes the body of an error: a page for people, and JSON for programs.
fn render(mut response: Response, context: &RequestContext, request_id: &str) -> Response {
    let Some(page) = &context.page else { return response::render(response, context.lang) };
    let Some(problem) = response::take_problem(&mut response) else { return response };
    let around = ProblemPage { request_id: Some(request_id), ..ProblemPage::default() };
    problem_page::replace(response, page, FrameKind::Plain, &problem, around)
}

/// The route that has answered.
#[derive(Clone, Copy, Debug)]
struct Route(&'static str);

/// Notes which route has answered, for the envelope around all of them.
pub(crate) async fn note_route(
    State(site): State<Arc<Site>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let route = path.map(|path| Route(route_of(&site, path.as_str())));
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

/// The route in words of ours: strangers cannot make more of them.
fn route_of(site: &Site, path: &str) -> &'static str {
    let named = PATHS.into_iter().find(|route| *route == path);
    named.or_else(|| site.has(path).then_some("site")).unwrap_or("other")
}

/// The method in words of ours, for the same reason.
fn method_label(method: &Method) -> &str {
    let is_usual = matches!(
        *method,
        Method::GET
            | Method::HEAD
            | Method::POST
            | Method::PUT
            | Method::DELETE
            | Method::OPTIONS
            | Method::PATCH
    );
    if is_usual { method.as_str() } else { "other" }
}

/// Makes an error object of what the framework has answered by itself, and what is known about a
/// method of it.
fn normalize(mut response: Response, context: &RequestContext) -> Response {
    let status = response.status();
    if context.is_star && context.method == Method::OPTIONS {
        return options(&with_options("GET,HEAD,POST"), context);
    }
    if status == StatusCode::METHOD_NOT_ALLOWED && !context.is_mcp {
        return normalize_method(response, context);
    }
    if response::is_unrendered(&response) {
        return response;
    }
    let content_type = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let is_text = content_type.is_none_or(|found| found.starts_with(b"text/plain"));
    if is_text && (status.is_client_error() || status.is_server_error()) {
        let (code, id) = match status {
            StatusCode::NOT_FOUND => (ErrorCode::NotFound, "unknown-route"),
            _ if status.is_client_error() => (ErrorCode::InvalidRequest, "rejected"),
            _ => (ErrorCode::InternalError, "internal"),
        };
        response::replace_with_problem(&mut response, Problem::new(code, id));
    }
    response
}

/// Tells which methods there are; `OPTIONS` has asked for nothing else.
fn normalize_method(mut response: Response, context: &RequestContext) -> Response {
    let allow = response.headers().get(ALLOW).and_then(|allow| allow.to_str().ok());
    let allow = with_options(allow.unwrap_or_default());
    if context.method == Method::OPTIONS {
        return options(&allow, context);
    }
    if let Ok(allow) = HeaderValue::try_from(&allow) {
        response.headers_mut().insert(ALLOW, allow);
    }
    let allowed: Vec<&str> = allow.split(',').filter(|method| !method.is_empty()).collect();
    let method: String = context.method.as_str().chars().take(MAX_METHOD_CHARS).collect();
    let problem = Problem::new(ErrorCode::MethodNotAllowed, "method")
        .value("method", &method)
        .value(
            "allowed",
            allowed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        )
        .detail("method", method)
        .detail("allow", allowed);
    response::replace_with_problem(&mut response, problem);
    response
}

/// The methods of an address, and the one that every address has.
fn with_options(allow: &str) -> String {
    if allow.is_empty() { "OPTIONS".to_owned() } else { format!("{allow},OPTIONS") }
}

fn options(allow: &str, context: &RequestContext) -> Response {
    let allow = HeaderValue::try_from(allow).unwrap_or(HeaderValue::from_static("OPTIONS"));
    let mut response = response::no_content(allow);
    if context.is_shared {
        cors::respond_to_preflight(context.preflight.as_ref(), response.headers_mut());
    }
    response
}

/// Puts on an answer what all have.
fn put_headers(state: &AppState, context: &RequestContext, headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    let base_url = state.shared().settings.base_url.as_deref();
    if base_url.is_some_and(|url| url.starts_with("https://")) {
        headers.insert(STRICT_TRANSPORT_SECURITY, HSTS);
    }
    if context.is_shared {
        cors::allow_any_origin(headers);
    }
    if state.is_draining() {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
}

/// Turns a panic of a handler into an answer.
pub(crate) fn panic_response(_panic: Box<dyn Any + Send>) -> Response<Body> {
    tracing::error!("a handler panicked");
    ApiError::internal().close_connection().into_response()
}

/// Checks of the message itself: RFC 9112 sections 3.2 and 6.1.
fn reject_message(version: Version, headers: &HeaderMap) -> Option<ApiError> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if version >= Version::HTTP_11 => {
            return Some(ApiError::header("Host", ParameterError::Missing));
        }
        (_, Some(_)) => return Some(ApiError::header("Host", ParameterError::Twice)),
        _ => {}
    }
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    let coding = codings.next()?;
    let is_chunked = coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    (!is_chunked || codings.next().is_some())
        .then(|| ApiError::header("Transfer-Encoding", ParameterError::NotChunked))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn there_is_one_host() {
        let refused = |version, fields: &[_]| reject_message(version, &headers(fields)).is_some();
        assert!(refused(Version::HTTP_11, &[]));
        assert!(!refused(Version::HTTP_10, &[]));
        assert!(!refused(Version::HTTP_11, &[("host", "a")]));
        assert!(refused(Version::HTTP_11, &[("host", "a"), ("host", "a")]));
        assert!(refused(Version::HTTP_10, &[("host", "a"), ("host", "b")]));
    }

    #[test]
    fn the_only_transfer_coding_is_chunked() {
        for (codings, is_refused) in [
            (&["chunked"][..], false),
            (&["Chunked"], false),
            (&["gzip, chunked"], true),
            (&["chunked, chunked"], true),
            (&["chunked", "chunked"], true),
            (&["gzip", "chunked"], true),
            (&["identity"], true),
        ] {
            let mut fields = vec![("host", "a")];
            fields.extend(codings.iter().map(|coding| ("transfer-encoding", *coding)));
            let found = reject_message(Version::HTTP_11, &headers(&fields)).is_some();
            assert_eq!(found, is_refused, "{codings:?}");
        }
    }
}
