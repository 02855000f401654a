//! The website of the service: pages and files for people and agents.
//!
//! All are made once, at the start, from where the service is reached, and served from memory.

mod asker;
mod audit;
mod base_url;
mod document;
mod home;
pub(crate) mod layout;
mod listing;
mod local_path;
mod logs;
mod markdown;
pub(crate) mod oauth_metadata;
pub(crate) mod page;
mod pages;
pub(crate) mod problem_page;
mod result_file;
mod result_page;
pub(crate) mod scan;
pub(crate) mod settings;
pub(crate) mod sign_in;
mod skills;
mod target;
mod visit;
mod well_known;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::routing::get;
use chrono::{DateTime, Utc};
use visibility_core::report::style;
use visibility_core::text::locale::Lang;

pub(crate) use self::base_url::BaseUrl;
pub(crate) use self::document::Document;
use self::home::HomePages;
use self::pages::{PageSource, RenderedPage, SOURCES};
use crate::http::urls;
use crate::http::{accept, language};

use crate::http::urls::API_PATH;
use crate::settings::Settings;
use crate::state::AppState;

const TEXT: &str = "text/plain; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Where programs of before SEP-2127 look for the card of an MCP server.
const OLD_CARDS: [&str; 2] = ["/.well-known/mcp/server-card.json", "/.well-known/mcp.json"];

/// The documents of the site, by path, and the home page for a form in it.
#[derive(Debug, Default)]
pub(crate) struct Site {
    documents: BTreeMap<&'static str, Arc<Document>>,
    home: Option<Arc<HomePages>>,
}

impl Site {
    /// Makes all of them. `now` is when `security.txt` begins to hold.
    pub(crate) fn new(settings: &Settings, now: DateTime<Utc>) -> Self {
        let base = BaseUrl::new(settings);
        let pages: Vec<(&PageSource, RenderedPage)> =
            SOURCES.iter().map(|source| (source, source.render(&base, settings))).collect();
        let home_in = |lang| {
            let found =
                pages.iter().find(|(source, page)| source.lang == lang && page.home.is_some());
            found.and_then(|(_, page)| page.home.clone())
        };
        let home = home_in(Lang::En).zip(home_in(Lang::Tr)).map(|(en, tr)| HomePages::new(en, tr));
        let home = home.filter(|_| settings.web.enabled).map(Arc::new);
        let mut documents = files(&base, settings, &pages, now);
        for (source, page) in pages {
            let twin = Document::file(MARKDOWN, page.markdown.clone());
            let canonical = format!("<{}>; rel=\"canonical\"", base.url(source.path));
            documents.insert(source.markdown, twin.with_links(&canonical));
            let mut document = Document::page(page.html, Some(page.markdown))
                .with_links(&links(&base, Some(source.markdown)));
            if page.home.is_some() && home.is_some() {
                document = document.dependent_on_cookies();
            }
            documents.insert(source.path, document);
        }
        let shared = documents.into_iter().map(|(path, document)| (path, Arc::new(document)));
        Self { documents: shared.collect(), home }
    }

    /// Whether a path is one of the site.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.documents.contains_key(path)
    }
}

/// The routes of the site.
pub(crate) fn routes(site: &Site) -> Router<AppState> {
    let documents = &site.documents;
    let pages = |home| scan::routes(home).merge(audit::routes());
    let router = site.home.as_ref().map_or_else(Router::new, pages);
    documents.iter().fold(router, |router, (path, document)| {
        let source = SOURCES.iter().find(|source| source.path == *path);
        let translated = source
            .filter(|source| source.lang == Lang::En)
            .and_then(|source| documents.get(source.translation()?.path));
        let (path, document, translated) =
            (*path, Arc::clone(document), translated.map(Arc::clone));
        let home = site.home.clone().filter(|_| source.is_some_and(PageSource::is_home));
        router.route(
            path,
            get(async move |State(state): State<AppState>, request: Request| {
                let (uri, headers) = (request.uri(), request.headers());
                if let Some(home) = home.filter(|_| !accept::prefers_markdown(headers)) {
                    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
                    let peer = peer.map(|ConnectInfo(peer)| *peer);
                    let asked = scan::home(&state, &home, path, peer, (uri, headers));
                    if let Some(with_form) = asked.await {
                        return with_form;
                    }
                }
                let turkish = translated.filter(|_| language::from_query(uri) == Lang::Tr);
                turkish.unwrap_or(document).respond(headers)
            }),
        )
    })
}

/// The routes on which people sign in and change their settings. A person who lets a program in can sign out in any case.
pub(crate) fn account_routes(settings: &Settings) -> Router<AppState> {
    let sign_out = sign_in::sign_out_route();
    if settings.web.enabled {
        let routes = sign_out.merge(sign_in::routes());
        let routes = routes.merge(settings::routes()).merge(logs::routes());
        if settings.demo.is_some() { routes.merge(sign_in::demo::route()) } else { routes }
    } else {
        sign_out
    }
}

/// The `Link` field of a page: where programs find what is made for them.
pub(crate) fn links(base: &BaseUrl, markdown: Option<&str>) -> String {
    let link = |path: &str, relation: &str, media_type: &str| {
        format!("<{}>; rel=\"{relation}\"; type=\"{media_type}\"", base.link(path))
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

/// What is not a page.
fn files(
    base: &BaseUrl,
    settings: &Settings,
    pages: &[(&PageSource, RenderedPage)],
    now: DateTime<Utc>,
) -> BTreeMap<&'static str, Document> {
    let text = |text: String| Document::file(TEXT, text);
    let catalog =
        Document::file(well_known::API_CATALOG_TYPE, well_known::api_catalog(base, settings));
    let named = format!(
        "<{}>; rel=\"api-catalog\"; type=\"application/linkset+json\"",
        base.link("/.well-known/api-catalog")
    );
    let mut files = BTreeMap::from([
        ("/robots.txt", text(listing::robots_txt(base))),
        ("/sitemap.xml", Document::file("application/xml", listing::sitemap(base))),
        ("/llms.txt", text(listing::llms_txt(base, pages))),
        ("/llms-full.txt", text(listing::llms_full_txt(base, pages))),
        ("/style.css", Document::file("text/css; charset=utf-8", style::WHOLE)),
        ("/favicon.svg", Document::file("image/svg+xml", include_str!("site/favicon.svg"))),
        ("/.well-known/api-catalog", catalog.with_links(&named)),
        (
            "/.well-known/ai-catalog.json",
            Document::file(well_known::AI_CATALOG_TYPE, well_known::ai_catalog(base)),
        ),
    ]);
    let card = Document::file(well_known::CARD_TYPE, well_known::server_card(base));
    let places = urls::CARDS.into_iter().chain(OLD_CARDS);
    files.extend(places.map(|path| (path, card.clone())));
    let ingestion = settings.ingestion_url();
    let index = Document::file("application/json", skills::index(base, &ingestion));
    files.insert(skills::INDEX, index);
    files.extend(
        skills::SKILLS
            .map(|skill| (skill.path, Document::file(MARKDOWN, skill.render(base, &ingestion)))),
    );
    let security = well_known::security_txt(base, settings, now);
    files.extend(oauth_metadata::documents(settings));
    files.extend(security.map(|security| ("/.well-known/security.txt", text(security))));
    files
}
