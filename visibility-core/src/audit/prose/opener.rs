//! How passages begin.

use std::sync::OnceLock;

use crate::page::language::Language;
use crate::text::fold::fold;
use crate::text::phrases::Phrases;

/// Whether a passage begins with a word that points back at another passage.
pub(crate) fn is_dangling(text: &str, language: Language) -> bool {
    static ENGLISH: OnceLock<Phrases> = OnceLock::new();
    static TURKISH: OnceLock<Phrases> = OnceLock::new();
    let start = beginning(text);
    let begins = |list: &'static OnceLock<Phrases>, words: &[&'static str]| {
        list.get_or_init(|| Phrases::new(words, &[])).begin(&start)
    };
    !language.is_turkish() && begins(&ENGLISH, &DANGLING)
        || !language.is_english() && begins(&TURKISH, &TURKISH_DANGLING)
}

/// Whether a sentence speaks of someone or something else than its writer and its reader, and begins with no word
/// that joins it to another one.
pub(crate) fn is_in_third_person(sentence: &str, language: Language) -> bool {
    static ENGLISH: OnceLock<Phrases> = OnceLock::new();
    static TURKISH: OnceLock<Phrases> = OnceLock::new();
    let folded = fold(sentence);
    let start = folded.split(|ch: char| !ch.is_alphanumeric()).find(|word| !word.is_empty());
    let is_joined = start.is_some_and(|word| JOINING.contains(&word));
    let is_capital = sentence.chars().find(|ch| ch.is_alphanumeric());
    let is_whole = is_capital.is_some_and(|ch| !ch.is_lowercase());
    let has = |list: &'static OnceLock<Phrases>, words: &[&'static str]| {
        list.get_or_init(|| Phrases::new(words, &[])).are_in(&folded)
    };
    let is_english = !language.is_turkish() && has(&ENGLISH, &PERSONS);
    let last = folded.split_whitespace().next_back().unwrap_or_default();
    let last = last.trim_end_matches(|ch: char| !ch.is_alphanumeric());
    let is_turkish = || {
        let ends = || TURKISH_PERSON_ENDINGS.iter().any(|ending| last.ends_with(ending));
        has(&TURKISH, &TURKISH_PERSONS) || ends()
    };
    let speaks_of_persons = is_english || language.is_turkish() && is_turkish();
    is_whole && !is_joined && !speaks_of_persons
}

/// Words that join a sentence to the one before it, folded.
const JOINING: [&str; 32] = [
    "also", "although", "and", "as", "because", "but", "for", "from", "here", "if", "instead",
    "only", "or", "so", "some", "still", "then", "there", "though", "unlike", "until", "when",
    "while", "with", "yet", "ama", "çünkü", "eğer", "sonra", "veya", "ve", "yani",
];
const PERSONS: [&str; 24] = [
    "i", "i'm", "i've", "i'd", "me", "my", "mine", "we", "we're", "we've", "us", "our", "ours",
    "you", "you're", "your", "yours", "yourself", "let's", "let us", "i’m", "we’re", "you’re",
    "you’ll",
];
const TURKISH_PERSONS: [&str; 16] = [
    "ben", "beni", "bana", "benim", "biz", "bizi", "bize", "bizim", "sen", "seni", "sana", "senin",
    "siz", "sizi", "size", "sizin",
];
/// How Turkish verbs of the first and the second person end, folded.
const TURKISH_PERSON_ENDINGS: [&str; 20] = [
    "yorum", "yoruz", "yorsun", "yorsunuz", "diniz", "dunuz", "dünüz", "siniz", "sunuz", "sünüz",
    "riz", "ruz", "rüz", "cagiz", "ceğiz", "elim", "alim", "dim", "dik", "lim",
];

/// The words with which a text begins that say nothing, if it does.
pub(crate) fn filler(text: &str, language: Language) -> Option<&'static str> {
    static ENGLISH: OnceLock<Phrases> = OnceLock::new();
    static TURKISH: OnceLock<Phrases> = OnceLock::new();
    let start = beginning(text);
    let found = |list: &'static OnceLock<Phrases>, words: &[&'static str]| {
        let phrases = list.get_or_init(|| Phrases::new(words, &[]));
        let first = phrases.find(&start).next().filter(|found| found.start == 0)?;
        Some(first.phrase)
    };
    let english = (!language.is_turkish()).then(|| found(&ENGLISH, &FILLERS)).flatten();
    english
        .or_else(|| (!language.is_english()).then(|| found(&TURKISH, &TURKISH_FILLERS)).flatten())
}

/// Characters at the start of a text that are looked at.
const BEGINNING_CHARS: usize = 60;

/// The folded start of a text, from its first letter on.
fn beginning(text: &str) -> String {
    let start: String =
        text.chars().skip_while(|ch| !ch.is_alphanumeric()).take(BEGINNING_CHARS).collect();
    fold(&start)
}

const DANGLING: [&str; 36] = [
    "this",
    "that",
    "these",
    "those",
    "it",
    "its",
    "it's",
    "they",
    "their",
    "them",
    "he",
    "she",
    "his",
    "her",
    "such",
    "however",
    "therefore",
    "thus",
    "hence",
    "moreover",
    "furthermore",
    "additionally",
    "consequently",
    "nevertheless",
    "otherwise",
    "likewise",
    "similarly",
    "in addition",
    "as a result",
    "as mentioned",
    "as noted above",
    "as above",
    "as described above",
    "the above",
    "the former",
    "the latter",
];

const TURKISH_DANGLING: [&str; 45] = [
    "bu",
    "bunu",
    "buna",
    "bunun",
    "bunda",
    "bundan",
    "bununla",
    "bunlar",
    "bunları",
    "bunlara",
    "bunların",
    "bunlarda",
    "bunlardan",
    "bunlarla",
    "burada",
    "buradan",
    "şu",
    "şunu",
    "şunlar",
    "o",
    "onu",
    "ona",
    "onun",
    "ondan",
    "onunla",
    "onlar",
    "onları",
    "onlara",
    "onların",
    "onlardan",
    "böyle",
    "böylece",
    "böylelikle",
    "böylesi",
    "öyle",
    "dolayısıyla",
    "ancak",
    "fakat",
    "ayrıca",
    "üstelik",
    "oysa",
    "aksi halde",
    "yukarıda belirtildiği gibi",
    "yukarıdaki",
    "benzer şekilde",
];

const FILLERS: [&str; 41] = [
    "welcome",
    "hello",
    "hi there",
    "hey there",
    "in today's",
    "in this article",
    "in this post",
    "in this blog",
    "in this guide",
    "in this tutorial",
    "in the world of",
    "in the ever-changing",
    "in the ever-evolving",
    "in the fast-paced",
    "in an era",
    "in a world",
    "in recent years",
    "nowadays",
    "these days",
    "have you ever",
    "ever wondered",
    "did you know",
    "are you looking for",
    "are you tired of",
    "are you ready",
    "looking for",
    "imagine",
    "picture this",
    "when it comes to",
    "it's no secret",
    "it is no secret",
    "it goes without saying",
    "as we all know",
    "since the dawn of",
    "let's dive",
    "let's face it",
    "let us dive",
    "thank you for visiting",
    "whether you're",
    "whether you are",
    "if you're looking for",
];

const TURKISH_FILLERS: [&str; 34] = [
    "hoş geldin",
    "hoş geldiniz",
    "hoşgeldiniz",
    "merhaba",
    "merhabalar",
    "selam",
    "sitemize",
    "web sitemize",
    "günümüzde",
    "günümüz dünyasında",
    "günümüzün",
    "son yıllarda",
    "son zamanlarda",
    "teknolojinin gelişmesiyle",
    "gelişen teknoloji",
    "bu yazıda",
    "bu yazımda",
    "bu yazımızda",
    "bu makalede",
    "bu makalemizde",
    "bu içerikte",
    "bu içeriğimizde",
    "bu rehberde",
    "hiç düşündünüz mü",
    "hiç merak ettiniz mi",
    "biliyor muydunuz",
    "bildiğiniz gibi",
    "bildiğiniz üzere",
    "bilindiği gibi",
    "bilindiği üzere",
    "hepimizin bildiği gibi",
    "hayal edin",
    "sizler için",
    "siz değerli",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sentences_in_the_third_person_can_be_quoted_alone() {
        let english = Language { code: Some("en") };
        let turkish = Language { code: Some("tr") };
        for (text, language) in [
            ("Rye bread keeps for 7 days at room temperature.", english),
            ("The K2 boils 1.7 liters of water in 4 minutes.", english),
            ("Usability tests found 12 faults in the menu.", english),
            ("Çavdar ekmeği oda sıcaklığında 7 gün dayanır.", turkish),
        ] {
            assert!(is_in_third_person(text, language), "{text}");
        }
        for (text, language) in [
            ("We bake rye bread for 3 hours.", english),
            ("Rye bread will keep in your kitchen for 7 days.", english),
            ("But rye bread keeps for 7 days.", english),
            ("rye bread keeps for 7 days.", english),
            ("Only 3 of them are rye.", english),
            ("Çavdar ekmeğini 3 saat pişiriyoruz.", turkish),
            ("Sizin ekmeğiniz 7 gün dayanır.", turkish),
        ] {
            assert!(!is_in_third_person(text, language), "{text}");
        }
    }

    const ENGLISH: Language = Language { code: Some("en") };
    const TURKISH: Language = Language { code: Some("tr") };
    const UNKNOWN: Language = Language { code: None };

    #[test]
    fn passages_that_point_back_are_dangling() {
        for (text, language) in [
            ("This makes it easy", ENGLISH),
            ("It’s made of steel", ENGLISH),
            ("“These were built", ENGLISH),
            ("As a result, prices fell", UNKNOWN),
            ("Bunun için iki yol var", TURKISH),
            ("BU ÜRÜN", TURKISH),
            ("Şu anda", UNKNOWN),
            ("Onların fiyatı", TURKISH),
        ] {
            assert!(is_dangling(text, language), "{text}");
        }
    }

    #[test]
    fn passages_that_stand_alone_are_not() {
        for (text, language) in [
            ("The kettle holds two liters", ENGLISH),
            ("Italy exports", ENGLISH),
            ("Theirry Henry", ENGLISH),
            ("Su ısıtıcısı iki litre alır", TURKISH),
            ("Buzdolabı sessizdir", TURKISH),
            ("It sahibi olmak", TURKISH),
            ("Bu is a given name", ENGLISH),
            ("", UNKNOWN),
        ] {
            assert!(!is_dangling(text, language), "{text}");
        }
    }

    #[test]
    fn openers_that_say_nothing_are_found() {
        for (text, language, expected) in [
            ("In today’s fast-paced world", ENGLISH, Some("in today's")),
            ("Welcome to our shop", UNKNOWN, Some("welcome")),
            ("Günümüzde herkes", TURKISH, Some("günümüzde")),
            ("Hoş Geldiniz!", TURKISH, Some("hoş geldiniz")),
            ("BU YAZIMIZDA anlatıyoruz", TURKISH, Some("bu yazımızda")),
            ("The K2 kettle is", ENGLISH, None),
            ("Imaginext sells toys", ENGLISH, None),
            ("K2 su ısıtıcısı", TURKISH, None),
            ("", UNKNOWN, None),
        ] {
            assert_eq!(filler(text, language), expected, "{text}");
        }
    }
}
