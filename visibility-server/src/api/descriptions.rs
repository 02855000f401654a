//! The OpenAPI descriptions of the service, and the reference page that is rendered from them.
//!
//! They come from the code: paths, parameters and responses from the handlers that the router serves, the result of a
//! scan from the types that are written on the wire.

mod api;
mod html;
mod ingestion;
mod markdown;
mod reference;

use utoipa::openapi::OpenApi;
use visibility_core::text::locale::Lang;

pub(crate) use self::api::describe as describe_api;
pub(crate) use self::ingestion::describe as describe_ingestion;
use self::reference::Reference;
use crate::api::openapi::{Descriptions, MARKDOWN_PATH, PAGE_PATH, text};
use crate::api::routes::index::Index;
use crate::settings::Settings;
use crate::site::layout::{Frame, FrameKind, layout};
use crate::site::{self, BaseUrl, Document};

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// The descriptions of a service with these settings.
pub(crate) fn describe(settings: &Settings) -> Descriptions {
    let public_url = settings.public_url();
    let api = describe_api(&public_url);
    let ingestion = describe_ingestion(&settings.ingestion_url());
    let base = BaseUrl::new(settings);
    let links = site::links(&base, None);
    let (page, markdown) = pages(&base, &[&api, &ingestion]);
    Descriptions {
        indices: Lang::ALL.map(|lang| {
            let index = Index::from_openapi(&api, &public_url, lang);
            let bytes = serde_json::to_vec(&index).unwrap_or_default();
            Document::file(JSON, bytes).with_links(&links)
        }),
        api: Document::file(JSON, text(&api)),
        ingestion: Document::file(JSON, text(&ingestion)),
        page,
        markdown,
    }
}

/// The page for people, and its Markdown.
fn pages(base: &BaseUrl, descriptions: &[&OpenApi]) -> (Document, Document) {
    let references: Vec<Reference> =
        descriptions.iter().map(|description| Reference::from_openapi(description)).collect();
    let markdown = markdown::render(&references);
    let body = maud::html! { div.prose { (html::render(&references)) } };
    let page = layout(
        base,
        &Frame {
            title: "API reference",
            lang: Lang::En,
            translation: None,
            kind: FrameKind::Site {
                path: PAGE_PATH,
                description: "Every operation, response and error of the visibility API: \
                    agent-readiness scans, page audits and log ingestion.",
                markdown: Some(MARKDOWN_PATH),
                structured: None,
            },
        },
        &body,
    )
    .into_string();
    let canonical = format!("<{}>; rel=\"canonical\"", base.url(PAGE_PATH));
    (
        Document::page(page, Some(markdown.clone()))
            .with_links(&site::links(base, Some(MARKDOWN_PATH))),
        Document::file(MARKDOWN, markdown).with_links(&canonical),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::openapi::{operations, summary};
    use crate::service::paths::PATHS;

    #[test]
    fn what_is_described_has_a_name_in_metrics() {
        for description in
            [describe_api("https://a.example"), describe_ingestion("https://b.example")]
        {
            for (_, path, operation) in operations(&description) {
                assert!(PATHS.contains(&path), "{path}");
                let id = operation.operation_id.as_deref().unwrap();
                for lang in Lang::ALL {
                    assert!(!summary(id, lang).contains('.'), "{id} has no {lang} summary");
                }
            }
        }
    }

    #[test]
    fn what_needs_no_token_says_so() {
        let api = describe_api("https://a.example");
        let open: Vec<&str> = operations(&api)
            .into_iter()
            .filter(|(_, _, operation)| operation.security.as_deref() == Some(&[]))
            .map(|(_, path, _)| path)
            .collect();
        assert_eq!(
            open,
            [
                "/api/public/audit",
                "/api/public/audit/{id}",
                "/api/v1",
                "/api/v1/health",
                "/api/v1/openapi.json"
            ]
        );
    }
}
