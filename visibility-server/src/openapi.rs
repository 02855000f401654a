//! The descriptions of the service for machines, and the page for people that is made of them.
//!
//! They come from the code: paths, parameters and answers from the handlers that the router serves, the
//! result of a scan from the types that are written on the wire.

mod api;
mod description;
mod errors;
mod headers;
mod ingestion;
mod responses;
mod schemas;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use utoipa::openapi::OpenApi;
pub(crate) use utoipa::openapi::path::Operation;
use visibility_core::locale::Lang;

use crate::handlers::index;
use crate::rendered::Rendered;
use crate::state::AppState;

pub(crate) use self::api::describe as api;
pub(crate) use self::description::{operations, summary};
pub(crate) use self::ingestion::describe as ingestion;
pub(crate) use self::responses::{
    DescriptionResponses, HealthResponses, IndexResponses, LogsResponses, ResultResponses,
    ScanResponses, StatsResponses,
};
pub(crate) use self::schemas::{LogBatch, ScanRequest};

/// Where the first description is served.
pub(crate) const API_PATH: &str = "/api/v1/openapi.json";
/// Where the description of ingestion is served.
pub(crate) const INGESTION_PATH: &str = "/v1/openapi.json";
const JSON: &str = "application/json";

/// Everything that is made of the descriptions, once.
#[derive(Debug)]
pub(crate) struct Descriptions {
    api: Rendered,
    ingestion: Rendered,
    indices: [Rendered; 2],
}

impl Descriptions {
    /// The descriptions of a service that is reached at two addresses.
    pub(crate) fn new(public_url: &str, ingestion_url: &str) -> Self {
        let api = api(public_url);
        let ingestion = ingestion(ingestion_url);
        Self {
            indices: Lang::ALL.map(|lang| {
                let index = index::Index::of(&api, public_url, lang);
                Rendered::new(JSON, serde_json::to_vec(&index).unwrap_or_default())
            }),
            api: Rendered::new(JSON, text(&api)),
            ingestion: Rendered::new(JSON, text(&ingestion)),
        }
    }

    /// The index in a language.
    pub(crate) fn index(&self, lang: Lang) -> &Rendered {
        let [english, turkish] = &self.indices;
        match lang {
            Lang::En => english,
            Lang::Tr => turkish,
        }
    }
}

/// A description as it is served.
pub(crate) fn text(description: &OpenApi) -> String {
    // Nothing in a description can fail to be written.
    let mut text = description.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// The routes of the pages.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
}

/// The route of the description of ingestion.
pub(crate) fn ingestion_routes() -> Router<AppState> {
    Router::new().route(INGESTION_PATH, get(show_ingestion))
}

/// `GET /api/v1/openapi.json`.
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    description = "`OpenAPI` 3.1, made from the code of the service.",
    operation_id = "getDescription",
    tag = "discovery",
    security(()),
    responses(DescriptionResponses)
)]
pub(crate) async fn show_api(State(state): State<AppState>, headers: HeaderMap) -> Response {
    state.shared().descriptions.api.answer(&headers)
}

async fn show_ingestion(State(state): State<AppState>, headers: HeaderMap) -> Response {
    state.shared().descriptions.ingestion.answer(&headers)
}
