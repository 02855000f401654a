//! What single elements add to the facts of a page.

use html5ever::{LocalName, local_name};

use crate::page::element::{self, Element};
use crate::page::json_ld::JsonLdBlock;
use crate::page::text::{TextBuilder, collapse};
use crate::page::tree::NodeId;
use crate::page::walk::PageWalk;
use crate::page::{
    Anchor, Heading, LinkElement, Located, Meta, MetaAttribute, Script, form, style,
};

const MAX_LINKS: usize = 1_000;
const MAX_ANCHORS: usize = 5_000;
const MAX_ANCHOR_CHARS: usize = 200;
const MAX_HEADINGS: usize = 1_000;
const MAX_HEADING_CHARS: usize = 1_000;
const MAX_BUTTON_CHARS: usize = 200;
const MAX_TITLE_CHARS: usize = 2_000;
/// Frames of a page that are kept.
const MAX_FRAMES: usize = 100;
const MAX_MICRODATA_TYPES: usize = 500;
const MAX_CODE_BYTES: usize = 64 * 1024;
const MAX_JSON_LD_BLOCKS: usize = 100;
/// Texts that are collected at a time, such as that of a heading within a link.
const MAX_CAPTURES: usize = 8;
/// Elements that may turn out to be an empty mount point, at a time.
const MAX_MOUNTS: usize = 8;

/// A text that is being collected for a fact.
pub(super) struct Capture {
    pub(super) node: NodeId,
    pub(super) target: CaptureTarget,
    pub(super) text: TextBuilder,
    /// Whether it is within what is hidden.
    pub(super) is_concealed: bool,
}

/// The fact that a captured text belongs to, by its index in the page.
#[derive(Clone, Copy)]
pub(super) enum CaptureTarget {
    Anchor(usize),
    Heading(usize),
    Button(usize),
}

/// An element that a script may fill.
pub(super) struct Mount {
    pub(super) node: NodeId,
    pub(super) name: Located<String>,
    pub(super) text_before: usize,
}

impl PageWalk<'_> {
    /// Adds what an element says.
    pub(super) fn facts(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        self.microdata(id, element);
        self.signature(id, element);
        let is_data = matches!(
            *name,
            local_name!("base")
                | local_name!("link")
                | local_name!("meta")
                | local_name!("script")
                | local_name!("title")
        );
        // In `noscript`, only what shows is a fact of the page.
        if self.noscript.is_some() && (is_data || self.unrendered.is_some()) {
            return;
        }
        match *name {
            local_name!("html") => self.page.lang = self.located(id, element.attribute("lang")),
            local_name!("title") => self.title(id),
            local_name!("base") => {
                let href = element.attribute("href").map(|href| href.trim().to_owned());
                self.page.base = self.page.base.take().or(href);
            }
            local_name!("meta") => self.meta(id, element),
            local_name!("link") => self.link(id, element),
            local_name!("a") => self.anchor(id, element),
            local_name!("script") => self.script(id, element),
            local_name!("img") => self.image(element),
            local_name!("frame") | local_name!("iframe") => self.frame(id, element),
            _ => self.body_facts(id, element, name),
        }
    }

    fn body_facts(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        if let Some(level) = element::heading_level(name) {
            self.heading(id, level);
        } else if *name == local_name!("form") {
            if self.form.is_none() && self.page.forms.len() < form::MAX_FORMS {
                self.form = Some(id);
                self.page.forms.push(form::read(element, self.line(id)));
            }
        } else if element::is_control(name) {
            self.control(id, element, name);
        }
        if let Some(mount) = element::mount_name(element)
            && self.unrendered.is_none()
            && self.page.empty_mount.is_none()
            && self.mounts.len() < MAX_MOUNTS
        {
            let name = Located { value: mount, line: self.line(id), node: id };
            self.mounts.push(Mount { node: id, name, text_before: self.text.len() });
        }
    }

    fn located(&self, id: NodeId, value: Option<&str>) -> Option<Located<String>> {
        value.map(|value| Located { value: value.to_owned(), line: self.line(id), node: id })
    }

    fn microdata(&mut self, id: NodeId, element: &Element) {
        let Some(types) = element.attribute("itemtype") else { return };
        let line = self.line(id);
        let room = MAX_MICRODATA_TYPES.saturating_sub(self.page.microdata_types.len());
        let types = types.split_whitespace().take(room);
        self.page.microdata_types.extend(types.map(|value| Located {
            value: value.to_owned(),
            line,
            node: id,
        }));
    }

    fn title(&mut self, id: NodeId) {
        if self.page.title.is_none()
            && let Some((text, _)) = self.tree.raw_text(id)
        {
            let value = collapse(text, MAX_TITLE_CHARS);
            self.page.title = Some(Located { value, line: self.line(id), node: id });
        }
    }

    fn meta(&mut self, id: NodeId, element: &Element) {
        let line = self.line(id);
        let Some(content) = element.attribute("content") else {
            let name = element.attribute("name").map(|name| name.trim().to_lowercase());
            let value = element.attribute("value").map(|value| value.trim().to_owned());
            let named = name.zip(value).filter(|(name, _)| name == "robots");
            self.page.metas_without_content.extend(named.map(|(key, content)| Meta {
                key,
                attribute: MetaAttribute::Name,
                content,
                line,
                node: id,
            }));
            return;
        };
        for (attribute, name) in [
            (MetaAttribute::Name, "name"),
            (MetaAttribute::Property, "property"),
            (MetaAttribute::HttpEquiv, "http-equiv"),
        ] {
            let Some(key) = element.attribute(name).map(str::trim) else { continue };
            let meta = Meta {
                key: key.to_lowercase(),
                attribute,
                content: content.trim().to_owned(),
                line,
                node: id,
            };
            if self.page.description.is_none() && meta.key == "description" {
                let value = meta.content.clone();
                self.page.description = Some(Located { value, line, node: id });
            }
            self.page.metas.push(meta);
        }
    }

    fn link(&mut self, id: NodeId, element: &Element) {
        let Some(rel) = element.attribute("rel") else { return };
        if self.page.links.len() == MAX_LINKS {
            return;
        }
        let text = |name| element.attribute(name).map(|value| value.trim().to_owned());
        self.page.links.push(LinkElement {
            rels: rel.split_whitespace().map(str::to_lowercase).collect(),
            href: text("href").unwrap_or_default(),
            media_type: element.attribute("type").map(|value| value.trim().to_lowercase()),
            hreflang: text("hreflang"),
            is_in_body: self.is_in_body(id),
            line: self.line(id),
            node: id,
        });
    }

    /// Whether an element is in the body: an element of the head that is not, is in the head or before it.
    fn is_in_body(&self, id: NodeId) -> bool {
        let up = std::iter::successors(self.tree.parent(id), |id| self.tree.parent(*id));
        let mut elements = up.filter_map(|id| self.tree.element(id));
        let is_end = |element: &&Element| {
            matches!(*element.local(), local_name!("head") | local_name!("body"))
        };
        elements.find(is_end).is_some_and(|element| *element.local() == local_name!("body"))
    }

    fn anchor(&mut self, id: NodeId, element: &Element) {
        let Some(href) = element.attribute("href") else { return };
        if self.unrendered.is_none() && self.page.anchors.len() < MAX_ANCHORS {
            let target = CaptureTarget::Anchor(self.page.anchors.len());
            let href = href.trim().to_owned();
            self.page.anchors.push(Anchor {
                href,
                text: String::new(),
                line: self.line(id),
                node: id,
            });
            self.capture(id, target, MAX_ANCHOR_CHARS);
        }
    }

    fn heading(&mut self, id: NodeId, level: u8) {
        if self.unrendered.is_none() && self.page.headings.len() < MAX_HEADINGS {
            let target = CaptureTarget::Heading(self.page.headings.len());
            self.page.headings.push(Heading {
                level,
                text: String::new(),
                line: self.line(id),
                node: id,
            });
            self.capture(id, target, MAX_HEADING_CHARS);
        }
    }

    fn control(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        if self.form.is_none() {
            return;
        }
        let index = self.page.forms.len().saturating_sub(1);
        let Some(current) = self.page.forms.get_mut(index) else { return };
        if form::add_control(current, element, name) {
            self.capture(id, CaptureTarget::Button(index), MAX_BUTTON_CHARS);
        }
    }

    fn frame(&mut self, id: NodeId, element: &Element) {
        // What is in a frame is never text of the page, so that the frame is the outermost of its kind
        // where it shows.
        let is_outermost = self.unrendered.is_none_or(|outermost| outermost == id);
        let is_hidden = element::is_hidden_by_attribute(element)
            || element.attribute("style").is_some_and(style::hides)
            || is_pixel(element);
        if is_outermost
            && self.concealed.is_none()
            && !is_hidden
            && self.page.frames.len() < MAX_FRAMES
        {
            let src = element.attribute("src").unwrap_or_default().trim();
            self.page.frames.push(src.to_owned());
        }
    }

    fn image(&mut self, element: &Element) {
        if self.is_shown() && !is_pixel(element) {
            self.page.images += 1;
        }
        if let Some(alt) = element.attribute("alt") {
            for capture in &mut self.captures {
                capture.text.push(alt);
            }
        }
    }

    fn script(&mut self, id: NodeId, element: &Element) {
        let (text, offset) = self.tree.raw_text(id).unwrap_or(("", self.tree.offset(id)));
        match element::script_kind(element) {
            element::ScriptKind::Code => {
                let end = text.floor_char_boundary(MAX_CODE_BYTES);
                self.page.scripts.push(Script {
                    src: element.attribute("src").map(|src| src.trim().to_owned()),
                    code: text.get(..end).unwrap_or_default().to_owned(),
                    line: self.line(id),
                });
            }
            element::ScriptKind::JsonLd if self.page.json_ld.len() < MAX_JSON_LD_BLOCKS => {
                let line = self.lines.line(offset);
                let mut block = JsonLdBlock::parse_within(text, line, &mut self.json_ld_budget);
                block.node = id;
                self.page.json_ld.push(block);
            }
            element::ScriptKind::JsonLd | element::ScriptKind::Other => {}
        }
    }

    fn capture(&mut self, node: NodeId, target: CaptureTarget, max_chars: usize) {
        if self.captures.len() < MAX_CAPTURES {
            let text = TextBuilder::new(max_chars);
            let is_concealed = self.concealed.is_some();
            self.captures.push(Capture { node, target, text, is_concealed });
        }
    }

    /// Stores a text that is complete.
    pub(super) fn finish_capture(&mut self, capture: Capture) {
        let text = capture.text.finish();
        match capture.target {
            CaptureTarget::Anchor(index) => {
                if let Some(anchor) = self.page.anchors.get_mut(index) {
                    anchor.text = text;
                }
            }
            CaptureTarget::Heading(index) => {
                if let Some(heading) = self.page.headings.get_mut(index) {
                    heading.text = text;
                }
            }
            CaptureTarget::Button(index) => {
                if let Some(form) = self.page.forms.get_mut(index) {
                    form::add_button(form, &text);
                }
            }
        }
    }
}

/// Whether an element counts its visitors and shows nothing.
fn is_pixel(element: &Element) -> bool {
    let sides = ["width", "height"].into_iter().filter_map(|side| element.attribute(side));
    sides.map(str::trim).any(|side| matches!(side, "0" | "1" | "0px" | "1px"))
}

#[cfg(test)]
mod tests {
    use crate::page::{FormField, Page};

    fn page(html: &str) -> Page {
        Page::parse(html.as_bytes(), Some("text/html; charset=utf-8"))
    }

    #[test]
    fn the_head_is_read_with_its_lines() {
        let page = page(
            "<!doctype html>\n<html lang=tr>\n<head><title> A\n b </title>\n<meta\n name=Description content=' d '>\n\
             <meta property=og:title name=twitter:title content=t><meta http-equiv=Refresh content='0; url=/x'>\n\
             <link rel='Alternate  HREFLANG' hreflang=en-US href=' /en ' type=Text/HTML>\n<base href=/shop/><base href=/b/>",
        );
        let title = page.title.clone().unwrap_or_default();
        assert_eq!((title.value.as_str(), title.line), ("A b", 3));
        let description = page.description.clone().unwrap_or_default();
        assert_eq!((description.value.as_str(), description.line), ("d", 5));
        let lang = page.lang.clone().unwrap_or_default();
        assert_eq!((lang.value.as_str(), lang.line), ("tr", 2));
        let keys: Vec<&str> = page.metas.iter().map(|meta| meta.key.as_str()).collect();
        assert_eq!(keys, ["description", "twitter:title", "og:title", "refresh"]);
        let link = &page.links[0];
        assert_eq!(link.rels, ["alternate", "hreflang"]);
        assert_eq!((link.href.as_str(), link.media_type.as_deref()), ("/en", Some("text/html")));
        assert_eq!(page.hreflangs().count(), 1);
        assert_eq!(page.base.as_deref(), Some("/shop/"));
    }

    #[test]
    fn anchors_and_headings_have_their_text_even_when_hidden() {
        let page = page(
            "<nav hidden><a href=' /a '>One <b>two</b></a></nav>\n<h2><a href=/b><img alt=Logo src=x></a>\n x</h2><h1>h</h1>\
             <a>no</a><template><a href=/t>t</a></template><svg><a href=/s>s</a></svg>",
        );
        let anchors: Vec<_> =
            page.anchors.iter().map(|a| (a.href.as_str(), a.text.as_str(), a.line)).collect();
        assert_eq!(anchors, [("/a", "One two", 1), ("/b", "Logo", 2)]);
        let headings: Vec<_> =
            page.headings.iter().map(|h| (h.level, h.text.as_str(), h.line)).collect();
        assert_eq!(headings, [(2, "Logo x", 2), (1, "h", 3)]);
        assert_eq!(page.h1s().count(), 1);
    }

    #[test]
    fn forms_have_their_fields_and_buttons() {
        let page = page(
            "<form action=/go METHOD=Post role=Search id=f toolname=find tooldescription='Finds things'>\
             <input name=Q><input type=EMAIL name=mail><select name=s></select><textarea name=t></textarea>\
             <input type=submit value=Go><button> Log <b>in</b></button></form><input name=outside><form></form>",
        );
        let form = &page.forms[0];
        assert_eq!((form.action.as_str(), form.method.as_str()), ("/go", "post"));
        assert_eq!(form.hints, "search f");
        assert_eq!(form.tool_name.as_deref(), Some("find"));
        assert_eq!(form.tool_description.as_deref(), Some("Finds things"));
        let fields = [("text", "q"), ("email", "mail"), ("select", "s"), ("textarea", "t")]
            .map(|(kind, name)| FormField { kind: kind.to_owned(), name: name.to_owned() });
        assert_eq!(form.fields, fields);
        assert_eq!(form.buttons, ["go", "log in"]);
        assert_eq!((page.forms.len(), page.forms[1].method.as_str()), (2, "get"));
    }

    #[test]
    fn scripts_are_distinguished_from_data() {
        let page = page(
            "<script src=' /a.js '></script>\n<script type=module>x < y</script><script type=importmap>{}</script>\
             <script type='application/json'>{}</script><script type='text/JavaScript; charset=utf-8'>b</script>\n\
             <script type='application/ld+json'>\n{}</script>",
        );
        let scripts: Vec<_> =
            page.scripts.iter().map(|s| (s.src.as_deref(), s.code.as_str(), s.line)).collect();
        assert_eq!(scripts, [(Some("/a.js"), "", 1), (None, "x < y", 2), (None, "b", 2)]);
        assert_eq!(page.json_ld.len(), 1);
        assert_eq!(page.json_ld[0].line, 3);
    }

    #[test]
    fn microdata_types_are_listed() {
        let page = page("<div itemscope itemtype='https://schema.org/Product x'>");
        let types: Vec<&str> = page.microdata_types.iter().map(|t| t.value.as_str()).collect();
        assert_eq!(types, ["https://schema.org/Product", "x"]);
    }

    #[test]
    fn lists_and_texts_are_capped() {
        let page = page(&format!("<a href=/>{}</a>", "x".repeat(1_000)).repeat(6_000));
        assert_eq!(page.anchors.len(), super::MAX_ANCHORS);
        let links = self::page(&"<link rel=icon href=/>".repeat(2_000)).links;
        assert_eq!(links.len(), super::MAX_LINKS);
        assert_eq!(page.anchors[0].text.chars().count(), super::MAX_ANCHOR_CHARS);
    }
}
