//! The words of a page: measured once, for all signals that judge text.
//!
//! Lists of words are in English and in Turkish; a page in an unknown language is held to both.

pub(crate) mod byline;
pub(crate) mod date;
pub(crate) mod fact;
pub(crate) mod hype;
pub(crate) mod key_value;
pub(crate) mod opener;
pub(crate) mod policy;
pub(crate) mod readability;
pub(crate) mod review;

use crate::page::content::{Block, BlockKind, Content};
use crate::page::language::Language;
use crate::text::sentence;

/// Words of a block that is a passage.
const MIN_PASSAGE_WORDS: usize = 12;
/// Words from which on a block that no mark closes is a sentence and no label.
const MIN_OPEN_SENTENCE_WORDS: usize = 8;

/// What the blocks of the main content measure.
#[derive(Clone, Debug, Default)]
pub struct Prose {
    /// One for each block of the content, in its order.
    pub blocks: Vec<BlockMeasure>,
    /// Its sentences together.
    pub sentences: Sentences,
    /// Facts of all blocks: numbers with units, prices, percentages, years.
    pub facts: usize,
}

/// What one block measures.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct BlockMeasure {
    /// Words.
    pub words: usize,
    /// Facts.
    pub facts: usize,
    /// Facts that are more than a year.
    pub quantities: usize,
    /// Whether it begins with a word that points back at another passage. Looked at in passages
    /// alone: blocks of running text with 12 words and more.
    pub is_dangling: bool,
}

/// What the sentences of the running text measure.
#[derive(Clone, Debug, Default)]
pub struct Sentences {
    /// How many there are.
    pub count: usize,
    /// Words of all.
    pub words: usize,
    /// Syllables of all, by the rules of the language of the page.
    pub syllables: usize,
    /// The longest one.
    pub longest: Option<Longest>,
}

/// The longest sentence of a page.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Longest {
    /// The sentence.
    pub text: String,
    /// Number of words.
    pub words: usize,
    /// Place of its block in the content.
    pub block: usize,
}

impl Prose {
    /// Measures the content of a page. One pass over its text.
    pub fn measure(content: &Content, language: Language) -> Self {
        let mut prose = Self::default();
        for (index, block) in content.blocks.iter().enumerate() {
            let measured = measure(block, language);
            prose.facts += measured.facts;
            if is_running(block)
                && (measured.words >= MIN_OPEN_SENTENCE_WORDS || sentence::is_closed(&block.text))
            {
                prose.sentences.add(block, index, language);
            }
            prose.blocks.push(measured);
        }
        prose
    }

    /// Blocks of the content beside what they measure, in order.
    pub fn pairs<'a>(
        &'a self,
        content: &'a Content,
    ) -> impl Iterator<Item = (&'a Block, &'a BlockMeasure)> {
        content.blocks.iter().zip(&self.blocks)
    }

    /// Running text in blocks of at least 12 words.
    pub fn passages<'a>(
        &'a self,
        content: &'a Content,
    ) -> impl Iterator<Item = (&'a Block, &'a BlockMeasure)> {
        self.pairs(content)
            .filter(|(block, measured)| is_running(block) && measured.words >= MIN_PASSAGE_WORDS)
    }
}

impl Sentences {
    fn add(&mut self, block: &Block, index: usize, language: Language) {
        for sentence in sentence::sentences(&block.text) {
            let (mut words, mut syllables) = (0, 0);
            for word in sentence::words(sentence) {
                words += 1;
                syllables += readability::syllables(word, language);
            }
            if words == 0 {
                continue;
            }
            self.count += 1;
            self.words += words;
            self.syllables += syllables;
            if self.longest.as_ref().is_none_or(|longest| longest.words < words) {
                let text = crate::text::excerpt::excerpt(sentence);
                self.longest = Some(Longest { text, words, block: index });
            }
        }
    }
}

/// Whether a block is running text, and no heading, label, cell or code.
pub(crate) fn is_running(block: &Block) -> bool {
    use BlockKind::{Description, ListItem, Paragraph, Quote};
    matches!(block.kind, Paragraph | ListItem | Description | Quote)
}

fn measure(block: &Block, language: Language) -> BlockMeasure {
    let words = sentence::words(&block.text).count();
    let (mut facts, mut quantities) = (0, 0);
    for fact in fact::facts(&block.text) {
        facts += 1;
        quantities += usize::from(fact.kind != fact::FactKind::Year);
    }
    let is_passage = is_running(block) && words >= MIN_PASSAGE_WORDS;
    let is_dangling = is_passage && opener::is_dangling(&block.text, language);
    BlockMeasure { words, facts, quantities, is_dangling }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn content(blocks: &[(BlockKind, &str)]) -> Content {
        let blocks = blocks.iter().map(|(kind, text)| Block {
            kind: *kind,
            text: (*text).to_owned(),
            ..Block::default()
        });
        Content { blocks: blocks.collect(), ..Content::default() }
    }

    #[test]
    fn blocks_are_measured() {
        let content = content(&[
            (BlockKind::Heading(1), "This K2 kettle"),
            (
                BlockKind::Paragraph,
                "It boils 1.7 liters of water in 4 minutes. Since 2019 we sold 30,000 pieces of it.",
            ),
            (BlockKind::ListItem, "Add to cart"),
            (BlockKind::Cell, "It weighs 2 kg and has been made of the best steel there is."),
        ]);
        let prose = Prose::measure(&content, Language { code: Some("en") });
        assert_eq!(
            prose.blocks[1],
            BlockMeasure { words: 17, facts: 4, quantities: 3, is_dangling: true }
        );
        assert_eq!((prose.blocks[0].is_dangling, prose.blocks[3].is_dangling), (false, false));
        assert_eq!(prose.facts, 5);
        let Sentences { count, words, longest, .. } = prose.sentences;
        assert_eq!((count, words), (2, 17));
        let longest = longest.unwrap();
        assert_eq!(
            (longest.text.as_str(), longest.block),
            ("It boils 1.7 liters of water in 4 minutes.", 1)
        );
    }

    /// Work that grew with the square of the text would take hours.
    #[test]
    fn long_texts_are_read_in_one_pass() {
        for piece in
            [". ", "1 ", "a", "1.", "A. ", "21.11.", "yüzde 1", "Nov 1 ", "\u{301}", "© 2026"]
        {
            let text = piece.repeat(100_000 / piece.len());
            let content = content(&[(BlockKind::Paragraph, &text)]);
            for code in [None, Some("tr")] {
                let prose = Prose::measure(&content, Language { code });
                assert_eq!(prose.blocks.len(), 1);
                assert_eq!(date::find_labeled_dates(&text, Language { code }).count(), 0);
            }
            assert_eq!(hype::hype().find(&crate::text::fold::fold(&text)).count(), 0);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_prose_panic(
            texts in proptest::collection::vec("([a-zA-Zıİşğ0-9]{1,5}|[.!?%$€/ ,:-]|\\PC){0,60}", 0..6),
        ) {
            let blocks: Vec<_> = texts.iter().map(|text| (BlockKind::Paragraph, text.as_str())).collect();
            for code in [None, Some("en"), Some("tr"), Some("de")] {
                let prose = Prose::measure(&content(&blocks), Language { code });
                prop_assert_eq!(prose.blocks.len(), texts.len());
            }
        }
    }
}
