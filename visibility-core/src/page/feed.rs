//! Feeds a page to html5ever, piece by piece, so that no input takes more than linear time.
//!
//! html5ever compares every attribute of a tag with all others and looks through the stack of open
//! elements for many tags, so that a few megabytes of `<b>` or of attributes would take minutes.
//! A piece is one tag, or what is between two: that gives each node its offset too.

use std::cell::{Cell, RefCell};

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{Attribute, LocalName, TokenizerResult, local_name};

use crate::page::element;
use crate::page::source_chunk::{ChunkKind, SourceChunk, is_space};
use crate::page::style;
use crate::page::tree::{NodeId, Tree, TreeBuilderSink};

/// Bytes of decoded HTML that are parsed.
const MAX_HTML_BYTES: usize = 64 * 1024 * 1024;
/// Open elements; browsers stop nesting at 512 too.
const MAX_OPEN_ELEMENTS: usize = 512;
/// Elements of a page.
const MAX_ELEMENTS: usize = 200_000;
/// Start tags and end tags of a page.
const MAX_TAGS: usize = 400_000;
/// Attributes of a page.
const MAX_ALL_ATTRIBUTES: usize = 400_000;
/// Pieces of a page.
const MAX_PIECES: usize = 1_000_000;
/// Bytes that are kept of an attribute's value.
const MAX_VALUE_BYTES: usize = 64 * 1024;
/// Start tags that may pass until the open elements are counted again.
const TAGS_PER_COUNT: usize = 64;

/// Builds the tree of a page.
pub(super) fn parse(html: &str) -> Tree {
    let end = html.floor_char_boundary(MAX_HTML_BYTES);
    let html = html.get(..end).unwrap_or_default();
    // Without scripts, the text of `<noscript>` is content.
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(TreeBuilderSink::new(), options);
    let tokenizer = Tokenizer::new(TreeLimits::new(builder), TokenizerOpts::default());
    let source = Source { text: StrTendril::from_slice(html), html, queue: BufferQueue::default() };
    let mut at = 0;
    let mut pieces = 0;
    let mut in_declaration = false;
    while at < html.len() && pieces < MAX_PIECES && !tokenizer.sink.is_full() {
        pieces += 1;
        let rest = html.as_bytes().get(at..).unwrap_or_default();
        let chunk = tokenizer.sink.next_chunk(rest, in_declaration);
        tokenizer.sink.builder.sink.offset.set(u32::try_from(at).unwrap_or(u32::MAX));
        tokenizer.sink.saw_token.set(false);
        source.feed(&tokenizer, at, chunk.fed_len);
        if chunk.kind == ChunkKind::CutTag {
            source.feed(&tokenizer, at + chunk.len - 1, 1);
        }
        in_declaration = (in_declaration || chunk.kind == ChunkKind::Declaration)
            && !tokenizer.sink.saw_token.get();
        at += chunk.len;
    }
    tokenizer.end();
    tokenizer.sink.builder.sink.finish()
}

struct Source<'a> {
    html: &'a str,
    text: StrTendril,
    queue: BufferQueue,
}

impl Source<'_> {
    fn feed(&self, tokenizer: &Tokenizer<TreeLimits>, start: usize, len: usize) {
        debug_assert!(self.html.get(start..start + len).is_some(), "pieces end at ASCII");
        let (Ok(start), Ok(len)) = (u32::try_from(start), u32::try_from(len)) else { return };
        let Ok(chunk) = self.text.try_subtendril(start, len) else { return };
        self.queue.push_back(chunk);
        while !matches!(tokenizer.feed(&self.queue), TokenizerResult::Done) {}
    }
}

/// Sits between tokenizer and tree builder and lets no more through than the tree may hold.
struct TreeLimits {
    builder: TreeBuilder<NodeId, TreeBuilderSink>,
    /// The element whose text is being read, such as `script`; only its own end tag ends it.
    raw: RefCell<Option<LocalName>>,
    saw_token: Cell<bool>,
    tags: Cell<usize>,
    attributes: Cell<usize>,
    /// Start tags that may pass until the open elements are counted.
    remaining: Cell<usize>,
    /// Whether an element may have been closed since the last count.
    closed: Cell<bool>,
    /// Attributes that the tree builder is not to see.
    aside: RefCell<Vec<Attribute>>,
    /// Whether nothing but the head has been seen.
    in_head: Cell<bool>,
}

impl TreeLimits {
    fn new(builder: TreeBuilder<NodeId, TreeBuilderSink>) -> Self {
        Self {
            builder,
            raw: RefCell::new(None),
            saw_token: Cell::new(false),
            tags: Cell::new(0),
            attributes: Cell::new(0),
            remaining: Cell::new(TAGS_PER_COUNT),
            closed: Cell::new(false),
            aside: RefCell::new(Vec::new()),
            in_head: Cell::new(true),
        }
    }

    /// Leaves `<noscript>` in the head raw text, as it is with scripts.
    ///
    /// Without them, an image in it would end the head for all that follows (13.2.6.4.5).
    fn keep_head(&self, tag: &mut Tag) {
        if !self.in_head.get() {
            return;
        }
        if tag.kind == TagKind::EndTag {
            self.in_head.set(tag.name != local_name!("head"));
        } else if tag.name == local_name!("noscript") {
            // The tokenizer knows the tag by its name, the tree builder reads raw text.
            tag.name = local_name!("noframes");
        } else if !stays_in_head(&tag.name) {
            self.in_head.set(false);
        }
    }

    fn is_full(&self) -> bool {
        self.tags.get() >= MAX_TAGS || self.builder.sink.elements.get() >= MAX_ELEMENTS
    }

    fn next_chunk(&self, rest: &[u8], in_declaration: bool) -> SourceChunk {
        if in_declaration {
            return SourceChunk::up_to(b'>', rest);
        }
        if let Some(name) = self.raw.borrow().as_deref() {
            let end = rest.strip_prefix(b"</").and_then(|rest| rest.split_at_checked(name.len()));
            return match end {
                Some((tag, after))
                    if tag.eq_ignore_ascii_case(name.as_bytes())
                        && after.first().is_none_or(|b| is_space(*b) || b"/>".contains(b)) =>
                {
                    SourceChunk::tag(rest)
                }
                _ => SourceChunk::text(rest),
            };
        }
        match rest {
            [b'<', b'a'..=b'z' | b'A'..=b'Z', ..] | [b'<', b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => {
                SourceChunk::tag(rest)
            }
            // These two bring no token, so that they must not be waited for.
            [b'<', b'/', b'>', ..] => SourceChunk::new(3),
            _ if rest.starts_with(b"<![CDATA[") => SourceChunk::up_to(b'>', rest),
            [b'<', b'!' | b'?' | b'/', ..] => {
                SourceChunk { kind: ChunkKind::Declaration, ..SourceChunk::up_to(b'>', rest) }
            }
            _ => SourceChunk::text(rest),
        }
    }

    /// Whether a tag may pass. Its attributes are cut to what is kept.
    fn admit(&self, tag: &mut Tag) -> bool {
        self.tags.set(self.tags.get() + 1);
        if tag.kind == TagKind::EndTag {
            self.raw.replace(None);
            self.closed.set(true);
            return true;
        }
        self.trim_attributes(tag);
        if never_nests(&tag.name) {
            return true;
        }
        if self.remaining.get() == 0 && self.closed.replace(false) {
            let open = OpenElements(Cell::new(0));
            self.builder.trace_handles(&open);
            self.remaining.set(MAX_OPEN_ELEMENTS.saturating_sub(open.0.get()).min(TAGS_PER_COUNT));
        }
        let room = self.remaining.get();
        self.remaining.set(room.saturating_sub(1));
        if room == 1 {
            self.closed.set(true);
        }
        room > 0
    }

    fn trim_attributes(&self, tag: &mut Tag) {
        if self.attributes.get() > MAX_ALL_ATTRIBUTES {
            tag.attrs.clear();
        }
        self.attributes.set(self.attributes.get() + tag.attrs.len());
        for attribute in &mut tag.attrs {
            if attribute.value.len() > MAX_VALUE_BYTES {
                let end = attribute.value.floor_char_boundary(MAX_VALUE_BYTES);
                let kept = attribute.value.get(..end).unwrap_or_default();
                attribute.value = StrTendril::from_slice(kept);
            }
        }
        if is_formatting(&tag.name) {
            self.aside.replace(keep_visibility(tag));
        }
    }
}

impl TokenSink for TreeLimits {
    type Handle = NodeId;

    fn process_token(&self, mut token: Token, line: u64) -> TokenSinkResult<NodeId> {
        let mut name = None;
        match &mut token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) => {
                self.saw_token.set(true);
                if !self.admit(tag) {
                    self.aside.take();
                    return TokenSinkResult::Continue;
                }
                name = Some(tag.name.clone());
                self.keep_head(tag);
            }
            Token::CharacterTokens(text) => {
                self.saw_token.set(true);
                let is_raw = self.raw.borrow().is_some();
                if self.in_head.get() && !is_raw && !text.trim_start().is_empty() {
                    self.in_head.set(false);
                }
            }
            _ => self.saw_token.set(true),
        }
        let before = self.builder.sink.elements.get();
        let result = self.builder.process_token(token, line);
        let aside = self.aside.take();
        if !aside.is_empty() && self.builder.sink.elements.get() > before {
            // Elements that are opened again come first, the one of the tag is last.
            self.builder.sink.complete(name.as_ref(), aside);
        }
        if matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext) {
            self.raw.replace(name);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts what a tree builder holds: open elements and formatting elements to be opened again.
struct OpenElements(Cell<usize>);

impl Tracer for OpenElements {
    type Handle = NodeId;

    fn trace_handle(&self, _node: &NodeId) {
        self.0.set(self.0.get() + 1);
    }
}

/// Elements that do not end the head.
fn stays_in_head(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("base")
            | local_name!("basefont")
            | local_name!("bgsound")
            | local_name!("head")
            | local_name!("html")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("noframes")
            | local_name!("script")
            | local_name!("style")
            | local_name!("template")
            | local_name!("title")
    )
}

/// Elements without content, and those whose content is text.
fn never_nests(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("param")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
            | local_name!("script")
            | local_name!("style")
            | local_name!("textarea")
            | local_name!("title")
    )
}

/// Elements that the tree builder opens again when they were closed too early, but for `a`.
pub(super) fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

/// Leaves a formatting element only what hides it, in one form, and gives back the rest.
///
/// Elements with equal attributes are opened again at most three times, others without limit.
fn keep_visibility(tag: &mut Tag) -> Vec<Attribute> {
    let is_kept = |attribute: &mut Attribute| match &*attribute.name.local {
        "hidden" if element::hides(&attribute.value) => {
            attribute.value.clear();
            true
        }
        "aria-hidden" => &*attribute.value == "true",
        "style" if style::hides(&attribute.value) => {
            attribute.value = StrTendril::from_slice("display:none");
            true
        }
        _ => false,
    };
    tag.attrs.extract_if(.., |attribute| !is_kept(attribute)).collect()
}

#[cfg(test)]
mod tests {
    use crate::page::Page;
    use crate::page::tree::{NodeContent, Tree, WalkStep};

    fn depth_and_size(tree: &Tree) -> (usize, usize) {
        let (mut depth, mut deepest, mut nodes) = (0_usize, 0, 0);
        for step in tree.walk() {
            match step {
                WalkStep::Enter(_) => {
                    nodes += 1;
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                WalkStep::Leave(_) => depth -= 1,
            }
        }
        (deepest, nodes)
    }

    #[test]
    fn nesting_is_bounded() {
        for tag in
            ["div", "b", "a", "table", "template", "select", "svg", "svg><g", "p><b", "button"]
        {
            for pattern in [format!("<{tag}>"), format!("<{tag}>x"), format!("<{tag} id=1><p>")] {
                let (depth, _) = depth_and_size(&super::parse(&pattern.repeat(2_000)));
                assert!(depth < 1_500, "{pattern}: {depth}");
            }
        }
    }

    #[test]
    fn elements_are_bounded() {
        let (_, nodes) = depth_and_size(&super::parse(&"<br>".repeat(500_000)));
        assert!(nodes < super::MAX_ELEMENTS + 10, "{nodes}");
    }

    #[test]
    fn attributes_of_a_tag_are_bounded_and_the_page_goes_on() {
        let attributes: String =
            (0..20_000).fold(String::new(), |all, i| all + &format!(" a{i}='x>y<'"));
        let page = Page::parse(
            format!("<p id=first{attributes}>one</p\n{attributes}>two").as_bytes(),
            None,
        );
        assert_eq!(page.visible_text, "one\ntwo");
        let quotes = format!("<p {}>one", "\"'".repeat(50_000));
        assert_eq!(Page::parse(quotes.as_bytes(), None).visible_text, "one");
        let unfinished = format!("one<p{attributes}");
        assert_eq!(Page::parse(unfinished.as_bytes(), None).visible_text, "one");
    }

    #[test]
    fn markup_between_declarations_is_fed_as_the_standard_reads_it() {
        let cases = [
            ("<!-- <a b c> -->x", "x"),
            ("<!-->x", "x"),
            ("<!>x</>y</ z>w<?p?>v", "xywv"),
            ("<svg><![CDATA[<p>a]]></svg>x", "x"),
            ("<!--x", ""),
            ("<!doctype html><p>a < b <1 &lt;", "a < b <1 <"),
            ("<p title='a>b'>x", "x"),
            ("<p title=a'>x", "x"),
            ("<p a='b'c=\"d\"/e>x", "x"),
            ("<script><!-- <script> </script> --></script>x", "x"),
            ("<script>'</b x>'</script>x", "x"),
            ("<title></b></title>x", "x"),
            ("<plaintext></plaintext>x", "</plaintext>x"),
            ("&am", "&am"),
            ("<b>&amp<i a=1>x", "&x"),
        ];
        for (html, text) in cases {
            assert_eq!(Page::parse(html.as_bytes(), None).visible_text, text, "{html}");
        }
    }

    #[test]
    fn a_long_value_is_cut() {
        let tree = super::parse(&format!("<p title='{}'>", "ş".repeat(1_000_000)));
        let lengths: Vec<usize> = tree
            .walk()
            .filter_map(|step| match step {
                WalkStep::Enter(id) => match tree.content(id) {
                    NodeContent::Element(element) => element.attribute("title").map(str::len),
                    _ => None,
                },
                WalkStep::Leave(_) => None,
            })
            .collect();
        assert_eq!(lengths, [super::MAX_VALUE_BYTES]);
    }
}
