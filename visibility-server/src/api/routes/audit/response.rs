//! Responses with the result of an audit.

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, LOCATION, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;

use super::PATH;
use crate::http::validators::matches_etag;
use crate::jobs::audits::{RenderedView, View};
use crate::jobs::cache::{CachedBody, Coding, Representation};
use crate::site::BaseUrl;

/// `noindex`: the page is about another site.
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");
/// What a report may load: its own style, and nothing else.
const REPORT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// What a badge may load. Other sites show it.
const BADGE_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");

/// The response to the callers of an audit.
pub(super) fn fresh(
    cached: &CachedBody,
    representation: Representation,
    base: &BaseUrl,
) -> Response {
    let mut response = Response::new(Body::from(cached.body.clone()));
    *response.status_mut() = StatusCode::CREATED;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    let location = base.link(&format!("{PATH}/{}", cached.tag));
    headers.extend(HeaderValue::try_from(location).ok().map(|location| (LOCATION, location)));
    set_encoding(headers, representation);
    response
}

/// The answer from what is kept.
pub(super) fn cached(
    cached: &CachedBody,
    representation: Representation,
    base: &BaseUrl,
) -> Response {
    let mut response = fresh(cached, representation, base);
    set_age(response.headers_mut(), cached);
    response
}

/// A view for a client that may have it already.
pub(super) fn conditional(
    viewed: &RenderedView,
    representation: Representation,
    asked: &HeaderMap,
) -> Response {
    let RenderedView { view, cached } = viewed;
    let tag = etag(cached, representation);
    let is_known = tag.as_ref().is_some_and(|tag| matches_etag(asked, tag));
    let body = if is_known { Bytes::new() } else { cached.body.clone() };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(VARY, HeaderValue::from_name(ACCEPT));
    headers.append(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    headers.extend(tag.map(|tag| (ETAG, tag)));
    set_age(headers, cached);
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(view.media_type()));
    match view {
        View::Html => headers.insert(CONTENT_SECURITY_POLICY, REPORT_POLICY),
        View::Badge => headers.insert(CONTENT_SECURITY_POLICY, BADGE_POLICY),
        View::Json | View::Markdown => None,
    };
    set_encoding(headers, representation);
    response
}

fn set_encoding(headers: &mut HeaderMap, representation: Representation) {
    if representation.coding == Coding::Gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
}

fn set_age(headers: &mut HeaderMap, cached: &CachedBody) {
    headers.insert(AGE, HeaderValue::from(cached.age().num_seconds()));
}

/// A strong tag: RFC 9110 section 8.8.3 wants another one for other bytes.
fn etag(cached: &CachedBody, representation: Representation) -> Option<HeaderValue> {
    let coding = match representation.coding {
        Coding::Identity => "",
        Coding::Gzip => "-gzip",
    };
    HeaderValue::try_from(format!("\"{}-{}{coding}\"", cached.tag, representation.lang)).ok()
}
