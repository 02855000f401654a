//! The paths that rules are tried on.

use url::Url;

use crate::documents::sitemap::Sitemap;
use crate::fetch::{BodyEnd, Resource};
use crate::scan::snapshot::SiteSnapshot;

/// Paths beside `/`.
const MAX_SAMPLES: usize = 3;
/// Bytes of a path that is worth showing.
const MAX_PATH_BYTES: usize = 200;

/// The paths that are tested: `/`, and at most three others of the same host.
///
/// They are the first ones that the home page links to, then the first ones of the sitemap. Links
/// with a query or a fragment and links to files that are not pages are passed over.
pub fn sample_paths(site: &SiteSnapshot) -> Vec<String> {
    let mut paths = vec!["/".to_owned()];
    let mut add = |url: &Url| {
        let path = url.path();
        if paths.len() <= MAX_SAMPLES
            && url.host_str() == site.origin().host_str()
            && url.query().is_none()
            && url.fragment().is_none()
            && is_page(path)
            && !paths.iter().any(|known| known == path)
        {
            paths.push(path.to_owned());
        }
    };
    if let (Some(page), Some(home)) = (site.page(), site.home()) {
        page.resolved_anchors(&home.url).for_each(|(_, url)| add(&url));
    }
    let sitemap = site.response(&Resource::Sitemap).filter(|response| response.is_success());
    if let Some(response) = sitemap
        && let Ok(sitemap) = Sitemap::parse(&response.body, response.body_end != BodyEnd::Complete)
        && !sitemap.is_index
    {
        let urls = sitemap.entries.iter().filter_map(|entry| Url::parse(&entry.loc).ok());
        urls.for_each(|url| add(&url));
    }
    paths
}

/// Whether a path may be that of a page, by its length and its extension.
pub(crate) fn is_page(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    path.len() <= MAX_PATH_BYTES
        && !path.starts_with("/cdn-cgi/")
        && extension.is_none_or(|extension| !NO_PAGES.contains(&extension.as_str()))
}

/// Extensions of files that are not pages.
const NO_PAGES: [&str; 28] = [
    "atom", "avif", "css", "csv", "dmg", "doc", "docx", "exe", "gif", "gz", "ico", "jpeg", "jpg",
    "js", "json", "mp3", "mp4", "pdf", "png", "rss", "svg", "txt", "webm", "webp", "woff", "woff2",
    "xml", "zip",
];
