//! Short excerpts of untrusted text that are safe to show.

use crate::limits::MAX_EXCERPT_CHARS;

/// Text of a stranger made fit to show: one line, no control characters, at most 200 characters.
pub(crate) fn excerpt(text: &str) -> String {
    let text = text.trim();
    let mut shown = String::with_capacity(text.len().min(MAX_EXCERPT_CHARS));
    for (count, ch) in text.chars().enumerate() {
        if count == MAX_EXCERPT_CHARS {
            shown.pop();
            shown.push('…');
            break;
        }
        shown.push(if is_unprintable(ch) { ' ' } else { ch });
    }
    shown
}

/// Control characters, and those that turn or hide text: bidirectional marks, separators without
/// width, annotations, tags, and the variation selectors that no emoji needs.
pub(crate) fn is_unprintable(ch: char) -> bool {
    if ch.is_ascii() {
        return ch.is_ascii_control();
    }
    ch.is_control()
        || matches!(ch, '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
        || matches!(ch, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
        || matches!(ch, '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_or_hides_text_is_not_shown() {
        for ch in [
            '\n',
            '\u{61c}',
            '\u{180e}',
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{feff}',
            '\u{fff9}',
            '\u{fffb}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{e01ef}',
        ] {
            assert_eq!(excerpt(&format!("a{ch}b")), "a b", "{ch:?}");
        }
    }

    #[test]
    fn letters_of_all_scripts_and_emoji_are_shown() {
        for text in ["é", "ب", "ᠠ", "漢", "\u{2764}\u{fe0f}", "\u{fffd}", "𠀋"] {
            assert_eq!(excerpt(text), text);
        }
    }
}
