//! Lines of Amazon's Application Load Balancer.
//!
//! ```text
//! type time name client:port target:port seconds seconds seconds status status received sent "request" "user agent" more
//! ```

use super::combined::{quoted, token};
use super::entry::{LogEntry, NoEntry, present, request_line, status};
use super::escape::{decode, decode_request};
use super::time;

/// How a client is connected.
const TYPES: [&[u8]; 6] = [b"http", b"https", b"h2", b"grpcs", b"ws", b"wss"];

/// Reads a line.
pub(super) fn parse(line: &[u8]) -> Result<LogEntry<'_>, NoEntry> {
    read(line).ok_or(NoEntry::Unreadable)
}

fn read(line: &[u8]) -> Option<LogEntry<'_>> {
    let at = memchr::memchr(b' ', line)?;
    let (kind, mut rest) = line.split_at_checked(at)?;
    if !TYPES.contains(&kind) {
        return None;
    }
    let mut next = || {
        let (value, behind) = token(rest)?;
        rest = behind;
        std::str::from_utf8(value).ok()
    };
    let time_millis = time::any(next()?)?;
    let _name = next()?;
    let client = next()?;
    let _target = next()?;
    for _ in 0..3 {
        next()?.parse::<f64>().ok()?;
    }
    let status_text = next()?;
    let _status_of_target = next()?;
    let _received = next()?;
    let sent: i64 = next()?.parse().ok()?;
    let (request, rest) = quoted(rest)?;
    let (user_agent, rest) = quoted(rest)?;
    if !matches!(rest.first(), None | Some(b' ')) {
        return None;
    }
    let line = decode_request(request);
    let host = host_of(&line).map(|host| host.to_owned().into());
    let (method, target) = request_line(line);
    Some(LogEntry {
        time_millis,
        user_agent: Some(present(decode(user_agent)).unwrap_or_default()),
        method,
        target,
        status: status(status_text),
        response_bytes: Some(sent).filter(|sent| *sent >= 0),
        host,
        // An IPv6 address has no brackets: its port is behind the last colon.
        peer: client.rsplit_once(':').map(|(address, _)| address.into()),
        ..LogEntry::default()
    })
}

/// The host of the address in a first line such as `GET https://www.example.com:443/ HTTP/1.1`.
fn host_of(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("://")?;
    let host = rest.split(['/', '?', '#', ' ']).next()?;
    // A name and a password may be in front of it.
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"https 2026-11-20T23:20:36.186641Z app/main/50dc6c495c0c9188 2001:db8::9:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET https://www.example.com:443/docs?page=2 HTTP/2.0" "Mozilla/5.0 (compatible; GPTBot/1.3)" ECDHE-RSA TLSv1.2 arn:aws:x "Root=1-58337262" "www.example.com" "-" 0 2026-11-20T23:20:36.000000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1"#;

    fn read(line: &str) -> Option<LogEntry<'_>> {
        parse(line.as_bytes()).ok()
    }

    #[test]
    fn the_address_that_was_asked_for_has_the_site() {
        let entry = read(LINE).unwrap();
        assert_eq!(entry.time_millis, 1_795_216_836_186);
        assert_eq!(entry.host.as_deref(), Some("www.example.com:443"));
        assert_eq!(entry.target.as_deref(), Some("/docs?page=2"));
        assert_eq!(entry.peer.as_deref(), Some("2001:db8::9"));
        assert_eq!((entry.status, entry.response_bytes), (Some(200), Some(366)));
        assert_eq!(entry.user_agent.as_deref(), Some("Mozilla/5.0 (compatible; GPTBot/1.3)"));
        assert_eq!(entry.referrer, None, "there is none in this format");
        let named = LINE.replace("https://www", "https://ada:secret@www");
        assert_eq!(read(&named).unwrap().host.as_deref(), Some("www.example.com:443"));
    }

    #[test]
    fn a_line_without_a_request_is_read_all_the_same() {
        let line = r#"https 2026-09-29T09:00:00.000000Z app/main/5 198.18.9.9:40000 - -1 -1 -1 400 - 0 272 "- - - " "-" - - - "-" "-""#;
        let entry = read(line).unwrap();
        assert_eq!((entry.target, entry.host), (None, None));
        assert_eq!(entry.user_agent.as_deref(), Some(""));
    }

    #[test]
    fn other_lines_are_not_read() {
        for wrong in [
            LINE.replacen("https ", "tcp ", 1),
            LINE.replace(" 0.001 ", " x "),
            LINE.replace(" 366 ", " x "),
            LINE.replace("2026-11-20T23:20:36.186641Z", "today"),
            LINE.replace("\" ECDHE", "\"ECDHE"),
            LINE.split(" \"Mozilla").next().unwrap().to_owned(),
        ] {
            assert_eq!(read(&wrong), None, "{wrong}");
        }
    }
}
