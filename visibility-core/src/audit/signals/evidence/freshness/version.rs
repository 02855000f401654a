//! The version that a page of documentation is about: it says until when the page holds.

use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::rubric::finding::Evidence;

/// Parts of a version: `3.2.1`.
const PARTS: std::ops::RangeInclusive<usize> = 2..=4;
/// Digits of one of them.
const MAX_DIGITS: usize = 4;

/// The version, and where it is named: for the search of the site, in the title, the main heading or the address.
pub(super) fn of(page: &AuditedPage<'_>) -> Option<(String, Evidence)> {
    if !page.profiles().is(Profile::Documentation) {
        return None;
    }
    let for_search = page.page().metas("docsearch:version").find_map(|meta| {
        let place = page.evidence(&format!("{}: {}", meta.key, meta.content), meta.line, meta.node);
        Some((in_words(&meta.content)?, place))
    });
    let title = || {
        let title = page.page().title.as_ref()?;
        Some((in_words(&title.value)?, page.evidence(&title.value, title.line, title.node)))
    };
    let heading = || {
        page.page().h1s().find_map(|heading| {
            Some((
                in_words(&heading.text)?,
                page.evidence(&heading.text, heading.line, heading.node),
            ))
        })
    };
    let address = || {
        let location = page.snapshot.location()?;
        let version = location.path_segments()?.find_map(in_segment)?;
        Some((version, Evidence::from_response(page.response).quote(location.path())))
    };
    for_search.or_else(title).or_else(heading).or_else(address)
}

/// `Django 5.1 documentation`, `Reference (v3)`.
fn in_words(text: &str) -> Option<String> {
    text.split(|ch: char| {
        ch.is_whitespace() || matches!(ch, '(' | ')' | '[' | ']' | ',' | ':' | '|')
    })
    .find_map(in_segment)
}

/// `5.1`, `v3`, `v3.2.x`; a number alone may be anything.
fn in_segment(text: &str) -> Option<String> {
    let version = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let is_marked = version.len() < text.len();
    let mut parts = version.split('.');
    let is_number = |part: &str| {
        (1..=MAX_DIGITS).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.next().filter(|part| is_number(part))?;
    let rest: Vec<&str> = parts.collect();
    let is_version = rest.iter().all(|part| is_number(part) || *part == "x")
        && (is_marked || PARTS.contains(&(rest.len() + 1)))
        && rest.len() < *PARTS.end();
    is_version.then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers_with_points_or_a_mark() {
        for (text, expected) in [
            ("Django 5.1 documentation", Some("5.1")),
            ("Reference (v3)", Some("3")),
            ("v3.2.x", Some("3.2.x")),
            ("PostgreSQL: Documentation: 18: CREATE INDEX", None),
            ("Python 3.14.0 docs", Some("3.14.0")),
            ("HTTP/1.1 caching", None),
            ("latest", None),
            ("Top 10 commands", None),
            ("1.2.3.4.5", None),
            ("12345.1", None),
            ("vue", None),
            ("", None),
        ] {
            assert_eq!(in_words(text).as_deref(), expected, "{text}");
        }
    }
}
