//! Texts and URIs in the formats that SARIF requires.

use sha2::{Digest, Sha256};
use url::Url;

use crate::report::sarif::log::ArtifactLocation;
use crate::text::escape::{MarkdownContext, markdown_sentence, markdown_text, printable};

/// Characters of a message, escapes among them.
const MAX_MESSAGE_CHARS: usize = 1_000;
/// The root of the sources, as GitHub calls it.
const ROOT: &str = "%SRCROOT%";

/// A message in plain text: in one line, no longer than GitHub shows. Braces would be placeholders, and
/// square brackets links, sections 3.11.5 and 3.11.6.
pub(super) fn message(text: &str) -> String {
    // Not every viewer knows the escapes, and without the pair there is no link for any of them.
    let text = printable(text).replace("](", "] (");
    let mut written = String::new();
    let mut room = MAX_MESSAGE_CHARS - 1;
    for ch in text.trim().chars() {
        let piece = match ch {
            '{' => "{{",
            '}' => "}}",
            '[' => "\\[",
            ']' => "\\]",
            _ => "",
        };
        let length = piece.len().max(1);
        if length > room {
            written.push('…');
            break;
        }
        room -= length;
        if piece.is_empty() {
            written.push(ch);
        } else {
            written.push_str(piece);
        }
    }
    written
}

/// A quote unchanged, in one line.
pub(super) fn line(text: &str) -> String {
    printable(text).into_owned()
}

/// Why a rule matters, how well that is known, and the documents, in Markdown.
pub(super) fn rich(why: &str, standing: &str, sources: &[(&str, &str)]) -> String {
    let mut text = markdown_sentence(why, MarkdownContext::Start);
    text.push_str(&format!("\n\n{}\n", markdown_sentence(standing, MarkdownContext::Start)));
    for (name, url) in sources {
        let target: String = url
            .chars()
            .filter(|ch| !ch.is_whitespace() && !matches!(ch, '<' | '>' | '(' | ')' | '\\'))
            .collect();
        text.push_str(&format!("\n- [{}](<{target}>)", markdown_text(name)));
    }
    text.replace('{', "{{").replace('}', "}}")
}

/// The name of a rule: its id in Pascal case.
pub(super) fn name(id: &str) -> String {
    id.split('-')
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|ch| ch.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect()
}

/// What stays the same while lines move: the rule, the page, and the file or address of
/// the first place. A rule has one result for each page.
pub(super) fn fingerprint(rule: &str, about: &str, uri: &str) -> String {
    let digest = Sha256::digest(format!("{rule}\0{about}\0{uri}"));
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// An address; what is not a valid one is percent-encoded until it is.
pub(super) fn uri(url: &str) -> String {
    Url::parse(url).map_or_else(|_| file_uri(url).uri, |url| url.to_string())
}

/// The address of a file: relative to the root of the sources, unless its path is absolute. Steps to the
/// parent are taken; those that leave the root stay.
pub(super) fn file_uri(path: &str) -> ArtifactLocation {
    let is_absolute = path.starts_with('/');
    let mut above = 0_usize;
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                if kept.pop().is_none() {
                    above += 1;
                }
            }
            name => kept.push(name),
        }
    }
    let names: Vec<String> = kept.into_iter().map(encoded).collect();
    let below = names.join("/");
    if is_absolute {
        return ArtifactLocation { uri: format!("file:///{below}"), uri_base_id: None };
    }
    let uri = format!("{}{below}", "../".repeat(above));
    let uri = if uri.is_empty() { ".".to_owned() } else { uri };
    ArtifactLocation { uri, uri_base_id: Some(ROOT) }
}

/// A name as a segment of a path that begins no scheme: all but unreserved characters and some marks is
/// percent-encoded, section 3.3 of RFC 3986.
fn encoded(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    for byte in name.bytes() {
        let ch = char::from(byte);
        if ch.is_ascii_alphanumeric() || "-._~!$&'()*+,;=@".contains(ch) {
            segment.push(ch);
        } else {
            segment.push_str(&format!("%{byte:02X}"));
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_holds_neither_placeholders_nor_links_and_is_short() {
        for (text, expected) in [
            ("plain", "plain"),
            ("{0} of {n}", "{{0}} of {{n}}"),
            ("[x](https://evil.example)", "\\[x\\] (https://evil.example)"),
            ("a\r\n\u{202e}b", "a   b"),
        ] {
            assert_eq!(message(text), expected);
        }
        for text in ["x".repeat(5_000), "{".repeat(5_000), "ğ[".repeat(5_000)] {
            let message = message(&text);
            assert!(message.chars().count() <= MAX_MESSAGE_CHARS, "{message}");
            assert!(message.ends_with('…'));
        }
        assert_eq!(message(&"x".repeat(999)), "x".repeat(999));
    }

    #[test]
    fn paths_become_relative_addresses() {
        for (path, uri) in [
            ("dist/index.html", "dist/index.html"),
            ("./dist//a/../index.html", "dist/index.html"),
            ("a b/ç#?%.html", "a%20b/%C3%A7%23%3F%25.html"),
            ("javascript:x.html", "javascript%3Ax.html"),
            ("../up.html", "../up.html"),
            ("a\n\u{1b}.html", "a%0A%1B.html"),
            ("./", "."),
        ] {
            let found = file_uri(path);
            assert_eq!((found.uri.as_str(), found.uri_base_id), (uri, Some(ROOT)), "{path}");
        }
        let found = file_uri("/srv/a b.html");
        assert_eq!((found.uri.as_str(), found.uri_base_id), ("file:///srv/a%20b.html", None));
    }

    #[test]
    fn an_address_is_always_one() {
        for (url, expected) in [
            ("https://example.com/a b", "https://example.com/a%20b"),
            ("no address", "no%20address"),
        ] {
            assert_eq!(uri(url), expected);
        }
    }

    #[test]
    fn a_name_is_its_id_in_pascal_case() {
        assert_eq!(name("answer-bot-access"), "AnswerBotAccess");
        assert_eq!(name("json-ld-syntax"), "JsonLdSyntax");
    }
}
