//! The octets of a batch: from a file or standard input, inflated on a thread of their own.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

use visibility_core::ingest::{ContentCoding, Inflate};
use visibility_core::limits::MAX_BATCH_WIRE_BYTES;
use visibility_core::report::words::Words;

use crate::failure::CommandFailure;

/// Decoded octets that are handed over at a time.
const CHUNK: usize = 128 * 1024;
/// Chunks on their way: one is filled while another is judged.
const CHUNKS: usize = 3;
/// RFC 1952 section 2.3.1. No JSON begins with it.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A compressed batch that the endpoint would not read to its end.
#[derive(Debug, thiserror::Error)]
#[error("the body has more octets than may be sent")]
struct TooManyWireBytes;

/// Whether a body could not be read because it is too long.
pub(super) fn is_too_long(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(cause) if cause.is::<TooManyWireBytes>())
}

/// A batch that is about to be read.
#[derive(Debug)]
pub(super) struct Body {
    path: PathBuf,
    len: Option<u64>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    File(File),
    Stdin(io::Stdin),
}

impl Body {
    /// Opens a file; `-` is standard input.
    pub(super) fn open(path: &Path) -> Result<Self, CommandFailure> {
        if path == Path::new("-") {
            let source = Source::Stdin(io::stdin());
            return Ok(Self { path: path.to_owned(), len: None, source });
        }
        let file = File::open(path).map_err(|error| failed(path, error))?;
        // The length is for the progress bar alone: pipes have none.
        let len = fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.len());
        Ok(Self { path: path.to_owned(), len, source: Source::File(file) })
    }

    /// The file as it was named.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the file, without its folder.
    pub(super) fn name(&self, words: Words) -> String {
        if self.path == Path::new("-") {
            return words.label("standard-input");
        }
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// The octets of the file, if it is one.
    pub(super) fn len(&self) -> Option<u64> {
        self.len
    }

    /// Starts to read and inflate, on a thread that nobody waits for: it may hang in a pipe.
    pub(super) fn inflate(self) -> Chunks {
        let (full_sender, full) = mpsc::sync_channel(CHUNKS);
        let (free, free_receiver) = mpsc::channel();
        for _ in 0..CHUNKS {
            // The receiver is alive: it is right here.
            let _ = free.send(vec![0; CHUNK]);
        }
        let octets = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&octets);
        thread::spawn(move || match self.source {
            Source::File(file) => work(file, count, &free_receiver, &full_sender),
            Source::Stdin(stdin) => work(stdin, count, &free_receiver, &full_sender),
        });
        Chunks { full, free, octets, current: None }
    }
}

/// Trouble with reading the batch.
pub(super) fn failed(path: &Path, error: io::Error) -> CommandFailure {
    if path == Path::new("-") {
        CommandFailure::Stdin(error)
    } else {
        CommandFailure::Read { path: path.to_owned(), source: error }
    }
}

/// What the thread has to say.
#[derive(Debug)]
enum Message {
    /// A chunk, and how much of it is filled.
    Octets(Vec<u8>, usize),
    End,
    Failed(io::Error),
}

/// The decoded octets, chunk by chunk.
#[derive(Debug)]
pub(super) struct Chunks {
    full: Receiver<Message>,
    free: Sender<Vec<u8>>,
    octets: Arc<AtomicU64>,
    current: Option<(Vec<u8>, usize)>,
}

impl Chunks {
    /// The next chunk; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        if let Some((chunk, _)) = self.current.take() {
            // At the end nobody wants it back.
            let _ = self.free.send(chunk);
        }
        match self.full.recv() {
            Ok(Message::Octets(chunk, filled)) => {
                let (chunk, filled) = self.current.insert((chunk, filled));
                Ok(Some(chunk.get(..*filled).unwrap_or_default()))
            }
            Ok(Message::End) => Ok(None),
            Ok(Message::Failed(error)) => Err(error),
            // A thread that ends without a word has not read everything.
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Octets that were read so far, as they are coded.
    pub(super) fn octets_read(&self) -> u64 {
        self.octets.load(Ordering::Relaxed)
    }
}

/// Fills free chunks until there is nothing left to read, or nobody left to take them.
fn work(
    source: impl Read,
    count: Arc<AtomicU64>,
    free: &Receiver<Vec<u8>>,
    full: &SyncSender<Message>,
) {
    let mut body = match inflated(source, count) {
        Ok(body) => body,
        Err(error) => return drop(full.send(Message::Failed(error))),
    };
    for mut chunk in free {
        let message = loop {
            match body.read(&mut chunk) {
                Ok(0) => break Message::End,
                Ok(filled) => break Message::Octets(chunk, filled),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Message::Failed(error),
            }
        };
        let is_last = !matches!(message, Message::Octets(..));
        if full.send(message).is_err() || is_last {
            return;
        }
    }
}

/// Looks at the first octets and decodes accordingly.
fn inflated(mut source: impl Read, count: Arc<AtomicU64>) -> io::Result<Inflate<impl Read>> {
    let mut start = Vec::with_capacity(GZIP_MAGIC.len());
    source.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start)?;
    let is_gzip = start == GZIP_MAGIC;
    let coding = if is_gzip { ContentCoding::Gzip } else { ContentCoding::Identity };
    // A plain file may be compressed before it is sent: only what is coded already can be too long.
    let limit = if is_gzip { MAX_BATCH_WIRE_BYTES } else { u64::MAX };
    let body = Counted { source: Cursor::new(start).chain(source), count, limit };
    Ok(Inflate::new(body, coding))
}

/// A reader that counts, up to a limit.
#[derive(Debug)]
struct Counted<R> {
    source: R,
    count: Arc<AtomicU64>,
    limit: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let octets = self.source.read(buffer)?;
        let before = self.count.fetch_add(octets as u64, Ordering::Relaxed);
        if before + octets as u64 > self.limit {
            return Err(io::Error::other(TooManyWireBytes));
        }
        Ok(octets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(octets: &[u8], limit: u64) -> io::Result<usize> {
        let count = Arc::new(AtomicU64::new(0));
        Counted { source: octets, count, limit }.read_to_end(&mut Vec::new())
    }

    #[test]
    fn a_body_may_have_as_many_octets_as_the_limit_and_no_more() {
        assert_eq!(read(&[0; 100], 100).ok(), Some(100));
        let error = read(&[0; 101], 100).unwrap_err();
        assert!(is_too_long(&error));
    }

    #[test]
    fn a_thread_that_ends_without_a_word_is_no_end() {
        let (full_sender, full) = mpsc::sync_channel(1);
        let (free, _) = mpsc::channel();
        drop(full_sender);
        let mut chunks = Chunks { full, free, octets: Arc::new(AtomicU64::new(0)), current: None };
        assert!(chunks.next().is_err());
    }
}
