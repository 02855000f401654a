//! Responses with the JSON of the result of a scan.

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

use super::{CachedBody, Coding, Representation};
use crate::http::validators::matches_etag;

/// The response to the callers of a scan.
pub(crate) fn fresh(body: Bytes) -> Response {
    with_body(body, "private, no-store")
}

/// The answer from what is kept.
pub(crate) fn cached(cached: &CachedBody, representation: Representation) -> Response {
    let mut response = fresh(cached.body.clone());
    set_encoding(&mut response, representation);
    set_age(&mut response, cached);
    response
}

/// The answer from what is kept to a client that may have it already.
pub(crate) fn conditional(
    cached: &CachedBody,
    representation: Representation,
    asked: &HeaderMap,
) -> Response {
    let tag = etag(cached, representation);
    let is_known = tag.as_ref().is_some_and(|tag| matches_etag(asked, tag));
    let body = if is_known { Bytes::new() } else { cached.body.clone() };
    let mut response = with_body(body, "private, no-cache");
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(CONTENT_TYPE);
    } else {
        set_encoding(&mut response, representation);
    }
    set_age(&mut response, cached);
    response.headers_mut().extend(tag.map(|tag| (ETAG, tag)));
    response
}

fn with_body(body: Bytes, cache_control: &'static str) -> Response {
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache_control));
    headers.insert(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    response
}

fn set_encoding(response: &mut Response, representation: Representation) {
    if representation.coding == Coding::Gzip {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
}

fn set_age(response: &mut Response, cached: &CachedBody) {
    response.headers_mut().insert(AGE, HeaderValue::from(cached.age().num_seconds()));
}

/// A strong tag: RFC 9110 section 8.8.3 wants another one for other bytes.
fn etag(cached: &CachedBody, representation: Representation) -> Option<HeaderValue> {
    let coding = match representation.coding {
        Coding::Identity => "",
        Coding::Gzip => "-gzip",
    };
    HeaderValue::try_from(format!("\"{}-{}{coding}\"", cached.tag, representation.lang)).ok()
}
