//! Directives as people write them and no crawler reads them, each with what was probably meant.

use std::fmt;

use super::{DATE, DirectiveSource, MAX_DIRECTIVES, RESTRICTIVE, WITH_VALUE, crawler_names, list};
use crate::fetch::Headers;
use crate::page::{Meta, MetaAttribute, Page};
use crate::text::excerpt::excerpt;

/// Directives that are read but take nothing away.
const PERMISSIVE: [&str; 3] = ["index", "follow", "all"];
/// Characters between directives, in the place of a comma.
const SEPARATORS: [char; 5] = [';', '/', '|', ' ', ','];

/// A directive that no crawler reads.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Misread {
    /// As it is written, as an excerpt.
    pub written: String,
    /// What was probably meant.
    pub meant: String,
    /// Where it is.
    pub source: DirectiveSource,
}

impl fmt::Display for Misread {
    /// Writes `noindex; nofollow (line 7)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            DirectiveSource::Meta { line, .. } => write!(f, "{} (line {line})", self.written),
            DirectiveSource::Header => write!(f, "{} (X-Robots-Tag)", self.written),
        }
    }
}

/// What is written for crawlers in a page and its header, and read by none. Only where it is plain what was meant: an unknown
/// word may be a directive of some crawler.
pub fn misread(page: &Page, headers: &Headers) -> Vec<Misread> {
    let mut found: Vec<Misread> = page.metas.iter().filter_map(in_element).collect();
    let without_content = page.metas_without_content.iter();
    found.extend(without_content.filter_map(|meta| of_element(meta, "value")));
    for field in headers.all("x-robots-tag") {
        let of_crawler = field.split_once(':').filter(|(name, _)| is_crawler(name));
        let written = of_crawler.map_or(field.as_str(), |(_, rest)| rest);
        found.extend(corrected(written).map(|meant| Misread {
            written: excerpt(field),
            meant,
            source: DirectiveSource::Header,
        }));
    }
    found.truncate(MAX_DIRECTIVES);
    found
}

fn is_crawler(name: &str) -> bool {
    crawler_names().contains(&name.trim().to_ascii_lowercase())
}

/// What is wrong with an element that has a key and a content.
fn in_element(meta: &Meta) -> Option<Misread> {
    let is_for_crawlers = meta.key == "robots" || crawler_names().contains(&meta.key);
    match (meta.key.as_str(), meta.attribute) {
        (_, MetaAttribute::Name) if is_for_crawlers => Some(Misread {
            written: excerpt(&meta.content),
            meant: corrected(&meta.content)?,
            source: DirectiveSource::Meta { line: meta.line, node: meta.node },
        }),
        ("robot", MetaAttribute::Name) => of_element(meta, "name=robot"),
        ("robots", MetaAttribute::Property) => of_element(meta, "property=robots"),
        ("x-robots-tag", MetaAttribute::HttpEquiv) => of_element(meta, "http-equiv=X-Robots-Tag"),
        _ => None,
    }
}

/// An element with directives that has another attribute than crawlers read.
fn of_element(meta: &Meta, attribute: &str) -> Option<Misread> {
    let written = &meta.content;
    let as_written = || are_known(written).then(|| written.clone());
    let directives = corrected(written).or_else(as_written)?;
    Some(Misread {
        written: excerpt(&format!("{attribute}: {written}")),
        meant: format!("<meta name=\"robots\" content=\"{directives}\">"),
        source: DirectiveSource::Meta { line: meta.line, node: meta.node },
    })
}

/// Whether a text is a list of directives as crawlers read it.
fn are_known(text: &str) -> bool {
    let members = list(text, MAX_DIRECTIVES);
    !members.is_empty() && members.iter().all(|(name, _)| is_known(name))
}

fn is_known(name: &str) -> bool {
    RESTRICTIVE.contains(&name) || PERMISSIVE.contains(&name) || WITH_VALUE.contains(&name)
}

/// The list that was probably meant; `None` where it is one, or where it is not plain.
fn corrected(text: &str) -> Option<String> {
    // A date has blanks and slashes of its own.
    if are_known(text) || text.to_ascii_lowercase().contains(DATE) {
        return None;
    }
    let unquoted = text.replace(['"', '\'', '“', '”', '‘', '’'], " ");
    // "max-snippet = 0" is one directive.
    let values = unquoted.replace('=', ":");
    let joined = values.split(':').map(str::trim).collect::<Vec<_>>().join(":");
    let parts = joined.split(SEPARATORS).map(str::trim).filter(|part| !part.is_empty());
    let members: Vec<String> = parts.map(known).collect::<Option<_>>()?;
    (!members.is_empty()).then(|| members.join(", "))
}

/// A directive as crawlers read it: `no-index` is `noindex`.
fn known(part: &str) -> Option<String> {
    let (name, value) = match part.split_once(':') {
        Some((name, value)) => (name, Some(value)),
        None => (part, None),
    };
    let compact = |name: &str| name.to_ascii_lowercase().replace(['-', '_'], "");
    let mut all = RESTRICTIVE.iter().chain(&PERMISSIVE).chain(&WITH_VALUE);
    let known = all.find(|known| compact(known) == compact(name))?;
    match (value, WITH_VALUE.contains(known)) {
        (Some(value), true) if !value.is_empty() => Some(format!("{known}:{value}")),
        (None, false) => Some((*known).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_meta(element: &str) -> Vec<(String, String)> {
        let page = Page::parse(element.as_bytes(), Some("text/html; charset=utf-8"));
        let found = misread(&page, &Headers::default());
        found.into_iter().map(|one| (one.written, one.meant)).collect()
    }

    #[test]
    fn what_was_meant_is_said_where_it_is_plain() {
        for (content, meant) in [
            ("noindex nofollow", "noindex, nofollow"),
            ("noindex; nofollow", "noindex, nofollow"),
            ("noindex/nofollow", "noindex, nofollow"),
            ("NoIndex|NoFollow", "noindex, nofollow"),
            ("'noindex'", "noindex"),
            ("no-index", "noindex"),
            ("no_index, no-follow", "noindex, nofollow"),
            ("max-snippet=0", "max-snippet:0"),
            ("max-snippet = 0, noindex", "max-snippet:0, noindex"),
            ("maxsnippet:-1", "max-snippet:-1"),
        ] {
            let found = of_meta(&format!("<meta name=robots content=\"{content}\">"));
            assert_eq!(found, [(content.to_owned(), meant.to_owned())]);
        }
    }

    #[test]
    fn lists_that_are_read_and_words_of_others_are_left_alone() {
        for content in [
            "index, follow",
            "NOINDEX,NOFOLLOW",
            "max-snippet:-1, max-image-preview:large",
            "unavailable_after: 25 Jun 2027 15:00:00 GMT",
            "unavailable_after: 2027-06-25, noindex",
            "archive",
            "noodp, noydir",
            "index, follow, snippet",
            "",
        ] {
            assert_eq!(of_meta(&format!("<meta name=robots content=\"{content}\">")), []);
        }
        assert_eq!(of_meta("<meta name=description content='no index'>"), []);
        assert_eq!(of_meta("<meta name=robot content='a toy'>"), []);
    }

    #[test]
    fn elements_with_other_attributes_are_not_read() {
        let meant = "<meta name=\"robots\" content=\"noindex\">";
        for (element, written) in [
            ("<meta name=robot content=noindex>", "name=robot: noindex"),
            ("<meta property=robots content=noindex>", "property=robots: noindex"),
            ("<meta http-equiv=X-Robots-Tag content=noindex>", "http-equiv=X-Robots-Tag: noindex"),
            ("<meta name=robots value=noindex>", "value: noindex"),
        ] {
            assert_eq!(of_meta(element), [(written.to_owned(), meant.to_owned())]);
        }
    }

    #[test]
    fn fields_are_read_like_elements() {
        for (field, meant) in [
            ("noindex; nofollow", Some("noindex, nofollow")),
            ("noindex nofollow", Some("noindex, nofollow")),
            ("\"noindex\"", Some("noindex")),
            ("googlebot: no-index", Some("noindex")),
            ("noindex, nofollow", None),
            ("googlebot: noindex, otherbot: nosnippet", None),
        ] {
            let headers: Headers = [("x-robots-tag", field)].into_iter().collect();
            let found = misread(&Page::default(), &headers);
            assert_eq!(found.first().map(|one| one.meant.as_str()), meant, "{field}");
        }
    }
}
