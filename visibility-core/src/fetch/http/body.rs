//! Reads a body under two caps: what is decoded, and what each coding takes.

use std::ops::ControlFlow;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};

use crate::fetch::content_coding::{AppliedCoding, ContentCodings};
use crate::fetch::{BodyEnd, Headers};
use crate::limits::{MAX_CODING_OVERHEAD, MAX_CONTENT_CODINGS};

/// The codings that requests ask for. Not zstd: its decoders accept windows of 128 MiB.
pub(super) const ACCEPT_ENCODING: &str = "gzip, br";

/// A body while it arrives.
pub(super) struct Body {
    kept: DecodedBody,
    /// The outermost coding first: it is decoded first.
    layers: Vec<Layer>,
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
        let codings = ContentCodings::from_headers(headers);
        let decoders: Option<Vec<Decoder>> =
            codings.applied.iter().rev().map(|coding| Decoder::of(*coding)).collect();
        let mut decoders = decoders.filter(|layers| layers.len() <= MAX_CONTENT_CODINGS);
        let end = decoders.is_none().then_some(BodyEnd::Undecodable);
        if let Some(decoders) = &mut decoders
            && decoders.is_empty()
            && !codings.unknown.is_empty()
        {
            decoders.push(Decoder::PerhapsGzip(Vec::new()));
        }
        let layers = decoders.into_iter().flatten().map(|decoder| Layer { decoder, taken: 0 });
        Self {
            kept: DecodedBody { bytes: Vec::new(), cap },
            layers: layers.collect(),
            wire_bytes: 0,
            end,
        }
    }

    /// Takes a piece from the wire; breaks off when no further piece is wanted.
    pub(super) fn push(&mut self, piece: &[u8]) -> ControlFlow<()> {
        if self.end.is_some() {
            return ControlFlow::Break(());
        }
        self.wire_bytes = self.wire_bytes.saturating_add(piece.len() as u64);
        self.end = match decode(&mut self.layers, piece, &mut self.kept) {
            Err(Stop::Corrupt) => Some(BodyEnd::Undecodable),
            Err(Stop::Full) => Some(BodyEnd::Capped),
            Ok(()) => return ControlFlow::Continue(()),
        };
        ControlFlow::Break(())
    }

    /// Ends the body; `transfer` is how its transfer ended.
    pub(super) fn finish(mut self, transfer: BodyEnd) -> ReadBody {
        if let Some(Layer { decoder: Decoder::PerhapsGzip(start), .. }) = self.layers.first()
            && self.end.is_none()
        {
            self.end = self.kept.push(start).err().map(|_full| BodyEnd::Capped);
        }
        let is_whole = self.layers.iter().all(Layer::is_whole);
        let end = match self.end {
            Some(end) => end,
            None if transfer == BodyEnd::Complete && !is_whole => BodyEnd::Undecodable,
            None => transfer,
        };
        ReadBody { bytes: self.kept.bytes, end, wire_bytes: self.wire_bytes }
    }
}

/// Decodes a piece through all layers.
fn decode(layers: &mut [Layer], piece: &[u8], kept: &mut DecodedBody) -> Result<(), Stop> {
    let Some((outer, inner)) = layers.split_first_mut() else { return kept.push(piece) };
    outer.taken = outer.taken.saturating_add(piece.len());
    let cap = kept.cap.saturating_add(MAX_CODING_OVERHEAD);
    outer.decoder.decode(piece, &mut |decoded| decode(inner, decoded, kept))?;
    if outer.taken > cap { Err(Stop::Full) } else { Ok(()) }
}

/// Why decoding stops before the end.
#[derive(Debug)]
enum Stop {
    Full,
    Corrupt,
}

/// Takes what was decoded.
type Output<'a> = dyn FnMut(&[u8]) -> Result<(), Stop> + 'a;

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

/// One coding of a body.
struct Layer {
    decoder: Decoder,
    /// Bytes that it was given.
    taken: usize,
}

impl Layer {
    /// Whether its stream has come to its end. An empty body needs no coding.
    fn is_whole(&self) -> bool {
        match &self.decoder {
            Decoder::Gzip(gzip) => gzip.member != Member::Open,
            Decoder::Deflate(deflate) => deflate.has_ended || self.taken == 0,
            Decoder::Brotli(brotli) => brotli.has_ended || self.taken == 0,
            Decoder::PerhapsGzip(_) | Decoder::Identity => true,
        }
    }
}

enum Decoder {
    Gzip(Gzip),
    Deflate(Deflate),
    Brotli(Box<Brotli>),
    /// The header has no coding but something else, as where it was meant to say something else; gzip is known by
    /// its first bytes, which are awaited.
    PerhapsGzip(Vec<u8>),
    Identity,
}

impl Decoder {
    /// `None` for codings that are not decoded.
    fn of(coding: AppliedCoding) -> Option<Self> {
        match coding {
            AppliedCoding::Gzip => Some(Self::Gzip(Gzip::new())),
            AppliedCoding::Deflate => Some(Self::Deflate(Deflate::default())),
            AppliedCoding::Brotli => Some(Self::Brotli(Box::new(Brotli::new()))),
            AppliedCoding::NotRequested => None,
        }
    }

    fn decode(&mut self, piece: &[u8], output: &mut Output<'_>) -> Result<(), Stop> {
        match self {
            Self::Gzip(gzip) => gzip.decode(piece, output),
            Self::Deflate(deflate) => deflate.decode(piece, output),
            Self::Brotli(brotli) => brotli.decode(piece, output),
            Self::Identity => output(piece),
            Self::PerhapsGzip(start) => {
                start.extend_from_slice(piece);
                if start.len() < MAGIC.len() && MAGIC.starts_with(start) {
                    return Ok(());
                }
                let start = std::mem::take(start);
                let is_gzip = start.starts_with(&MAGIC);
                *self = if is_gzip { Self::Gzip(Gzip::new()) } else { Self::Identity };
                self.decode(&start, output)
            }
        }
    }
}

/// The first bytes of every gzip member: RFC 1952 section 2.3.1.
const MAGIC: [u8; 2] = [0x1f, 0x8b];
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

    fn decode(&mut self, mut piece: &[u8], output: &mut Output<'_>) -> Result<(), Stop> {
        let mut has_more = false;
        while !piece.is_empty() || has_more {
            let is_next = self.member == Member::Awaited && self.members > 0;
            if is_next && piece.first() != MAGIC.first() {
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
            output(self.block.get(..written).unwrap_or_default())?;
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

/// A deflate stream, with the header of zlib as RFC 9110 section 8.4.1.2 requires it, or without one as some servers
/// send it.
#[derive(Default)]
struct Deflate {
    /// The first byte, while the second one is awaited.
    first: Option<u8>,
    inflate: Option<Decompress>,
    has_ended: bool,
}

impl Deflate {
    fn decode(&mut self, piece: &[u8], output: &mut Output<'_>) -> Result<(), Stop> {
        if self.inflate.is_some() {
            return self.inflate(piece, output);
        }
        let mut start = self.first.into_iter().chain(piece.iter().copied());
        let (Some(first), Some(second)) = (start.next(), start.next()) else {
            self.first = self.first.or_else(|| piece.first().copied());
            return Ok(());
        };
        self.inflate = Some(Decompress::new(has_zlib_header(first, second)));
        if let Some(first) = self.first {
            self.inflate(&[first], output)?;
        }
        self.inflate(piece, output)
    }

    fn inflate(&mut self, mut piece: &[u8], output: &mut Output<'_>) -> Result<(), Stop> {
        let Some(inflate) = &mut self.inflate else { return Ok(()) };
        let mut block = vec![0; BLOCK];
        // What follows the end is ignored, as after gzip.
        while !self.has_ended {
            let (read, written) = (inflate.total_in(), inflate.total_out());
            let result = inflate.decompress(piece, &mut block, FlushDecompress::None);
            let read = usize::try_from(inflate.total_in() - read).unwrap_or(usize::MAX);
            let written = usize::try_from(inflate.total_out() - written).unwrap_or(usize::MAX);
            output(block.get(..written).unwrap_or_default())?;
            piece = piece.get(read..).unwrap_or_default();
            match result {
                Ok(Status::StreamEnd) => self.has_ended = true,
                Ok(_) if written == 0 && (read == 0 || piece.is_empty()) => break,
                Ok(_) => {}
                Err(_) => return Err(Stop::Corrupt),
            }
        }
        Ok(())
    }
}

/// RFC 1950 section 2.2: method 8, and a checksum of both bytes.
fn has_zlib_header(first: u8, second: u8) -> bool {
    first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31)
}

struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    total_out: usize,
    has_ended: bool,
    block: Box<[u8]>,
}

impl Brotli {
    /// Strict: windows of more than 16 MiB belong to another coding than `br`.
    fn new() -> Self {
        let alloc = StandardAlloc::default;
        Self {
            state: BrotliState::new_strict(alloc(), alloc(), alloc()),
            total_out: 0,
            has_ended: false,
            block: vec![0; BLOCK].into(),
        }
    }

    fn decode(&mut self, piece: &[u8], output: &mut Output<'_>) -> Result<(), Stop> {
        let (mut available, mut read) = (piece.len(), 0);
        while !self.has_ended {
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
            output(self.block.get(..written).unwrap_or_default())?;
            match result {
                BrotliResult::ResultSuccess => self.has_ended = true,
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
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
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

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(bytes: &[u8], level: Compression) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), level);
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn deflate_is_decoded_with_the_header_of_zlib_and_without() {
        let complete = (sample(), BodyEnd::Complete);
        for wire in [
            zlib(&sample()),
            raw_deflate(&sample(), Compression::fast()),
            raw_deflate(&sample(), Compression::best()),
            raw_deflate(&sample(), Compression::none()),
            [zlib(&sample()).as_slice(), b"garbage"].concat(),
        ] {
            for piece in [1, 2, 7, 1000, usize::MAX] {
                assert_eq!(read("deflate", &wire, piece), complete, "{piece}");
            }
            let (bytes, end) = read("deflate", &wire[..wire.len() / 2], 1000);
            assert_eq!(end, BodyEnd::Undecodable, "cut");
            assert!(sample().starts_with(&bytes));
        }
        assert_eq!(read("deflate", b"", 1), (vec![], BodyEnd::Complete));
        assert_eq!(read("deflate", b"x", 1), (vec![], BodyEnd::Undecodable));
        assert_eq!(read("deflate", b"<!doctype html>", 3).1, BodyEnd::Undecodable);
    }

    #[test]
    fn two_codings_on_top_of_each_other_are_decoded_and_three_are_not() {
        let complete = (sample(), BodyEnd::Complete);
        for (coding, wire) in [
            ("gzip, gzip", gzip(&gzip(&sample()))),
            ("deflate, gzip", gzip(&zlib(&sample()))),
            ("gzip, deflate", raw_deflate(&gzip(&sample()), Compression::fast())),
            ("gzip, identity, gzip", gzip(&gzip(&sample()))),
        ] {
            for piece in [1, 1000] {
                assert_eq!(read(coding, &wire, piece), complete, "{coding}");
            }
            let cut = &wire[..wire.len() - 12];
            assert_eq!(read(coding, cut, 1000).1, BodyEnd::Undecodable, "{coding}");
        }
        let thrice = gzip(&gzip(&gzip(b"text")));
        assert_eq!(read("gzip, gzip, gzip", &thrice, 1000), (vec![], BodyEnd::Undecodable));
        for coding in ["zstd", "compress", "gzip, zstd", "zstd, gzip", "dcb"] {
            assert_eq!(read(coding, &gzip(b"text"), 1000), (vec![], BodyEnd::Undecodable));
        }
    }

    #[test]
    fn the_caps_hold_for_each_of_two_codings() {
        let bomb = gzip(&vec![0; 20 * CAP]);
        assert_eq!(read("gzip, gzip", &gzip(&bomb), 1000), (vec![0; CAP], BodyEnd::Capped));
        // The inner stream has many bytes that decode to nothing.
        let member = gzip(b"");
        let nothing = member.repeat((CAP + MAX_CODING_OVERHEAD) / member.len() + 2_000);
        assert!(gzip(&nothing).len() < CAP);
        assert_eq!(read("gzip, gzip", &gzip(&nothing), 1000), (vec![], BodyEnd::Capped));
    }

    #[test]
    fn what_is_not_a_coding_is_ignored_and_gzip_is_known_by_its_first_bytes() {
        let complete = (sample(), BodyEnd::Complete);
        for coding in [
            "UTF-8",
            "none",
            "aws-chunked",
            "binary",
            "8bit",
            "iso-8859-1",
            "text/html",
            "chunked",
            "utf-8, none",
            "true",
        ] {
            for piece in [1, 1000] {
                assert_eq!(read(coding, &sample(), piece), complete, "{coding}");
                assert_eq!(read(coding, &gzip(&sample()), piece), complete, "{coding}");
            }
            let cut = &gzip(&sample())[..1000];
            assert_eq!(read(coding, cut, 1000).1, BodyEnd::Undecodable, "{coding}");
        }
        for coding in ["gzip, utf-8", "utf-8, gzip"] {
            assert_eq!(read(coding, &gzip(&sample()), 1000), complete, "{coding}");
        }
        for start in [&b""[..], b"\x1f", b"\x1fx", b"\x8b", b"\x8b\x1f"] {
            assert_eq!(read("utf-8", start, 1), (start.to_vec(), BodyEnd::Complete));
        }
        let long = vec![b'a'; CAP + 1];
        assert_eq!(read("none", &long, 1000), (long[..CAP].to_vec(), BodyEnd::Capped));
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_under_any_coding(
            wire in proptest::collection::vec(any::<u8>(), 0..2000),
            coding in prop_oneof![
                Just("gzip"), Just("br"), Just("identity"), Just("zstd"), Just("deflate"),
                Just("utf-8"), Just("gzip, deflate"), Just("br, br"),
            ],
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
