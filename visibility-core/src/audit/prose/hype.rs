//! Promotional words that prove nothing.

use std::sync::OnceLock;

use crate::text::phrases::Phrases;

/// Words that praise.
pub(crate) fn hype() -> &'static Phrases {
    static PHRASES: OnceLock<Phrases> = OnceLock::new();
    PHRASES.get_or_init(|| Phrases::new(&WORDS, &TURKISH_STEMS))
}

const WORDS: [&str; 56] = [
    "amazing",
    "awesome",
    "best-in-class",
    "best in class",
    "breathtaking",
    "cutting-edge",
    "cutting edge",
    "elevate your",
    "game-changer",
    "game changer",
    "game-changing",
    "game changing",
    "groundbreaking",
    "ground-breaking",
    "incredible",
    "incredibly",
    "industry-leading",
    "innovative",
    "jaw-dropping",
    "life-changing",
    "like never before",
    "market-leading",
    "mind-blowing",
    "must-have",
    "next-level",
    "next level",
    "one-of-a-kind",
    "one of a kind",
    "peerless",
    "phenomenal",
    "revolutionary",
    "revolutionize",
    "revolutionizing",
    "revolutionise",
    "revolutionising",
    "seamless",
    "seamlessly",
    "second to none",
    "skyrocket",
    "spectacular",
    "state-of-the-art",
    "state of the art",
    "stunning",
    "supercharge",
    "take it to the next level",
    "the world's best",
    "ultimate",
    "unbeatable",
    "unforgettable",
    "unleash",
    "unlock the power",
    "unmatched",
    "unparalleled",
    "unrivaled",
    "unrivalled",
    "world-class",
];

const TURKISH_STEMS: [&str; 31] = [
    "akıllara durgunluk veren",
    "benzersiz bir deneyim",
    "bir numaralı",
    "büyüleyici",
    "çığır aç",
    "devrim niteliğinde",
    "devrim yarat",
    "dünya standartlarında",
    "dünyanın en iyi",
    "efsanevi",
    "emsalsiz",
    "en üst düzey",
    "eşsiz",
    "fark yarat",
    "hayatınızı değiştir",
    "harika",
    "inanılmaz",
    "kusursuz",
    "muazzam",
    "muhteşem",
    "mükemmel",
    "nefes kes",
    "olağanüstü",
    "rakipsiz",
    "sektörün lideri",
    "sektör lideri",
    "sınıfının en iyi",
    "son teknoloji",
    "türkiye'nin en iyi",
    "üstün kalite",
    "vazgeçilmez",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::fold;

    #[test]
    fn praise_is_found_in_both_languages() {
        for (text, count) in [
            ("An AMAZING, game-changing and world-class kettle", 3),
            ("Muhteşem tasarımı ve EŞSİZ lezzetiyle rakipsizdir", 3),
            ("Türkiye’nin en iyi kahvesi", 1),
            ("The kettle boils two liters in four minutes", 0),
            ("Ultimately, amazingly long sentences; Harikulade", 0),
            ("Su ısıtıcısı dört dakikada kaynatır", 0),
        ] {
            assert_eq!(hype().find(&fold(text)).count(), count, "{text}");
        }
    }
}
