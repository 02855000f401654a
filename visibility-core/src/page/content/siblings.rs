//! Elements beside each other that are of one kind.

use html5ever::LocalName;

use crate::page::element::Element;
use crate::page::tree::NodeId;

/// Kinds of children of one element that are distinguished.
pub(super) const MAX_KINDS: usize = 12;
/// Siblings that are teasers together.
const MIN_TEASERS: u32 = 2;
/// Characters that teasers have at most, on average.
const MAX_TEASER_CHARS: u32 = 500;

/// What siblings of one kind have in common: the tag and the first class, digits left out.
pub(super) fn kind(name: &LocalName, element: &Element) -> u64 {
    // FNV-1a: the same on every machine, and cheap for short texts.
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let class = element.attribute("class").unwrap_or_default();
    let first = class.split_ascii_whitespace().next().unwrap_or_default();
    let bytes = name.bytes().chain([b'.']).chain(first.bytes());
    bytes
        .filter(|byte| !byte.is_ascii_digit())
        .fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// An element among its siblings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sibling {
    pub(super) kind: u64,
    /// Characters that show.
    pub(super) chars: u32,
    pub(super) has_link: bool,
    /// Whether it has a heading or an image.
    pub(super) has_title: bool,
}

/// Siblings of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LikeSiblings {
    kind: u64,
    count: u32,
    linked: u32,
    titled: u32,
    /// Characters that show.
    pub(super) chars: u32,
}

impl LikeSiblings {
    fn add(&mut self, one: Sibling) {
        self.count = self.count.saturating_add(1);
        self.chars = self.chars.saturating_add(one.chars);
        self.linked = self.linked.saturating_add(u32::from(one.has_link));
        self.titled = self.titled.saturating_add(u32::from(one.has_title));
    }

    /// Whether each of them is a short text that leads elsewhere. Sources have links too, but neither headings nor images.
    pub(super) fn are_teasers(self) -> bool {
        self.count >= MIN_TEASERS
            && self.linked == self.count
            && self.titled >= self.count.div_ceil(2)
            && self.chars <= self.count.saturating_mul(MAX_TEASER_CHARS)
    }
}

/// The elements that a walk is in, with the kinds of their children up to here.
#[derive(Debug, Default)]
pub(super) struct OpenElements {
    /// Each with the place of its first kind.
    open: Vec<(NodeId, usize)>,
    kinds: Vec<LikeSiblings>,
}

impl OpenElements {
    pub(super) fn enter(&mut self, id: NodeId) {
        self.open.push((id, self.kinds.len()));
    }

    /// Ends an element: the children of one kind with most of its text.
    pub(super) fn leave(&mut self, id: NodeId) -> LikeSiblings {
        let Some((_, first)) = self.open.pop_if(|(node, _)| *node == id) else {
            return LikeSiblings::default();
        };
        let kinds = self.kinds.drain(first.min(self.kinds.len())..);
        kinds.max_by_key(|kind| kind.chars).unwrap_or_default()
    }

    /// Counts an element that has ended among the children of the one around it.
    pub(super) fn join(&mut self, one: Sibling) {
        let Some((_, first)) = self.open.last().copied() else { return };
        let known = self.kinds.get_mut(first..).unwrap_or_default();
        if let Some(siblings) = known.iter_mut().find(|siblings| siblings.kind == one.kind) {
            siblings.add(one);
        } else if known.len() < MAX_KINDS {
            let mut siblings = LikeSiblings { kind: one.kind, ..LikeSiblings::default() };
            siblings.add(one);
            self.kinds.push(siblings);
        }
    }
}
