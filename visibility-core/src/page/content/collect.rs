//! The walk that collects the content, once it is known where the content is.

use html5ever::{LocalName, local_name};

use crate::page::content::blocks::Flow;
use crate::page::content::covert::Concealed;
use crate::page::content::elements::Pictures;
use crate::page::content::judge::Fate;
use crate::page::content::mark::{Chrome, Origin, Sight, Visibility};
use crate::page::content::measure::Measures;
use crate::page::content::pairs::Grid;
use crate::page::content::parts::{Parts, TextPurpose};
use crate::page::content::rule::DropRule;
use crate::page::content::{Content, Dropped, Root, microdata};
use crate::page::lines::LineIndex;
use crate::page::text::Gap;
use crate::page::tree::{self, NodeId, Tree, WalkStep};

/// Dropped parts that are kept.
const MAX_DROPPED: usize = 1_000;

/// Reads the content of a page.
pub(super) fn collect(html: &str, tree: &Tree, measures: &Measures) -> Content {
    let mut walk = ContentWalk::new(html, tree, measures);
    for step in tree.walk() {
        match step {
            WalkStep::Enter(id) => walk.enter(id),
            WalkStep::Leave(id) => walk.leave(id),
        }
    }
    walk.finish()
}

/// The state of a walk.
#[derive(Debug)]
pub(super) struct ContentWalk<'t> {
    pub(super) html: &'t str,
    pub(super) tree: &'t Tree,
    pub(super) measures: &'t Measures,
    pub(super) lines: LineIndex<'t>,
    pub(super) content: Content,
    pub(super) scope: WalkScope,
    pub(super) parts: Parts,
    pub(super) flow: Flow,
    pub(super) grid: Grid,
    pub(super) pictures: Pictures,
    pub(super) concealed: Concealed,
    /// The root and what is around it.
    holds_root: Vec<NodeId>,
}

/// Where the walk is within an element, if it is.
type Within = Option<NodeId>;

/// What the walk is within.
#[derive(Debug, Default)]
pub(super) struct WalkScope {
    /// What is never text for a reader.
    never: Within,
    hidden: Within,
    /// What is out of sight, though not hidden.
    removed: Within,
    chrome: Within,
    /// A list of links, whose links are links of the content all the same.
    link_list: Within,
    root: Within,
    details: Within,
    nosnippet: Within,
    /// What is elsewhere, or not at all, once scripts have run.
    scripted: Within,
    /// A part that is noted as dropped.
    dropped: Within,
    pub(super) breadcrumbs: Within,
}

impl WalkScope {
    /// Whether a reader sees text here.
    pub(super) fn is_shown(&self) -> bool {
        self.never.is_none() && self.hidden.is_none()
    }

    /// Whether links here are links of the main content.
    pub(super) fn has_links(&self) -> bool {
        self.is_shown() && self.root.is_some() && self.chrome.is_none()
    }

    /// Whether text here is the main content.
    pub(super) fn is_read(&self) -> bool {
        self.has_links() && self.link_list.is_none()
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.hidden.is_some()
    }

    pub(super) fn is_nosnippet(&self) -> bool {
        self.nosnippet.is_some()
    }

    /// Whether text here is in its place only without scripts, or only with them.
    pub(super) fn is_scripted(&self) -> bool {
        self.scripted.is_some()
    }

    /// Whether what is hidden here was to be found on purpose: menus, and what a reader opens.
    pub(super) fn is_expected_to_hide(&self) -> bool {
        self.chrome.is_some() || self.details.is_some()
    }

    fn leave(&mut self, id: NodeId) {
        for within in [
            &mut self.never,
            &mut self.hidden,
            &mut self.removed,
            &mut self.chrome,
            &mut self.link_list,
            &mut self.root,
            &mut self.details,
            &mut self.nosnippet,
            &mut self.scripted,
            &mut self.dropped,
            &mut self.breadcrumbs,
        ] {
            within.take_if(|node| *node == id);
        }
    }
}

impl<'t> ContentWalk<'t> {
    fn new(html: &'t str, tree: &'t Tree, measures: &'t Measures) -> Self {
        let content =
            Content { root: measures.root, body_words: measures.body_words, ..Content::default() };
        let (root, inner) = match measures.root {
            Root::Body => (Some(NodeId::DOCUMENT), None),
            Root::Article(id) | Root::Main(id) => (None, Some(id)),
        };
        let holds_root = std::iter::successors(inner, |id| tree.parent(*id)).collect();
        Self {
            html,
            tree,
            measures,
            lines: LineIndex::new(html),
            content,
            scope: WalkScope { root, ..WalkScope::default() },
            parts: Parts::default(),
            flow: Flow::default(),
            grid: Grid::default(),
            pictures: Pictures::default(),
            concealed: Concealed::default(),
            holds_root,
        }
    }

    /// The line where a node starts.
    pub(super) fn line(&self, id: NodeId) -> usize {
        self.lines.line(self.tree.offset(id))
    }

    fn enter(&mut self, id: NodeId) {
        match self.tree.content(id) {
            tree::NodeContent::Text(text) => self.text(id, text),
            tree::NodeContent::Comment(text) => self.comment(id, text),
            tree::NodeContent::Element(element) => {
                let name = element.name();
                self.covert_attributes(id, element);
                if self.scope.never.is_none() {
                    self.place(id, &name);
                    self.boundary(&name, self.measures.mark(id).gap_before);
                    self.element(id, element, &name);
                }
                self.blob(id, element, &name);
            }
            tree::NodeContent::Other => {}
        }
    }

    /// Notes what an element is for the text within it.
    fn place(&mut self, id: NodeId, name: &LocalName) {
        let mark = self.measures.mark(id);
        match self.measures.fate(id) {
            // What is hidden was not judged.
            Fate::Content if mark.chrome != Chrome::No && self.scope.is_hidden() => {
                self.scope.chrome.get_or_insert(id);
            }
            Fate::Content => {}
            Fate::LeftOut(DropRule::LINKS) => {
                self.drop_part(id, DropRule::LINKS);
                self.scope.link_list.get_or_insert(id);
            }
            Fate::LeftOut(rule) => {
                self.drop_part(id, rule);
                self.scope.chrome.get_or_insert(id);
            }
        }
        if *name == local_name!("details") {
            self.scope.details.get_or_insert(id);
        }
        match mark.shown {
            Visibility::Never => self.scope.never = Some(id),
            Visibility::Hidden if !self.scope.is_hidden() => {
                self.scope.hidden = Some(id);
                self.begin_hidden(id);
            }
            Visibility::Hidden | Visibility::Yes => {}
        }
        if self.scope.root.is_none()
            && mark.shown == Visibility::Yes
            && mark.origin != Origin::Slot
            && !self.holds_root.contains(&id)
        {
            self.drop_part(id, DropRule::OUTSIDE);
        }
        if self.scope.is_hidden() {
            self.enter_menu(id);
        }
        if mark.sight == Sight::Out && self.scope.removed.is_none() && self.begin_removed(id) {
            self.scope.removed = Some(id);
        }
        if matches!(self.content.root, Root::Article(root) | Root::Main(root) if root == id) {
            self.scope.root = Some(id);
        }
        if mark.origin != Origin::Place {
            self.scope.scripted.get_or_insert(id);
        }
        if mark.origin == Origin::Slot {
            // A script may move it into the root.
            self.scope.root.get_or_insert(id);
        }
        if mark.is_nosnippet {
            self.scope.nosnippet.get_or_insert(id);
        }
        // Themes say in a class of the whole page whether it has breadcrumbs.
        let is_part = self.tree.element(id).is_some_and(|element| {
            let whole = [local_name!("body"), local_name!("html"), local_name!("main")];
            !whole.contains(&element.name())
        });
        let is_trail = mark.is_breadcrumbs && is_part && self.scope.is_shown();
        if is_trail && self.content.breadcrumbs.is_empty() {
            self.scope.breadcrumbs.get_or_insert(id);
        }
    }

    /// Notes an element that is not read.
    fn drop_part(&mut self, id: NodeId, rule: DropRule) {
        let has_text = self.measures.shown_chars(id) > 0;
        if self.scope.dropped.is_none() && self.scope.is_shown() && has_text {
            self.scope.dropped = Some(id);
            self.note_dropped(id, rule);
        }
    }

    /// Notes an element or a text that is not read.
    pub(super) fn note_dropped(&mut self, id: NodeId, rule: DropRule) {
        if self.content.dropped.len() < MAX_DROPPED {
            let chars = usize::try_from(self.measures.shown_chars(id)).unwrap_or(usize::MAX);
            let line = self.line(id);
            self.content.dropped.push(Dropped { rule: rule.id(), chars, line, node: id });
        }
    }

    fn text(&mut self, id: NodeId, text: &str) {
        if self.scope.never.is_some() {
            return;
        }
        if self.scope.removed.is_some() && !self.is_quoted(id) {
            self.concealed.push_removed(text, self.line(id));
        }
        if self.scope.is_hidden() {
            let counts = !self.scope.is_expected_to_hide();
            let line = self.line(id);
            if self.is_quoted(id) {
                self.concealed.push_quoted(text, line, counts);
            } else {
                self.concealed.push(text, line, counts);
            }
            return;
        }
        self.parts.push(text);
        if self.scope.is_read() {
            self.block_text(id, text);
        } else if self.scope.dropped.is_none() && self.measures.shown_chars(id) > 0 {
            // Text beside the root, in no element of its own.
            self.note_dropped(id, DropRule::OUTSIDE);
        }
    }

    /// Parts the texts before and after the tag of an element.
    fn boundary(&mut self, name: &LocalName, gap: Gap) {
        if gap != Gap::None {
            self.parts.part();
            self.concealed.part();
            self.part_blocks(name, gap);
        }
    }

    fn leave(&mut self, id: NodeId) {
        let tree::NodeContent::Element(element) = self.tree.content(id) else { return };
        let name = element.name();
        if self.scope.never.is_none() {
            self.boundary(&name, self.measures.mark(id).gap);
        }
        while let Some((purpose, text)) = self.parts.close(id) {
            self.keep(id, purpose, text);
        }
        self.leave_block(id);
        self.leave_grid(id, &name);
        self.pictures.leave(id);
        self.concealed.leave_menu(id);
        if self.scope.hidden == Some(id) {
            self.end_hidden();
        }
        if self.scope.removed == Some(id) {
            self.end_removed();
        }
        self.scope.leave(id);
    }

    /// Puts a collected text where it belongs.
    fn keep(&mut self, id: NodeId, purpose: TextPurpose, text: String) {
        let content = &mut self.content;
        let slot = match purpose {
            TextPurpose::Link(index) => content.links.get_mut(index).map(|link| &mut link.text),
            TextPurpose::Breadcrumb(index) => {
                content.breadcrumbs.get_mut(index).map(|link| &mut link.text)
            }
            TextPurpose::Button(index) => {
                content.buttons.get_mut(index).map(|block| &mut block.text)
            }
            TextPurpose::Time(index) => content.times.get_mut(index).map(|time| &mut time.text),
            TextPurpose::Caption => {
                self.pictures.caption(&mut content.images, &text);
                None
            }
            TextPurpose::Key | TextPurpose::Value | TextPurpose::HeaderCell | TextPurpose::Cell => {
                self.keep_cell(id, purpose, text);
                return;
            }
        };
        // A button without text has its label.
        if let Some(slot) = slot.filter(|_| !text.is_empty()) {
            *slot = text;
        }
    }

    fn finish(mut self) -> Content {
        self.end_block();
        if self.measures.has_microdata {
            self.content.items = microdata::items(self.tree, &self.lines);
        }
        self.content
    }
}
