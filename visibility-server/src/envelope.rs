//! What every answer has and every request must keep, whatever the route.

use std::any::Any;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, HOST, HeaderName, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use uuid::Uuid;

use crate::language;
use crate::response::{self, ApiError};
use crate::router;
use crate::state::AppState;

/// The header that names a request in answers and in the log.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Characters of a request id that a client may choose.
const REQUEST_ID_CHARS: std::ops::RangeInclusive<usize> = 8..=64;

/// Refuses messages that two parties may read differently, and puts on every answer what all have.
pub(crate) async fn wrap(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(request.headers());
    let method = request.method().clone();
    let lang = language::of(request.uri());
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("other", |path| route_of(&state, path.as_str()));
    let mut response = match refusal(request.version(), request.headers()) {
        Some(error) => error.closing().into_response(),
        None => next.run(request).await,
    };
    response = response::translate(response, lang);
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(X_REQUEST_ID, id.clone());
    if state.is_draining() {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let took = started.elapsed();
    let metrics = &state.shared().metrics;
    metrics.request(route, method.as_str(), response.status().as_u16(), took);
    tracing::info!(
        request_id = id.to_str().unwrap_or_default(),
        %method,
        route,
        status = response.status().as_u16(),
        milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "answered"
    );
    response
}

/// The route in words of ours: strangers cannot make more of them.
fn route_of(state: &AppState, path: &str) -> &'static str {
    let named = router::ROUTES.into_iter().find(|route| *route == path);
    let site = || state.shared().site.has(path).then_some("site");
    named.or_else(site).unwrap_or("other")
}

/// Turns a panic of a handler into an answer.
pub(crate) fn caught(_panic: Box<dyn Any + Send>) -> Response<Body> {
    tracing::error!("a handler panicked");
    ApiError::internal().closing().into_response()
}

/// The client's own id if it has the form of one, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_id = |value: &HeaderValue| {
        let is_word = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'_' | b'-');
        REQUEST_ID_CHARS.contains(&value.len()) && value.as_bytes().iter().all(is_word)
    };
    if let Some(value) = headers.get(X_REQUEST_ID)
        && is_id(value)
    {
        return value.clone();
    }
    let id = Uuid::now_v7().simple().to_string();
    HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("unknown"))
}

/// Why a message is refused whoever sends it: RFC 9112 sections 3.2 and 6.1.
fn refusal(version: Version, headers: &HeaderMap) -> Option<ApiError> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if version >= Version::HTTP_11 => {
            return Some(ApiError::header("Host", "is missing"));
        }
        (_, Some(_)) => return Some(ApiError::header("Host", "stands there twice")),
        _ => {}
    }
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    let coding = codings.next()?;
    let is_chunked = coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    (!is_chunked || codings.next().is_some())
        .then(|| ApiError::header("Transfer-Encoding", "is something else than `chunked`"))
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
        let refused = |version, fields: &[_]| refusal(version, &headers(fields)).is_some();
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
            let found = refusal(Version::HTTP_11, &headers(&fields)).is_some();
            assert_eq!(found, is_refused, "{codings:?}");
        }
    }

    #[test]
    fn a_request_id_is_the_clients_if_it_is_one() {
        let of = |value| request_id(&headers(&[("x-request-id", value)]));
        for id in [
            "abcdefgh",
            "A_9-A_9-",
            "0123456789012345678901234567890123456789012345678901234567890123",
        ] {
            assert_eq!(of(id), id);
        }
        for text in [
            "short",
            "",
            "with space",
            "a\"b\"c\"d\"e",
            "01234567890123456789012345678901234567890123456789012345678901234",
        ] {
            assert_ne!(of(text), text);
            assert_eq!(of(text).len(), 32);
        }
    }
}
