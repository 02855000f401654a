//! One request, as a line of a log describes it.

use std::borrow::Cow;

/// A request by anyone. What the line does not have is `None`; an empty text is a field that the log has, with nothing in
/// it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct LogEntry<'a> {
    /// Milliseconds since 1970, UTC; finer fractions are cut off.
    pub time_millis: i64,
    /// As it was sent; bytes that are not UTF-8 are U+FFFD.
    pub user_agent: Option<Cow<'a, str>>,
    /// `None` if what was sent is no request of HTTP.
    pub method: Option<Cow<'a, str>>,
    /// Path and query, as they were sent; bytes that are not UTF-8 are percent-encoded. `None` if what was sent is no
    /// request for a path.
    pub target: Option<Cow<'a, str>>,
    /// 100 to 599.
    pub status: Option<u16>,
    /// Bytes of the answer: of its body, or with its head ([`AccessLogFormat::bytes`](super::AccessLogFormat::bytes)).
    pub response_bytes: Option<i64>,
    /// As it was sent.
    pub referrer: Option<Cow<'a, str>>,
    /// The site that was asked, with its port if it is logged.
    pub host: Option<Cow<'a, str>>,
    /// Who has connected: an address, or a name if the server looks names up.
    pub peer: Option<Cow<'a, str>>,
    /// `X-Forwarded-For`.
    pub forwarded_for: Option<Cow<'a, str>>,
}

impl LogEntry<'_> {
    /// The same, without borrowing from its line.
    pub(super) fn into_owned(self) -> LogEntry<'static> {
        let owned = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        LogEntry {
            time_millis: self.time_millis,
            user_agent: owned(self.user_agent),
            method: owned(self.method),
            target: owned(self.target),
            status: self.status,
            response_bytes: self.response_bytes,
            referrer: owned(self.referrer),
            host: owned(self.host),
            peer: owned(self.peer),
            forwarded_for: owned(self.forwarded_for),
        }
    }
}

/// Why a line is no request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NoEntry {
    /// It is a line of the same log about something else.
    NotAccess,
    /// It is about a request that another line is about: one between servers of the same network.
    Duplicate,
    /// It does not have the form of the log.
    Unreadable,
}

/// A method and a target, from the first line of a request.
pub(super) type RequestLine<'a> = (Option<Cow<'a, str>>, Option<Cow<'a, str>>);

/// The text of a field; `-` and Fastly's `(null)` say that there is none.
pub(super) fn present(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    (text != "-" && text != "(null)").then_some(text)
}

/// Reads a first line such as `GET /path HTTP/1.1`, decoded.
pub(super) fn request_line(line: Cow<'_, str>) -> RequestLine<'_> {
    match line {
        Cow::Borrowed(line) => {
            let (method, target) = split_request(line);
            (method.map(Cow::Borrowed), target)
        }
        Cow::Owned(line) => {
            let (method, target) = split_request(&line);
            let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
            (method.map(|method| Cow::Owned(method.to_owned())), target.map(owned))
        }
    }
}

fn split_request(line: &str) -> (Option<&str>, Option<Cow<'_, str>>) {
    let Some((method, rest)) = line.split_once(' ') else { return (None, None) };
    if !is_method(method) {
        return (None, None);
    }
    // The target may have blanks; HTTP/0.9 has no version.
    let target = match rest.rsplit_once(' ') {
        Some((target, version)) if version.starts_with("HTTP/") => target,
        _ => rest,
    };
    (Some(method), target_of(target))
}

/// Whether a text is a method: a token in upper case. Others are what strangers send to see what happens.
pub(super) fn is_method(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_uppercase() || b"-_".contains(&byte))
}

/// Path and query of a target, which may be a whole address.
pub(super) fn target_of(target: &str) -> Option<Cow<'_, str>> {
    if target.starts_with('/') {
        return Some(Cow::Borrowed(target));
    }
    let (scheme, rest) = target.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let path = rest.find(['/', '?', '#']).and_then(|at| rest.get(at..)).unwrap_or("/");
    if path.starts_with('/') {
        return Some(Cow::Borrowed(path));
    }
    Some(Cow::Owned(format!("/{path}")))
}

/// A status of HTTP. Servers log others for connections that came to nothing.
pub(super) fn status(text: &str) -> Option<u16> {
    let status = text.parse().ok()?;
    (text.len() == 3 && (100..=599).contains(&status)).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_has_a_method_and_a_path() {
        for (line, method, target) in [
            ("GET / HTTP/1.1", Some("GET"), Some("/")),
            ("GET /a b HTTP/1.1", Some("GET"), Some("/a b")),
            ("GET /old", Some("GET"), Some("/old")),
            ("GET http://www.example.com/p?q HTTP/1.1", Some("GET"), Some("/p?q")),
            ("GET HTTPS://www.example.com?q HTTP/1.1", Some("GET"), Some("/?q")),
            ("GET http://www.example.com HTTP/1.1", Some("GET"), Some("/")),
            ("OPTIONS * HTTP/1.1", Some("OPTIONS"), None),
            ("CONNECT a.example:443 HTTP/1.1", Some("CONNECT"), None),
            ("get / HTTP/1.1", None, None),
            ("\u{16}\u{3}\u{1}", None, None),
            ("<BADREQ>", None, None),
            ("-", None, None),
            ("", None, None),
        ] {
            let (found, path) = request_line(Cow::Borrowed(line));
            assert_eq!((found.as_deref(), path.as_deref()), (method, target), "{line}");
            let (found, path) = request_line(Cow::Owned(line.to_owned()));
            assert_eq!((found.as_deref(), path.as_deref()), (method, target), "{line}");
        }
    }

    #[test]
    fn a_status_has_three_digits() {
        for (text, expected) in [
            ("200", Some(200)),
            ("499", Some(499)),
            ("000", None),
            ("-1", None),
            ("-", None),
            ("0200", None),
            ("999", None),
        ] {
            assert_eq!(status(text), expected, "{text}");
        }
    }
}
