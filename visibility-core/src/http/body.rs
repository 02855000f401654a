//! Reads a body under two caps: what is decoded, and what comes over the wire.

use std::ops::ControlFlow;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};

use crate::fetch::{BodyEnd, Headers};
use crate::limits::MAX_CODING_OVERHEAD;

/// The codings that requests ask for. Not zstd: its decoders accept windows of 128 MiB.
pub(super) const ACCEPT_ENCODING: &str = "gzip, br";

/// A body while it arrives.
pub(super) struct Body {
    kept: Kept,
    coding: Coding,
    wire_bytes: u64,
    /// Set once nothing more is wanted.
    end: Option<BodyEnd>,
}

/// A body that has ended.
pub(super) struct ReadBody {
    pub(super) bytes: Vec<u8>,
    pub(super) end: BodyEnd,
    pub(super) wire_bytes: u64,
}

impl Body {
    /// A body of which at most `cap` decoded octets are kept.
    pub(super) fn new(headers: &Headers, cap: usize) -> Self {
        let coding = Coding::of(headers);
        let end = matches!(coding, Coding::Unknown).then_some(BodyEnd::Undecodable);
        Self { kept: Kept { bytes: Vec::new(), cap }, coding, wire_bytes: 0, end }
    }

    /// Takes a piece from the wire; breaks off when no further piece is wanted.
    pub(super) fn push(&mut self, piece: &[u8]) -> ControlFlow<()> {
        if self.end.is_some() {
            return ControlFlow::Break(());
        }
        self.wire_bytes = self.wire_bytes.saturating_add(piece.len() as u64);
        let decoded = match &mut self.coding {
            Coding::Identity => self.kept.keep(piece),
            Coding::Gzip(gzip) => gzip.decode(piece, &mut self.kept),
            Coding::Brotli(brotli) => brotli.decode(piece, &mut self.kept),
            Coding::Unknown => Err(Stop::Corrupt),
        };
        let wire_cap = self.kept.cap.saturating_add(MAX_CODING_OVERHEAD) as u64;
        self.end = match decoded {
            Err(Stop::Corrupt) => Some(BodyEnd::Undecodable),
            Err(Stop::Full) => Some(BodyEnd::Capped),
            Ok(()) if self.wire_bytes > wire_cap => Some(BodyEnd::Capped),
            Ok(()) => return ControlFlow::Continue(()),
        };
        ControlFlow::Break(())
    }

    /// Ends the body; `transfer` is how its transfer ended.
    pub(super) fn finish(self, transfer: BodyEnd) -> ReadBody {
        let is_whole = match &self.coding {
            Coding::Gzip(gzip) => gzip.member != Member::Open,
            Coding::Brotli(brotli) => brotli.ended || self.wire_bytes == 0,
            Coding::Identity | Coding::Unknown => true,
        };
        let end = match self.end {
            Some(end) => end,
            None if transfer == BodyEnd::Complete && !is_whole => BodyEnd::Undecodable,
            None => transfer,
        };
        ReadBody { bytes: self.kept.bytes, end, wire_bytes: self.wire_bytes }
    }
}

/// Why decoding stops before the end.
enum Stop {
    Full,
    Corrupt,
}

struct Kept {
    bytes: Vec<u8>,
    cap: usize,
}

impl Kept {
    fn keep(&mut self, decoded: &[u8]) -> Result<(), Stop> {
        let room = self.cap.saturating_sub(self.bytes.len());
        match decoded.get(..room) {
            Some(head) if decoded.len() > room => {
                self.bytes.extend_from_slice(head);
                Err(Stop::Full)
            }
            _ => {
                self.bytes.extend_from_slice(decoded);
                Ok(())
            }
        }
    }
}

enum Coding {
    Identity,
    Gzip(Gzip),
    Brotli(Box<Brotli>),
    /// Not asked for, or more than one on top of each other.
    Unknown,
}

impl Coding {
    fn of(headers: &Headers) -> Self {
        let codings = headers.all("content-encoding").iter().flat_map(|value| value.split(','));
        let codings = codings.map(|coding| coding.trim().to_ascii_lowercase());
        let codings: Vec<String> =
            codings.filter(|coding| !coding.is_empty() && coding != "identity").collect();
        let codings: Vec<&str> = codings.iter().map(String::as_str).collect();
        match codings.as_slice() {
            [] => Self::Identity,
            ["gzip" | "x-gzip"] => Self::Gzip(Gzip::new()),
            ["br"] => Self::Brotli(Box::new(Brotli::new())),
            _ => Self::Unknown,
        }
    }
}

/// Octets that are decoded at a time.
const BLOCK: usize = 16 * 1024;

/// A gzip stream of one or more members: RFC 1952 section 2.2.
struct Gzip {
    inflate: Decompress,
    member: Member,
    members: u32,
    block: Box<[u8]>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Member {
    /// Nothing of it has come.
    Awaited,
    /// Its trailer has not come.
    Open,
    /// Something else follows the last member, which clients ignore.
    Garbage,
}

impl Gzip {
    fn new() -> Self {
        Self {
            inflate: Decompress::new_gzip(15),
            member: Member::Awaited,
            members: 0,
            block: vec![0; BLOCK].into(),
        }
    }

    fn decode(&mut self, mut piece: &[u8], kept: &mut Kept) -> Result<(), Stop> {
        let mut has_more = false;
        while !piece.is_empty() || has_more {
            if self.member == Member::Garbage {
                return Ok(());
            }
            self.member = Member::Open;
            let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
            let result = self.inflate.decompress(piece, &mut self.block, FlushDecompress::None);
            let read = usize::try_from(self.inflate.total_in() - read).unwrap_or(usize::MAX);
            let written = usize::try_from(self.inflate.total_out() - written).unwrap_or(usize::MAX);
            kept.keep(self.block.get(..written).unwrap_or_default())?;
            piece = piece.get(read..).unwrap_or_default();
            has_more = written == BLOCK;
            match result {
                Ok(Status::StreamEnd) => {
                    *self = Self {
                        members: self.members.saturating_add(1),
                        block: std::mem::take(&mut self.block),
                        ..Self::new()
                    };
                    has_more = false;
                }
                Ok(_) if read == 0 && written == 0 => return Ok(()),
                Ok(_) => {}
                Err(_) if self.members > 0 && self.inflate.total_out() == 0 => {
                    self.member = Member::Garbage;
                }
                Err(_) => return Err(Stop::Corrupt),
            }
        }
        Ok(())
    }
}

struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    total_out: usize,
    ended: bool,
    block: Box<[u8]>,
}

impl Brotli {
    /// Strict: windows of more than 16 MiB belong to another coding than `br`.
    fn new() -> Self {
        let alloc = StandardAlloc::default;
        Self {
            state: BrotliState::new_strict(alloc(), alloc(), alloc()),
            total_out: 0,
            ended: false,
            block: vec![0; BLOCK].into(),
        }
    }

    fn decode(&mut self, piece: &[u8], kept: &mut Kept) -> Result<(), Stop> {
        let (mut available, mut read) = (piece.len(), 0);
        while !self.ended {
            let (mut room, mut written) = (self.block.len(), 0);
            let result = BrotliDecompressStream(
                &mut available,
                &mut read,
                piece,
                &mut room,
                &mut written,
                &mut self.block,
                &mut self.total_out,
                &mut self.state,
            );
            kept.keep(self.block.get(..written).unwrap_or_default())?;
            match result {
                BrotliResult::ResultSuccess => self.ended = true,
                BrotliResult::NeedsMoreInput => break,
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::ResultFailure => return Err(Stop::Corrupt),
            }
        }
        Ok(())
    }
}
