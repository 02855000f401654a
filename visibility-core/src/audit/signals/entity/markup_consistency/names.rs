//! Names of things and of authors.

use std::collections::BTreeSet;

use super::{Compared, VisibleValue, right};
use crate::audit::availability::folded_words;
use crate::audit::facts::location::MarkupLocation;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::facts::stated::byline_block;
use crate::audit::markup::{Family, members};
use crate::audit::page::AuditedPage;
use crate::page::Page;
use crate::page::content::BlockKind;
use crate::page::json_ld::text_of;

/// Share of the words of a name that a heading has to have, in percent.
const MIN_SHARED_PERCENT: usize = 60;
/// Authors that are looked at.
const MAX_AUTHORS: usize = 20;
/// Bytes of a name.
const MAX_NAME_BYTES: usize = 1_000;

/// The name of a product, or the headline of an article, beside the text of the page and its title. What
/// a list, a service or an organization is called need not head the page.
pub(super) fn name<'a>(page: &'a AuditedPage<'_>, main: &MainEntity) -> Option<Compared<'a>> {
    if !matches!(main.family, Family::Product | Family::Article) {
        return None;
    }
    let property = ["name", "headline"].into_iter().find(|key| main.object.contains_key(*key))?;
    let value = main.object.get(property)?;
    let text = decoded(&text_of(value, 4)?);
    let words = words(&text);
    if words.is_empty() {
        return None;
    }
    let headings: Vec<&str> = page.page().h1s().map(|heading| heading.text.as_str()).collect();
    let titles = page
        .page()
        .metas("og:title")
        .map(|meta| meta.content.as_str())
        .chain(page.page().title.iter().map(|title| title.value.as_str()));
    let mut names = headings.iter().copied().chain(titles);
    let shown = if names.any(|other| alike(&words, other)) || is_visible_in(page, &words) {
        VisibleValue::Same
    } else {
        match headings.iter().find(|heading| !heading.trim().is_empty()) {
            Some(heading) => VisibleValue::Other {
                text: (*heading).to_owned(),
                block: page.content.blocks.iter().find(|block| block.kind == BlockKind::Heading(1)),
                right: right(property, *heading),
            },
            None => VisibleValue::Nothing,
        }
    };
    Some(Compared {
        property,
        markup: text,
        spot: MarkupLocation::find(page, main, property, value),
        shown,
    })
}

/// The authors beside the text of the page: one of them has to be named.
pub(super) fn author<'a>(page: &'a AuditedPage<'_>, main: &MainEntity) -> Option<Compared<'a>> {
    let authors = members(main.object.get("author")?);
    let names: Vec<String> = authors
        .iter()
        .take(MAX_AUTHORS)
        .filter_map(|value| {
            let object = page.markup.resolve(value).and_then(|object| object.get("name"));
            text_of(object.unwrap_or(value), 4)
                .map(|name| decoded(&name))
                .filter(|name| !name.contains("://"))
        })
        .collect();
    let first = names.first()?.clone();
    // A page that names no author at all loses points for that in `key-facts`, and for one cause once.
    let shown = if names.iter().any(|name| is_visible_in(page, &words(name))) {
        VisibleValue::Same
    } else {
        let (block, name) = byline_block(page)?;
        VisibleValue::Other {
            right: right("author", serde_json::json!({ "@type": "Person", "name": name })),
            text: name,
            block: Some(block),
        }
    };
    let first_value = authors.first()?;
    let own = first_value.get("name").unwrap_or(first_value);
    let key = if first_value.get("name").is_some() { "name" } else { "author" };
    Some(Compared {
        property: "author",
        markup: first,
        spot: MarkupLocation::find(page, main, key, own),
        shown,
    })
}

/// Whether a heading and a name have most of their words in common: either may be longer, by a brand or
/// a variant.
fn alike(words: &[String], heading: &str) -> bool {
    let own: BTreeSet<&str> = words.iter().map(String::as_str).collect();
    let heading = self::words(heading);
    let other: BTreeSet<&str> = heading.iter().map(String::as_str).collect();
    let shared = own.intersection(&other).count() * 100;
    !other.is_empty()
        && (shared >= own.len() * MIN_SHARED_PERCENT
            || shared >= other.len() * MIN_SHARED_PERCENT && shared >= 200)
}

/// Whether the visible text has these words one after another.
fn is_visible_in(page: &AuditedPage<'_>, words: &[String]) -> bool {
    !words.is_empty() && page.visible_words().contains(&format!(" {} ", words.join(" ")))
}

/// The words of a text, folded, without what is between them.
fn words(text: &str) -> Vec<String> {
    folded_words(text).split_whitespace().map(str::to_owned).collect()
}

/// Text with the character references that templates leave in JSON, some of them twice: `&amp;#039;`.
fn decoded(text: &str) -> String {
    let mut text =
        text.get(..text.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or_default().to_owned();
    for _ in 0..2 {
        if !text.contains('&') {
            break;
        }
        let html = text.replace('<', "&lt;");
        text = Page::parse(html.as_bytes(), Some("text/html; charset=utf-8")).visible_text;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded_by_name_and_by_number_and_twice() {
        for (text, expected) in [
            ("Full &#038; Part Time", "Full & Part Time"),
            ("Redacci&oacute;n", "Redacción"),
            ("It&amp;#039;s", "It's"),
            ("A &amp;amp; B", "A & B"),
            ("A &lt; B", "A < B"),
            ("A < B & C", "A < B & C"),
            ("Plain", "Plain"),
        ] {
            assert_eq!(decoded(text), expected, "{text}");
        }
    }
}
