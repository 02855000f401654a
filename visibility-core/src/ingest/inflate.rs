//! Content codings of a body: what is sent, and what follows it.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::str::FromStr;

use flate2::bufread::MultiGzDecoder;

use crate::ingest::BatchError;
use crate::text::locale::{Catalog, Lang};
use crate::text::note::Note;

/// Bytes of the coded body that are read at a time.
const WINDOW: usize = 64 * 1024;

/// A content coding that a batch may have.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum ContentCoding {
    /// None.
    Identity,
    /// RFC 1952, any number of members.
    Gzip,
}

/// A content coding that is not one of ours, or more than one.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the content coding is neither gzip nor identity")]
pub struct UnknownCoding;

impl FromStr for ContentCoding {
    type Err = UnknownCoding;

    /// Reads the value of a `Content-Encoding` header: RFC 9110 section 8.4.1.
    fn from_str(value: &str) -> Result<Self, UnknownCoding> {
        let value = value.trim_matches([' ', '\t']);
        let is = |name: &str| value.eq_ignore_ascii_case(name);
        if is("gzip") || is("x-gzip") {
            Ok(Self::Gzip)
        } else if is("identity") || value.is_empty() {
            Ok(Self::Identity)
        } else {
            Err(UnknownCoding)
        }
    }
}

/// The decoded bytes of a body.
///
/// Every member of a gzip stream is read, and nothing but members: zeros or anything else behind
/// the last one is an error, as is a body without any. An error of the coding and an error of the
/// body itself are distinguished by `BatchError::from`.
#[derive(Debug)]
pub struct Inflate<R>(Source<R>);

#[derive(Debug)]
enum Source<R> {
    Plain(R),
    Gzip(Box<MultiGzDecoder<BufReader<Watched<R>>>>),
}

impl<R: Read> Inflate<R> {
    /// Decodes a body; a gzip header is read at once.
    pub fn new(body: R, coding: ContentCoding) -> Self {
        Self(match coding {
            ContentCoding::Identity => Source::Plain(body),
            ContentCoding::Gzip => {
                let body = BufReader::with_capacity(WINDOW, Watched { body, has_failed: false });
                Source::Gzip(Box::new(MultiGzDecoder::new(body)))
            }
        })
    }
}

impl<R: Read> Read for Inflate<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Source::Plain(body) => body.read(buffer),
            Source::Gzip(decoder) => decoder.read(buffer).map_err(|error| {
                if decoder.get_ref().get_ref().has_failed {
                    error
                } else {
                    io::Error::new(io::ErrorKind::InvalidData, CodingError::from(error))
                }
            }),
        }
    }
}

/// A reader that remembers whether the last call failed.
#[derive(Debug)]
struct Watched<R> {
    body: R,
    has_failed: bool,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.body.read(buffer);
        self.has_failed = result.is_err();
        result
    }
}

/// What is wrong with a gzip stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CodingError {
    /// It ends too early.
    TooShort,
    /// Something else is where a gzip header should be.
    NoHeader,
    /// Its data, checksum or length is wrong.
    Data,
}

impl CodingError {
    /// What is wrong, for people.
    pub fn note(self) -> Note {
        Note::new(match self {
            Self::TooShort => "gzip-too-short",
            Self::NoHeader => "gzip-no-header",
            Self::Data => "gzip-data",
        })
    }
}

impl fmt::Display for CodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.note().sentence(Catalog::for_lang(Lang::En)))
    }
}

impl std::error::Error for CodingError {}

impl From<io::Error> for CodingError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::TooShort,
            io::ErrorKind::InvalidInput if error.to_string().contains("header") => Self::NoHeader,
            _ => Self::Data,
        }
    }
}

impl From<io::Error> for BatchError {
    fn from(error: io::Error) -> Self {
        let coding = error.get_ref().and_then(|cause| cause.downcast_ref::<CodingError>());
        match coding {
            Some(error) => Self::Coding(*error),
            None => Self::Read(error),
        }
    }
}
