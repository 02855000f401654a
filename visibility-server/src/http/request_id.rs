//! The id of a request, in its response and in the log.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

/// The header that has it.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Characters of one that a client may choose.
const CHARS: std::ops::RangeInclusive<usize> = 8..=64;

/// A new one.
pub(crate) fn new() -> String {
    format!("req_{}", Uuid::now_v7().simple())
}

/// The client's own if it has the form of one, else a new one.
pub(crate) fn from_headers(headers: &HeaderMap) -> String {
    let mut values = headers.get_all(X_REQUEST_ID).iter();
    match (values.next().map(HeaderValue::to_str), values.next()) {
        (Some(Ok(text)), None) if is_id(text) => text.to_owned(),
        _ => new(),
    }
}

fn is_id(text: &str) -> bool {
    CHARS.contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_all(values: &[&'static str]) -> String {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(X_REQUEST_ID, HeaderValue::from_static(value));
        }
        from_headers(&headers)
    }

    #[test]
    fn a_request_id_is_the_clients_if_it_is_one() {
        for id in [
            "abcdefgh",
            "A_9-A_9-",
            "0123456789012345678901234567890123456789012345678901234567890123",
        ] {
            assert_eq!(of_all(&[id]), id);
        }
        for values in [
            &[][..],
            &["short"],
            &[""],
            &["with space"],
            &["a\"b\"c\"d\"e"],
            &["01234567890123456789012345678901234567890123456789012345678901234"],
            &["abcdefgh", "abcdefgh"],
        ] {
            let id = of_all(values);
            assert!(id.starts_with("req_") && id.len() == 36 && is_id(&id), "{values:?}: {id}");
        }
    }
}
