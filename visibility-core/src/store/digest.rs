//! Digests of objects, by which a changed bit is noticed.
//!
//! They are XXH3 with 128 bits. A digest says whether a disk or a network has changed an object, which happens by
//! chance. It does not say whether a person has: one who can replace objects needs no collision. So the fastest function
//! is the best one, on processors without instructions for SHA-256 as well. `xxhsum -H128` computes the same.

use std::fmt;
use std::io::{self, Read, Write};

use twox_hash::XxHash3_128;

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// What the bytes of an object are known by.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Digest([u8; 16]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(XxHash3_128::oneshot(bytes).to_be_bytes())
    }

    /// The digest of all that is left of a source, and how many bytes that was.
    ///
    /// # Errors
    ///
    /// When the source cannot be read.
    pub fn of_source(mut source: impl Read) -> io::Result<(Self, u64)> {
        let mut hashed = HashingWriter::new(io::sink());
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let length = match source.read(&mut piece) {
                Ok(0) => return Ok((hashed.digest(), hashed.bytes())),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            hashed.write_all(piece.get(..length).unwrap_or_default())?;
        }
    }

    /// The digest that was written as these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The digest as bytes, the highest first.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// As `xxhsum` writes it.
impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

/// Hashes what is written through it.
pub struct HashingWriter<W> {
    inner: W,
    hasher: XxHash3_128,
    bytes: u64,
}

impl<W> HashingWriter<W> {
    /// Nothing written yet.
    pub fn new(inner: W) -> Self {
        Self { inner, hasher: XxHash3_128::new(), bytes: 0 }
    }

    /// The digest of what was written.
    pub fn digest(&self) -> Digest {
        Digest(self.hasher.finish_128().to_be_bytes())
    }

    /// How many bytes were written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What it writes to.
    pub fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        let taken = bytes.get(..written).unwrap_or_default();
        self.hasher.write(taken);
        self.bytes += taken.len() as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W> fmt::Debug for HashingWriter<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HashingWriter").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_that_of_xxhsum() {
        // From `printf '' | xxhsum -H128`.
        assert_eq!(Digest::of(b"").to_string(), "99aa06d3014798d86001c324468d497f");
        assert_eq!(format!("{:?}", Digest::of(b"")), "Digest(99aa06d3014798d86001c324468d497f)");
    }

    #[test]
    fn a_digest_does_not_depend_on_the_pieces() {
        let bytes: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let whole = Digest::of(&bytes);
        let mut pieces = HashingWriter::new(Vec::new());
        for piece in bytes.chunks(977) {
            pieces.write_all(piece).unwrap();
        }
        assert_eq!((pieces.digest(), pieces.bytes()), (whole, 1_200_000));
        assert!(pieces.into_inner() == bytes);
        assert_eq!(Digest::of_source(bytes.as_slice()).unwrap(), (whole, 1_200_000));
        assert_eq!(Digest::from_bytes(*whole.as_bytes()), whole);
    }

    #[test]
    fn each_changed_bit_changes_the_digest() {
        let bytes: Vec<u8> = (0..=255).cycle().take(700).collect();
        let whole = Digest::of(&bytes);
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(Digest::of(&changed), whole, "bit {bit}");
        }
    }
}
