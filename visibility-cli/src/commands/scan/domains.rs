//! The domains to scan, in the order given; standard input is read as it comes.

use std::io::{self, BufRead};
use std::thread;

use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::mpsc;

use super::site::Source;
use crate::failure::CommandFailure;

/// Octets of a line of standard input that are kept; no domain is as long.
const MAX_LINE: usize = 4096;
/// Lines read before they are needed.
const READ_AHEAD: usize = 64;

/// A domain as given.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Input(pub(super) String);

/// All of them.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    names: Vec<String>,
    is_list: bool,
}

impl Inputs {
    /// The arguments; without any, everything that was recorded.
    pub(super) fn new(arguments: &[String], source: &Source) -> Self {
        let names = match (arguments, source) {
            ([], Source::Recordings(recordings)) => recordings.domains(),
            _ => arguments.to_vec(),
        };
        let is_list = names.len() != 1 || names.iter().any(|name| name == "-");
        Self { names, is_list }
    }

    /// The names that were given, without those on standard input.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str).filter(|name| *name != "-")
    }

    /// Whether results are a list, even if it turns out to be a short one.
    pub(super) fn is_list(&self) -> bool {
        self.is_list
    }

    /// The domain, if it is no list.
    pub(super) fn only(&self) -> Option<&str> {
        self.names.first().filter(|_| !self.is_list).map(String::as_str)
    }

    /// The domains, one after the other.
    pub(super) fn stream(self) -> BoxStream<'static, Result<Input, CommandFailure>> {
        let parts = stream::iter(self.names).flat_map(|name| match name.as_str() {
            "-" => from_stdin(),
            _ => stream::once(std::future::ready(Ok(Input(name)))).boxed(),
        });
        parts.boxed()
    }
}

/// Reads lines on a thread of its own: nothing else can wait for a pipe.
fn from_stdin() -> BoxStream<'static, Result<Input, CommandFailure>> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            let item = match Line::read(&mut stdin) {
                Ok(None) => return,
                Ok(Some(line)) => line.domain().map(|domain| Ok(Input(domain))),
                Err(error) => Some(Err(CommandFailure::Stdin(error))),
            };
            let is_last = matches!(item, Some(Err(_)));
            if item.is_some_and(|item| sender.blocking_send(item).is_err()) || is_last {
                return;
            }
        }
    });
    let receive = |mut receiver: mpsc::Receiver<_>| async move {
        receiver.recv().await.map(|item| (item, receiver))
    };
    stream::unfold(receiver, receive).boxed()
}

/// A line, or the beginning of one that is too long.
#[derive(Debug, Default)]
struct Line {
    start: Vec<u8>,
    is_cut: bool,
}

impl Line {
    /// Reads to the end of the line, however long it is; `None` at the end of the input.
    fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = Self::default();
        let mut is_none = true;
        loop {
            let part = match input.fill_buf() {
                Ok(part) => part,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if part.is_empty() {
                return Ok((!is_none).then_some(line));
            }
            is_none = false;
            let end = part.iter().position(|octet| *octet == b'\n');
            let content = part.get(..end.unwrap_or(part.len())).unwrap_or_default();
            let room = MAX_LINE.saturating_sub(line.start.len());
            line.is_cut |= content.len() > room;
            line.start.extend(content.iter().take(room));
            let used = end.map_or(part.len(), |end| end + 1);
            input.consume(used);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }

    /// The domain on the line; `None` for blank lines and comments. What was cut ends in `…`, so that
    /// it never is the domain that it begins with.
    fn domain(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.start);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('#') {
            return None;
        }
        if self.is_cut {
            return Some(format!("{text}…"));
        }
        let text = text.trim_end();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_and_comments_are_skipped() {
        let cases: [(&[u8], Option<&str>); 6] = [
            (b"example.com\r\n", Some("example.com")),
            (b"\xef\xbb\xbfexample.com\n", Some("example.com")),
            (b"  # a comment\n", None),
            (b" \t\n", None),
            (b"a b", Some("a b")),
            (b"\xff.com\n", Some("\u{fffd}.com")),
        ];
        for (line, expected) in cases {
            let line = Line::read(&mut &*line).unwrap().unwrap();
            assert_eq!(line.domain().as_deref(), expected, "{line:?}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_one_and_no_domain() {
        let long = "a.com ".repeat(5_000);
        let spaces = " ".repeat(5_000);
        let input = format!("{long}\n# {long}\nexample.com{spaces}b.com\n{spaces}x\nlast.com");
        let mut input = io::BufReader::with_capacity(64, input.as_bytes());
        let mut domains = Vec::new();
        while let Some(line) = Line::read(&mut input).unwrap() {
            assert!(line.start.len() <= MAX_LINE);
            domains.extend(line.domain());
        }
        let [first, second, third, last] = domains.as_slice() else { panic!("{domains:?}") };
        for domain in [first, second, third] {
            assert!(domain.parse::<visibility_core::domain::Domain>().is_err(), "{domain}");
        }
        assert_eq!(last, "last.com");
    }
}
