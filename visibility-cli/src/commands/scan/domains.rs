//! The domains to scan, in the order of the inputs; standard input is read as a stream.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::thread;

use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::mpsc;

use crate::args::ScanArgs;
use crate::error::CommandError;
use crate::run::scanner::ResponseSource;
use visibility_core::fetch::site_target::SiteTarget;

/// Bytes of a line of a list that are kept; no domain is as long.
const MAX_LINE: usize = 4096;
/// Lines read before they are needed.
const READ_AHEAD: usize = 64;

/// A domain as given.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct DomainInput(pub(super) String);

/// All of them.
#[derive(Clone, Debug)]
pub(super) struct DomainInputs {
    names: Vec<String>,
    files: Vec<PathBuf>,
    is_list: bool,
}

/// The sites that a list has named so far, as hashes: a list may be long.
#[derive(Debug, Default)]
pub(super) struct SeenSites {
    hasher: RandomState,
    hashes: HashSet<u64>,
}

impl SeenSites {
    /// Whether a text names a site that none has named before it.
    pub(super) fn is_new(&mut self, text: &str) -> bool {
        let hash = match SiteTarget::parse(text) {
            Ok(target) => self.hasher.hash_one((target.domain, target.origin)),
            Err(_) => self.hasher.hash_one(text),
        };
        self.hashes.insert(hash)
    }
}

impl DomainInputs {
    /// The arguments; without any, everything that was recorded.
    pub(super) fn new(arguments: &ScanArgs, source: &ResponseSource) -> Result<Self, CommandError> {
        let files = arguments.file.clone();
        let names = match (arguments.domains.as_slice(), source) {
            ([], ResponseSource::Recordings(recordings)) if files.is_empty() => {
                recordings.domains()
            }
            (domains, _) => domains.to_vec(),
        };
        for path in &files {
            // Before anything is scanned, so that a typing error is said at once.
            File::open(path).map_err(|source| CommandError::Read { path: path.clone(), source })?;
        }
        let is_list = names.len() != 1 || !files.is_empty() || names.iter().any(|name| name == "-");
        Ok(Self { names, files, is_list })
    }

    /// How many there are, if that is known before a list is read.
    pub(super) fn count(&self) -> Option<usize> {
        let has_list = !self.files.is_empty() || self.names.iter().any(|name| name == "-");
        (!has_list).then_some(self.names.len())
    }

    /// The names that were given, without those on standard input.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str).filter(|name| *name != "-")
    }

    /// Whether results are a list, even if it turns out to be a short one.
    pub(super) fn is_list(&self) -> bool {
        self.is_list
    }

    /// The domain, if it is not a list.
    pub(super) fn only(&self) -> Option<&str> {
        self.names.first().filter(|_| !self.is_list).map(String::as_str)
    }

    /// The domains, one after the other.
    pub(super) fn stream(self) -> BoxStream<'static, Result<DomainInput, CommandError>> {
        let parts = stream::iter(self.names).flat_map(|name| match name.as_str() {
            "-" => lines_of(List::Stdin),
            _ => stream::once(std::future::ready(Ok(DomainInput(name)))).boxed(),
        });
        let files = stream::iter(self.files).flat_map(|path| lines_of(List::File(path)));
        parts.chain(files).boxed()
    }
}

/// Where a list is.
#[derive(Clone, Debug)]
enum List {
    Stdin,
    File(PathBuf),
}

impl List {
    fn open(&self) -> Result<Box<dyn BufRead>, CommandError> {
        match self {
            Self::Stdin => Ok(Box::new(io::stdin().lock())),
            Self::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(BufReader::new(file))),
                Err(error) => Err(self.unreadable(error)),
            },
        }
    }

    fn unreadable(&self, source: io::Error) -> CommandError {
        match self {
            Self::Stdin => CommandError::Stdin(source),
            Self::File(path) => CommandError::Read { path: path.clone(), source },
        }
    }
}

/// Reads lines on a thread of its own: nothing else can wait for a pipe.
fn lines_of(list: List) -> BoxStream<'static, Result<DomainInput, CommandError>> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    thread::spawn(move || {
        let mut lines = match list.open() {
            Ok(lines) => lines,
            Err(error) => {
                // A receiver that has gone away has no use for it.
                let _ = sender.blocking_send(Err(error));
                return;
            }
        };
        loop {
            let item = match Line::read(&mut lines) {
                Ok(None) => return,
                Ok(Some(line)) => line.domain().map(|domain| Ok(DomainInput(domain))),
                Err(error) => Some(Err(list.unreadable(error))),
            };
            let is_last = matches!(item, Some(Err(_)));
            if item.is_some_and(|item| sender.blocking_send(item).is_err()) || is_last {
                return;
            }
        }
    });
    stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|item| (item, receiver))
    })
    .boxed()
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
            let end = part.iter().position(|byte| *byte == b'\n');
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
        // A URL may have a `#` of its own, but no white space before it.
        let comment = text.find(" #").into_iter().chain(text.find("\t#")).min();
        let text = comment.and_then(|at| text.get(..at)).unwrap_or(text).trim_end();
        let name = field(text)?;
        (!name.is_empty()).then(|| name.to_owned())
    }
}

/// Titles of columns: a line that has one of them is the first of a CSV file.
const TITLES: [&str; 7] = ["domain", "host", "hostname", "site", "url", "website", "origin"];

/// The name on a line: the line, or the column of a CSV file that looks like a name, as in
/// `1,example.com`. `None` for the titles of columns.
fn field(line: &str) -> Option<&str> {
    let fields = || line.split([',', ';', '\t']).map(unquoted);
    if fields().any(|field| TITLES.iter().any(|title| field.eq_ignore_ascii_case(title))) {
        return None;
    }
    let is_number = |field: &&str| {
        !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    fields()
        .find(|field| field.contains(['.', ':']) && !is_number(field))
        .or_else(|| Some(unquoted(line)))
}

fn unquoted(field: &str) -> &str {
    let field = field.trim();
    let inner = ['"', '\'']
        .into_iter()
        .find_map(|quote| field.strip_prefix(quote).and_then(|field| field.strip_suffix(quote)));
    inner.map_or(field, str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_and_comments_are_skipped() {
        let cases: [(&[u8], Option<&str>); 19] = [
            (b"example.com # a note\n", Some("example.com")),
            (b"example.com\t# a note\n", Some("example.com")),
            (b"https://example.com/a#b\n", Some("https://example.com/a#b")),
            (b"1,example.com\r\n", Some("example.com")),
            (b"\"1\",\"example.com\"\n", Some("example.com")),
            (b"1;1;example.com;com;3\n", Some("example.com")),
            (b"https://example.com,1000\n", Some("https://example.com")),
            (b"'example.com'\n", Some("example.com")),
            (b"3,localhost:3000\n", Some("localhost:3000")),
            (b"rank,Domain\n", None),
            (b"\xef\xbb\xbf\"origin\",\"rank\"\r\n", None),
            (b"127.0.0.1\n", Some("127.0.0.1")),
            (b"1,2\n", Some("1,2")),
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
        let mut input = BufReader::with_capacity(64, input.as_bytes());
        let mut domains = Vec::new();
        while let Some(line) = Line::read(&mut input).unwrap() {
            assert!(line.start.len() <= MAX_LINE);
            domains.extend(line.domain());
        }
        let [first, second, third, last] = domains.as_slice() else { panic!("{domains:?}") };
        for domain in [first, second, third] {
            assert!(domain.parse::<visibility_core::fetch::domain::Domain>().is_err(), "{domain}");
        }
        assert_eq!(last, "last.com");
    }
}
