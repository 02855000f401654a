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
    kept: DecodedBody,
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
    /// A body of which at most `cap` decoded bytes are kept.
    pub(super) fn new(headers: &Headers, cap: usize) -> Self {
        let coding = Coding::from_headers(headers);
        let end = matches!(coding, Coding::Unknown).then_some(BodyEnd::Undecodable);
        Self { kept: DecodedBody { bytes: Vec::new(), cap }, coding, wire_bytes: 0, end }
    }

    /// Takes a piece from the wire; breaks off when no further piece is wanted.
    pub(super) fn push(&mut self, piece: &[u8]) -> ControlFlow<()> {
        if self.end.is_some() {
            return ControlFlow::Break(());
        }
        self.wire_bytes = self.wire_bytes.saturating_add(piece.len() as u64);
        let decoded = match &mut self.coding {
            Coding::Identity => self.kept.push(piece),
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

struct DecodedBody {
    bytes: Vec<u8>,
    cap: usize,
}

impl DecodedBody {
    fn push(&mut self, decoded: &[u8]) -> Result<(), Stop> {
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
    fn from_headers(headers: &Headers) -> Self {
        let codings = headers
            .all("content-encoding")
            .iter()
            .flat_map(|value| value.split(','))
            .map(|coding| coding.trim().to_ascii_lowercase());
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

/// The first byte of every gzip member: RFC 1952 section 2.3.1.
const MAGIC: u8 = 0x1f;
/// Bytes that are decoded at a time.
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

    fn decode(&mut self, mut piece: &[u8], kept: &mut DecodedBody) -> Result<(), Stop> {
        let mut has_more = false;
        while !piece.is_empty() || has_more {
            let is_next = self.member == Member::Awaited && self.members > 0;
            if is_next && piece.first() != Some(&MAGIC) {
                self.member = Member::Garbage;
            }
            if self.member == Member::Garbage {
                return Ok(());
            }
            self.member = Member::Open;
            let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
            let result = self.inflate.decompress(piece, &mut self.block, FlushDecompress::None);
            let read = usize::try_from(self.inflate.total_in() - read).unwrap_or(usize::MAX);
            let written = usize::try_from(self.inflate.total_out() - written).unwrap_or(usize::MAX);
            kept.push(self.block.get(..written).unwrap_or_default())?;
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

    fn decode(&mut self, piece: &[u8], kept: &mut DecodedBody) -> Result<(), Stop> {
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
            kept.push(self.block.get(..written).unwrap_or_default())?;
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    const CAP: usize = 100_000;

    /// 64 MiB of zeros.
    const BROTLI_BOMB: [u8; 53] = [
        0xcf, 0xff, 0xff, 0x7f, 0xf8, 0x27, 0x00, 0xe2, 0xb1, 0x40, 0x20, 0xf7, 0xfe, 0x9f, 0xff,
        0xff, 0xff, 0x04, 0xf0, 0x0c, 0x46, 0x10, 0x18, 0x0e, 0xef, 0xd3, 0xff, 0xff, 0xff, 0xe1,
        0x9f, 0x00, 0x88, 0xc3, 0x22, 0x00, 0xdd, 0xfb, 0xff, 0xfc, 0xff, 0xfc, 0x73, 0xf0, 0x11,
        0x08, 0x70, 0x50, 0x0b, 0xaf, 0x7f, 0xff, 0x00,
    ];

    /// `large window`, with a window of 1 GiB, which is not `br`.
    const BROTLI_LARGE_WINDOW: [u8; 15] =
        [0x11, 0x5e, 0x2c, 0x00, 0xe0, 0x97, 0x00, 0xa9, 0x41, 0x18, 0x29, 0x1d, 0x80, 0x81, 0x01];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read(coding: &str, wire: &[u8], piece: usize) -> (Vec<u8>, BodyEnd) {
        let headers = Headers::from_iter([("content-encoding", coding)]);
        let mut body = Body::new(&headers, CAP);
        let _ = wire.chunks(piece).try_for_each(|piece| body.push(piece));
        let body = body.finish(BodyEnd::Complete);
        (body.bytes, body.end)
    }

    fn sample() -> Vec<u8> {
        (0..10_000_u32)
            .flat_map(|n| format!("line {}\n", n * n % 977).into_bytes())
            .take(CAP)
            .collect()
    }

    #[test]
    fn gzip_is_decoded_whatever_the_pieces() {
        let (head, tail) = (&sample()[..30_000], &sample()[30_000..]);
        let members = [gzip(head), gzip(b""), gzip(tail)].concat();
        for piece in [1, 7, 100, usize::MAX] {
            assert_eq!(read("gzip", &gzip(&sample()), piece), (sample(), BodyEnd::Complete));
            assert_eq!(
                read("gzip", &members, piece),
                (sample(), BodyEnd::Complete),
                "RFC 1952, 2.2"
            );
        }
        assert_eq!(
            read("gzip", &[], 1),
            (vec![], BodyEnd::Complete),
            "an empty body needs no coding"
        );
    }

    #[test]
    fn a_gzip_stream_that_is_cut_anywhere_keeps_what_was_decoded() {
        let wire = gzip(&sample());
        for length in (1..40).chain((40..wire.len()).step_by(wire.len() / 20)) {
            let (bytes, end) = read("gzip", &wire[..length], 1000);
            assert_eq!(end, BodyEnd::Undecodable, "{length}");
            assert!(sample().starts_with(&bytes), "{length}");
        }
        let (bytes, _) = read("gzip", &wire[..wire.len() - 1], 1000);
        assert_eq!(bytes, sample(), "only the trailer is not whole");
    }

    #[test]
    fn a_gzip_stream_that_is_corrupt_keeps_what_came_before() {
        let mut wire = gzip(&sample());
        let last = wire.len() - 5;
        wire[last] ^= 1;
        assert_eq!(read("gzip", &wire, 1000), (sample(), BodyEnd::Undecodable), "checksum");
        assert_eq!(read("gzip", b"<!doctype html>", 3), (vec![], BodyEnd::Undecodable), "no gzip");
        let mut cut = [gzip(b"first"), gzip(&sample())].concat();
        cut.truncate(100);
        let (bytes, end) = read("gzip", &cut, 1000);
        assert!(bytes.starts_with(b"first"));
        assert_eq!(end, BodyEnd::Undecodable, "a cut second member");
    }

    #[test]
    fn what_follows_the_last_member_is_ignored() {
        for garbage in [&b"\0\0\0\0"[..], b"\0", b"garbage that is longer than a header"] {
            for piece in [1, 1000] {
                let wire = [gzip(b"text").as_slice(), garbage].concat();
                assert_eq!(read("gzip", &wire, piece), (b"text".to_vec(), BodyEnd::Complete));
            }
        }
    }

    #[test]
    fn brotli_is_decoded_to_the_cap_and_never_with_a_large_window() {
        for piece in [1, 53] {
            assert_eq!(read("br", &BROTLI_BOMB, piece), (vec![0; CAP], BodyEnd::Capped));
        }
        assert_eq!(read("br", &BROTLI_LARGE_WINDOW, 15), (vec![], BodyEnd::Undecodable));
        let (bytes, end) = read("br", &BROTLI_BOMB[..12], 1);
        assert!(bytes.iter().all(|&b| b == 0));
        assert_eq!(end, BodyEnd::Undecodable, "cut");
    }

    #[test]
    fn a_coded_body_has_a_cap_on_the_wire_too() {
        let member = gzip(b"");
        let wire = member.repeat((CAP + MAX_CODING_OVERHEAD) / member.len() + 2);
        assert_eq!(read("gzip", &wire, 4096), (vec![], BodyEnd::Capped));
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_under_any_coding(
            wire in proptest::collection::vec(any::<u8>(), 0..2000),
            coding in prop_oneof![Just("gzip"), Just("br"), Just("identity"), Just("zstd")],
            piece in 1..300_usize,
        ) {
            let (bytes, _) = read(coding, &wire, piece);
            prop_assert!(bytes.len() <= CAP);
            // A header that is right lets more of the decoder see the bytes.
            let wire = [&gzip(b"")[..10], &wire].concat();
            prop_assert!(read("gzip", &wire, piece).0.len() <= CAP);
        }
    }
}
