//! Files by which programs find the pages: robots.txt, the sitemap and the two overviews.

use maud::{Markup, PreEscaped, html};
use visibility_core::text::locale::{Catalog, Lang};
use visibility_core::text::markup::shown;

use super::base_url::BaseUrl;
use super::pages::{PageSource, RenderedPage, SOURCES};
use super::skills;
use crate::http::urls::{API_PATH, McpEndpoint, SETTINGS_PATH};

/// The page that is made of the descriptions.
const REFERENCE: &str = "/docs";

/// When the pages last changed, which a test compares with their text.
const CHANGES: &str = include_str!("changes.txt");

/// robots.txt: everybody may read everything, so no agent needs a group of its own.
pub(super) fn robots_txt(base: &BaseUrl) -> String {
    format!(
        "# Everybody is welcome here, people and programs. Start with {llms}\n\
         User-agent: *\n\
         Content-Signal: search=yes, ai-input=yes, ai-train=yes\n\
         Allow: /\n\n\
         Sitemap: {sitemap}\n\
         Agentmap: {catalog}\n",
        llms = base.url("/llms.txt"),
        sitemap = base.url("/sitemap.xml"),
        catalog = base.url("/.well-known/ai-catalog.json"),
    )
}

/// The sitemap: each page with the time at which its text was changed.
pub(super) fn sitemap(base: &BaseUrl) -> String {
    let written = SOURCES.iter().map(|source| (source.path, Some(source)));
    let document = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" {
            @for (path, source) in written.chain([(REFERENCE, None)]) {
                url {
                    loc { (shown(base.url(path))) }
                    @if let Some(time) = changed(path) { lastmod { (time) } }
                    @if let Some(source) = source { (translations(base, source)) }
                }
            }
        }
    };
    document.into_string()
}

/// When a page last changed.
fn changed(path: &str) -> Option<&'static str> {
    let line = CHANGES.lines().find(|line| line.split(' ').next() == Some(path))?;
    line.split(' ').nth(2)
}

fn translations(base: &BaseUrl, source: &PageSource) -> Markup {
    html! {
        @if let Some(other) = source.translation() {
            @for version in [source, other] {
                xhtml:link rel="alternate" hreflang=(version.lang) href=(shown(base.url(version.path))) {}
            }
        }
    }
}

/// `llms.txt`: what the service is, and where its parts are.
pub(super) fn llms_txt(base: &BaseUrl, pages: &[(&PageSource, RenderedPage)]) -> String {
    let catalog = Catalog::for_lang(Lang::En);
    let about = |id: &str| catalog.text(&["site", "pages", id]);
    let listed: String = pages
        .iter()
        .filter(|(source, _)| source.lang == Lang::En && source.path != "/")
        .map(|(source, page)| {
            let url = base.url(source.markdown);
            format!("- [{}]({url}): {}\n", page.title, source.description())
        })
        .collect();
    let reference = format!("- [API reference]({}): {}\n", base.url("/docs.md"), about("docs"));
    let links = [
        ("API index", "/api/v1", "every endpoint with its method, and whether it needs a key"),
        ("OpenAPI 3.1", API_PATH, "the same for machines, with schemas and errors"),
        ("API catalog", "/.well-known/api-catalog", "a linkset of the APIs and their descriptions"),
        ("AI catalog", "/.well-known/ai-catalog.json", "a list of everything for agents"),
        (
            "MCP server",
            McpEndpoint::Mcp.path(),
            "the same as tools for agents, over Streamable HTTP",
        ),
        ("Agent skills", skills::INDEX, "what an agent can do here, step by step"),
        ("Health", "/api/v1/health", "whether the service is healthy"),
    ];
    let interfaces: String = links
        .iter()
        .map(|(name, path, what)| format!("- [{name}]({}): {what}\n", base.url(path)))
        .collect();
    format!(
        "# visibility\n\n> {home}\n\n\
         Scanning a domain needs an API key as bearer token; {key}. Auditing one page \
         (`POST /api/public/audit` with `{{\"url\": \"...\"}}`) and reading these pages do not. All pages below are Markdown; without `.md` they are HTML.\n\n\
         ## Pages\n\n{listed}{reference}\n## Interfaces\n\n{interfaces}\n\
         ## Optional\n\n- [Everything in one file]({full}): the pages above, one after the other\n\
         - [Türkçe]({turkish}): {turkish_about}\n",
        key = if base.has_settings() {
            format!("a user creates one at {}", base.url(SETTINGS_PATH))
        } else {
            "the operator of the service creates one".to_owned()
        },
        home = about("home"),
        full = base.url("/llms-full.txt"),
        turkish = base.url("/tr.md"),
        turkish_about = Catalog::for_lang(Lang::Tr).text(&["site", "pages", "home"]),
    )
}

/// `llms-full.txt`: the English pages, one after the other.
pub(super) fn llms_full_txt(base: &BaseUrl, pages: &[(&PageSource, RenderedPage)]) -> String {
    let english = pages.iter().filter(|(source, _)| source.lang == Lang::En);
    let parts: Vec<String> = english
        .map(|(source, page)| {
            format!("<!-- {} -->\n\n{}", base.url(source.path), page.markdown.trim_end())
        })
        .collect();
    format!("{}\n", parts.join("\n\n---\n\n"))
}
