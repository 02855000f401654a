//! Converts responses of the MCP library to those of this service.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::combinators::BoxBody;
use serde_json::json;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::mcp::McpServer;
use visibility_core::text::locale::Lang;

use super::host::ServiceHost;
use super::message::{self, Message};
use super::rpc::{self, RpcError};
use super::stream;
use crate::http::connection::DisconnectSignal;
use crate::http::response::ApiError;

/// An answer of the library.
pub(super) type LibraryResponse = Response<BoxBody<Bytes, Infallible>>;

/// What was sent, as far as an answer depends on it.
#[derive(Debug)]
pub(super) struct SentMessage<'a> {
    pub(super) message: &'a Message,
    /// The revision that its header names.
    pub(super) version: Option<HeaderValue>,
    pub(super) lang: Lang,
}

/// The answer to the client. JSON and streams are the protocol and stay as they are; words are the
/// library's own.
pub(super) fn to_client_response(
    spoken: LibraryResponse,
    hang_up: Option<DisconnectSignal>,
    sent: &SentMessage<'_>,
) -> Response {
    let kind = spoken.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    if kind.starts_with(b"text/event-stream") {
        return spoken.map(|body| stream::cancel_on_disconnect(body, hang_up));
    }
    let status = spoken.status();
    if kind.starts_with(b"application/json") || status.is_success() {
        return spoken.map(Body::new);
    }
    tracing::debug!(status = status.as_u16(), "the MCP library refused a message");
    let error = match status {
        StatusCode::BAD_REQUEST => {
            sent.version.as_ref().map_or_else(message::invalid_request, |version| {
                unknown_version(&String::from_utf8_lossy(version.as_bytes()))
            })
        }
        // The library cannot read what is JSON and looks like a message.
        StatusCode::UNSUPPORTED_MEDIA_TYPE => message::invalid_request(),
        _ => return ApiError::internal().into_response(),
    };
    error.response(sent.message.id(), sent.lang)
}

/// The error for a revision that only the library supports, or no one.
pub(super) fn check_version(named: &HeaderValue) -> Result<(), RpcError> {
    let is_spoken = McpServer::<ServiceHost>::versions()
        .iter()
        .any(|version| version.as_str().as_bytes() == named.as_bytes());
    if is_spoken {
        return Ok(());
    }
    Err(unknown_version(&String::from_utf8_lossy(named.as_bytes())))
}

/// The error details for an unsupported revision.
fn unknown_version(requested: &str) -> RpcError {
    let supported = super::versions();
    let requested: String = requested.chars().take(64).collect();
    let problem = Problem::new(ErrorCode::InvalidRequest, "mcp-version")
        .value("supported", supported.join(", "));
    let data = json!({ "requested": requested, "supported": supported });
    RpcError::new(rpc::UNSUPPORTED_VERSION, problem).with(data)
}
