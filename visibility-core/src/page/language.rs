//! The language that a page is written in.

use whatlang::{Info, Lang};

use crate::page::content::Content;
use crate::text::fold::fold;

/// Characters of text from which on the language is detected.
const MIN_CHARS: usize = 120;
/// Characters of text that are looked at.
const MAX_CHARS: usize = 4_000;

/// The language that a text is written in, as far as it can be determined.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Language {
    /// Primary language subtag (RFC 5646) such as `en`; `None` if it cannot be determined.
    pub code: Option<&'static str>,
}

impl Language {
    /// The language of a page's main content.
    pub fn detect(content: &Content) -> Self {
        let blocks = content.blocks.iter();
        let chars = blocks.flat_map(|block| block.text.chars().chain([' ']));
        let text: String = chars.take(MAX_CHARS).collect();
        Self::detect_in_text(&text)
    }

    /// The language of a text, of which the beginning is looked at.
    pub fn detect_in_text(text: &str) -> Self {
        let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
        let text = text.get(..end).unwrap_or(text);
        let is_enough = text.chars().nth(MIN_CHARS).is_some();
        Self { code: is_enough.then(|| detect_code(text)).flatten() }
    }

    /// Whether the text is Turkish.
    pub fn is_turkish(self) -> bool {
        self.code == Some("tr")
    }

    /// Whether the text is English.
    pub fn is_english(self) -> bool {
        self.code == Some("en")
    }
}

fn detect_code(text: &str) -> Option<&'static str> {
    whatlang::detect(text).filter(Info::is_reliable).and_then(|info| subtag(info.lang()))
}

/// The primary subtag of a language, if it is listed.
fn subtag(lang: Lang) -> Option<&'static str> {
    SUBTAGS.iter().find(|(listed, _)| *listed == lang).map(|(_, subtag)| *subtag)
}

/// The languages that can be determined, with their codes of ISO 639-1.
const SUBTAGS: [(Lang, &str); 70] = [
    (Lang::Epo, "eo"),
    (Lang::Eng, "en"),
    (Lang::Rus, "ru"),
    (Lang::Cmn, "zh"),
    (Lang::Spa, "es"),
    (Lang::Por, "pt"),
    (Lang::Ita, "it"),
    (Lang::Ben, "bn"),
    (Lang::Fra, "fr"),
    (Lang::Deu, "de"),
    (Lang::Ukr, "uk"),
    (Lang::Kat, "ka"),
    (Lang::Ara, "ar"),
    (Lang::Hin, "hi"),
    (Lang::Jpn, "ja"),
    (Lang::Heb, "he"),
    (Lang::Yid, "yi"),
    (Lang::Pol, "pl"),
    (Lang::Amh, "am"),
    (Lang::Jav, "jv"),
    (Lang::Kor, "ko"),
    (Lang::Nob, "nb"),
    (Lang::Dan, "da"),
    (Lang::Swe, "sv"),
    (Lang::Fin, "fi"),
    (Lang::Tur, "tr"),
    (Lang::Nld, "nl"),
    (Lang::Hun, "hu"),
    (Lang::Ces, "cs"),
    (Lang::Ell, "el"),
    (Lang::Bul, "bg"),
    (Lang::Bel, "be"),
    (Lang::Mar, "mr"),
    (Lang::Kan, "kn"),
    (Lang::Ron, "ro"),
    (Lang::Slv, "sl"),
    (Lang::Hrv, "hr"),
    (Lang::Srp, "sr"),
    (Lang::Mkd, "mk"),
    (Lang::Lit, "lt"),
    (Lang::Lav, "lv"),
    (Lang::Est, "et"),
    (Lang::Tam, "ta"),
    (Lang::Vie, "vi"),
    (Lang::Urd, "ur"),
    (Lang::Tha, "th"),
    (Lang::Guj, "gu"),
    (Lang::Uzb, "uz"),
    (Lang::Pan, "pa"),
    (Lang::Aze, "az"),
    (Lang::Ind, "id"),
    (Lang::Tel, "te"),
    (Lang::Pes, "fa"),
    (Lang::Mal, "ml"),
    (Lang::Ori, "or"),
    (Lang::Mya, "my"),
    (Lang::Nep, "ne"),
    (Lang::Sin, "si"),
    (Lang::Khm, "km"),
    (Lang::Tuk, "tk"),
    (Lang::Aka, "ak"),
    (Lang::Zul, "zu"),
    (Lang::Sna, "sn"),
    (Lang::Afr, "af"),
    (Lang::Lat, "la"),
    (Lang::Slk, "sk"),
    (Lang::Cat, "ca"),
    (Lang::Tgl, "tl"),
    (Lang::Hye, "hy"),
    (Lang::Cym, "cy"),
];

/// Whether a text is the name of a language, as menus of languages write it.
pub(crate) fn is_name_of_language(name: &str) -> bool {
    const LANGUAGES: [&str; 24] = [
        "english",
        "deutsch",
        "español",
        "français",
        "italiano",
        "português",
        "nederlands",
        "polski",
        "русский",
        "türkçe",
        "日本語",
        "中文",
        "한국어",
        "svenska",
        "dansk",
        "norsk",
        "suomi",
        "čeština",
        "magyar",
        "українська",
        "العربية",
        "עברית",
        "ไทย",
        "tiếng việt",
    ];
    let folded = fold(name);
    LANGUAGES.iter().any(|language| folded.starts_with(&fold(language)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::content::Block;

    const ENGLISH: &str = "The kettle holds two liters of water and boils it within four minutes, \
                           after which it switches itself off and keeps the water warm.";
    const TURKISH: &str = "Su ısıtıcısı iki litre su alır ve suyu dört dakika içinde kaynatır, ardından \
                           kendiliğinden kapanır ve suyu uzun süre sıcak tutar.";
    const GERMAN: &str = "Der Wasserkocher fasst zwei Liter Wasser und bringt es in vier Minuten zum Kochen, \
                          danach schaltet er sich selbst ab und hält das Wasser warm.";

    fn language(texts: &[&str]) -> Language {
        let blocks =
            texts.iter().map(|text| Block { text: (*text).to_owned(), ..Block::default() });
        Language::detect(&Content { blocks: blocks.collect(), ..Content::default() })
    }

    #[test]
    fn the_language_of_a_long_text_is_detected() {
        for (text, code) in [(ENGLISH, "en"), (TURKISH, "tr"), (GERMAN, "de")] {
            assert_eq!(language(&[text]).code, Some(code), "{text}");
        }
        assert!(language(&[TURKISH]).is_turkish() && language(&[ENGLISH]).is_english());
    }

    #[test]
    fn every_language_that_can_be_detected_has_its_code() {
        for lang in Lang::all() {
            assert!(subtag(*lang).is_some(), "{lang}");
        }
    }

    #[test]
    fn a_short_text_has_no_language() {
        assert_eq!(language(&["The kettle holds two liters of water."]).code, None);
        assert_eq!(language(&[]).code, None);
        assert_eq!(language(&["1 ".repeat(500).as_str()]).code, None);
    }

    #[test]
    fn blocks_are_read_together_up_to_four_thousand_characters() {
        let words: Vec<&str> = ENGLISH.split(' ').collect();
        assert_eq!(language(&words).code, Some("en"));
        let long = format!("{ENGLISH} ").repeat(40);
        assert_eq!(language(&[&long, &TURKISH.repeat(1_000)]).code, Some("en"));
    }
}
