//! Measures the text of each element, to find the content.

use std::collections::HashSet;

use html5ever::local_name;

use crate::page::content::Root;
use crate::page::content::mark::{self, Chrome, ElementMark, Landmark, Origin, Visibility};
use crate::page::content::root::RootSearch;
use crate::page::content::rule::{self, DropRule, Lifted};
use crate::page::element::{self, Element};
use crate::page::noscript;
use crate::page::text::Gap;
use crate::page::tree::{NodeContent, NodeId, Tree, WalkStep};
use crate::text::words::{self, Share};

/// Links that make a container one of links.
const MIN_LINKS: u32 = 4;
/// Text of links within a container of links, in percent.
const MIN_LINK_TEXT: u64 = 60;
/// Text of the body that no chrome holds, in percent.
const MAX_CHROME_TEXT: u64 = 40;
/// Characters of each link from which on links are teasers.
const TEASER_CHARS: u32 = 30;
/// Characters of each link from which on they are, if there is a heading for every third.
const TITLE_CHARS: u32 = 20;
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
    links: u32,
    /// `main` and `h1` that show.
    titles: u32,
    /// Headings below the first level that show.
    headings: u32,
}

impl ElementSums {
    fn add(&mut self, other: Self) {
        self.chars = self.chars.saturating_add(other.chars);
        self.link_chars = self.link_chars.saturating_add(other.link_chars);
        self.hidden_chars = self.hidden_chars.saturating_add(other.hidden_chars);
        self.hidden_link_chars = self.hidden_link_chars.saturating_add(other.hidden_link_chars);
        self.links = self.links.saturating_add(other.links);
        self.titles = self.titles.saturating_add(other.titles);
        self.headings = self.headings.saturating_add(other.headings);
    }

    fn shown(self) -> u32 {
        self.chars.saturating_sub(self.hidden_chars)
    }

    fn shown_links(self) -> u32 {
        self.link_chars.saturating_sub(self.hidden_link_chars)
    }

    /// Text that shows and is not a link.
    fn prose(self) -> u32 {
        self.shown().saturating_sub(self.shown_links())
    }

    /// Whether links say as much as teasers do, rather than as little as a menu.
    fn is_teasers(self) -> bool {
        let chars = self.shown_links();
        let has = |each: u32| chars >= self.links.saturating_mul(each);
        has(TEASER_CHARS) || (has(TITLE_CHARS) && self.headings >= self.links / 3)
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

/// What becomes of an element.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Fate {
    /// It is read.
    #[default]
    Content,
    /// It is the page's chrome.
    Chrome,
    /// It is a list of links.
    Links,
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
        measures.judge(tree);
        measures
    }

    pub(super) fn mark(&self, id: NodeId) -> ElementMark {
        self.marks.get(id.index()).copied().unwrap_or_default()
    }

    pub(super) fn sums(&self, id: NodeId) -> ElementSums {
        self.sums.get(id.index()).copied().unwrap_or_default()
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
        match mark.shown {
            Visibility::Never => counting.never = Some(id),
            Visibility::Hidden => _ = counting.hidden.get_or_insert(id),
            Visibility::Yes => {}
        }
        counting.words.part(mark.gap);
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
        let is_title = matches!(self.mark(id).landmark, Landmark::Main | Landmark::MainTitle);
        let is_hidden = counting.hidden.take_if(|node| *node == id).is_some();
        self.change(Some(id), |sums| {
            if is_link {
                sums.link_chars = sums.chars;
                sums.hidden_link_chars = sums.hidden_chars;
                sums.links = 1;
            }
            if is_hidden {
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
        self.sums(id)
    }

    /// Tells content from chrome, and finds where the content is.
    fn judge(&mut self, tree: &Tree) {
        let body = self.sums(NodeId::DOCUMENT);
        let mut lifted = Lifted::default();
        let mut verdict = self.pass(tree, &lifted);
        // A page that says less than its teasers is a page of them.
        let mut is_lifted = verdict.teasers > verdict.kept_prose;
        if is_lifted {
            lifted.lift(DropRule::TEASERS.index());
        }
        // What a rule takes away in all is a part of the site and not most of the page.
        for (rule, prose) in verdict.dropped.iter().enumerate() {
            let is_most = u64::from(*prose) * 100 > u64::from(body.prose()) * MAX_CHROME_TEXT;
            if is_most && *prose > verdict.kept_prose && DropRule::at(rule).may_be_lifted() {
                lifted.lift(rule);
                is_lifted = true;
            }
        }
        if is_lifted {
            verdict = self.pass(tree, &lifted);
        }
        self.fates = verdict.fates;
        self.root = verdict.root;
    }

    /// Tells content from chrome by the rules that hold.
    fn pass(&self, tree: &Tree, lifted: &Lifted) -> MeasureResult {
        let body = self.sums(NodeId::DOCUMENT);
        let mut verdict = MeasureResult {
            fates: vec![Fate::Content; tree.len()],
            root: Root::Body,
            kept_prose: 0,
            teasers: 0,
            dropped: [0; rule::COUNT],
        };
        let mut around = Around::default();
        let mut search = RootSearch::default();
        let mut kept: u32 = 0;
        for step in tree.walk() {
            match step {
                WalkStep::Enter(_) if around.left_out.is_some() => {}
                WalkStep::Enter(id) => {
                    let mark = self.mark(id);
                    let sums = self.sums(id);
                    let (fate, rule) = fate(mark, sums, body, &around, lifted);
                    if let Some(slot) = verdict.fates.get_mut(id.index()) {
                        *slot = fate;
                    }
                    if fate == Fate::Links && sums.is_teasers() {
                        verdict.teasers = verdict.teasers.saturating_add(sums.shown());
                    }
                    if fate != Fate::Content
                        && let Some(dropped) = verdict.dropped.get_mut(rule.index())
                    {
                        *dropped = dropped.saturating_add(sums.prose());
                    }
                    around.enter(id, mark, fate);
                    if around.left_out.is_none() {
                        if matches!(tree.content(id), NodeContent::Text(_)) {
                            kept = kept.saturating_add(sums.chars);
                            if around.link.is_none() {
                                verdict.kept_prose = verdict.kept_prose.saturating_add(sums.chars);
                            }
                        }
                        search.enter(id, mark.landmark, kept);
                    }
                }
                WalkStep::Leave(id) => {
                    if around.left_out.is_none() {
                        search.leave(id, self.mark(id).landmark, kept);
                    }
                    around.leave(id);
                }
            }
        }
        verdict.root = search.root(kept);
        verdict
    }
}

/// What a pass finds.
#[derive(Debug)]
struct MeasureResult {
    fates: Vec<Fate>,
    root: Root,
    /// Characters of prose that are left.
    kept_prose: u32,
    /// Characters of lists of teasers.
    teasers: u32,
    /// Characters of prose that each rule takes away.
    dropped: [u32; rule::COUNT],
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
}

/// What is around an element.
#[derive(Debug, Default)]
struct Around {
    left_out: Option<NodeId>,
    landmark: Option<NodeId>,
    title: Option<NodeId>,
    quote: Option<NodeId>,
    link: Option<NodeId>,
}

impl Around {
    fn enter(&mut self, id: NodeId, mark: ElementMark, fate: Fate) {
        if fate != Fate::Content || mark.shown != Visibility::Yes {
            self.left_out = Some(id);
        }
        let slot = match mark.landmark {
            Landmark::Main | Landmark::Article => &mut self.landmark,
            Landmark::Title | Landmark::MainTitle => &mut self.title,
            Landmark::Quote => &mut self.quote,
            Landmark::Link => &mut self.link,
            Landmark::None | Landmark::Container | Landmark::Table => return,
        };
        slot.get_or_insert(id);
    }

    fn leave(&mut self, id: NodeId) {
        for slot in [
            &mut self.left_out,
            &mut self.landmark,
            &mut self.title,
            &mut self.quote,
            &mut self.link,
        ] {
            slot.take_if(|node| *node == id);
        }
    }
}

fn fate(
    mark: ElementMark,
    sums: ElementSums,
    body: ElementSums,
    around: &Around,
    lifted: &Lifted,
) -> (Fate, DropRule) {
    let is_chrome = match mark.chrome {
        _ if !lifted.holds(mark.rule) => false,
        Chrome::No => false,
        Chrome::Outside => around.landmark.is_none(),
        Chrome::Footer => around.quote.is_none(),
        Chrome::Yes | Chrome::Notice => true,
        Chrome::Button => around.title.is_none(),
    };
    let is_link_list = (lifted.holds(DropRule::TEASERS) || !sums.is_teasers())
        && mark.landmark.may_be_link_list()
        && sums.links >= MIN_LINKS
        && is_share(sums.shown_links(), sums.shown(), MIN_LINK_TEXT);
    let fate = match (is_chrome, is_link_list) {
        (false, false) => Fate::Content,
        // A notice may be longer than a short page, but the title of the page is not in it.
        _ if mark.chrome == Chrome::Notice && sums.titles == 0 && body.titles > 0 => Fate::Chrome,
        _ if holds_the_page(sums, body) => Fate::Content,
        (true, _) => Fate::Chrome,
        (false, true) => Fate::Links,
    };
    (fate, if fate == Fate::Links { DropRule::LINKS } else { mark.rule })
}

/// Whether an element holds so much of the page's text that it cannot be chrome, whatever its name.
///
/// A menu may hold half of the text of a short page: there it is prose that counts.
fn holds_the_page(sums: ElementSums, body: ElementSums) -> bool {
    let is_links = is_share(sums.shown_links(), sums.shown(), MIN_LINK_TEXT);
    let (part, whole) = if is_links && body.prose() > 0 {
        (sums.prose(), body.prose())
    } else {
        (sums.shown(), body.shown())
    };
    u64::from(part) * 100 > u64::from(whole) * MAX_CHROME_TEXT
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
