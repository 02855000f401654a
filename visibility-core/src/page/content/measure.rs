//! Measures the text of each element, to find the content.

use std::collections::HashSet;

use html5ever::local_name;

use crate::page::content::Root;
use crate::page::content::digest::TextDigest;
use crate::page::content::judge::{self, Fate};
use crate::page::content::mark::{self, Chrome, ElementMark, Landmark, Origin, Visibility};
use crate::page::content::siblings::{self, OpenElements, Sibling};
use crate::page::element::{self, Element};
use crate::page::noscript;
use crate::page::text::Gap;
use crate::page::tree::{NodeContent, NodeId, Tree, WalkStep};
use crate::text::words::{self, Share};

/// Text of links within a container of links, in percent.
pub(super) const MIN_LINK_TEXT: u64 = 60;
/// Text of the body that no chrome holds, in percent.
pub(super) const MAX_CHROME_TEXT: u64 = 40;
/// Characters of each link from which on links are teasers.
const TEASER_CHARS: u32 = 30;
/// Characters of each link from which on they are, if there is a heading for every third.
const TITLE_CHARS: u32 = 20;
/// Characters of text, and at most so much of it links, in percent, which are no navigation whatever their name.
const MIN_TEXT_CHARS: u32 = 300;
const MAX_TEXT_LINKS: u64 = 20;
/// Characters of a paragraph of a text.
const MIN_PARAGRAPH_CHARS: u32 = 80;
/// Characters that are more than the label of a button.
const MIN_CARD_CHARS: u32 = 120;
/// Text of links within a menu, in percent.
const MIN_MENU_TEXT: u64 = 80;

/// The text within an element, in characters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ElementSums {
    pub(super) chars: u32,
    link_chars: u32,
    hidden_chars: u32,
    hidden_link_chars: u32,
    /// Links that show.
    pub(super) links: u32,
    /// `main` and `h1` that show.
    pub(super) titles: u32,
    /// Headings below the first level that show.
    headings: u32,
    /// Images that show.
    images: u32,
    /// Characters of paragraphs that are longer than those of teasers.
    pub(super) text: u32,
    /// Of what shows.
    pub(super) digest: TextDigest,
    /// Characters of the teasers beside each other that are most of it.
    pub(super) teasers: u32,
}

impl ElementSums {
    pub(super) fn add(&mut self, other: Self) {
        self.chars = self.chars.saturating_add(other.chars);
        self.link_chars = self.link_chars.saturating_add(other.link_chars);
        self.hidden_chars = self.hidden_chars.saturating_add(other.hidden_chars);
        self.hidden_link_chars = self.hidden_link_chars.saturating_add(other.hidden_link_chars);
        self.links = self.links.saturating_add(other.links);
        self.titles = self.titles.saturating_add(other.titles);
        self.headings = self.headings.saturating_add(other.headings);
        self.images = self.images.saturating_add(other.images);
        self.text = self.text.saturating_add(other.text);
        self.digest = self.digest.then(other.digest);
        self.teasers = self.teasers.max(other.teasers);
    }

    pub(super) fn shown(self) -> u32 {
        self.chars.saturating_sub(self.hidden_chars)
    }

    pub(super) fn shown_links(self) -> u32 {
        self.link_chars.saturating_sub(self.hidden_link_chars)
    }

    /// Text that shows and is not a link.
    pub(super) fn prose(self) -> u32 {
        self.shown().saturating_sub(self.shown_links())
    }

    /// Whether links say as much as teasers do, rather than as little as a menu.
    pub(super) fn is_teasers(self) -> bool {
        let chars = self.shown_links();
        let has = |each: u32| chars >= self.links.saturating_mul(each);
        has(TEASER_CHARS) || (has(TITLE_CHARS) && self.headings >= self.links / 3)
    }

    /// Whether it says more than the label of a button: all of a card may be one.
    pub(super) fn is_card(self) -> bool {
        self.headings > 0 || self.shown() >= MIN_CARD_CHARS
    }

    /// Whether it is text to read, rather than what leads somewhere.
    pub(super) fn is_text(self) -> bool {
        self.prose() >= MIN_TEXT_CHARS
            && !is_share(self.shown_links(), self.shown(), MAX_TEXT_LINKS)
    }

    /// Whether it is the page with its title, rather than a part of it.
    pub(super) fn is_page(self, body: Self) -> bool {
        self.titles > 0 && is_share(self.shown(), body.shown(), MAX_CHROME_TEXT)
    }

    /// Whether most of the text, hidden or not, is links.
    pub(super) fn is_menu(self) -> bool {
        is_share(self.link_chars, self.chars, MIN_MENU_TEXT)
    }
}

/// Whether a part is at least that many percent of a whole which is not nothing.
pub(super) fn is_share(part: u32, whole: u32, percent: u64) -> bool {
    whole > 0 && u64::from(part) * 100 >= u64::from(whole) * percent
}

/// What is known of every node.
#[derive(Debug)]
pub(in crate::page) struct Measures {
    marks: Vec<ElementMark>,
    sums: Vec<ElementSums>,
    fates: Vec<Fate>,
    /// Tables that only place what is in them.
    layout_tables: HashSet<NodeId>,
    pub(super) has_microdata: bool,
    pub(super) body_words: usize,
    pub(super) root: Root,
}

impl Measures {
    pub(in crate::page) fn new(tree: &Tree) -> Self {
        let mut measures = Self {
            marks: vec![ElementMark::default(); tree.len()],
            sums: vec![ElementSums::default(); tree.len()],
            fates: Vec::new(),
            layout_tables: HashSet::new(),
            has_microdata: false,
            body_words: 0,
            root: Root::Body,
        };
        measures.count(tree);
        let judgement = judge::judge(tree, &measures);
        measures.fates = judgement.fates;
        measures.root = judgement.root;
        measures
    }

    pub(super) fn mark(&self, id: NodeId) -> ElementMark {
        self.marks.get(id.index()).copied().unwrap_or_default()
    }

    pub(super) fn sums(&self, id: NodeId) -> ElementSums {
        self.sums.get(id.index()).copied().unwrap_or_default()
    }

    /// Elements on lines of their own with so few characters that they may be headings: many sites make them of `div` or `p`.
    pub(super) fn short_lines(&self, max_chars: u32) -> impl Iterator<Item = NodeId> {
        let measured = self.marks.iter().zip(&self.sums).enumerate();
        let short = measured.filter(move |(_, (mark, sums))| {
            mark.gap == Gap::Line && sums.shown() > 0 && sums.shown() <= max_chars
        });
        short.filter_map(|(place, _)| NodeId::at(place))
    }

    /// Characters of the text within an element that shows.
    pub(super) fn shown_chars(&self, id: NodeId) -> u32 {
        self.sums(id).shown()
    }

    /// Characters of the whole page that show, and those of its links.
    pub(super) fn shown_page(&self) -> (u32, u32) {
        let all = self.sums(NodeId::DOCUMENT);
        (all.shown(), all.shown_links())
    }

    pub(super) fn fate(&self, id: NodeId) -> Fate {
        self.fates.get(id.index()).copied().unwrap_or_default()
    }

    pub(super) fn is_layout_table(&self, id: NodeId) -> bool {
        self.layout_tables.contains(&id)
    }

    fn change(&mut self, id: Option<NodeId>, change: impl FnOnce(&mut ElementSums)) {
        if let Some(sums) = id.and_then(|id| self.sums.get_mut(id.index())) {
            change(sums);
        }
    }

    /// Counts the text within every element.
    fn count(&mut self, tree: &Tree) {
        let mut counting = Counting::default();
        for step in tree.walk() {
            match step {
                WalkStep::Enter(_) if counting.never.is_some() => {}
                WalkStep::Enter(id) => match tree.content(id) {
                    NodeContent::Text(text) => {
                        let chars = counting.words.add(text);
                        self.change(tree.parent(id), |sums| {
                            sums.chars = sums.chars.saturating_add(chars);
                            sums.digest = sums.digest.then(TextDigest::of(text));
                        });
                        self.change(Some(id), |sums| sums.chars = chars);
                    }
                    NodeContent::Element(element) => self.enter(tree, id, element, &mut counting),
                    NodeContent::Comment(_) | NodeContent::Other => {}
                },
                WalkStep::Leave(id) => {
                    if let NodeContent::Element(element) = tree.content(id) {
                        let sums = self.leave(id, element, &mut counting);
                        self.change(tree.parent(id), |above| above.add(sums));
                    }
                }
            }
        }
        self.body_words = counting.words.words;
    }

    fn enter(&mut self, tree: &Tree, id: NodeId, element: &Element, counting: &mut Counting) {
        let name = element.name();
        let mut mark = mark::mark(element, &name);
        if tree.is_apart(id) {
            mark.gap_before = mark.gap.max(Gap::Space);
        }
        if noscript::is_noscript(&name)
            && (counting.noscript.is_some() || noscript::is_content(&noscript::text(tree, id)))
        {
            counting.noscript.get_or_insert(id);
            mark.shown = Visibility::Yes;
            mark.origin = Origin::Noscript;
        }
        if let Some(slot) = self.marks.get_mut(id.index()) {
            *slot = mark;
        }
        counting.open.enter(id);
        match mark.shown {
            Visibility::Never => counting.never = Some(id),
            Visibility::Hidden => _ = counting.hidden.get_or_insert(id),
            Visibility::Yes => {}
        }
        counting.words.part(mark.gap_before);
        self.has_microdata |= mark.is_item;
        let is_table = mark.landmark == Landmark::Table;
        if (is_table || matches!(name, local_name!("h1") | local_name!("h2")))
            && let Some(around) = counting.tables.last()
        {
            self.layout_tables.insert(*around);
        }
        if is_table {
            counting.tables.push(id);
            let role = element.attribute("role").unwrap_or_default().trim();
            if matches!(role, "presentation" | "none") {
                self.layout_tables.insert(id);
            }
        }
    }

    /// The sums of an element, once all that is in it has been seen.
    fn leave(&mut self, id: NodeId, element: &Element, counting: &mut Counting) -> ElementSums {
        counting.never.take_if(|node| *node == id);
        counting.noscript.take_if(|node| *node == id);
        if counting.never.is_some() {
            return ElementSums::default();
        }
        let name = element.name();
        counting.words.part(self.mark(id).gap);
        counting.tables.pop_if(|node| *node == id);
        let is_link = name == local_name!("a") && element.attribute("href").is_some();
        let is_heading = element::heading_level(&name).is_some_and(|level| level > 1);
        let is_image = name == local_name!("img");
        let is_paragraph = name == local_name!("p");
        let is_notice = self.mark(id).chrome == Chrome::Notice;
        let children = counting.open.leave(id);
        let is_title = matches!(self.mark(id).landmark, Landmark::Main | Landmark::MainTitle);
        let is_hidden = counting.hidden.take_if(|node| *node == id).is_some();
        self.change(Some(id), |sums| {
            if is_link {
                sums.link_chars = sums.chars;
                sums.hidden_link_chars = sums.hidden_chars;
                sums.links = 1;
            }
            sums.images = sums.images.saturating_add(u32::from(is_image));
            if is_paragraph && sums.prose() >= MIN_PARAGRAPH_CHARS {
                sums.text = sums.prose();
            }
            if children.are_teasers() {
                sums.teasers = sums.teasers.max(children.chars);
            }
            if is_hidden || is_notice {
                sums.text = 0;
                sums.teasers = 0;
            }
            if is_hidden {
                sums.digest = TextDigest::default();
                sums.images = 0;
                sums.hidden_chars = sums.chars;
                sums.hidden_link_chars = sums.link_chars;
                sums.links = 0;
                sums.titles = 0;
                sums.headings = 0;
            } else if is_heading {
                sums.headings = sums.headings.saturating_add(1);
            } else if is_title {
                sums.titles = sums.titles.saturating_add(1);
            }
        });
        let sums = self.sums(id);
        if sums.shown() > 0 {
            counting.open.join(Sibling {
                kind: siblings::kind(&name, element),
                chars: sums.shown(),
                has_link: sums.links > 0,
                has_title: sums.headings > 0 || sums.images > 0,
            });
        }
        sums
    }
}

/// The state of a count.
#[derive(Debug, Default)]
struct Counting {
    words: WordCount,
    never: Option<NodeId>,
    hidden: Option<NodeId>,
    /// The outermost `noscript` with content.
    noscript: Option<NodeId>,
    tables: Vec<NodeId>,
    open: OpenElements,
}

/// Counts words across the elements that text is cut into.
#[derive(Debug)]
struct WordCount {
    words: usize,
    share: Share,
    is_apart: bool,
    /// The last character.
    last: char,
}

impl Default for WordCount {
    fn default() -> Self {
        Self { words: 0, share: Share::default(), is_apart: true, last: ' ' }
    }
}

impl WordCount {
    fn part(&mut self, gap: Gap) {
        self.is_apart |= gap != Gap::None;
    }

    /// Counts the words of a text; its characters, white space collapsed.
    fn add(&mut self, text: &str) -> u32 {
        let (chars, parts) = count_text(text);
        if parts == 0 {
            self.is_apart |= !text.is_empty();
            return 0;
        }
        let first = text.chars().next().unwrap_or(' ');
        let is_joined = !self.is_apart && words::joins(self.last, first);
        self.words = (self.words + self.share.count(text)).saturating_sub(usize::from(is_joined));
        self.is_apart = text.ends_with(char::is_whitespace);
        self.last = text.chars().next_back().unwrap_or(' ');
        u32::try_from(chars + parts).unwrap_or(u32::MAX)
    }
}

/// Characters that are not white space, and parts between white space.
fn count_text(text: &str) -> (usize, usize) {
    let (mut chars, mut words) = (0, 0);
    if !text.is_ascii() {
        for word in text.split_whitespace() {
            chars += word.chars().count();
            words += 1;
        }
        return (chars, words);
    }
    let mut in_word = false;
    for byte in text.bytes() {
        // As `char::is_whitespace` has it, with the vertical tab.
        let is_word = !matches!(byte, b' ' | b'\t'..=b'\r');
        chars += usize::from(is_word);
        words += usize::from(is_word && !in_word);
        in_word = is_word;
    }
    (chars, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_across_elements() {
        let mut count = WordCount::default();
        assert_eq!(count.add("one t"), 6);
        assert_eq!(count.add("wo "), 3);
        assert_eq!(count.add("three"), 6);
        count.part(Gap::Line);
        assert_eq!(count.add("four"), 5);
        assert_eq!(count.add("\u{a0} "), 0);
        assert_eq!(count.add("beş"), 4);
        assert_eq!(count.words, 5);
    }

    #[test]
    fn ascii_is_counted_like_all_text() {
        for text in ["", " ", "a", " a  b\tc\u{b}d\u{c}e\n", "\u{1c}x\u{1f}"] {
            let wide = format!("{text} ü");
            let (chars, words) = count_text(text);
            assert_eq!(count_text(&wide), (chars + 1, words + 1), "{text:?}");
        }
    }
}
