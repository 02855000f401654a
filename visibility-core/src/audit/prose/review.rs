//! Ratings and quotations in text.

use std::sync::OnceLock;

use crate::audit::prose::fact::{Fact, facts};
use crate::text::fold::fold;
use crate::text::phrases::Phrases;
use crate::text::sentence::words;
use crate::text::words::is_spaceless;

/// Stars in a row that are a rating.
const MIN_STARS: usize = 3;

/// A rating such as `4.7/5` or a number of reviews above 0 in a text, as written.
pub(crate) fn rating(text: &str) -> Option<&str> {
    // Most blocks have neither digits nor stars.
    if !text.bytes().any(|byte| byte.is_ascii_digit()) && !text.contains(['★', '⭐']) {
        return None;
    }
    if let Some(stars) = stars(text) {
        return Some(stars);
    }
    let found = facts(text).find(|fact| is_rating(fact)).map(|fact| fact.text);
    found.or_else(|| out_of_five(text)).or_else(|| review_count(text))
}

/// A text that counts reviews in another language than English and Turkish, whose nouns are units of facts:
/// `128 Bewertungen`, `128件のレビュー`.
fn review_count(text: &str) -> Option<&str> {
    static NOUNS: OnceLock<Phrases> = OnceLock::new();
    let nouns = NOUNS.get_or_init(|| Phrases::new(&["avis"], &REVIEW_STEMS));
    let folded = fold(text);
    let is_counted = |start: usize| {
        let before = folded.get(..start).unwrap_or_default().trim_end();
        let counter = COUNTERS.iter().find_map(|counter| before.strip_suffix(counter));
        let before = counter.unwrap_or(before).trim_end();
        let number = before.trim_end_matches(|ch: char| {
            ch.is_ascii_digit() || matches!(ch, '.' | ',' | ' ' | '\u{a0}' | '\u{202f}')
        });
        is_above_zero(before.get(number.len()..).unwrap_or_default().trim_start())
    };
    nouns.find(&folded).any(|noun| is_counted(noun.start)).then_some(text)
}

/// What reviews are called, by language, folded.
const REVIEW_STEMS: [&str; 21] = [
    "bewertung",
    "rezension",
    "évaluation",
    "commentaires client",
    "reseña",
    "opiniones",
    "valoracion",
    "recension",
    "beoordeling",
    "opinii",
    "opinie",
    "recenzj",
    "avaliaç",
    "отзыв",
    "レビュー",
    "件の評価",
    "评价",
    "評價",
    "评论",
    "리뷰",
    "تقييم",
];
/// Words between a number and what it counts, in languages that count with them.
const COUNTERS: [&str; 8] = ["件の", "条", "條", "则", "則", "개의", "개", "건의"];

/// Stars of which one at least is full, unless the text says that there are no reviews.
fn stars(text: &str) -> Option<&str> {
    let is_full = |ch: char| matches!(ch, '★' | '⭐');
    let is_star = |ch: char| is_full(ch) || ch == '☆';
    let mut runs = text.split(|ch| !is_star(ch));
    let run = runs.find(|run| run.contains(is_full) && run.chars().nth(MIN_STARS - 1).is_some())?;
    (!has_no_reviews(text)).then_some(run)
}

/// Whether a text says that there are no reviews: `No reviews yet`, `(0 değerlendirme)`, `(0)`.
fn has_no_reviews(text: &str) -> bool {
    static PHRASES: OnceLock<Phrases> = OnceLock::new();
    let phrases = PHRASES.get_or_init(|| Phrases::new(&NO_REVIEWS, &NO_REVIEW_STEMS));
    text.contains("(0)")
        || phrases.are_in(&fold(text))
        || facts(text).any(|fact| counts_reviews(&fold(fact.text)) && !is_above_zero(fact.text))
}

const NO_REVIEWS: [&str; 7] = [
    "no reviews",
    "no ratings",
    "no customer reviews",
    "not yet rated",
    "not rated yet",
    "değerlendirme yok",
    "yorum yok",
];
const NO_REVIEW_STEMS: [&str; 4] =
    ["henüz değerlendir", "henüz yorum", "değerlendirme bulunm", "yorum bulunm"];

fn is_rating(fact: &Fact<'_>) -> bool {
    let folded = fold(fact.text);
    let has_fraction = folded.bytes().any(|byte| matches!(byte, b'.' | b','));
    let value = folded.trim_end_matches(|ch: char| !ch.is_ascii_digit());
    let is_small = value.len() <= 4 && value.starts_with(['0', '1', '2', '3', '4', '5']);
    let is_stars = ["star", "yildiz"].iter().any(|end| folded.contains(end));
    is_above_zero(&folded)
        && ((folded.ends_with("/5") || folded.ends_with("/ 5"))
            || counts_reviews(&folded)
            || (is_stars && has_fraction && is_small))
}

fn counts_reviews(folded: &str) -> bool {
    ["review", "rating", "değerlendirme"].iter().any(|noun| folded.contains(noun))
}

/// Whether a text begins with a number above 0.
fn is_above_zero(text: &str) -> bool {
    let mut number = text.chars().take_while(|ch| ch.is_ascii_digit() || matches!(ch, '.' | ','));
    number.any(|ch| matches!(ch, '1'..='9'))
}

/// `4.7 out of 5`, `5 üzerinden 4,7`.
fn out_of_five(text: &str) -> Option<&str> {
    static PHRASES: OnceLock<Phrases> = OnceLock::new();
    let phrases = PHRASES.get_or_init(|| Phrases::new(&["out of 5", "5 üzerinden"], &[]));
    let folded = fold(text);
    let found = phrases.find(&folded).next()?;
    let before = folded.get(..found.start)?.trim_end();
    let after = folded.get(found.end..)?.trim_start();
    let number = before.get(
        before.trim_end_matches(|ch: char| ch.is_ascii_digit() || matches!(ch, '.' | ',')).len()..,
    )?;
    (is_above_zero(number) || is_above_zero(after)).then_some(text)
}

/// Characters of a quotation; one of Chinese, Japanese or Korean says as much in half of them.
const MIN_QUOTE_CHARS: usize = 40;
const MIN_DENSE_QUOTE_CHARS: usize = 20;
const MAX_QUOTE_CHARS: usize = 300;
/// Characters after a quotation in which its speaker is.
const SPEAKER_CHARS: usize = 60;
/// Quotation marks of one text that are looked at.
const MAX_MARKS: usize = 50;

/// A quotation of up to 300 characters with its speaker: `"…" said Jane Doe`, `“…” — Jane Doe`.
pub(crate) fn quotation(text: &str) -> Option<&str> {
    let mut at = 0;
    for _ in 0..MAX_MARKS {
        let rest = text.get(at..)?;
        let (start, mark) = rest.char_indices().find(|(_, ch)| closing(*ch).is_some())?;
        let close = closing(mark)?;
        let inner = rest.get(start + mark.len_utf8()..)?;
        let mut chars = inner.char_indices().take(MAX_QUOTE_CHARS + 1);
        let count = chars.clone().take_while(|(_, ch)| !close.contains(*ch)).count();
        let Some((len, end)) = chars.nth(count) else {
            at += start + mark.len_utf8();
            continue;
        };
        let tail = inner.get(len + end.len_utf8()..)?;
        let head = rest.get(..start).unwrap_or_default();
        let quote = inner.get(..len)?;
        if is_long_quotation(quote)
            && count <= MAX_QUOTE_CHARS
            && (has_speaker(tail) || introduces(head))
        {
            return Some(quote);
        }
        at = text.len() - tail.len();
    }
    None
}

/// Whether a quotation is long enough to say something.
pub(crate) fn is_long_quotation(text: &str) -> bool {
    let is_dense = text.chars().filter(|ch| is_dense(*ch)).count() * 2 > text.chars().count();
    let least = if is_dense { MIN_DENSE_QUOTE_CHARS } else { MIN_QUOTE_CHARS };
    text.chars().nth(least - 1).is_some()
}

/// Whether a letter is one of Chinese, Japanese or Korean, which stand for a syllable or a word.
fn is_dense(ch: char) -> bool {
    is_spaceless(ch) || matches!(ch, '\u{ac00}'..='\u{d7a3}')
}

/// The marks that close what a mark opens.
fn closing(mark: char) -> Option<&'static str> {
    match mark {
        '“' => Some("”“"),
        '„' => Some("“”"),
        '”' => Some("”"),
        '«' => Some("»"),
        '»' => Some("«"),
        '「' => Some("」"),
        '『' => Some("』"),
        '"' => Some("\""),
        _ => None,
    }
}

/// Whether a text begins with the mark of a quotation.
pub(crate) fn begins_quotation(text: &str) -> bool {
    text.chars().next().is_some_and(|mark| closing(mark).is_some())
}

fn has_speaker(tail: &str) -> bool {
    let start: String = tail.chars().take(SPEAKER_CHARS).collect();
    is_signature(&start) || speech().are_in(&fold(&start))
}

/// Whether a text before a quotation says who speaks: `Jane Doe says: `, `according to her, `.
fn introduces(head: &str) -> bool {
    let sentence = head.rsplit(['.', '!', '?', '。', '！', '？']).next().unwrap_or_default();
    let is_open = sentence.trim_end().ends_with([':', ',', '：', '，']);
    let end: Vec<char> = sentence.chars().rev().take(SPEAKER_CHARS).collect();
    is_open && speech().are_in(&fold(&end.into_iter().rev().collect::<String>()))
}

fn speech() -> &'static Phrases {
    static SPEECH: OnceLock<Phrases> = OnceLock::new();
    SPEECH.get_or_init(|| Phrases::new(&SPEECH_WORDS, &SPEECH_STEMS))
}

/// Languages whose verbs of speech are known.
pub(crate) const SPEECH_LANGUAGES: &[&str] =
    &["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "zh"];

const SPEECH_WORDS: [&str; 66] = [
    "said",
    "says",
    "explains",
    "explained",
    "notes",
    "noted",
    "adds",
    "added",
    "told",
    "according to",
    "recalls",
    "wrote",
    "writes",
    "tells",
    "commented",
    "diye",
    "sagt",
    "sagte",
    "erklärt",
    "erklärte",
    "schreibt",
    "betont",
    "betonte",
    "meint",
    "laut",
    "dit",
    "explique",
    "a déclaré",
    "affirme",
    "raconte",
    "selon",
    "souligne",
    "dice",
    "dijo",
    "afirma",
    "afirmó",
    "explica",
    "explicó",
    "señala",
    "asegura",
    "según",
    "ha detto",
    "spiega",
    "ha spiegato",
    "racconta",
    "secondo",
    "zegt",
    "zei",
    "vertelt",
    "volgens",
    "mówi",
    "powiedział",
    "powiedziała",
    "według",
    "podkreśla",
    "disse",
    "diz",
    "explicou",
    "segundo",
    "говорит",
    "сказал",
    "сказала",
    "قال",
    "قالت",
    "يقول",
    "تقول",
];
const SPEECH_STEMS: [&str; 40] = [
    "dedi",
    "diyor",
    "söyledi",
    "belirtti",
    "açıkladı",
    "ifade et",
    "vurguladı",
    "anlattı",
    "рассказал",
    "отметил",
    "пояснил",
    "أوضح",
    "أضاف",
    "وفقا ل",
    "話しま",
    "話す",
    "話した",
    "語る",
    "語りま",
    "語った",
    "述べ",
    "言いま",
    "言う",
    "言った",
    "とコメント",
    "と説明",
    "表示",
    "说",
    "說",
    "指出",
    "强调",
    "強調",
    "认为",
    "말했",
    "말한다",
    "말합니다",
    "밝혔",
    "전했",
    "설명했",
    "강조했",
];

/// Words of a line that only says who spoke.
const MAX_SIGNATURE_WORDS: usize = 12;

/// Whether a text begins with a dash and a name, as the line below a quotation does.
pub(crate) fn is_signature(text: &str) -> bool {
    let text = text.trim_start_matches([',', '.', ' ']);
    let name = text.strip_prefix(['—', '–', '―', '-', '~']).map(str::trim_start);
    name.is_some_and(|name| {
        name.starts_with(char::is_uppercase) && words(name).nth(MAX_SIGNATURE_WORDS).is_none()
    })
}

/// Words of the name of a person.
const NAME_WORDS: std::ops::RangeInclusive<usize> = 2..=4;

/// Whether a line begins with the name of a person, alone or with a role behind a comma: a testimonial is
/// signed so.
pub(crate) fn is_person(text: &str) -> bool {
    let name = text.split([',', '|', '–', '—', '·']).next().unwrap_or_default();
    let all: Vec<&str> = name.split_whitespace().take(NAME_WORDS.end() + 1).collect();
    NAME_WORDS.contains(&all.len())
        && all.iter().all(|word| {
            word.starts_with(char::is_uppercase)
                && word.chars().all(|ch| ch.is_alphabetic() || matches!(ch, '.' | '\'' | '’' | '-'))
        })
        && words(text).nth(MAX_SIGNATURE_WORDS).is_none()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ratings_are_found() {
        for (text, expected) in [
            ("Rated 4.7/5 by many", Some("4.7/5")),
            ("4,7 / 5", Some("4,7 / 5")),
            ("(1,024 reviews)", Some("1,024 reviews")),
            ("123 değerlendirme", Some("123 değerlendirme")),
            ("4.5 stars", Some("4.5 stars")),
            ("4,5 yıldız", Some("4,5 yıldız")),
            ("★★★★☆ (12)", Some("★★★★☆")),
            ("4.8 out of 5", Some("4.8 out of 5")),
            ("5 üzerinden 4,8", Some("5 üzerinden 4,8")),
            ("5 yıldızlı otel", None),
            ("Read our reviews", None),
            ("Step 2 out of 5 people", Some("Step 2 out of 5 people")),
            ("24/7", None),
            ("", None),
            ("★☆☆☆☆", Some("★☆☆☆☆")),
            ("★★ and ⭐⭐⭐⭐", Some("⭐⭐⭐⭐")),
            ("☆☆☆☆☆ No reviews", None),
            ("★★★★★ No reviews yet", None),
            ("★★★★★ (0)", None),
            ("☆☆☆☆☆ (0 değerlendirme)", None),
            ("★★★★★ Henüz değerlendirme yapılmadı", None),
            ("0 reviews", None),
            ("(0 değerlendirme)", None),
            ("0,0/5", None),
            ("0.0 out of 5", None),
            ("10 reviews", Some("10 reviews")),
            ("1.024 Bewertungen", Some("1.024 Bewertungen")),
            ("128 avis clients", Some("128 avis clients")),
            ("0 avis", None),
            ("Votre avis compte, 12 rue du Lac", None),
            ("128件のレビュー", Some("128件のレビュー")),
            ("最新のレビュー記事", None),
        ] {
            assert_eq!(rating(text), expected, "{text}");
        }
    }

    #[test]
    fn quotations_have_speakers() {
        let said = "The kettle was ready before I had found my cup";
        for (text, found) in [
            (format!("“{said},” said Jane Doe."), true),
            (format!("\"{said}\" — Jane Doe, Acme"), true),
            (format!("«{said}» dedi Ayşe Kaya."), true),
            (format!("Jane Doe says: “{said}.”"), true),
            (format!("According to her, “{said}.”"), true),
            (format!("She said no. The sign reads “{said}”"), false),
            (format!("“{said}” diye anlattı."), true),
            (format!("“{said}”"), false),
            ("“Short” said Jane Doe.".to_owned(), false),
            (format!("a \"b\" and \"{said}\", says Jane"), true),
            (format!("“{}” said Jane", "x".repeat(301)), false),
            (format!("\"{said}"), false),
            (format!("„{said}“, sagt Anna Meier."), true),
            (format!("« {said} », explique Anne Martin."), true),
            (format!("«{said}», afirmó Ana García."), true),
            (format!("»{said}«, betonte die Leiterin."), true),
            (format!("”{said}”, säger Anna."), false),
            ("「お湯が沸くのがあまりに早くて、カップを探す時間もありませんでした」と佐藤さんは話します。".to_owned(), true),
            ("看板には「足元にご注意のうえ、ゆっくりとお進みくださいませ」とあります。".to_owned(), false),
            ("王小明说：“水烧开得太快了，我还没有来得及找到自己的杯子呢。”".to_owned(), true),
            ("\"컵을 찾기도 전에 물이 다 끓어서 정말 깜짝 놀랐습니다\"고 김민지 씨는 말한다.".to_owned(), true),
            ("\"컵을 찾기도 전에 물이 다 끓어서 정말 깜짝 놀랐습니다\"라고 말했다.".to_owned(), true),
            ("يقول أحمد: «غلى الماء قبل أن أجد كوبي ولم أصدق ذلك أبدا في حياتي».".to_owned(), true),
        ] {
            assert_eq!(quotation(&text).is_some(), found, "{text}");
        }
    }

    #[test]
    fn a_signature_is_a_dash_and_a_name() {
        assert!(is_signature("— Jane Doe, CEO of Acme") && is_signature("- Ayşe Kaya"));
        assert!(!is_signature("- and then") && !is_signature("Jane Doe"));
    }

    #[test]
    fn a_person_is_named_by_capitalized_words() {
        for text in ["Shirley Garcia", "Ayşe Kaya, CEO of Acme", "J. R. O’Neil | Paris"] {
            assert!(is_person(text), "{text}");
        }
        for text in ["Read more", "Shirley", "Book a Free Demo Today Here", "Level 4", "", "a b"] {
            assert!(!is_person(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_them_panic(text in "([0-9.,/]{1,4}|[“”\"«»„★ ]|[a-zışğ]{1,6}|said|「|」|[0-9]{1,3} avis|\\PC){0,80}") {
            let _ = (rating(&text), quotation(&text), is_signature(&text), is_person(&text));
        }
    }
}
