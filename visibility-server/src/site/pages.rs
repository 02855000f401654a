//! Pages written in Markdown: those of the site, and the repository's documentation.

use maud::{PreEscaped, html};
use serde_json::{Value, json};
use visibility_core::limits;
use visibility_core::text::docs;
use visibility_core::text::locale::{Catalog, Lang, Values};

use super::base_url::BaseUrl;
use super::home::{HomePage, sections};
use super::layout::{Frame, FrameKind, layout};
use super::markdown;
use crate::fetch::user_agent;
use crate::http::urls::SETTINGS_PATH;
use crate::settings::Settings;

/// The placeholder for the address of the service in its pages.
const EXAMPLE: &str = "https://visibility.example.com";

/// A page as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageSource {
    /// Where it is served.
    pub(super) path: &'static str,
    /// Where its Markdown is served.
    pub(super) markdown: &'static str,
    /// Its name in `locales/`, below `site.pages`.
    pub(super) id: &'static str,
    pub(super) lang: Lang,
    /// Its name in the folder of the documentation, by which other pages link to it.
    file: Option<&'static str>,
    text: &'static str,
}

/// All of them, in the order in which they are listed.
pub(super) const SOURCES: [PageSource; 10] = [
    PageSource {
        path: "/",
        markdown: "/index.md",
        id: "home",
        lang: Lang::En,
        file: None,
        text: include_str!("pages/en/home.md"),
    },
    PageSource {
        path: "/docs/api",
        markdown: "/docs/api.md",
        id: "api",
        lang: Lang::En,
        file: Some("api.md"),
        text: include_str!("../../docs/api.md"),
    },
    PageSource {
        path: "/docs/errors",
        markdown: "/docs/errors.md",
        id: "errors",
        lang: Lang::En,
        file: Some("errors.md"),
        text: docs::ERRORS,
    },
    PageSource {
        path: "/docs/checks",
        markdown: "/docs/checks.md",
        id: "checks",
        lang: Lang::En,
        file: Some("checks.md"),
        text: docs::CHECKS,
    },
    PageSource {
        path: "/docs/scoring",
        markdown: "/docs/scoring.md",
        id: "scoring",
        lang: Lang::En,
        file: Some("scoring.md"),
        text: docs::SCORING,
    },
    PageSource {
        path: "/docs/ingestion",
        markdown: "/docs/ingestion.md",
        id: "ingestion",
        lang: Lang::En,
        file: Some("ingestion.md"),
        text: include_str!("../../docs/ingestion.md"),
    },
    PageSource {
        path: "/docs/mcp",
        markdown: "/docs/mcp.md",
        id: "mcp",
        lang: Lang::En,
        file: Some("mcp.md"),
        text: include_str!("../../docs/mcp.md"),
    },
    PageSource {
        path: "/bot",
        markdown: "/bot.md",
        id: "bot",
        lang: Lang::En,
        file: None,
        text: include_str!("pages/en/bot.md"),
    },
    PageSource {
        path: "/tr",
        markdown: "/tr.md",
        id: "home",
        lang: Lang::Tr,
        file: None,
        text: include_str!("pages/tr/home.md"),
    },
    PageSource {
        path: "/tr/bot",
        markdown: "/tr/bot.md",
        id: "bot",
        lang: Lang::Tr,
        file: None,
        text: include_str!("pages/tr/bot.md"),
    },
];

/// A page, ready to be served.
#[derive(Clone, Debug)]
pub(super) struct RenderedPage {
    /// What it is called.
    pub(super) title: String,
    /// The whole HTML.
    pub(super) html: String,
    /// The Markdown, its links whole.
    pub(super) markdown: String,
    /// What a home page with a form is made of.
    pub(super) home: Option<HomePage>,
}

impl PageSource {
    /// What the page is about, in a sentence or two.
    pub(super) fn description(&self) -> String {
        Catalog::for_lang(self.lang).text(&["site", "pages", self.id])
    }

    /// Whether it is the home page.
    pub(super) fn is_home(&self) -> bool {
        self.id == "home"
    }

    /// The same page in another language.
    pub(super) fn translation(&self) -> Option<&'static Self> {
        SOURCES.iter().find(|other| other.id == self.id && other.lang != self.lang)
    }

    /// Writes the page for a place.
    pub(super) fn render(&self, base: &BaseUrl, settings: &Settings) -> RenderedPage {
        let text = self.fill_placeholders(base, settings);
        let markdown = markdown::relink(&text, |target| {
            self.rewrite_link(target, |source| base.url(source.markdown))
        });
        let rendered = markdown::render(&text, |target| {
            let own = target.strip_prefix(base.as_str()).map(|path| base.link(path));
            own.or_else(|| self.rewrite_link(target, |source| base.link(source.path)))
        });
        let description = self.description();
        let structured = self.is_home().then(|| structured(base, self.lang, &description));
        let home = structured.as_ref().filter(|_| self.is_home()).map(|structured| HomePage {
            title: rendered.title.clone(),
            description: description.clone(),
            sections: sections(&rendered.html).to_owned(),
            paths: (self.path, self.markdown),
            structured: structured.clone(),
        });
        let body = if let Some(home) = &home {
            home.without_form(base, self.lang)
        } else {
            html! { div.prose { (PreEscaped(&rendered.html)) } }
        };
        let html = layout(
            base,
            &Frame {
                title: &rendered.title,
                lang: self.lang,
                translation: self.translation().map(|other| (other.lang, other.path)),
                kind: FrameKind::Site {
                    path: self.path,
                    description: &description,
                    markdown: Some(self.markdown),
                    structured: structured.as_ref(),
                },
            },
            &body,
        )
        .into_string();
        RenderedPage { title: rendered.title, html, markdown, home }
    }

    /// The text with addresses and numbers of this service.
    fn fill_placeholders(&self, base: &BaseUrl, settings: &Settings) -> String {
        let key = if base.has_settings() { "browser" } else { "command" };
        let key = Catalog::for_lang(self.lang).text(&["site", "key", key]);
        let text = if base.has_settings() {
            self.text.to_owned()
        } else {
            // To what it would be, instead of a page that there is not.
            self.text
                .replace(&format!("{EXAMPLE}{SETTINGS_PATH}"), "server.md#settings-in-the-browser")
        };
        let text = text
            .replace("{key_sentence}", &key)
            .replace(EXAMPLE, base.as_str())
            .replace("{ingest_url}", &settings.ingestion_url());
        if self.file.is_some() {
            return text;
        }
        let contact = match settings.contact {
            Some(_) => "known",
            None => "unknown",
        };
        let contact = Catalog::for_lang(self.lang).text(&["site", "contact", contact]);
        let text = text.replace("{contact_sentence}", &contact);
        values(settings)
            .iter()
            .fold(text, |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    /// Where a link from one file of the repository to another leads here: to a page, or else to the
    /// repository. `None` for all other links.
    fn rewrite_link(&self, target: &str, page: impl Fn(&Self) -> String) -> Option<String> {
        let is_relative = !target.contains(':') && !target.starts_with(['#', '/']);
        if !is_relative || self.file.is_none() {
            return None;
        }
        let (file, anchor) = target.split_once('#').map_or((target, None), |(f, a)| (f, Some(a)));
        let found = SOURCES.iter().find(|source| source.file == Some(file)).map(page);
        let url = found.unwrap_or_else(|| repository_url(file));
        Some(anchor.map_or_else(|| url.clone(), |anchor| format!("{url}#{anchor}")))
    }
}

/// Where a file is found that the documentation names from its folder.
fn repository_url(file: &str) -> String {
    let path = match file.strip_prefix("../") {
        Some(path) => path.to_owned(),
        None => format!("docs/{file}"),
    };
    format!("{}/blob/main/{path}", env!("CARGO_PKG_REPOSITORY"))
}

/// What our own pages say about this service, by placeholder.
fn values(settings: &Settings) -> Values {
    let kib = |bytes: usize| (bytes / 1024).to_string();
    let mib = |bytes: usize| (bytes / 1024 / 1024).to_string();
    let contact = settings.contact.as_deref().unwrap_or_default();
    let contact = contact.strip_prefix("mailto:").unwrap_or(contact);
    Values::from([
        ("user_agent", user_agent(settings)),
        ("contact", contact.to_owned()),
        ("requests", limits::MAX_REQUESTS.to_string()),
        ("probes", limits::MAX_PROBES.to_string()),
        ("parallel", limits::MAX_PARALLEL_PER_HOST.to_string()),
        ("redirects", limits::MAX_REDIRECTS.to_string()),
        ("connect_seconds", limits::CONNECT_TIMEOUT.as_secs().to_string()),
        ("request_seconds", limits::REQUEST_TIMEOUT.as_secs().to_string()),
        ("scan_seconds", limits::SCAN_TIMEOUT.as_secs().to_string()),
        ("retry_seconds", limits::MAX_RETRY_AFTER.as_secs().to_string()),
        ("robots_kib", kib(limits::MAX_ROBOTS_BYTES)),
        ("document_kib", kib(limits::MAX_DOCUMENT_BYTES)),
        ("home_mib", mib(limits::MAX_HOME_BYTES)),
        ("sitemap_mib", mib(limits::MAX_SITEMAP_BYTES)),
    ])
}

/// Who and what the site is, as JSON-LD.
fn structured(base: &BaseUrl, lang: Lang, description: &str) -> Value {
    let (site, program) = (base.url("/#site"), base.url("/#program"));
    json!({
        "@context": "https://schema.org",
        "@graph": [
            {
                "@type": "WebSite",
                "@id": site,
                "name": "visibility",
                "url": base.url("/"),
                "description": description,
                "inLanguage": [Lang::En.as_str(), Lang::Tr.as_str()],
                "about": { "@id": program },
            },
            {
                "@type": "SoftwareApplication",
                "@id": program,
                "name": "visibility",
                "url": base.url("/"),
                "sameAs": env!("CARGO_PKG_REPOSITORY"),
                "applicationCategory": "DeveloperApplication",
                "operatingSystem": "Linux, macOS",
                "softwareVersion": env!("CARGO_PKG_VERSION"),
                "inLanguage": lang.as_str(),
            },
            {
                "@type": "WebAPI",
                "name": "visibility API",
                "url": base.url("/api/v1"),
                "documentation": base.url("/docs"),
            },
        ],
    })
}
