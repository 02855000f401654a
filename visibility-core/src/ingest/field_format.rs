//! Validates the formats of a record's fields.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
use memchr::memchr2;

use crate::ingest::byte_class::{ByteClasses, all, between};
use crate::limits::{IP_HASH_CHARS, MAX_HOST_BYTES};

/// Bytes of a method; our choice.
const MAX_METHOD_BYTES: usize = 64;
/// Bytes of a label: RFC 1035 section 2.3.4.
const MAX_LABEL_BYTES: usize = 63;

/// Whether a text is a token of RFC 9110 section 5.6.2 in upper case.
pub(super) fn is_method(text: &str) -> bool {
    if matches!(text, "GET" | "HEAD" | "POST") {
        return true;
    }
    (1..=MAX_METHOD_BYTES).contains(&text.len())
        && text.bytes().all(|byte| {
            byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"!#$%&'*+-.^_`|~".contains(&byte)
        })
}

/// The status of a number as written, 100 to 599.
pub(super) fn status(number: &str) -> Option<u16> {
    let [hundreds @ b'1'..=b'5', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] = number.as_bytes() else {
        return None;
    };
    let digit = |byte: &u8| u16::from(byte - b'0');
    Some(digit(hundreds) * 100 + digit(tens) * 10 + digit(ones))
}

/// The bytes of an answer: a number as written, without sign, fraction or exponent.
pub(super) fn response_bytes(number: &str) -> Option<i64> {
    if number.starts_with('-') { None } else { number.parse().ok() }
}

const ADDRESS: ByteClasses = ByteClasses::new(&[b"0123456789ABCDEFabcdef:./"]);

/// Whether a text may be the hash of an address, and is not an address itself.
pub(super) fn is_hash(text: &str) -> bool {
    if !IP_HASH_CHARS.contains(&text.len()) {
        return false;
    }
    let bytes = text.as_bytes();
    // `-`, `.`, `/`, the digits and `:` follow each other.
    let is_hash = all(bytes, |byte| {
        between(byte | 0x20, b'a', b'z')
            | between(byte, b'-', b':')
            | between(byte, b'_', b'_')
            | between(byte, b'+', b'+')
            | between(byte, b'=', b'=')
    });
    is_hash && (memchr2(b':', b'.', bytes).is_none() || !has_address(text))
}

/// Whether a text is an address, or has one with dots in it.
fn has_address(text: &str) -> bool {
    (ADDRESS.all(text.as_bytes()) != 0 && is_address(text)) || has_ipv4_address(text)
}

/// Whether four numbers with dots between them are in a text, also with zeros before them or other
/// words around them: an address that was decorated is not a hash.
fn has_ipv4_address(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit() && c != '.').any(|dotted| {
        let mut run = 0;
        dotted.split('.').any(|number| {
            run = if (1..=3).contains(&number.len()) { run + 1 } else { 0 };
            run == 4
        })
    })
}

/// Whether a text is an address, a network or an address with a port.
fn is_address(text: &str) -> bool {
    let host = text.split('/').next().unwrap_or(text);
    host.parse::<IpAddr>().is_ok() || host.parse::<SocketAddr>().is_ok()
}

/// Hosts as they are stored. A log has few: some that are stored as they were sent are remembered.
#[derive(Debug, Default)]
pub(super) struct HostNormalizer {
    known: [String; 16],
    stored: String,
}

impl HostNormalizer {
    /// As [`host`].
    pub(super) fn read<'a>(&'a mut self, text: &'a str) -> Option<&'a str> {
        let bytes = text.as_bytes();
        let first = bytes.first()?;
        let middle = bytes.get(text.len() / 2)?;
        let place = text.len() + usize::from(*first) + 5 * usize::from(*middle);
        let known = self.known.get_mut(place % 16)?;
        if text == known {
            return Some(text);
        }
        let stored = host(text, &mut self.stored)?;
        if stored == text {
            known.clear();
            known.push_str(text);
        }
        Some(stored)
    }
}

const SIMPLE: ByteClasses = ByteClasses::new(&[b"0123456789abcdefghijklmnopqrstuvwxyz-_."]);

/// The host that is stored for a host as sent, if it is one: a name in lower case and without the
/// root's dot, or an address; and the port. Names in other scripts become what the DNS knows.
/// `scratch` holds it if it is not what was sent.
pub(super) fn host<'a>(text: &'a str, scratch: &'a mut String) -> Option<&'a str> {
    // Nearly every host of a log: nothing to fold, no port.
    if SIMPLE.all(text.as_bytes()) != 0 && !text.ends_with('.') {
        return is_name(text).then_some(text);
    }
    let (name, port) = parts(text)?;
    if !port.is_empty() && !is_port(port) {
        return None;
    }
    let stored = match name.as_bytes() {
        [b'[', ..] => Cow::Borrowed(name),
        _ if name.is_ascii() => Cow::Borrowed(name.strip_suffix('.').unwrap_or(name)),
        // Some characters are left out of what the DNS knows: any number of them would be a short name.
        _ if name.len() > MAX_HOST_BYTES => return None,
        _ => Cow::Owned(to_ascii(name)?),
    };
    if !is_bracketed(&stored) && !is_name(&stored) && stored.parse::<Ipv6Addr>().is_err() {
        return None;
    }
    if stored.len() == name.len() && !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Some(text);
    }
    scratch.clear();
    scratch.push_str(&stored);
    scratch.push_str(port);
    scratch.make_ascii_lowercase();
    Some(scratch)
}

/// The host and, with its colon, the port.
fn parts(text: &str) -> Option<(&str, &str)> {
    if text.starts_with('[') {
        return text.split_at_checked(text.find(']')? + 1);
    }
    match text.find(':') {
        // More colons: an IPv6 address without brackets.
        Some(at) if text.rfind(':') == Some(at) => text.split_at_checked(at),
        _ => Some((text, "")),
    }
}

fn is_port(port: &str) -> bool {
    let digits = port.strip_prefix(':').unwrap_or_default();
    let is_number = (1..=5).contains(&digits.len()) && digits.bytes().all(|d| d.is_ascii_digit());
    is_number && digits.parse::<u16>().is_ok_and(|port| port > 0)
}

fn is_bracketed(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    inner.is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok())
}

/// Whether an ASCII text is a host name or an IPv4 address. Underscores are not part of host names,
/// but the names of many.
fn is_name(name: &str) -> bool {
    if !(1..=MAX_HOST_BYTES).contains(&name.len()) {
        return false;
    }
    let (mut length, mut before, mut is_number) = (0, b'.', true);
    for byte in name.bytes() {
        match byte {
            b'.' if length == 0 || before == b'-' => return false,
            b'.' => (length, is_number) = (0, true),
            b'-' if length == 0 => return false,
            b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                length += 1;
                is_number &= byte.is_ascii_digit();
            }
            _ => return false,
        }
        if length > MAX_LABEL_BYTES {
            return false;
        }
        before = byte;
    }
    let is_whole = length > 0 && before != b'-';
    // A name whose last label is a number can only be an address.
    is_whole && (!is_number || name.parse::<Ipv4Addr>().is_ok())
}

fn to_ascii(name: &str) -> Option<String> {
    let ascii = Uts46::new().to_ascii(
        name.as_bytes(),
        AsciiDenyList::URL,
        Hyphens::Allow,
        DnsLength::VerifyAllowRootDot,
    );
    ascii.ok().map(|ascii| ascii.strip_suffix('.').unwrap_or(&ascii).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_a_token_in_upper_case() {
        for (text, expected) in [
            ("GET", true),
            ("PROPFIND", true),
            ("M-SEARCH", true),
            ("", false),
            ("get", false),
            ("GET ", false),
            ("G\u{130}T", false),
            ("G(T", false),
        ] {
            assert_eq!(is_method(text), expected, "{text}");
        }
        assert!(is_method(&"A".repeat(64)) && !is_method(&"A".repeat(65)));
    }

    #[test]
    fn numbers_are_plain_integers_in_their_range() {
        for (number, expected) in
            [("100", Some(100)), ("599", Some(599)), ("99", None), ("600", None), ("2e2", None)]
        {
            assert_eq!(status(number), expected, "{number}");
        }
        for (number, expected) in [
            ("0", Some(0)),
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("99999999999999999999999", None),
            ("-0", None),
            ("-1", None),
            ("1.0", None),
            ("1e3", None),
            ("1e400", None),
        ] {
            assert_eq!(response_bytes(number), expected, "{number}");
        }
    }

    #[test]
    fn a_host_is_read_the_same_beside_others() {
        let mut hosts = HostNormalizer::default();
        for (text, expected) in [
            ("", None),
            ("a.example", Some("a.example")),
            ("a.example", Some("a.example")),
            ("A.example", Some("a.example")),
            ("a.example:80", Some("a.example:80")),
            ("a..example", None),
            ("a.example", Some("a.example")),
            ("", None),
        ] {
            assert_eq!(hosts.read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_hash_has_letters_digits_and_seven_signs() {
        for byte in 0..128_u8 {
            let is_sign = b":_+/=.-".contains(&byte) || byte.is_ascii_alphanumeric();
            for at in [0, 8, 39] {
                let mut text = "g".repeat(40);
                text.replace_range(at..=at, &char::from(byte).to_string());
                assert_eq!(is_hash(&text), is_sign, "{text}");
            }
        }
        assert!(!is_hash(&"ü".repeat(16)));
    }

    #[test]
    fn a_hash_is_not_an_address() {
        for (text, expected) in [
            ("9f86d081884c7d659a2feaa0c55ad015", true),
            ("sha256:9f86d081884c7d65", true),
            ("n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=", true),
            ("0123456789abcdef", true),
            ("0123456789abcde", false),
            ("not-a-hash!not-a-hash!", false),
            ("2001:db8:1234:5678:9abc:def0:1:2", false),
            ("2001:DB8:1234:5678::/64", false),
            ("::ffff:203.0.113.99", false),
            ("203.0.113.199:8080", false),
            ("1234567890123456", true),
            ("192.168.001.001:80", false),
            ("sha256:203.0.113.9", false),
            ("203.0.113.199.", false),
            ("203.0.113.199:443000", false),
            ("199.113.0.203.in-addr.arpa", false),
            ("v1.2.9f86d081884c7d65.7", true),
        ] {
            assert_eq!(is_hash(text), expected, "{text}");
        }
        assert!(is_hash(&"a".repeat(128)) && !is_hash(&"a".repeat(129)));
    }

    #[test]
    fn a_host_is_stored_in_one_form() {
        for (text, expected) in [
            ("www.example.com", Some("www.example.com")),
            ("WWW.Example.COM:8080", Some("www.example.com:8080")),
            ("example.com.", Some("example.com")),
            ("example.com.:80", Some("example.com:80")),
            ("localhost", Some("localhost")),
            ("my_site.example", Some("my_site.example")),
            ("örnek.com", Some("xn--rnek-4qa.com")),
            ("ÖRNEK.com:1", Some("xn--rnek-4qa.com:1")),
            ("203.0.113.9", Some("203.0.113.9")),
            ("203.0.113.9:80", Some("203.0.113.9:80")),
            ("[::1]", Some("[::1]")),
            ("[2001:DB8::1]:443", Some("[2001:db8::1]:443")),
            ("2001:db8::1", Some("2001:db8::1")),
            ("", None),
            (".", None),
            (":80", None),
            ("exa mple.com", None),
            ("-a.com", None),
            ("a-.com", None),
            ("a..b", None),
            ("a.com:", None),
            ("a.com:0", None),
            ("a.com:65536", None),
            ("a.com:+1", None),
            ("a.com/x", None),
            ("user@a.com", None),
            ("https://a.com", None),
            ("1.2.3.256", None),
            ("1.2.3", None),
            ("[::1", None),
            ("[::1]x", None),
            ("[]", None),
            ("a\0b", None),
        ] {
            assert_eq!(host(text, &mut String::new()), expected, "{text}");
        }
    }

    #[test]
    fn a_host_is_at_most_as_long_as_a_name_can_be() {
        let name = format!("{}.{}", "a.".repeat(94), "b".repeat(64));
        assert_eq!(host(&name, &mut String::new()), None);
        let name = format!("{}{}", "a.".repeat(95), "b".repeat(63));
        assert_eq!((name.len(), host(&name, &mut String::new())), (253, Some(name.as_str())));
        let name = format!("{name}:8080");
        assert_eq!(host(&name, &mut String::new()), Some(name.as_str()));
        let name = format!("a{}.com", "\u{ad}".repeat(125));
        assert_eq!((name.len(), host(&name, &mut String::new())), (255, None));
        let name = format!("a{}.com", "\u{ad}".repeat(124));
        assert_eq!(host(&name, &mut String::new()), Some("a.com"));
        let name = "a.".repeat(126) + "bc";
        assert_eq!((name.len(), host(&name, &mut String::new())), (254, None));
    }
}
