//! The XML forms of a sitemap, read as a stream.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::documents::sitemap::{MAX_ENTRIES, Sitemap, SitemapEntry, SitemapError};
use crate::text::machine_date;
use crate::text::syntax_error::XmlError;

const NAMESPACE: &[u8] = b"http://www.sitemaps.org/schemas/sitemap/0.9";
/// Bytes that are kept of a `loc` or `lastmod`; the protocol wants less than 2,048 characters.
const MAX_VALUE_BYTES: usize = 8 * 1024;
/// Bytes that are quoted of the name of a root element.
const MAX_NAME_BYTES: usize = 100;

/// Reads XML.
pub(super) fn parse(text: &str, cut: bool) -> Result<Sitemap, SitemapError> {
    let mut reader = Reader::from_str(text);
    let mut state = State { sitemap: Sitemap { cut, ..Sitemap::default() }, ..State::default() };
    loop {
        let start = reader.buffer_position();
        let step = match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(event) => {
                if state.sitemap.fault.is_none()
                    && let Some(fault) = state.fault(&event, start)
                {
                    let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
                    state.sitemap.fault = Some((line_at(text, at), fault));
                }
                state.see(&event)
            }
            // What is not well-formed may be so because the rest is missing.
            Err(_) if cut => break,
            Err(error) => Err(Stop::Malformed(XmlError::from_parser(&error))),
        };
        match step {
            Ok(()) => {}
            Err(Stop::Full) => return Ok(state.sitemap),
            Err(Stop::Root(root)) if root == "html" => return Err(SitemapError::Html),
            Err(Stop::Root(root)) => return Err(SitemapError::Root { root }),
            Err(Stop::Malformed(reason)) => return Err(malformed(text, &reader, reason)),
        }
    }
    match (state.depth, cut) {
        (0, _) | (_, true) if state.has_root => state.finish(),
        (0, _) => Err(malformed(text, &reader, XmlError::NoRoot)),
        _ => Err(malformed(text, &reader, XmlError::OpenRoot)),
    }
}

fn malformed(text: &str, reader: &Reader<&[u8]>, reason: XmlError) -> SitemapError {
    let at = usize::try_from(reader.error_position().max(reader.buffer_position()));
    SitemapError::Xml { line: line_at(text, at.unwrap_or(usize::MAX)), reason }
}

/// The line of a position, counted from 1.
fn line_at(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    before.filter(|byte| **byte == b'\n').count() + 1
}

/// Why reading ends early.
enum Stop {
    Full,
    Root(String),
    Malformed(XmlError),
}

/// The field of an entry that is being read.
#[derive(Clone, Copy, PartialEq)]
enum EntryField {
    Loc,
    Lastmod,
}

#[derive(Default)]
struct State {
    sitemap: Sitemap,
    has_root: bool,
    /// Whether a document type may define entities of its own.
    has_doctype: bool,
    /// Open elements.
    depth: usize,
    /// Whether the open element of the second level is an entry.
    in_entry: bool,
    loc: Option<String>,
    lastmod: Option<String>,
    field: Option<EntryField>,
}

impl State {
    /// What is not well-formed in an event that can be read nonetheless; `start` is where it begins.
    fn fault(&mut self, event: &Event<'_>, start: u64) -> Option<XmlError> {
        match event {
            Event::Decl(_) => (start > 0).then_some(XmlError::Declaration),
            Event::PI(instruction) => {
                let is_declaration = instruction.target().eq_ignore_ascii_case(b"xml");
                is_declaration.then_some(XmlError::Declaration)
            }
            Event::DocType(_) => {
                self.has_doctype = true;
                None
            }
            Event::Comment(text) => has_double_hyphen(text).then_some(XmlError::Comment),
            Event::Text(text) => has_forbidden_character(text).then_some(XmlError::Character),
            Event::CData(text) => has_forbidden_character(text).then_some(XmlError::Character),
            Event::Start(tag) | Event::Empty(tag) => attribute_fault(tag),
            Event::GeneralRef(reference) => {
                let name = String::from_utf8_lossy(reference);
                let is_known = reference.is_char_ref()
                    || self.has_doctype
                    || resolve_predefined_entity(&name).is_some();
                (!is_known).then_some(XmlError::Entity)
            }
            _ => None,
        }
    }

    fn see(&mut self, event: &Event<'_>) -> Result<(), Stop> {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::Empty(tag) => self.open(tag).and_then(|()| self.close()),
            Event::End(_) => self.close(),
            Event::Text(text) => {
                self.push(&String::from_utf8_lossy(text));
                Ok(())
            }
            Event::CData(text) => {
                self.push(&String::from_utf8_lossy(text));
                Ok(())
            }
            Event::GeneralRef(reference) => self.reference(reference),
            _ => Ok(()),
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), Stop> {
        self.depth += 1;
        let name = tag.local_name();
        match self.depth {
            1 if self.has_root => {
                return Err(Stop::Malformed(XmlError::SecondRoot));
            }
            1 => {
                self.has_root = true;
                self.sitemap.is_index = match name.as_ref() {
                    b"urlset" => false,
                    b"sitemapindex" => true,
                    other => {
                        let root = other.get(..MAX_NAME_BYTES).unwrap_or(other);
                        return Err(Stop::Root(String::from_utf8_lossy(root).into_owned()));
                    }
                };
                self.sitemap.has_namespace = has_namespace(tag);
            }
            2 => {
                let wanted: &[u8] = if self.sitemap.is_index { b"sitemap" } else { b"url" };
                self.in_entry = name.as_ref() == wanted;
            }
            3 if self.in_entry => {
                self.field = match name.as_ref() {
                    b"loc" if self.loc.is_none() => Some(EntryField::Loc),
                    b"lastmod" if self.lastmod.is_none() => Some(EntryField::Lastmod),
                    _ => None,
                };
                *self.value().unwrap_or(&mut None) = Some(String::new());
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Stop> {
        match self.depth {
            2 if self.in_entry => {
                self.in_entry = false;
                let loc = self.loc.take().map(|loc| loc.trim().to_owned());
                let lastmod =
                    self.lastmod.take().map(|text| machine_date::w3c_instant(text.trim()));
                if let Some(loc) = loc.filter(|loc| !loc.is_empty()) {
                    if self.sitemap.entries.len() == MAX_ENTRIES {
                        self.sitemap.cut = true;
                        return Err(Stop::Full);
                    }
                    let bad_lastmod = lastmod == Some(None);
                    let lastmod = lastmod.flatten();
                    self.sitemap.entries.push(SitemapEntry { loc, lastmod, bad_lastmod });
                }
            }
            3 => self.field = None,
            _ => {}
        }
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    fn value(&mut self) -> Option<&mut Option<String>> {
        match self.field? {
            EntryField::Loc => Some(&mut self.loc),
            EntryField::Lastmod => Some(&mut self.lastmod),
        }
    }

    fn push(&mut self, text: &str) {
        if self.depth == 3
            && let Some(Some(value)) = self.value()
            && value.len() + text.len() <= MAX_VALUE_BYTES
        {
            value.push_str(text);
        }
    }

    /// Adds a character reference or one of XML's five entities; others are left out.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), Stop> {
        match reference.resolve_char_ref() {
            Ok(Some(ch)) => self.push(ch.encode_utf8(&mut [0; 4])),
            Ok(None) => {
                let name = String::from_utf8_lossy(reference);
                self.push(resolve_predefined_entity(&name).unwrap_or_default());
            }
            Err(error) => return Err(Stop::Malformed(XmlError::from_parser(&error))),
        }
        Ok(())
    }

    fn finish(self) -> Result<Sitemap, SitemapError> {
        if self.sitemap.entries.is_empty() { Err(SitemapError::Empty) } else { Ok(self.sitemap) }
    }
}

fn has_double_hyphen(comment: &[u8]) -> bool {
    comment.windows(2).any(|pair| pair == b"--") || comment.ends_with(b"-")
}

/// XML 1.0 section 2.2, as far as it concerns bytes of UTF-8.
fn has_forbidden_character(text: &[u8]) -> bool {
    text.iter().any(|byte| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r'))
}

/// Attributes of a tag that are looked at; to find one that comes twice takes the square of their number.
const MAX_ATTRIBUTES: usize = 50;

fn attribute_fault(tag: &BytesStart<'_>) -> Option<XmlError> {
    let mut attributes = tag.attributes().take(MAX_ATTRIBUTES);
    attributes.any(|attribute| attribute.is_err()).then_some(XmlError::Attribute)
}

/// Whether the namespace of the protocol is that of the element.
fn has_namespace(tag: &BytesStart<'_>) -> bool {
    let name = tag.name();
    let declaration = match name.prefix() {
        Some(prefix) => [b"xmlns:", prefix.as_ref()].concat(),
        None => b"xmlns".to_vec(),
    };
    // Duplicate attributes are not looked for, which would take quadratic time.
    tag.attributes()
        .with_checks(false)
        .flatten()
        .any(|attribute| attribute.key.as_ref() == declaration && *attribute.value == *NAMESPACE)
}
