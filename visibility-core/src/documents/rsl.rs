//! Licences in [Really Simple Licensing](https://rslstandard.org/rsl) 1.0.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::documents::{DocumentError, DocumentErrors, MAX_PARTS};
use crate::fetch::lossy;
use crate::text::note::Note;
use crate::text::syntax_error::XmlError;

const NAMESPACE: &[u8] = b"https://rslstandard.org/rsl";
/// Bytes of a list of usages that are read.
const MAX_TEXT_BYTES: usize = 1_024;

/// What a licence says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct RslLicense {
    /// `content` elements.
    pub contents: usize,
    /// `license` elements.
    pub licenses: usize,
    /// Usages that are permitted, such as `search` and `ai-train`, each once.
    pub permits: Vec<String>,
    /// Usages that are prohibited, each once.
    pub prohibits: Vec<String>,
    /// Types of payment, such as `free` and `attribution`, each once.
    pub payments: Vec<String>,
}

impl RslLicense {
    /// Reads a licence. Entities and DTDs are not expanded.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let text = lossy(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body));
        let mut reader = Reader::from_str(&text);
        let mut state = State::default();
        loop {
            match reader.read_event() {
                Ok(Event::Eof) => break,
                Ok(event) => state.see(&event),
                Err(error) => {
                    state.problems.add("not-xml", XmlError::from_parser(&error).note());
                    return state.problems.or(state.license);
                }
            }
            if !state.problems.0.is_empty() {
                return state.problems.or(state.license);
            }
        }
        state.finish()
    }
}

/// A list of usages that is being read.
#[derive(Clone, Copy, PartialEq)]
enum Usages {
    Permitted,
    Prohibited,
}

#[derive(Default)]
struct State {
    license: RslLicense,
    problems: DocumentErrors,
    depth: usize,
    has_root: bool,
    usages: Option<(Usages, usize, String)>,
}

impl State {
    fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                self.open(tag);
            }
            Event::Empty(tag) => {
                self.depth += 1;
                self.open(tag);
                self.close();
            }
            Event::End(_) => self.close(),
            Event::Text(text) => self.text(text),
            Event::CData(text) => self.text(text),
            _ => {}
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>) {
        let name = tag.local_name();
        if self.depth == 1 {
            self.root(tag);
            return;
        }
        match name.as_ref() {
            b"content" => self.license.contents += 1,
            b"license" => self.license.licenses += 1,
            b"payment" => {
                if let Some(kind) = attribute(tag, b"type") {
                    push_once(&mut self.license.payments, &kind);
                }
            }
            b"permits" if is_usage(tag) => self.start(Usages::Permitted),
            b"prohibits" if is_usage(tag) => self.start(Usages::Prohibited),
            _ => {}
        }
    }

    fn root(&mut self, tag: &BytesStart<'_>) {
        if self.has_root {
            self.problems.add("not-xml", XmlError::SecondRoot.note());
        }
        self.has_root = true;
        let name = tag.name();
        if name.local_name().as_ref() != b"rsl" {
            let name = String::from_utf8_lossy(name.as_ref()).into_owned();
            self.problems.add("wrong-root", Note::new("license-root").with("root", name));
        }
        let declaration = match name.prefix() {
            Some(prefix) => [b"xmlns:", prefix.as_ref()].concat(),
            None => b"xmlns".to_vec(),
        };
        if attribute(tag, &declaration).as_deref().map(str::as_bytes) != Some(NAMESPACE) {
            self.problems.add("namespace", Note::new("license-namespace"));
        }
    }

    fn start(&mut self, usages: Usages) {
        self.usages.get_or_insert((usages, self.depth, String::new()));
    }

    fn text(&mut self, text: &[u8]) {
        if let Some((_, _, usages)) = &mut self.usages
            && usages.len() + text.len() <= MAX_TEXT_BYTES
        {
            usages.push_str(&String::from_utf8_lossy(text));
        }
    }

    fn close(&mut self) {
        if let Some((kind, _, text)) = self.usages.take_if(|(_, depth, _)| *depth == self.depth) {
            let list = match kind {
                Usages::Permitted => &mut self.license.permits,
                Usages::Prohibited => &mut self.license.prohibits,
            };
            for usage in text.split(|ch: char| ch.is_whitespace() || ch == ',') {
                push_once(list, usage);
            }
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn finish(mut self) -> Result<RslLicense, Vec<DocumentError>> {
        if !self.has_root {
            self.problems.add("not-xml", XmlError::NoRoot.note());
        } else if self.depth > 0 {
            self.problems.add("not-xml", XmlError::OpenRoot.note());
        } else if self.license.contents == 0 {
            self.problems.add("no-content", Note::new("license-without-content"));
        } else if self.license.licenses == 0 {
            self.problems.add("no-license", Note::new("license-without-license"));
        }
        self.problems.or(self.license)
    }
}

fn push_once(list: &mut Vec<String>, value: &str) {
    let value = value.trim();
    if !value.is_empty() && list.len() < MAX_PARTS && !list.iter().any(|known| known == value) {
        list.push(value.to_owned());
    }
}

/// Whether the element lists usages; `type` is `usage`, `user` or `geo`.
fn is_usage(tag: &BytesStart<'_>) -> bool {
    attribute(tag, b"type").is_none_or(|kind| kind == "usage")
}

/// An attribute as written; duplicates are not looked for, which would take quadratic time.
fn attribute(tag: &BytesStart<'_>, name: &[u8]) -> Option<String> {
    let mut attributes = tag.attributes();
    let mut known = attributes.with_checks(false).flatten();
    let found = known.find(|attribute| attribute.key.as_ref() == name)?;
    Some(String::from_utf8_lossy(&found.value).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &str = r#"<?xml version="1.0"?><rsl xmlns="https://rslstandard.org/rsl"><content url="/">
        <license><permits type="usage">search, ai-input</permits><permits type="geo">TR</permits>
        <prohibits type="usage">ai-train<x/> search</prohibits><payment type="attribution"/></license></content></rsl>"#;

    #[test]
    fn a_licence_is_read() {
        let license = RslLicense::parse(VALID.as_bytes()).unwrap();
        assert_eq!((license.contents, license.licenses), (1, 1));
        assert_eq!(license.permits, ["search", "ai-input"]);
        assert_eq!(license.prohibits, ["ai-train", "search"]);
        assert_eq!(license.payments, ["attribution"]);
        let prefixed = VALID.replace('<', "<r:").replace("<r:/", "</r:").replace("<r:?", "<?");
        let prefixed = prefixed.replace("xmlns=", "xmlns:r=");
        assert_eq!(RslLicense::parse(prefixed.as_bytes()), Ok(license));
    }

    #[test]
    fn each_fault_is_named() {
        let cases = [
            (VALID.replace("rsl ", "rss ").replace("/rsl>", "/rss>"), "wrong-root"),
            (VALID.replace("https:", "http:"), "namespace"),
            (VALID.replace("content", "contents"), "no-content"),
            (VALID.replace("license", "licence"), "no-license"),
            (VALID.replace("</rsl>", ""), "not-xml"),
            (VALID.replace("</license>", ""), "not-xml"),
            (format!("{VALID}{VALID}"), "not-xml"),
            ("User-agent: *".to_owned(), "not-xml"),
            (String::new(), "not-xml"),
        ];
        for (text, id) in cases {
            let errors = RslLicense::parse(text.as_bytes()).unwrap_err();
            assert_eq!(errors.first().map(|p| p.id), Some(id), "{text}");
        }
    }

    #[test]
    fn hostile_licences_are_bounded() {
        let root = "<rsl xmlns='https://rslstandard.org/rsl'>";
        let deep = format!("{root}{}", "<permits>".repeat(100_000));
        assert!(RslLicense::parse(deep.as_bytes()).is_err());
        let usages: String =
            (0..5_000).fold(String::new(), |all, i| all + &format!("<permits>u{i}</permits>"));
        let wide = format!("{root}<content><license>{usages}</license></content></rsl>");
        assert_eq!(RslLicense::parse(wide.as_bytes()).unwrap().permits.len(), MAX_PARTS);
        let attributes: String =
            (0..50_000).fold(String::new(), |all, i| all + &format!(" a{i}='x'"));
        let wide = format!("{root}<content{attributes}><license/></content></rsl>");
        assert!(RslLicense::parse(wide.as_bytes()).is_ok());
    }
}
