//! The words that a demand on a machine is made of, by what they do in it.
//!
//! Each language has a file with a line for each [`Sense`]: its name in lower case, a colon, and patterns with `;`
//! between them. A pattern is a word or several; one that ends with `*` may go on. In languages that put no spaces
//! between their words it may be anywhere.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use super::normal::{is_script, letter};

/// What a word does in a demand.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Sense {
    /// A machine that answers: "language model".
    Machine,
    /// The name of one: "ChatGPT".
    Product,
    /// What may be a machine, or a person: "assistant".
    Helper,
    /// What announces a call: "note", "instructions".
    Note,
    /// "System": a part of a machine's instructions.
    System,
    /// What may be before the machine that is called: "dear", "to all".
    Lead,
    /// What a machine does with the page that calls it: "reading this".
    Reader,
    /// What makes the machine one that is spoken of: "our", "with".
    Owner,
    /// "If", "when".
    Condition,
    /// "If you are", "you are a".
    Identity,
    /// "Must", "should".
    Must,
    /// "Which": what follows a name and describes it.
    Relative,
    /// "I am": the machine itself speaks.
    Introduction,
    /// The person whom the machine answers.
    User,
    /// What machines are asked to do with a page.
    Task,
    /// "From now on you are".
    Persona,
    /// A mark that parts a machine's instructions from what it reads.
    Frame,
    /// "Recommend", "name", "rank".
    Promote,
    /// "First", "best", "always".
    Favor,
    /// "This shop", "us".
    Us,
    /// "Mention", after a negation.
    Mention,
    Negation,
    /// "Leave out", or a verb with its negation in one word.
    Omit,
    /// "Competitors", "bad reviews".
    Rivals,
    /// "Five stars", "a positive review".
    Rate,
    /// "Say that".
    Claim,
    /// A verb that orders something: "report", "answer".
    Order,
    /// What only a machine has: "your system prompt".
    Secret,
    /// "Better than".
    Compare,
    /// "Buy".
    Buy,
    Remember,
    /// "A trusted source".
    Trusted,
    /// "In all later conversations".
    Lasting,
    /// "Invite to an interview", "accept".
    Admit,
    /// "Send", "forward".
    Send,
    /// "Password", "the e-mail address".
    Personal,
    /// "Always", "must", "never".
    Absolute,
    /// "Ignore", "forget".
    Leave,
    /// "Previous", "all".
    Earlier,
    /// "Instructions", "guidelines".
    Orders,
    /// "Can", "to": what follows is no order.
    Able,
    /// "Our": instructions among people.
    Ours,
    /// "Of", "in": the instructions are those of something.
    Of,
    /// People who are spoken to: "dear customer", "developers".
    People,
    /// "Attack", "injection".
    Attack,
    /// "Said", "wrote", "for example".
    Speech,
    /// What a page is about that teaches such demands: "prompts".
    Subject,
    /// Use of the page for the training of models.
    Rights,
    /// Files, code and builds: what developers write to their own tools.
    Technical,
}

/// The senses by their names in the files.
const SENSES: [(&str, Sense); 49] = [
    ("machine", Sense::Machine),
    ("product", Sense::Product),
    ("helper", Sense::Helper),
    ("note", Sense::Note),
    ("system", Sense::System),
    ("lead", Sense::Lead),
    ("reader", Sense::Reader),
    ("owner", Sense::Owner),
    ("condition", Sense::Condition),
    ("identity", Sense::Identity),
    ("must", Sense::Must),
    ("relative", Sense::Relative),
    ("introduction", Sense::Introduction),
    ("user", Sense::User),
    ("task", Sense::Task),
    ("persona", Sense::Persona),
    ("frame", Sense::Frame),
    ("promote", Sense::Promote),
    ("favor", Sense::Favor),
    ("us", Sense::Us),
    ("mention", Sense::Mention),
    ("negation", Sense::Negation),
    ("omit", Sense::Omit),
    ("rivals", Sense::Rivals),
    ("rate", Sense::Rate),
    ("claim", Sense::Claim),
    ("order", Sense::Order),
    ("secret", Sense::Secret),
    ("compare", Sense::Compare),
    ("buy", Sense::Buy),
    ("remember", Sense::Remember),
    ("trusted", Sense::Trusted),
    ("lasting", Sense::Lasting),
    ("admit", Sense::Admit),
    ("send", Sense::Send),
    ("personal", Sense::Personal),
    ("absolute", Sense::Absolute),
    ("leave", Sense::Leave),
    ("earlier", Sense::Earlier),
    ("orders", Sense::Orders),
    ("able", Sense::Able),
    ("ours", Sense::Ours),
    ("of", Sense::Of),
    ("people", Sense::People),
    ("attack", Sense::Attack),
    ("speech", Sense::Speech),
    ("subject", Sense::Subject),
    ("rights", Sense::Rights),
    ("technical", Sense::Technical),
];

/// A language, by its place in [`LANGUAGES`].
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct WordLanguage(usize);

impl WordLanguage {
    /// Names of products and frames are those of all languages.
    pub(super) const SHARED: Self = Self(0);

    /// Whether it puts no spaces between its words, or joins everything to them.
    pub(super) fn is_spaceless(self) -> bool {
        self.0 >= FIRST_SPACELESS
    }

    /// Whether its verbs come last.
    pub(super) fn has_verbs_last(self) -> bool {
        self.0 >= FIRST_WITH_VERBS_LAST && !self.is_chinese()
    }

    /// Whether it is Chinese, which has its verbs first.
    pub(super) fn is_chinese(self) -> bool {
        self.0 == CHINESE
    }
}

/// The languages, after what they share.
const LANGUAGES: [&str; 14] = [
    include_str!("words/shared.txt"),
    include_str!("words/en.txt"),
    include_str!("words/de.txt"),
    include_str!("words/es.txt"),
    include_str!("words/fr.txt"),
    include_str!("words/it.txt"),
    include_str!("words/nl.txt"),
    include_str!("words/pl.txt"),
    include_str!("words/pt.txt"),
    include_str!("words/ru.txt"),
    include_str!("words/tr.txt"),
    include_str!("words/ja.txt"),
    include_str!("words/ko.txt"),
    include_str!("words/zh.txt"),
];
/// The place of the first language that puts its verbs last.
const FIRST_WITH_VERBS_LAST: usize = 10;
/// The place of the first language that puts no spaces between its words.
const FIRST_SPACELESS: usize = 11;
/// The place of Chinese.
const CHINESE: usize = 13;

/// A word of a demand in a sentence.
#[derive(Clone, Copy, Debug)]
pub(super) struct SenseMark {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) sense: Sense,
    pub(super) language: WordLanguage,
}

/// The patterns of all languages that have one of some senses.
fn patterns(is_wanted: fn(Sense) -> bool) -> impl Iterator<Item = Pattern> {
    let files = LANGUAGES.iter().enumerate();
    files.flat_map(move |(place, file)| {
        let lines = file.lines().filter_map(line).filter(move |(sense, _)| is_wanted(*sense));
        lines.flat_map(move |(sense, listed)| {
            listed.split("; ").map(move |written| Pattern::new(written, sense, WordLanguage(place)))
        })
    })
}

/// The sense and the patterns of a line, if it is no comment.
fn line(line: &'static str) -> Option<(Sense, &'static str)> {
    let (name, listed) = line.split_once(": ")?;
    let (_, sense) = SENSES.iter().find(|(known, _)| *known == name)?;
    Some((*sense, listed))
}

/// A word, or several, and what they do in a demand.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    /// The first letters of the text in one number, which is compared faster.
    start: u64,
    /// As [`normal`](super::normal::normal) writes it.
    text: &'static str,
    /// Whether a word may go on after it.
    is_open: bool,
    sense: Sense,
    language: WordLanguage,
}

impl Pattern {
    fn new(written: &'static str, sense: Sense, language: WordLanguage) -> Self {
        let stem = written.strip_suffix('*');
        let text = stem.unwrap_or(written);
        // Names in Latin letters are words in every language.
        let is_open = stem.is_some() || (language.is_spaceless() && !text.is_ascii());
        let mut first = [0; 8];
        first.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
        Self { start: u64::from_be_bytes(first), text, is_open, sense, language }
    }
}

/// Patterns in the order of their text, so that those at a place of a text are found letter by letter.
struct Lexicon {
    patterns: Vec<Pattern>,
    /// The hashes of the first two letters of all patterns.
    starts: Vec<bool>,
}

impl Lexicon {
    const STARTS: usize = 4_096;

    fn new(is_wanted: fn(Sense) -> bool) -> Self {
        let mut patterns: Vec<Pattern> = patterns(is_wanted).collect();
        patterns.sort_unstable_by_key(|pattern| (pattern.start, pattern.text));
        let mut starts = vec![false; Self::STARTS];
        for pattern in &patterns {
            let mut letters = pattern.text.chars();
            let first = letters.next().unwrap_or(' ');
            if let Some(start) = starts.get_mut(Self::start(first, letters.next().unwrap_or(' '))) {
                *start = true;
            }
        }
        Self { patterns, starts }
    }

    /// All words.
    fn get() -> &'static Self {
        static ALL: OnceLock<Lexicon> = OnceLock::new();
        ALL.get_or_init(|| Self::new(|_| true))
    }

    /// Words one of which every demand has: who is called or answered, what machines are asked to do, and what they are
    /// to leave aside. They are far fewer, and most pages need no others.
    fn triggers() -> &'static Self {
        static TRIGGERS: OnceLock<Lexicon> = OnceLock::new();
        TRIGGERS.get_or_init(|| Self::new(begins_demand))
    }

    fn start(first: char, second: char) -> usize {
        let both = u32::from(first).wrapping_mul(31).wrapping_add(u32::from(second));
        usize::try_from(both).unwrap_or_default() % Self::STARTS
    }

    /// Calls `found` with each pattern of a text and its place in bytes, until that says that it is enough.
    fn find(&self, text: &str, mut found: impl FnMut(&Pattern, Range<usize>) -> ControlFlow<()>) {
        let mut before = ' ';
        for (at, ch) in text.char_indices() {
            let is_start = ch.is_alphanumeric()
                && (!before.is_alphanumeric() || is_script(ch) || is_script(before));
            // Marks of punctuation begin frames.
            let is_mark = ch == ',' && before == ' ';
            before = ch;
            if (is_start || is_mark) && self.find_at(text, at, &mut found).is_break() {
                return;
            }
        }
    }

    fn find_at(
        &self,
        text: &str,
        at: usize,
        found: &mut impl FnMut(&Pattern, Range<usize>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let rest = text.get(at..).unwrap_or_default();
        let mut letters = rest.char_indices().map(|(at, ch)| (at, ch, letter(ch))).peekable();
        let first = letters.peek().map_or(' ', |(_, _, letter)| *letter);
        let second = rest.chars().nth(1).map_or(' ', letter);
        if !self.starts.get(Self::start(first, second)).copied().unwrap_or_default() {
            return ControlFlow::Continue(());
        }
        let mut left = self.patterns.as_slice();
        let mut depth = 0;
        let mut buffer = [0; 4];
        let mut last = ' ';
        while let Some((_, written, letter)) = letters.next() {
            // Several spaces part words as one does.
            if letter == ' ' && last == ' ' {
                continue;
            }
            last = letter;
            let next = letter.encode_utf8(&mut buffer).as_bytes();
            let rest_of =
                |pattern: &Pattern| pattern.text.as_bytes().get(depth..).unwrap_or_default();
            let from = left.partition_point(|pattern| rest_of(pattern) < next);
            left = left.get(from..).unwrap_or_default();
            let to = left.partition_point(|pattern| rest_of(pattern).starts_with(next));
            left = left.get(..to).unwrap_or_default();
            depth += next.len();
            if left.is_empty() {
                break;
            }
            let after = letters.peek().copied();
            let is_end = after.is_none_or(|(_, after, _)| {
                !after.is_alphanumeric() || is_script(after) != is_script(written)
            });
            let end = at + after.map_or(rest.len(), |(end, _, _)| end);
            for pattern in left.iter().take_while(|pattern| pattern.text.len() == depth) {
                if pattern.is_open || is_end {
                    found(pattern, at..end)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// The words of demands in a sentence that was made comparable, in its order.
///
/// A mark begins with the space before its word, and ends with the one after it: for a pattern that may go on, after
/// the whole word.
pub(super) fn marks(sentence: &str) -> Vec<SenseMark> {
    let mut marks = Vec::new();
    Lexicon::get().find(sentence, |pattern, place| {
        let is_apart =
            |at: Option<usize>| at.and_then(|at| sentence.as_bytes().get(at)) == Some(&b' ');
        let start = place.start - usize::from(is_apart(place.start.checked_sub(1)));
        let rest = sentence.get(place.end..).unwrap_or_default();
        let is_whole_word = pattern.is_open && !pattern.language.is_spaceless();
        let goes_on = |ch: char| is_whole_word && ch.is_alphanumeric() && !is_script(ch);
        let word_end = place.end + rest.find(|ch| !goes_on(ch)).unwrap_or(rest.len());
        let has_end = is_whole_word || !pattern.is_open;
        let end = word_end + usize::from(has_end && is_apart(Some(word_end)));
        let (sense, language) = (pattern.sense, pattern.language);
        marks.push(SenseMark { start, end, sense, language });
        ControlFlow::Continue(())
    });
    marks.sort_by_key(|mark| (mark.start, mark.end));
    marks
}

/// Whether a text, as it was written, has a word that a demand begins with.
pub(super) fn has_trigger(text: &str) -> bool {
    let mut has_one = false;
    Lexicon::triggers().find(text, |_, _| {
        has_one = true;
        ControlFlow::Break(())
    });
    // Brackets and other marks around a frame are not read as they were written.
    has_one
        || ["[sys", "[sis", "[SYS", "[SIS", "[inst", "[INST", "[сис", "[СИС", "im_start"]
            .iter()
            .any(|frame| text.contains(frame))
}

fn begins_demand(sense: Sense) -> bool {
    matches!(
        sense,
        Sense::Machine
            | Sense::Product
            | Sense::Helper
            | Sense::User
            | Sense::Task
            | Sense::Orders
            | Sense::Secret
            | Sense::Trusted
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::demand::normal::normal;

    fn senses(sentence: &str) -> Vec<(&str, Sense)> {
        let found = marks(sentence);
        found.iter().map(|mark| (sentence.get(mark.start..mark.end).unwrap(), mark.sense)).collect()
    }

    #[test]
    fn patterns_are_whole_words_or_their_beginnings() {
        assert_eq!(senses(" language modelling "), [(" language modelling ", Sense::Machine)]);
        assert!(senses(" xlanguage modelling agentic ").is_empty());
        assert!(senses(" , system , now ").contains(&(" , system , ", Sense::Frame)));
        assert!(
            senses(" aiを以前の ")
                .iter()
                .any(|(text, sense)| *text == "以前の" && *sense == Sense::Earlier)
        );
    }

    #[test]
    fn patterns_are_written_as_sentences_are_made_comparable() {
        let mut count = 0;
        for pattern in patterns(|_| true) {
            assert_eq!(normal(pattern.text).trim(), pattern.text.trim());
            count += 1;
        }
        assert!(count > 3_000, "{count}");
    }

    #[test]
    fn every_word_that_begins_a_demand_is_a_trigger() {
        let all = patterns(begins_demand).map(|pattern| format!("x {} y", pattern.text));
        let missing: Vec<String> = all
            .flat_map(|text| [text.to_uppercase(), text])
            .filter(|text| !has_trigger(text))
            .collect();
        assert_eq!(missing, Vec::<String>::new());
        for text in [
            "Künstliche Intelligenz",
            "YAPAY ZEKÂ",
            "Önceki TALİMATLARI",
            "modèle",
            "AIは",
            "これはAI",
        ] {
            assert!(has_trigger(text), "{text}");
        }
        assert!(!has_trigger("Bread knives of carbon steel, said and mailed"));
    }

    #[test]
    fn every_line_has_a_known_sense_and_patterns() {
        for file in LANGUAGES {
            for text in file.lines().filter(|text| !text.starts_with('#')) {
                let (_, listed) = line(text).unwrap_or_else(|| panic!("{text}"));
                assert!(
                    listed.split("; ").all(|word| !word.trim_end_matches('*').is_empty()),
                    "{text}"
                );
            }
        }
    }
}
