//! The walk through the tree of a page: its text, and what is hidden from readers.

mod dialogs;
mod facts;
mod navigation;
pub(super) mod signature;

use html5ever::{LocalName, local_name};

use self::dialogs::DialogWalk;
use self::facts::{Capture, Mount};
use self::navigation::NavigationWalk;
use crate::page::element::{self, Element, Rendering};
use crate::page::json_ld;
use crate::page::lines::LineIndex;
use crate::page::text::{Gap, TextBuilder, collapse};
use crate::page::tree::{NodeContent, NodeId, Tree, WalkStep};
use crate::page::{Located, Page, noscript, notice, price};

const MAX_HIDDEN_CHARS: usize = 20_000;
const MAX_COMMENT_CHARS: usize = 20_000;
const MAX_NOSCRIPT_CHARS: usize = 64 * 1024;

/// Collects the facts of a page.
pub(super) fn collect(html: &str, tree: &Tree) -> Page {
    PageWalk::through(html, tree).finish()
}

/// Where the walk is within an element, if it is.
type Within = Option<NodeId>;

/// The state of a walk.
struct PageWalk<'t> {
    html: &'t str,
    tree: &'t Tree,
    lines: LineIndex<'t>,
    page: Page,
    text: TextBuilder,
    /// Not for readers: scripts, templates, the head ...
    unrendered: Within,
    /// Hidden by the page.
    concealed: Within,
    head: Within,
    form: Within,
    hidden: Option<(NodeId, Located<TextBuilder>)>,
    captures: Vec<Capture>,
    mounts: Vec<Mount>,
    noscript: Within,
    noscript_text: TextBuilder,
    main: MainText,
    hidden_room: usize,
    comment_room: usize,
    json_ld_budget: json_ld::JsonLdBudget,
    navigation: NavigationWalk,
    dialogs: DialogWalk,
}

/// Where the first visible text starts: in `main`, `article`, `h1` and anywhere.
#[derive(Default)]
struct MainText {
    within: [Within; 3],
    starts: [Option<usize>; 4],
}

impl MainText {
    fn landmark(element: &Element, name: &LocalName) -> Option<usize> {
        match *name {
            local_name!("main") => Some(0),
            _ if element.attribute("role").is_some_and(|role| role.trim() == "main") => Some(0),
            local_name!("article") => Some(1),
            local_name!("h1") => Some(2),
            _ => None,
        }
    }

    fn enter(&mut self, landmark: Option<usize>, id: NodeId) {
        if let Some(slot) = landmark.and_then(|rank| self.within.get_mut(rank)) {
            slot.get_or_insert(id);
        }
    }

    fn leave(&mut self, id: NodeId) {
        for within in &mut self.within {
            within.take_if(|node| *node == id);
        }
    }

    fn see(&mut self, offset: usize) {
        let inside = self.within.iter().map(Option::is_some).chain([true]);
        for (start, inside) in self.starts.iter_mut().zip(inside) {
            if inside {
                start.get_or_insert(offset);
            }
        }
    }
}

impl<'t> PageWalk<'t> {
    fn new(html: &'t str, tree: &'t Tree) -> Self {
        Self {
            html,
            tree,
            lines: LineIndex::new(html),
            page: Page { html_bytes: html.len(), ..Page::default() },
            text: TextBuilder::new(usize::MAX),
            unrendered: None,
            concealed: None,
            head: None,
            form: None,
            hidden: None,
            captures: Vec::new(),
            mounts: Vec::new(),
            noscript: None,
            noscript_text: TextBuilder::new(MAX_NOSCRIPT_CHARS),
            main: MainText::default(),
            hidden_room: MAX_HIDDEN_CHARS,
            comment_room: MAX_COMMENT_CHARS,
            json_ld_budget: json_ld::JsonLdBudget::default(),
            navigation: NavigationWalk::default(),
            dialogs: DialogWalk::default(),
        }
    }

    fn through(html: &'t str, tree: &'t Tree) -> Self {
        let mut walk = Self::new(html, tree);
        for step in tree.walk() {
            match step {
                WalkStep::Enter(id) => walk.enter(id),
                WalkStep::Leave(id) => walk.leave(id),
            }
        }
        walk
    }

    fn line(&self, id: NodeId) -> usize {
        self.lines.line(self.tree.offset(id))
    }

    fn enter(&mut self, id: NodeId) {
        match self.tree.content(id) {
            NodeContent::Other => {}
            NodeContent::Text(text) => self.text_node(id, text),
            NodeContent::Comment(text) => self.comment(id, text),
            NodeContent::Element(element) => {
                let name = element.name();
                self.rendering(id, element, &name);
                self.part(&name);
                self.enter_navigation(id, element, &name);
                self.enter_dialog(id, element, &name);
                self.facts(id, element, &name);
            }
        }
    }

    /// Notes whether a reader sees what is within the element.
    fn rendering(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        if *name == local_name!("head") {
            self.head.get_or_insert(id);
        }
        let rendering = if noscript::is_noscript(name) {
            self.noscript(id)
        } else {
            element::rendering(element, name)
        };
        match rendering {
            Rendering::Shown => {}
            Rendering::Unrendered => _ = self.unrendered.get_or_insert(id),
            Rendering::Closed => _ = self.concealed.get_or_insert(id),
            Rendering::Hidden => {
                self.concealed.get_or_insert(id);
                self.capture_hidden(id);
            }
            Rendering::HiddenFromAssistance => self.capture_hidden(id),
        }
        if self.is_shown() {
            self.main.enter(MainText::landmark(element, name), id);
        }
    }

    /// Notes the text of the outermost `noscript`.
    fn noscript(&mut self, id: NodeId) -> Rendering {
        if self.noscript.is_some() {
            return Rendering::Shown;
        }
        self.noscript = Some(id);
        let text = noscript::text(self.tree, id);
        if self.unrendered.is_none() {
            for line in text.lines() {
                self.noscript_text.part(Gap::Line);
                self.noscript_text.push(line);
            }
        }
        if noscript::is_content(&text) { Rendering::Shown } else { Rendering::Unrendered }
    }

    fn capture_hidden(&mut self, id: NodeId) {
        if self.hidden.is_none() && self.unrendered.is_none() && self.hidden_room > 0 {
            let value = TextBuilder::new(self.hidden_room);
            self.hidden = Some((id, Located { value, line: self.line(id), node: id }));
        }
    }

    fn is_shown(&self) -> bool {
        self.unrendered.is_none() && self.concealed.is_none()
    }

    fn part(&mut self, name: &LocalName) {
        let gap = element::gap(name);
        if gap == Gap::None {
            return;
        }
        if self.is_shown() {
            self.text.part(gap);
        }
        if let Some((_, hidden)) = &mut self.hidden {
            hidden.value.part(gap);
        }
        for capture in &mut self.captures {
            capture.text.part(Gap::Space);
        }
    }

    fn text_node(&mut self, id: NodeId, text: &str) {
        if self.unrendered.is_some() {
            return;
        }
        if let Some((_, hidden)) = &mut self.hidden {
            hidden.value.push(text);
        }
        // What a heading or a link hides within itself is not part of its text.
        let is_concealed = self.concealed.is_some();
        for capture in self.captures.iter_mut().filter(|one| one.is_concealed || !is_concealed) {
            capture.text.push(text);
        }
        if self.is_shown() {
            self.text.push(text);
            if !text.trim_start().is_empty() {
                let offset = self.tree.offset(id);
                let source = self.html.get(offset..).unwrap_or_default();
                self.main.see(offset + source.len() - source.trim_start().len());
            }
        }
    }

    fn comment(&mut self, id: NodeId, text: &str) {
        let value = collapse(text, self.comment_room);
        if !value.is_empty() {
            self.comment_room = self.comment_room.saturating_sub(value.chars().count());
            self.page.hidden_texts.push(Located { value, line: self.line(id), node: id });
        }
    }

    fn leave(&mut self, id: NodeId) {
        let NodeContent::Element(element) = self.tree.content(id) else { return };
        self.part(&element.name());
        while let Some(capture) = self.captures.pop_if(|capture| capture.node == id) {
            self.finish_capture(capture);
        }
        while let Some(mount) = self.mounts.pop_if(|mount| mount.node == id) {
            let text = self.text.since(mount.text_before);
            if text.trim().is_empty() || notice::is_waiting(text) {
                self.page.empty_mount.get_or_insert(mount.name);
            }
        }
        if let Some((_, hidden)) = self.hidden.take_if(|(node, _)| *node == id) {
            let value = hidden.value.finish();
            if !value.is_empty() {
                self.hidden_room = self.hidden_room.saturating_sub(value.chars().count());
                self.page.hidden_texts.push(Located { value, line: hidden.line, node: id });
            }
        }
        let within = [
            &mut self.unrendered,
            &mut self.concealed,
            &mut self.head,
            &mut self.form,
            &mut self.noscript,
        ];
        for place in within {
            place.take_if(|node| *node == id);
        }
        self.main.leave(id);
        self.leave_navigation(id);
        self.leave_dialog(id);
    }

    fn finish(mut self) -> Page {
        let start = self.main.starts.into_iter().flatten().next();
        let before = start.and_then(|offset| self.html.get(..offset));
        self.page.main_text_offset = start;
        self.page.chars_before_main_text = before.map(|before| before.chars().count());
        self.page.html_chars = self.html.chars().count();
        self.page.visible_text = self.text.finish();
        self.page.prices = price::find(&self.page.visible_text);
        self.page.noscript_text = self.noscript_text.finish();
        self.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::feed;

    fn collect(html: &str) -> Page {
        super::collect(html, &feed::parse(html))
    }

    fn hidden(page: &Page) -> Vec<(&str, usize)> {
        page.hidden_texts.iter().map(|text| (text.value.as_str(), text.line)).collect()
    }

    #[test]
    fn visible_text_is_what_a_reader_sees_without_scripts() {
        let cases = [
            ("<p>a<p>b  c\n d", "a\nb c d"),
            ("<b>$</b>19 <i>a</i>b", "$19 ab"),
            ("a<br>b<td>c", "a\nbc"),
            ("<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc"),
            ("<title>t</title>a<script>s</script><style>s</style>", "a"),
            ("<body><noscript>n <b>o</b><style>s</style><p>p</noscript>", "n o\np"),
            ("a<noscript>Please enable JavaScript.<img></noscript><noscript><img></noscript>", "a"),
            ("a<div hidden id=S:0><p>b</div><div hidden id=S:x>c</div>", "a\nb"),
            ("a<template>t</template><svg><text>s</text></svg><iframe>i</iframe>b", "ab"),
            ("a<object>o</object><canvas>c</canvas><video>v</video>", "a"),
            ("<div hidden>h<p>i</div><div style='display: none'>n</div>x", "x"),
            (
                "<div style='visibility:hidden'>h</div><dialog>d</dialog><dialog open>o</dialog>",
                "o",
            ),
            ("<details><summary>s</summary>d</details>", "s\nd"),
            ("<i aria-hidden=true>a</i>b", "ab"),
            ("<select><option>o</select><button>x</button><button>y</button>", "x y"),
            ("<div><template shadowrootmode=open><p>shadow</template></div>", "shadow"),
            ("<textarea>t</textarea>&amp;&nbsp;&#x130;", "t& İ"),
            (
                "<b hidden>h</b><b style='color:red;display:none'>h</b><b style='color:red'>s</b>",
                "s",
            ),
        ];
        for (html, text) in cases {
            assert_eq!(collect(html).visible_text, text, "{html}");
        }
    }

    #[test]
    fn hidden_texts_have_their_lines() {
        let page = collect(
            "<p hidden>one\n</p>\n<!-- a  comment -->\n<div style=display:none>two<p hidden>three\n</div><i\naria-hidden=true>four</i><!---->",
        );
        assert_eq!(hidden(&page), [("one", 1), ("a comment", 3), ("two\nthree", 4), ("four", 5)]);
        assert_eq!(page.visible_text, "four");
    }

    #[test]
    fn hidden_texts_are_capped_for_each_kind() {
        let page = collect(&"<p hidden>0123456789<!--abcdefghij-->".repeat(9_000));
        let chars = |digits: bool| -> usize {
            let texts = page.hidden_texts.iter().map(|text| text.value.as_str());
            texts.filter(|t| t.starts_with('0') == digits).map(|t| t.chars().count()).sum()
        };
        assert_eq!(chars(true), MAX_HIDDEN_CHARS);
        assert_eq!(chars(false), MAX_COMMENT_CHARS);
    }

    #[test]
    fn the_main_text_starts_in_the_strongest_landmark() {
        let cases = [
            (
                "<p>a</p><h1>b</h1><article>c</article><main><script>x</script>\n d</main>",
                Some("d<"),
            ),
            ("<p>a</p><h1>b</h1><article><p hidden>x</p>c</article>", Some("c<")),
            ("<div role=main><p>&amp; x</div>", Some("&amp;")),
            ("<p>a</p><h1>b</h1>", Some("b<")),
            ("<script>'<main>'</script><p>\u{a0} a</p><main></main>", Some("a<")),
            ("<script>x</script>", None),
        ];
        for (html, at) in cases {
            let found = collect(html).main_text_offset;
            assert_eq!(found.is_some(), at.is_some(), "{html}");
            if let (Some(offset), Some(text)) = (found, at) {
                let rest = html.get(offset..).unwrap_or_default();
                assert!(rest.starts_with(text), "{html}: {rest}");
            }
        }
    }

    #[test]
    fn noscript_is_read_as_html_but_not_in_the_head() {
        let page = collect(
            "<head><noscript><style>x</style>h</noscript></head><body><noscript><img src=x><p>You need \
             to enable&nbsp;JavaScript.</p></noscript><noscript>two</noscript>",
        );
        assert_eq!(page.noscript_text, "You need to enable JavaScript.\ntwo");
        assert_eq!(page.requires_js_notice(), Some("You need to enable JavaScript."));
    }

    #[test]
    fn a_mount_point_counts_only_while_it_is_empty() {
        let name = |html: &str| collect(html).empty_mount.map(|mount| (mount.value, mount.line));
        assert_eq!(name("\n<div id=root></div>"), Some(("#root".to_owned(), 2)));
        assert_eq!(name("<app-root><svg>x</svg></app-root>"), Some(("app-root".to_owned(), 1)));
        assert_eq!(
            name("<div id=root><div id=app><script>x</script>"),
            Some(("#app".to_owned(), 1))
        );
        assert_eq!(name("<p>a</p><div id=app><p>Loading…</p></div>"), Some(("#app".to_owned(), 1)));
        assert_eq!(name("<shop-app></shop-app>"), Some(("shop-app".to_owned(), 1)));
        assert_eq!(name("<div id=react-app></div>"), Some(("#react-app".to_owned(), 1)));
        assert_eq!(name("<div id=root><p>text</p></div>"), None);
        assert_eq!(name("<div id=rooted></div>"), None);
    }
}
