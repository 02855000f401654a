//! `GET /api/v1/openapi.json` and `GET /v1/openapi.json`: the descriptions for machines.

use std::sync::Arc;

use axum::Extension;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::api::openapi::{DescriptionResponses, Descriptions};

/// `GET /api/v1/openapi.json`.
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    description = "OpenAPI 3.1, generated from the code of the service.",
    operation_id = "getDescription",
    tag = "discovery",
    security(()),
    responses(DescriptionResponses)
)]
pub(crate) async fn show_api(
    Extension(descriptions): Extension<Arc<Descriptions>>,
    headers: HeaderMap,
) -> Response {
    descriptions.api.respond(&headers)
}

/// `GET /v1/openapi.json`.
pub(crate) async fn show_ingestion(
    Extension(descriptions): Extension<Arc<Descriptions>>,
    headers: HeaderMap,
) -> Response {
    descriptions.ingestion.respond(&headers)
}
