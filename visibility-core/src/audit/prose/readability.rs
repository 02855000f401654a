//! Readability formulas.

use crate::page::language::Language;

/// Syllables of a word in a language that a formula knows.
pub(crate) fn syllables(word: &str, language: Language) -> usize {
    let vowels = if language.is_turkish() { turkish_vowels(word) } else { english_vowels(word) };
    vowels.max(1)
}

/// In Turkish, every vowel is a syllable.
fn turkish_vowels(word: &str) -> usize {
    word.chars().filter(|ch| "aeıioöuüâîûAEIİOÖUÜÂÎÛ".contains(*ch)).count()
}

/// In English, every group of vowels is one, a silent `e` at the end apart.
fn english_vowels(word: &str) -> usize {
    let mut groups: usize = 0;
    let mut was_vowel = false;
    let mut last = [' '; 2];
    for ch in word.chars().filter(|ch| ch.is_alphabetic()).map(|ch| ch.to_ascii_lowercase()) {
        let is_vowel = "aeiouy".contains(ch);
        groups += usize::from(is_vowel && !was_vowel);
        was_vowel = is_vowel;
        last = [last[1], ch];
    }
    let is_silent = last[1] == 'e' && last[0] != 'l' && !"aeiouy".contains(last[0]) && groups > 1;
    groups - usize::from(is_silent)
}

/// The value of the formula for a language: Flesch for English, Ateşman for Turkish. The higher, the
/// easier; most texts lie between 0 and 100.
pub(crate) fn formula(
    language: Language,
    words_per_sentence: f64,
    syllables_per_word: f64,
) -> Option<(&'static str, f64)> {
    if language.is_turkish() {
        let value = 198.825 - 40.175 * syllables_per_word - 2.610 * words_per_sentence;
        return Some(("Ateşman", value));
    }
    let value = 206.835 - 1.015 * words_per_sentence - 84.6 * syllables_per_word;
    language.is_english().then_some(("Flesch", value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: Language = Language { code: Some("en") };
    const TURKISH: Language = Language { code: Some("tr") };

    #[test]
    fn syllables_are_counted_in_both_languages() {
        for (word, language, count) in [
            ("kettle", ENGLISH, 2),
            ("make", ENGLISH, 1),
            ("readable", ENGLISH, 3),
            ("the", ENGLISH, 1),
            ("beautiful", ENGLISH, 3),
            ("42", ENGLISH, 1),
            ("okunabilirlik", TURKISH, 6),
            ("İSTANBUL", TURKISH, 3),
            ("ısıtıcı", TURKISH, 4),
        ] {
            assert_eq!(syllables(word, language), count, "{word}");
        }
    }

    #[test]
    fn formulas_are_those_of_flesch_and_atesman() {
        let (name, value) = formula(ENGLISH, 10.0, 1.5).unwrap();
        assert_eq!((name, value.round()), ("Flesch", 70.0));
        let (name, value) = formula(TURKISH, 10.0, 2.5).unwrap();
        assert_eq!((name, value.round()), ("Ateşman", 72.0));
        assert_eq!(formula(Language::default(), 10.0, 2.5), None);
    }
}
