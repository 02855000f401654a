//! Lists of phrases, and where they are in a text.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::text::fold::fold;
use crate::text::words::is_spaceless;

/// A list of phrases that are looked for together, as whole words.
#[derive(Debug)]
pub(crate) struct Phrases {
    automaton: Option<AhoCorasick>,
    listed: Vec<&'static str>,
    /// Phrases before this one are whole words, those from here on may go on with a suffix.
    stems_from: usize,
}

/// A phrase in a folded text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct PhraseMatch {
    /// The phrase, as listed.
    pub(crate) phrase: &'static str,
    /// Bytes before it.
    pub(crate) start: usize,
    /// Bytes up to its end.
    pub(crate) end: usize,
}

impl Phrases {
    /// A list of whole words, and of stems that may go on with letters, as Turkish words do.
    pub(crate) fn new(words: &[&'static str], stems: &[&'static str]) -> Self {
        let listed = [words, stems].concat();
        let patterns = listed.iter().map(|phrase| fold(phrase));
        // Cheap to build: a page is short, and a process may read a single one.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::NoncontiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(patterns)
            .ok();
        Self { automaton, listed, stems_from: words.len() }
    }

    /// Where the phrases are in a folded text, in order, without overlaps.
    pub(crate) fn find<'t>(&'t self, folded: &'t str) -> impl Iterator<Item = PhraseMatch> + 't {
        let found = self.automaton.iter().flat_map(move |automaton| automaton.find_iter(folded));
        found.filter_map(move |found| {
            let is_stem = found.pattern().as_usize() >= self.stems_from;
            let before = folded.get(..found.start())?.chars().next_back();
            let after = folded.get(found.end()..)?.chars().next();
            // Scripts without spaces have no ends of words to be seen.
            let is_letter =
                |ch: Option<char>| ch.is_some_and(|ch| ch.is_alphanumeric() && !is_spaceless(ch));
            let is_whole = !is_letter(before) && (is_stem || !is_letter(after));
            let phrase = *self.listed.get(found.pattern().as_usize())?;
            is_whole.then(|| PhraseMatch { phrase, start: found.start(), end: found.end() })
        })
    }

    /// All phrases.
    #[cfg(test)]
    pub(crate) fn listed(&self) -> &[&'static str] {
        &self.listed
    }

    /// Whether one of the phrases is in a folded text.
    pub(crate) fn are_in(&self, folded: &str) -> bool {
        self.find(folded).next().is_some()
    }

    /// Whether a folded text begins with one of the phrases.
    pub(crate) fn begin(&self, folded: &str) -> bool {
        self.find(folded).next().is_some_and(|found| found.start == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_as_words_and_stems_with_suffixes() {
        let phrases = Phrases::new(&["world-class", "it", "it is"], &["muhteşem", "eşsiz"]);
        for (text, expected) in [
            ("A world-class kettle, it is", vec!["world-class", "it is"]),
            ("Bit by bit, items", vec![]),
            ("MUHTEŞEMDİR, eşsizdir", vec!["muhteşem", "eşsiz"]),
            ("keşsiz", vec![]),
            ("world-classy", vec![]),
        ] {
            let folded = fold(text);
            let found: Vec<&str> = phrases.find(&folded).map(|found| found.phrase).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_text_begins_with_a_phrase_or_does_not() {
        let phrases = Phrases::new(&["in today's world", "bu"], &[]);
        assert!(phrases.begin("bu bir cümle"));
        assert!(!phrases.begin("buz dolabı") && !phrases.begin("ve bu"));
        assert!(phrases.are_in("ve bu") && !phrases.are_in(""));
    }
}
