//! Facts read from one HTML page, each with the line where it is.
//!
//! The scan and the page audit read the same facts. [`Page::parse`] never panics; its time and its
//! memory are bounded by the size of its input, whatever the input: elements beyond 200,000, beyond
//! 512 open ones and attributes beyond 256 of an element are left out.

mod address;
mod charset;
pub mod content;
mod css_path;
pub mod directives;
mod document;
mod element;
mod feed;
mod form;
pub mod json_ld;
pub mod language;
pub(crate) mod language_tag;
mod lines;
mod noscript;
pub(crate) mod notice;
pub(crate) mod own_text;
pub(crate) mod price;
mod source_chunk;
mod style;
mod style_sheet;
pub(crate) mod surroundings;
mod text;
mod tree;
pub(crate) mod unseen;
mod walk;

use std::ops::Range;

pub use self::charset::Mojibake;
pub use self::document::Document;
pub use self::tree::NodeId;
pub use self::walk::signature::{Signature, SignatureKind};
use crate::page::json_ld::JsonLdBlock;

/// A value and the line, counted from 1, where its element starts.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Located<T> {
    /// What was read.
    pub value: T,
    /// Line of the document, counted from 1.
    pub line: usize,
    /// The element, or the comment.
    pub node: NodeId,
}

/// The facts of a page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Bytes of the decoded HTML.
    pub html_bytes: usize,
    /// Characters of the decoded HTML.
    pub html_chars: usize,
    /// `<title>`, white space collapsed.
    pub title: Option<Located<String>>,
    /// `<meta name=description>`.
    pub description: Option<Located<String>>,
    /// `lang` of `<html>`, as written.
    pub lang: Option<Located<String>>,
    /// `href` of the first `<base>` that has one.
    pub base: Option<String>,
    /// All `<meta>` with a name, property or http-equiv (`key`, lower case) and content, in order; one
    /// with two of these attributes appears here twice.
    pub metas: Vec<Meta>,
    /// `<meta>` elements for crawlers with `value` where `content` should be: they say nothing.
    pub metas_without_content: Vec<Meta>,
    /// All `<link>` with a `rel`, in order, at most 1,000.
    pub links: Vec<LinkElement>,
    /// All `<a href>`, in order, at most 5,000.
    pub anchors: Vec<Anchor>,
    /// Visible elements that are marked as the name of an author, in order, at most 200.
    pub signatures: Vec<Signature>,
    /// Headings `h1` to `h6` in order, at most 1,000.
    pub headings: Vec<Heading>,
    /// Forms, in order, at most 200.
    pub forms: Vec<Form>,
    /// Scripts that are code (JSON-LD and other data blocks apart), in order.
    pub scripts: Vec<Script>,
    /// JSON-LD blocks, in order.
    pub json_ld: Vec<JsonLdBlock>,
    /// `itemtype` values (microdata), in order, at most 500.
    pub microdata_types: Vec<Located<String>>,
    /// Text a reader sees without scripts, white space collapsed, blocks on lines of their own.
    ///
    /// Left out: the head, `script`, `style`, `template`, `svg`, `select`, closed dialogs, notices in
    /// `noscript` that ask for JavaScript, what is in `iframe`, `object`, `canvas`, `audio` and
    /// `video`, and what is hidden by `hidden`, `display:none` or `visibility:hidden`. What only
    /// `aria-hidden` hides is visible, and so are slots that React streams (`<div hidden id="S:0">`).
    pub visible_text: String,
    /// Offset in bytes in the decoded HTML where the first visible text of the main content
    /// begins: inside `main`, else inside `article`, else inside `h1`, else anywhere.
    pub main_text_offset: Option<usize>,
    /// Characters of the decoded HTML before that place.
    pub chars_before_main_text: Option<usize>,
    /// Visible text of `<noscript>` elements in the body, white space collapsed, blocks on lines of
    /// their own.
    pub noscript_text: String,
    /// The element that a script fills, empty or with a word of waiting: `#root`, `#app`, `#__next`,
    /// `#__nuxt`, `app-root` ...
    pub empty_mount: Option<Located<String>>,
    /// Text hidden by `hidden`, `aria-hidden`, `display:none` or `visibility:hidden`, and HTML
    /// comments, each with its line; at most 20,000 characters of either kind.
    pub hidden_texts: Vec<Located<String>>,
    /// Prices found in the visible text, at most 50.
    pub prices: Vec<String>,
    /// Whether the page is UTF-8 that is declared to be something else.
    pub mojibake: Option<Mojibake>,
    /// Addresses of the `iframe` and `frame` elements that show, at most 100; empty where one has no
    /// `src`.
    pub frames: Vec<String>,
    /// How many `img` elements show, those of a single pixel left out.
    pub images: usize,
    /// Navigation and footers in the visible text: ranges of bytes, in order, without overlaps.
    pub navigation: Vec<Range<usize>>,
    /// Links in navigation and footers: ranges of bytes of the visible text, in order, without overlaps.
    pub navigation_links: Vec<Range<usize>>,
    /// Dialogs and banners of consent in the visible text, in order, without overlaps, at most 100.
    pub dialogs: Vec<Dialog>,
    /// Buttons in the visible text: ranges of bytes, in order, without overlaps, at most 1,000.
    pub buttons: Vec<Range<usize>>,
}

/// Visible text in front of the page.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Dialog {
    /// The range of bytes in the visible text.
    pub text: Range<usize>,
    /// Whether it is the banner of a product that asks for consent.
    pub is_consent: bool,
}

/// A `<meta>` element.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Meta {
    /// `name`, `property` or `http-equiv`, in lower case.
    pub key: String,
    /// The attribute that has the key.
    pub attribute: MetaAttribute,
    /// `content`, trimmed.
    pub content: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// The attribute of a `<meta>` element that has its key.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum MetaAttribute {
    /// `name`.
    #[default]
    Name,
    /// `property`.
    Property,
    /// `http-equiv`.
    HttpEquiv,
}

/// A `<link>` element.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct LinkElement {
    /// Relation types, in lower case.
    pub rels: Vec<String>,
    /// `href` as written, trimmed.
    pub href: String,
    /// `type`, in lower case.
    pub media_type: Option<String>,
    /// `hreflang` as written.
    pub hreflang: Option<String>,
    /// Whether it is in the body, where engines ignore canonical URLs.
    pub is_in_body: bool,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// An `<a href>`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Anchor {
    /// `href` as written, trimmed.
    pub href: String,
    /// Its text, white space collapsed, at most 200 characters.
    pub text: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// A heading.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text, white space collapsed.
    pub text: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// A `<form>`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Form {
    /// `action` as written.
    pub action: String,
    /// `method` in lower case; `get` if absent.
    pub method: String,
    /// `role`, `id`, `class` and `name` together, in lower case.
    pub hints: String,
    /// `toolname` (WebMCP).
    pub tool_name: Option<String>,
    /// `tooldescription` (WebMCP).
    pub tool_description: Option<String>,
    /// The input fields of the form.
    pub fields: Vec<FormField>,
    /// Text of its buttons, in lower case.
    pub buttons: Vec<String>,
    /// Line, counted from 1.
    pub line: usize,
}

/// An `input`, `select` or `textarea`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FormField {
    /// `type` in lower case; the element's name for `select` and `textarea`.
    pub kind: String,
    /// `name`, in lower case.
    pub name: String,
}

/// A `<script>` that is code.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Script {
    /// `src` as written.
    pub src: Option<String>,
    /// Inline code, at most 64 KiB of it.
    pub code: String,
    /// Line, counted from 1.
    pub line: usize,
}

impl Page {
    /// Reads a page.
    ///
    /// `content_type` is the header's value; the charset is taken from a byte-order mark, then the
    /// header, then a `<meta>` of the first 1,024 bytes or of the head, then UTF-8 if it is valid, then
    /// windows-1252.
    pub fn parse(body: &[u8], content_type: Option<&str>) -> Self {
        let decoded = charset::decode(body, content_type);
        let mut page = walk::collect(&decoded.text, &feed::parse(&decoded.text));
        page.note_mojibake(decoded.mojibake);
        page
    }

    /// Notes a wrong character set, unless the page speaks about character sets: its wrong characters may be examples.
    fn note_mojibake(&mut self, found: Option<Mojibake>) {
        self.mojibake = found.filter(|_| {
            let text = self.visible_text.to_lowercase();
            !["mojibake", "utf-8", "charset", "unicode"].iter().any(|word| text.contains(word))
        });
    }

    /// Contents of the `<meta>` elements with this key (lower case), in order.
    pub fn metas<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Meta> {
        self.metas.iter().filter(move |meta| meta.key == key)
    }

    /// `<link>` elements with this relation type (lower case), in order.
    pub fn links<'a>(&'a self, rel: &'a str) -> impl Iterator<Item = &'a LinkElement> {
        self.links.iter().filter(move |link| link.rels.iter().any(|r| r == rel))
    }

    /// Characters of visible text, white space not counted twice.
    pub fn visible_chars(&self) -> usize {
        self.visible_text.chars().count()
    }

    /// Words of visible text.
    pub fn visible_words(&self) -> usize {
        crate::text::words::count(&self.visible_text)
    }

    /// The `h1` headings, in order.
    pub fn h1s(&self) -> impl Iterator<Item = &Heading> {
        self.headings.iter().filter(|heading| heading.level == 1)
    }

    /// `<link rel=canonical>` elements of the head, in order: engines ignore those of the body.
    pub fn canonicals(&self) -> impl Iterator<Item = &LinkElement> {
        self.links("canonical").filter(|link| !link.is_in_body)
    }

    /// `<link rel=alternate hreflang>` elements, in order.
    pub fn hreflangs(&self) -> impl Iterator<Item = &LinkElement> {
        self.links("alternate").filter(|link| link.hreflang.is_some())
    }

    /// Whether `lang` is a well-formed language tag (RFC 5646, section 2.1).
    pub fn lang_is_valid(&self) -> bool {
        self.lang.as_ref().is_some_and(|lang| language_tag::is_well_formed(&lang.value))
    }

    /// The delay in seconds and the address of the first `<meta http-equiv=refresh>` that has a
    /// delay.
    pub fn meta_refresh(&self) -> Option<(u32, Option<String>)> {
        self.metas("refresh").find_map(|meta| parse_refresh(&meta.content))
    }

    /// The line that asks the reader to switch JavaScript on, in one of the languages that are known.
    ///
    /// Looked for in `<noscript>`, and on pages with less than 1,500 characters of visible text
    /// there too: a longer one may well write about JavaScript.
    pub fn requires_js_notice(&self) -> Option<&str> {
        let is_short = || self.visible_chars() < MAX_NOTICE_CHARS;
        notice::find(&self.noscript_text)
            .or_else(|| is_short().then(|| notice::find(&self.visible_text)).flatten())
    }
}

/// Characters of a page that may be nothing but a notice.
const MAX_NOTICE_CHARS: usize = 1_500;

/// Reads `5; url=/next` by the steps of the HTML standard.
fn parse_refresh(content: &str) -> Option<(u32, Option<String>)> {
    let content = content.trim_start();
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let (delay, rest) = content.split_at_checked(digits)?;
    let delay = if rest.starts_with('.') && digits == 0 { 0 } else { delay.parse().ok()? };
    let rest = rest.trim_start_matches(|ch: char| ch == '.' || ch.is_ascii_digit()).trim_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start();
    let (name, after) = rest.split_at_checked(3).unwrap_or((rest, ""));
    let value = match after.trim_start().strip_prefix('=') {
        Some(value) if name.eq_ignore_ascii_case("url") => value.trim_start(),
        _ => rest,
    };
    let url = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value.trim_start_matches(quote).split(quote).next(),
        _ => Some(value),
    };
    let url = url.map(str::trim).filter(|url| !url.is_empty()).map(str::to_owned);
    Some((delay, url))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(html: &str) -> Page {
        Page::parse(html.as_bytes(), None)
    }

    #[test]
    fn a_heading_leaves_out_what_it_hides() {
        let html = "<h1>Access <div hidden>Save this page</div><span popover>Collections</span></h1>\
            <div hidden><h2>Later</h2></div>";
        let page = Page::parse(html.as_bytes(), None);
        let texts: Vec<&str> = page.headings.iter().map(|heading| heading.text.as_str()).collect();
        assert_eq!(texts, ["Access", "Later"]);
    }

    #[test]
    fn a_refresh_has_a_delay_and_perhaps_an_address() {
        let cases = [
            ("5", Some((5, None))),
            (" 0; url=/next", Some((0, Some("/next")))),
            ("0;URL='/a b'", Some((0, Some("/a b")))),
            ("3.5, /next", Some((3, Some("/next")))),
            ("0 url = x", Some((0, Some("x")))),
            (".5;x", Some((0, Some("x")))),
            ("0;url=", Some((0, None))),
            ("x", None),
            ("99999999999", None),
            ("", None),
        ];
        for (content, refresh) in cases {
            let page = page(&format!("<meta http-equiv=refresh content=\"{content}\">"));
            let found = page.meta_refresh();
            assert_eq!(found, refresh.map(|(d, u)| (d, u.map(str::to_owned))), "{content}");
        }
    }

    #[test]
    fn a_long_page_about_javascript_has_no_notice() {
        let notice = "<p>Please enable JavaScript.</p>";
        assert!(page(notice).requires_js_notice().is_some());
        assert!(page(&format!("{notice}{}", "text ".repeat(400))).requires_js_notice().is_none());
    }

    #[test]
    fn characters_are_those_of_the_decoded_page() {
        let html = "<p>çok</p><main>\n şu</main>";
        let wide: Vec<u8> = html.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cases: [(&[u8], &str); 3] = [
            (html.as_bytes(), "text/html; charset=utf-8"),
            (&wide, "text/html; charset=utf-16le"),
            (b"<p>\xe7ok</p><main>\n \xfeu</main>", "text/html; charset=windows-1254"),
        ];
        for (body, content_type) in cases {
            let page = Page::parse(body, Some(content_type));
            let counted = (page.chars_before_main_text, page.html_chars);
            assert_eq!(counted, (Some(18), 27), "{content_type}");
        }
        assert_eq!(page("<p></p>").chars_before_main_text, None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(
            body in proptest::collection::vec(any::<u8>(), 0..400),
            header in proptest::option::of(".{0,40}"),
        ) {
            let _ = Page::parse(&body, header.as_deref());
        }

        #[test]
        fn no_markup_makes_the_parser_panic(
            html in "(<(/?(a|b|p|table|td|tr|svg|math|select|template|form|script|title|noscript|frameset|mi|style)|!--|!|\\?)( [a-z=\"'/ü]{0,6})?>?|-->|&[a-z#0-9]{0,4};?|[ -~ü\n]){0,60}",
        ) {
            let page = page(&html);
            prop_assert!(page.main_text_offset.is_none_or(|at| html.is_char_boundary(at)));
            let _ = (page.requires_js_notice(), page.meta_refresh(), page.lang_is_valid());
        }
    }
}
