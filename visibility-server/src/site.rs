//! The pages and files by which the service is a site that people and agents can read.
//!
//! All are made once, at the start, from where the service is reached, and served from memory.

mod document;
pub(crate) mod layout;
mod listing;
mod markdown;
pub(crate) mod oauth_metadata;
mod pages;
mod place;
mod skills;
mod well_known;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, Uri};
use axum::routing::get;
use chrono::{DateTime, Utc};
use visibility_core::text::locale::Lang;

pub(crate) use self::document::Document;
use self::pages::{SOURCES, Source, Written};
pub(crate) use self::place::Place;
use crate::http::language;
use crate::http::urls;

use crate::http::urls::API_PATH;
use crate::settings::Settings;
use crate::state::AppState;

const TEXT: &str = "text/plain; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Where programs of before SEP-2127 look for the card of an MCP server.
const OLD_CARDS: [&str; 2] = ["/.well-known/mcp/server-card.json", "/.well-known/mcp.json"];

/// The documents of the site, by path.
#[derive(Debug, Default)]
pub(crate) struct Site(BTreeMap<&'static str, Arc<Document>>);

impl Site {
    /// Makes all of them. `now` is when `security.txt` begins to hold.
    pub(crate) fn new(settings: &Settings, now: DateTime<Utc>) -> Self {
        let place = Place::new(settings);
        let pages: Vec<(&Source, Written)> =
            SOURCES.iter().map(|source| (source, source.write(&place, settings))).collect();
        let mut documents = files(&place, settings, &pages, now);
        for (source, page) in pages {
            let twin = Document::file(MARKDOWN, page.markdown.clone());
            let canonical = format!("<{}>; rel=\"canonical\"", place.url(source.path));
            documents.insert(source.markdown, twin.linking(&canonical));
            let document = Document::page(page.html, Some(page.markdown));
            documents.insert(source.path, document.linking(&links(&place, Some(source.markdown))));
        }
        let shared = documents.into_iter().map(|(path, document)| (path, Arc::new(document)));
        Self(shared.collect())
    }

    /// Whether a path is one of the site.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }
}

/// The routes of the site.
pub(crate) fn routes(site: &Site) -> Router<AppState> {
    let documents = &site.0;
    documents.iter().fold(Router::new(), |router, (path, document)| {
        let translated = SOURCES
            .iter()
            .find(|source| source.path == *path && source.lang == Lang::En)
            .and_then(|source| documents.get(source.translation()?.path));
        let (document, translated) = (Arc::clone(document), translated.map(Arc::clone));
        router.route(
            path,
            get(async move |uri: Uri, headers: HeaderMap| {
                let turkish = translated.filter(|_| language::of(&uri) == Lang::Tr);
                turkish.unwrap_or(document).answer(&headers)
            }),
        )
    })
}

/// The `Link` field of a page: where programs find what is made for them.
pub(crate) fn links(place: &Place, markdown: Option<&str>) -> String {
    let link = |path: &str, relation: &str, media_type: &str| {
        format!("<{}>; rel=\"{relation}\"; type=\"{media_type}\"", place.link(path))
    };
    let mut links = vec![
        link("/.well-known/api-catalog", "api-catalog", "application/linkset+json"),
        link(API_PATH, "service-desc", "application/json"),
        link("/docs", "service-doc", "text/html"),
        link("/.well-known/ai-catalog.json", "ai-catalog", well_known::AI_CATALOG_TYPE),
        link("/llms.txt", "describedby", "text/plain"),
    ];
    links.extend(markdown.map(|path| link(path, "alternate", "text/markdown")));
    links.join(", ")
}

/// What is no page.
fn files(
    place: &Place,
    settings: &Settings,
    pages: &[(&Source, Written)],
    now: DateTime<Utc>,
) -> BTreeMap<&'static str, Document> {
    let text = |text: String| Document::file(TEXT, text);
    let catalog =
        Document::file(well_known::API_CATALOG_TYPE, well_known::api_catalog(place, settings));
    let named = format!(
        "<{}>; rel=\"api-catalog\"; type=\"application/linkset+json\"",
        place.link("/.well-known/api-catalog")
    );
    let mut files = BTreeMap::from([
        ("/robots.txt", text(listing::robots_txt(place))),
        ("/sitemap.xml", Document::file("application/xml", listing::sitemap(place))),
        ("/llms.txt", text(listing::llms_txt(place, pages))),
        ("/llms-full.txt", text(listing::llms_full_txt(place, pages))),
        ("/style.css", Document::file("text/css; charset=utf-8", include_str!("site/style.css"))),
        ("/favicon.svg", Document::file("image/svg+xml", include_str!("site/favicon.svg"))),
        ("/.well-known/api-catalog", catalog.linking(&named)),
        (
            "/.well-known/ai-catalog.json",
            Document::file(well_known::AI_CATALOG_TYPE, well_known::ai_catalog(place)),
        ),
    ]);
    let card = Document::file(well_known::CARD_TYPE, well_known::server_card(place));
    let places = urls::CARDS.into_iter().chain(OLD_CARDS);
    files.extend(places.map(|path| (path, card.clone())));
    let ingestion = settings.ingestion_url();
    let index = Document::file("application/json", skills::index(place, &ingestion));
    files.insert(skills::INDEX, index);
    files.extend(
        skills::SKILLS
            .map(|skill| (skill.path, Document::file(MARKDOWN, skill.written(place, &ingestion)))),
    );
    let security = well_known::security_txt(place, settings, now);
    files.extend(oauth_metadata::documents(settings));
    files.extend(security.map(|security| ("/.well-known/security.txt", text(security))));
    files
}
