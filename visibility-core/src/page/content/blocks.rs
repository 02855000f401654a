//! The blocks of the main content.

use std::collections::HashSet;
use std::hash::BuildHasher;

use html5ever::{LocalName, local_name};

use crate::page::content::code;
use crate::page::content::collect::ContentWalk;
use crate::page::content::rule::DropRule;
use crate::page::content::{Block, BlockKind, BlockPosition};
use crate::page::element::{self, Element};
use crate::page::text::{Gap, TextBuilder, collapse};
use crate::page::tree::NodeId;

const MAX_BLOCKS: usize = 20_000;
/// Bytes from which on a text is not said twice by chance.
const MIN_REPEATED_BYTES: usize = 40;

/// The state of the flow of blocks.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// Open elements that give the text within them its kind.
    frames: Vec<Frame>,
    /// Open block-level elements.
    boxes: Vec<NodeId>,
    lists: Vec<List>,
    open: Option<Open>,
    /// Whether nothing but white space follows the last line break.
    is_after_break: bool,
    /// Hashes of the long texts so far.
    known: HashSet<u64, foldhash::fast::FixedState>,
}

/// A block that is being collected.
#[derive(Debug)]
struct Open {
    block: Block,
    text: TextBuilder,
    /// Where the text is, if the block is left out should its text have been there before.
    nodes: Vec<NodeId>,
    is_scripted: bool,
}

impl Open {
    fn may_repeat(&self) -> bool {
        may_repeat(&self.block)
    }
}

/// Whether a block is left out if its text was there before: a thread quotes itself, and lists repeat items.
fn may_repeat(block: &Block) -> bool {
    block.kind == BlockKind::Quote || matches!(block.place, BlockPosition::List { .. })
}

/// An element that gives the text within it its kind.
#[derive(Debug)]
struct Frame {
    node: NodeId,
    kind: BlockKind,
    place: BlockPosition,
    /// Whether it has had a block.
    is_used: bool,
}

/// An open list.
#[derive(Debug)]
struct List {
    node: NodeId,
    /// The number of the next item of `ol`.
    number: Option<u32>,
}

impl ContentWalk<'_> {
    /// Notes an element of the main content.
    pub(super) fn enter_block(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        if self.measures.mark(id).gap != Gap::None && *name != local_name!("br") {
            self.flow.boxes.push(id);
        }
        let number = |name| element.attribute(name).and_then(|value| value.trim().parse().ok());
        match *name {
            local_name!("ol") => {
                let number = Some(number("start").unwrap_or(1));
                self.flow.lists.push(List { node: id, number });
                return;
            }
            local_name!("ul") | local_name!("menu") => {
                self.flow.lists.push(List { node: id, number: None });
                return;
            }
            _ => {}
        }
        let Some(kind) = self.kind(name) else { return };
        let place = match kind {
            BlockKind::HeaderCell | BlockKind::Cell => self.grid.place(),
            _ => self.flow.frames.last().map_or(BlockPosition::Flow, |frame| frame.place),
        };
        let place = match (kind, place) {
            (BlockKind::ListItem, BlockPosition::Flow | BlockPosition::List { .. }) => {
                self.flow.list_place(number("value"))
            }
            _ => place,
        };
        self.flow.frames.push(Frame { node: id, kind, place, is_used: false });
    }

    /// The kind of the text in an element, if the element tells.
    fn kind(&self, name: &LocalName) -> Option<BlockKind> {
        Some(match *name {
            local_name!("li") => BlockKind::ListItem,
            local_name!("dt") => BlockKind::Term,
            local_name!("dd") => BlockKind::Description,
            local_name!("th") if self.grid.has_data() => BlockKind::HeaderCell,
            local_name!("td") if self.grid.has_data() => BlockKind::Cell,
            local_name!("blockquote") => BlockKind::Quote,
            local_name!("figcaption") | local_name!("caption") => BlockKind::Caption,
            local_name!("pre") => BlockKind::Preformatted,
            _ => BlockKind::Heading(element::heading_level(name)?),
        })
    }

    /// Ends the block, or parts its words, at the tag of an element that separates text.
    pub(super) fn part_blocks(&mut self, name: &LocalName, gap: Gap) {
        let ends = match *name {
            local_name!("br") => {
                if let Some(open) = &mut self.flow.open
                    && open.block.kind == BlockKind::Preformatted
                {
                    open.block.raw.push('\n');
                }
                // Two breaks part paragraphs.
                std::mem::replace(&mut self.flow.is_after_break, true)
                    && self.flow.frames.last().is_none_or(|frame| {
                        matches!(frame.kind, BlockKind::Description | BlockKind::Quote)
                    })
            }
            local_name!("td") | local_name!("th") => true,
            _ => gap == Gap::Line && !self.flow.joins(name),
        };
        if ends {
            self.end_block();
        } else if let Some(open) = &mut self.flow.open {
            open.text.part(Gap::Space);
        }
    }

    /// Adds text of the main content.
    pub(super) fn block_text(&mut self, id: NodeId, text: &str) {
        let is_blank = text.trim_start().is_empty();
        if self.flow.open.is_none() {
            if is_blank {
                return;
            }
            self.begin_block(id, text);
        }
        if !is_blank {
            self.flow.is_after_break = false;
        }
        if self.scope.is_nosnippet() {
            self.content.nosnippet_chars += collapse(text, usize::MAX).chars().count();
        }
        if let Some(open) = &mut self.flow.open {
            open.text.push(text);
            if !is_blank && open.may_repeat() {
                open.nodes.push(id);
            }
            if open.block.kind == BlockKind::Preformatted {
                open.block.raw.push_str(text);
            }
        }
    }

    /// Begins a block with its first text.
    fn begin_block(&mut self, id: NodeId, text: &str) {
        let offset = self.tree.offset(id);
        let source = self.html.get(offset..).unwrap_or_default();
        let blank = |text: &str| text.len() - text.trim_start().len();
        // White space in the text may be a character reference in the source, which is not white space there.
        let start = offset + blank(text).min(blank(source));
        if self.content.blocks.is_empty() {
            self.content.bytes_before = start;
        }
        let node = self.flow.boxes.last().copied().unwrap_or_default();
        let mut block = Block { line: self.lines.line(start), node, ..Block::default() };
        if let Some(frame) = self.flow.frames.last_mut() {
            frame.describe(&mut block);
            if block.kind == BlockKind::Preformatted {
                block.code_language = code::language(self.tree, frame.node);
            }
        }
        self.flow.open = Some(Open {
            block,
            text: TextBuilder::new(usize::MAX),
            nodes: Vec::new(),
            is_scripted: self.scope.is_scripted(),
        });
    }

    /// Ends the block that is open.
    pub(super) fn end_block(&mut self) {
        self.flow.is_after_break = false;
        let Some(open) = self.flow.open.take() else { return };
        let Open { mut block, text, nodes, is_scripted } = open;
        block.text = text.finish();
        if self.flow.is_repeated(&block) {
            self.drop_repeated(&nodes);
            return;
        }
        let words = block.words();
        self.content.words += words;
        if is_scripted {
            self.content.scripted_words += words;
        }
        self.content.chars += block.text.chars().count();
        if self.content.blocks.len() < MAX_BLOCKS {
            self.content.blocks.push(block);
        }
    }

    /// Notes that texts are not read: the element that has all of them and nothing else, or each of them.
    fn drop_repeated(&mut self, texts: &[NodeId]) {
        let Some(first) = texts.first() else { return };
        let chars = |id: &NodeId| self.measures.shown_chars(*id);
        let all = texts.iter().map(chars).fold(0, u32::saturating_add);
        let around = std::iter::successors(Some(*first), |id| self.tree.parent(*id));
        let mut around = around.skip_while(|id| chars(id) < all);
        match around.next().filter(|id| chars(id) == all) {
            Some(element) => self.note_dropped(element, DropRule::REPEATED),
            None => texts.iter().for_each(|id| self.note_dropped(*id, DropRule::REPEATED)),
        }
    }

    /// Forgets an element that ends.
    pub(super) fn leave_block(&mut self, id: NodeId) {
        self.flow.frames.pop_if(|frame| frame.node == id);
        self.flow.boxes.pop_if(|node| *node == id);
        self.flow.lists.pop_if(|list| list.node == id);
    }
}

impl Flow {
    /// Whether a long text of a quote or a list was there before, as in a thread that quotes itself.
    fn is_repeated(&mut self, block: &Block) -> bool {
        if block.text.len() < MIN_REPEATED_BYTES {
            return false;
        }
        let hash = self.known.hasher().hash_one(block.text.as_str());
        !self.known.insert(hash) && may_repeat(block)
    }

    /// Whether an element within the current block only parts words.
    fn joins(&self, name: &LocalName) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        let is_box = matches!(*name, local_name!("div") | local_name!("section"));
        match frame.kind {
            BlockKind::Heading(_)
            | BlockKind::Term
            | BlockKind::HeaderCell
            | BlockKind::Cell
            | BlockKind::Caption => is_box || *name == local_name!("p"),
            BlockKind::ListItem => is_box,
            _ => false,
        }
    }

    /// The place of the next item of the innermost list.
    fn list_place(&mut self, value: Option<u32>) -> BlockPosition {
        let depth = u8::try_from(self.lists.len()).unwrap_or(u8::MAX).max(1);
        let Some(next) = self.lists.last_mut().and_then(|list| list.number.as_mut()) else {
            return BlockPosition::List { depth, number: None };
        };
        let number = value.unwrap_or(*next);
        *next = number.saturating_add(1);
        BlockPosition::List { depth, number: Some(number) }
    }
}

impl Frame {
    /// Gives a block of this element its kind.
    fn describe(&mut self, block: &mut Block) {
        block.kind = self.kind;
        block.place = self.place;
        match self.kind {
            BlockKind::ListItem if self.is_used => {
                block.kind = BlockKind::Paragraph;
                if let BlockPosition::List { number, .. } = &mut block.place {
                    *number = None;
                }
            }
            // These may hold paragraphs of their own.
            BlockKind::Description | BlockKind::Quote => {}
            _ => block.node = self.node,
        }
        self.is_used = true;
    }
}
