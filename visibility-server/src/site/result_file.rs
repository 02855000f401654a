//! Results as files, which no browser may take for something else.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;

use crate::http::response;

/// What a report may load: its own style, and nothing else.
const REPORT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// Says what a file is.
pub(super) fn protect(response: &mut Response, media_type: &'static str) {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, REPORT_POLICY);
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    headers.append(VARY, HeaderValue::from_static("Cookie"));
}

/// JSON for the one who asks: who may not see it must not find it in a cache.
pub(super) fn private_json(body: &impl Serialize) -> Response {
    let mut response = response::json(StatusCode::OK, body);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    protect(&mut response, "application/json");
    response
}
