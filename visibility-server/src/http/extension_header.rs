//! Marks responses of routes that are extensions of the contract.

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

const X_SERVICE_EXTENSION: HeaderName = HeaderName::from_static("x-service-extension");

/// Names the extension that a route is on its answer.
pub(crate) fn mark(mut response: Response, name: &'static str) -> Response {
    response.headers_mut().insert(X_SERVICE_EXTENSION, HeaderValue::from_static(name));
    response
}
