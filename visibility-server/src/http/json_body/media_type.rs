//! Media types of bodies that are read as JSON.

use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use visibility_core::error::{ErrorCode, Problem};

use crate::http::response::ApiError;

/// Media types of which a body is read, beside `application/*+json`: some clients send JSON under the
/// name of something else.
const MEDIA_TYPES: [&str; 4] =
    ["application/json", "text/json", "text/plain", "application/x-www-form-urlencoded"];

/// Refuses a body whose name says that it is no JSON, or that it is coded.
///
/// # Errors
///
/// 415.
pub(super) fn check(headers: &HeaderMap) -> Result<(), ApiError> {
    if !all(headers, &CONTENT_TYPE, may_be_json) {
        return Err(unsupported("media-type", "Content-Type"));
    }
    if !all(headers, &CONTENT_ENCODING, is_identity) {
        return Err(unsupported("content-coding", "Content-Encoding"));
    }
    Ok(())
}

/// Refuses a body that is not called JSON, or is coded.
///
/// # Errors
///
/// 415.
pub(crate) fn check_strictly(headers: &HeaderMap) -> Result<(), ApiError> {
    if !headers.contains_key(CONTENT_TYPE)
        || !all(headers, &CONTENT_TYPE, |value| {
            let name = value.split(';').next().unwrap_or_default().trim();
            name.eq_ignore_ascii_case("application/json") && may_be_json(value)
        })
    {
        return Err(unsupported("media-type", "Content-Type"));
    }
    if !all(headers, &CONTENT_ENCODING, is_identity) {
        return Err(unsupported("content-coding", "Content-Encoding"));
    }
    Ok(())
}

/// Whether a header is missing, or appears once with a value that fits.
fn all(headers: &HeaderMap, name: &HeaderName, fits: impl Fn(&str) -> bool) -> bool {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => true,
        (Some(value), None) => value.to_str().is_ok_and(fits),
        (Some(_), Some(_)) => false,
    }
}

/// RFC 9110 section 8.3: the type in any case, with any parameters but another `charset` than UTF-8.
fn may_be_json(value: &str) -> bool {
    let mut parts = value.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_json = name.is_empty()
        || MEDIA_TYPES.contains(&name.as_str())
        || name.split_once('/').is_some_and(|(_, subtype)| subtype.ends_with("+json"));
    is_json
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
                let charset = value.trim().trim_matches('"').to_ascii_lowercase();
                matches!(charset.as_str(), "utf-8" | "utf8" | "us-ascii")
            }
            _ => true,
        })
}

fn is_identity(value: &str) -> bool {
    let value = value.trim();
    value.is_empty() || value.eq_ignore_ascii_case("identity")
}

fn unsupported(id: &'static str, header: &'static str) -> ApiError {
    Problem::new(ErrorCode::UnsupportedMediaType, id).detail("header", header).into()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn is_refused(name: &'static str, values: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        check(&headers).is_err()
    }

    #[test]
    fn what_may_be_json_is_read_and_nothing_else() {
        for values in [
            &[][..],
            &[""],
            &["application/json"],
            &["Application/JSON; charset=UTF-8"],
            &["application/json;charset=\"utf-8\";v=1"],
            &["application/problem+json"],
            &["application/vnd.api+JSON"],
            &["text/plain"],
            &["text/plain;charset=UTF-8"],
            &["application/x-www-form-urlencoded"],
        ] {
            assert!(!is_refused("content-type", values), "{values:?}");
        }
        for values in [
            &["text/html"][..],
            &["application/xml"],
            &["multipart/form-data; boundary=a"],
            &["application/json; charset=utf-16"],
            &["application/jsonp"],
            &["application/x-ndjson"],
            &["json"],
            &["+json"],
            &["application/json, text/html"],
            &["application/json", "application/json"],
            &["application/j\u{e9}son"],
        ] {
            assert!(is_refused("content-type", values), "{values:?}");
        }
    }

    #[test]
    fn where_json_is_wanted_nothing_else_is_read() {
        let is_refused = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CONTENT_TYPE, HeaderValue::from_static(value));
            }
            check_strictly(&headers).is_err()
        };
        for value in ["application/json", "Application/JSON; charset=utf-8"] {
            assert!(!is_refused(&[value]), "{value}");
        }
        for values in [
            &[][..],
            &[""],
            &["text/plain"],
            &["application/vnd.a+json"],
            &["application/json; charset=utf-16"],
            &["application/json", "application/json"],
        ] {
            assert!(is_refused(values), "{values:?}");
        }
    }

    #[test]
    fn a_body_is_not_coded() {
        for values in [&[][..], &[""], &["identity"], &["Identity"]] {
            assert!(!is_refused("content-encoding", values), "{values:?}");
        }
        for values in [&["gzip"][..], &["br"], &["identity, gzip"], &["identity", "identity"]] {
            assert!(is_refused("content-encoding", values), "{values:?}");
        }
    }
}
