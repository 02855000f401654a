//! Strings that wait for their row group, all octets of a column in one arena.

use std::hash::BuildHasher;

use bytes::Bytes;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use parquet::data_type::ByteArray;

/// A column of strings that seldom repeat.
#[derive(Debug, Default)]
pub(super) struct Texts {
    octets: Vec<u8>,
    ends: Vec<usize>,
}

/// A column of strings that repeat: each is kept once, and every row has its number.
#[derive(Debug, Default)]
pub(super) struct Words {
    octets: Vec<u8>,
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hashing: RandomState,
    rows: Vec<u32>,
}

impl Texts {
    /// Adds the value of the next row.
    pub(super) fn push(&mut self, text: &str) {
        self.octets.extend_from_slice(text.as_bytes());
        self.ends.push(self.octets.len());
    }

    /// Octets that are held.
    pub(super) fn held(&self) -> usize {
        self.octets.len()
    }

    /// Takes all values out.
    pub(super) fn take(&mut self) -> Vec<ByteArray> {
        slices(&mut self.octets, &mut self.ends)
    }
}

impl Words {
    /// Adds the value of the next row.
    pub(super) fn push(&mut self, word: &str) {
        let number = self.number(word);
        self.rows.push(number);
    }

    /// Octets that are held.
    pub(super) fn held(&self) -> usize {
        self.octets.len()
    }

    /// Takes all values out: the different ones, and the number of each row's.
    pub(super) fn take(&mut self) -> (Vec<ByteArray>, Vec<u32>) {
        self.numbers.clear();
        (slices(&mut self.octets, &mut self.ends), std::mem::take(&mut self.rows))
    }

    fn number(&mut self, word: &str) -> u32 {
        let Self { octets, ends, numbers, hashing, .. } = self;
        let hash = hashing.hash_one(word.as_bytes());
        let same = |number: &u32| span(octets, ends, *number) == word.as_bytes();
        if let Some(number) = numbers.find(hash, same) {
            return *number;
        }
        // A row group has fewer rows than this has room.
        let number = u32::try_from(ends.len()).unwrap_or(u32::MAX);
        octets.extend_from_slice(word.as_bytes());
        ends.push(octets.len());
        numbers.insert_unique(hash, number, |number| hashing.hash_one(span(octets, ends, *number)));
        number
    }
}

/// The octets of one value.
fn span<'a>(octets: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = match number.checked_sub(1) {
        Some(before) => ends.get(before).copied().unwrap_or_default(),
        None => 0,
    };
    let end = ends.get(number).copied().unwrap_or_default();
    octets.get(start..end).unwrap_or_default()
}

/// Cuts an arena into its values, without a copy, and leaves an empty one.
fn slices(octets: &mut Vec<u8>, ends: &mut Vec<usize>) -> Vec<ByteArray> {
    let room = octets.len();
    let whole = Bytes::from(std::mem::replace(octets, Vec::with_capacity(room)));
    let mut start = 0;
    let cut = |end| ByteArray::from(whole.slice(std::mem::replace(&mut start, end)..end));
    ends.drain(..).map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_kept_once() {
        let mut words = Words::default();
        for word in ["a", "", "bc", "a", "bc", "", "d"] {
            words.push(word);
        }
        assert_eq!(words.held(), 4);
        let (different, rows) = words.take();
        let text: Vec<&[u8]> = different.iter().map(ByteArray::data).collect();
        assert_eq!(text, [&b"a"[..], b"", b"bc", b"d"]);
        assert_eq!(rows, [0, 1, 2, 0, 2, 1, 3]);
        words.push("bc");
        assert_eq!(words.take().1, [0]);
    }

    #[test]
    fn texts_come_out_as_they_went_in() {
        let mut texts = Texts::default();
        for round in 0..2 {
            for text in ["/a", "", "/b"] {
                texts.push(text);
            }
            assert_eq!(texts.held(), 4, "{round}");
            let values = texts.take();
            let values: Vec<&[u8]> = values.iter().map(ByteArray::data).collect();
            assert_eq!(values, [&b"/a"[..], b"", b"/b"]);
        }
    }
}
