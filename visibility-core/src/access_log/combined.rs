//! Lines of the common log format and of those that add to it.
//!
//! ```text
//! [host[:port] ]address ident user [time] "request" status bytes[ "referrer" "user agent"[ more]]
//! ```

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2};

use super::client::address;
use super::entry::{LogEntry, NoEntry, present, request_line, status};
use super::escape::{decode, decode_request};
use super::time::{self, CLF_BYTES};

/// What a line has beside the common log format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum LineShape {
    /// Nothing.
    Common,
    /// Referrer, user agent, and perhaps more.
    Combined,
    /// The host before all, and the same.
    VhostCombined,
}

/// Reads a line.
pub(super) fn parse(line: &[u8], shape: LineShape) -> Result<LogEntry<'_>, NoEntry> {
    read(line, shape).ok_or(NoEntry::Unreadable)
}

fn read(line: &[u8], shape: LineShape) -> Option<LogEntry<'_>> {
    let (head, time_millis, rest) = split_at_time(line)?;
    let (host, peer) = split_head(head, shape)?;
    let (request, rest) = quoted(rest)?;
    let (status_text, rest) = token(rest)?;
    let (bytes, rest) = token(rest)?;
    let (method, target) = request_line(decode_request(request));
    let mut entry = LogEntry {
        time_millis,
        method,
        target,
        status: status(std::str::from_utf8(status_text).ok()?),
        response_bytes: response_bytes(bytes),
        host: host.map(decode),
        peer: present(decode(peer)),
        ..LogEntry::default()
    };
    if !is_status(status_text) || (bytes != b"-" && entry.response_bytes.is_none()) {
        return None;
    }
    if shape == LineShape::Common {
        return rest.trim_ascii().is_empty().then_some(entry);
    }
    let (referrer, rest) = quoted(rest)?;
    let (user_agent, rest) = quoted(rest)?;
    entry.referrer = Some(present(decode(referrer)).unwrap_or_default());
    entry.user_agent = Some(present(decode(user_agent)).unwrap_or_default());
    entry.forwarded_for = forwarded_for(rest);
    matches!(rest.first(), None | Some(b' ' | b'\t')).then_some(entry)
}

/// The status of connections that came to nothing is `000`, `-1` or `-`: they are lines all the same.
fn is_status(text: &[u8]) -> bool {
    matches!(text, b"-" | b"-1") || (text.len() == 3 && text.iter().all(u8::is_ascii_digit))
}

fn response_bytes(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok().filter(|bytes| *bytes >= 0)
}

/// The line before its time, the time, and what follows the bracket. The name of a user may have blanks and brackets, and
/// no server has checked it; but no server writes a quote in it.
fn split_at_time(line: &[u8]) -> Option<(&[u8], i64, &[u8])> {
    memchr_iter(b'[', line).find_map(|at| {
        let end = at + 1 + CLF_BYTES;
        let rest = line.get(end..)?.strip_prefix(b"] ").filter(|rest| rest.starts_with(b"\""))?;
        let head = line.get(..at)?.strip_suffix(b" ")?;
        Some((head, time::clf(line.get(at + 1..end)?)?, rest))
    })
}

/// The host if the shape has one, and who has connected.
fn split_head(head: &[u8], shape: LineShape) -> Option<(Option<&[u8]>, &[u8])> {
    let mut tokens = head.split(|byte| *byte == b' ');
    let (first, second) = (tokens.next()?, tokens.next()?);
    // The name of the user may be empty, but its blank is there.
    tokens.next()?;
    // `127.0.0.1 - - [` may be read as a host without address: only an address tells.
    let has_host = is_address(second) || (has_port(first) && tokens.next().is_some());
    match shape {
        LineShape::VhostCombined => has_host.then_some((Some(first), second)),
        LineShape::Common | LineShape::Combined => {
            (!has_host && !first.is_empty()).then_some((None, first))
        }
    }
}

fn is_address(token: &[u8]) -> bool {
    let may_be = token.iter().any(|byte| matches!(byte, b'.' | b':'));
    may_be && std::str::from_utf8(token).is_ok_and(|token| address(token).is_some())
}

/// Whether a token is a name with a port.
fn has_port(token: &[u8]) -> bool {
    let Some(at) = memchr(b':', token) else { return false };
    let port = token.get(at + 1..).unwrap_or_default();
    at > 0 && !port.is_empty() && port.iter().all(u8::is_ascii_digit)
}

/// A text between quotes, as it is written, and what follows it.
pub(super) fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start().strip_prefix(b"\"")?;
    let mut from = 0;
    loop {
        let at = from + memchr2(b'"', b'\\', text.get(from..)?)?;
        if text.get(at) == Some(&b'"') {
            return Some((text.get(..at)?, text.get(at + 1..)?));
        }
        from = at + 2;
    }
}

/// A token between blanks, and what follows it.
pub(super) fn token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b" ")?;
    text.split_at_checked(memchr(b' ', text).unwrap_or(text.len()))
        .filter(|(token, _)| !token.is_empty())
}

/// The forwarded list that nginx's `main` has behind the user agent.
fn forwarded_for(rest: &[u8]) -> Option<Cow<'_, str>> {
    let (list, _) = quoted(rest)?;
    let list = present(decode(list))?;
    list.split(',').all(|hop| address(hop.trim()).is_some()).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = r#"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] "GET /p HTTP/1.1" 200 5"#;

    fn combined(line: &str) -> Option<LogEntry<'_>> {
        parse(line.as_bytes(), LineShape::Combined).ok()
    }

    #[test]
    fn each_line_has_one_shape() {
        let common = START.to_owned();
        let combined = format!(r#"{START} "-" "a""#);
        let main = format!(r#"{START} "-" "a" "198.51.100.4, 10.0.0.3""#);
        let vhost = format!("www.example.com:80 {combined}");
        let bare_vhost = format!("www.example.com {combined}");
        let named = format!("www.example.com:80 {}", combined.replace("203.0.113.9", "a.example"));
        for (line, expected) in [
            (&common, LineShape::Common),
            (&combined, LineShape::Combined),
            (&main, LineShape::Combined),
            (&vhost, LineShape::VhostCombined),
            (&bare_vhost, LineShape::VhostCombined),
            (&named, LineShape::VhostCombined),
        ] {
            for shape in [LineShape::Common, LineShape::Combined, LineShape::VhostCombined] {
                let found = parse(line.as_bytes(), shape).is_ok();
                assert_eq!(found, shape == expected, "{line} as {shape:?}");
            }
        }
        let entry = parse(vhost.as_bytes(), LineShape::VhostCombined).unwrap();
        assert_eq!(
            (entry.host.as_deref(), entry.peer.as_deref()),
            (Some("www.example.com:80"), Some("203.0.113.9"))
        );
        assert_eq!(
            self::combined(&main).unwrap().forwarded_for.as_deref(),
            Some("198.51.100.4, 10.0.0.3")
        );
    }

    #[test]
    fn a_user_may_be_called_anything() {
        for user in [
            "-",
            "frank",
            "bob smith [",
            "[20/Nov/2020:00:00:00 +0000] x",
            "",
            "203.0.113.7",
            r"[20/Nov/2020:00:00:00 +0000] \x22GET",
        ] {
            let line = format!(
                r#"203.0.113.9 - {user} [20/Nov/2026:23:20:36 +0000] "GET /p HTTP/1.1" 200 5 "-" "a""#
            );
            let entry = combined(&line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(
                (entry.time_millis, entry.target.as_deref()),
                (1_795_216_836_000, Some("/p")),
                "{line}"
            );
            assert_eq!(entry.peer.as_deref(), Some("203.0.113.9"));
        }
    }

    #[test]
    fn what_is_logged_for_no_request_is_a_line() {
        for (request, status) in [
            (r"\x16\x03\x01", "400"),
            ("", "400"),
            ("-", "408"),
            ("<BADREQ>", "-"),
            ("GET", "-1"),
            ("GET /", "000"),
        ] {
            let line = format!(
                r#"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] "{request}" {status} - "-" "-""#
            );
            let entry = combined(&line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(entry.method.is_some(), request == "GET /", "{line}");
            assert_eq!((entry.response_bytes, entry.user_agent.as_deref()), (None, Some("")));
        }
    }

    #[test]
    fn other_lines_are_not_read() {
        let good = format!(r#"{START} "-" "a""#);
        for end in 0..good.len() {
            let cut = good.get(..end).unwrap();
            // Without its last two texts it is a line of the common log format.
            assert!(combined(cut).is_none(), "{cut}");
        }
        for line in [
            "this is not a log line at all",
            r#"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] "GET /" abc 5 "-" "a""#,
            r#"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] "GET /" 200 -5 "-" "a""#,
            r#"203.0.113.9 - - [31/Feb/2026:23:20:36 +0000] "GET /" 200 5 "-" "a""#,
            r#"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] "GET /" 200 5 "-" "a"b"#,
        ] {
            assert!(combined(line).is_none(), "{line}");
        }
    }
}
