//! Strings of a column until its row group is written, in one arena.

use std::hash::BuildHasher;

use bytes::Bytes;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use parquet::data_type::ByteArray;

/// A column of strings that seldom repeat.
#[derive(Debug, Default)]
pub(super) struct TextColumn {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// Different strings, numbered from 0 as they appear.
#[derive(Debug, Default)]
pub(crate) struct StringInterner {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hashing: RandomState,
}

/// The order of [`StringInterner`].
#[derive(Debug)]
pub(crate) struct SortOrder {
    /// The numbers in the order of the strings.
    pub(crate) numbers: Vec<u32>,
    /// The place of each number in that order.
    pub(crate) ranks: Vec<u32>,
}

/// A column of strings that repeat: each is kept once, and every row has its number.
#[derive(Debug, Default)]
pub(super) struct DictionaryColumn {
    names: StringInterner,
    rows: Vec<u32>,
}

impl TextColumn {
    /// Adds the value of the next row.
    pub(super) fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len());
    }

    /// Bytes that are held.
    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Takes all values out.
    pub(super) fn take(&mut self) -> Vec<ByteArray> {
        slices(&mut self.bytes, &mut self.ends)
    }
}

impl StringInterner {
    /// The number of a string; a new one if it is new.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        let Self { bytes, ends, numbers, hashing } = self;
        let hash = hashing.hash_one(name.as_bytes());
        if let Some(number) =
            numbers.find(hash, |number| span(bytes, ends, *number) == name.as_bytes())
        {
            return *number;
        }
        // A row group has fewer rows than this has room.
        let number = u32::try_from(ends.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(name.as_bytes());
        ends.push(bytes.len());
        numbers.insert_unique(hash, number, |number| hashing.hash_one(span(bytes, ends, *number)));
        number
    }

    /// The number of a string that is there.
    pub(crate) fn get(&self, name: &str) -> Option<u32> {
        let Self { bytes, ends, numbers, hashing } = self;
        let hash = hashing.hash_one(name.as_bytes());
        numbers.find(hash, |number| span(bytes, ends, *number) == name.as_bytes()).copied()
    }

    /// The string with a number; empty if there is no such string.
    pub(crate) fn resolve(&self, number: u32) -> &str {
        // All bytes came as strings, so they are strings.
        std::str::from_utf8(span(&self.bytes, &self.ends, number)).unwrap_or_default()
    }

    /// The order of all strings.
    pub(crate) fn sorted(&self) -> SortOrder {
        let all = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        let mut keyed: Vec<(u128, u32)> = all.map(|number| (self.prefix(number), number)).collect();
        let bytes = |number| span(&self.bytes, &self.ends, number);
        keyed.sort_unstable_by(|(left, one), (right, other)| {
            left.cmp(right).then_with(|| bytes(*one).cmp(bytes(*other)))
        });
        let numbers: Vec<u32> = keyed.into_iter().map(|(_, number)| number).collect();
        let mut ranks = vec![0; numbers.len()];
        for (rank, number) in (0..).zip(&numbers) {
            if let Some(place) = ranks.get_mut(*number as usize) {
                *place = rank;
            }
        }
        SortOrder { numbers, ranks }
    }

    /// The first bytes of a string: most comparisons need no more.
    fn prefix(&self, number: u32) -> u128 {
        let bytes = span(&self.bytes, &self.ends, number);
        let mut first = [0; 16];
        for (to, from) in first.iter_mut().zip(bytes) {
            *to = *from;
        }
        u128::from_be_bytes(first)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes that are held.
    pub(crate) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.numbers.clear();
    }

    /// Takes all out, in the order of their numbers.
    fn take(&mut self) -> Vec<ByteArray> {
        self.numbers.clear();
        slices(&mut self.bytes, &mut self.ends)
    }
}

impl DictionaryColumn {
    /// Adds the value of the next row.
    pub(super) fn push(&mut self, word: &str) {
        let number = self.names.intern(word);
        self.rows.push(number);
    }

    /// Bytes that are held.
    pub(super) fn byte_len(&self) -> usize {
        self.names.byte_len()
    }

    /// Takes all values out: the different ones, and the number of each row's.
    pub(super) fn take(&mut self) -> (Vec<ByteArray>, Vec<u32>) {
        (self.names.take(), std::mem::take(&mut self.rows))
    }
}

/// The bytes of one value.
fn span<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = match number.checked_sub(1) {
        Some(before) => ends.get(before).copied().unwrap_or_default(),
        None => 0,
    };
    let end = ends.get(number).copied().unwrap_or_default();
    bytes.get(start..end).unwrap_or_default()
}

/// Cuts an arena into its values, without a copy, and leaves an empty one.
fn slices(bytes: &mut Vec<u8>, ends: &mut Vec<usize>) -> Vec<ByteArray> {
    let room = bytes.len();
    let whole = Bytes::from(std::mem::replace(bytes, Vec::with_capacity(room)));
    let mut start = 0;
    ends.drain(..)
        .map(|end| ByteArray::from(whole.slice(std::mem::replace(&mut start, end)..end)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_kept_once() {
        let mut words = DictionaryColumn::default();
        for word in ["a", "", "bc", "a", "bc", "", "d"] {
            words.push(word);
        }
        assert_eq!(words.byte_len(), 4);
        let (different, rows) = words.take();
        let text: Vec<&[u8]> = different.iter().map(ByteArray::data).collect();
        assert_eq!(text, [&b"a"[..], b"", b"bc", b"d"]);
        assert_eq!(rows, [0, 1, 2, 0, 2, 1, 3]);
        words.push("bc");
        assert_eq!(words.take().1, [0]);
    }

    #[test]
    fn texts_come_out_as_they_went_in() {
        let mut texts = TextColumn::default();
        for round in 0..2 {
            for text in ["/a", "", "/b"] {
                texts.push(text);
            }
            assert_eq!(texts.byte_len(), 4, "{round}");
            let values = texts.take();
            let values: Vec<&[u8]> = values.iter().map(ByteArray::data).collect();
            assert_eq!(values, [&b"/a"[..], b"", b"/b"]);
        }
    }
}
