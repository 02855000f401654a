//! A page with its tree: the facts, and where in the source they stand.

use crate::page::content::Content;
use crate::page::tree::{NodeId, Tree};
use crate::page::{Page, charset, content, feed, walk};

/// A parsed page. [`Page`] has its facts, [`Document::content`] what an answer engine reads of it.
#[derive(Debug)]
pub struct Document {
    html: String,
    tree: Tree,
    page: Page,
}

impl Document {
    /// Reads a page, see [`Page::parse`].
    pub fn parse(body: &[u8], content_type: Option<&str>) -> Self {
        let html = charset::decode(body, content_type).into_owned();
        let tree = feed::parse(&html);
        let page = walk::collect(&html, &tree);
        Self { html, tree, page }
    }

    /// The facts of the page.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// The decoded source.
    pub fn html(&self) -> &str {
        &self.html
    }

    /// What an answer engine takes for the content of the page.
    pub fn content(&self) -> Content {
        content::of(&self.html, &self.tree)
    }

    /// The raw text of a `script` or `style` element; empty for others.
    pub fn raw_text(&self, node: NodeId) -> &str {
        self.tree.raw_text(node).map_or("", |(text, _)| text)
    }

    /// A CSS selector of an element that no other element of the page matches, such as
    /// `#specs > table > tbody > tr:nth-of-type(2)`; that of the parent for what is no element.
    pub fn css_path(&self, node: NodeId) -> String {
        self.tree.css_path(node)
    }
}
