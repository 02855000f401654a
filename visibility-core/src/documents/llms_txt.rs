//! llms.txt, read as the Markdown that it is: <https://llmstxt.org/>.

use std::borrow::Cow;

use encoding_rs::Encoding;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use crate::documents::MAX_PARTS;
use crate::fetch::lossy;

/// What an llms.txt says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct LlmsTxt {
    /// Text of the first-level heading, if it comes before any link and any other heading.
    pub heading: Option<String>,
    /// Targets of the links with a text, as written. A picture is none.
    pub links: Vec<String>,
    /// Addresses that are written in the text without being links.
    pub bare_addresses: usize,
    /// Characters of the file.
    pub chars: usize,
}

impl LlmsTxt {
    pub(crate) fn parse(body: &[u8]) -> Self {
        let text = decode(body);
        let mut reader = Reader::default();
        for event in Parser::new(&text) {
            reader.read(event);
        }
        Self { chars: text.chars().count(), ..reader.found }
    }

    /// Links and addresses together.
    pub(crate) fn addresses(&self) -> usize {
        self.links.len() + self.bare_addresses
    }
}

/// The text: UTF-8, or UTF-16 with a byte-order mark.
fn decode(body: &[u8]) -> Cow<'_, str> {
    match Encoding::for_bom(body) {
        Some((encoding, _)) => encoding.decode(body).0,
        None => lossy(body),
    }
}

#[derive(Debug, Default)]
struct Reader {
    found: LlmsTxt,
    /// The text of the first-level heading that is being read.
    title: Option<String>,
    /// The link that is being read, and whether it has a text.
    link: Option<(String, bool)>,
    /// Pictures and blocks of code around what is being read.
    images: usize,
    is_code: bool,
    /// Whether a heading can still be the one of the file.
    has_begun: bool,
}

impl Reader {
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Text(text) | Event::Code(text) => self.text(&text),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level: HeadingLevel::H1, .. } if !self.has_begun => {
                self.title = Some(String::new());
            }
            Tag::Heading { .. } => self.has_begun = true,
            Tag::Link { dest_url, .. } => {
                self.link = Some((dest_url.into_string(), false));
            }
            Tag::Image { .. } => self.images += 1,
            Tag::CodeBlock(_) => self.is_code = true,
            _ => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Heading(HeadingLevel::H1) => {
                let title = self.title.take().map(|title| title.trim().to_owned());
                if let Some(title) = title.filter(|title| !title.is_empty()) {
                    self.found.heading = Some(title);
                    self.has_begun = true;
                }
            }
            TagEnd::Link => {
                let link = self.link.take().filter(|(target, has_text)| {
                    *has_text && !target.is_empty() && self.found.links.len() < MAX_PARTS
                });
                self.has_begun |= link.is_some() && self.title.is_none();
                self.found.links.extend(link.map(|(target, _)| target));
            }
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::CodeBlock => self.is_code = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.images > 0 || self.is_code {
            return;
        }
        if let Some(title) = &mut self.title {
            title.push_str(text);
        }
        if let Some((_, has_text)) = &mut self.link {
            *has_text |= !text.trim().is_empty();
            return;
        }
        let is_address = |word: &&str| word.contains("https://") || word.contains("http://");
        self.found.bare_addresses += text.split_whitespace().filter(is_address).count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> LlmsTxt {
        LlmsTxt::parse(text.as_bytes())
    }

    #[test]
    fn a_heading_is_one_of_markdown_and_comes_first() {
        for (text, heading) in [
            ("# Lantern\n", Some("Lantern")),
            ("\u{feff}# Lantern\n", Some("Lantern")),
            ("   # Lantern   #\n", Some("Lantern")),
            ("Lantern\n=======\n", Some("Lantern")),
            ("<!-- by hand -->\n\n# `lantern` *works*\n", Some("lantern works")),
            ("# [Lantern](/)\n", Some("Lantern")),
            ("# \n# Lantern\n", Some("Lantern")),
            ("```\n# Lantern\n```\n", None),
            ("<!--\n# Lantern\n-->\n", None),
            ("- [a](/a)\n\n# Lantern\n", None),
            ("## Pages\n\n# Lantern\n", None),
            ("#Lantern\n", None),
            ("    # Lantern\n", None),
            ("", None),
        ] {
            assert_eq!(parse(text).heading.as_deref(), heading, "{text:?}");
        }
    }

    #[test]
    fn links_have_a_text_and_pictures_are_none() {
        for (text, links, bare) in [
            ("- [a](/a): what it says\n- [b](/b)\n", &["/a", "/b"][..], 0),
            ("[a][1]\n\n[1]: /a\n", &["/a"], 0),
            ("<https://example.com/a>\n", &["https://example.com/a"], 0),
            ("- https://example.com/a_b\n", &[], 1),
            ("![badge](/badge.svg) [![badge](/b.svg)](https://ci.example/)\n", &[], 0),
            ("```\n[a](/a) https://example.com\n```\n", &[], 0),
            ("<!-- [a](/a) -->\n", &[], 0),
            ("[ ](/a) []()\n", &[], 0),
        ] {
            let found = parse(text);
            assert_eq!(
                (found.links, found.bare_addresses),
                (links.iter().map(|&l| l.to_owned()).collect(), bare),
                "{text:?}"
            );
        }
    }

    #[test]
    fn utf_16_is_text_with_its_byte_order_mark() {
        let text = "# Fener\n\n[a](/a)\n";
        let big: Vec<u8> = [0xfe, 0xff]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_be_bytes))
            .collect();
        let little: Vec<u8> = [0xff, 0xfe]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        assert_eq!(LlmsTxt::parse(&big), parse(text));
        assert_eq!(LlmsTxt::parse(&little), parse(text));
    }
}
