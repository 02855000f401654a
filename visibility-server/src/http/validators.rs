//! Validators (`ETag`) of responses that are rendered in advance, and conditional requests.

use std::io::{self, Write};

use axum::body::Bytes;
use axum::http::header::IF_NONE_MATCH;
use axum::http::{HeaderMap, HeaderValue};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// For how long any cache may keep what is rendered once, at the start, without asking.
pub(crate) const STATIC_CACHE_CONTROL: HeaderValue =
    HeaderValue::from_static("public, max-age=300");
/// Bytes of the digest that make a validator.
const ETAG_BYTES: usize = 16;

/// The strong validator of a body: a part of its digest.
pub(crate) fn etag(body: &[u8]) -> HeaderValue {
    let digest = digest(body);
    HeaderValue::try_from(format!("\"{digest}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

/// A part of the digest of a body, in hexadecimal digits.
pub(crate) fn digest(body: &[u8]) -> String {
    Sha256::digest(body).iter().take(ETAG_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// A body as gzip.
///
/// # Errors
///
/// When it cannot be compressed, which needs more memory than there is.
pub(crate) fn gzip(body: &[u8], level: Compression) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(body)?;
    // Without what the vector has in reserve: it would be kept as long as the body.
    Ok(encoder.finish()?.into_boxed_slice().into())
}

/// Whether a client says that it has the body with this validator: RFC 9110 section 13.1.2, where `W/`
/// makes no difference.
pub(crate) fn matches_etag(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).any(|known| {
        known == "*" || known.strip_prefix("W/").unwrap_or(known).as_bytes() == etag.as_bytes()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_has_the_body_is_recognized() {
        let etag = etag(b"hello");
        let own = etag.to_str().unwrap();
        for (value, is_known) in [
            (own.to_owned(), true),
            (format!("W/{own}"), true),
            (format!("\"other\", {own}"), true),
            ("*".to_owned(), true),
            ("\"other\"".to_owned(), false),
            (own.trim_matches('"').to_owned(), false),
            (String::new(), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::try_from(&value).unwrap());
            assert_eq!(matches_etag(&headers, &etag), is_known, "{value}");
        }
        let mut headers = HeaderMap::new();
        assert!(!matches_etag(&headers, &etag));
        headers.append(IF_NONE_MATCH, HeaderValue::from_static("\"other\""));
        headers.append(IF_NONE_MATCH, etag.clone());
        assert!(matches_etag(&headers, &etag), "fields of one name are one list");
    }

    #[test]
    fn another_body_has_another_etag() {
        assert_ne!(etag(b"a"), etag(b"b"));
        assert_eq!(etag(b"a").len(), 34);
    }
}
