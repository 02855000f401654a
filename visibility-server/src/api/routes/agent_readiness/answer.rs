//! A result as an answer.

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

use crate::http::validators::knows;
use crate::jobs::cache::{Coding, Form, Kept};

/// The answer to those who waited for the scan.
pub(super) fn first(body: Bytes) -> Response {
    with_body(body, "private, no-store")
}

/// The answer from what is kept.
pub(super) fn kept(kept: &Kept, form: Form) -> Response {
    let mut response = first(kept.body.clone());
    coded(&mut response, form);
    aged(&mut response, kept);
    response
}

/// The answer from what is kept to a client that may have it already.
pub(super) fn conditional(kept: &Kept, form: Form, asked: &HeaderMap) -> Response {
    let tag = tag(kept, form);
    let is_known = tag.as_ref().is_some_and(|tag| knows(asked, tag));
    let body = if is_known { Bytes::new() } else { kept.body.clone() };
    let mut response = with_body(body, "private, no-cache");
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(CONTENT_TYPE);
    } else {
        coded(&mut response, form);
    }
    aged(&mut response, kept);
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

fn coded(response: &mut Response, form: Form) {
    if form.coding == Coding::Gzip {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
}

fn aged(response: &mut Response, kept: &Kept) {
    response.headers_mut().insert(AGE, HeaderValue::from(kept.age().num_seconds()));
}

/// A strong tag: RFC 9110 section 8.8.3 wants another one for other octets.
fn tag(kept: &Kept, form: Form) -> Option<HeaderValue> {
    let coding = match form.coding {
        Coding::Identity => "",
        Coding::Gzip => "-gzip",
    };
    HeaderValue::try_from(format!("\"{}-{}{coding}\"", kept.tag, form.lang)).ok()
}
