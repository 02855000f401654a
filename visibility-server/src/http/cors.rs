//! What pages of other origins may read: the public API and what is well known, without credentials of
//! the browser. Ingestion is for servers.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue};

use crate::http::urls;

/// Headers of answers that scripts may read beside the usual ones.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, ETag, Age, Link, Location",
);
/// The same of the MCP server.
const MCP_EXPOSED: HeaderValue = HeaderValue::from_static(
    "WWW-Authenticate, Mcp-Session-Id, Mcp-Protocol-Version, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id",
);
/// Seconds for which a browser need not ask again; none asks for longer.
const MAX_AGE: HeaderValue = HeaderValue::from_static("86400");
/// Longest list of header names that is echoed, in bytes.
const MAX_NAMES_BYTES: usize = 1024;

/// Whether the answers of a path may be read by pages of any origin.
pub(crate) fn is_open_to_any_origin(path: &str) -> bool {
    let is_shared = path == "/api"
        || path.starts_with("/api/")
        || path.starts_with("/.well-known/")
        || urls::is_oauth_endpoint(path);
    (is_shared || urls::CARDS.contains(&path)) && !urls::is_mcp(path)
}

/// Lets the pages of one origin, or none, read an answer of the MCP server.
pub(crate) fn allow_origin(origin: Option<HeaderValue>, headers: &mut HeaderMap) {
    headers.append(VARY, HeaderValue::from(ORIGIN));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, MCP_EXPOSED);
    }
}

/// Lets pages of any origin read an answer.
pub(crate) fn allow_any_origin(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

/// Says in an answer with `Allow` what a page may ask.
pub(crate) fn respond_to_preflight(asked: Option<&HeaderValue>, headers: &mut HeaderMap) {
    if let Some(allowed) = headers.get(ALLOW).cloned() {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, allowed);
    }
    // `*` would not cover `Authorization`.
    if let Some(names) = asked.filter(|names| are_names(names)) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    headers.append(VARY, HeaderValue::from(ACCESS_CONTROL_REQUEST_HEADERS));
}

fn are_names(value: &HeaderValue) -> bool {
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b',' | b' ');
    value.len() <= MAX_NAMES_BYTES && value.as_bytes().iter().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_and_what_is_well_known_are_shared() {
        for path in [
            "/api",
            "/api/v1",
            "/api/none",
            "/.well-known/security.txt",
            "/mcp/server-card",
            "/api/mcp/v1/mcp/server-card",
            "/token",
            "/oauth/token",
            "/register",
            "/revoke",
        ] {
            assert!(is_open_to_any_origin(path), "{path}");
        }
        for path in [
            "/",
            "/v1/logs",
            "/v1/logs/stats",
            "/apis",
            "/healthz",
            "/x/api/v1",
            "",
            "/mcp",
            "/api/mcp/v1/mcp",
            "/api/mcp/v1/x",
            "/authorize",
            "/oauth/authorize",
        ] {
            assert!(!is_open_to_any_origin(path), "{path}");
        }
    }

    #[test]
    fn names_of_headers_are_echoed_and_nothing_else() {
        for (asked, allowed) in [
            (Some("authorization, content-type"), Some("authorization, content-type")),
            (Some("<script>"), None),
            (None, None),
        ] {
            let mut headers = HeaderMap::new();
            respond_to_preflight(asked.map(HeaderValue::from_static).as_ref(), &mut headers);
            let found = headers.get(ACCESS_CONTROL_ALLOW_HEADERS);
            assert_eq!(found.map(HeaderValue::as_bytes), allowed.map(str::as_bytes));
        }
        let long = HeaderValue::try_from("a".repeat(MAX_NAMES_BYTES + 1)).unwrap();
        assert!(!are_names(&long));
    }
}
