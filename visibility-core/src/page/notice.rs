//! Notices that a page does not work without JavaScript, in the languages of `PHRASES`.

/// Longest line that can be a notice.
const MAX_LINE_BYTES: usize = 1_000;

/// As they read after [`normalize`].
const PHRASES: [&str; 42] = [
    "enable javascript",
    "enabling javascript",
    "activate javascript",
    "turn on javascript",
    "javascript is disabled",
    "javascript is not enabled",
    "javascript disabled",
    "javascript is required",
    "javascript required",
    "javascript must be enabled",
    "javascript to be enabled",
    "javascript enabled",
    "requires javascript",
    "needs javascript",
    "work without javascript",
    "properly without javascript",
    "javascript'i etkinlestir",
    "javascript etkinlestir",
    "javascript'i ac",
    "javascript'e izin",
    "javascript gerek",
    "javascript kapali",
    "javascript devre disi",
    "javascript destegi",
    "javascript aktivier",
    "javascript einschalten",
    "javascript ist deaktiviert",
    "javascript benotigt",
    "activer javascript",
    "activez javascript",
    "javascript est desactive",
    "activar javascript",
    "habilitar javascript",
    "habilite javascript",
    "ative o javascript",
    "abilitare javascript",
    "attivare javascript",
    "javascript inschakelen",
    "wlacz javascript",
    "включите javascript",
    "javascriptを有効",
    "启用javascript",
];

/// The first line that asks for JavaScript.
pub(super) fn find(text: &str) -> Option<&str> {
    text.lines().find(|line| line.len() <= MAX_LINE_BYTES && is_notice(line))
}

fn is_notice(line: &str) -> bool {
    let line = normalize(line);
    line.contains("javascript") && PHRASES.iter().any(|phrase| line.contains(phrase))
}

/// Lower case, without the marks of Turkish letters and with straight apostrophes.
fn normalize(line: &str) -> String {
    let plain = line.chars().flat_map(char::to_lowercase).filter_map(|ch| match ch {
        '\u{307}' => None,
        'ı' => Some('i'),
        'ş' => Some('s'),
        'ç' => Some('c'),
        'ğ' => Some('g'),
        'ö' => Some('o'),
        'ü' => Some('u'),
        'é' | 'è' => Some('e'),
        'ł' => Some('l'),
        'ą' => Some('a'),
        '’' | '‘' | '`' | '´' => Some('\''),
        other => Some(other),
    });
    plain.collect()
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn notices_are_found_in_the_known_languages() {
        for text in [
            "You need to enable JavaScript to run this app.",
            "We're sorry but shop doesn't work properly without JavaScript enabled.",
            "Please turn on Javascript",
            "Devam etmek için lütfen JavaScript’i etkinleştirin.",
            "JAVASCRIPT'İ ETKİNLEŞTİRİN",
            "Tarayıcınızda JavaScript devre dışı",
            "Bu site için JavaScript gereklidir",
            "Bitte JavaScript aktivieren",
            "Veuillez activer JavaScript",
            "JavaScript est désactivé",
            "Włącz JavaScript",
            "JavaScriptを有効にしてください",
        ] {
            assert_eq!(find(&format!("Hello\n{text}\nWorld")), Some(text));
        }
    }

    #[test]
    fn a_page_about_javascript_has_no_notice() {
        for text in ["", "Learn JavaScript", "JavaScript öğrenin", "enable dark mode"] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
