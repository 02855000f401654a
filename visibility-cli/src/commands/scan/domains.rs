//! The domains to scan, in the order given; standard input is read as it comes.

use std::io::{self, BufRead, Read};
use std::thread;

use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::mpsc;

use super::site::Source;
use crate::failure::CommandFailure;

/// Longest line of standard input that is read as one; no domain is as long.
const MAX_LINE: u64 = 4096;
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
            let mut line = Vec::new();
            let item = match stdin.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
                Ok(0) => return,
                Ok(_) => domain_of(&line).map(|domain| Ok(Input(domain))),
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

/// The domain on a line; `None` for blank lines and comments.
fn domain_of(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    (!text.is_empty() && !text.starts_with('#')).then(|| text.to_owned())
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
            assert_eq!(domain_of(line).as_deref(), expected, "{line:?}");
        }
    }
}
