//! Notices that a page does not work without JavaScript, in the languages of `PHRASES`.

use crate::text::words;

/// What such notices name that only the comments of a page need JavaScript for.
const COMMENT_SERVICES: [&str; 2] = ["comments powered by", "disqus"];

/// Words of the longest text that says that the page is on its way.
const MAX_WORDS_OF_WAITING: usize = 8;
/// Words of such a text, as they read after [`normalize`].
const WAITING: [&str; 17] = [
    "loading",
    "please wait",
    "yukleniyor",
    "lutfen bekleyin",
    "wird geladen",
    "laden",
    "ladt",
    "bitte warten",
    "chargement",
    "cargando",
    "carregando",
    "caricamento",
    "ladowanie",
    "загрузка",
    "読み込み中",
    "加载中",
    "로딩",
];

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

/// Whether a line asks for JavaScript, and not for the comments of a page alone.
pub(crate) fn is_notice(line: &str) -> bool {
    let line = normalize(line);
    line.contains("javascript")
        && PHRASES.iter().any(|phrase| line.contains(phrase))
        && !COMMENT_SERVICES.iter().any(|service| line.contains(service))
}

/// Whether a text only says that the page is on its way.
pub(crate) fn is_waiting(text: &str) -> bool {
    words::count(text) <= MAX_WORDS_OF_WAITING && {
        let text = normalize(text);
        WAITING.iter().any(|word| text.contains(word))
    }
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
        'ä' | 'ą' => Some('a'),
        '’' | '‘' | '`' | '´' => Some('\''),
        other => Some(other),
    });
    plain.collect()
}

#[cfg(test)]
mod tests {
    use super::{find, is_waiting};

    #[test]
    fn short_texts_of_waiting_are_known() {
        for text in
            ["Loading...", "Loading Acme, please wait", "Yükleniyor…", "Lädt…", "読み込み中"]
        {
            assert!(is_waiting(text), "{text}");
        }
        let long = "Loading and unloading of ships in the port of Hamburg since 1890";
        for text in ["", "Acme", long] {
            assert!(!is_waiting(text), "{text}");
        }
    }

    #[test]
    fn a_notice_about_comments_is_none_about_the_page() {
        let text = "Please enable JavaScript to view the comments powered by Disqus.";
        assert_eq!(find(text), None);
    }

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
