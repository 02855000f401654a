//! The tree of a page: an arena that html5ever fills, with the offset of every node.

#![expect(
    clippy::indexing_slicing,
    reason = "a `NodeId` is only made by `push`, for a node that stays in the arena"
)]

mod sink;

mod apart;

use html5ever::tendril::StrTendril;
use html5ever::{QualName, local_name};

use crate::page::element::{self, Element};
use crate::page::text::{Gap, TextBuilder};

pub(super) use self::sink::TreeBuilderSink;

/// Attributes that one element may have.
pub(super) const MAX_ATTRIBUTES: usize = 256;

/// A node of a page, to ask its [`Document`](crate::page::Document) where it is. By default the
/// document itself.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct NodeId(u32);

/// No node.
const NONE: NodeId = NodeId(u32::MAX);

impl NodeId {
    /// The document itself.
    pub(super) const DOCUMENT: Self = Self(0);

    /// The node's place among all that its tree ever made.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    /// The node at such a place.
    pub(super) fn at(place: usize) -> Option<Self> {
        u32::try_from(place).ok().and_then(|place| Self(place).some())
    }

    fn some(self) -> Option<Self> {
        (self != NONE).then_some(self)
    }
}

/// What a node is.
#[derive(Debug)]
pub(super) enum NodeContent {
    /// The document, a doctype or a processing instruction.
    Other,
    /// An element with its attributes.
    Element(Element),
    /// Text; never beside other text.
    Text(StrTendril),
    /// The text of a comment.
    Comment(StrTendril),
}

#[derive(Debug)]
struct Node {
    parent: NodeId,
    previous: NodeId,
    next: NodeId,
    first_child: NodeId,
    last_child: NodeId,
    offset: u32,
    content: NodeContent,
}

/// The tree of a page.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The name that represents nodes which are not elements.
    nameless: QualName,
}

/// One step of a walk.
#[derive(Clone, Copy, Debug)]
pub(super) enum WalkStep {
    /// A node, before its children.
    Enter(NodeId),
    /// A node, after its children.
    Leave(NodeId),
}

impl WalkStep {
    /// The node.
    pub(super) fn node(self) -> NodeId {
        match self {
            Self::Enter(id) | Self::Leave(id) => id,
        }
    }

    /// Whether the step comes before the children of its node.
    pub(super) fn is_enter(self) -> bool {
        matches!(self, Self::Enter(_))
    }
}

impl Tree {
    /// What a node is.
    pub(super) fn content(&self, id: NodeId) -> &NodeContent {
        &self.nodes[id.index()].content
    }

    /// Where a node starts: bytes of the source before its tag or text.
    pub(super) fn offset(&self, id: NodeId) -> usize {
        self.nodes[id.index()].offset as usize
    }

    /// Where the next node starts that is not in this one; `None` at the end.
    pub(super) fn end(&self, id: NodeId) -> Option<usize> {
        let mut at = Some(id);
        while let Some(id) = at {
            let node = self.nodes.get(id.index())?;
            if let Some(next) = node.next.some() {
                return Some(self.offset(next));
            }
            at = node.parent.some();
        }
        None
    }

    /// The text that is a node's first child, as scripts and titles have it, and its offset.
    pub(super) fn raw_text(&self, id: NodeId) -> Option<(&str, usize)> {
        let child = self.nodes[id.index()].first_child.some()?;
        match self.content(child) {
            NodeContent::Text(text) => Some((text, self.offset(child))),
            _ => None,
        }
    }

    /// Nodes ever made; those that the parser took out again are among them.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node, if it is one of this tree and an element.
    pub(super) fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.nodes.get(id.index())?.content {
            NodeContent::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The parent, for nodes of this tree that have one.
    pub(super) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.nodes.get(id.index())?.parent.some()
    }

    /// The children in order.
    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let first = self.nodes.get(id.index()).and_then(|node| node.first_child.some());
        std::iter::successors(first, |child| self.nodes[child.index()].next.some())
    }

    /// All nodes in the order of the document, without recursion.
    pub(super) fn walk(&self) -> impl Iterator<Item = WalkStep> {
        self.walk_within(NodeId::DOCUMENT)
    }

    /// A node of this tree and all nodes in it, in the order of the document.
    pub(super) fn walk_within(&self, root: NodeId) -> impl Iterator<Item = WalkStep> {
        let mut next = Some(WalkStep::Enter(root));
        std::iter::from_fn(move || {
            let step = next?;
            next = match step {
                WalkStep::Enter(id) => {
                    let child = self.nodes[id.index()].first_child.some();
                    Some(child.map_or(WalkStep::Leave(id), WalkStep::Enter))
                }
                WalkStep::Leave(id) if id == root => None,
                WalkStep::Leave(id) => {
                    let node = &self.nodes[id.index()];
                    let up = node.parent.some().map(WalkStep::Leave);
                    node.next.some().map(WalkStep::Enter).or(up)
                }
            };
            Some(step)
        })
    }

    /// The text in a node of this tree, blocks on lines of their own, at most this many characters:
    /// without that of scripts and the like, with what is hidden.
    pub(super) fn text_of(&self, root: NodeId, max_chars: usize) -> String {
        self.text_without(root, max_chars, |_, _| false)
    }

    /// The same without elements of a kind within it.
    pub(super) fn text_without(
        &self,
        root: NodeId,
        max_chars: usize,
        is_left_out: impl Fn(NodeId, &Element) -> bool,
    ) -> String {
        let mut text = TextBuilder::new(max_chars);
        let mut left_out = None;
        if root.index() >= self.nodes.len() {
            return String::new();
        }
        for step in self.walk_within(root) {
            let node = step.node();
            match (self.content(node), step) {
                (NodeContent::Text(piece), WalkStep::Enter(_)) if left_out.is_none() => {
                    text.push(piece);
                }
                (NodeContent::Element(element), _) => {
                    let name = element.name();
                    text.part(element::gap(&name));
                    if step.is_enter() && node != root && self.is_apart(node) {
                        text.part(Gap::Space);
                    }
                    let is_raw = node != root
                        && ((name != local_name!("noscript")
                            && element::is_unrendered(element, &name))
                            || is_left_out(node, element));
                    if !step.is_enter() {
                        left_out.take_if(|open| *open == node);
                    } else if is_raw {
                        left_out.get_or_insert(node);
                    }
                }
                _ => {}
            }
        }
        text.finish()
    }

    fn push(&mut self, content: NodeContent, offset: u32) -> NodeId {
        // Past 2^32 nodes, which no input of the parser reaches, the last node is used again.
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX - 1);
        self.nodes.push(Node {
            parent: NONE,
            previous: NONE,
            next: NONE,
            first_child: NONE,
            last_child: NONE,
            offset,
            content,
        });
        NodeId(id)
    }

    fn detach(&mut self, id: NodeId) {
        let Node { parent, previous, next, .. } = self.nodes[id.index()];
        match previous.some() {
            Some(previous) => self.nodes[previous.index()].next = next,
            None if parent != NONE => self.nodes[parent.index()].first_child = next,
            None => {}
        }
        match next.some() {
            Some(next) => self.nodes[next.index()].previous = previous,
            None if parent != NONE => self.nodes[parent.index()].last_child = previous,
            None => {}
        }
        let node = &mut self.nodes[id.index()];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    fn append(&mut self, parent: NodeId, child: NodeId) {
        self.detach(child);
        let last = self.nodes[parent.index()].last_child;
        self.nodes[child.index()].parent = parent;
        self.nodes[child.index()].previous = last;
        match last.some() {
            Some(last) => self.nodes[last.index()].next = child,
            None => self.nodes[parent.index()].first_child = child,
        }
        self.nodes[parent.index()].last_child = child;
    }

    fn insert_before(&mut self, sibling: NodeId, child: NodeId) {
        self.detach(child);
        let Node { parent, previous, .. } = self.nodes[sibling.index()];
        let node = &mut self.nodes[child.index()];
        (node.parent, node.previous, node.next) = (parent, previous, sibling);
        self.nodes[sibling.index()].previous = child;
        match previous.some() {
            Some(previous) => self.nodes[previous.index()].next = child,
            None if parent != NONE => self.nodes[parent.index()].first_child = child,
            None => {}
        }
    }

    /// Adds text to a text node; `false` if the node is of another kind.
    fn extend_text(&mut self, id: NodeId, more: &StrTendril) -> bool {
        if let Some(id) = id.some()
            && let NodeContent::Text(text) = &mut self.nodes[id.index()].content
        {
            text.push_tendril(more);
            return true;
        }
        false
    }
}
