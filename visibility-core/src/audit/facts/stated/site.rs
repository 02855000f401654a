//! The name of who speaks on a page.

use super::{TITLE_MARKS, UrlResolver, clean, is_home, organization_name};
use crate::audit::page::AuditedPage;
use crate::fetch::domain::Domain;
use crate::text::fold::{fold, fold_to_ascii};

/// Parts of a title that may be the name of the site.
const MAX_PARTS: usize = 6;
/// Links to the home page whose text may be it.
const MAX_HOME_LINKS: usize = 10;
/// Words of such a name.
const MAX_NAME_WORDS: usize = 6;

/// The name of the site: stated in the head or in the markup, else one on which two of the title, the logo, which
/// may be a picture or a text, and the domain agree.
pub(super) fn name(page: &AuditedPage<'_>, resolve: &UrlResolver) -> Option<String> {
    let facts = page.page();
    let meta =
        |key| clean(facts.metas(key).map(|meta| meta.content.as_str()).find(|v| !v.is_empty())?);
    let stated = meta("og:site_name")
        .or_else(|| organization_name(page))
        .or_else(|| meta("application-name"))
        .and_then(|name| without_slogan(&name));
    stated.or_else(|| agreed(page, resolve))
}

/// The name of a site without its slogan; `None` for the name of a folder.
fn without_slogan(name: &str) -> Option<String> {
    let first = name.split(['|', '•']).map(str::trim).find(|part| !part.is_empty())?;
    let is_folder = first.contains(['-', '_'])
        && !first.contains(char::is_whitespace)
        && !first.contains(char::is_uppercase);
    clean(first.trim_matches(|ch: char| matches!(ch, '-' | '–' | '—' | ':') || ch.is_whitespace()))
        .filter(|_| !is_folder)
}

fn agreed(page: &AuditedPage<'_>, resolve: &UrlResolver) -> Option<String> {
    let logo = page.document.logo_in_link(|href| is_home(page, resolve, href));
    let logo = logo.and_then(|logo| clean(&without_logo(&logo.alt)));
    let title = page.page().title.as_ref().map(|title| title.value.as_str()).unwrap_or_default();
    let parts = TITLE_MARKS.iter().fold(vec![title], |parts, mark| {
        parts.into_iter().flat_map(|part| part.split(mark)).take(MAX_PARTS).collect()
    });
    let parts = parts.into_iter().filter_map(clean);
    let is_name = |name: &&String| name.split_whitespace().nth(MAX_NAME_WORDS).is_none();
    let parts: Vec<String> = parts.collect();
    let home_links = page
        .page()
        .anchors
        .iter()
        .filter(|anchor| !anchor.text.is_empty() && is_home(page, resolve, &anchor.href));
    let texts = home_links.map(|anchor| anchor.text.as_str()).take(MAX_HOME_LINKS);
    let logos: Vec<String> = logo.iter().map(String::as_str).chain(texts).map(compact).collect();
    let by_logo = parts.iter().find(|part| logos.contains(&compact(part)));
    let by_domain = || {
        let domain = domain_name(page)?;
        parts.iter().chain(&logo).find(|name| compact(name) == domain)
    };
    by_logo.or_else(by_domain).filter(is_name).cloned()
}

/// The text of a logo without the words that say that it is one.
fn without_logo(alt: &str) -> String {
    let is_label = |word: &&str| {
        let folded = fold(word.trim_matches(|ch: char| !ch.is_alphanumeric()));
        !["logo", "logosu", "home", "homepage", "site"].contains(&folded.as_str())
    };
    alt.split_whitespace().filter(is_label).collect::<Vec<_>>().join(" ")
}

/// The name in the domain: `acmebakery` of `www.acmebakery.co.uk`.
pub(super) fn domain_name(page: &AuditedPage<'_>) -> Option<String> {
    let host = page.snapshot.location()?.host_str()?;
    let domain: Domain = host.parse().ok()?;
    let name = compact(domain.registrable().split('.').next()?);
    (!name.is_empty()).then_some(name)
}

/// A name without spaces, marks and the article, to compare it with a domain.
pub(super) fn compact(name: &str) -> String {
    let folded = fold_to_ascii(name.trim()).replace('&', "and");
    let folded = folded.strip_prefix("the ").unwrap_or(&folded);
    folded.chars().filter(|ch| ch.is_alphanumeric()).collect()
}
