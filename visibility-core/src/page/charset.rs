//! The character encoding of a page, and its decoding.

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes of a page in which `<meta charset>` is looked for, by the HTML standard.
const PRESCAN_BYTES: usize = 1024;

/// A decoded page.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether bytes were malformed for the encoding.
    pub(super) is_broken: bool,
}

/// Decodes a page: byte-order mark, header, `<meta>`, UTF-8 if valid, else windows-1252.
///
/// NUL is left out: the tree builder ignores it, and it would cost time on hostile pages.
pub(super) fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    let (encoding, mark) = match Encoding::for_bom(body) {
        Some((encoding, mark)) => (encoding, mark),
        None => (without_mark(body, content_type), 0),
    };
    let body = body.get(mark..).unwrap_or_default();
    let (text, is_broken) = encoding.decode_without_bom_handling(body);
    let text = if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { text };
    Decoded { text, is_broken }
}

fn without_mark(body: &[u8], content_type: Option<&str>) -> &'static Encoding {
    let declared = content_type.and_then(from_header).or_else(|| from_meta(body));
    match declared {
        Some(encoding) => encoding,
        None if Encoding::utf8_valid_up_to(body) == body.len() => UTF_8,
        None if is_cut_utf8(body) => UTF_8,
        None => WINDOWS_1252,
    }
}

/// Whether the body is UTF-8 but for a last character that a cap of bytes cut in two.
fn is_cut_utf8(body: &[u8]) -> bool {
    let valid = Encoding::utf8_valid_up_to(body);
    valid > 0
        && std::str::from_utf8(body.get(valid..).unwrap_or_default())
            .is_err_and(|error| error.error_len().is_none())
}

fn from_header(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let label = value.trim().trim_matches(['"', '\'']);
        name.trim().eq_ignore_ascii_case("charset").then(|| usable(label)).flatten()
    })
}

fn from_meta(body: &[u8]) -> Option<&'static Encoding> {
    let start = body.get(..body.len().min(PRESCAN_BYTES)).unwrap_or_default();
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    start.split("<meta").skip(1).find_map(|rest| {
        let tag = rest.split('>').next().unwrap_or_default();
        let value = tag
            .split_once("charset")?
            .1
            .trim_start()
            .strip_prefix('=')?
            .trim_start()
            .trim_start_matches(['"', '\'']);
        // A page whose `<meta>` could be read as ASCII is not in UTF-16.
        usable(
            value
                .split(|ch: char| ch.is_ascii_whitespace() || matches!(ch, '"' | '\'' | ';' | '/'))
                .next()?,
        )
        .map(|found| if found == UTF_16LE || found == UTF_16BE { UTF_8 } else { found })
    })
}

fn usable(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != REPLACEMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_of_a_charset_have_an_order() {
        let cases: [(&[u8], Option<&str>, &str); 9] = [
            (b"\xef\xbb\xbfi\xc5\x9f", Some("text/html; charset=iso-8859-9"), "iş"),
            (b"\xff\xfei\0", None, "i"),
            (b"i\xfe", Some("text/html; charset=\"iso-8859-9\""), "iş"),
            (
                b"<meta charset='utf-8'>\xfe",
                Some("text/html;charset=windows-1254"),
                "<meta charset='utf-8'>ş",
            ),
            (
                b"<META http-equiv=x content='text/html; charset=windows-1254'>\xfe",
                None,
                "<META http-equiv=x content='text/html; charset=windows-1254'>ş",
            ),
            (b"<meta charset=utf-16>\xc3\xbc", None, "<meta charset=utf-16>ü"),
            (b"\xc3\xbc", Some("text/html; charset=nonsense"), "ü"),
            (b"\xc3\xbc\xc3", None, "ü\u{fffd}"),
            (b"\xfc and \xe9", None, "ü and é"),
        ];
        for (body, header, text) in cases {
            assert_eq!(decode(body, header).text, text, "{body:?} {header:?}");
        }
    }

    #[test]
    fn bytes_that_are_none_of_the_charset_are_noticed() {
        let cases: [(&[u8], Option<&str>, bool); 5] = [
            (b"\xc3\xbc", Some("text/html; charset=utf-8"), false),
            (b"\xfc", Some("text/html; charset=utf-8"), true),
            (b"<meta charset=utf-8>\xfc", None, true),
            (b"\xfc", None, false),
            ("\u{fffd}".as_bytes(), Some("text/html; charset=utf-8"), false),
        ];
        for (body, header, is_broken) in cases {
            assert_eq!(decode(body, header).is_broken, is_broken, "{body:?}");
        }
    }

    #[test]
    fn nul_is_left_out() {
        assert_eq!(decode(b"a\0b", None).text, "ab");
    }
}
