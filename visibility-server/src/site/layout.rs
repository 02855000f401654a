//! The layout of every HTML page: head, navigation and footer.

use serde_json::Value;
use visibility_core::text::escape::html;
use visibility_core::text::locale::{Catalog, Lang};

use super::base_url::BaseUrl;
use crate::http::urls::API_PATH;

/// A page, without its frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SitePage<'a> {
    /// Its path, such as `/docs`.
    pub(crate) path: &'a str,
    /// What it is called, without the name of the site.
    pub(crate) title: &'a str,
    /// What it is about, in a sentence or two.
    pub(crate) description: &'a str,
    pub(crate) lang: Lang,
    /// The same page in another language: the language and the path.
    pub(crate) translation: Option<(Lang, &'a str)>,
    /// The path of its Markdown, if it has one.
    pub(crate) markdown: Option<&'a str>,
    /// What it says to machines, as JSON-LD.
    pub(crate) structured: Option<&'a Value>,
    /// The HTML of what it shows, with one `h1`.
    pub(crate) body: &'a str,
}

/// Pages of the navigation, each with its name in `locales/` below `site.frame`.
const NAVIGATION: [(&str, &str); 5] = [
    ("/docs", "docs"),
    ("/docs/api", "api"),
    ("/docs/checks", "checks"),
    ("/docs/ingestion", "ingestion"),
    ("/bot", "bot"),
];

/// The whole page.
pub(crate) fn layout(base: &BaseUrl, page: &SitePage<'_>) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n{head}<body>\n\
         <a class=\"skip\" href=\"#content\">{skip}</a>\n{navigation}\
         <main id=\"content\">\n{body}</main>\n{foot}</body>\n</html>\n",
        lang = page.lang,
        head = head(base, page),
        skip = word(page.lang, "skip"),
        navigation = navigation(base, page),
        body = page.body,
        foot = foot(base, page),
    )
}

fn head(base: &BaseUrl, page: &SitePage<'_>) -> String {
    let title = match page.title {
        "visibility" => "visibility".to_owned(),
        title => format!("{} · visibility", html(title)),
    };
    let description = html(page.description);
    let canonical = html(&base.url(page.path));
    let mut links = format!(
        "<link rel=\"canonical\" href=\"{canonical}\">\n\
         <link rel=\"stylesheet\" href=\"{style}\">\n\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"{icon}\">\n",
        style = html(&base.link("/style.css")),
        icon = html(&base.link("/favicon.svg")),
    );
    if let Some((lang, path)) = page.translation {
        for (lang, path) in [(page.lang, page.path), (lang, path)] {
            let url = html(&base.url(path));
            links.push_str(&format!(
                "<link rel=\"alternate\" hreflang=\"{lang}\" href=\"{url}\">\n"
            ));
        }
    }
    if let Some(path) = page.markdown {
        let url = html(&base.link(path));
        links
            .push_str(&format!("<link rel=\"alternate\" type=\"text/markdown\" href=\"{url}\">\n"));
    }
    format!(
        "<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<meta name=\"description\" content=\"{description}\">\n\
         {links}\
         <meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:description\" content=\"{description}\">\n\
         <meta property=\"og:url\" content=\"{canonical}\">\n{structured}</head>\n",
        structured = page.structured.map(structured).unwrap_or_default(),
    )
}

/// JSON-LD: data that no browser runs. No `<` can end the element early.
fn structured(value: &Value) -> String {
    let text = value.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/ld+json\">{text}</script>\n")
}

/// A word of the frame.
fn word(lang: Lang, id: &str) -> String {
    html(&Catalog::for_lang(lang).text(&["site", "frame", id]))
}

/// The path of a page in a language; pages without a translation have one path.
fn translated(lang: Lang, path: &str) -> String {
    match (lang, path) {
        (Lang::Tr, "/") => "/tr".to_owned(),
        (Lang::Tr, "/bot") => "/tr/bot".to_owned(),
        (_, path) => path.to_owned(),
    }
}

fn navigation(base: &BaseUrl, page: &SitePage<'_>) -> String {
    let link = |path: &str, label: &str, class: &str| {
        let path = translated(page.lang, path);
        let current = if path == page.path { " aria-current=\"page\"" } else { "" };
        format!("<a{class} href=\"{}\"{current}>{label}</a>", html(&base.link(&path)))
    };
    let items: String = NAVIGATION
        .iter()
        .map(|(path, id)| format!("<li>{}</li>\n", link(path, &word(page.lang, id), "")))
        .collect();
    format!(
        "<header class=\"site\">\n{home}\n<nav aria-label=\"{label}\">\n<ul>\n{items}</ul>\n</nav>\n</header>\n",
        home = link("/", "visibility", " class=\"name\""),
        label = word(page.lang, "pages"),
    )
}

fn foot(base: &BaseUrl, page: &SitePage<'_>) -> String {
    let mut items = Vec::new();
    if let Some(path) = page.markdown {
        items.push((base.link(path), word(page.lang, "markdown")));
    }
    if let Some((lang, path)) = page.translation {
        let label = format!("<span lang=\"{lang}\">{}</span>", word(lang, "own-name"));
        items.push((base.link(path), label));
    }
    items.push((base.link("/llms.txt"), "llms.txt".to_owned()));
    items.push((base.link(API_PATH), "OpenAPI".to_owned()));
    items.push((env!("CARGO_PKG_REPOSITORY").to_owned(), word(page.lang, "source")));
    let items: String = items
        .iter()
        .map(|(url, label)| format!("<li><a href=\"{}\">{label}</a></li>\n", html(url)))
        .collect();
    format!(
        "<footer class=\"site\">\n<p>visibility {}</p>\n<ul>\n{items}</ul>\n</footer>\n",
        env!("CARGO_PKG_VERSION"),
    )
}
