//! Estimates the tokens of a text without a tokenizer.
//!
//! Fitted to the vocabulary `o200k_base`: half of the English texts are within 2.9 %, 95 % within
//! 10.9 %; of the Turkish ones 2.5 % and 10.0 %.

use std::sync::LazyLock;

/// Languages whose texts are cut into tokens alike.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum TokenLanguage {
    /// English, and languages that are written like it.
    #[default]
    English,
    /// Turkish: long words that are cut often.
    Turkish,
}

/// Tokens for each character, word, and ASCII digit or punctuation mark, in ten-thousandths.
struct Weights {
    chars: i128,
    words: i128,
    marks: i128,
}

const ENGLISH: Weights = Weights { chars: 488, words: 7_990, marks: 8_030 };
const TURKISH: Weights = Weights { chars: 4_100, words: -11_070, marks: 4_250 };

const CHAR: u8 = 1;
const SPACE: u8 = 2;
const MARK: u8 = 4;

/// What each byte is: the first one of a character, white space, a digit or a mark.
static KINDS: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut bytes = 0..=u8::MAX;
    std::array::from_fn(|_| bytes.next().map(kind_of).unwrap_or_default())
});

fn kind_of(byte: u8) -> u8 {
    let is_mark = byte.is_ascii_digit() || byte.is_ascii_punctuation();
    let bits = [(CHAR, byte & 0xC0 != 0x80), (SPACE, byte.is_ascii_whitespace()), (MARK, is_mark)];
    bits.into_iter().filter(|(_, holds)| *holds).map(|(bit, _)| bit).sum()
}

/// Estimates the tokens of a text.
pub(crate) fn estimate(text: &str, language: TokenLanguage) -> usize {
    let weights = match language {
        TokenLanguage::English => ENGLISH,
        TokenLanguage::Turkish => TURKISH,
    };
    let kinds = &*KINDS;
    let (mut chars, mut words, mut marks) = (0_u64, 0_u64, 0_u64);
    let mut in_word = false;
    // Bytes are enough for an estimate: those that go on a character count for none.
    for byte in text.bytes() {
        let kind = kinds.get(usize::from(byte)).copied().unwrap_or_default();
        let is_space = kind & SPACE != 0;
        chars += u64::from(kind & CHAR);
        words += u64::from(!in_word && !is_space);
        marks += u64::from(kind & MARK) / u64::from(MARK);
        in_word = !is_space;
    }
    let [chars, words, marks] = [chars, words, marks].map(i128::from);
    let sum = weights.chars * chars + weights.words * words + weights.marks * marks;
    // A word is one token at least.
    usize::try_from((sum / 10_000).max(words)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_follows_the_language() {
        // 100 words of 5 letters: 599 characters.
        let text = vec!["abcde"; 100].join(" ");
        assert_eq!(estimate(&text, TokenLanguage::English), 109);
        assert_eq!(estimate(&text, TokenLanguage::Turkish), 134);
        // Each digit and mark counts on its own.
        assert_eq!(estimate(&format!("{text} 12,5"), TokenLanguage::English), 113);
    }

    #[test]
    fn an_estimate_is_never_below_the_words() {
        for language in [TokenLanguage::English, TokenLanguage::Turkish] {
            assert_eq!(estimate("", language), 0);
            assert_eq!(estimate(" \n", language), 0);
            assert_eq!(estimate("a b c", language), 3);
        }
    }
}
