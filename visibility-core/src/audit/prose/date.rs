//! Dates, as markup and as people write them.

use std::collections::HashMap;
use std::sync::LazyLock;

use chrono::NaiveDate;

use crate::page::language::Language;
use crate::text::fold::fold;
use crate::text::machine_date::{self, plausible_day};

/// A date in a text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct DateMatch<'t> {
    /// The day; the first one of its month if only a month is written.
    pub(crate) day: NaiveDate,
    /// Bytes of the text before it; before its year if it begins with a name.
    pub(crate) start: usize,
    /// It and what follows.
    tail: &'t str,
    /// Bytes of the tail up to its end.
    len: usize,
}

impl DateMatch<'_> {
    /// Whether a day is written, and not only a month.
    pub(crate) fn has_day(&self) -> bool {
        self.len > 4
    }

    /// What follows it.
    pub(crate) fn text_after(&self) -> &str {
        self.tail.get(self.len..).unwrap_or_default()
    }
}

/// The day of a date in markup or in a header field, else as people write it.
pub(crate) fn parse_machine_date(text: &str, language: Language) -> Option<NaiveDate> {
    let text = text.trim();
    machine_date::day(text).or_else(|| find_dates(text, language).next().map(|date| date.day))
}

/// Dates in a text, in order: in Danish, Dutch, English, French, German, Italian, Norwegian, Polish, Portuguese,
/// Russian, Spanish, Swedish and Turkish, and with the characters of Chinese, Japanese and Korean. One pass.
pub(crate) fn find_dates(text: &str, language: Language) -> impl Iterator<Item = DateMatch<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let start = at + rest.find(|ch: char| ch.is_ascii_digit())?;
            let (before, tail) = text.split_at_checked(start)?;
            let digits = digits(tail);
            at = start + digits.len();
            let is_marked =
                tail.get(digits.len()..).is_some_and(|rest| rest.starts_with(['年', '년']));
            if before.ends_with(char::is_alphanumeric) && !is_marked {
                if let Some((day, len)) = glued_to_name(before, digits, tail) {
                    at = start + len;
                    return Some(DateMatch { day, start, tail, len });
                }
                continue;
            }
            if let Some((day, len)) = date_at(before, digits, tail, language) {
                at = start + len;
                return Some(DateMatch { day, start, tail, len });
            }
        }
    })
}

/// A date behind a name from which only a style sheet parts it: `Luke Kim17 December 2025`.
fn glued_to_name(before: &str, digits: &str, tail: &str) -> Option<(NaiveDate, usize)> {
    let is_name = before.ends_with(char::is_lowercase) && digits.len() <= 2;
    let day = digits.parse().ok().filter(|_| is_name)?;
    day_then_name(day, tail.get(digits.len()..)?, digits.len())
}

/// What a date is said to be that of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Label {
    /// The publication.
    Published,
    /// The last change.
    Modified,
}

/// Dates in a text that are said to be those of the page's own change or publication, in order: with a
/// label that is directly at them, in a short passage.
pub(crate) fn find_labeled_dates(
    text: &str,
    language: Language,
) -> impl Iterator<Item = (DateMatch<'_>, Label)> {
    find_dates(text, language).filter_map(|date| {
        let before = near_before(text.get(..date.start)?);
        let after = near_after(date.tail.get(date.len..)?);
        let is_other =
            |word: &&str| word.contains(char::is_alphabetic) && month(bare(word)).is_none();
        let words = before.split_whitespace().chain(after.split_whitespace()).filter(is_other);
        if words.count() > MAX_LABEL_WORDS {
            return None;
        }
        label_before(before).or_else(|| label_after(before, after)).map(|label| (date, label))
    })
}

/// Characters on each side of a date that are looked at.
const LABEL_CHARS: usize = 120;
/// Words beside a date in a passage that can be its label.
const MAX_LABEL_WORDS: usize = 10;
/// What parts the passages of a line.
const PARTS: [char; 6] = ['|', '·', '•', '—', ';', '\n'];

/// The passage before a date.
fn near_before(before: &str) -> &str {
    let from = before.char_indices().rev().nth(LABEL_CHARS).map_or(0, |(at, _)| at);
    let near = before.get(from..).unwrap_or_default();
    near.rsplit(PARTS).next().unwrap_or_default()
}

/// The passage behind a date.
fn near_after(after: &str) -> &str {
    let to = after.char_indices().nth(LABEL_CHARS).map_or(after.len(), |(at, _)| at);
    let near = after.get(..to).unwrap_or_default();
    near.split(PARTS).next().unwrap_or_default()
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|ch: char| !ch.is_alphanumeric())
}

/// What a word says of the date beside it. Participles say it of something else.
fn label_of(folded: &str) -> Option<Label> {
    let begins = |stems: &[&str]| stems.iter().any(|stem| folded.starts_with(stem));
    if folded.ends_with("nan") || folded.ends_with("nen") {
        return None;
    }
    match folded {
        _ if is_one_of(MODIFIED, folded) && !folded.is_empty() => Some(Label::Modified),
        _ if is_one_of(PUBLISHED, folded) && !folded.is_empty() => Some(Label::Published),
        _ if begins(&["更新", "수정", "업데이트"]) => Some(Label::Modified),
        _ if begins(&["公開", "发布", "發布", "掲載", "投稿", "등록", "게시", "작성", "입력"]) => {
            Some(Label::Published)
        }
        _ if begins(&["güncelle", "düzenlen", "revizyon"]) => Some(Label::Modified),
        _ if begins(&["yayinlan", "yayimlan"]) => Some(Label::Published),
        _ => None,
    }
}

/// Labels, folded.
const MODIFIED: &str = "обновлено uppdaterad oppdatert updated modified revised reviewed edited aktualisiert geändert modifié actualisé \
    actualizado actualizada actualización modificado aggiornato modificato atualizado atualização \
    bijgewerkt gewijzigd zaktualizowano aktualizacja";
const PUBLISHED: &str = "published posted asked submitted опубликовано julkaistu publisert publicerad yayin yayim veröffentlicht erstellt publié posté publicado \
    publicada pubblicato gepubliceerd geplaatst opublikowano";

/// Words between a label and its date, and words before a label that are about the page, folded.
const BETWEEN: &str = "on at the date tarih tarihi zamani \
    am le el il op em vom dnia datum fecha data time \
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun";
const LEAD: &str = "this page article post was were is has been first originally date and last latest content \
    bu sayfa sayfanin yazi makale içerik haber son en ilk ve olarak tarihi ürün zuletzt artikel beitrag dernière última ultimo laatst ostatnia";

/// Whether a folded word is one of these; what is not a word is.
fn is_one_of(list: &str, word: &str) -> bool {
    word.is_empty() || list.split(' ').any(|known| known == word)
}

/// The label that a text ends with, up to the date: `Updated on`, `Last modified:`, `Son güncelleme:`.
///
/// It begins the passage, perhaps after words such as `this page was`: in `a study published on` it
/// does not.
pub(crate) fn label_before(before: &str) -> Option<Label> {
    let mut words = before.split_whitespace().rev().peekable();
    words.next_if(|word| month(bare(word)).is_some());
    let (word, label) = loop {
        let word = words.next()?;
        let folded = fold(bare(word));
        if let Some(label) = label_of(&folded) {
            break (word, label);
        }
        if !is_one_of(BETWEEN, &folded) {
            return None;
        }
    };
    if words.peek().is_some_and(|word| ["last", "son"].contains(&fold(bare(word)).as_str()))
        || bare(word).starts_with(char::is_uppercase)
    {
        return Some(label);
    }
    let is_end = |word: &&str| word.ends_with(|ch: char| !ch.is_alphabetic());
    let mut open = words.take_while(|word| !is_end(word));
    open.all(|word| is_one_of(LEAD, &fold(bare(word)))).then_some(label)
}

/// The label behind a date, as Turkish has it: `21.11.2026 tarihinde güncellendi`.
fn label_after(before: &str, after: &str) -> Option<Label> {
    const LEAD: [&str; 9] =
        ["bu", "sayfa", "yazi", "makale", "içerik", "haber", "son", "olarak", "ürün"];
    let mut lead = before.split_whitespace().map(|word| fold(bare(word)));
    let is_lead = lead.all(|word| LEAD.contains(&word.as_str()) || month(&word).is_some());
    let mut words = after.split_whitespace().map(|word| fold(bare(word))).take(4);
    let label = words.find(|word| !["tarihinde", "günü", "saat", ""].contains(&word.as_str()))?;
    label_of(&label).filter(|_| is_lead && !label.ends_with("ed"))
}

fn digits(text: &str) -> &str {
    let end = text.find(|ch: char| !ch.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The date that begins with these digits, or with the name of the month before them, and its bytes
/// from the digits on.
fn date_at(
    before: &str,
    first: &str,
    tail: &str,
    language: Language,
) -> Option<(NaiveDate, usize)> {
    let number: u32 = first.parse().ok().filter(|_| first.len() <= 4)?;
    let after = tail.get(first.len()..)?;
    if first.len() == 4 {
        let year = i32::try_from(number).ok()?;
        return year_first(year, after, first.len())
            .or_else(|| Some((plausible_day(year, month_before(before)?, 1)?, first.len())));
    }
    if first.len() > 2 {
        return None;
    }
    numeric(number, after, first.len(), language)
        .or_else(|| day_then_name(number, after, first.len()))
        .or_else(|| name_then_day(before, number, after, first.len()))
}

/// `2026-11-21`, `2026/11/21`.
fn year_first(year: i32, after: &str, len: usize) -> Option<(NaiveDate, usize)> {
    if let Some(rest) = after.strip_prefix(['年', '년']) {
        return ideographic(year, rest)
            .map(|(day, used)| (day, len + after.len() - rest.len() + used));
    }
    let separator = after.chars().next().filter(|ch| matches!(ch, '-' | '/' | '.'))?;
    // Korean sets spaces: `2026. 11. 21.`
    if let Some(spaced) = after.strip_prefix(". ") {
        return spaced_day(year, spaced).map(|(day, used)| (day, len + 2 + used));
    }
    let month = digits(after.get(1..)?);
    let rest = after.get(1 + month.len()..)?.strip_prefix(separator)?;
    let day = digits(rest);
    let is_short = |text: &str| (1..=2).contains(&text.len());
    let found = (is_short(month) && is_short(day))
        .then(|| plausible_day(year, month.parse().ok()?, day.parse().ok()?))??;
    Some((found, len + 2 + month.len() + day.len()))
}

/// What follows the year in `2026. 11. 21.`
fn spaced_day(year: i32, text: &str) -> Option<(NaiveDate, usize)> {
    let month = digits(text);
    let rest = text.get(month.len()..)?.strip_prefix(". ")?;
    let day = digits(rest);
    rest.get(day.len()..)?.strip_prefix('.')?;
    let used = month.len() + 2 + day.len() + 1;
    Some((plausible_day(year, month.parse().ok()?, day.parse().ok()?)?, used))
}

/// What follows the year in `2026年11月21日` and `2026년 11월 21일`.
fn ideographic(year: i32, text: &str) -> Option<(NaiveDate, usize)> {
    let start = text.trim_start_matches(' ');
    let month = digits(start);
    let rest = start.get(month.len()..)?.strip_prefix(['月', '월'])?.trim_start_matches(' ');
    let day = digits(rest);
    let behind = rest.get(day.len()..)?.strip_prefix(['日', '号', '號', '일'])?;
    Some((plausible_day(year, month.parse().ok()?, day.parse().ok()?)?, text.len() - behind.len()))
}

/// `21.11.2026`, `21/11/2026`, `11/21/2026`, `21.11.26`. With slashes the first number is the month in
/// English, if it can be one; in an unknown language, what can be read in two ways is left alone.
fn numeric(first: u32, after: &str, len: usize, language: Language) -> Option<(NaiveDate, usize)> {
    let separator = after.chars().next().filter(|ch| matches!(ch, '-' | '/' | '.'))?;
    let second = digits(after.get(1..)?);
    let rest = after.get(1 + second.len()..)?.strip_prefix(separator)?;
    let year = digits(rest);
    let is_short_year = year.len() == 2
        && len == 2
        && second.len() == 2
        && separator != '-'
        && !rest.get(2..)?.starts_with(|ch: char| ch.is_alphanumeric() || matches!(ch, '/' | ':'))
        && !rest.get(2..)?.trim_start_matches('.').starts_with(|ch: char| ch.is_ascii_digit());
    if !(year.len() == 4 || is_short_year) || !(1..=2).contains(&second.len()) {
        return None;
    }
    let total = len + 2 + second.len() + year.len();
    let century = if is_short_year { 2000 } else { 0 };
    let (second, year): (u32, i32) = (second.parse().ok()?, year.parse().ok()?);
    let year = century + year;
    let is_ambiguous = first <= 12 && second <= 12 && first != second;
    let is_known = language.code.is_some() && !(separator == '-' && language.is_english());
    if separator != '.' && is_ambiguous && !is_known {
        return None;
    }
    let month_first = separator != '.' && language.is_english();
    let (month, day) = if month_first { (first, second) } else { (second, first) };
    let found = plausible_day(year, month, day).or_else(|| plausible_day(year, day, month));
    Some((found?, total))
}

/// `21 November 2026`, `21st Nov. 2026`, `21 Kasım 2026`.
fn day_then_name(day: u32, after: &str, len: usize) -> Option<(NaiveDate, usize)> {
    let unordered =
        ["st", "nd", "rd", "th", "er", "º", "."].iter().find_map(|end| after.strip_prefix(end));
    let rest = unordered.unwrap_or(after).strip_prefix([' ', '\u{a0}', '-'])?;
    let rest = ["of ", "de "].iter().find_map(|of| rest.strip_prefix(of)).unwrap_or(rest);
    let name_len = rest.find(|ch: char| !ch.is_alphabetic()).unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(name_len)?;
    let month = month(name)?;
    let rest = rest.trim_start_matches(['.', ',']).strip_prefix([' ', '\u{a0}', '-'])?;
    let rest = ["de ", "del "].iter().find_map(|of| rest.strip_prefix(of)).unwrap_or(rest);
    let year = digits(rest);
    let total = len + after.len() - rest.len() + year.len();
    let found = (year.len() == 4).then(|| plausible_day(year.parse().ok()?, month, day))??;
    Some((found, total))
}

/// `November 21, 2026`, `Nov 21st 2026`; before are the words up to the day.
fn name_then_day(before: &str, day: u32, after: &str, len: usize) -> Option<(NaiveDate, usize)> {
    let month = month_before(before)?;
    let unordered = ["st", "nd", "rd", "th"].iter().find_map(|end| after.strip_prefix(end));
    let rest = unordered.unwrap_or(after).trim_start_matches(',').strip_prefix([' ', '\u{a0}'])?;
    let year = digits(rest);
    let total = len + after.len() - rest.len() + year.len();
    let found = (year.len() == 4).then(|| plausible_day(year.parse().ok()?, month, day))??;
    Some((found, total))
}

/// The month whose name ends a text.
fn month_before(before: &str) -> Option<u32> {
    let text = before.strip_suffix([' ', '\u{a0}'])?;
    let text = text.strip_suffix([',', '.']).unwrap_or(text);
    let mut letters = text.char_indices().rev().take(MAX_MONTH_CHARS + 1);
    let start = letters.find(|(_, ch)| !ch.is_alphabetic()).map(|(at, ch)| at + ch.len_utf8());
    let word = text.get(start.unwrap_or(0)..)?;
    month(word).or_else(|| month(last_capitalized(text)?))
}

/// The end of a text from its last capital on, where a name goes before it without a space: `December` of
/// `Luke KimDecember`.
fn last_capitalized(text: &str) -> Option<&str> {
    let letters = text.char_indices().rev().take(MAX_MONTH_CHARS);
    let (at, _) = letters.into_iter().find(|(_, ch)| ch.is_uppercase())?;
    let (before, word) = text.split_at_checked(at)?;
    (before.ends_with(char::is_lowercase) && word.len() > 2).then_some(word)
}

const MAX_MONTH_CHARS: usize = 12;

/// A month by its name or its usual short form in the languages of [`find_dates`].
pub(crate) fn month(name: &str) -> Option<u32> {
    if name.is_empty() || name.chars().count() > MAX_MONTH_CHARS {
        return None;
    }
    MONTHS.get(fold(name).as_str()).copied()
}

/// The months by their names, folded.
static MONTHS: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
    const NAMES: [&str; 12] = [
        "january jan ocak oca januar jänner janvier janv enero ene gennaio gen janeiro januari stycznia styczeń января янв",
        "february feb şubat şub februar februari février févr fév fevrier febrero febbraio fevereiro fev lutego luty февраля февр фев",
        "march mar mart märz maerz mrz mars marzo março marco maart mrt marca marzec марта мар marts",
        "april apr nisan nis avril avr abril abr aprile kwietnia kwiecień апреля апр",
        "may mayis mai mayo maggio mag maio mei maja maj мая",
        "june jun haziran haz juni juin junio giugno giu junho czerwca czerwiec июня",
        "july jul temmuz tem juli juillet juil julio luglio lug julho lipca lipiec июля",
        "august aug ağustos ağu août aout agosto ago augustus sierpnia sierpień августа авг augusti",
        "september sep sept eylül eyl septembre septiembre setiembre settembre set setembro września wrzesień сентября сент сен",
        "october oct ekim eki oktober okt octobre octubre ottobre ott outubro out października październik октября окт",
        "november nov kasim kas novembre noviembre novembro listopada listopad ноября нояб ноя",
        "december dec aralik ara dezember dez décembre decembre déc diciembre dic dicembre dezembro grudnia grudzień декабря дек desember des",
    ];
    let months = (1..).zip(NAMES);
    months.flat_map(|(month, names)| names.split(' ').map(move |name| (name, month))).collect()
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ENGLISH: Language = Language { code: Some("en") };
    const TURKISH: Language = Language { code: Some("tr") };

    fn days(text: &str, language: Language) -> Vec<String> {
        find_dates(text, language).map(|date| date.day.to_string()).collect()
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_left_alone() {
        assert!(days("03/04/2026", Language { code: None }).is_empty());
        assert!(days("10.12.25.1 and 1.2.24", ENGLISH).is_empty());
    }

    #[test]
    fn dates_are_read_as_people_write_them() {
        for (text, language, expected) in [
            ("on 2026-11-21.", ENGLISH, "2026-11-21"),
            ("2026/11/21", ENGLISH, "2026-11-21"),
            ("21.11.2026", ENGLISH, "2026-11-21"),
            ("11/21/2026", ENGLISH, "2026-11-21"),
            ("02 Feb 2026", ENGLISH, "2026-02-02"),
            ("Published 25.06.19.", ENGLISH, "2019-06-25"),
            ("2026-11-21T10:00:00Z", ENGLISH, "2026-11-21"),
            ("1st of June 2026", ENGLISH, "2026-06-01"),
            ("21. März 2026", Language { code: Some("de") }, "2026-03-21"),
            ("1er août 2026", Language { code: Some("fr") }, "2026-08-01"),
            ("3 de mayo de 2026", Language { code: Some("es") }, "2026-05-03"),
            ("3 dicembre 2026", Language { code: Some("it") }, "2026-12-03"),
            ("3 de março de 2026", Language { code: Some("pt") }, "2026-03-03"),
            ("3 maart 2026", Language { code: Some("nl") }, "2026-03-03"),
            ("3 października 2026", Language { code: Some("pl") }, "2026-10-03"),
            ("发布于2026年11月21日", Language { code: Some("zh") }, "2026-11-21"),
            ("03/04/2026", Language { code: Some("fr") }, "2026-04-03"),
            ("03/04/2026", ENGLISH, "2026-03-04"),
            ("21/11/2026", ENGLISH, "2026-11-21"),
            ("05/11/2026", ENGLISH, "2026-05-11"),
            ("05/11/2026", TURKISH, "2026-11-05"),
            ("05.11.2026", ENGLISH, "2026-11-05"),
            ("21 November 2026", ENGLISH, "2026-11-21"),
            ("Luke Kim21 November 2026", ENGLISH, "2026-11-21"),
            ("Luke KimNovember 21, 2026", ENGLISH, "2026-11-21"),
            ("Luke ArchibaldsonNov 21, 2026", ENGLISH, "2026-11-21"),
            ("21st Nov. 2026", ENGLISH, "2026-11-21"),
            ("November 21, 2026", ENGLISH, "2026-11-21"),
            ("Nov 21st 2026", ENGLISH, "2026-11-21"),
            ("21 Kasım 2026 Cumartesi", TURKISH, "2026-11-21"),
            ("1 AĞUSTOS 2026", TURKISH, "2026-08-01"),
            ("November 2026", ENGLISH, "2026-11-01"),
            ("Kasım 2026", TURKISH, "2026-11-01"),
        ] {
            assert_eq!(days(text, language), [expected], "{text}");
        }
    }

    #[test]
    fn other_numbers_are_no_dates() {
        for text in [
            "2026",
            "© 2026",
            "31.02.2026",
            "13/13/2026",
            "1.2.3",
            "12 people 2026",
            "Windows 11 2026",
            "21 Smarch 2026",
            "1850-01-01",
            "A2026-11-21",
            "",
        ] {
            assert!(days(text, ENGLISH).is_empty(), "{text}");
        }
    }

    #[test]
    fn dates_of_markup_and_headers_are_read() {
        for (text, expected) in [
            ("2026-11-21", Some("2026-11-21")),
            ("2026-11-21T09:00:00+03:00", Some("2026-11-21")),
            (" 2026-11-21 09:00 ", Some("2026-11-21")),
            ("20261121", Some("2026-11-21")),
            ("2026-11", Some("2026-11-01")),
            ("Sat, 21 Nov 2026 09:00:00 GMT", Some("2026-11-21")),
            ("November 21, 2026", Some("2026-11-21")),
            ("yesterday", None),
            ("", None),
        ] {
            let found = parse_machine_date(text, ENGLISH).map(|day| day.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_label_makes_a_date_that_of_the_page() {
        for (text, count) in [
            ("Last updated: November 21, 2026", 1),
            ("Updated on 2026-11-21", 1),
            ("Son güncelleme: 21 Kasım 2026", 1),
            ("21.11.2026 tarihinde güncellendi", 1),
            ("Yayınlanma Tarihi: 21.11.2026", 1),
            ("Page updated on 21 November 2026.", 1),
            ("By Jane Doe, published 2 September 2026, updated 14 October 2026.", 2),
            ("By Jane Doe Updated March 3, 2026 5 min read", 1),
            ("Prices on this page were last updated on November 3, 2026.", 1),
            ("Published Monday, March 2, 2026", 1),
            ("A study published on March 3, 2021 in Water Research", 0),
            (
                "Published on March 3, 2021, the study of Smith and others found that most kettles have scale",
                0,
            ),
            ("3 Mart 2021 tarihinde yayınlanan çalışma", 0),
            ("Smith ve arkadaşları 3 Mart 2021 tarihinde yayınlandı", 0),
            ("The war ended on 21 November 1998", 0),
            ("© 2026 Example. All rights updated", 0),
        ] {
            assert_eq!(find_labeled_dates(text, ENGLISH).count(), count, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_dates_panic(
            text in "([0-9]{1,5}|[./, -]|[a-zA-Zışğü]{1,9}|Nov|Kasım|st|updated|\\PC){0,40}",
        ) {
            let _ = (find_labeled_dates(&text, TURKISH).count(), parse_machine_date(&text, ENGLISH));
        }
    }
}
