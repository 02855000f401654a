//! What OpenAPI descriptions are made of: schemas, responses and errors, which handlers name.

pub(super) mod description;
pub(super) mod errors;
mod headers;
mod responses;
pub(super) mod schemas;
mod traffic;

use utoipa::openapi::OpenApi;
use visibility_core::text::locale::Lang;

pub(crate) use self::description::{operations, summary};
pub(crate) use self::responses::{
    AuditResponses, AuditResultResponses, DescriptionResponses, HealthResponses, HistoryResponses,
    IndexResponses, LogsResponses, ResultResponses, ScanResponses, StatsResponses,
};
pub(crate) use self::schemas::{AuditRequest, LogBatch, ScanRequest};
pub(crate) use self::traffic::{
    AgentsResponses, ErrorsResponses, HostsResponses, SeriesResponses, SourcesResponses,
    SummaryResponses,
};
use crate::site::Document;

/// Where the page is served.
pub(crate) const PAGE_PATH: &str = "/docs";
/// Where its Markdown is served.
pub(crate) const MARKDOWN_PATH: &str = "/docs.md";

/// Everything that is made of the descriptions, once.
#[derive(Debug)]
pub(crate) struct Descriptions {
    pub(crate) api: Document,
    pub(crate) ingestion: Document,
    pub(super) indices: [Document; 2],
    pub(crate) page: Document,
    pub(crate) markdown: Document,
}

impl Descriptions {
    /// The index in a language.
    pub(crate) fn index(&self, lang: Lang) -> &Document {
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
