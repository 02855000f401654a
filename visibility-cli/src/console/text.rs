//! Wraps and cuts text by the width that terminals give to characters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use visibility_core::text::escape;

/// Columns of a text without styles.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Breaks a text at spaces. A word that is too long gets a line of its own, so that addresses stay
/// whole.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let text = escape::printable(text);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && columns(&line) + 1 + columns(word) > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Cuts a text to so many columns, with `…` for what is left out.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let text = escape::printable(text);
    if columns(&text) <= width {
        return text.into_owned();
    }
    let mut shown = String::new();
    let mut used = 1;
    for ch in text.chars() {
        used += ch.width().unwrap_or(0);
        if used > width {
            break;
        }
        shown.push(ch);
    }
    shown.push('…');
    shown
}

/// Cuts a text to its last columns, with `…` for what is left out.
pub(crate) fn cut_start(text: &str, width: usize) -> String {
    let text = escape::printable(text);
    if columns(&text) <= width {
        return text.into_owned();
    }
    let mut used = 1;
    let kept = text.chars().rev().take_while(|ch| {
        used += ch.width().unwrap_or(0);
        used <= width
    });
    let mut shown: Vec<char> = kept.collect();
    shown.push('…');
    shown.into_iter().rev().collect()
}

/// Fills a text up with spaces.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(columns(text));
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_long_words_stay_whole() {
        let cases: [(&str, usize, &[&str]); 4] = [
            ("one two three", 7, &["one two", "three"]),
            ("a https://example.com/long b", 6, &["a", "https://example.com/long", "b"]),
            ("  ", 5, &[]),
            ("esc\u{1b}[2Jape", 20, &["esc [2Jape"]),
        ];
        for (text, width, expected) in cases {
            assert_eq!(wrap(text, width), expected, "{text}");
        }
    }

    #[test]
    fn a_cut_text_has_at_most_its_columns() {
        let cases = [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
        ];
        for (text, width, expected) in cases {
            assert_eq!(cut(text, width), expected);
            assert!(columns(expected) <= width);
        }
    }

    #[test]
    fn a_text_cut_at_its_start_keeps_its_end() {
        for (text, width, expected) in [
            ("short", 5, "short"),
            ("longer", 5, "…nger"),
            ("日本語", 5, "…本語"),
            ("日本語", 4, "…語"),
        ] {
            assert_eq!(cut_start(text, width), expected);
        }
    }

    #[test]
    fn padding_counts_columns_and_not_letters() {
        assert_eq!(columns(&pad("ığ", 5)), 5);
        assert_eq!(columns(&pad("日", 5)), 5);
    }
}
