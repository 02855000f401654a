//! The headline of a page: its main heading, if the title agrees.

use std::cell::LazyCell;

use super::proven::{Proof, Proven};
use super::site::{compact, domain_name};
use super::{UrlResolver, clean, is_home, is_site, title_parts};
use crate::audit::facts::subject::{is_same, tokens};
use crate::audit::page::AuditedPage;
use crate::page::Heading;
use crate::text::fold::fold;

/// The level of main headings.
const MAIN: u8 = 1;
/// Headings that are looked at.
const MAX_HEADINGS: usize = 40;
/// The share of the words of a heading that a title has to have, in percent.
const MIN_SHARED: usize = 70;
/// The same for a heading of a lower level.
const MIN_SHARED_BELOW: usize = 80;

/// The headline of a page. Blogs and shops often set their own name as the first heading: what the title
/// names is the page's.
pub(super) fn find(
    page: &AuditedPage<'_>,
    resolve: &UrlResolver,
    site: Option<&str>,
) -> Option<Proven<String>> {
    let facts = page.page();
    let titles: Vec<&str> = facts
        .metas("og:title")
        .take(1)
        .map(|meta| meta.content.as_str())
        .chain(facts.title.iter().map(|title| title.value.as_str()))
        .filter(|title| !title.trim().is_empty())
        .collect();
    let main: Vec<&Heading> =
        facts.h1s().filter(|heading| !heading.text.trim().is_empty()).take(MAX_HEADINGS).collect();
    // Few pages need it, and it takes the list of public suffixes.
    let domain = LazyCell::new(|| domain_name(page));
    let is_domain = |text: &str| domain.as_deref() == Some(compact(text).as_str());
    let leads_home = |heading: &Heading| {
        page.document.link_around(heading.node).is_some_and(|href| is_home(page, resolve, href))
    };
    let is_site = |heading: &Heading| {
        is_site(&heading.text, site) || is_domain(&heading.text) || leads_home(heading)
    };
    if titles.is_empty() {
        let [only] = main.as_slice() else { return None };
        let own = Some(*only).filter(|heading| !is_site(heading))?;
        return Some(Proven::new(clean(&own.text)?, Proof::OnlyHeading));
    }
    // The name of the site above all, and the page's own heading below it.
    let has_other = |own: &Heading| {
        let others =
            facts.headings.iter().filter(|other| other.level <= 3 && other.text != own.text);
        others
            .take(MAX_HEADINGS)
            .any(|other| agreed_text(&other.text, &titles, Some(&own.text), other.level).is_some())
    };
    let is_site = |heading: &Heading| {
        is_site(heading) || page.document.is_in_page_header(heading.node) && has_other(heading)
    };
    let agreed = main
        .iter()
        .filter(|heading| !is_site(heading))
        .find_map(|heading| agreed_text(&heading.text, &titles, site, MAIN));
    let below = || {
        let others = facts.headings.iter().filter(|heading| matches!(heading.level, 2 | 3));
        let is_in_content = |heading: &&Heading| {
            page.content.blocks.iter().any(|block| block.text == heading.text.trim())
        };
        let mut others = others.take(MAX_HEADINGS).filter(is_in_content);
        others.find_map(|heading| agreed_text(&heading.text, &titles, site, heading.level))
    };
    let are_all_sites = main.iter().all(|heading| is_site(heading));
    let below = || if are_all_sites { below() } else { None };
    Some(Proven::new(agreed.or_else(below)?, Proof::HeadingAndTitle))
}

/// The text of a heading, if one of the titles says it too; without what is set behind it, such as a button
/// to copy a link.
fn agreed_text(heading: &str, titles: &[&str], site: Option<&str>, level: u8) -> Option<String> {
    let own = clean(heading)?;
    let words = tokens(&own);
    for title in titles {
        if fold(title).contains(&fold(&own)) && words.len() > 2 {
            return Some(own);
        }
        let parts = title_parts(title, site);
        // A whole part may be the beginning of the heading: the rest is a label of the theme.
        let is_start = |part: &&&str| {
            let part = fold(part.trim());
            tokens(&part).len() > 2 && fold(&own).starts_with(&part)
        };
        if let Some(part) = parts.iter().find(is_start) {
            return clean(part);
        }
        // What comes behind the first part may be the site, whatever it calls itself.
        let first = parts.first().copied().unwrap_or_default();
        let shared_with = |text: &str| {
            let other = tokens(text);
            words.iter().filter(|word| other.iter().any(|one| is_same(one, word))).count()
        };
        let shared = shared_with(&parts.join(" "));
        let of_first = tokens(first);
        let is_longer = !of_first.is_empty()
            && of_first.iter().all(|one| words.iter().any(|word| is_same(one, word)));
        if is_longer && level == MAIN {
            return Some(own);
        }
        let is_of_first = shared_with(first) * 2 >= shared;
        // The name of a section has words of the title too, and the title more of its own.
        let is_whole = level == MAIN || of_first.len() * MIN_SHARED_BELOW <= shared * 100;
        let least = if level == MAIN { MIN_SHARED } else { MIN_SHARED_BELOW };
        if !words.is_empty() && shared * 100 >= words.len() * least && is_of_first && is_whole {
            return Some(own);
        }
    }
    None
}
