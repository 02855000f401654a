//! What an answer engine takes for the content of a page, without running scripts.
//!
//! Navigation, banners, consent forms and the like are left out by landmarks, ARIA roles and names of
//! classes; what is left is the main content, as blocks in order, each with its place.

mod blobs;
mod blocks;
mod collect;
mod covert;
mod elements;
mod mark;
mod markdown;
mod measure;
mod microdata;
mod names;
mod pairs;
mod parts;
mod root;
pub mod tokens;

use crate::page::tree::{NodeId, Tree};

/// The content of a page.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// Where the main content was found.
    pub root: Root,
    /// The main content in order. Blocks do not nest: text of a list item is not again in a paragraph.
    pub blocks: Vec<Block>,
    /// Words of the main content.
    pub words: usize,
    /// Characters of the main content, white space collapsed.
    pub chars: usize,
    /// Words of the whole body that a reader could see: scripts, styles, templates, `noscript` and
    /// `svg` apart, hidden text included.
    pub body_words: usize,
    /// Octets of the decoded HTML before the first text of the main content.
    pub bytes_before: usize,
    /// Pairs of an attribute and its value, from definition lists and from tables whose rows have two
    /// cells, in order.
    pub pairs: Vec<Pair>,
    /// Cells of data tables (`td`) of the main content.
    pub cells: usize,
    /// Images of the main content, in order, decorative ones (`role=presentation`, `none`) left out.
    pub images: Vec<Image>,
    /// Links of the main content, in order.
    pub links: Vec<ContentLink>,
    /// Players of audio and video of the page, in order; what moves in the background without sound
    /// and controls is none.
    pub media: Vec<Media>,
    /// `<time>` elements of the page with text or `datetime`, in order.
    pub times: Vec<Time>,
    /// Text under `hidden`, `aria-hidden=true`, `display:none` and `visibility:hidden`. Left out are
    /// chrome such as a collapsed menu, what is 80 % links or more, and `details`. In order, at most
    /// 20,000 characters.
    pub hidden: Vec<Block>,
    /// Characters of all such text, kept or not.
    pub hidden_chars: usize,
    /// Characters of the main content under `data-nosnippet`.
    pub nosnippet_chars: usize,
    /// Text where a stranger could put words for machines alone: comments, what is hidden, labels
    /// (`alt`, `title`, `aria-label`) of some words, and `data-*` of 40 octets and more; at most 20,000
    /// characters of each kind.
    pub covert: Vec<Covert>,
    /// Data that scripts put into the page later: `__NEXT_DATA__`, `__NUXT__`, streaming slots ...
    pub hydration: Vec<Blob>,
    /// The heaviest inline scripts, styles, `data:` images and `svg`, at most three, heaviest first. Of
    /// an address, 64 KiB count.
    pub heavy: Vec<Blob>,
    /// Items of microdata, outer ones first.
    pub items: Vec<Item>,
    /// Anchors of navigation by breadcrumbs, in order.
    pub breadcrumbs: Vec<ContentLink>,
    /// Buttons of the page that show, in order, at most 200: `button`, `input`, `role=button` and
    /// links that look like one. Their text, else their label.
    pub buttons: Vec<Block>,
}

/// Where the main content was found.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Root {
    /// The one `article` that has most of it.
    Article(NodeId),
    /// `main`, or `role=main`.
    Main(NodeId),
    /// The whole body.
    #[default]
    Body,
}

/// A block of text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text on one line, white space collapsed.
    pub text: String,
    /// Line of the source where its text begins, counted from 1.
    pub line: usize,
    /// The element.
    pub node: NodeId,
    /// Where in a list or table it stands.
    pub place: Place,
    /// Text of `pre` with its lines; empty for others.
    pub raw: String,
}

/// Where in a list or table a block stands.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Place {
    /// In none.
    #[default]
    Flow,
    /// In a list.
    List {
        /// Lists around it, 1 for one that is not nested.
        depth: u8,
        /// Its number in `ol`.
        number: Option<u32>,
    },
    /// In a data table.
    Table {
        /// Data tables of the main content up to this one.
        table: u32,
        /// Rows of the table up to this one.
        row: u32,
        /// Cells of the row up to this one.
        column: u32,
    },
}

impl Block {
    /// Words of the text.
    pub fn words(&self) -> usize {
        self.text.split_whitespace().count()
    }
}

/// What a block is.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum BlockKind {
    /// `h1` to `h6`.
    Heading(u8),
    /// `p`, or text that stands in no other block.
    #[default]
    Paragraph,
    /// `li`.
    ListItem,
    /// `dt`.
    Term,
    /// `dd`.
    Description,
    /// `th`.
    HeaderCell,
    /// `td`.
    Cell,
    /// Text of `blockquote` or `q` as a block.
    Quote,
    /// `figcaption` or `caption`.
    Caption,
    /// `pre`.
    Preformatted,
}

/// An attribute and its value.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Pair {
    /// Name of the attribute, without a colon at its end.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The row, or the `dd`.
    pub node: NodeId,
}

/// An image.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Image {
    /// `src`, else the first address of `srcset` or `data-src`, as written.
    pub src: String,
    /// `alt`, trimmed; `None` if there is no such attribute.
    pub alt: Option<String>,
    /// The caption of its figure, else the nearest heading before it.
    pub context: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element.
    pub node: NodeId,
}

/// A link.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ContentLink {
    /// `href` as written, trimmed.
    pub href: String,
    /// Its text.
    pub text: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element.
    pub node: NodeId,
}

/// A player.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Media {
    /// `video`, `audio` or `iframe`.
    pub element: String,
    /// Where it plays from, as written.
    pub src: String,
    /// Whether it has a track of captions or subtitles.
    pub has_captions: bool,
    /// Line, counted from 1.
    pub line: usize,
    /// The element.
    pub node: NodeId,
}

/// A `<time>`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Time {
    /// Whether it stands in the main content.
    pub is_main: bool,
    /// `datetime`, trimmed.
    pub datetime: Option<String>,
    /// Its text.
    pub text: String,
    /// `itemprop`, `class` and `pubdate` together, in lower case.
    pub hints: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element.
    pub node: NodeId,
}

/// Text that readers do not see.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Covert {
    /// Where.
    pub place: CovertPlace,
    /// The text, white space collapsed.
    pub text: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element; for a comment, the comment.
    pub node: NodeId,
}

/// Where covert text stands.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum CovertPlace {
    /// Hidden from readers by attribute or inline style.
    #[default]
    Hidden,
    /// A comment.
    Comment,
    /// An `alt`, `title`, `aria-label` or `data-*` attribute.
    Attribute,
}

/// Octets that are no text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Blob {
    /// What it is: `__NEXT_DATA__`, `script`, `style`, `svg`, `data:image/png` ...
    pub name: String,
    /// Octets.
    pub bytes: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// The element.
    pub node: NodeId,
}

/// An item of microdata.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Types without their `https://schema.org/` prefix.
    pub types: Vec<String>,
    /// Its properties in the form of JSON-LD: strings, arrays, and objects with `@type`.
    pub object: serde_json::Map<String, serde_json::Value>,
    /// Nesting: 0 for items that are no property of another one.
    pub depth: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// The element.
    pub node: NodeId,
}

/// Reads the content of a page.
pub(super) fn of(html: &str, tree: &Tree) -> Content {
    collect::collect(html, tree)
}
