//! Words that say what kind of page it is: parts of addresses, and what buttons say. They are in
//! `data/page_kinds/words.json`, by language.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
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

type ByLanguage<'a> = BTreeMap<&'a str, Vec<&'a str>>;

#[derive(Debug, Default, Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    segments: BTreeMap<Topic, ByLanguage<'a>>,
    #[serde(borrow)]
    hosts: BTreeMap<Topic, ByLanguage<'a>>,
    #[serde(borrow)]
    buy: ByLanguage<'a>,
    #[serde(borrow)]
    call: ByLanguage<'a>,
    #[serde(borrow)]
    pronouns: BTreeMap<Person, ByLanguage<'a>>,
}

/// The words of all languages.
#[derive(Debug)]
pub(super) struct KindWords {
    segments: BTreeMap<Topic, Sorted>,
    hosts: BTreeMap<Topic, Sorted>,
    buy: Vec<&'static str>,
    call: Vec<&'static str>,
    pronouns: BTreeMap<Person, Sorted>,
}

/// Words in order.
#[derive(Debug)]
struct Sorted(Vec<&'static str>);

impl Sorted {
    fn new(words: ByLanguage<'static>) -> Self {
        let mut words: Vec<&str> = words.into_values().flatten().collect();
        words.sort_unstable();
        Self(words)
    }

    fn has(&self, word: &str) -> bool {
        self.0.binary_search(&word).is_ok()
    }
}

impl KindWords {
    fn read() -> Self {
        // The file is a part of the program, and a test reads it.
        let file: File<'_> = serde_json::from_str(DATA).unwrap_or_else(|_| File::default());
        let all = |words: ByLanguage<'static>| words.into_values().flatten().collect();
        let sorted = |topics: BTreeMap<Topic, ByLanguage<'static>>| {
            topics.into_iter().map(|(topic, words)| (topic, Sorted::new(words))).collect()
        };
        Self {
            segments: sorted(file.segments),
            hosts: sorted(file.hosts),
            buy: all(file.buy),
            call: all(file.call),
            pronouns: file
                .pronouns
                .into_iter()
                .map(|(person, words)| (person, Sorted::new(words)))
                .collect(),
        }
    }

    /// Whether a segment of a path, or a word of one, speaks of a topic.
    pub(super) fn has_segment(&self, topic: Topic, word: &str) -> bool {
        self.segments.get(&topic).is_some_and(|words| words.has(word))
    }

    /// Whom a word speaks of, if it is a pronoun.
    pub(super) fn person(&self, word: &str) -> Option<Person> {
        const MAX_BYTES: usize = 12;
        if word.len() > MAX_BYTES {
            return None;
        }
        let is_lower = word.bytes().all(|byte| byte.is_ascii_lowercase());
        let small = if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) };
        self.pronouns.iter().find(|(_, words)| words.has(&small)).map(|(person, _)| *person)
    }

    /// Whether a label of a host does.
    pub(super) fn has_host(&self, topic: Topic, label: &str) -> bool {
        self.hosts.get(&topic).is_some_and(|words| words.has(label))
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
                let rest = text.strip_prefix(*call);
                rest.is_some_and(|rest| !rest.starts_with(|ch: char| ch.is_alphanumeric()))
            } else {
                text.contains(*call)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_words_can_be_read() {
        let file: Result<File<'_>, _> = serde_json::from_str(DATA);
        assert_eq!(file.map(|file| file.segments.len()).map_err(|error| error.to_string()), Ok(8));
    }
}
