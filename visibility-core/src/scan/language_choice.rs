//! A home page that is a choice of languages and says nothing more, before versions that can be read.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use url::Url;

use crate::fetch::Resource;
use crate::limits::MAX_INNER_PAGES;
use crate::page::{Page, language, language_tag};
use crate::scan::nothing_to_read::OwnWords;
use crate::scan::snapshot::SiteSnapshot;

/// Links into the site of such a page.
const LINKS: RangeInclusive<usize> = 2..=6;
/// Links of such a page at all; more are not looked at.
const MAX_ANCHORS: usize = 20;
/// Versions that there are to choose from at least.
const MIN_VERSIONS: usize = 2;

/// A version of the site.
#[derive(Clone, Debug)]
pub(super) struct Version {
    /// Where it is.
    pub(super) url: Url,
    /// What its link says, or its path.
    pub(super) name: String,
}

/// The versions of the site that the home page leads to, if it says next to nothing and most of its links lead to one.
pub(super) fn versions(site: &SiteSnapshot) -> Vec<Version> {
    let (Some(home), Some(page)) = (site.home(), site.page()) else { return Vec::new() };
    if page.anchors.len() > MAX_ANCHORS {
        return Vec::new();
    }
    let mut seen = BTreeSet::from([home.url.path().to_owned()]);
    let is_own = |url: &Url| url.origin() == home.url.origin();
    let anchors = page.resolved_anchors(&home.url);
    let own = anchors.filter(|(_, url)| is_own(url) && seen.insert(url.path().to_owned()));
    let own: Vec<_> = own.take(LINKS.end() + 1).collect();
    if !LINKS.contains(&own.len()) || OwnWords::of(page) == OwnWords::Enough {
        return Vec::new();
    }
    let alternates = alternates(page, &home.url);
    let links = own.len();
    let is_version = |text: &str, url: &Url| {
        alternates.contains(url)
            || has_language_path(url)
            || language::is_name_of_language(text.trim())
    };
    let of_language = own.into_iter().filter(|(anchor, url)| is_version(&anchor.text, url));
    let versions: Vec<Version> = of_language
        .map(|(anchor, url)| Version {
            name: if anchor.text.is_empty() { url.path() } else { &anchor.text }.to_owned(),
            url,
        })
        .collect();
    let is_choice = versions.len() >= MIN_VERSIONS && 2 * versions.len() >= links;
    if is_choice { versions } else { Vec::new() }
}

/// The names of these versions, if one of them was read.
pub(super) fn find(site: &SiteSnapshot) -> Option<Vec<String>> {
    let versions = versions(site);
    let mut inner_pages = (1..=MAX_INNER_PAGES).map(Resource::InnerPage);
    let is_read = inner_pages.any(|resource| {
        let asked = site.exchange(&resource).map(|exchange| &exchange.probe.url);
        versions.iter().any(|version| Some(&version.url) == asked)
            && site.inner_page(&resource).is_some_and(|page| OwnWords::of(page) == OwnWords::Enough)
    });
    is_read.then(|| versions.into_iter().map(|version| version.name).collect())
}

/// Pages in other languages that the head names.
fn alternates(page: &Page, home: &Url) -> BTreeSet<Url> {
    let alternates = page.links("alternate").filter(|link| link.hreflang.is_some());
    alternates.filter_map(|link| page.resolve(home, &link.href)).collect()
}

/// Whether a path begins with a language, such as `/en/` or `/pt-br`.
fn has_language_path(url: &Url) -> bool {
    let first = url.path_segments().and_then(|mut segments| segments.next()).unwrap_or_default();
    let tag = first.replace('_', "-");
    let code = tag.split('-').next().unwrap_or_default();
    code.len() == 2 && language_tag::is_known(&tag)
}
