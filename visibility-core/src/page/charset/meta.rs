//! The encoding that a `<meta>` element declares, looked for before anything is parsed.
//!
//! In the first kilobyte by the HTML standard's [prescan]; after it, a `<meta>` of the head that a parser would meet, at
//! which browsers "[change the encoding]".
//!
//! [prescan]: https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding
//! [change the encoding]: https://html.spec.whatwg.org/multipage/parsing.html#change-the-encoding

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::usable;

/// Bytes of the prescan.
const PRESCAN_BYTES: usize = 1024;
/// Bytes in which the head is looked through.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Elements whose content is not markup.
const RAW_TEXT: [&str; 5] = ["script", "style", "title", "noscript", "noframes"];
/// Other elements that do not end a head.
const OF_HEAD: [&str; 8] =
    ["html", "head", "base", "basefont", "bgsound", "link", "meta", "template"];

/// The encoding that the page declares.
pub(super) fn declared(body: &[u8]) -> Option<&'static Encoding> {
    prescan(first(body, PRESCAN_BYTES)).or_else(|| in_head(first(body, MAX_HEAD_BYTES)))
}

fn first(body: &[u8], bytes: usize) -> &[u8] {
    body.get(..body.len().min(bytes)).unwrap_or_default()
}

/// What comes next in a source.
enum Markup {
    Comment,
    StartTag {
        name: String,
        attributes: Vec<(String, String)>,
    },
    EndTag {
        name: String,
    },
    /// A doctype, a processing instruction or an error.
    Other,
    /// One byte of text.
    Text(u8),
}

fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut scanner = Scanner { bytes, at: 0 };
    while let Some(markup) = scanner.next() {
        if let Markup::StartTag { name, attributes } = markup
            && name == "meta"
            && let Some(encoding) = of_meta(&attributes)
        {
            return Some(encoding);
        }
    }
    None
}

/// Unlike the prescan this knows where scripts and styles end, and the head.
fn in_head(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut scanner = Scanner { bytes, at: 0 };
    while let Some(markup) = scanner.next() {
        match markup {
            Markup::Text(byte) if byte.is_ascii_whitespace() => {}
            Markup::EndTag { name } if name == "head" || name == "html" => return None,
            Markup::Comment | Markup::Other | Markup::EndTag { .. } => {}
            Markup::StartTag { name, attributes } if name == "meta" => {
                if let Some(encoding) = of_meta(&attributes) {
                    return Some(encoding);
                }
            }
            Markup::StartTag { name, .. } if RAW_TEXT.contains(&name.as_str()) => {
                scanner.skip_to_end_of(&name);
            }
            Markup::StartTag { name, .. } if OF_HEAD.contains(&name.as_str()) => {}
            Markup::Text(_) | Markup::StartTag { .. } => return None,
        }
    }
    None
}

/// The encoding that an element with these attributes declares.
fn of_meta(attributes: &[(String, String)]) -> Option<&'static Encoding> {
    let value = |wanted: &str| {
        attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    };
    let of_content = || {
        let is_pragma =
            value("http-equiv").is_some_and(|value| value.eq_ignore_ascii_case("content-type"));
        value("content").filter(|_| is_pragma).and_then(in_content)
    };
    let found = match value("charset") {
        Some(label) => usable(label),
        None => of_content().and_then(usable),
    };
    // A page whose `<meta>` could be read as ASCII is not in UTF-16.
    found.map(|found| if found == UTF_16LE || found == UTF_16BE { UTF_8 } else { found })
}

/// The label in a `content` such as `text/html; charset=utf-8`:
/// [extracting a character encoding from a meta element](https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements).
fn in_content(content: &str) -> Option<&str> {
    const NAME: &str = "charset";
    let lower = content.to_ascii_lowercase();
    let mut from = 0;
    loop {
        from += lower.get(from..)?.find(NAME)? + NAME.len();
        let rest = content.get(from..)?.trim_ascii_start();
        let Some(value) = rest.strip_prefix('=').map(str::trim_ascii_start) else { continue };
        for quote in ['"', '\''] {
            if let Some(quoted) = value.strip_prefix(quote) {
                return quoted.split_once(quote).map(|(label, _)| label);
            }
        }
        return value.split(|ch: char| ch.is_ascii_whitespace() || ch == ';').next();
    }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// `None` at the end, also of a tag that is cut.
    fn next(&mut self) -> Option<Markup> {
        let byte = self.peek()?;
        if byte != b'<' {
            self.at += 1;
            return Some(Markup::Text(byte));
        }
        let rest = self.rest();
        if rest.starts_with(b"<!--") {
            // The dashes of its start may be those of its end.
            self.at += 2;
            self.skip_past(b"-->");
            return Some(Markup::Comment);
        }
        let is_end = rest.get(1) == Some(&b'/');
        let is_tag = rest.get(1 + usize::from(is_end)).is_some_and(u8::is_ascii_alphabetic);
        if is_tag {
            self.at += 1 + usize::from(is_end);
            let name = self.take_name();
            let attributes = std::iter::from_fn(|| self.attribute()).collect();
            let is_whole =
                self.at.checked_sub(1).and_then(|last| self.bytes.get(last)) == Some(&b'>');
            if !is_whole {
                return None;
            }
            return Some(if is_end {
                Markup::EndTag { name }
            } else {
                Markup::StartTag { name, attributes }
            });
        }
        if rest.get(1).is_some_and(|next| matches!(next, b'!' | b'/' | b'?')) {
            self.skip_past(b">");
            return Some(Markup::Other);
        }
        self.at += 1;
        Some(Markup::Text(byte))
    }

    /// The name of a tag, up to white space, `/` or `>`.
    fn take_name(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|b| !b.is_ascii_whitespace() && !matches!(b, b'/' | b'>')) {
            self.at += 1;
        }
        let name = self.bytes.get(start..self.at).unwrap_or_default();
        String::from_utf8_lossy(name).to_ascii_lowercase()
    }

    /// "Get an attribute" of the standard; after the last one, the end of the tag is taken.
    fn attribute(&mut self) -> Option<(String, String)> {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace() || byte == b'/') {
            self.at += 1;
        }
        if self.peek()? == b'>' {
            self.at += 1;
            return None;
        }
        let mut name = Vec::new();
        while let Some(byte) = self.peek() {
            let ends = matches!(byte, b'/' | b'>') || byte.is_ascii_whitespace();
            if ends || byte == b'=' && !name.is_empty() {
                break;
            }
            name.push(byte.to_ascii_lowercase());
            self.at += 1;
        }
        self.skip_white_space();
        let mut value = Vec::new();
        if self.peek() == Some(b'=') {
            self.at += 1;
            self.skip_white_space();
            value = self.value();
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some((text(&name), text(&value)))
    }

    fn value(&mut self) -> Vec<u8> {
        let quote = self.peek().filter(|byte| matches!(byte, b'"' | b'\''));
        self.at += usize::from(quote.is_some());
        let start = self.at;
        while let Some(byte) = self.peek() {
            let ends = match quote {
                Some(quote) => byte == quote,
                None => byte.is_ascii_whitespace() || byte == b'>',
            };
            if ends {
                break;
            }
            self.at += 1;
        }
        let value = self.bytes.get(start..self.at).unwrap_or_default().to_vec();
        self.at += usize::from(quote.is_some());
        value
    }

    fn skip_white_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// To behind the next place that has these bytes, or to the end.
    fn skip_past(&mut self, wanted: &[u8]) {
        let found = self.rest().windows(wanted.len()).position(|bytes| bytes == wanted);
        self.at = found.map_or(self.bytes.len(), |found| self.at + found + wanted.len());
    }

    /// To the end tag of an element whose content is not markup, or to the end.
    fn skip_to_end_of(&mut self, name: &str) {
        let is_end_tag = |bytes: &[u8]| {
            bytes.strip_prefix(b"</").is_some_and(|rest| {
                let (found, after) = rest.split_at(name.len());
                found.eq_ignore_ascii_case(name.as_bytes())
                    && after.first().is_some_and(|b| b.is_ascii_whitespace() || b"/>".contains(b))
            })
        };
        let found = self.rest().windows(name.len() + 3).position(is_end_tag);
        self.at = found.map_or(self.bytes.len(), |found| self.at + found);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(html: &str) -> Option<&'static str> {
        declared(html.as_bytes()).map(Encoding::name)
    }

    #[test]
    fn what_is_no_declaration_is_passed_over() {
        let real = r#"<meta charset="koi8-u">"#;
        for decoy in [
            "<!-- <meta charset=koi8-r> -->",
            "<!-- a > b <meta charset=koi8-r> -->",
            "<!---><!-- <meta charset=koi8-r> -->",
            r#"<meta content="text/html; charset=koi8-r">"#,
            r#"<meta name="description" content="How to set charset=koi8-r">"#,
            r#"<meta http-equiv="refresh" content="5; charset=koi8-r">"#,
            r#"<meta data-charset="koi8-r">"#,
            r#"<meta name="x" data-x="charset=koi8-r">"#,
            "<metadata charset=koi8-r>",
            "<meta-x charset=koi8-r>",
            r#"<link title="<meta charset=koi8-r>">"#,
            r#"<!doctype html "<meta charset=koi8-r">"#,
            "<?xml version='1.0' encoding='koi8-r'?>",
            "<meta charset=nonsense>",
            "<meta charset=>",
            "<meta charset>",
            r#"<meta charset="" charset="koi8-r">"#,
            r#"<meta http-equiv=content-type content="text/html; charset">"#,
            r#"<meta http-equiv=content-type content='text/html; charset="koi8-r'>"#,
            r#"</meta charset="koi8-r">"#,
        ] {
            assert_eq!(name(&format!("{decoy}{real}")), Some("KOI8-U"), "{decoy}");
            assert_eq!(name(decoy), None, "{decoy}");
        }
    }

    #[test]
    fn a_declaration_is_found_however_it_is_written() {
        for html in [
            "<meta charset=koi8-r>",
            "<META CHARSET='KOI8-R'/>",
            "<meta\ncharset = \"koi8-r\" >",
            "<meta/charset=koi8-r >",
            "<meta name=x charset=koi8-r content=y>",
            "<meta http-equiv=Content-Type content='text/html;charset=koi8-r'>",
            "<meta content='text/html; CharSet = koi8-r; x' http-equiv=content-type>",
            "<meta http-equiv=content-type content='charset charset=koi8-r'>",
            "<meta http-equiv=content-type content='text/html; charset=\"koi8-r\"'>",
            "<meta charset=\" koi8-r \">",
            "text <p> <meta charset=koi8-r>",
            "<script>'<meta charset=koi8-r>'</script>",
        ] {
            assert_eq!(name(html), Some("KOI8-R"), "{html}");
        }
        assert_eq!(name("<meta charset=koi8-r"), None, "cut");
        assert_eq!(name("<meta charset=utf-16le>"), Some("UTF-8"));
        assert_eq!(name("<meta charset=x-user-defined>"), Some("windows-1252"));
        assert_eq!(name("<meta charset=iso-8859-1>"), Some("windows-1252"));
        assert_eq!(
            name("<meta charset=iso-2022-kr>"),
            None,
            "a label that browsers refuse to decode"
        );
    }

    #[test]
    fn behind_the_first_kilobyte_a_meta_of_the_head_counts_and_no_other() {
        let script = format!("<script>{}</script>", "x('<meta charset=koi8-u>');".repeat(60));
        let style =
            format!("<style>/* {} </styles> <meta charset=koi8-u> */</style>", "x".repeat(1100));
        let real = "<meta charset=windows-1251>";
        let page = |before: &str| format!("<!doctype html><html><head>{before}{real}</head><body>");
        let padding = " ".repeat(1100);
        for before in [
            padding.clone(),
            format!("<!-- {padding} -->"),
            format!("{padding}<!-- <meta charset=koi8-r> --><title><meta charset=koi8-r></title>"),
            style,
            format!("{padding}<meta name=x content='charset=koi8-r'><link href=/a.css>"),
            format!("{padding}<noscript><meta charset=koi8-r></noscript><base href=/>"),
        ] {
            assert_eq!(name(&page(&before)), Some("windows-1251"), "{before}");
        }
        // In the first kilobyte the standard does not know scripts.
        assert_eq!(name(&page(&script)), Some("KOI8-U"));
        for before in [
            format!("{padding}</head>"),
            format!("{padding}<body>"),
            format!("{padding}<p>"),
            format!("{padding}text"),
            format!("{padding}<script>"),
            " ".repeat(MAX_HEAD_BYTES),
        ] {
            assert_eq!(name(&page(&before)), None, "{}", before.trim());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_scanned(bytes in proptest::collection::vec(any::<u8>(), 0..1500)) {
            let _ = declared(&bytes);
            let page = [b"<head><meta charset=", bytes.as_slice(), b"<script", &bytes].concat();
            let _ = declared(&page);
        }
    }
}
