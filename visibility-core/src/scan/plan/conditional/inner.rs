//! Pages besides the home page: a few that were made from different templates.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::documents::sitemap::Sitemap;
use crate::fetch::{Probe, Resource};
use crate::limits::MAX_INNER_PAGES;
use crate::scan::facts::access::is_page;
use crate::scan::facts::draft::is_personal;
use crate::scan::language_choice;
use crate::scan::plan::ACCEPT_HTML;
use crate::scan::request::{ScanRequest, is_askable};
use crate::scan::snapshot::SiteSnapshot;

/// Addresses of the sitemap, and as many links, that are looked at.
const MAX_CANDIDATES: usize = 200;
/// Versions in other languages that are read.
const MAX_VERSIONS: usize = 2;
/// Segments of a path that tell templates apart.
const MAX_DEPTH: usize = 4;
/// Bytes of a last segment that is a title rather than the name of a section.
const TITLE_BYTES: usize = 20;

/// What pages from one template have in common: the section, the depth, and whether the last segment
/// is a title.
type Shape = (String, usize, bool);

/// Pages of the site that its sitemap or its home page names, one from each of the templates with the
/// most pages.
pub(super) fn probes(
    request: &ScanRequest,
    site: &SiteSnapshot,
    sitemap: Option<&Sitemap>,
) -> Vec<Probe> {
    // The versions between which a home page lets its visitors choose are the site.
    let versions = language_choice::versions(site).into_iter().map(|version| version.url);
    let versions: Vec<Url> = versions.take(MAX_VERSIONS).collect();
    let mut candidates = candidates(request, site, sitemap);
    candidates.retain(|url| !versions.contains(url));
    let urls = versions.into_iter().filter(is_askable).chain(one_of_each_shape(candidates));
    urls.zip(1..=MAX_INNER_PAGES)
        .map(|(url, number)| request.probe(Resource::InnerPage(number), url))
        .map(|p| p.accepting(ACCEPT_HTML))
        .collect()
}

/// Addresses in the order of the sitemap, then of the links; each once.
fn candidates(request: &ScanRequest, site: &SiteSnapshot, sitemap: Option<&Sitemap>) -> Vec<Url> {
    let Some(home) = site.home() else { return Vec::new() };
    let listed = sitemap
        .filter(|sitemap| !sitemap.is_index)
        .into_iter()
        .flat_map(|sitemap| &sitemap.entries)
        .take(MAX_CANDIDATES)
        .filter_map(|entry| Url::parse(&entry.loc).ok());
    let linked = site
        .page()
        .into_iter()
        .flat_map(|page| page.resolved_anchors(&home.url))
        .take(MAX_CANDIDATES)
        .map(|(_, url)| url);
    let rules = &site.robots().rules;
    let mut seen = BTreeSet::from(["/".to_owned(), home.url.path().to_owned()]);
    let mut is_wanted = |url: &mut Url| {
        url.set_fragment(None);
        url.origin() == site.origin().origin()
            && url.query().is_none()
            && is_askable(url)
            && is_page(url.path())
            && !is_personal(url)
            && !rules.disallows_by_name(request.product_token(), url.as_str())
            && seen.insert(url.path().to_owned())
    };
    listed.chain(linked).filter_map(|mut url| is_wanted(&mut url).then_some(url)).collect()
}

/// The first page of each shape, the most frequent shape first.
fn one_of_each_shape(candidates: Vec<Url>) -> Vec<Url> {
    let mut shapes: BTreeMap<Shape, (usize, usize, Url)> = BTreeMap::new();
    for (place, url) in candidates.into_iter().enumerate() {
        shapes.entry(shape(&url)).and_modify(|(count, ..)| *count += 1).or_insert((1, place, url));
    }
    let mut shapes: Vec<(usize, usize, Url)> = shapes.into_values().collect();
    shapes.sort_by_key(|(count, place, _)| (std::cmp::Reverse(*count), *place));
    shapes.into_iter().map(|(_, _, url)| url).collect()
}

/// The shape of an address. A language that leads the path is not a section.
fn shape(url: &Url) -> Shape {
    let mut segments: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
    if segments.len() > 1 && segments.first().is_some_and(|first| is_language(first)) {
        segments.remove(0);
    }
    let depth = segments.len().min(MAX_DEPTH);
    let last = segments.last().copied().unwrap_or_default();
    let is_title = last.len() > TITLE_BYTES || last.contains(['-', '_']) || has_digit(last);
    // The only segment of a path is the page itself and not a section.
    let section = segments.first().filter(|_| depth > 1).copied().unwrap_or_default();
    (section.to_ascii_lowercase(), depth, is_title)
}

/// Whether a segment is a language, such as `en` or `pt-br`.
fn is_language(segment: &str) -> bool {
    segment.split('-').count() <= 2
        && segment
            .split('-')
            .all(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic()))
}

fn has_digit(segment: &str) -> bool {
    segment.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(paths: &[&str]) -> Vec<Url> {
        paths
            .iter()
            .map(|path| Url::parse("https://example.com").unwrap().join(path).unwrap())
            .collect()
    }

    #[test]
    fn a_shape_is_section_depth_and_kind_of_the_last_segment() {
        for (left, right, expected) in [
            ("/blog/first-post", "/blog/second-post", true),
            ("/blog/first-post", "/news/first-post", false),
            ("/about", "/contact", true),
            ("/about", "/blog/about", false),
            ("/en/blog/first-post", "/de/blog/erster-beitrag", true),
            ("/products/first", "/products/item-7", false),
        ] {
            let [left, right] = [left, right].map(|path| shape(&urls(&[path])[0]));
            assert_eq!(left == right, expected, "{left:?} {right:?}");
        }
    }

    #[test]
    fn the_first_page_of_the_largest_groups_is_taken() {
        let chosen = one_of_each_shape(urls(&[
            "/about",
            "/blog/a-1",
            "/blog/b-2",
            "/contact",
            "/blog/c-3",
            "/docs/x/y",
        ]));
        let paths: Vec<&str> = chosen.iter().map(Url::path).collect();
        assert_eq!(paths, ["/blog/a-1", "/about", "/docs/x/y"]);
    }
}
