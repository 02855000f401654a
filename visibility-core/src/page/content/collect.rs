//! The walk that collects the content.

use html5ever::{LocalName, local_name};

use crate::page::content::mark::{Chrome, Shown};
use crate::page::content::measure::{Fate, Measures};
use crate::page::content::parts::{Parts, Purpose};
use crate::page::content::{
    Block, BlockKind, Content, ContentLink, Image, Media, Pair, Place, Root, Time,
};
use crate::page::element;
use crate::page::lines::LineIndex;
use crate::page::text::{Gap, TextBuilder, collapse};
use crate::page::tree::{self, Element, NodeId, Step, Tree};

const MAX_BLOCKS: usize = 20_000;
const MAX_LINKS: usize = 5_000;
const MAX_IMAGES: usize = 2_000;
const MAX_PAIRS: usize = 500;
const MAX_TIMES: usize = 500;
const MAX_MEDIA: usize = 100;
const MAX_BUTTONS: usize = 200;
const MAX_BREADCRUMBS: usize = 50;
const MAX_HIDDEN_CHARS: usize = 20_000;
const MAX_SHORT_CHARS: usize = 200;
const MAX_KEY_CHARS: usize = 80;
const MAX_VALUE_CHARS: usize = 300;
const MAX_ADDRESS_BYTES: usize = 2_048;

/// Reads the content of a page.
pub(super) fn collect(html: &str, tree: &Tree) -> Content {
    let measures = Measures::of(tree);
    let mut walk = Walk::new(html, tree, &measures);
    for step in tree.walk() {
        match step {
            Step::Enter(id) => walk.enter(id),
            Step::Leave(id) => walk.leave(id),
        }
    }
    walk.finish()
}

/// Where the walk is within an element, if it is.
type Within = Option<NodeId>;

/// A block that is being collected.
struct OpenBlock {
    block: Block,
    text: TextBuilder,
}

/// An element that gives the text within it its kind.
struct Frame {
    node: NodeId,
    kind: BlockKind,
    place: Place,
    /// Whether it has had a block.
    is_used: bool,
}

struct Walk<'t> {
    html: &'t str,
    tree: &'t Tree,
    measures: &'t Measures,
    lines: LineIndex<'t>,
    content: Content,
    never: Within,
    hidden: Within,
    chrome: Within,
    /// In a list of links, whose links are still links of the content.
    link_list: Within,
    root: Within,
    details: Within,
    nosnippet: Within,
    breadcrumbs: Within,
    parts: Parts,
    frames: Vec<Frame>,
    /// Block-level elements that are open.
    boxes: Vec<NodeId>,
    open: Option<OpenBlock>,
    heading: String,
    figure: Option<(NodeId, usize)>,
    hidden_room: usize,
    hidden_text: Option<(TextBuilder, usize)>,
    key: String,
    row: Row,
}

/// A row of a table.
#[derive(Default)]
struct Row {
    cells: Vec<String>,
}

impl<'t> Walk<'t> {
    fn new(html: &'t str, tree: &'t Tree, measures: &'t Measures) -> Self {
        Self {
            html,
            tree,
            measures,
            lines: LineIndex::new(html),
            content: Content {
                root: measures.root,
                body_words: measures.body_words,
                ..Content::default()
            },
            never: None,
            hidden: None,
            chrome: None,
            link_list: None,
            root: (measures.root == Root::Body).then_some(NodeId::DOCUMENT),
            details: None,
            nosnippet: None,
            breadcrumbs: None,
            parts: Parts::default(),
            frames: Vec::new(),
            boxes: Vec::new(),
            open: None,
            heading: String::new(),
            figure: None,
            hidden_room: MAX_HIDDEN_CHARS,
            hidden_text: None,
            key: String::new(),
            row: Row::default(),
        }
    }

    fn line(&self, id: NodeId) -> usize {
        self.lines.line(self.tree.offset(id))
    }

    fn is_shown(&self) -> bool {
        self.never.is_none() && self.hidden.is_none()
    }

    /// Whether the walk is in the main content.
    fn is_read(&self) -> bool {
        self.is_shown() && self.root.is_some() && self.chrome.is_none() && self.link_list.is_none()
    }

    fn enter(&mut self, id: NodeId) {
        match self.tree.content(id) {
            tree::Content::Text(text) => self.text(id, text),
            tree::Content::Element(element) => {
                let name = element.name();
                self.place(id, element, &name);
                if self.never.is_none_or(|never| never == id) {
                    self.element(id, element, &name);
                }
                self.boundary(&name);
                if self.is_read() {
                    self.frame(id, &name);
                }
            }
            _ => {}
        }
    }

    /// Notes what the element is for the text within it.
    fn place(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        if self.never.is_some() {
            return;
        }
        let mark = self.measures.mark(id);
        match mark.rendering {
            Shown::Never => self.never = Some(id),
            Shown::Hidden if self.hidden.is_none() => self.hide(id),
            _ => {}
        }
        match self.measures.fate(id) {
            Fate::Kept => {}
            Fate::Chrome => _ = self.chrome.get_or_insert(id),
            Fate::Links => _ = self.link_list.get_or_insert(id),
        }
        if mark.chrome != Chrome::No && self.hidden.is_some() {
            self.chrome.get_or_insert(id);
        }
        match self.content.root {
            Root::Article(root) | Root::Main(root) if root == id => self.root = Some(id),
            _ => {}
        }
        if *name == local_name!("details") {
            self.details.get_or_insert(id);
        }
        if element.attribute("data-nosnippet").is_some() {
            self.nosnippet.get_or_insert(id);
        }
    }

    fn hide(&mut self, id: NodeId) {
        self.hidden = Some(id);
        if !self.measures.sums(id).is_menu() && self.details.is_none() && self.chrome.is_none() {
            self.hidden_text = Some((TextBuilder::new(usize::MAX), self.line(id)));
        }
    }

    fn boundary(&mut self, name: &LocalName) {
        let gap = element::gap(name);
        if gap == Gap::None {
            return;
        }
        self.parts.part();
        if let Some((text, _)) = &mut self.hidden_text {
            text.part(Gap::Space);
        }
        let is_cell = matches!(*name, local_name!("td") | local_name!("th"));
        if (gap == Gap::Line || is_cell) && *name != local_name!("br") && !self.joins(name) {
            self.flush();
        } else if let Some(open) = &mut self.open {
            open.text.part(Gap::Space);
        }
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

    fn frame(&mut self, id: NodeId, name: &LocalName) {
        if element::gap(name) != Gap::None && *name != local_name!("br") {
            self.boxes.push(id);
        }
        let kind = match *name {
            local_name!("li") => BlockKind::ListItem,
            local_name!("dt") => BlockKind::Term,
            local_name!("dd") => BlockKind::Description,
            local_name!("th") => BlockKind::HeaderCell,
            local_name!("td") => BlockKind::Cell,
            local_name!("blockquote") => BlockKind::Quote,
            local_name!("figcaption") | local_name!("caption") => BlockKind::Caption,
            local_name!("pre") => BlockKind::Preformatted,
            _ => match element::heading_level(name) {
                Some(level) => BlockKind::Heading(level),
                None => return,
            },
        };
        self.frames.push(Frame { node: id, kind, place: Place::Flow, is_used: false });
    }

    fn text(&mut self, id: NodeId, text: &str) {
        if self.never.is_some() {
            return;
        }
        if self.hidden.is_some() {
            if self.chrome.is_none()
                && let Some((hidden, _)) = &mut self.hidden_text
            {
                hidden.push(text);
            }
            return;
        }
        self.parts.push(text);
        if !self.is_read() {
            return;
        }
        if self.nosnippet.is_some() {
            self.content.nosnippet_chars += collapse(text, usize::MAX).chars().count();
        }
        if self.open.is_none() {
            if text.trim_start().is_empty() {
                return;
            }
            self.begin(id, text);
        }
        if let Some(open) = &mut self.open {
            open.text.push(text);
        }
    }

    /// Begins a block with its first text.
    fn begin(&mut self, id: NodeId, text: &str) {
        let lead = text.len() - text.trim_start().len();
        let offset = self.tree.offset(id);
        // References are shorter in the text than in the source; before the first word there is
        // white space alone.
        let source = self.html.get(offset..).unwrap_or_default();
        let start = offset + (source.len() - source.trim_start().len()).min(lead);
        if self.content.blocks.is_empty() {
            self.content.bytes_before = start;
        }
        let own = self.boxes.last().copied().unwrap_or_default();
        let mut block = Block { line: self.lines.line(start), node: own, ..Block::default() };
        if let Some(frame) = self.frames.last_mut() {
            block.kind = frame.kind;
            block.place = frame.place;
            match frame.kind {
                BlockKind::ListItem if frame.is_used => block.kind = BlockKind::Paragraph,
                BlockKind::Description | BlockKind::Quote => {}
                _ => block.node = frame.node,
            }
            frame.is_used = true;
        }
        self.open = Some(OpenBlock { block, text: TextBuilder::new(usize::MAX) });
    }

    fn flush(&mut self) {
        let Some(OpenBlock { mut block, text }) = self.open.take() else { return };
        block.text = text.finish();
        self.content.words += block.words();
        self.content.chars += block.text.chars().count();
        if let BlockKind::Heading(_) = block.kind {
            self.heading = collapse(&block.text, MAX_SHORT_CHARS);
        }
        if self.content.blocks.len() < MAX_BLOCKS {
            self.content.blocks.push(block);
        }
    }

    fn element(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        match *name {
            local_name!("a") => self.link(id, element),
            local_name!("img") => self.image(id, element),
            local_name!("video") | local_name!("audio") | local_name!("iframe") => {
                self.media(id, element, name);
            }
            local_name!("time") => self.time(id, element),
            local_name!("figure") => self.figure = Some((id, self.content.images.len())),
            local_name!("figcaption") => {
                if self.figure.is_some() {
                    self.parts.open(id, Purpose::Caption, MAX_SHORT_CHARS);
                }
            }
            local_name!("input") => self.input(id, element),
            local_name!("dt") if self.is_read() => {
                self.parts.open(id, Purpose::Key, MAX_KEY_CHARS + 1);
            }
            local_name!("dd") if self.is_read() => {
                self.parts.open(id, Purpose::Value, MAX_VALUE_CHARS + 1);
            }
            local_name!("tr") => self.row.cells.clear(),
            local_name!("td") | local_name!("th") if self.is_read() => {
                if *name == local_name!("td") {
                    self.content.cells += 1;
                }
                self.parts.open(id, Purpose::Value, MAX_VALUE_CHARS + 1);
            }
            _ => {}
        }
        if self.measures.mark(id).chrome == Chrome::Control && self.is_shown() {
            self.button(id, element, "");
        }
    }

    fn link(&mut self, id: NodeId, element: &Element) {
        let Some(href) = element.attribute("href") else { return };
        let is_content = self.is_shown() && self.root.is_some() && self.chrome.is_none();
        if is_content && self.content.links.len() < MAX_LINKS {
            self.parts.open(id, Purpose::Link(self.content.links.len()), MAX_SHORT_CHARS);
            let href = cut(href.trim());
            let line = self.line(id);
            self.content.links.push(ContentLink { href, line, node: id, ..ContentLink::default() });
        }
        if self.breadcrumbs.is_some() && self.content.breadcrumbs.len() < MAX_BREADCRUMBS {
            let purpose = Purpose::Breadcrumb(self.content.breadcrumbs.len());
            self.parts.open(id, purpose, MAX_SHORT_CHARS);
            let href = cut(href.trim());
            let line = self.line(id);
            let link = ContentLink { href, line, node: id, ..ContentLink::default() };
            self.content.breadcrumbs.push(link);
        }
    }

    fn image(&mut self, id: NodeId, element: &Element) {
        let role = element.attribute("role").unwrap_or_default().trim();
        let is_decoration = matches!(role, "presentation" | "none");
        if !self.is_read() || is_decoration || self.content.images.len() >= MAX_IMAGES {
            return;
        }
        let attribute = |name| element.attribute(name).map(str::trim).filter(|v| !v.is_empty());
        let set =
            |name| attribute(name).and_then(|set| set.split([',', ' ']).find(|v| !v.is_empty()));
        let src = attribute("src")
            .filter(|src| !src.starts_with("data:"))
            .or_else(|| set("srcset"))
            .or_else(|| attribute("data-src"))
            .or_else(|| attribute("src"))
            .unwrap_or_default();
        self.content.images.push(Image {
            src: cut(src),
            alt: element.attribute("alt").map(|alt| collapse(alt, MAX_VALUE_CHARS)),
            context: self.heading.clone(),
            line: self.line(id),
            node: id,
        });
    }

    fn media(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        if self.hidden.is_some() || self.content.media.len() >= MAX_MEDIA {
            return;
        }
        let attribute = |name| element.attribute(name).map(str::trim).filter(|v| !v.is_empty());
        let mut src = attribute("src").or_else(|| attribute("data-src")).map(cut);
        let mut has_captions = false;
        if *name == local_name!("iframe") {
            if !src.as_deref().is_some_and(is_player) {
                return;
            }
        } else {
            for child in self.tree.children(id).filter_map(|child| self.tree.element(child)) {
                if child.name() == local_name!("source") {
                    src = src.or_else(|| child.attribute("src").map(cut));
                } else if child.name() == local_name!("track") {
                    let kind = child.attribute("kind").unwrap_or("subtitles").trim();
                    has_captions |= ["captions", "subtitles"].contains(&kind);
                }
            }
        }
        self.content.media.push(Media {
            element: name.to_string(),
            src: src.unwrap_or_default(),
            has_captions,
            line: self.line(id),
            node: id,
        });
    }

    fn time(&mut self, id: NodeId, element: &Element) {
        if !self.is_shown() || self.content.times.len() >= MAX_TIMES {
            return;
        }
        let hints = ["itemprop", "class"].map(|name| element.attribute(name).unwrap_or_default());
        let pubdate = if element.attribute("pubdate").is_some() { "pubdate" } else { "" };
        let hints = format!("{} {} {pubdate}", hints[0], hints[1]).to_lowercase();
        self.parts.open(id, Purpose::Time(self.content.times.len()), MAX_SHORT_CHARS);
        self.content.times.push(Time {
            is_main: self.is_read(),
            datetime: element.attribute("datetime").map(|v| collapse(v, MAX_SHORT_CHARS)),
            text: String::new(),
            hints: collapse(&hints, MAX_SHORT_CHARS),
            line: self.line(id),
            node: id,
        });
    }

    fn input(&mut self, id: NodeId, element: &Element) {
        let kind = element.attribute("type").unwrap_or_default().trim();
        if self.is_shown()
            && ["submit", "button", "image"].iter().any(|k| kind.eq_ignore_ascii_case(k))
        {
            let value = element.attribute("value").or_else(|| element.attribute("alt"));
            self.button(id, element, value.unwrap_or_default());
        }
    }

    fn button(&mut self, id: NodeId, element: &Element, value: &str) {
        if self.content.buttons.len() >= MAX_BUTTONS {
            return;
        }
        let label = if value.is_empty() { element.attribute("aria-label") } else { Some(value) };
        self.parts.open(id, Purpose::Button(self.content.buttons.len()), MAX_SHORT_CHARS);
        self.content.buttons.push(Block {
            text: collapse(label.unwrap_or_default(), MAX_SHORT_CHARS),
            line: self.line(id),
            node: id,
            ..Block::default()
        });
    }

    fn leave(&mut self, id: NodeId) {
        let tree::Content::Element(element) = self.tree.content(id) else { return };
        let name = element.name();
        self.boundary(&name);
        while let Some((purpose, text)) = self.parts.close(id) {
            self.keep(id, &name, purpose, text);
        }
        if name == local_name!("tr") {
            self.pair_of_row(id);
        }
        self.frames.pop_if(|frame| frame.node == id);
        self.boxes.pop_if(|node| *node == id);
        if let Some((_, first)) = self.figure.take_if(|(node, _)| *node == id) {
            let _ = first;
        }
        if self.hidden == Some(id) {
            self.unhide(id);
        }
        for within in [
            &mut self.never,
            &mut self.chrome,
            &mut self.link_list,
            &mut self.details,
            &mut self.nosnippet,
            &mut self.breadcrumbs,
            &mut self.root,
        ] {
            within.take_if(|node| *node == id);
        }
    }

    fn keep(&mut self, id: NodeId, name: &LocalName, purpose: Purpose, text: String) {
        match purpose {
            Purpose::Link(index) => {
                if let Some(link) = self.content.links.get_mut(index) {
                    link.text = text;
                }
            }
            Purpose::Breadcrumb(index) => {
                if let Some(link) = self.content.breadcrumbs.get_mut(index) {
                    link.text = text;
                }
            }
            Purpose::Button(index) => {
                if let Some(button) = self.content.buttons.get_mut(index)
                    && !text.is_empty()
                {
                    button.text = text;
                }
            }
            Purpose::Time(index) => {
                if let Some(time) = self.content.times.get_mut(index) {
                    time.text = text;
                }
            }
            Purpose::Caption => {
                if let Some((_, first)) = self.figure {
                    for image in self.content.images.iter_mut().skip(first) {
                        image.context.clone_from(&text);
                    }
                }
            }
            Purpose::Key => self.key = text,
            Purpose::Value if *name == local_name!("dd") => {
                let key = self.key.clone();
                self.pair(&key, text, id);
            }
            Purpose::Value => self.row.cells.push(text),
        }
    }

    fn pair_of_row(&mut self, id: NodeId) {
        if let [key, value] = self.row.cells.as_mut_slice() {
            let (key, value) = (std::mem::take(key), std::mem::take(value));
            self.pair(&key, value, id);
        }
        self.row.cells.clear();
    }

    fn pair(&mut self, key: &str, value: String, node: NodeId) {
        let key = key.trim_end_matches([':', '：', ' ']);
        let fits = |text: &str, max: usize| !text.is_empty() && text.chars().count() <= max;
        if fits(key, MAX_KEY_CHARS)
            && fits(&value, MAX_VALUE_CHARS)
            && self.content.pairs.len() < MAX_PAIRS
        {
            let key = key.to_owned();
            self.content.pairs.push(Pair { key, value, line: self.line(node), node });
        }
    }

    fn unhide(&mut self, id: NodeId) {
        self.hidden = None;
        let Some((text, line)) = self.hidden_text.take() else { return };
        let text = text.finish();
        let chars = text.chars().count();
        if chars == 0 {
            return;
        }
        self.content.hidden_chars += chars;
        if self.hidden_room > 0 {
            let text = collapse(&text, self.hidden_room);
            self.hidden_room = self.hidden_room.saturating_sub(chars);
            self.content.hidden.push(Block { text, line, node: id, ..Block::default() });
        }
    }

    fn finish(mut self) -> Content {
        self.flush();
        self.content
    }
}

/// An address, cut.
fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_ADDRESS_BYTES)).unwrap_or_default().to_owned()
}

/// Whether an address is that of an embedded player.
fn is_player(src: &str) -> bool {
    let rest = src.split_once("//").map_or(src, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let is_of = |domain: &str| {
        host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let domains = [
        "youtube.com",
        "youtube-nocookie.com",
        "vimeo.com",
        "wistia.com",
        "wistia.net",
        "dailymotion.com",
    ];
    domains.iter().any(|domain| is_of(domain))
}

#[cfg(test)]
mod tests {
    use crate::page::Document;
    use crate::page::content::{BlockKind, Content, Root};

    fn content(html: &str) -> Content {
        Document::parse(html.as_bytes(), None).content()
    }

    fn texts(content: &Content) -> Vec<&str> {
        content.blocks.iter().map(|block| block.text.as_str()).collect()
    }

    #[test]
    fn blocks_do_not_nest_and_have_their_lines() {
        let page = content(
            "<h1>T <b>x</b></h1>\n<p>one\n two<p>three<ul>\n<li><p>a</p><p>b</p><ul><li>c</ul>d</ul>\
             loose <i>text</i><table><tr><th>k<td>v <p>w</table><dl><dt>Size:<dd>3 cm</dl>",
        );
        assert_eq!(page.root, Root::Body);
        let found: Vec<_> = page.blocks.iter().map(|b| (b.kind, b.text.as_str(), b.line)).collect();
        assert_eq!(
            found,
            [
                (BlockKind::Heading(1), "T x", 1),
                (BlockKind::Paragraph, "one two", 2),
                (BlockKind::Paragraph, "three", 3),
                (BlockKind::ListItem, "a", 4),
                (BlockKind::Paragraph, "b", 4),
                (BlockKind::ListItem, "c", 4),
                (BlockKind::Paragraph, "d", 4),
                (BlockKind::Paragraph, "loose text", 4),
                (BlockKind::HeaderCell, "k", 4),
                (BlockKind::Cell, "v w", 4),
                (BlockKind::Term, "Size:", 4),
                (BlockKind::Description, "3 cm", 4),
            ]
        );
        let pairs: Vec<_> = page.pairs.iter().map(|p| (p.key.as_str(), p.value.as_str())).collect();
        assert_eq!(pairs, [("k", "v w"), ("Size", "3 cm")]);
        assert_eq!((page.words, page.cells, page.body_words), (17, 1, 17));
    }

    #[test]
    fn chrome_is_left_out_unless_it_holds_the_page() {
        let page = content(
            "<body><header><nav><a href=/>Home</a></nav></header><div class='site-nav'>menu</div>\
             <div class=advantage>kept</div><div class=cookie-banner>We use cookies</div>\
             <main><h1>Title</h1><p>A text of some length that holds the page, more than all else.</p>\
             <div class=sidebar>side</div></main><footer>foot</footer>",
        );
        assert!(matches!(page.root, Root::Main(_)));
        assert_eq!(texts(&page)[0], "Title");
        assert_eq!(page.blocks.len(), 2);
        let page = content(
            "<div class='content-nav-wrapper'><p>All the text of this page stands in here.</div>",
        );
        assert_eq!(texts(&page), ["All the text of this page stands in here."]);
    }
}
