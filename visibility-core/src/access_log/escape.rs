//! What servers write for bytes that a line of text cannot have.
//!
//! nginx writes `\x22`, Apache `\"`, `\n` or `\xe3`. No text means one thing to one of them and another thing to the other,
//! so one decoder reads both.

use std::borrow::Cow;

use memchr::memchr;

/// A text without escapes. Bytes that are not UTF-8 become U+FFFD.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    // Nearly all texts are UTF-8, which is seen much faster than it is repaired.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_error) => String::from_utf8_lossy(bytes),
    }
}

/// A part of a request without escapes. Bytes that are not UTF-8 are percent-encoded.
pub(super) fn request_text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_error) => Cow::Owned(percent_encoded(bytes)),
    }
}

/// A text with its escapes decoded. Bytes that are not UTF-8 become U+FFFD.
pub(super) fn decode(text: &[u8]) -> Cow<'_, str> {
    match unescape(text) {
        Cow::Borrowed(bytes) => text_of(bytes),
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Cow::Owned(text),
            Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        },
    }
}

/// The first line of a request with its escapes decoded. Bytes that are not UTF-8 are percent-encoded, as a target has to
/// be sent.
pub(super) fn decode_request(text: &[u8]) -> Cow<'_, str> {
    match unescape(text) {
        Cow::Borrowed(bytes) => request_text_of(bytes),
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Cow::Owned(text),
            Err(error) => Cow::Owned(percent_encoded(error.as_bytes())),
        },
    }
}

fn percent_encoded(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // A string takes everything.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

fn unescape(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\\', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, [_, behind @ ..])) =
        memchr(b'\\', rest).and_then(|at| rest.split_at_checked(at))
    {
        bytes.extend_from_slice(plain);
        let (byte, after) = match behind {
            [b'x', high, low, after @ ..] if let Some(byte) = hex(*high, *low) => (byte, after),
            [b'n', after @ ..] => (b'\n', after),
            [b'r', after @ ..] => (b'\r', after),
            [b't', after @ ..] => (b'\t', after),
            [b'b', after @ ..] => (8, after),
            [b'v', after @ ..] => (11, after),
            [byte @ (b'"' | b'\\'), after @ ..] => (*byte, after),
            // No escape that a server writes: it is what it is.
            _ => (b'\\', behind),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes.extend_from_slice(rest);
    Cow::Owned(bytes)
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_both_servers_are_decoded() {
        for (text, expected) in [
            (&b"plain"[..], "plain"),
            (br"\x22quoted\x22 back\x5Cslash", "\"quoted\" back\\slash"),
            (br#"\"quoted\" back\\slash"#, "\"quoted\" back\\slash"),
            (br"\xE3\x83\x9C\xe3\x83\x83", "ボッ"),
            (br"a\tb\nc", "a\tb\nc"),
            (br"\xZZ\q\", "\\xZZ\\q\\"),
            (br"\xff", "\u{fffd}"),
            (b"\xff", "\u{fffd}"),
        ] {
            assert_eq!(decode(text), expected, "{text:?}");
        }
    }

    #[test]
    fn bytes_of_a_target_that_are_no_text_are_percent_encoded() {
        assert_eq!(decode_request(br"GET /\xFFa\xC3\xBC HTTP/1.1"), "GET /%FFaü HTTP/1.1");
        assert_eq!(decode_request(b"GET /\xff HTTP/1.1"), "GET /%FF HTTP/1.1");
        assert_eq!(decode_request(br"GET /\x22 HTTP/1.1"), "GET /\" HTTP/1.1");
    }
}
