//! The subject and the publisher of a page, by its own words.

use crate::audit::page::AuditedPage;
use crate::page::{Heading, Page};
use crate::text::fold::fold;
use crate::text::sentence::words;

/// Words that a name has at most.
const MAX_NAME_WORDS: usize = 8;
/// Characters of a name that is used in a draft.
const MAX_NAME_CHARS: usize = 100;
/// Tokens that are kept of one text.
const MAX_TOKENS: usize = 50;
/// Letters from which on two words with the same beginning count as one, as Turkish adds suffixes.
const STEM_CHARS: usize = 5;

/// Types of things that pages are about.
const THINGS: [&str; 12] = [
    "Product",
    "ProductGroup",
    "SoftwareApplication",
    "WebApplication",
    "MobileApplication",
    "Service",
    "LocalBusiness",
    "Restaurant",
    "Event",
    "Course",
    "Book",
    "Place",
];
/// Types of speakers.
const SPEAKERS: [&str; 5] =
    ["Organization", "Corporation", "OnlineStore", "LocalBusiness", "WebSite"];

/// The first heading of the first level that has text.
pub(crate) fn heading(page: &Page) -> Option<&Heading> {
    page.h1s().find(|heading| !heading.text.is_empty())
}

/// What the page is about: the name of its thing in the markup, else its heading if that is a name.
pub(crate) fn name(page: &AuditedPage<'_>) -> Option<String> {
    let heading =
        || heading(page.page()).map(|heading| heading.text.as_str()).filter(|text| is_name(text));
    thing(page).or_else(heading).map(shortened)
}

/// The name that a proposal may use: that of the markup, else the main heading if the title says it too.
pub(crate) fn proven_name(page: &AuditedPage<'_>) -> Option<String> {
    let of_markup = thing(page).map(shortened);
    of_markup.or_else(|| page.stated().name().filter(|name| is_name(name)))
}

/// Who speaks: `og:site_name`, else the name of the organization or the site in the markup. Never a
/// heading, which may be a sentence.
pub(crate) fn brand(page: &AuditedPage<'_>) -> Option<String> {
    let marks = |ch: char| matches!(ch, '|' | '-' | '–' | '—' | ':') || ch.is_whitespace();
    let mut site = page.page().metas("og:site_name").map(|meta| meta.content.trim_matches(marks));
    site.find(|name| !name.is_empty()).or_else(|| named(page, &SPEAKERS)).map(shortened)
}

/// The name of a thing in the markup that the title or the heading speaks of: others are beside the point, such as
/// the goods of an advertisement.
fn thing<'a>(page: &'a AuditedPage<'_>) -> Option<&'a str> {
    let facts = page.page();
    let title = facts.title.iter().map(|title| title.value.as_str());
    let heading = heading(facts).map(|heading| heading.text.as_str());
    let texts: Vec<&str> = title.chain(heading).collect();
    let said: Vec<String> = texts.iter().flat_map(|text| tokens(text)).collect();
    let is_named = |name: &&str| {
        let shares = |token: &String| said.iter().any(|said| is_same(token, said));
        // Scripts without spaces have no tokens.
        said.is_empty()
            || tokens(name).iter().any(shares)
            || texts.iter().any(|text| text.contains(name.trim()))
    };
    let mut names = names(page, &THINGS);
    names.find(is_named)
}

fn named<'a>(page: &'a AuditedPage<'_>, types: &[&str]) -> Option<&'a str> {
    names(page, types).next()
}

fn names<'a>(page: &'a AuditedPage<'_>, types: &[&str]) -> impl Iterator<Item = &'a str> {
    let entities = page.markup.entities.iter().filter(move |entity| entity.is_a(types));
    let names = entities.filter_map(|entity| entity.object.get("name")?.as_str());
    names.filter(|name| !name.trim().is_empty())
}

fn shortened(name: &str) -> String {
    name.trim().chars().take(MAX_NAME_CHARS).collect()
}

/// Whether a heading is a name, and no sentence or question.
pub(crate) fn is_name(text: &str) -> bool {
    const QUESTIONS: [&str; 18] = [
        "how",
        "why",
        "what",
        "when",
        "which",
        "who",
        "where",
        "welcome",
        "your",
        "our",
        "nasıl",
        "neden",
        "nedir",
        "niçin",
        "hangi",
        "kim",
        "hoş",
        "hoşgeldiniz",
    ];
    let count = words(text).take(MAX_NAME_WORDS + 1).count();
    (1..=MAX_NAME_WORDS).contains(&count)
        && !text.ends_with(['.', '!', '?', ':', '…'])
        && !words(text).any(|word| {
            let folded = fold(word);
            QUESTIONS.iter().any(|question| fold(question) == folded)
        })
}

/// Words that say what a text is about, folded, each once.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for word in text.split(|ch: char| !ch.is_alphanumeric() && ch != '\'' && ch != '’') {
        let folded = fold(word);
        let token = folded.split('\'').next().unwrap_or_default();
        let is_new = || tokens.iter().all(|known| known != token);
        if !token.is_empty() && !STOP_WORDS.contains(&token) && is_new() {
            tokens.push(token.to_owned());
        }
        if tokens.len() == MAX_TOKENS {
            break;
        }
    }
    tokens
}

/// Whether two tokens are the same word, suffixes apart.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    one == other || common >= STEM_CHARS
}

/// Words without a subject of their own, folded.
const STOP_WORDS: [&str; 60] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how",
    "i", "in", "is", "it", "its", "of", "on", "or", "our", "that", "the", "this", "to", "vs",
    "was", "we", "what", "when", "which", "why", "with", "you", "your", "bir", "bu", "da", "daha",
    "de", "en", "gibi", "göre", "hangi", "için", "ile", "mi", "nasil", "ne", "neden", "nedir", "o",
    "olan", "olarak", "ve", "veya", "ya", "çok",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    #[test]
    fn names_are_distinguished_from_sentences() {
        for text in ["K2 Kettle", "Su Isıtıcısı K2, 1.7 litre", "Acme"] {
            assert!(is_name(text), "{text}");
        }
        for text in [
            "We build kettles that boil faster than any other kettle",
            "Boil faster.",
            "How to descale a kettle",
            "Su ısıtıcısı nasıl temizlenir",
            "Hoş geldiniz",
            "",
        ] {
            assert!(!is_name(text), "{text}");
        }
    }

    #[test]
    fn a_brand_is_never_a_heading() {
        let page = fixture("<title>Kettles</title><h1>Acme</h1>");
        assert_eq!(brand(&page.audited()), None);
        let page = fixture("<meta property=og:site_name content=' Acme '><h1>We boil faster</h1>");
        assert_eq!(brand(&page.audited()).as_deref(), Some("Acme"));
        assert_eq!(name(&page.audited()).as_deref(), Some("We boil faster"));
        let page = fixture(
            r#"<h1>The kettle that boils.</h1><script type="application/ld+json">
            {"@type":"Product","name":"K2 Kettle","brand":{"@type":"Organization","name":"Acme"}}</script>"#,
        );
        assert_eq!(name(&page.audited()).as_deref(), Some("K2 Kettle"));
        assert_eq!(brand(&page.audited()).as_deref(), Some("Acme"));
        assert_eq!(name(&fixture("<h1>The kettle that boils.</h1>").audited()), None);
    }

    #[test]
    fn goods_that_the_page_does_not_speak_of_are_not_its_subject() {
        let clips = r#"<script type="application/ld+json">{"@type":"Product","name":"Picture Clips"}</script>"#;
        let kettle = clips.replace("Picture Clips", "Kettle K2");
        let read = |markup: &str| {
            let html = format!("<title>Kettle K2 | Acme</title><h1>Kettle K2</h1>{markup}");
            name(&fixture(&html).audited())
        };
        assert_eq!(read(clips).as_deref(), Some("Kettle K2"));
        assert_eq!(read(&format!("{clips}{kettle}")).as_deref(), Some("Kettle K2"));
        let untitled = fixture(clips);
        assert_eq!(name(&untitled.audited()).as_deref(), Some("Picture Clips"));
    }

    #[test]
    fn tokens_carry_the_subject() {
        assert_eq!(tokens("The K2 Kettle: how to use the kettle"), ["k2", "kettle", "use"]);
        assert_eq!(tokens("İstanbul'da su ısıtıcısı için"), ["istanbul", "su", "isiticisi"]);
        assert!(is_same("isiticisi", "isiticilar") && is_same("k2", "k2"));
        assert!(!is_same("kettle", "kettl") || !is_same("k2", "k3"));
        assert!(!is_same("cat", "car"));
        assert_eq!(tokens(&"word ".repeat(1_000)), ["word"]);
    }
}
