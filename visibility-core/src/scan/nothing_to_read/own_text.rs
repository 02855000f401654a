//! The text of a page that is its own, in pieces of which each is a heading, a button or text.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::page::{Dialog, Page, notice};
use crate::scan::nothing_to_read::notices::{Notice, Strength};
use crate::text::sentence::sentences;
use crate::text::words;

/// Words of a button or a link that answers a question.
const MAX_WORDS_OF_CONTROL: usize = 5;
/// Words of a line from which on it is a paragraph.
const MIN_WORDS_OF_PARAGRAPH: usize = 12;
/// Headings of a page that are compared.
const MAX_HEADINGS: usize = 50;

/// The text of a page that is its own.
#[derive(Debug)]
pub(super) struct OwnText<'p> {
    pieces: Vec<Piece<'p>>,
    links: BTreeSet<&'p str>,
    /// All of it.
    pub(super) size: TextSize,
}

/// A line, or a part of it up to a button.
#[derive(Clone, Copy, Debug)]
struct Piece<'p> {
    text: &'p str,
    words: usize,
    role: Role,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    Heading,
    Button,
    Text,
}

/// How long a text is.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct TextSize {
    pub(super) words: usize,
    pub(super) chars: usize,
}

impl TextSize {
    fn add(&mut self, text: &str, words: usize) {
        self.words += words;
        self.chars += text.chars().count();
    }
}

/// How much of a text is a notice.
#[derive(Debug)]
pub(super) struct NoticeFound<'p> {
    /// The first sentence that is one beyond doubt.
    pub(super) strong: Option<&'p str>,
    /// What is left without the sentences that have any of its phrases, and without its block: from its heading to its buttons.
    pub(super) beside: TextSize,
}

impl<'p> OwnText<'p> {
    /// The text of a page; `None` if it has as many words as the limit or more.
    pub(super) fn of(page: &'p Page, limit: usize) -> Option<Self> {
        let asking: Vec<&Dialog> = page.dialogs.iter().filter(|at| is_asking(page, at)).collect();
        let headings = page.headings.iter().take(MAX_HEADINGS).map(|heading| heading.text.as_str());
        let headings: BTreeSet<&str> = headings.collect();
        let mut own =
            Self { pieces: Vec::new(), links: BTreeSet::new(), size: TextSize::default() };
        for line in page.own_lines() {
            let is_in = |dialog: &&Dialog| dialog.text.contains(&line.start);
            if asking.iter().any(is_in) {
                continue;
            }
            own.size.add(line.text, line.words);
            if own.size.words >= limit {
                return None;
            }
            let is_heading = headings.contains(line.text);
            own.add_line(line.text, cut_at_buttons(page, line.start, line.text), is_heading);
        }
        let links = page.anchors.iter().map(|anchor| anchor.text.as_str());
        own.links = links.collect();
        Some(own)
    }

    /// The dialogs of a page that ask for something, which are no text of its own; `None` without any.
    pub(super) fn of_dialogs(page: &'p Page) -> Option<Self> {
        let mut own =
            Self { pieces: Vec::new(), links: BTreeSet::new(), size: TextSize::default() };
        for dialog in page.dialogs.iter().filter(|at| at.is_consent || is_asking(page, at)) {
            for line in dialog_text(page, dialog).lines() {
                own.size.add(line, words::count(line));
                own.add_line(line, vec![(line, false)], false);
            }
        }
        (own.size.words > 0).then_some(own)
    }

    fn add_line(&mut self, line: &'p str, parts: Vec<(&'p str, bool)>, is_heading: bool) {
        for (text, is_button) in parts {
            let role = match (is_button, is_heading && text == line) {
                (true, _) => Role::Button,
                (_, true) => Role::Heading,
                _ => Role::Text,
            };
            self.pieces.push(Piece { text, words: words::count(text), role });
        }
    }

    fn sentences(&self) -> impl Iterator<Item = &'p str> {
        self.pieces.iter().flat_map(|piece| sentences(piece.text))
    }

    /// Whether the text has two paragraphs and more.
    pub(super) fn is_prose(&self) -> bool {
        let texts = self.pieces.iter().filter(|piece| piece.role == Role::Text);
        texts.filter(|piece| piece.words >= MIN_WORDS_OF_PARAGRAPH).nth(1).is_some()
    }

    /// Whether the text begins with such a notice: its heading, or what follows that.
    pub(super) fn begins_with(&self, notice: Notice) -> bool {
        let first = self.pieces.iter().take(2).flat_map(|piece| sentences(piece.text));
        first.into_iter().any(|sentence| is_strong(notice, sentence))
    }

    /// Whether it says nothing, or only that the page is on its way.
    pub(super) fn is_waiting(&self) -> bool {
        self.pieces.iter().all(|piece| notice::is_waiting(piece.text))
    }

    /// Whether there is something to answer such a notice with, as far as it wants an answer.
    pub(super) fn asks(&self, notice: Notice) -> bool {
        notice == Notice::Human
            || self.pieces.iter().filter(|piece| piece.words <= MAX_WORDS_OF_CONTROL).any(|piece| {
                let is_control = piece.role == Role::Button || self.links.contains(piece.text);
                is_control && notice.is_answered_by(piece.text)
            })
    }

    /// How much of the text is such a notice.
    ///
    /// In prose of two and more paragraphs its phrases say nothing: an article about such notices has them, too. Its block
    /// alone is taken away there.
    pub(super) fn judge(&self, notice: Notice) -> NoticeFound<'p> {
        let strong = self.sentences().find(|sentence| is_strong(notice, sentence));
        let block = self.block(notice).unwrap_or_default();
        let is_prose = self.is_prose();
        let mut beside = TextSize::default();
        for (index, piece) in self.pieces.iter().enumerate() {
            if block.contains(&index) || (piece.role == Role::Button && strong.is_some()) {
                continue;
            }
            let is_paragraph = piece.words >= MIN_WORDS_OF_PARAGRAPH;
            for sentence in sentences(piece.text) {
                let words = words::count(sentence);
                // A short link beside it is part of it.
                let is_link = self.links.contains(sentence) && words <= MAX_WORDS_OF_CONTROL;
                let is_notice = notice.strength(sentence).is_some();
                if !is_link && !(is_notice && !(is_prose && is_paragraph)) {
                    beside.add(sentence, words);
                }
            }
        }
        NoticeFound { strong, beside }
    }

    /// The pieces of a notice that asks for something: from the heading before its first sentence to the buttons that answer.
    fn block(&self, notice: Notice) -> Option<Range<usize>> {
        let is_strong = |piece: &Piece<'_>| sentences(piece.text).any(|at| is_strong(notice, at));
        let first = self.pieces.iter().position(is_strong)?;
        let before = self.pieces.get(..first)?;
        let has_heading = before.last().is_some_and(|piece| piece.role == Role::Heading);
        let start = if has_heading { first - 1 } else { first };
        let after = self.pieces.get(first..)?;
        let section = after.iter().skip(1).position(|piece| piece.role == Role::Heading);
        let section = after.get(..section.map_or(after.len(), |next| next + 1))?;
        let is_answer = |piece: &Piece<'_>| {
            piece.role == Role::Button
                && piece.words <= MAX_WORDS_OF_CONTROL
                && notice.is_answered_by(piece.text)
        };
        let answer = section.iter().position(is_answer)?;
        let buttons = section.get(answer..)?.iter();
        let end = first + answer + buttons.take_while(|piece| piece.role == Role::Button).count();
        Some(start..end)
    }

    /// How many different phrases of a notice the text has.
    pub(super) fn distinct_phrases(&self, notice: Notice) -> usize {
        let phrases = self.sentences().flat_map(|sentence| notice.phrases(sentence));
        phrases.collect::<BTreeSet<_>>().len()
    }

    /// The first sentence.
    pub(super) fn first_sentence(&self) -> Option<String> {
        self.sentences().next().map(str::to_owned)
    }
}

fn is_strong(notice: Notice, sentence: &str) -> bool {
    notice.strength(sentence) == Some(Strength::Strong)
}

fn dialog_text<'p>(page: &'p Page, dialog: &Dialog) -> &'p str {
    page.visible_text.get(dialog.text.clone()).unwrap_or_default()
}

/// Whether a dialog asks for something that has nothing to do with the page: many sites are applications of which all is in
/// one.
fn is_asking(page: &Page, dialog: &Dialog) -> bool {
    let text = dialog_text(page, dialog);
    text.lines()
        .flat_map(sentences)
        .any(|sentence| Notice::GATES.into_iter().any(|notice| is_strong(notice, sentence)))
}

/// The parts of a line, and whether each is a button.
fn cut_at_buttons<'p>(page: &Page, start: usize, line: &'p str) -> Vec<(&'p str, bool)> {
    let end = start + line.len();
    let first = page.buttons.partition_point(|button| button.end <= start);
    let buttons = page.buttons.iter().skip(first).take_while(|button| button.start < end);
    let mut parts = Vec::new();
    let mut from = start;
    for button in buttons {
        let at = button.start.max(from)..button.end.min(end);
        parts.push((from..at.start, false));
        from = at.end;
        parts.push((at, true));
    }
    parts.push((from..end, false));
    let texts = parts.into_iter().filter_map(|(at, is_button)| {
        let text = line.get(at.start - start..at.end - start)?.trim();
        (!text.is_empty()).then_some((text, is_button))
    });
    texts.collect()
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
