//! Text of a site that a fix takes away, quoted as it is served.

use serde::{Deserialize, Serialize};

/// The longest element that is quoted, in bytes. A longer one is found by its line.
const MAX_ELEMENT_BYTES: usize = 2_000;

/// Text that is there now, and that something else takes the place of.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReplacedText {
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// The text as the site serves it. Untrusted.
    pub content: String,
}

impl ReplacedText {
    /// The element on a line of HTML that has this name and, in its start tag, this value of an attribute.
    /// `title` ends with its end tag; the other elements of a head have none.
    pub(crate) fn element(html: &str, line: usize, name: &str, value: &str) -> Option<Self> {
        let start = line_start(html, line)?;
        let rest = html.get(start..)?;
        let ends = rest.find('\n').unwrap_or(rest.len());
        let mut tags = rest.match_indices('<').take_while(|(at, _)| *at <= ends);
        let text = tags.find_map(|(at, _)| {
            let tag = start_tag(rest.get(at..)?)?;
            let bare = tag.get(1..)?.split([' ', '\t', '\n', '\r', '/', '>']).next()?;
            let has_value = value.is_empty() || has_attribute_value(tag, value);
            (bare.eq_ignore_ascii_case(name) && has_value).then(|| rest.get(at..))?
        })?;
        let tag = start_tag(text)?.len();
        let end = match name {
            "title" => tag + end_of_title(text.get(tag..)?)?,
            _ => tag,
        };
        let text = text.get(..end).filter(|text| text.len() <= MAX_ELEMENT_BYTES)?;
        Some(Self { line, content: text.to_owned() })
    }

    /// The title of a page, where it is empty, so that nothing of it was read; `None` where there is none.
    pub(crate) fn empty_title(html: &str) -> Option<Self> {
        let is_title = |at: &usize| {
            html.get(*at..at + 6).is_some_and(|start| start.eq_ignore_ascii_case("<title"))
        };
        let at = html.match_indices('<').map(|(at, _)| at).find(is_title)?;
        let before = html.get(..at)?;
        // One in a comment is none.
        let is_open = before.rfind("<!--") > before.rfind("-->");
        let line = 1 + before.matches('\n').count();
        let found = Self::element(html, line, "title", "").filter(|_| !is_open)?;
        let text = found.content.split_once('>').and_then(|(_, rest)| rest.split_once('<'))?.0;
        text.trim().is_empty().then_some(found)
    }

    /// The line on which it ends, counted from 1.
    pub fn last_line(&self) -> usize {
        self.line + self.content.lines().count().saturating_sub(1)
    }

    /// Puts a text in the place of this one; `false` if it is not there.
    pub fn replace(&self, document: &mut Vec<u8>, new: &str) -> bool {
        let old = self.content.as_bytes();
        let line_ends = memchr::memchr_iter(b'\n', document).map(|at| at + 1);
        let Some(start) = std::iter::once(0).chain(line_ends).nth(self.line.saturating_sub(1))
        else {
            return false;
        };
        let found = document.get(start..).and_then(|rest| memchr::memmem::find(rest, old));
        let Some(at) = found.map(|at| start + at) else { return false };
        document.splice(at..at + old.len(), new.bytes());
        true
    }
}

/// Where a line begins, counted from 1.
fn line_start(text: &str, line: usize) -> Option<usize> {
    let line_ends = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(line_ends).nth(line.checked_sub(1)?)
}

/// The start tag that a text begins with: `>` in quotes does not end it.
fn start_tag(text: &str) -> Option<&str> {
    let mut quote = None;
    let end = text.bytes().take(MAX_ELEMENT_BYTES).position(|byte| match (quote, byte) {
        (None, b'>') => true,
        (None, b'"' | b'\'') => {
            quote = Some(byte);
            false
        }
        (Some(open), _) if open == byte => {
            quote = None;
            false
        }
        _ => false,
    })?;
    text.get(..=end)
}

fn has_attribute_value(tag: &str, value: &str) -> bool {
    let mut parts = tag.split(|ch: char| ch.is_ascii_whitespace() || "=\"'>/".contains(ch));
    parts.any(|part| part.eq_ignore_ascii_case(value))
}

fn end_of_title(text: &str) -> Option<usize> {
    const END: &str = "</title";
    let is_end =
        |at: &usize| text.get(*at..at + END.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(END));
    let at = text.match_indices('<').map(|(at, _)| at).find(is_end)?;
    Some(at + text.get(at..)?.find('>')? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTML: &str = "<html>\n<head><meta name=\"a>b\"><TITLE>Old\nname</TITLE>\n\
        <meta name='Description' content=\"x > y\"><meta name=robots content=noindex>\n\
        <link rel=\"canonical\" href=\"/\" />";

    #[test]
    fn an_element_is_quoted_as_it_is_written() {
        for (line, name, value, text) in [
            (2, "title", "", Some("<TITLE>Old\nname</TITLE>")),
            (4, "meta", "description", Some("<meta name='Description' content=\"x > y\">")),
            (4, "meta", "robots", Some("<meta name=robots content=noindex>")),
            (5, "link", "canonical", Some("<link rel=\"canonical\" href=\"/\" />")),
            (1, "html", "", Some("<html>")),
            (3, "meta", "description", None),
            (9, "title", "", None),
            (0, "title", "", None),
        ] {
            let found = ReplacedText::element(HTML, line, name, value);
            assert_eq!(found.as_ref().map(|found| found.content.as_str()), text, "{name} {value}");
            assert!(found.is_none_or(|found| found.line == line));
        }
        assert_eq!(ReplacedText::element("<title>never ends", 1, "title", ""), None);
        assert_eq!(ReplacedText::element("<meta name=\"a", 1, "meta", "a"), None);
    }

    #[test]
    fn an_empty_title_is_found() {
        for (html, line) in [
            ("<head>\n<title> </title>", Some(2)),
            ("<TITLE></TITLE>", Some(1)),
            ("<title>a</title>", None),
            ("<!-- <title></title> -->", None),
            ("<p>no title", None),
            ("<title>", None),
        ] {
            assert_eq!(ReplacedText::empty_title(html).map(|found| found.line), line, "{html}");
        }
    }

    #[test]
    fn a_text_is_replaced_on_its_line() {
        let mut body = b"a: 1\nb: 1\na: 1\n".to_vec();
        let second = ReplacedText { line: 3, content: "a: 1".to_owned() };
        assert!(second.replace(&mut body, "a: 2"));
        assert_eq!(body, b"a: 1\nb: 1\na: 2\n");
        assert!(!ReplacedText { line: 4, content: "a".to_owned() }.replace(&mut body, ""));
        assert!(!ReplacedText { line: 9, content: "a".to_owned() }.replace(&mut body, ""));
        assert_eq!(ReplacedText { line: 3, content: "a\nb\n".to_owned() }.last_line(), 4);
    }
}
