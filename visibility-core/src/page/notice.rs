//! Notices that a page does not work without JavaScript, in the languages of `PHRASES`.

use crate::text::words;

/// What notices name that need JavaScript for a part of a page alone: as they read after [`normalize`].
const PARTS: [&str; 53] = [
    // All languages, and English.
    "comments powered by",
    "disqus",
    "spambot",
    "e-mail",
    "email",
    "mail address",
    "the map",
    "this map",
    "the video",
    "this video",
    "videos",
    "the comments",
    "the form",
    "this form",
    "the calendar",
    "the gallery",
    "the player",
    "the slideshow",
    "the chart",
    "the timetable",
    "the chat",
    // Turkish.
    "harita",
    "yorumlar",
    "videoyu",
    "formu ",
    "takvim",
    "galeri",
    "eposta",
    // German.
    "die karte",
    "kommentare",
    "das formular",
    "kalender",
    "galerie",
    "mailadresse",
    // French, Spanish, Italian, Portuguese, Dutch, Polish.
    "la carte",
    "la video",
    "les commentaires",
    "le formulaire",
    "el mapa",
    "el video",
    "los comentarios",
    "el formulario",
    "la mappa",
    "il video",
    "i commenti",
    "o mapa",
    "o video",
    "os comentarios",
    "de kaart",
    "mape",
    "komentarz",
    // Russian and Japanese.
    "карту",
    "地図",
];
/// What a notice about a whole page says in English that one has to do with it.
const USES: [&str; 7] =
    ["to see", "to view", "to use", "to display", "to show", "to load", "to watch"];
/// Words for what is the whole.
const WHOLES: [&str; 17] = [
    "app",
    "application",
    "content",
    "contents",
    "experience",
    "it",
    "page",
    "pages",
    "portal",
    "service",
    "shop",
    "site",
    "store",
    "this",
    "us",
    "web",
    "website",
];

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
    text.lines().find(|line| is_notice(line))
}

/// Whether a line asks for JavaScript, and not for a part of a page alone.
pub(crate) fn is_notice(line: &str) -> bool {
    if line.len() > MAX_LINE_BYTES {
        return false;
    }
    let line = normalize(line);
    line.contains("javascript")
        && PHRASES.iter().any(|phrase| line.contains(phrase))
        && !PARTS.iter().any(|part| line.contains(part))
        && !names_a_part(&line)
}

/// Whether an English notice says that something is to be seen or used that is not the whole page.
fn names_a_part(line: &str) -> bool {
    let used = USES.iter().find_map(|used| Some((line.find(used)?, used)));
    let Some((at, used)) = used else { return false };
    let rest = line.get(at + used.len()..).unwrap_or_default();
    let clause = rest.split(['.', ',', '!', ';']).next().unwrap_or_default();
    let mut named =
        clause.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    // What is not named is the page.
    named.peek().is_some() && !named.any(|word| WHOLES.contains(&word))
}

/// Whether a text only says that the page is on its way.
pub(crate) fn is_waiting(text: &str) -> bool {
    words::words(text).nth(MAX_WORDS_OF_WAITING).is_none() && {
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
    fn a_notice_about_a_part_is_none_about_the_page() {
        for text in [
            "Enable JavaScript to see the map.",
            "You need JavaScript enabled to view it: this email address is being protected from spambots.",
            "Please enable JavaScript to see the departures of today.",
            "JavaScript muss aktiviert sein, um die Karte zu sehen. Bitte JavaScript aktivieren.",
            "Haritayı görmek için JavaScript'i etkinleştirin.",
            "Veuillez activer JavaScript pour afficher la carte.",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
        for text in [
            "Please enable JavaScript to view this page.",
            "You need to enable JavaScript to use the Acme application.",
            "Enable JavaScript to see our website, as its map needs it.",
            "Please enable JavaScript to view.",
        ] {
            assert_eq!(find(text), Some(text));
        }
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
