//! A result as an answer.

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

use crate::scans::{Coding, Form, Kept};

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
    let is_known = is_known(&tag, asked);
    let body = if is_known { Bytes::new() } else { kept.body.clone() };
    let mut response = with_body(body, "private, no-cache");
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(CONTENT_TYPE);
    } else {
        coded(&mut response, form);
    }
    aged(&mut response, kept);
    if let Ok(tag) = HeaderValue::try_from(tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// The content coding that a client takes: gzip if it says so.
pub(super) fn coding(headers: &HeaderMap) -> Coding {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let takes_gzip = values.flat_map(|value| value.split(',')).any(|part| {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let name = name.trim();
        let is_gzip = name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip");
        is_gzip && !is_zero(weight)
    });
    if takes_gzip { Coding::Gzip } else { Coding::Identity }
}

/// Whether a weight is `q=0` in one of its spellings: RFC 9110 section 12.4.2.
fn is_zero(weight: &str) -> bool {
    let value = weight.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    value.is_some_and(|(_, value)| value.trim().parse::<f32>().is_ok_and(|value| value <= 0.0))
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
fn tag(kept: &Kept, form: Form) -> String {
    let coding = match form.coding {
        Coding::Identity => "",
        Coding::Gzip => "-gzip",
    };
    format!("\"{}-{}{coding}\"", kept.tag, form.lang)
}

/// Whether a tag is among those of `If-None-Match`, which compares weakly: RFC 9110 section 13.1.2.
fn is_known(tag: &str, asked: &HeaderMap) -> bool {
    let values = asked.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|part| {
        let part = part.trim();
        part == "*" || part.strip_prefix("W/").unwrap_or(part) == tag
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_ask_for_it() {
        let of = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ACCEPT_ENCODING, HeaderValue::from_static(value));
            }
            coding(&headers)
        };
        for values in
            [&["gzip"][..], &["br, gzip;q=0.5"], &["br", "GZIP"], &["x-gzip"], &["gzip;q=x"]]
        {
            assert_eq!(of(values), Coding::Gzip, "{values:?}");
        }
        for values in
            [&[][..], &[""], &["identity"], &["gzip;q=0"], &["gzip; q=0.000"], &["gzipped"], &["*"]]
        {
            assert_eq!(of(values), Coding::Identity, "{values:?}");
        }
    }

    #[test]
    fn a_tag_is_found_in_a_list() {
        let known = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(IF_NONE_MATCH, HeaderValue::from_static(value));
            }
            is_known("\"a-en\"", &headers)
        };
        assert!(
            known(&["\"a-en\""]) && known(&["\"b\", W/\"a-en\""]) && known(&["\"b\"", "\"a-en\""])
        );
        assert!(known(&["*"]));
        assert!(
            !known(&[]) && !known(&["\"a-tr\""]) && !known(&["a-en"]) && !known(&["\"a-en-gzip\""])
        );
    }
}
