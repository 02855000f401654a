//! `GET /docs` and `GET /docs.md`: the API reference for people.

use std::sync::Arc;

use axum::Extension;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::api::openapi::Descriptions;

/// `GET /docs`.
pub(crate) async fn show_page(
    Extension(descriptions): Extension<Arc<Descriptions>>,
    headers: HeaderMap,
) -> Response {
    descriptions.page.respond(&headers)
}

/// `GET /docs.md`.
pub(crate) async fn show_markdown(
    Extension(descriptions): Extension<Arc<Descriptions>>,
    headers: HeaderMap,
) -> Response {
    descriptions.markdown.respond(&headers)
}
