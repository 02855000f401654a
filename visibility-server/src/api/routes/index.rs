//! `GET /api/v1`: lists all operations of the API.

use std::sync::Arc;

use axum::Extension;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::OpenApi;
use visibility_core::text::locale::{Catalog, Lang};

use crate::api::openapi::{self, Descriptions, IndexResponses};
use crate::http::language;
use crate::http::urls;

/// What there is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Index {
    /// Name of the service.
    name: &'static str,
    /// What it is for.
    description: String,
    /// The page for people.
    #[schema(format = "uri")]
    documentation: String,
    /// The description for machines.
    #[schema(format = "uri")]
    openapi: String,
    /// The server for agents.
    #[schema(format = "uri")]
    mcp: String,
    /// The operations.
    endpoints: Vec<Endpoint>,
}

/// An operation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Endpoint {
    /// HTTP method.
    method: &'static str,
    /// Path below the address of the service.
    path: String,
    /// What it does.
    description: String,
    /// What it wants.
    auth: Auth,
}

/// What an operation wants to be shown.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Auth {
    /// Nothing.
    None,
    /// `Authorization: Bearer` with a key or a token.
    Bearer,
}

impl Index {
    /// The index of the API that a description describes.
    pub(crate) fn from_openapi(api: &OpenApi, public_url: &str, lang: Lang) -> Self {
        Self {
            name: "visibility",
            description: Catalog::for_lang(lang).text(&["operations", "service"]),
            documentation: format!("{public_url}/docs"),
            openapi: format!("{public_url}{}", urls::API_PATH),
            mcp: format!("{public_url}/api/mcp/v1/mcp"),
            endpoints: openapi::operations(api)
                .into_iter()
                .map(|(method, path, operation)| {
                    let id = operation.operation_id.as_deref().unwrap_or_default();
                    let is_open = operation.security.as_ref().is_some_and(Vec::is_empty);
                    let auth = if is_open { Auth::None } else { Auth::Bearer };
                    Endpoint {
                        method,
                        path: path.to_owned(),
                        description: openapi::summary(id, lang),
                        auth,
                    }
                })
                .collect(),
        }
    }
}

/// `GET /api/v1`.
#[utoipa::path(
    get,
    path = "/api/v1",
    operation_id = "getIndex",
    tag = "discovery",
    description = "Name, addresses and all operations of the service.",
    params(("lang" = inline(Option<Lang>), Query, description = "Language of the descriptions; English for any other value.")),
    security(()),
    responses(IndexResponses)
)]
pub(crate) async fn show(
    Extension(all): Extension<Arc<Descriptions>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    all.index(language::from_query(&uri)).respond(&headers)
}
