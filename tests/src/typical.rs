//! Sites as they are typically built, each with the score and tier that the rubric should give.
//!
//! A difference is a change of the rubric or a defect.

mod agentic;
mod commerce;
mod content;
mod dead;
mod expected;
mod newer;
mod small;
mod walled;

use std::fmt::Write;

use visibility_core::scan::score::Tier;

use crate::site::{Reply, Site, inner_page};

pub use self::expected::{Expected, State, expected, with_and_without_wall};

/// A site and what a scan of it should say.
#[derive(Debug)]
pub struct Typical {
    /// What kind of site it is.
    pub name: &'static str,
    /// The site.
    pub site: Site,
    /// Its score, 0 to 100.
    pub score: u8,
    /// The expected tier.
    pub tier: Tier,
}

/// All of them, best first.
pub fn all() -> Vec<Typical> {
    let typical = |name, site, score, tier| Typical { name, site, score, tier };
    vec![
        typical("agent-native SaaS", agentic::native_saas(), 100, Tier::Native),
        typical("docs site with llms.txt and Markdown", content::docs(), 96, Tier::Native),
        typical("publisher blocking only training", content::publisher(), 85, Tier::Readable),
        typical("WordPress blog with SEO plugin", content::wordpress_blog(), 82, Tier::Readable),
        typical("Shopify with UCP and MCP", commerce::shopify(), 81, Tier::Ready),
        typical("classic shop", commerce::classic_shop(), 72, Tier::Readable),
        typical("good site, AI agents refused", walled::agents_refused(), 70, Tier::Readable),
        typical("SaaS with OpenAPI, nothing agentic", agentic::plain_saas(), 67, Tier::Readable),
        typical("bare page", content::bare_page(), 63, Tier::Readable),
        typical("single-page shell", content::spa_shell(), 44, Tier::Discoverable),
        typical("good site, honest bots refused", walled::honest_refused(), 40, Tier::Discoverable),
        typical("robots.txt blocks everyone", walled::robots_blocks_all(), 35, Tier::Discoverable),
    ]
}

/// A host for programs, without a page for people.
pub fn api_host() -> Site {
    small::api_host()
}

/// What the pages of these sites have in common.
struct Head<'a> {
    host: &'a str,
    lang: &'a str,
    title: &'a str,
    description: &'a str,
    /// More elements, as written.
    more: &'a str,
}

impl Head<'_> {
    /// The whole page around a body, with canonical address and Open Graph.
    fn page(&self, body: &str) -> String {
        let Self { host, lang, title, description, more } = self;
        format!(
            r#"<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta name="description" content="{description}">
<link rel="canonical" href="https://{host}/">
<meta property="og:type" content="website">
<meta property="og:title" content="{title}">
<meta property="og:image" content="https://{host}/images/cover.jpg">
{more}
</head>
<body>
{body}
</body>
</html>
"#
        )
    }
}

/// A site whose `www.` and whose home page are in order.
fn site(host: &str, home: Reply) -> Site {
    let apex = format!("https://{host}/");
    Site::new(host)
        .with("/", home.header("content-encoding", "gzip"))
        .with(&format!("https://www.{host}/"), Reply::redirect(301, &apex))
}

/// Pages besides the home page, with their text in the HTML.
fn with_pages(site: Site, paths: &[&str]) -> Site {
    paths.iter().fold(site, |site, path| site.with(path, inner_page(path)))
}

/// `<url>` elements for paths with the day of their last change.
fn sitemap(host: &str, pages: &[(&str, &str)]) -> Reply {
    let mut urls = String::new();
    for (path, day) in pages {
        writeln!(urls, "<url><loc>https://{host}{path}</loc><lastmod>{day}</lastmod></url>")
            .expect("a string takes everything");
    }
    Reply::new(
        "application/xml; charset=utf-8",
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{urls}</urlset>\n"
        ),
    )
}

/// A `<script>` with this JSON-LD.
fn json_ld(json: &str) -> String {
    format!("<script type=\"application/ld+json\">{json}</script>")
}
