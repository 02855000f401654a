//! Sentences of a text.

use crate::text::fold::fold;

/// Sentences of a text, in order, white space at their ends left out. One pass.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (sentence, tail) = rest.split_at_checked(end_of_first(rest))?;
        rest = tail.trim_start();
        Some(sentence.trim_end())
    })
}

pub(crate) use crate::text::words::words;

/// Whether a text ends as a sentence does.
pub(crate) fn is_closed(text: &str) -> bool {
    text.trim_end_matches(is_closing).ends_with(|ch| is_end(ch) || ch == ':')
}

/// Whether a text ends as a sentence does that announces nothing.
pub(crate) fn is_statement(text: &str) -> bool {
    is_closed(text) && !text.trim_end_matches(is_closing).ends_with(':')
}

/// Bytes of the first sentence.
fn end_of_first(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, ch)) = chars.next() {
        if !is_end(ch) {
            continue;
        }
        while chars.next_if(|(_, next)| is_end(*next) || is_closing(*next)).is_some() {}
        let end = chars.peek().map_or(text.len(), |(next, _)| *next);
        let (Some(before), Some(after)) = (text.get(..at), text.get(end..)) else { break };
        if ends_sentence(ch, before, after) {
            return end;
        }
    }
    text.len()
}

fn is_end(ch: char) -> bool {
    matches!(ch, '.' | '!' | '?' | '…') || is_full_width_end(ch)
}

fn is_closing(ch: char) -> bool {
    matches!(ch, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』' | '）' | '】' | '》' | '〉')
}

/// Whether a mark ends a sentence with no space after it, as in Chinese and Japanese, or is used for
/// nothing else, as in Hindi, Khmer and Burmese.
fn is_full_width_end(ch: char) -> bool {
    matches!(ch, '。' | '｡' | '！' | '？' | '．' | '।' | '។' | '။')
}

/// Whether a mark ends a sentence, by what comes before it and after what closes with it.
fn ends_sentence(mark: char, before: &str, after: &str) -> bool {
    if is_full_width_end(mark) {
        return true;
    }
    if !after.starts_with(char::is_whitespace) {
        return after.is_empty();
    }
    let mut ahead = after.chars().take(MAX_CHARS_AHEAD);
    let next = ahead.find(|ch| ch.is_alphanumeric());
    if next.is_some_and(char::is_lowercase) {
        return false;
    }
    mark != '.' || !is_abbreviated(before)
}

/// Whether a text ends with something that a full stop belongs to: an initial, an abbreviation, or an
/// ordinal number such as the Turkish `3.`.
fn is_abbreviated(before: &str) -> bool {
    let start = before.rfind(|ch: char| ch.is_whitespace() || matches!(ch, '(' | '"' | '“'));
    let word = before.get(start.map_or(0, |at| at + 1)..).unwrap_or_default();
    if word.is_empty() || word.len() > MAX_ABBREVIATION_BYTES {
        return false;
    }
    let is_ordinal = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let mut letters = word.chars();
    let is_initial = letters.next_back().is_some_and(char::is_uppercase)
        && letters.next_back().is_none_or(|ch| ch == '.');
    is_ordinal || is_initial || ABBREVIATIONS.binary_search(&fold(word).as_str()).is_ok()
}

/// Characters after a mark in which the next word begins.
const MAX_CHARS_AHEAD: usize = 8;
const MAX_ABBREVIATION_BYTES: usize = 8;

/// Abbreviations that no sentence ends with, folded; sorted.
const ABBREVIATIONS: [&str; 67] = [
    "al", "alm", "approx", "apr", "apt", "aug", "av", "bkz", "bros", "cad", "capt", "cf", "col",
    "dec", "dept", "doç", "dr", "e.g", "ed", "eds", "eg", "est", "feb", "fig", "figs", "ft", "gen",
    "gov", "hon", "i.e", "ie", "ing", "jan", "jr", "jul", "jun", "lt", "m.s", "m.ö", "mah", "mar",
    "mr", "mrs", "ms", "mt", "no", "nov", "nr", "oct", "ph.d", "pp", "prof", "rev", "sep", "sept",
    "sgt", "sn", "sok", "sr", "st", "tel", "vol", "vs", "yrd", "yy", "ör", "örn",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentences_end_at_their_marks() {
        for (text, count) in [
            ("One. Two! Three? Four", 4),
            ("It costs 3.5 million. Dr. Smith paid.", 2),
            ("He met J. R. Smith. They spoke.", 2),
            ("Visit example.com for more. Then go.", 2),
            ("\"Really?\" she asked. \"Yes.\" He left.", 3),
            ("Wait... what? No!", 2),
            ("Bu ürün 3. nesildir. 2. Dünya Savaşı bitti.", 2),
            ("A.Ş. olarak çalışır. Prof. Dr. Ayşe Kaya anlattı.", 2),
            ("İstanbul'da doğdu. Şimdi İzmir'de.", 2),
            ("Since 2024. We grew.", 2),
            ("今日は。明日も。", 2),
            ("「行こう！」と言った。本当？はい。", 4),
            ("价格是多少？三百元！好。", 3),
            ("No end", 1),
            ("...", 1),
            ("", 0),
            ("   ", 0),
        ] {
            let found: Vec<&str> = sentences(text).collect();
            assert_eq!(found.len(), count, "{text}: {found:?}");
        }
    }

    #[test]
    fn words_have_a_letter_or_a_digit() {
        assert_eq!(words("Hello — world & 2 friends!").count(), 4);
        assert_eq!(words(" \n ").count(), 0);
    }

    #[test]
    fn a_closed_text_ends_with_a_mark() {
        for text in ["Done.", "Really?”", "These:", "Bitti…"] {
            assert!(is_closed(text), "{text}");
        }
        assert!(!is_closed("Add to cart") && !is_closed(""));
    }

    #[test]
    fn abbreviations_are_sorted_and_folded() {
        assert!(ABBREVIATIONS.is_sorted());
        assert!(ABBREVIATIONS.iter().all(|word| fold(word) == *word));
    }

    proptest! {
        #[test]
        fn sentences_keep_all_words(text in "([a-zİışğ0-9]{1,6}|[.!?…]|[ \"')(]|\\PC){0,60}") {
            let parts: usize = sentences(&text).map(|part| part.split_whitespace().count()).sum();
            prop_assert!(parts >= text.split_whitespace().count());
        }
    }
}
