//! Sentences in two languages: ids in, prose out.

mod entry;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use self::entry::{Entry, Section, Text};

/// A language of the reports.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Turkish.
    Tr,
}

impl Lang {
    /// Both.
    pub const ALL: [Self; 2] = [Self::En, Self::Tr];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Tr => "tr",
        }
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no language of the reports.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{text}` is not a language of the reports: `en` or `tr`")]
pub struct LangError {
    text: String,
}

impl FromStr for Lang {
    type Err = LangError;

    fn from_str(text: &str) -> Result<Self, LangError> {
        Self::ALL
            .into_iter()
            .find(|lang| lang.as_str() == text)
            .ok_or_else(|| LangError { text: text.to_owned() })
    }
}

/// Values for the placeholders of a sentence.
pub type Values = BTreeMap<&'static str, String>;

/// All sentences of one language.
#[derive(Debug)]
pub struct Catalog {
    lang: Lang,
    root: Entry,
}

impl Catalog {
    /// The sentences of a language; parsed once.
    pub fn for_lang(lang: Lang) -> &'static Self {
        static EN: OnceLock<Catalog> = OnceLock::new();
        static TR: OnceLock<Catalog> = OnceLock::new();
        match lang {
            Lang::En => EN.get_or_init(|| {
                let texts = [
                    include_str!("../../locales/en.json"),
                    include_str!("../../locales/audit/en.json"),
                    include_str!("../../locales/mcp/en.json"),
                    include_str!("../../locales/accounts/en.json"),
                    include_str!("../../locales/traffic/en.json"),
                ];
                Self::parse(lang, texts)
            }),
            Lang::Tr => TR.get_or_init(|| {
                let texts = [
                    include_str!("../../locales/tr.json"),
                    include_str!("../../locales/audit/tr.json"),
                    include_str!("../../locales/mcp/tr.json"),
                    include_str!("../../locales/accounts/tr.json"),
                    include_str!("../../locales/traffic/tr.json"),
                ];
                Self::parse(lang, texts)
            }),
        }
    }

    #[expect(clippy::expect_used, reason = "embedded data; a test parses it")]
    fn parse(lang: Lang, texts: [&'static str; 5]) -> Self {
        let mut root = Section::new();
        for text in texts {
            let sections = serde_json::from_str::<Section>(text).expect("locales are valid JSON");
            for (name, section) in sections {
                let earlier = root.insert(name, section);
                debug_assert!(earlier.is_none(), "each section is in one file");
            }
        }
        Self { lang, root: Entry::Section(root) }
    }

    /// The language of the catalog.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// The sentence at a path such as `["tiers", "ready"]`; the path itself if there is none.
    pub fn text(&self, path: &[&str]) -> String {
        self.find(path).map_or_else(|| path.join("."), str::to_owned)
    }

    /// The sentence at a path with its placeholders filled; the path itself if there is none.
    pub fn fill(&self, path: &[&str], values: &Values) -> String {
        self.find(path).map_or_else(|| path.join("."), |sentence| fill(sentence, values))
    }

    /// The sentence at a path with its placeholders filled, if there is one.
    pub fn fill_if_any(&self, path: &[&str], values: &Values) -> Option<String> {
        self.find(path).map(|sentence| fill(sentence, values))
    }

    /// The sentence at a path with its placeholders as documentation shows them, if there is one.
    pub fn template(&self, path: &[&str]) -> Option<String> {
        self.find(path).map(with_plain_placeholders)
    }

    /// The sentence at a path, if there is one.
    pub fn find(&self, path: &[&str]) -> Option<&str> {
        match self.root.find(path)? {
            Entry::Sentence(sentence) => Some(sentence.as_str()),
            Entry::Section(_) => None,
        }
    }

    /// A snippet whose comments, written as [`comment`] does, are in this language, in lines that fit a
    /// terminal. Anything else in braces stays as it is.
    pub fn with_comments(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(COMMENT) {
            filled.push_str(before);
            let found = after
                .split_once('}')
                .and_then(|(id, tail)| Some((self.find(&["comments", id])?, tail)));
            if let Some((sentence, tail)) = found {
                push_comment(&mut filled, sentence);
                rest = tail;
            } else {
                filled.push_str(COMMENT);
                rest = after;
            }
        }
        filled.push_str(rest);
        filled
    }

    /// The keys below a path, sorted; empty if there is nothing.
    pub fn keys(&self, path: &[&str]) -> Vec<&str> {
        match self.root.find(path) {
            Some(Entry::Section(section)) => section.keys().map(Text::as_str).collect(),
            Some(Entry::Sentence(_)) | None => Vec::new(),
        }
    }
}

const COMMENT: &str = "{comment:";

/// Columns of a line that is a comment and nothing else.
const COMMENT_COLUMNS: usize = 72;

/// A comment of its own lines behind a sign such as `#`, in lines that fit a terminal.
pub fn comment_lines(sign: &str, sentence: &str) -> String {
    let mut text = format!("{sign} ");
    push_comment(&mut text, sentence);
    text.push('\n');
    text
}

/// Adds a comment to a text. What does not fit the line goes on in the next, behind the sign of a comment.
fn push_comment(text: &mut String, sentence: &str) {
    let line = text.rsplit('\n').next().unwrap_or_default();
    let indent: String = line.chars().take_while(|ch| ch.is_whitespace()).collect();
    let sign = ["//", "#"].into_iter().find(|sign| line.trim_start().starts_with(sign));
    let Some(sign) = sign else {
        text.push_str(sentence);
        return;
    };
    let mut column = line.chars().count();
    // A sentence may be indented by spaces of its own.
    for word in sentence.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if column + length > COMMENT_COLUMNS {
            text.truncate(text.trim_end_matches(' ').len());
            text.push_str(&format!("\n{indent}{sign} "));
            column = indent.chars().count() + sign.len() + 1;
        }
        text.push_str(word);
        column += word.chars().count();
    }
}

/// The place of a comment in a snippet or file, which has no language until
/// [`Catalog::with_comments`] fills it with the sentence under `comments`.
pub fn comment(id: &'static str) -> String {
    format!("{COMMENT}{id}}}")
}

/// A placeholder in a sentence: `name`, or `name:page|pages` for a number and the noun that goes with it.
struct Placeholder<'s> {
    name: &'s str,
    /// The noun after the number 1, and after any other number.
    noun: Option<(&'s str, &'s str)>,
}

impl<'s> Placeholder<'s> {
    fn parse(text: &'s str) -> Self {
        match text.split_once(':') {
            Some((name, nouns)) => Self { name, noun: nouns.split_once('|') },
            None => Self { name: text, noun: None },
        }
    }
}

/// Replaces `{name}` by its value, and `{name:page|pages}` by its value and the noun for that number. A
/// placeholder without a value stays as it is. Values are not searched for placeholders, so that strangers'
/// text cannot add any.
fn fill(sentence: &str, values: &Values) -> String {
    let mut filled = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let found = after.split_once('}').and_then(|(text, tail)| {
            let placeholder = Placeholder::parse(text);
            Some((values.get(placeholder.name)?, placeholder.noun, tail))
        });
        if let Some((value, noun, tail)) = found {
            filled.push_str(value);
            if let Some((one, many)) = noun {
                filled.push(' ');
                filled.push_str(if value == "1" { one } else { many });
            }
            rest = tail;
        } else {
            filled.push('{');
            rest = after;
        }
    }
    filled.push_str(rest);
    filled
}

/// A sentence as documentation shows it: `{name:page|pages}` as `{name} pages`.
fn with_plain_placeholders(sentence: &str) -> String {
    let mut plain = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        plain.push_str(before);
        plain.push('{');
        rest = after;
        let Some((text, tail)) = after.split_once('}') else { continue };
        let placeholder = Placeholder::parse(text);
        if let Some((_, many)) = placeholder.noun {
            plain.push_str(placeholder.name);
            plain.push_str("} ");
            plain.push_str(many);
            rest = tail;
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_with_braces_is_not_filled_again() {
        let values = Values::from([("a", "{b}".to_owned()), ("b", "no".to_owned())]);
        assert_eq!(fill("{a} {b} {c} {", &values), "{b} no {c} {");
    }

    #[test]
    fn a_noun_agrees_with_its_number() {
        let sentence = "{n:page has|pages have} {m:link|links}, {x:a|b}";
        let values = |n: &str, m: &str| Values::from([("n", n.to_owned()), ("m", m.to_owned())]);
        assert_eq!(fill(sentence, &values("1", "0")), "1 page has 0 links, {x:a|b}");
        assert_eq!(fill(sentence, &values("21", "1")), "21 pages have 1 link, {x:a|b}");
        assert_eq!(with_plain_placeholders(sentence), "{n} pages have {m} links, {x} b");
        assert_eq!(with_plain_placeholders("{a} {comment:b} {"), "{a} {comment:b} {");
    }

    #[test]
    fn comments_of_a_snippet_are_in_the_language_of_the_result() {
        let snippet =
            format!("# {}\na {{b}} {{comment:no-such}} {{comment:", comment("exempt-agents"));
        let filled = |lang| Catalog::for_lang(lang).with_comments(&snippet);
        let rest = "\na {b} {comment:no-such} {comment:";
        assert!(filled(Lang::En).ends_with(rest));
        assert!(filled(Lang::Tr).ends_with(rest));
        assert_ne!(filled(Lang::En), filled(Lang::Tr));
        assert!(!filled(Lang::En).starts_with("# {"));
    }

    #[test]
    fn comments_fit_a_terminal() {
        for lang in Lang::ALL {
            let catalog = Catalog::for_lang(lang);
            for id in catalog.keys(&["comments"]) {
                for sign in ["# ", "  // "] {
                    let text = catalog.with_comments(&format!("{sign}{COMMENT}{id}}}\nlast"));
                    let mut lines: Vec<&str> = text.lines().collect();
                    assert_eq!(lines.pop(), Some("last"));
                    assert!(lines.iter().all(|line| line.starts_with(sign)), "{text}");
                    assert!(
                        lines.iter().all(|line| line.chars().count() <= COMMENT_COLUMNS),
                        "{text}"
                    );
                    assert!(lines.iter().all(|line| !line.ends_with(' ')), "{text}");
                }
            }
        }
    }

    #[test]
    fn both_languages_have_the_same_sentences_and_placeholders() {
        let mut paths = Vec::new();
        collect(&Catalog::for_lang(Lang::En).root, &mut Vec::new(), &mut paths);
        let mut turkish = Vec::new();
        collect(&Catalog::for_lang(Lang::Tr).root, &mut Vec::new(), &mut turkish);
        assert_eq!(paths, turkish);
    }

    /// Paths of all sentences with the sorted placeholders of each.
    fn collect(node: &Entry, path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
        match node {
            Entry::Section(members) => {
                for (key, member) in members {
                    path.push(key.as_str().to_owned());
                    collect(member, path, found);
                    path.pop();
                }
            }
            Entry::Sentence(sentence) => {
                let mut names: Vec<String> = sentence
                    .as_str()
                    .split('{')
                    .skip(1)
                    .filter_map(|part| part.split_once('}'))
                    .map(|(text, _)| Placeholder::parse(text).name.to_owned())
                    .collect();
                names.sort();
                names.dedup();
                found.push((path.join("."), names));
            }
        }
    }
}
