//! Answers that are rendered once, at the start: they have an ETag, and any cache may keep them.

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use sha2::{Digest, Sha256};

/// For how long a cache may keep such an answer without asking.
pub(crate) const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// Octets of the digest that make an ETag.
const ETAG_OCTETS: usize = 16;

/// A body that stays the same for as long as the process runs.
#[derive(Clone, Debug)]
pub(crate) struct Rendered {
    content_type: &'static str,
    body: Bytes,
    etag: HeaderValue,
}

impl Rendered {
    /// A body and its media type.
    pub(crate) fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        Self { content_type, etag: etag(&body), body }
    }

    /// The answer to a request: 304 without the body if the client has it already.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        let is_known = knows(headers, &self.etag);
        let body = if is_known { Body::empty() } else { Body::from(self.body.clone()) };
        let mut response = Response::new(body);
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else {
            let content_type = HeaderValue::from_static(self.content_type);
            response.headers_mut().insert(CONTENT_TYPE, content_type);
        }
        response.headers_mut().insert(ETAG, self.etag.clone());
        response.headers_mut().insert(CACHE_CONTROL, KEPT);
        response
    }
}

/// The strong validator of a body: a part of its digest.
pub(crate) fn etag(body: &[u8]) -> HeaderValue {
    let digest = Sha256::digest(body);
    let hex: String = digest.iter().take(ETAG_OCTETS).map(|octet| format!("{octet:02x}")).collect();
    HeaderValue::try_from(format!("\"{hex}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether a client says that it has the body with this validator: RFC 9110 section 13.1.2, where `W/`
/// makes no difference.
pub(crate) fn knows(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).any(|known| {
        known == "*" || known.strip_prefix("W/").unwrap_or(known).as_bytes() == etag.as_bytes()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_the_body_is_not_sent_it_again() {
        let rendered = Rendered::new("text/plain", "hello");
        let etag = rendered.etag.to_str().unwrap().to_owned();
        for (value, status) in [
            (etag.clone(), 304),
            (format!("W/{etag}"), 304),
            (format!("\"other\", {etag}"), 304),
            ("*".to_owned(), 304),
            ("\"other\"".to_owned(), 200),
            (etag.trim_matches('"').to_owned(), 200),
            (String::new(), 200),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::try_from(&value).unwrap());
            let answer = rendered.answer(&headers);
            assert_eq!(answer.status(), status, "{value}");
            assert_eq!(answer.headers()[ETAG], etag);
            assert_eq!(answer.headers()[CACHE_CONTROL], KEPT);
        }
    }

    #[test]
    fn another_body_has_another_etag() {
        assert_ne!(etag(b"a"), etag(b"b"));
        assert_eq!(etag(b"a").len(), 34);
    }
}
