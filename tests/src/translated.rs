//! Whether a Turkish result is Turkish: no prose in it is the same as in the English one.

use serde::Serialize;
use serde_json::Value;
use visibility_core::agents::Registry;
use visibility_core::rubric::finding::Evidence;
use visibility_core::text::locale::{Catalog, Lang};

/// Members that are prose for people.
const PROSE: [&str; 16] = [
    "applies_because",
    "detail",
    "hint",
    "impact",
    "label",
    "message",
    "missing",
    "note",
    "placement_label",
    "reason",
    "statement",
    "summary",
    "text",
    "tier_label",
    "title",
    "why",
];

/// Prose that is the same in both languages, and why.
const SAME: [&str; 10] = [
    // Names of files, formats and protocols.
    "llms.txt",
    "robots.txt",
    "Sitemap",
    "AI Catalog (ARD)",
    "MCP server",
    "Canonical URL",
    // Terms that Turkish documentation uses as they are.
    "Markdown negotiation",
    "Agentic commerce",
    "Agent-native",
    // The name of a product.
    "pay per crawl",
];

/// Panics if prose of a result is the same in English and in Turkish, unless it is one of these
/// technical texts, which have no language.
///
/// # Panics
///
/// With the path and the text.
pub fn assert_translated<T: Serialize>(english: &T, turkish: &T, technical: &[String]) {
    assert_none(english, turkish, technical, |one, other| (one == other).then(|| one.to_owned()));
}

/// Compares the sentences of a result in two languages.
///
/// Panics if a Turkish sentence has English words in a row that the English one has, too, outside of
/// code and quotes: what a parser reported, for one. For results that quote no text of the site
/// without marks.
///
/// # Panics
///
/// With the path and the words.
pub fn assert_unmixed<T: Serialize>(english: &T, turkish: &T, technical: &[String]) {
    let mixed = |one: &str, other: &str| (one != other).then(|| shared(one, other)).flatten();
    assert_none(english, turkish, technical, mixed);
}

fn assert_none<T: Serialize>(
    english: &T,
    turkish: &T,
    technical: &[String],
    complaint: impl Fn(&str, &str) -> Option<String>,
) {
    let mut found = Vec::new();
    let mut visit = |path: &str, one: &str, other: &str| {
        found.extend(complaint(one, other).map(|text| (path.to_owned(), text)));
    };
    let value = |result| serde_json::to_value(result).expect("a result is JSON");
    compare("", false, &value(english), &value(turkish), &mut visit);
    found.retain(|(_, text)| !SAME.contains(&text.as_str()) && !technical.contains(text));
    assert!(found.is_empty(), "not translated: {found:#?}");
}

fn compare(
    path: &str,
    is_prose: bool,
    english: &Value,
    turkish: &Value,
    visit: &mut dyn FnMut(&str, &str, &str),
) {
    match (english, turkish) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, member) in one {
                let path = format!("{path}/{key}");
                // Text of the site: the line of robots.txt, and the title of the page.
                if matches!(key.as_str(), "rule" | "page") {
                    continue;
                }
                let is_prose = PROSE.contains(&key.as_str());
                let other = other.get(key).unwrap_or(&Value::Null);
                compare(&path, is_prose, member, other, visit);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for (at, (member, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{path}/{at}"), is_prose, member, other, visit);
            }
        }
        (Value::String(one), Value::String(other)) if is_prose && !one.is_empty() => {
            visit(path, one, other);
        }
        _ => {}
    }
}

/// Words in a row that both texts have: what a parser reported, as no sentence of ours is in two
/// languages.
const MAX_SHARED_WORDS: usize = 2;

/// The first run of more English words than that in an English text that the Turkish one has, too.
fn shared(english: &str, turkish: &str) -> Option<String> {
    let turkish = words(turkish).join(" ");
    let english = words(english);
    let mut runs = english.windows(MAX_SHARED_WORDS + 1);
    let run = runs.find(|run| {
        let is_word = |word: &&str| word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase());
        run.iter().all(is_word) && turkish.contains(&run.join(" "))
    })?;
    Some(run.join(" "))
}

/// The words of a text outside of code, quotes and addresses, which stay as they are; with a mark where
/// such a part or the end of a clause is.
fn words(text: &str) -> Vec<&str> {
    const MARK: &str = "`";
    let mut outside = Vec::new();
    for (at, part) in text.split(['`', '"', '“', '”']).enumerate() {
        if at % 2 == 1 {
            outside.push(MARK);
            continue;
        }
        for word in part.split_whitespace() {
            let bare = word.trim_end_matches([',', ':', '.', ';', ')']);
            outside.push(bare);
            if bare != word {
                outside.push(MARK);
            }
        }
    }
    outside
}

/// Ids of notes whose sentence has nothing to translate, and why.
const TECHNICAL_NOTES: [&str; 2] = [
    // A token or a directive.
    "verbatim",
    // The name of an agent, and the header field of a challenge.
    "agent-challenged",
];

/// The sentences of those remarks on evidence that have no language, and the tokens of agents, which
/// are the remarks on what robots.txt says.
pub fn technical<'a>(evidence: impl IntoIterator<Item = &'a Evidence>) -> Vec<String> {
    let catalog = Catalog::for_lang(Lang::En);
    let notes = evidence.into_iter().filter_map(|evidence| evidence.note.as_ref());
    let technical = notes.filter(|note| TECHNICAL_NOTES.contains(&note.id));
    let tokens = Registry::embedded().agents.iter().map(|agent| agent.robots_token.clone());
    let tokens = tokens.chain(std::iter::once("VisibilityBot".to_owned()));
    technical.map(|note| note.sentence(catalog)).chain(tokens).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_words_in_a_turkish_sentence_are_found() {
        let english = "sitemap.xml cannot be read: expected value at line 1 column 2.";
        let turkish = "sitemap.xml okunamıyor: expected value at line 1 column 2.";
        assert_eq!(shared(english, turkish).as_deref(), Some("expected value at"));
    }

    #[test]
    fn code_quotes_and_addresses_have_no_language() {
        for (english, turkish) in [
            ("write `a b c d` here", "buraya `a b c d` yazın"),
            ("the title is “all of our shoes”", "başlık “all of our shoes”"),
            ("see https://a.example/b/c", "bkz. https://a.example/b/c"),
            ("Amazon Buy for me agent", "Amazon Buy for me botu"),
        ] {
            assert_eq!(shared(english, turkish), None, "{english}");
        }
    }
}
