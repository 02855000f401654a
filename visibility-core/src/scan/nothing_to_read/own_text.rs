//! The text of a page that is its own: without navigation, footers and the line of the copyright.

use std::collections::BTreeSet;

use crate::page::Page;
use crate::scan::nothing_to_read::notices::{Notice, Strength};
use crate::text::words;

/// Words of a button or a link that answers a question.
const MAX_WORDS_OF_CONTROL: usize = 5;

/// The lines of a page that are its own.
#[derive(Debug)]
pub(super) struct OwnText<'p> {
    lines: Vec<&'p str>,
    links: BTreeSet<&'p str>,
    /// All lines.
    pub(super) size: TextSize,
}

/// How long a text is.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct TextSize {
    pub(super) words: usize,
    pub(super) chars: usize,
}

/// How much of a text is a notice.
#[derive(Debug)]
pub(super) struct NoticeFound<'p> {
    /// The first sentence that is one beyond doubt.
    pub(super) strong: Option<&'p str>,
    /// The sentences without any of its phrases.
    pub(super) beside: TextSize,
}

impl<'p> OwnText<'p> {
    /// The text of a page; `None` if it has as many words as the limit or more.
    pub(super) fn of(page: &'p Page, limit: usize) -> Option<Self> {
        let mut own = Self { lines: Vec::new(), links: BTreeSet::new(), size: TextSize::default() };
        for line in page.own_lines() {
            own.size.words += line.words;
            own.size.chars += line.text.chars().count();
            if own.size.words >= limit {
                return None;
            }
            own.lines.push(line.text);
        }
        let links = page.anchors.iter().map(|anchor| anchor.text.as_str());
        own.links = links.collect();
        Some(own)
    }

    fn sentences(&self) -> impl Iterator<Item = &'p str> {
        self.lines.iter().flat_map(|line| sentences(line))
    }

    /// How much of the text is such a notice. A short link beside it is part of it.
    pub(super) fn judge(&self, notice: Notice) -> NoticeFound<'p> {
        let mut found = NoticeFound { strong: None, beside: TextSize::default() };
        for sentence in self.sentences() {
            match notice.strength(sentence) {
                Some(Strength::Strong) => _ = found.strong.get_or_insert(sentence),
                Some(Strength::Weak) => {}
                None => {
                    let words = words::count(sentence);
                    let is_link = self.links.contains(sentence) && words <= MAX_WORDS_OF_CONTROL;
                    if !is_link {
                        found.beside.words += words;
                        found.beside.chars += sentence.chars().count();
                    }
                }
            }
        }
        found
    }

    /// How many different phrases of a notice the text has.
    pub(super) fn distinct_phrases(&self, notice: Notice) -> usize {
        let phrases = self.sentences().flat_map(|sentence| notice.phrases(sentence));
        phrases.collect::<BTreeSet<_>>().len()
    }

    /// Whether a short line is such a button or link.
    pub(super) fn has_control(&self, notice: Notice) -> bool {
        self.sentences().any(|sentence| {
            words::count(sentence) <= MAX_WORDS_OF_CONTROL && notice.strength(sentence).is_some()
        })
    }

    /// The first sentence.
    pub(super) fn first_sentence(&self) -> Option<String> {
        self.sentences().next().map(str::to_owned)
    }
}

/// The sentences of a line, their marks included.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut chars = rest.char_indices().peekable();
        let end = std::iter::from_fn(|| {
            let (at, ch) = chars.next()?;
            let is_last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
            Some((
                at + ch.len_utf8(),
                matches!(ch, '。' | '！' | '？') || (is_last && ".!?".contains(ch)),
            ))
        })
        .find(|(_, ends)| *ends)
        .map_or(rest.len(), |(end, _)| end);
        let (sentence, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(sentence.trim())
    })
    .filter(|sentence| !sentence.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::own_text::MIN_WORDS_OF_PROSE;

    fn own(html: &str) -> (Vec<String>, usize) {
        let page = Page::parse(html.as_bytes(), None);
        let own = OwnText::of(&page, usize::MAX).expect("no limit");
        (own.sentences().map(str::to_owned).collect(), own.size.words)
    }

    #[test]
    fn a_text_is_cut_into_sentences_without_navigation() {
        let (sentences, words) = own(
            "<nav><a href=/a>One</a></nav><h1>Acme</h1><p>We make 3.5 kg of soap. Do you? 良い天気。はい\
             <footer>Imprint</footer><p>© 2026 Acme Inc.</p>",
        );
        assert_eq!(sentences, ["Acme", "We make 3.5 kg of soap.", "Do you?", "良い天気。", "はい"]);
        assert_eq!(words, 1 + 6 + 2 + 4);
    }

    #[test]
    fn prose_in_a_footer_is_text() {
        let prose = "word ".repeat(MIN_WORDS_OF_PROSE);
        assert_eq!(own(&format!("<footer><p>{prose}<p>Imprint</footer>")).1, MIN_WORDS_OF_PROSE);
    }

    #[test]
    fn a_text_that_reaches_the_limit_is_not_read() {
        let page = Page::parse("<p>one two</p><p>three".as_bytes(), None);
        assert!(OwnText::of(&page, 3).is_none());
        assert_eq!(OwnText::of(&page, 4).map(|own| own.size.words), Some(3));
    }
}
