//! The value of a field as a place on its line.

use crate::ingest::text::EscapedText;

/// The value of a field, unread: where it is and what it is. One number, so that it is handed
/// around in a register; zero is not a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Value(u64);

impl Value {
    /// A string, without its quotes.
    pub(super) const TEXT: u64 = 1;
    /// A string with a backslash.
    pub(super) const ESCAPED_TEXT: u64 = 2;
    /// A number.
    pub(super) const NUMBER: u64 = 3;
    /// Anything else.
    pub(super) const OTHER: Self = Self(4);

    /// A place has 29 bits, more than the longest line.
    pub(super) fn at(start: usize, end: usize, kind: u64) -> Self {
        Self((start as u64) << 32 | (end as u64) << 3 | kind)
    }

    pub(super) fn kind(self) -> u64 {
        self.0 & 7
    }

    pub(super) fn within(self, line: &str) -> &str {
        let place = |bits: u64| usize::try_from(bits & 0x1FFF_FFFF).unwrap_or(usize::MAX);
        line.get(place(self.0 >> 32)..place(self.0 >> 3)).unwrap_or_default()
    }

    pub(super) fn text(self, line: &str) -> Option<EscapedText<'_>> {
        let is_escaped = self.kind() == Self::ESCAPED_TEXT;
        let is_text = is_escaped || self.kind() == Self::TEXT;
        is_text.then(|| EscapedText { raw: self.within(line), is_escaped })
    }
}

/// What a nested value is in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::ingest) enum Container {
    Array,
    Object,
}
