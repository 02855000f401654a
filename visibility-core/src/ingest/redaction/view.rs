//! A text without its percent-encoding, and where each byte of it came from.

use memchr::memchr;

/// Rounds of decoding.
const ROUNDS: usize = 3;

/// The bytes that a text represents.
#[derive(Debug, Default)]
pub(super) struct View {
    bytes: Vec<u8>,
    /// For each byte, and the end, the place in the text; empty when both are the same.
    sources: Vec<usize>,
}

impl View {
    pub(super) fn read(&mut self, text: &str) {
        self.bytes.clear();
        self.bytes.extend_from_slice(text.as_bytes());
        self.sources.clear();
        for _ in 0..ROUNDS {
            if memchr(b'%', &self.bytes).is_none() {
                return;
            }
            if self.sources.is_empty() {
                self.sources.extend(0..=self.bytes.len());
            }
            self.decode();
        }
    }

    /// Makes the view that of a text without encoding: every byte is where it came from.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.sources.clear();
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The place in the text of a byte of the view.
    pub(super) fn source(&self, at: usize) -> usize {
        self.sources.get(at).copied().unwrap_or(at)
    }

    /// Decodes once, in place.
    #[expect(clippy::indexing_slicing, reason = "`to <= from < length`, and one source more")]
    fn decode(&mut self) {
        let (mut from, mut to, length) = (0, 0, self.bytes.len());
        while from < length {
            self.sources[to] = self.sources[from];
            let decoded = match self.bytes[from..] {
                [b'%', high, low, ..] => byte(high, low),
                _ => None,
            };
            self.bytes[to] = decoded.unwrap_or(self.bytes[from]);
            from += if decoded.is_some() { 3 } else { 1 };
            to += 1;
        }
        self.sources[to] = self.sources[length];
        self.bytes.truncate(to);
        self.sources.truncate(to + 1);
    }
}

fn byte(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
