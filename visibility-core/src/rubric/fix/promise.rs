//! Which edits a platform can make, and what that rests on: tests on the real server, or a page of the vendor.
//!
//! An edit that rests on neither is advice. It has no files, and nothing is promised for it.

use std::collections::BTreeSet;

use crate::rubric::fix::files::JSON_LD;
use crate::rubric::fix::{Edit, FileMode, FixFile, Platform, ServerRule, next as next_js};

const CERTBOT: &str = "https://eff-certbot.readthedocs.io/en/stable/using.html";
const CLOUDFLARE_PAGES: &str =
    "https://developers.cloudflare.com/pages/configuration/serving-pages/";
const CLOUDFLARE_HEADERS: &str = "https://developers.cloudflare.com/pages/configuration/headers/";
const CLOUDFLARE_RULES: &str = "https://developers.cloudflare.com/waf/custom-rules/";
const NETLIFY_PUBLISH: &str = "https://docs.netlify.com/build/configure-builds/overview/";
const NETLIFY_HEADERS: &str = "https://docs.netlify.com/manage/routing/headers/";
const VERCEL_BUILD: &str = "https://vercel.com/docs/builds/configure-a-build";
const VERCEL_JSON: &str = "https://vercel.com/docs/project-configuration/vercel-json";
const VERCEL_RULES: &str = "https://vercel.com/docs/vercel-firewall/vercel-waf/custom-rules";
const NEXT_PUBLIC: &str =
    "https://nextjs.org/docs/app/api-reference/file-conventions/public-folder";
const NEXT_ROUTE: &str = "https://nextjs.org/docs/app/api-reference/file-conventions/route";
const NEXT_HEADERS: &str =
    "https://nextjs.org/docs/app/api-reference/config/next-config-js/headers";
const NEXT_JSON_LD: &str = "https://nextjs.org/docs/app/guides/json-ld";
const NEXT_METADATA: &str = "https://nextjs.org/docs/app/api-reference/functions/generate-metadata";
const NEXT_HEAD: &str = "https://nextjs.org/docs/pages/api-reference/components/head";
const NEXT_LAYOUT: &str = "https://nextjs.org/docs/app/api-reference/file-conventions/layout";
const WORDPRESS_SITEMAPS: &str =
    "https://make.wordpress.org/core/2020/07/22/new-xml-sitemaps-functionality-in-wordpress-5-5/";
const WORDPRESS_SERVER: &str =
    "https://developer.wordpress.org/advanced-administration/server/web-server/httpd/";
const WORDPRESS_HEAD: &str = "https://developer.wordpress.org/reference/hooks/wp_head/";
const WORDPRESS_TITLE: &str =
    "https://developer.wordpress.org/reference/hooks/pre_get_document_title/";
const WORDPRESS_REDIRECT: &str =
    "https://developer.wordpress.org/reference/hooks/template_redirect/";
const WORDPRESS_BLOCK: &str = "https://wordpress.org/documentation/article/custom-html/";
const SHOPIFY_ROBOTS: &str = "https://shopify.dev/docs/storefronts/themes/seo/robots-txt";
const SHOPIFY_LLMS: &str =
    "https://shopify.dev/docs/storefronts/themes/architecture/templates/llms-txt-liquid";
const SHOPIFY_LAYOUTS: &str = "https://shopify.dev/docs/storefronts/themes/architecture/layouts";

const WIX_ROBOTS: &str = "https://support.wix.com/en/article/editing-your-sites-robotstxt-file";
const WIX_SEO: &str =
    "https://support.wix.com/en/article/customizing-your-pages-seo-settings-in-the-seo-panel";
const WIX_JSON_LD: &str =
    "https://support.wix.com/en/article/adding-structured-data-markup-to-your-sites-pages-2546962";
const SQUARESPACE_CRAWLERS: &str = "https://support.squarespace.com/hc/en-us/articles/360022347072-Request-that-AI-models-exclude-your-site";
const SQUARESPACE_SEO: &str =
    "https://support.squarespace.com/hc/en-us/articles/360002090267-SEO-checklist";
const SQUARESPACE_CODE: &str =
    "https://support.squarespace.com/hc/en-us/articles/205815908-Using-code-injection";
const SQUARESPACE_LLMS: &str =
    "https://support.squarespace.com/hc/en-us/articles/47434125611277-Create-an-llms-txt-file";
const WEBFLOW_ROBOTS: &str =
    "https://help.webflow.com/hc/en-us/articles/41954080897683-Set-robots-txt-rules";
const WEBFLOW_SEO: &str =
    "https://help.webflow.com/hc/en-us/articles/33961237278611-Add-SEO-title-and-meta-description";
const WEBFLOW_CODE: &str =
    "https://help.webflow.com/hc/en-us/articles/33961357265299-Custom-code-in-head-and-body-tags";
const FRAMER_SEO: &str =
    "https://www.framer.com/help/articles/how-to-update-page-titles-descriptions-and-social-images";
const FRAMER_CODE: &str = "https://www.framer.com/help/articles/how-to-add-custom-code/";

/// The edits that can be made on a platform, without what names a document that cannot be made there.
pub fn realized(edits: &[Edit], platform: Platform) -> Vec<Edit> {
    realized_where(edits, |edit| is_promised(edit, platform))
}

/// The edits that can be made, without what names a document that cannot be made.
pub(crate) fn realized_where(edits: &[Edit], can_make: impl Fn(&Edit) -> bool) -> Vec<Edit> {
    let is_possible = |edit: &&Edit| can_make(edit);
    let missing: Vec<&str> = edits
        .iter()
        .filter(|edit| !can_make(edit))
        .filter_map(|edit| match edit {
            Edit::Document { path, .. } => Some(path.as_str()),
            _ => None,
        })
        .collect();
    // What was built is found by the document about it.
    let is_found = |edit: &&Edit| missing.is_empty() || !matches!(edit, Edit::Build { .. });
    let kept = edits.iter().filter(is_possible).filter(is_found).cloned();
    kept.filter_map(|edit| without_names_of(edit, &missing)).collect()
}

/// Whether what an edit achieves is known on a platform.
pub fn is_promised(edit: &Edit, platform: Platform) -> bool {
    is_own_work(edit) && !platform.is_hosted()
        || is_tried(platform)
        || vendor_page(edit, platform).is_some()
}

/// Whether an edit is made by rules for Apache where the server may be another one.
pub fn needs_htaccess(edit: &Edit, platform: Platform) -> bool {
    platform == Platform::WordPress
        && match edit {
            Edit::Server { .. } => true,
            Edit::Document { path, media_type, .. } => {
                !is_sitemap(path) && !has_guessed_type(path, media_type)
            }
            _ => false,
        }
}

/// Work of the owner, which no file does.
pub(super) fn is_own_work(edit: &Edit) -> bool {
    matches!(edit, Edit::Build { .. } | Edit::Code { .. } | Edit::Firewall { .. })
}

/// Whether the tests run what fixes write on the real server.
pub fn is_tried(platform: Platform) -> bool {
    matches!(platform, Platform::Nginx | Platform::Apache | Platform::Caddy | Platform::Generic)
}

/// The page of the vendor that says what the file of an edit does on a platform; `None` where there is none,
/// and where the tests run it.
pub fn vendor_page(edit: &Edit, platform: Platform) -> Option<&'static str> {
    match platform {
        Platform::Nginx | Platform::Apache => match edit {
            Edit::Server { rule: ServerRule::Certificate { .. } } => Some(CERTBOT),
            _ => None,
        },
        // Google Sites has no field for code, and what else owners can set is not written down.
        Platform::Caddy | Platform::Generic | Platform::GoogleSites | Platform::Hosted => None,
        Platform::Cloudflare => cloudflare(edit),
        Platform::Netlify => netlify(edit),
        Platform::Vercel => vercel(edit),
        Platform::NextJs => next(edit),
        Platform::WordPress => wordpress(edit),
        Platform::Shopify => shopify(edit),
        Platform::Wix => wix(edit),
        Platform::Squarespace => squarespace(edit),
        Platform::Webflow => webflow(edit),
        Platform::Framer => framer(edit),
    }
}

/// The pages of the vendor that say what the files of these edits do on a platform.
pub(crate) fn vendor_pages(
    edits: &[Edit],
    files: &[FixFile],
    platform: Platform,
) -> BTreeSet<&'static str> {
    let promised = realized(edits, platform);
    let mut pages: BTreeSet<&str> =
        promised.iter().filter_map(|edit| vendor_page(edit, platform)).collect();
    let has = |path: &str| files.iter().any(|file| file.path.as_deref() == Some(path));
    if has(next_js::ROUTER_PAGE) {
        pages.insert(NEXT_HEAD);
        if !has(next_js::APP_PAGE) {
            pages.retain(|page| ![NEXT_JSON_LD, NEXT_METADATA].contains(page));
        }
    }
    pages
}

fn cloudflare(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Document { .. }
        | Edit::Robots { .. }
        | Edit::Head { .. }
        | Edit::HtmlElement { .. }
        | Edit::Main { .. } => Some(CLOUDFLARE_PAGES),
        Edit::Header { .. } => Some(CLOUDFLARE_HEADERS),
        Edit::Firewall { .. } => Some(CLOUDFLARE_RULES),
        Edit::Server { .. } | Edit::Build { .. } | Edit::Code { .. } => None,
    }
}

fn netlify(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Document { .. }
        | Edit::Robots { .. }
        | Edit::Head { .. }
        | Edit::HtmlElement { .. }
        | Edit::Main { .. } => Some(NETLIFY_PUBLISH),
        Edit::Header { .. } => Some(NETLIFY_HEADERS),
        Edit::Server { .. } | Edit::Firewall { .. } | Edit::Build { .. } | Edit::Code { .. } => {
            None
        }
    }
}

fn vercel(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Document { .. }
        | Edit::Robots { .. }
        | Edit::Head { .. }
        | Edit::HtmlElement { .. }
        | Edit::Main { .. } => Some(VERCEL_BUILD),
        Edit::Header { .. } => Some(VERCEL_JSON),
        Edit::Firewall { .. } => Some(VERCEL_RULES),
        Edit::Server { .. } | Edit::Build { .. } | Edit::Code { .. } => None,
    }
}

fn next(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Document { path, media_type, .. } if has_guessed_type(path, media_type) => {
            Some(NEXT_PUBLIC)
        }
        Edit::Document { .. } => Some(NEXT_ROUTE),
        Edit::Robots { .. } => Some(NEXT_PUBLIC),
        Edit::Head { content, .. } if is_json_ld(content) => Some(NEXT_JSON_LD),
        Edit::Head { content, .. } => next_js::knows_all(content).then_some(NEXT_METADATA),
        Edit::HtmlElement { .. } | Edit::Main { .. } => Some(NEXT_LAYOUT),
        Edit::Header { mode: FileMode::Append, .. } => Some(NEXT_HEADERS),
        Edit::Header { .. }
        | Edit::Server { .. }
        | Edit::Firewall { .. }
        | Edit::Build { .. }
        | Edit::Code { .. } => None,
    }
}

fn wordpress(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Document { path, .. } if is_sitemap(path) => Some(WORDPRESS_SITEMAPS),
        // A file of the web root is served as it is, before WordPress is asked.
        Edit::Document { .. } | Edit::Robots { .. } => Some(WORDPRESS_SERVER),
        Edit::Head { mode: FileMode::Append, .. } => Some(WORDPRESS_HEAD),
        // A theme or a plugin writes the other elements, and which one is not known.
        Edit::Head { content, .. } => is_title(content).then_some(WORDPRESS_TITLE),
        Edit::Main { .. } => Some(WORDPRESS_BLOCK),
        Edit::Header { mode: FileMode::Append, .. } => Some(WORDPRESS_REDIRECT),
        Edit::Server { rule } => match rule {
            ServerRule::Markdown { .. } | ServerRule::Compression | ServerRule::Caching => {
                Some(WORDPRESS_SERVER)
            }
            // What does not exist is decided by WordPress, and names by its settings.
            ServerRule::NotFound
            | ServerRule::Redirects { .. }
            | ServerRule::Certificate { .. } => None,
        },
        Edit::HtmlElement { .. }
        | Edit::Header { .. }
        | Edit::Firewall { .. }
        | Edit::Build { .. }
        | Edit::Code { .. } => None,
    }
}

fn shopify(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Document { path, .. } => (path == "/llms.txt").then_some(SHOPIFY_LLMS),
        Edit::Robots { mode, .. } => (*mode != FileMode::Replace).then_some(SHOPIFY_ROBOTS),
        Edit::Head { mode: FileMode::Append, .. } => Some(SHOPIFY_LAYOUTS),
        Edit::Head { .. }
        | Edit::HtmlElement { .. }
        | Edit::Main { .. }
        | Edit::Header { .. }
        | Edit::Server { .. }
        | Edit::Firewall { .. }
        | Edit::Build { .. }
        | Edit::Code { .. } => None,
    }
}

fn wix(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Robots { .. } => Some(WIX_ROBOTS),
        Edit::Head { content, .. } if is_json_ld(content) => Some(WIX_JSON_LD),
        Edit::Head { .. } => Some(WIX_SEO),
        _ => None,
    }
}

fn squarespace(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Document { path, .. } => (path == "/llms.txt").then_some(SQUARESPACE_LLMS),
        // A switch takes the groups of AI crawlers away; no lines can be added.
        Edit::Robots { mode, .. } => (*mode == FileMode::Replace).then_some(SQUARESPACE_CRAWLERS),
        Edit::Head { mode: FileMode::Append, .. } => Some(SQUARESPACE_CODE),
        Edit::Head { content, .. } => is_title_or_description(content).then_some(SQUARESPACE_SEO),
        _ => None,
    }
}

fn webflow(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Robots { .. } => Some(WEBFLOW_ROBOTS),
        Edit::Head { mode: FileMode::Append, .. } => Some(WEBFLOW_CODE),
        Edit::Head { content, .. } => is_title_or_description(content).then_some(WEBFLOW_SEO),
        _ => None,
    }
}

fn framer(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Head { mode: FileMode::Append, .. } => Some(FRAMER_CODE),
        Edit::Head { content, .. } => is_title_or_description(content).then_some(FRAMER_SEO),
        _ => None,
    }
}

/// Whether servers give a file of this name this media type by themselves.
pub(super) fn has_guessed_type(path: &str, media_type: &str) -> bool {
    let bare = media_type.split(';').next().unwrap_or_default();
    [(".txt", "text/plain"), (".xml", "application/xml"), (".json", "application/json")]
        .iter()
        .any(|(end, known)| path.ends_with(end) && *known == bare)
}

pub(super) fn is_sitemap(path: &str) -> bool {
    matches!(path, "/sitemap.xml" | "/wp-sitemap.xml")
}

pub(super) fn is_title(element: &str) -> bool {
    element.trim_start().starts_with("<title>")
}

fn is_title_or_description(element: &str) -> bool {
    is_title(element) || element.trim_start().starts_with("<meta name=\"description\"")
}

fn is_json_ld(elements: &str) -> bool {
    elements.trim_start().starts_with(JSON_LD)
}

/// The edit without lines that name one of these documents; `None` if nothing is left.
fn without_names_of(edit: Edit, missing: &[&str]) -> Option<Edit> {
    let names = |text: &str| {
        let bare =
            |path: &&str| text.trim_end().ends_with(path) || text.contains(&format!("{path}>"));
        missing.iter().any(bare)
    };
    match edit {
        Edit::Robots { mode, content, replaces } if content.lines().any(names) => {
            let kept: String = content.split_inclusive('\n').filter(|line| !names(line)).collect();
            let has_lines = !kept.trim().is_empty();
            has_lines.then_some(Edit::Robots { mode, content: kept, replaces })
        }
        Edit::Header { ref value, .. } if names(value) => None,
        edit => Some(edit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sitemap() -> Vec<Edit> {
        let line = "Sitemap: https://a.example/sitemap.xml\n".to_owned();
        vec![
            Edit::Document {
                path: "/sitemap.xml".to_owned(),
                media_type: "application/xml".to_owned(),
                content: "<urlset/>".to_owned(),
            },
            Edit::Robots { mode: FileMode::Append, content: line, replaces: None },
        ]
    }

    #[test]
    fn a_line_does_not_name_what_the_platform_cannot_have() {
        assert_eq!(realized(&sitemap(), Platform::Generic).len(), 2);
        assert_eq!(realized(&sitemap(), Platform::WordPress).len(), 2);
        assert_eq!(realized(&sitemap(), Platform::Shopify), []);
        let [_, robots] = &sitemap()[..] else { panic!("two edits") };
        let alone = std::slice::from_ref(robots);
        assert_eq!(realized(alone, Platform::Shopify), alone, "the sitemap is there");
    }

    #[test]
    fn a_page_of_a_vendor_is_for_one_kind_of_edit() {
        let link = Edit::Header {
            mode: FileMode::Append,
            name: "Link".to_owned(),
            value: "</llms.txt>".to_owned(),
        };
        for platform in Platform::ALL {
            let pages: Vec<_> = sitemap()
                .iter()
                .chain([&link])
                .filter_map(|edit| vendor_page(edit, platform))
                .collect();
            // A builder makes the sitemap, and sends no fields of the owner's.
            let has_pages = !is_tried(platform) && !platform.is_hosted();
            let is_robots = |page: &&str| page.contains("robots");
            assert!(!platform.is_hosted() || pages.iter().all(is_robots), "{pages:?}");
            assert!(platform.is_hosted() || pages.is_empty() != has_pages, "{platform:?}");
            assert!(pages.iter().all(|page| page.starts_with("https://")), "{platform:?}");
        }
        assert_ne!(
            vendor_page(&link, Platform::Cloudflare),
            vendor_page(&sitemap()[0], Platform::Cloudflare)
        );
    }
}
