//! An audit as an answer.

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, LOCATION, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;

use super::PATH;
use crate::http::validators::knows;
use crate::jobs::audits::{View, Viewed};
use crate::jobs::cache::{Coding, Form, Kept};
use crate::site::Place;

/// That search engines leave a page out: what it says is about somebody else's.
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");
/// What a report may load: its own style, and nothing else.
const REPORT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// What a badge may load. Other sites show it.
const BADGE_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");

/// The answer to those who waited for the audit.
pub(super) fn first(kept: &Kept, form: Form, place: &Place) -> Response {
    let mut response = Response::new(Body::from(kept.body.clone()));
    *response.status_mut() = StatusCode::CREATED;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    let location = place.link(&format!("{PATH}/{}", kept.tag));
    headers.extend(HeaderValue::try_from(location).ok().map(|location| (LOCATION, location)));
    coded(headers, form);
    response
}

/// The answer from what is kept.
pub(super) fn again(kept: &Kept, form: Form, place: &Place) -> Response {
    let mut response = first(kept, form, place);
    aged(response.headers_mut(), kept);
    response
}

/// A view for a client that may have it already.
pub(super) fn conditional(viewed: &Viewed, form: Form, asked: &HeaderMap) -> Response {
    let Viewed { view, kept } = viewed;
    let tag = tag(kept, form);
    let is_known = tag.as_ref().is_some_and(|tag| knows(asked, tag));
    let body = if is_known { Bytes::new() } else { kept.body.clone() };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(VARY, HeaderValue::from_name(ACCEPT));
    headers.append(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    headers.extend(tag.map(|tag| (ETAG, tag)));
    aged(headers, kept);
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
    coded(headers, form);
    response
}

fn coded(headers: &mut HeaderMap, form: Form) {
    if form.coding == Coding::Gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
}

fn aged(headers: &mut HeaderMap, kept: &Kept) {
    headers.insert(AGE, HeaderValue::from(kept.age().num_seconds()));
}

/// A strong tag: RFC 9110 section 8.8.3 wants another one for other octets.
fn tag(kept: &Kept, form: Form) -> Option<HeaderValue> {
    let coding = match form.coding {
        Coding::Identity => "",
        Coding::Gzip => "-gzip",
    };
    HeaderValue::try_from(format!("\"{}-{}{coding}\"", kept.tag, form.lang)).ok()
}
