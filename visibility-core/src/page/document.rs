//! A page with its tree: the facts, and where in the source they are.

use std::cell::OnceCell;

use html5ever::{LocalName, local_name};

use crate::page::content::{Content, Measures, Shape};
use crate::page::css_path::PathIndex;
use crate::page::lines::LineIndex;
use crate::page::tree::{self, NodeId, Tree};
use crate::page::unseen::Styles;
use crate::page::{Page, charset, content, feed, noscript, walk};

/// A parsed page. [`Page`] has its facts, [`Document::content`] what an answer engine reads of it.
#[derive(Debug)]
pub struct Document {
    html: String,
    tree: Tree,
    page: Page,
    paths: OnceCell<PathIndex>,
    has_broken_charset: bool,
}

impl Document {
    /// Reads a page, see [`Page::parse`].
    pub fn parse(body: &[u8], content_type: Option<&str>) -> Self {
        let decoded = charset::decode(body, content_type);
        let html = decoded.text.into_owned();
        let tree = feed::parse(&html);
        let mut page = walk::collect(&html, &tree);
        page.note_mojibake(decoded.mojibake);
        Self { html, tree, page, paths: OnceCell::new(), has_broken_charset: decoded.is_broken }
    }

    /// The facts of the page.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// The facts of the page, to look at it as it would be with others.
    pub(crate) fn page_mut(&mut self) -> &mut Page {
        &mut self.page
    }

    /// The decoded source.
    pub fn html(&self) -> &str {
        &self.html
    }

    /// Whether bytes of the page are none of its charset, so that characters are lost.
    pub fn has_broken_charset(&self) -> bool {
        self.has_broken_charset
    }

    /// What an answer engine takes for the content of the page.
    pub fn content(&self) -> Content {
        content::read(&self.html, &self.tree, &Measures::new(&self.tree))
    }

    /// The content, and how much there is of what on the page.
    pub fn content_and_shape(&self) -> (Content, Shape) {
        let measures = Measures::new(&self.tree);
        (content::read(&self.html, &self.tree, &measures), Shape::read(&self.tree, &measures))
    }

    /// The text of an element and of all that is in it, blocks on lines of their own, at most this many
    /// characters.
    pub fn text_of(&self, node: NodeId, max_chars: usize) -> String {
        self.tree.text_of(node, max_chars)
    }

    /// The text in a node that shows: [`text_of`](Self::text_of) without what is hidden, and without notices that scripts are off.
    pub fn shown_text_of(&self, node: NodeId, max_chars: usize) -> String {
        self.tree.text_without(node, max_chars, |id, element| {
            content::is_hidden(element) || noscript::is_notice(&self.tree, id, element)
        })
    }

    /// All texts of the page but those of scripts and styles, in order, each with its node. The text of
    /// an element may be cut into several.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (NodeId, &str)> {
        let mut raw = false;
        self.tree.walk().filter_map(move |step| {
            let id = step.node();
            match self.tree.content(id) {
                tree::NodeContent::Text(text) if step.is_enter() && !raw => Some((id, &**text)),
                tree::NodeContent::Element(element) if is_code(element.local()) => {
                    raw = step.is_enter();
                    None
                }
                _ => None,
            }
        })
    }

    /// The tree of the page.
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The styles of the page, to ask which texts they keep from readers.
    pub(crate) fn styles(&self) -> Styles<'_> {
        Styles::new(&self.tree)
    }

    /// The element that a text is in, or another that is in it.
    pub(crate) fn parent_of(&self, node: NodeId) -> Option<NodeId> {
        self.tree.parent(node)
    }

    /// The line where a node of the page starts, counted from 1.
    pub(crate) fn line_of(&self, node: NodeId) -> usize {
        LineIndex::new(&self.html).line(self.tree.offset(node))
    }

    /// The raw text of a `script` or `style` element; empty for others.
    pub fn raw_text(&self, node: NodeId) -> &str {
        self.tree.raw_text(node).map_or("", |(text, _)| text)
    }

    /// The name of an element; empty for others.
    pub fn element_name(&self, node: NodeId) -> &str {
        self.tree.element(node).map_or("", |element| element.local())
    }

    /// A CSS selector of an element that no other element of the page matches, such as
    /// `#specs > table > tbody > tr:nth-of-type(2)`; that of the parent for what is not an element.
    ///
    /// Empty for the document, and where it would have more than 512 bytes.
    pub fn css_path(&self, node: NodeId) -> String {
        self.paths.get_or_init(|| PathIndex::new(&self.tree)).css_path(&self.tree, node)
    }
}

/// Whether the text of an element is code.
fn is_code(name: &LocalName) -> bool {
    matches!(*name, local_name!("script") | local_name!("style"))
}
