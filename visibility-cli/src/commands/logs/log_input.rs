//! The bytes of a log or a batch: from a file or standard input, inflated.

use std::cell::Cell;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use visibility_core::ingest::{ContentCoding, Inflate};
use visibility_core::limits::MAX_BATCH_WIRE_BYTES;
use visibility_core::report::labels::Labels;

use crate::error::CommandError;

/// Decoded bytes that are handed over at a time; they stay in the cache of a core.
const CHUNK: usize = 64 * 1024;
/// RFC 1952 section 2.3.1. No JSON begins with it.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A compressed batch that the endpoint would not read to its end.
#[derive(Debug, thiserror::Error)]
#[error("the body has more bytes than the server accepts")]
struct TooManyWireBytes;

/// Whether a body could not be read because it is too long.
pub(super) fn is_too_long(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(cause) if cause.is::<TooManyWireBytes>())
}

/// A log or a batch that is about to be read.
#[derive(Debug)]
pub(super) struct LogInput {
    path: PathBuf,
    len: Option<u64>,
    source: Source,
}

/// How many compressed bytes are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum WireLimit {
    /// As many as the server would read.
    OfTheServer,
    /// All: a log is no batch.
    None,
}

#[derive(Debug)]
enum Source {
    File(File),
    Stdin(io::Stdin),
    /// Inside the program.
    Embedded(&'static [u8]),
}

impl LogInput {
    /// Opens a file; `-` is standard input.
    pub(super) fn open(path: &Path) -> Result<Self, CommandError> {
        if path == Path::new("-") {
            let source = Source::Stdin(io::stdin());
            return Ok(Self { path: path.to_owned(), len: None, source });
        }
        let file = File::open(path).map_err(|error| failed(path, error))?;
        // The length is for the progress bar alone: pipes have none.
        let len = fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.len());
        Ok(Self { path: path.to_owned(), len, source: Source::File(file) })
    }

    /// What is inside the program, under a name.
    pub(super) fn embedded(name: &str, bytes: &'static [u8]) -> Self {
        let len = u64::try_from(bytes.len()).ok();
        Self { path: PathBuf::from(name), len, source: Source::Embedded(bytes) }
    }

    /// The file as it was named.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the file, without its folder.
    pub(super) fn name(&self, labels: Labels) -> String {
        if self.path == Path::new("-") {
            return labels.label("standard-input");
        }
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// The bytes of the file, if it is one.
    pub(super) fn len(&self) -> Option<u64> {
        self.len
    }

    /// Starts to read and inflate.
    ///
    /// # Errors
    ///
    /// When the first bytes cannot be read.
    pub(super) fn inflate(self, limit: WireLimit) -> io::Result<Chunks> {
        let bytes = Rc::new(Cell::new(0));
        let source: Box<dyn Read> = match self.source {
            Source::File(file) => Box::new(file),
            Source::Stdin(stdin) => Box::new(stdin),
            Source::Embedded(bytes) => Box::new(bytes),
        };
        let body = inflated(source, limit, Rc::clone(&bytes))?;
        Ok(Chunks { body: Box::new(body), chunk: vec![0; CHUNK], bytes })
    }
}

/// A file as it is named in messages.
pub(super) fn shown(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        format!("`{}`", path.display())
    }
}

/// Trouble with reading the batch.
pub(super) fn failed(path: &Path, error: io::Error) -> CommandError {
    if path == Path::new("-") {
        CommandError::Stdin(error)
    } else {
        CommandError::Read { path: path.to_owned(), source: error }
    }
}

/// The decoded bytes, chunk by chunk.
pub(super) struct Chunks {
    body: Box<dyn Read>,
    chunk: Vec<u8>,
    bytes: Rc<Cell<u64>>,
}

impl Chunks {
    /// The next chunk; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            match self.body.read(&mut self.chunk) {
                Ok(0) => return Ok(None),
                Ok(filled) => return Ok(Some(self.chunk.get(..filled).unwrap_or_default())),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Bytes that were read so far, as they are coded.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes.get()
    }
}

impl fmt::Debug for Chunks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Chunks").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// Looks at the first bytes and decodes accordingly.
fn inflated(
    mut source: impl Read + 'static,
    limit: WireLimit,
    count: Rc<Cell<u64>>,
) -> io::Result<Inflate<impl Read>> {
    let mut start = Vec::with_capacity(GZIP_MAGIC.len());
    source.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start)?;
    let is_gzip = start == GZIP_MAGIC;
    let coding = if is_gzip { ContentCoding::Gzip } else { ContentCoding::Identity };
    // A plain file may be compressed before it is sent: only what is coded already can be too long.
    let is_limited = is_gzip && limit == WireLimit::OfTheServer;
    let limit = if is_limited { MAX_BATCH_WIRE_BYTES } else { u64::MAX };
    let body = CountingReader { source: Cursor::new(start).chain(source), count, limit };
    Ok(Inflate::new(body, coding))
}

/// A reader that counts, up to a limit.
#[derive(Debug)]
struct CountingReader<R> {
    source: R,
    count: Rc<Cell<u64>>,
    limit: u64,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.source.read(buffer)?;
        self.count.set(self.count.get() + bytes as u64);
        if self.count.get() > self.limit {
            return Err(io::Error::other(TooManyWireBytes));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], limit: u64) -> io::Result<usize> {
        let count = Rc::new(Cell::new(0));
        CountingReader { source: bytes, count, limit }.read_to_end(&mut Vec::new())
    }

    #[test]
    fn a_body_may_have_as_many_bytes_as_the_limit_and_no_more() {
        assert_eq!(read(&[0; 100], 100).ok(), Some(100));
        let error = read(&[0; 101], 100).unwrap_err();
        assert!(is_too_long(&error));
    }
}
