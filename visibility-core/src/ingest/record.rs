//! One log record: the stored fields of a request by a bot.

use chrono::{DateTime, Datelike, Timelike};

use crate::agents::Agent;

/// The nine fields of a record, in the order of the contract.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Field {
    /// When the request came.
    Timestamp,
    /// Who it said that it was.
    UserAgent,
    /// HTTP method.
    RequestMethod,
    /// Path and query.
    RequestPath,
    /// HTTP status of the answer.
    StatusCode,
    /// Bytes of the answer.
    ResponseBytes,
    /// Where the request came from; may be empty.
    Referrer,
    /// The site.
    Host,
    /// A hash of the client's address.
    ClientIpHash,
}

impl Field {
    /// All nine.
    pub const ALL: [Self; 9] = [
        Self::Timestamp,
        Self::UserAgent,
        Self::RequestMethod,
        Self::RequestPath,
        Self::StatusCode,
        Self::ResponseBytes,
        Self::Referrer,
        Self::Host,
        Self::ClientIpHash,
    ];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::UserAgent => "user_agent",
            Self::RequestMethod => "request_method",
            Self::RequestPath => "request_path",
            Self::StatusCode => "status_code",
            Self::ResponseBytes => "response_bytes",
            Self::Referrer => "referrer",
            Self::Host => "host",
            Self::ClientIpHash => "client_ip_hash",
        }
    }
}

/// A record that keeps all rules, borrowed from the line that it is on.
///
/// Values of the path and the referrer that look like secrets or addresses of people are redacted:
/// they are written nowhere.
#[derive(Clone, Copy, Debug)]
pub struct LogRecord<'a> {
    /// Microseconds since 1970, UTC.
    pub timestamp_micros: i64,
    /// The listed agent that the user agent claims to be. Nothing is verified.
    pub agent: &'a Agent,
    /// The agent's number in the registry.
    pub agent_index: u16,
    /// The user agent as sent.
    pub user_agent: &'a str,
    /// HTTP method, a token in upper case.
    pub request_method: &'a str,
    /// Path and query; starts with `/`.
    pub request_path: &'a str,
    /// 100 to 599.
    pub status_code: u16,
    /// Not negative.
    pub response_bytes: i64,
    /// May be empty.
    pub referrer: &'a str,
    /// A host name in lower case or an IP address, with a port if one was sent.
    pub host: &'a str,
    /// 16 to 128 characters; not an address.
    pub client_ip_hash: &'a str,
}

impl LogRecord<'_> {
    /// Appends the record as one line of JSON, with its line end. Read again, it is the same record.
    pub fn write_json(&self, line: &mut Vec<u8>) {
        line.extend_from_slice(b"{\"timestamp\":\"");
        push_timestamp(self.timestamp_micros, line);
        line.extend_from_slice(b"\",\"user_agent\":");
        push_text(self.user_agent, line);
        line.extend_from_slice(b",\"request_method\":");
        push_text(self.request_method, line);
        line.extend_from_slice(b",\"request_path\":");
        push_text(self.request_path, line);
        line.extend_from_slice(b",\"status_code\":");
        push_number(i64::from(self.status_code), line);
        line.extend_from_slice(b",\"response_bytes\":");
        push_number(self.response_bytes, line);
        line.extend_from_slice(b",\"referrer\":");
        push_text(self.referrer, line);
        line.extend_from_slice(b",\"host\":");
        push_text(self.host, line);
        line.extend_from_slice(b",\"client_ip_hash\":");
        push_text(self.client_ip_hash, line);
        line.extend_from_slice(b"}\n");
    }
}

/// A time as RFC 3339 in UTC, with a fraction if it has one: three digits, or six.
pub(crate) fn push_timestamp(micros: i64, into: &mut Vec<u8>) {
    let (seconds, fraction) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let time = DateTime::from_timestamp(seconds, 0).unwrap_or_default().naive_utc();
    push_digits(i64::from(time.year()), 4, into);
    for (mark, part) in [
        (b'-', time.month()),
        (b'-', time.day()),
        (b'T', time.hour()),
        (b':', time.minute()),
        (b':', time.second()),
    ] {
        into.push(mark);
        push_digits(i64::from(part), 2, into);
    }
    if fraction % 1_000 != 0 {
        into.push(b'.');
        push_digits(fraction, 6, into);
    } else if fraction != 0 {
        into.push(b'.');
        push_digits(fraction / 1_000, 3, into);
    }
    into.push(b'Z');
}

/// A number that is not negative, with zeros before it up to a width.
fn push_digits(mut number: i64, width: usize, into: &mut Vec<u8>) {
    let start = into.len();
    loop {
        into.push(b'0' + u8::try_from(number.rem_euclid(10)).unwrap_or_default());
        number = number.div_euclid(10);
        if number <= 0 && into.len() - start >= width {
            break;
        }
    }
    if let Some(digits) = into.get_mut(start..) {
        digits.reverse();
    }
}

pub(crate) fn push_number(number: i64, into: &mut Vec<u8>) {
    push_digits(number, 1, into);
}

/// A string of JSON, with its quotes.
pub(crate) fn push_text(text: &str, into: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    into.push(b'"');
    let mut rest = text.as_bytes();
    let is_escaped = |byte: &u8| *byte < b' ' || matches!(*byte, b'"' | b'\\');
    while let Some(at) = rest.iter().position(is_escaped) {
        let Some((plain, [byte, behind @ ..])) = rest.split_at_checked(at) else { break };
        into.extend_from_slice(plain);
        match *byte {
            b'"' | b'\\' => into.extend_from_slice(&[b'\\', *byte]),
            control => {
                into.extend_from_slice(b"\\u00");
                for digit in [control >> 4, control & 0xf] {
                    into.push(HEX.get(usize::from(digit)).copied().unwrap_or(b'0'));
                }
            }
        }
        rest = behind;
    }
    into.extend_from_slice(rest);
    into.push(b'"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_time_has_as_many_digits_as_it_needs() {
        for (micros, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_795_216_836_605_000, "2026-11-20T23:20:36.605Z"),
            (1_795_216_836_000_001, "2026-11-20T23:20:36.000001Z"),
            (-1_000, "1969-12-31T23:59:59.999Z"),
        ] {
            let mut text = Vec::new();
            push_timestamp(micros, &mut text);
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
    }

    proptest! {
        #[test]
        fn strings_and_numbers_are_read_again(text in "\\PC*|[\\x00-\\x7f]*", number in 0..i64::MAX) {
            let mut json = b"[".to_vec();
            push_text(&text, &mut json);
            json.push(b',');
            push_number(number, &mut json);
            json.push(b']');
            let read: (String, i64) = serde_json::from_slice(&json).unwrap();
            prop_assert_eq!(read, (text, number));
        }
    }
}
