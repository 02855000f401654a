//! Words of a text, and the columns that it takes.
//!
//! Words are those of Unicode Standard Annex #29, so that `don't` and `3.5` are one and `well-known` is
//! two. Scripts without spaces between words have no such boundaries; there, characters are counted:
//!
//! * Chinese and Japanese: 1.7 characters to a word. ICU's dictionary cuts Article 1 of the Universal
//!   Declaration of Human Rights into words of 1.5 (Chinese) and 1.75 (Japanese) characters.
//! * Thai 4.4, Lao 4.2, Khmer 6.0, Burmese 5.1: the same article in those languages, cut by the ICU of Node,
//!   vowel signs and tone marks counted as characters.

use std::iter::FlatMap;
use std::str::Split;

use unicode_segmentation::{UnicodeSegmentation, UnicodeWords};
use unicode_width::UnicodeWidthStr;

/// Parts words wherever it is. The boundaries of Unicode are found one by one, also between a million of them.
const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// A word, in the unit of [`Share`].
const ONE: u32 = 10_000;

/// Words of a text, in order. Of a script without spaces, a character is yielded for each word.
pub(crate) fn words(text: &str) -> Words<'_> {
    Words { parts: spaced_words(text), rest: "", share: Share::default() }
}

/// The words of the annex, in a script with spaces between them.
fn spaced_words(text: &str) -> SpacedWords<'_> {
    text.split(ZERO_WIDTH_SPACE).flat_map(UnicodeSegmentation::unicode_words)
}

type SpacedWords<'t> = FlatMap<Split<'t, char>, UnicodeWords<'t>, fn(&'t str) -> UnicodeWords<'t>>;

/// How many words a text has.
///
/// ```
/// use visibility_core::text::words::count;
///
/// assert_eq!(count("It's a well-known chair — 3.5 kg!"), 7);
/// assert_eq!(count("今日は良い天気です。"), 6);
/// ```
pub fn count(text: &str) -> usize {
    if text.is_ascii() { ascii(text.as_bytes()) } else { words(text).count() }
}

/// Columns of a text in a fixed-width face: two for a character of Chinese or Japanese, none for marks.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// An iterator over [`words`].
#[derive(Debug)]
pub(crate) struct Words<'t> {
    parts: SpacedWords<'t>,
    /// What is left of a part in a script without spaces.
    rest: &'t str,
    share: Share,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            let Some(first) = self.rest.chars().next() else {
                let part = self.parts.next()?;
                if part.chars().next().and_then(share_of).is_none() {
                    return Some(part);
                }
                self.rest = part;
                continue;
            };
            let (character, rest) = self.rest.split_at_checked(first.len_utf8())?;
            self.rest = rest;
            if self.share.add(character) > 0 {
                return Some(character);
            }
        }
    }
}

/// The part of a word that the characters so far are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(u32);

impl Default for Share {
    /// What is begun counts as a word.
    fn default() -> Self {
        Self(ONE - 1)
    }
}

impl Share {
    /// Whole words that a part of a text adds.
    fn add(&mut self, part: &str) -> usize {
        let Some(each) = part.chars().next().and_then(share_of) else { return 1 };
        let chars = u32::try_from(part.chars().count()).unwrap_or(u32::MAX);
        self.0 = self.0.saturating_add(chars.saturating_mul(each));
        let words = self.0 / ONE;
        self.0 %= ONE;
        usize::try_from(words).unwrap_or(usize::MAX)
    }

    /// Words that a text adds to those before it.
    pub(crate) fn count(&mut self, text: &str) -> usize {
        if text.is_ascii() {
            return ascii(text.as_bytes());
        }
        spaced_words(text).map(|part| self.add(part)).sum()
    }
}

/// Whether a text that ends with the first character goes on in one that begins with the second, as far
/// as words are concerned.
pub(crate) fn joins(last: char, first: char) -> bool {
    let is_spaced = |ch: char| ch.is_alphanumeric() && share_of(ch).is_none();
    is_spaced(last) && is_spaced(first)
}

/// The part of a word that a character is, in a script without spaces.
fn share_of(ch: char) -> Option<u32> {
    Some(match u32::from(ch) {
        // Han with its extensions, Hiragana, Katakana, and their half-width forms.
        0x3005..=0x3007
        | 0x3041..=0x30FF
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F
        | 0x1B000..=0x1B16F
        | 0x20000..=0x3FFFF => ONE * 10 / 17,
        // Thai.
        0x0E00..=0x0E7F => ONE * 10 / 44,
        // Lao.
        0x0E80..=0x0EFF => ONE * 10 / 42,
        // Khmer.
        0x1780..=0x17FF | 0x19E0..=0x19FF => ONE * 10 / 60,
        // Burmese.
        0x1000..=0x109F | 0xA9E0..=0xA9FF | 0xAA60..=0xAA7F => ONE * 10 / 51,
        _ => return None,
    })
}

/// Tenths of Latin letters that a character says as much as, a word being six of them with its space. A syllable of
/// Hangul is written with two or three.
pub(crate) fn letters_of(ch: char) -> u32 {
    const OF_WORD: u64 = 60;
    match share_of(ch) {
        Some(share) => u32::try_from(u64::from(share) * OF_WORD / u64::from(ONE)).unwrap_or(10),
        None if matches!(ch, '\u{AC00}'..='\u{D7A3}') => 20,
        None => 10,
    }
}

/// Whether a character is of a script without spaces between words.
pub(crate) fn is_spaceless(ch: char) -> bool {
    share_of(ch).is_some()
}

/// What a byte of ASCII is for the boundaries of words.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Class {
    Letter,
    Digit,
    /// `_`, which joins letters and digits.
    Low,
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        b'_' => Class::Low,
        _ => Class::Other,
    }
}

/// Words of a text in ASCII by the rules `WB5` to `WB13b`.
fn ascii(bytes: &[u8]) -> usize {
    let mut words = 0;
    let mut last = Class::Other;
    let mut is_counted = false;
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        let now = class(byte);
        if now == Class::Other {
            let next = rest.peek().copied().map_or(Class::Other, class);
            let joins = match byte {
                b'.' | b'\'' => next == last && matches!(last, Class::Letter | Class::Digit),
                b':' => next == last && last == Class::Letter,
                b',' | b';' => next == last && last == Class::Digit,
                _ => false,
            };
            if !joins {
                last = Class::Other;
                is_counted = false;
            }
            continue;
        }
        if now != Class::Low && !is_counted {
            words += 1;
            is_counted = true;
        }
        last = now;
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_those_of_the_annex() {
        for (text, expected) in [
            ("", 0),
            (" — … ", 0),
            ("don't stop", 2),
            ("3.5 kg, 1,000 EUR", 4),
            ("well-known and/or x_y", 5),
            ("İstanbul'da üç gün", 3),
            ("naïve café", 2),
            ("Größe: 82 cm", 3),
            ("서울에서 만나요", 2),
        ] {
            assert_eq!(count(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_counted_by_characters() {
        for (text, least, most) in [
            (
                "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
                20,
                25,
            ),
            ("人人生而自由，在尊严和权利上一律平等。", 9, 12),
            ("มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ", 12, 16),
            ("ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ", 5, 8),
            ("មនុស្សទាំងអស់ កើតមកមានសេរីភាព", 4, 6),
            ("လူတိုင်းသည် တူညီလွတ်လပ်သော", 4, 7),
            ("コーヒーメーカー", 5, 5),
            ("猫", 1, 1),
        ] {
            let found = count(text);
            assert!((least..=most).contains(&found), "{text}: {found}");
        }
        assert_eq!(count("Aero 3は25秒で温まります。"), 3 + 5);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(columns("Oak chair"), 9);
        assert_eq!(columns("Größe"), 5);
        assert_eq!(columns("エスプレッソマシン"), 18);
        assert_eq!(columns("今日（土）"), 10);
        assert_eq!(columns("กำลัง"), 4);
    }

    proptest! {
        #[test]
        fn ascii_is_counted_like_all_text(text in "[ -~\n\t]{0,60}") {
            prop_assert_eq!(ascii(text.as_bytes()), text.unicode_words().count());
            prop_assert_eq!(count(&text), words(&text).count());
        }

        #[test]
        fn a_zero_width_space_parts_words_as_the_annex_does(
            text in "[a.ü1本'\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{301} ]{0,40}",
        ) {
            prop_assert!(spaced_words(&text).eq(text.unicode_words()));
        }

        #[test]
        fn words_and_their_number_agree(text in "[a-z .ü本日はケー๏กำ0-9]{0,60}") {
            prop_assert_eq!(Share::default().count(&text), words(&text).count());
        }

        #[test]
        fn no_text_makes_the_count_panic(text in "\\PC{0,60}") {
            let _ = (count(&text), columns(&text), Share::default().count(&text));
        }
    }
}
