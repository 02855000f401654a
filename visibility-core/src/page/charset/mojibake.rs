//! Recognizes UTF-8 that is declared to be something else, so that browsers show `CafÃ©` for `Café`.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Characters beyond ASCII that a text must have, not all the same: a few can be an accident, such as the bytes of `É®`
/// in windows-1252, which are one character of UTF-8.
const MIN_CHARS: usize = 3;
/// The same for encodings that have several bytes for a character, whose accidents are longer.
const MIN_CHARS_OF_MULTIBYTE: usize = 30;
/// Characters beyond ASCII that are looked at.
const MAX_CHARS: usize = 500;
/// Bytes of a page that is declared as UTF-16 by mistake.
const MIN_BYTES_OF_UTF_16: usize = 50;
/// Bytes of a word on each side of its first character beyond ASCII.
const MAX_WORD_BYTES: usize = 40;

/// UTF-8 that is declared to be something else.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Mojibake {
    /// The declared character set.
    pub charset: &'static str,
    /// A word as browsers show it.
    pub shown: String,
    /// The same word in UTF-8.
    pub meant: String,
}

impl Mojibake {
    /// Compares a body, without byte-order mark, with the encoding that it is declared to have.
    pub(super) fn find(body: &[u8], declared: &'static Encoding) -> Option<Self> {
        let text = valid_utf8(body).filter(|_| declared != UTF_8)?;
        let is_wide = [UTF_16LE, UTF_16BE].contains(&declared);
        let is_found = if is_wide {
            body.len() >= MIN_BYTES_OF_UTF_16 && !body.contains(&0)
        } else {
            has_text_beyond_ascii(text, declared)
        };
        is_found.then(|| {
            let meant = first_word(text);
            let (shown, _) = declared.decode_without_bom_handling(meant.as_bytes());
            Self { charset: declared.name(), shown: shown.into_owned(), meant: meant.to_owned() }
        })
    }
}

/// The body as UTF-8, but for a last character that may be cut in two.
fn valid_utf8(body: &[u8]) -> Option<&str> {
    match std::str::from_utf8(body) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(body.get(..error.valid_up_to())?).ok()
        }
        Err(_) => None,
    }
}

fn has_text_beyond_ascii(text: &str, declared: &'static Encoding) -> bool {
    let least = if declared.is_single_byte() { MIN_CHARS } else { MIN_CHARS_OF_MULTIBYTE };
    let chars: Vec<char> = text.chars().filter(|c| !c.is_ascii()).take(MAX_CHARS).collect();
    chars.len() >= least
        && chars.iter().all(|&c| is_usual(c))
        && chars.iter().any(|c| Some(c) != chars.first())
}

/// Whether a character is of a script that pages are written in, or of their punctuation and symbols. What two bytes of
/// another encoding make by accident is mostly something else.
fn is_usual(c: char) -> bool {
    matches!(c,
        '\u{a0}'..='\u{17f}'          // Latin
        | '\u{218}'..='\u{21b}'       // Romanian
        | '\u{386}'..='\u{3ce}'       // Greek
        | '\u{400}'..='\u{4ff}'       // Cyrillic
        | '\u{531}'..='\u{587}'       // Armenian
        | '\u{5d0}'..='\u{5ea}'       // Hebrew
        | '\u{60c}'..='\u{6d3}'       // Arabic
        | '\u{900}'..='\u{10ff}'      // scripts of India and South-East Asia, Georgian
        | '\u{1780}'..='\u{17ff}'     // Khmer
        | '\u{1e00}'..='\u{1fff}'     // Vietnamese, Greek
        | '\u{2000}'..='\u{2bff}'     // punctuation and symbols
        | '\u{3000}'..='\u{9fff}'     // CJK
        | '\u{ac00}'..='\u{d7a3}'     // Hangul
        | '\u{fe00}'..='\u{fe0f}'     // variants of emoji
        | '\u{feff}'
        | '\u{ff00}'..='\u{ffef}'     // CJK
        | '\u{1f000}'..='\u{1faff}'   // emoji
        | '\u{20000}'..='\u{2ffff}'   // CJK
    )
}

/// The word with the first character beyond ASCII, or the beginning.
fn first_word(text: &str) -> &str {
    let at = text.find(|c: char| !c.is_ascii()).unwrap_or_default();
    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '<' | '>' | '"' | '=');
    let start = text.floor_char_boundary(at.saturating_sub(MAX_WORD_BYTES));
    let end = text.floor_char_boundary((at + MAX_WORD_BYTES).min(text.len()));
    let before = text.get(start..at).unwrap_or_default();
    let after = text.get(at..end).unwrap_or_default();
    let start = at - before.rsplit(ends).next().unwrap_or_default().len();
    let end = at + after.split(ends).next().unwrap_or_default().len();
    text.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use encoding_rs::{
        GBK, ISO_8859_2, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252, WINDOWS_1254,
    };

    use super::*;

    fn found(body: &[u8], declared: &'static Encoding) -> Option<(String, String)> {
        Mojibake::find(body, declared).map(|found| (found.shown, found.meant))
    }

    fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        let (bytes, _, is_lossy) = encoding.encode(text);
        assert!(!is_lossy, "{text}");
        bytes.into_owned()
    }

    #[test]
    fn utf_8_under_another_name_is_found() {
        for (text, declared, shown, meant) in [
            ("<p>Le Café à Besançon", WINDOWS_1252, "CafÃ©", "Café"),
            ("<p>It’s “fine” — really", WINDOWS_1252, "Itâ€™s", "It’s"),
            ("<title>Ürünler</title>şeker çay", WINDOWS_1254, "ÃœrÃ¼nler", "Ürünler"),
            ("żółty kwiat", ISO_8859_2, "ĹźĂłĹ\u{82}ty", "żółty"),
            ("Привет, мир", WINDOWS_1251, "РџСЂРёРІРµС‚,", "Привет,"),
            ("Привет, мир", KOI8_R, "п÷я─п╦п╡п╣я┌,", "Привет,"),
        ] {
            let expected = Some((shown.to_owned(), meant.to_owned()));
            assert_eq!(found(text.as_bytes(), declared), expected, "{text}");
        }
        let japanese = "東京の天気は晴れです。".repeat(4);
        assert!(found(japanese.as_bytes(), SHIFT_JIS).is_some());
        let english = "<p>Brass lamps made by hand, in a shop on Mill Street.";
        assert!(found(english.as_bytes(), UTF_16LE).is_some());
        let cut = "Le Café à Besançon é";
        assert!(found(&cut.as_bytes()[..cut.len() - 1], WINDOWS_1252).is_some());
    }

    #[test]
    fn an_honest_page_is_spared() {
        for (text, declared) in [
            ("Le Café à Besançon", WINDOWS_1252),
            ("NESCAFÉ® and NESCAFÉ® and VOCÊ™ and NESCAFÉ®", WINDOWS_1252),
            ("«CAFÉ» «CAFÉ» «CAFÉ»", WINDOWS_1252),
            ("Ürünler, şeker, çay", WINDOWS_1254),
            ("Привет, мир", WINDOWS_1251),
            ("Привет, мир", KOI8_R),
            ("模板 模型 模模模 联通", GBK),
            ("東京の天気は晴れです。", SHIFT_JIS),
            ("plain ASCII", WINDOWS_1252),
            // One example of what goes wrong, in an article about it.
            ("You may see Ã© for an e with an accent", WINDOWS_1252),
        ] {
            assert_eq!(found(&encoded(text, declared), declared), None, "{text}");
        }
        assert_eq!(found("Le Café à Besançon".as_bytes(), UTF_8), None);
        assert_eq!(found("A café’s".as_bytes(), WINDOWS_1252), None, "too little to be sure");
        let wide: Vec<u8> = "Brass lamps made by hand, in a shop"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(found(&wide, UTF_16LE), None);
    }
}
