//! A JSON string as written on its line.

use memchr::memchr;

use crate::ingest::record::Field;

/// A string between its quotes; its escapes have been checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct EscapedText<'a> {
    /// As written.
    pub(super) raw: &'a str,
    /// Whether it has a backslash.
    pub(super) is_escaped: bool,
}

impl<'a> EscapedText<'a> {
    /// The string that is meant. `scratch` holds it if it is not written as it is meant.
    pub(super) fn read(self, scratch: &'a mut String) -> &'a str {
        if self.is_escaped {
            scratch.clear();
            unescape(self.raw, scratch);
            scratch
        } else {
            self.raw
        }
    }

    /// The field that it names.
    pub(super) fn field(self) -> Option<Field> {
        if self.is_escaped {
            return self.escaped_field();
        }
        Some(match self.raw {
            "timestamp" => Field::Timestamp,
            "user_agent" => Field::UserAgent,
            "request_method" => Field::RequestMethod,
            "request_path" => Field::RequestPath,
            "status_code" => Field::StatusCode,
            "response_bytes" => Field::ResponseBytes,
            "referrer" => Field::Referrer,
            "host" => Field::Host,
            "client_ip_hash" => Field::ClientIpHash,
            _ => return None,
        })
    }

    fn escaped_field(self) -> Option<Field> {
        // The longest name with every letter as six bytes.
        if self.raw.len() > 6 * "response_bytes".len() {
            return None;
        }
        let mut name = String::with_capacity(self.raw.len());
        unescape(self.raw, &mut name);
        EscapedText { raw: &name, is_escaped: false }.field()
    }
}

/// Appends what an escaped string means.
fn unescape(mut raw: &str, into: &mut String) {
    while let Some((plain, escape)) =
        memchr(b'\\', raw.as_bytes()).and_then(|at| raw.split_at_checked(at))
    {
        into.push_str(plain);
        let (meant, rest) = first_escape(escape);
        into.push(meant);
        raw = rest;
    }
    into.push_str(raw);
}

/// What the escape at the start of a text means, and what follows it.
fn first_escape(escape: &str) -> (char, &str) {
    let length = match escape.as_bytes().get(1) {
        Some(b'u') => {
            let unit = code_unit(escape);
            if let (0xD800..0xDC00, Some(low)) = (unit, escape.get(6..)) {
                let meant = 0x1_0000 + ((unit - 0xD800) << 10) + (code_unit(low) & 0x3FF);
                return (character(meant), escape.get(12..).unwrap_or_default());
            }
            return (character(unit), escape.get(6..).unwrap_or_default());
        }
        _ => 2,
    };
    let meant = match escape.as_bytes().get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(other) => char::from(*other),
        None => char::REPLACEMENT_CHARACTER,
    };
    (meant, escape.get(length..).unwrap_or_default())
}

/// The number of a `\uXXXX` at the start of a text.
fn code_unit(escape: &str) -> u32 {
    escape.get(2..6).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default()
}

fn character(number: u32) -> char {
    char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
}
