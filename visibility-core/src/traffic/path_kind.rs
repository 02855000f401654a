//! What kind of thing is behind a path.

use serde::{Deserialize, Serialize};

/// What a path leads to, by its text alone: nothing is requested. Where it says nothing, it is a page.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PathKind {
    /// Something to read: HTML, and documents such as PDF.
    Page,
    /// `/robots.txt`.
    Robots,
    /// A sitemap or an index of them.
    Sitemap,
    /// `llms.txt` and its larger forms.
    Llms,
    /// A Markdown version of a page.
    Markdown,
    /// RSS, Atom, JSON Feed.
    Feed,
    /// Data for programs.
    Api,
    /// What pages are made of: images, scripts, styles, fonts. Other files, too, and places that no page links to.
    Asset,
}

/// Ends of names of files that are no pages. What is not in the list is a page, and so are PDF and office documents: they
/// are read and quoted as pages are.
const ASSET_EXTENSIONS: [&str; 60] = [
    "7z",
    "aac",
    "apk",
    "avif",
    "bak",
    "bin",
    "bmp",
    "br",
    "bz2",
    "cjs",
    "css",
    "csv",
    "cur",
    "db",
    "dmg",
    "eot",
    "exe",
    "flac",
    "gif",
    "gz",
    "heic",
    "ico",
    "iso",
    "jar",
    "jpe",
    "jpeg",
    "jpg",
    "js",
    "key",
    "log",
    "m3u8",
    "m4a",
    "m4v",
    "map",
    "mjs",
    "mov",
    "mp3",
    "mp4",
    "ogg",
    "otf",
    "pem",
    "png",
    "rar",
    "sql",
    "svg",
    "swf",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttf",
    "txt",
    "vtt",
    "wasm",
    "wav",
    "webm",
    "webmanifest",
    "webp",
    "woff",
    "woff2",
];

impl PathKind {
    /// All, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::Page,
        Self::Robots,
        Self::Sitemap,
        Self::Llms,
        Self::Markdown,
        Self::Feed,
        Self::Api,
        Self::Asset,
    ];

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Robots => "robots",
            Self::Sitemap => "sitemap",
            Self::Llms => "llms",
            Self::Markdown => "markdown",
            Self::Feed => "feed",
            Self::Api => "api",
            Self::Asset => "asset",
        }
    }

    /// The kind of a path; a query does not matter.
    pub fn of(path: &str) -> Self {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        if path.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Self::of_lower_case(&path.to_ascii_lowercase());
        }
        Self::of_lower_case(path)
    }

    fn of_lower_case(path: &str) -> Self {
        if path == "/robots.txt" {
            return Self::Robots;
        }
        let bare = path.trim_end_matches('/');
        let (folders, name) = bare.rsplit_once('/').unwrap_or(("", bare));
        let stem = name.strip_suffix(".gz").unwrap_or(name);
        let extension = stem.rsplit_once('.').map_or("", |(_, extension)| extension);
        if matches!(extension, "xml" | "txt") && is_of_sitemaps(folders, name) {
            return Self::Sitemap;
        }
        if extension == "txt" && (name == "llms.txt" || name.starts_with("llms-")) {
            return Self::Llms;
        }
        if matches!(extension, "md" | "mdx" | "markdown") {
            return Self::Markdown;
        }
        if matches!(extension, "rss" | "atom") || is_feed(name) {
            return Self::Feed;
        }
        // Who asks for `/.env` or `/.git/config` does not look for a page.
        let first = bare.trim_start_matches('/').split('/').next().unwrap_or_default();
        if first == ".well-known" {
            return Self::Api;
        }
        if bare.contains("/.") {
            return Self::Asset;
        }
        if matches!(first, "api" | "graphql" | "wp-json") || matches!(extension, "json" | "jsonl") {
            return Self::Api;
        }
        // Frameworks have their own files below `/_next/`, `/_nuxt/`, `/_astro/`, and Cloudflare below `/cdn-cgi/`.
        let is_internal = first.starts_with('_') || first == "cdn-cgi";
        if is_internal
            || extension == "xml"
            || ASSET_EXTENSIONS.contains(&extension)
            || stem != name
        {
            return Self::Asset;
        }
        Self::Page
    }
}

/// Whether a name is one of sitemaps: `/sitemap.xml`, `/wp-sitemap-posts-post-1.xml`, `/sitemaps/products.xml.gz`.
fn is_of_sitemaps(folders: &str, name: &str) -> bool {
    name.contains("sitemap") || folders.split('/').any(|folder| folder.contains("sitemap"))
}

fn is_feed(name: &str) -> bool {
    matches!(
        name,
        "feed" | "rss" | "atom" | "feed.xml" | "rss.xml" | "atom.xml" | "feed.json" | "index.xml"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_path_is_what_it_says() {
        for (kind, paths) in [
            (
                PathKind::Page,
                "/ /pricing /pricing/ /docs/api /docs/api/v1 /index.html /a/b.php?x=1.css /sitemap /apis /a//b
                 /blog/2026/11/sitemaps-explained /whitepaper.pdf /john.smith /release-1.2 /news/llms /feeding-cats
                 /what-is-robots.txt-about /node.html#x.js /%C3%BC /products/item.aspx /docs/robots",
            ),
            (PathKind::Robots, "/robots.txt /ROBOTS.TXT /robots.txt?x"),
            (
                PathKind::Sitemap,
                "/sitemap.xml /sitemap_index.xml /sitemap.xml.gz /wp-sitemap-posts-post-1.xml /en/sitemap.txt
                 /sitemaps/products-3.xml /page-sitemap.xml",
            ),
            (PathKind::Llms, "/llms.txt /llms-full.txt /docs/llms.txt /llms-small.txt"),
            (PathKind::Markdown, "/docs/start.md /index.html.md /a.mdx /A.MD"),
            (
                PathKind::Feed,
                "/feed /feed/ /blog/feed/ /rss.xml /index.xml /a.rss /atom.xml /feed.json",
            ),
            (
                PathKind::Api,
                "/api /api/v1/products /graphql /wp-json/wp/v2/posts /openapi.json /.well-known/mcp.json",
            ),
            (
                PathKind::Asset,
                "/style.css /a.b.js /logo.PNG /_next/image /cdn-cgi/trace /favicon.ico /ads.txt /.env /app/.git/config
                 /data.xml /backup.sql.gz /fonts/a.woff2?v=3",
            ),
        ] {
            for path in paths.split_whitespace() {
                assert_eq!(PathKind::of(path), kind, "{path}");
            }
        }
        assert_eq!(PathKind::of(""), PathKind::Page);
    }

    #[test]
    fn the_extensions_are_in_order() {
        assert!(ASSET_EXTENSIONS.is_sorted());
        for kind in PathKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
