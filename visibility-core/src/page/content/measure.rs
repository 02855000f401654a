//! How much text stands where, and which of it is the content.

use html5ever::local_name;

use crate::page::content::Root;
use crate::page::content::mark::{self, Chrome, Landmark, Mark, Shown};
use crate::page::element;
use crate::page::text::Gap;
use crate::page::tree::{Content, NodeId, Step, Tree};

/// Links that make a container one of links.
const MIN_LINKS: u32 = 4;
/// Text of links within a container of links, in percent.
const MIN_LINK_TEXT: u64 = 60;
/// Text of the body that no chrome holds, in percent.
const MAX_CHROME_TEXT: u64 = 40;
/// Text of the body that `main` must hold, in percent.
const MIN_MAIN_TEXT: u64 = 40;
/// Text of `main` that the article must hold, in percent.
const MIN_ARTICLE_TEXT: u64 = 55;
/// Text of links within a menu, in percent.
const MIN_MENU_TEXT: u64 = 80;

/// The text within an element, in characters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) chars: u32,
    link_chars: u32,
    hidden_chars: u32,
    hidden_link_chars: u32,
    /// Links that show.
    links: u32,
    /// Characters of what is left once the chrome is gone.
    kept_chars: u32,
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.chars = self.chars.saturating_add(other.chars);
        self.link_chars = self.link_chars.saturating_add(other.link_chars);
        self.hidden_chars = self.hidden_chars.saturating_add(other.hidden_chars);
        self.hidden_link_chars = self.hidden_link_chars.saturating_add(other.hidden_link_chars);
        self.links = self.links.saturating_add(other.links);
        self.kept_chars = self.kept_chars.saturating_add(other.kept_chars);
    }

    fn shown(self) -> u32 {
        self.chars.saturating_sub(self.hidden_chars)
    }

    fn shown_links(self) -> u32 {
        self.link_chars.saturating_sub(self.hidden_link_chars)
    }

    /// Text that shows and is no link.
    fn prose(self) -> u32 {
        self.shown().saturating_sub(self.shown_links())
    }

    /// Whether most of the text, hidden or not, is links.
    pub(super) fn is_menu(self) -> bool {
        is_share(self.link_chars, self.chars, MIN_MENU_TEXT)
    }
}

/// Whether a part is at least that many percent of a whole which is not nothing.
fn is_share(part: u32, whole: u32, percent: u64) -> bool {
    whole > 0 && u64::from(part) * 100 >= u64::from(whole) * percent
}

/// What becomes of an element.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Fate {
    /// It is read.
    #[default]
    Kept,
    /// It is the page's chrome.
    Chrome,
    /// It is a list of links.
    Links,
}

/// What is known of every node.
#[derive(Debug)]
pub(super) struct Measures {
    marks: Vec<Mark>,
    sums: Vec<Sums>,
    fates: Vec<Fate>,
    pub(super) body_words: usize,
    pub(super) root: Root,
}

impl Measures {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut measures = Self {
            marks: vec![Mark::default(); tree.len()],
            sums: vec![Sums::default(); tree.len()],
            fates: vec![Fate::Kept; tree.len()],
            body_words: 0,
            root: Root::Body,
        };
        measures.count(tree);
        measures.judge(tree);
        measures
    }

    pub(super) fn mark(&self, id: NodeId) -> Mark {
        self.marks.get(id.index()).copied().unwrap_or_default()
    }

    pub(super) fn sums(&self, id: NodeId) -> Sums {
        self.sums.get(id.index()).copied().unwrap_or_default()
    }

    pub(super) fn fate(&self, id: NodeId) -> Fate {
        self.fates.get(id.index()).copied().unwrap_or_default()
    }

    fn add(&mut self, id: NodeId, sums: Sums) {
        if let Some(known) = self.sums.get_mut(id.index()) {
            known.add(sums);
        }
    }

    /// Counts the text within every element.
    fn count(&mut self, tree: &Tree) {
        let mut words = WordCount::default();
        let mut never: Option<NodeId> = None;
        let mut hidden: Option<NodeId> = None;
        for step in tree.walk() {
            match step {
                Step::Enter(id) => match tree.content(id) {
                    Content::Text(text) if never.is_none() => {
                        let chars = words.add(text);
                        self.add(id, Sums { chars, ..Sums::default() });
                    }
                    Content::Element(element) if never.is_none() => {
                        let name = element.name();
                        let mark = mark::mark(element, &name);
                        if let Some(slot) = self.marks.get_mut(id.index()) {
                            *slot = mark;
                        }
                        match mark.rendering {
                            Shown::Never => never = Some(id),
                            Shown::Hidden => _ = hidden.get_or_insert(id),
                            Shown::Yes => {}
                        }
                        words.part(element::gap(&name));
                    }
                    _ => {}
                },
                Step::Leave(id) => {
                    if let Content::Element(element) = tree.content(id) {
                        let name = element.name();
                        words.part(element::gap(&name));
                        let mut sums = self.sums(id);
                        if name == local_name!("a") && element.attribute("href").is_some() {
                            sums.link_chars = sums.chars;
                            sums.hidden_link_chars = sums.hidden_chars;
                            sums.links = 1;
                        }
                        if hidden == Some(id) {
                            hidden = None;
                            sums.hidden_chars = sums.chars;
                            sums.hidden_link_chars = sums.link_chars;
                            sums.links = 0;
                        }
                        if let Some(slot) = self.sums.get_mut(id.index()) {
                            *slot = sums;
                        }
                    }
                    never.take_if(|node| *node == id);
                    if let Some(parent) = tree.parent(id) {
                        let sums = self.sums(id);
                        self.add(parent, sums);
                    }
                }
            }
        }
        self.body_words = words.words;
    }

    /// Tells content from chrome, and finds where the content is.
    fn judge(&mut self, tree: &Tree) {
        let body = self.sums(NodeId::DOCUMENT);
        let mut left_out: Option<NodeId> = None;
        let mut landmark: Option<NodeId> = None;
        let mut heading: Option<NodeId> = None;
        let mut search = RootSearch::default();
        for step in tree.walk() {
            match step {
                Step::Enter(id) if left_out.is_some() => _ = id,
                Step::Enter(id) => {
                    let Content::Element(element) = tree.content(id) else { continue };
                    let mark = self.mark(id);
                    let name = element.name();
                    let around = (landmark, heading);
                    let fate = self.fate_of(id, body, around);
                    if let Some(slot) = self.fates.get_mut(id.index()) {
                        *slot = fate;
                    }
                    if fate != Fate::Kept || mark.rendering != Shown::Yes {
                        left_out = Some(id);
                        continue;
                    }
                    match mark.landmark {
                        Landmark::Main | Landmark::Article => _ = landmark.get_or_insert(id),
                        _ if name == local_name!("blockquote")
                            || name == local_name!("section") =>
                        {
                            landmark.get_or_insert(id);
                        }
                        _ => {}
                    }
                    if element::heading_level(&name).is_some() {
                        heading.get_or_insert(id);
                    }
                    search.enter(id, mark.landmark);
                }
                Step::Leave(id) => {
                    let is_left_out = left_out.is_some();
                    left_out.take_if(|node| *node == id);
                    landmark.take_if(|node| *node == id);
                    heading.take_if(|node| *node == id);
                    if !is_left_out {
                        if matches!(tree.content(id), Content::Text(_)) {
                            let chars = self.sums(id).chars;
                            self.add(id, Sums { kept_chars: chars, ..Sums::default() });
                        }
                        let kept_chars = self.sums(id).kept_chars;
                        if let Some(parent) = tree.parent(id) {
                            self.add(parent, Sums { kept_chars, ..Sums::default() });
                        }
                        search.leave(id, self.mark(id).landmark, kept_chars);
                    }
                }
            }
        }
        self.root = search.root(self.sums(NodeId::DOCUMENT).kept_chars);
    }

    fn fate_of(&self, id: NodeId, body: Sums, around: (Option<NodeId>, Option<NodeId>)) -> Fate {
        let (landmark, heading) = around;
        let mark = self.mark(id);
        let sums = self.sums(id);
        let fate = match mark.chrome {
            Chrome::Outside if landmark.is_some() => Fate::Kept,
            Chrome::Control if heading.is_some() => Fate::Kept,
            Chrome::No => Fate::Kept,
            _ => Fate::Chrome,
        };
        let is_link_list = mark.landmark == Landmark::Container
            && sums.links >= MIN_LINKS
            && is_share(sums.shown_links(), sums.shown(), MIN_LINK_TEXT);
        let fate = if fate == Fate::Kept && is_link_list { Fate::Links } else { fate };
        if fate != Fate::Kept && holds_the_page(sums, body) { Fate::Kept } else { fate }
    }
}

/// Whether an element holds so much of the page's text that it cannot be chrome, whatever its name.
///
/// A menu may hold half of the text of a short page, so that it is prose which counts.
fn holds_the_page(sums: Sums, body: Sums) -> bool {
    let is_more =
        |part: u32, whole: u32| u64::from(part) * 100 > u64::from(whole) * MAX_CHROME_TEXT;
    let is_links = is_share(sums.shown_links(), sums.shown(), MIN_LINK_TEXT);
    if body.prose() == 0 || !is_links {
        is_more(sums.shown(), body.shown())
    } else {
        is_more(sums.prose(), body.prose())
    }
}

/// An element and the characters that are left of it.
type Candidate = Option<(NodeId, u32)>;

/// The candidates for the root.
#[derive(Debug, Default)]
struct RootSearch {
    within_main: Option<NodeId>,
    /// The `main` with the most text, and its article with the most text.
    main: Candidate,
    article_of_main: Candidate,
    /// The articles with the most text, in the open `main` and anywhere.
    article_in_open: Candidate,
    article: Candidate,
}

impl RootSearch {
    fn enter(&mut self, id: NodeId, landmark: Landmark) {
        if landmark == Landmark::Main && self.within_main.is_none() {
            self.within_main = Some(id);
            self.article_in_open = None;
        }
    }

    fn leave(&mut self, id: NodeId, landmark: Landmark, chars: u32) {
        let is_more = |known: Candidate| known.is_none_or(|(_, most)| chars > most);
        if landmark == Landmark::Article {
            for known in [&mut self.article_in_open, &mut self.article] {
                if is_more(*known) {
                    *known = Some((id, chars));
                }
            }
        } else if self.within_main == Some(id) {
            self.within_main = None;
            if is_more(self.main) {
                self.main = Some((id, chars));
                self.article_of_main = self.article_in_open;
            }
        }
    }

    fn root(&self, body: u32) -> Root {
        let main = self.main.filter(|(_, chars)| is_share(*chars, body, MIN_MAIN_TEXT));
        let (whole, article) = match main {
            Some((_, chars)) => (chars, self.article_of_main),
            None => (body, self.article),
        };
        let article = article.filter(|(_, chars)| is_share(*chars, whole, MIN_ARTICLE_TEXT));
        match (article, main) {
            (Some((id, _)), _) => Root::Article(id),
            (None, Some((id, _))) => Root::Main(id),
            (None, None) => Root::Body,
        }
    }
}

/// Counts words across the elements that text is cut into.
#[derive(Debug)]
struct WordCount {
    words: usize,
    is_apart: bool,
}

impl Default for WordCount {
    fn default() -> Self {
        Self { words: 0, is_apart: true }
    }
}

impl WordCount {
    fn part(&mut self, gap: Gap) {
        self.is_apart |= gap != Gap::None;
    }

    /// Counts the words of a text; its characters, white space collapsed.
    fn add(&mut self, text: &str) -> u32 {
        let mut chars = 0_usize;
        for word in text.split_whitespace() {
            chars += word.chars().count() + 1;
        }
        if chars == 0 {
            self.is_apart |= !text.is_empty();
            return 0;
        }
        let is_joined = !self.is_apart && !text.starts_with(char::is_whitespace);
        self.words += text.split_whitespace().count() - usize::from(is_joined);
        self.is_apart = text.ends_with(char::is_whitespace);
        u32::try_from(chars).unwrap_or(u32::MAX)
    }
}
