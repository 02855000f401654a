//! Words that say what kind of page it is: parts of addresses, and what buttons say. They are in
//! `data/page_kinds/words.json`, by language.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::audit::availability::{contains_phrase, folded};
use crate::page::Page;
use crate::page::content::Content;

/// Characters of a link or button that calls for something.
const MAX_CALL_CHARS: usize = 40;

const DATA: &str = include_str!("../../../data/page_kinds/words.json");

/// All words.
pub(super) static WORDS: LazyLock<KindWords> = LazyLock::new(KindWords::read);

/// What a word of an address speaks of.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Topic {
    Article,
    Listing,
    Collection,
    Product,
    Service,
    Forum,
    Documentation,
    /// How, why, a guide.
    Explanation,
}

/// Whom a pronoun speaks of.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "snake_case")]
pub(super) enum Person {
    We,
    You,
    I,
}

type ByLanguage = BTreeMap<String, Vec<String>>;

#[derive(Debug, Default, Deserialize)]
struct File {
    segments: BTreeMap<Topic, ByLanguage>,
    hosts: BTreeMap<Topic, ByLanguage>,
    buy: ByLanguage,
    call: ByLanguage,
    pronouns: BTreeMap<Person, ByLanguage>,
}

/// The words of all languages.
#[derive(Debug)]
pub(super) struct KindWords {
    segments: Vec<(Topic, HashSet<String>)>,
    hosts: Vec<(Topic, HashSet<String>)>,
    buy: Vec<String>,
    call: Vec<String>,
    pronouns: HashMap<String, Person>,
}

impl KindWords {
    fn read() -> Self {
        // The file is a part of the program, and a test reads it.
        let file: File = serde_json::from_str(DATA).unwrap_or_else(|_| File::default());
        let all = |words: ByLanguage| words.into_values().flatten();
        let sets = |topics: BTreeMap<Topic, ByLanguage>| -> Vec<(Topic, HashSet<String>)> {
            topics.into_iter().map(|(topic, words)| (topic, all(words).collect())).collect()
        };
        Self {
            segments: sets(file.segments),
            hosts: sets(file.hosts),
            buy: all(file.buy).collect(),
            call: all(file.call).collect(),
            pronouns: file
                .pronouns
                .into_iter()
                .flat_map(|(person, words)| all(words).map(move |word| (word, person)))
                .collect(),
        }
    }

    /// Whether a segment of a path, or a word of one, speaks of a topic.
    pub(super) fn has_segment(&self, topic: Topic, word: &str) -> bool {
        self.segments.iter().any(|(known, words)| *known == topic && words.contains(word))
    }

    /// Whom a word speaks of, if it is a pronoun.
    pub(super) fn person(&self, word: &str) -> Option<Person> {
        const MAX_BYTES: usize = 12;
        if word.len() > MAX_BYTES {
            return None;
        }
        let small = word.to_lowercase();
        self.pronouns.get(&small).copied()
    }

    /// Whether a label of a host does.
    pub(super) fn has_host(&self, topic: Topic, label: &str) -> bool {
        self.hosts.iter().any(|(known, words)| *known == topic && words.contains(label))
    }
}

/// Whether the text of a button says that it sells something.
pub(crate) fn sells(button: &str) -> bool {
    const WHOLE: [&str; 4] = ["buy", "purchase", "order", "al"];
    let text = folded(button);
    let text = text.trim();
    WHOLE.contains(&text) || WORDS.buy.iter().any(|phrase| is_in(text, phrase))
}

/// Phrases of scripts without spaces have no boundaries of words.
fn is_in(text: &str, phrase: &str) -> bool {
    if phrase.is_ascii() { contains_phrase(text, phrase) } else { text.contains(phrase) }
}

/// Buttons that sell: those of the content, else those of forms.
pub(super) fn buys(page: &Page, content: &Content) -> usize {
    const MAX_BUTTONS: usize = 50;
    let of_forms = || page.forms.iter().flat_map(|form| &form.buttons).map(String::as_str);
    let of_content = content.buttons.iter().map(|button| button.text.as_str());
    if content.buttons.is_empty() {
        of_forms().filter(|text| sells(text)).take(MAX_BUTTONS).count()
    } else {
        of_content.filter(|text| sells(text)).take(MAX_BUTTONS).count()
    }
}

/// Distinct texts of links and buttons of the content that call for something.
pub(super) fn calls(content: &Content) -> usize {
    let buttons = content.buttons.iter().map(|button| button.text.as_str());
    let links = content.links.iter().map(|link| link.text.as_str());
    let texts: BTreeSet<&str> = buttons.chain(links).map(str::trim).collect();
    texts.iter().filter(|text| is_call(text)).count()
}

/// Whether a text of a link or button calls for something.
fn is_call(text: &str) -> bool {
    let is_short = !text.is_empty() && text.chars().nth(MAX_CALL_CHARS).is_none();
    is_short && {
        let text = folded(text);
        let text = text.trim();
        WORDS.call.iter().any(|call| {
            if call.is_ascii() {
                let rest = text.strip_prefix(call.as_str());
                rest.is_some_and(|rest| !rest.starts_with(|ch: char| ch.is_alphanumeric()))
            } else {
                text.contains(call.as_str())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_words_can_be_read() {
        let file: Result<File, _> = serde_json::from_str(DATA);
        assert_eq!(file.map(|file| file.segments.len()).map_err(|error| error.to_string()), Ok(8));
    }
}
