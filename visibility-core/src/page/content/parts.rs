//! Texts that are collected apart from the blocks: of links, cells, dates and buttons.

use crate::page::text::{Gap, TextBuilder};
use crate::page::tree::NodeId;

/// Texts that are collected at a time.
const MAX_OPEN: usize = 16;

/// What a collected text is for, with its index in the list it belongs to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum TextPurpose {
    Link(usize),
    Breadcrumb(usize),
    Button(usize),
    Time(usize),
    /// `figcaption`.
    Caption,
    /// `dt`.
    Key,
    /// `dd`.
    Value,
    HeaderCell,
    Cell,
}

/// A text that is being collected.
#[derive(Debug)]
struct Part {
    node: NodeId,
    purpose: TextPurpose,
    text: TextBuilder,
}

/// All texts that are being collected.
#[derive(Debug, Default)]
pub(super) struct Parts {
    open: Vec<Part>,
}

impl Parts {
    /// Begins the text of an element.
    pub(super) fn open(&mut self, node: NodeId, purpose: TextPurpose, max_chars: usize) {
        if self.open.len() < MAX_OPEN {
            self.open.push(Part { node, purpose, text: TextBuilder::new(max_chars) });
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        for part in &mut self.open {
            part.text.push(text);
        }
    }

    /// Adds the text of an image to those that it may be all of.
    pub(super) fn push_alt(&mut self, alt: &str) {
        for part in &mut self.open {
            if matches!(
                part.purpose,
                TextPurpose::Link(_) | TextPurpose::Breadcrumb(_) | TextPurpose::Button(_)
            ) {
                part.text.part(Gap::Space);
                part.text.push(alt);
                part.text.part(Gap::Space);
            }
        }
    }

    pub(super) fn part(&mut self) {
        for part in &mut self.open {
            part.text.part(Gap::Space);
        }
    }

    /// The next text that ends with this element.
    pub(super) fn close(&mut self, node: NodeId) -> Option<(TextPurpose, String)> {
        let part = self.open.pop_if(|part| part.node == node)?;
        Some((part.purpose, part.text.finish()))
    }
}
