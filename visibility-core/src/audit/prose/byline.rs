//! Lines that name an author, as people write them.

use std::sync::LazyLock;

use crate::audit::prose::date;
use crate::page::language::Language;
use crate::text::fold::fold;

/// Words of a line that names an author.
const MAX_WORDS: usize = 24;
/// Words and bytes of a name; several authors may be named together.
const MAX_NAME_WORDS: usize = 10;
const MAX_NAME_BYTES: usize = 120;
/// Bytes of a line that is looked at.
const MAX_LINE_BYTES: usize = 600;

/// What separates the passages of a line.
const SEPARATORS: [char; 9] = ['|', '·', '•', '—', '–', '・', '/', '»', '\t'];

/// Openers that are about an author wherever they are, folded.
const CLEAR: [&str; 53] = [
    "written by",
    "article by",
    "about the author",
    "über den autor",
    "article written by",
    "story by",
    "words by",
    "text by",
    "posted by",
    "published by",
    "created by",
    "authored by",
    "reported by",
    "contributed by",
    "started by",
    "author",
    "authors",
    "thread starter",
    "corresponding author",
    "geschrieben von",
    "verfasst von",
    "ein beitrag von",
    "veröffentlicht von",
    "autor",
    "autorin",
    "écrit par",
    "rédigé par",
    "publié par",
    "auteur",
    "auteure",
    "autrice",
    "escrito por",
    "publicado por",
    "redactado por",
    "autora",
    "scritto da",
    "a cura di",
    "pubblicato da",
    "autore",
    "geschreven door",
    "autorka",
    "napisane przez",
    "yazar",
    "yazan",
    "hazirlayan",
    "автор",
    "автор статьи",
    "текст",
    "skrevet av",
    "skriven av",
    "skrevet af",
    "a cura di",
    "articolo di",
];

/// Openers that may begin other texts too, each with its language; that in English is used in others.
const SHORT: [(&str, &str); 12] = [
    ("by", ""),
    ("von", "de"),
    ("par", "fr"),
    ("por", "es"),
    ("por", "pt"),
    ("di", "it"),
    ("door", "nl"),
    ("przez", "pl"),
    ("text", "de"),
    ("av", "sv"),
    ("af", "da"),
    ("av", "no"),
];

/// Openers of Chinese and Japanese, before a colon.
const IDEOGRAPHS: [&str; 9] =
    ["作者", "著者", "筆者", "撰文", "編輯", "文", "记者", "글쓴이", "작성자"];

/// Words before a short opener that leave it one.
const LEAD: &str = "posted published updated last on at written article story post created modified \
    am pm heard reviewed edited monday tuesday wednesday thursday friday saturday sunday mon tue wed thu \
    fri sat sun cet cest utc gmt est edt pst pdt asked publié le veröffentlicht am publicado el pubblicato il gepubliceerd op uhr submitted friday started";

/// Words behind a name that are none of it.
const ENDS: &str = "on in at updated published posted last for and with edited reviewed am um le el il op \
    em monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun via from \
    tarafindan min read follow share phd md";

/// Words that begin no name, folded.
const NO_NAME: &str = "the a an this that these those our your my his her their its it we you all any \
    learn each email mail phone post sms chat default design law hand now then clicking using submitting \
    signing continuing entering joining subscribing accessing providing checking registering logging \
    creating placing browsing visiting purchasing ordering following understanding doing being having \
    making taking working selecting choosing \
    category company business solution brand topic type price date popularity region country industry name size color use role \
    product products department location numbers way far no not about author authors member members \
    admin guest user profile view read more follow share home contact login sign search menu subscribe \
    comments comment reply replies written posted published updated edited by and or at in on of for \
    to from with step part chapter january february march april may june july august september october \
    november december today yesterday news blog article articles press download buy get see show \
    youtube bluesky twitter facebook linkedin instagram mastodon threads tiktok pinterest github website";

/// Parts of names in lower case.
const PARTICLES: &str = "de da do dos das di du del della der den van von vom zu zur la le los las ter ten \
    bin ibn al el y e und and et ve & i en";

fn is_one_of(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|known| known == word)
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|ch: char| !ch.is_alphanumeric() && ch != '&')
}

/// The name in a line such as `By Ada Lovelace`, `Yazar: Ada Lovelace` or `May 1, 2026 by Ada Lovelace`.
pub(crate) fn name_in(line: &str, language: Language) -> Option<&str> {
    if line.len() > MAX_LINE_BYTES || line.split_whitespace().nth(MAX_WORDS).is_some() {
        return None;
    }
    line.split(SEPARATORS).filter(|part| !part.contains('©')).find_map(|part| {
        let part = part.trim();
        let behind = || behind_opener(part, language);
        if part.is_ascii() {
            return behind();
        }
        ideographs(part).or_else(behind).or_else(|| before_suffix(part))
    })
}

/// Whether a word is the label of a link, or the name of a network, and not of a person.
pub(crate) fn is_label(word: &str) -> bool {
    is_one_of(NO_NAME, &fold(word.trim()))
}

/// Whether a line only announces the name that the next one has: `Written by`, `Author:`.
pub(crate) fn is_opener(line: &str) -> bool {
    let folded = fold(line);
    let folded = folded.trim().trim_end_matches(':').trim_end();
    folded == "by" || CLEAR.contains(&folded) || IDEOGRAPHS.contains(&folded)
}

/// `作者：王小明`.
fn ideographs(part: &str) -> Option<&str> {
    let rest = IDEOGRAPHS
        .iter()
        .find_map(|opener| part.strip_prefix(opener))?
        .trim_start()
        .strip_prefix(['：', ':'])?
        .trim_start();
    let end = rest.find(|ch: char| !ch.is_alphanumeric() && !matches!(ch, '·' | ' ' | '・'));
    let name = rest.get(..end.unwrap_or(rest.len()))?.trim_end();
    (1..=20).contains(&name.chars().count()).then_some(name)
}

/// The last words of all openers, sorted.
static OPENER_ENDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let clear = CLEAR.iter().filter_map(|opener| opener.rsplit(' ').next());
    let mut ends: Vec<&str> = clear.chain(SHORT.iter().map(|(opener, _)| *opener)).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
});

/// Bytes of a word that may end an opener.
const MAX_OPENER_END: usize = 24;

/// Whether a word may end an opener. Nearly no word of a page does, and all are asked.
fn may_end_opener(word: &str) -> bool {
    let word = bare(word.split([':', '：']).next().unwrap_or_default());
    let bytes = word.as_bytes();
    let mut lower = [0_u8; MAX_OPENER_END];
    let Some(lower) = lower.get_mut(..bytes.len()) else { return false };
    if !word.is_ascii() {
        return OPENER_ENDS.binary_search(&fold(word).as_str()).is_ok();
    }
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    OPENER_ENDS.binary_search_by(|end| end.as_bytes().cmp(lower)).is_ok()
}

fn behind_opener(part: &str, language: Language) -> Option<&str> {
    if !part.split_whitespace().any(may_end_opener) {
        return None;
    }
    let mut before: Vec<String> = Vec::new();
    for (at, word) in words(part) {
        // A colon may have no space behind it: `Written by:Ada`.
        let (word, end) = match word.find([':', '：']) {
            Some(colon) if colon + 1 < word.len() => (word.get(..colon)?, at + colon),
            _ => (word, at + word.len()),
        };
        let folded = fold(bare(word));
        before.push(folded);
        let rest = part.get(end..)?.trim_start_matches([':', '：', ' ', '\u{a0}', '-']);
        let has_colon = word.ends_with([':', '：']) || part.get(end..)?.starts_with([':', '：']);
        if ends_with_clear(&before) {
            const PREPOSITIONS: [&str; 9] =
                ["by", "von", "par", "por", "da", "di", "door", "przez", "starter"];
            let is_noun = before.last().is_some_and(|last| !PREPOSITIONS.contains(&last.as_str()));
            let is_alone = !is_noun || has_colon || before.len() == 1 && is_person(rest);
            if let Some(name) = leading_name(rest).filter(|_| is_alone) {
                return Some(name);
            }
        }
        let last = before.last()?;
        let is_short = SHORT.iter().any(|(opener, code)| {
            *opener == last
                && (code.is_empty() || language.code == Some(code))
                && (*opener != "text" || has_colon)
        });
        if is_short
            && before.iter().rev().skip(1).all(|word| is_lead(word))
            && let Some(name) = leading_name(rest).filter(|name| is_complete(rest, name))
        {
            return Some(name);
        }
    }
    None
}

/// Words with the place where each begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    let placed = text.split_inclusive(char::is_whitespace).map(move |piece| {
        let start = end;
        end += piece.len();
        (start, piece.trim_end())
    });
    placed.filter(|(_, word)| !word.is_empty())
}

/// Whether the last words are an opener that is about an author.
fn ends_with_clear(words: &[String]) -> bool {
    CLEAR.iter().any(|opener| {
        let mut opener = opener.rsplit(' ');
        let mut own = words.iter().rev();
        opener.all(|word| own.next().is_some_and(|own| own == word))
    })
}

/// Whether a word before an opener is part of a date, or a label of one.
fn is_lead(word: &str) -> bool {
    word.is_empty()
        || word.starts_with(|ch: char| ch.is_ascii_digit())
        || date::month(word).is_some()
        || is_one_of(LEAD, word)
}

/// Whether a word can be the first one of a date.
pub(crate) fn is_of_date(word: &str) -> bool {
    let folded = fold(bare(word));
    folded.starts_with(|ch: char| ch.is_ascii_digit()) || date::month(&folded).is_some()
}

/// Whether nothing but a date or a mark is behind a name, so that it is not the start of a sentence.
fn is_complete(rest: &str, name: &str) -> bool {
    let behind = rest.get(name.len()..).unwrap_or_default();
    let next = behind.split_whitespace().next().unwrap_or_default();
    let folded = fold(bare(next));
    folded.is_empty()
        || behind.trim_start().starts_with([',', '(', '<', '[', ';'])
        || is_lead(&folded)
        || is_one_of(ENDS, &folded)
}

/// The name that a text begins with.
pub(crate) fn leading_name(text: &str) -> Option<&str> {
    let mut end = 0;
    let mut count = 0;
    for (at, word) in words(text) {
        let own = word
            .trim_end_matches([',', ';', ':', ')', '!', '?', '"', '”'])
            .split(['<', '(', '[', '|', '@', ','])
            .next()
            .unwrap_or_default();
        let folded = fold(bare(own));
        let is_initial = own.ends_with('.') && own.chars().count() <= 3;
        let own = if is_initial || own.len() <= 3 { own } else { own.trim_end_matches('.') };
        let is_first = count == 0;
        let is_stop = if is_first {
            let goes_on = || {
                let next = text.get(at + word.len()..).unwrap_or_default().trim_start();
                next.starts_with(char::is_uppercase)
            };
            let is_april = is_first_name(&folded) && goes_on();
            !is_initial && !is_april && is_one_of(NO_NAME, &folded)
        } else {
            is_one_of(ENDS, &folded) && own != "and"
        };
        let is_dated = date::month(&folded).is_some() && !is_first_name(&folded);
        let is_capital = own.starts_with(|ch: char| ch.is_alphabetic() && !ch.is_lowercase());
        let is_particle = own == "&" || is_one_of(PARTICLES, own);
        if is_stop || is_dated || own.is_empty() || !(is_capital || is_particle) {
            break;
        }
        count += 1;
        if count > MAX_NAME_WORDS {
            return None;
        }
        if is_capital {
            end = at + own.len();
        }
        if own.len() < word.len() && !is_initial {
            break;
        }
    }
    let name = text
        .get(..with_name_in_brackets(text, end))
        .filter(|name| (2..=MAX_NAME_BYTES).contains(&name.len()))?;
    name.contains(char::is_lowercase).then_some(name).or_else(|| {
        name.chars()
            .all(|ch| ch.is_uppercase() || matches!(ch, ' ' | '.' | '-' | '\''))
            .then_some(name)
    })
}

/// The end of a name with another one in brackets within it: `Ada (Augusta) Lovelace`.
fn with_name_in_brackets(text: &str, end: usize) -> usize {
    let is_name =
        |word: &str| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic);
    let longer = || {
        let (inner, rest) = text.get(end..)?.strip_prefix(" (")?.split_once(") ")?;
        let last = rest.split_whitespace().next()?;
        let is_one = !text.get(..end)?.contains(' ') && is_name(inner) && is_name(last);
        (is_one && !is_one_of(ENDS, &fold(last))).then(|| text.len() - rest.len() + last.len())
    };
    longer().unwrap_or(end)
}

/// Months that are first names too.
fn is_first_name(folded: &str) -> bool {
    [
        "april", "may", "june", "august", "jan", "marco", "mart", "mai", "juli", "juni", "gen",
        "mar", "lis",
    ]
    .contains(&folded)
}

/// `Ayşe Kaya tarafından yazıldı`, `김민수 기자`.
fn before_suffix(part: &str) -> Option<&str> {
    if let Some(name) = part.strip_suffix("기자").map(str::trim_end) {
        let is_name =
            (2..=5).contains(&name.chars().count()) && name.chars().all(char::is_alphabetic);
        return is_name.then_some(name);
    }
    let at = part.find("tarafından")?;
    let name = part.get(..at)?.trim_end();
    (leading_name(name) == Some(name)).then_some(name)
}

/// Whether a name is that of a team, a body or a place, and not of a person.
pub(crate) fn names_group(name: &str) -> bool {
    const GROUPS: &str = "team editors editorial staff desk newsroom inc llc ltd gmbh company corporation association \
        university college institute center centre department agency group media magazine news times post journal blog \
        academy school club foundation society council committee network studio studios labs solutions services software \
        systems technologies partners consulting health financial bank insurance marketing press community support experts \
        guide tips reviews research forum grader actuary redaktion equipe redazione redacción ekibi";
    let folded = fold(name);
    folded.split(' ').any(|word| is_one_of(GROUPS, word))
}

/// Whether a whole text is the name of a person, by its form: two to four words in upper case.
pub(crate) fn is_person(text: &str) -> bool {
    let count = text.split_whitespace().count();
    (2..=4).contains(&count)
        && leading_name(text) == Some(text)
        && text.chars().all(|ch| ch.is_alphabetic() || matches!(ch, ' ' | '.' | '-' | '\'' | '’'))
        && !text.split(' ').any(|word| is_one_of(NO_NAME, &fold(word)) || is_glued(word))
}

/// The person of a line that has a date and that name: `Dec 17, 2025 Ada Lovelace`.
pub(crate) fn person_beside_date(line: &str, language: Language) -> Option<&str> {
    let found = date::find_dates(line, language).find(date::DateMatch::has_day)?;
    let before = without_lead(without_month(line.get(..found.start)?));
    let rest = line.get(line.len() - found.text_after().len()..)?;
    let behind = rest.trim_matches(|ch: char| !ch.is_alphanumeric());
    Some(before).filter(|text| is_person(text)).or_else(|| leading_person(behind))
}

/// The person that a text begins with, and goes on with nothing or with another statement: `Ada Lovelace on behalf of`.
fn leading_person(text: &str) -> Option<&str> {
    leading_name(text).filter(|name| is_person(name) && is_complete(text, name))
}

/// The account of a line that names nothing else: `by ada99`.
pub(crate) fn account_in(line: &str) -> Option<&str> {
    let (opener, name) = line.trim().split_once(char::is_whitespace)?;
    let name = name.trim();
    let is_account = name.len() > 2
        && name.chars().all(|ch| ch.is_alphanumeric() || matches!(ch, '_' | '-' | '.'));
    (opener.eq_ignore_ascii_case("by") && is_account && !is_label(name)).then_some(name)
}

/// The person of a line that has a name and a role: `Ada Lovelace, Tech Writer`.
pub(crate) fn person_with_role(line: &str) -> Option<&str> {
    let (name, role) = line.split_once([',', '|', '·', '•', '—', '–'])?;
    let name = name.trim();
    (is_person(name) && is_role(role)).then_some(name)
}

/// Words of what a person does.
const MAX_ROLE_WORDS: usize = 7;

/// What people who write do, folded.
const ROLES: &str = "author writer copywriter editor journalist reporter contributor columnist correspondent \
    blogger founder cofounder co-founder ceo cto cmo coo engineer developer manager director designer scientist \
    researcher marketer strategist analyst specialist consultant professor photographer producer \
    autor autorin redakteur redakteurin auteur auteure redacteur redactrice redactor redactora redattore redattrice \
    periodista journaliste giornalista yazar editoru muhabir grunder grunderin";

/// Whether a line says what a person does: `Tech Writer`, `Founder at Kettles`.
pub(crate) fn is_role(line: &str) -> bool {
    let folded = fold(line.trim());
    let words: Vec<&str> = folded.split_whitespace().map(bare).collect();
    let is_sentence = line.trim_end().ends_with(['.', '?', '!']);
    (1..=MAX_ROLE_WORDS).contains(&words.len())
        && !is_sentence
        && !line.contains(|ch: char| ch.is_ascii_digit())
        && words.iter().take(4).any(|word| is_one_of(ROLES, word))
}

/// Whether a word is one of those that say what a person does, or of how they are joined: `Senior`, `Editor`, `at`.
pub(crate) fn is_word_of_role(word: &str) -> bool {
    const BETWEEN: &str = "senior junior chief lead head deputy assistant associate managing executive staff \
        content contributing news tech technical marketing product digital web sports health guest freelance \
        in at of the for and & leitender leitende stellvertretender kidemli bas genel";
    let folded = fold(bare(word));
    is_one_of(ROLES, &folded) || is_one_of(BETWEEN, &folded)
}

/// Whether a word is several ones without spaces: more than one letter within it begins another, or capitals
/// follow, as in `HealthDECEMBER`.
fn is_glued(word: &str) -> bool {
    let pairs = || word.chars().zip(word.chars().skip(1));
    let starts = pairs().filter(|(one, next)| one.is_lowercase() && next.is_uppercase()).count();
    let ends_in_capitals = word.chars().rev().take_while(|ch| ch.is_uppercase()).count() > 2;
    starts > 1 || starts == 1 && ends_in_capitals && word.chars().count() > 8
}

/// Whether a line has nothing but a date, its label, and the name of an author; or is so short that the date is
/// most of it.
pub(crate) fn is_dateline(line: &str, language: Language) -> bool {
    // A stroke separates the parts of a date, too.
    std::iter::once(line).chain(line.split(SEPARATORS)).any(|part| {
        let part = part.trim();
        let Some(found) = date::find_dates(part, language).find(date::DateMatch::has_day) else {
            return false;
        };
        let before = part.get(..found.start).unwrap_or_default();
        let is_other = |word: &&str| {
            let folded = fold(bare(word));
            !is_lead(&folded) && !is_one_of(READING, &folded)
        };
        let rest = |text: &str| text.split_whitespace().any(|word| is_other(&word));
        let is_name = |text: &str| {
            let text = without_lead(text);
            is_person(text)
                || leading_person(text.trim_start_matches(SEPARATORS).trim_start()).is_some()
                || name_in(text, language).is_some_and(|name| text.ends_with(name))
        };
        let lead = without_month(before);
        let behind = found.text_after();
        (!rest(lead) || is_name(lead))
            && (!rest(behind) || name_in(part, language).is_some() || is_name(behind))
    })
}

/// Whether a line is a first name and a date: `Ada May 3, 2026`. Such a line may be about anything, so that it
/// is one only beside the heading of an article.
pub(crate) fn is_signed_date(line: &str, language: Language) -> bool {
    let Some(found) = date::find_dates(line, language).find(date::DateMatch::has_day) else {
        return false;
    };
    let lead = without_month(line.get(..found.start).unwrap_or_default()).trim();
    let is_reading = |word: &str| is_one_of(READING, &fold(bare(word)));
    let mut behind = found.text_after().split_whitespace();
    !lead.contains(char::is_whitespace)
        && lead.chars().all(char::is_alphabetic)
        && leading_name(lead) == Some(lead)
        && !is_one_of(OTHER_DATES, &fold(lead))
        && behind.all(|word| is_reading(word) || is_lead(&fold(bare(word))))
}

/// What a line about the page says besides its date, folded.
const READING: &str = "min mins minute minutes read reading time share comments comment views updated published \
    estimated submitted lesezeit dakika okuma lecture lettura lectura minuti minutos";
/// What dates of other things are beside, folded.
const OTHER_DATES: &str = "born founded established since until till from between starts start begins opens opening \
    ends end closes expires expiry due deadline valid effective event events copyright released release version \
    registration ago next upcoming died established geboren gegrundet seit bis ab dogum kurulus son";

/// A text without the words of a date that it ends with, and the marks around it.
fn without_lead(text: &str) -> &str {
    let mut text = text.trim_matches(|ch: char| !ch.is_alphanumeric());
    while let Some((rest, last)) = text.rsplit_once(char::is_whitespace) {
        if !is_lead(&fold(bare(last))) {
            break;
        }
        text = rest.trim_end_matches(|ch: char| !ch.is_alphanumeric());
    }
    text
}

/// A text without the name of a month that it ends with.
fn without_month(text: &str) -> &str {
    let text = text.trim_end();
    let start = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let last = text.get(start..).unwrap_or_default();
    if date::month(bare(last)).is_some() { text.get(..start).unwrap_or_default() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(line: &str, code: &'static str) -> Option<String> {
        name_in(line, Language { code: Some(code) }).map(str::to_owned)
    }

    #[test]
    fn bylines_are_read_in_many_forms_and_languages() {
        for (line, code, expected) in [
            ("By Ada Lovelace", "en", "Ada Lovelace"),
            ("By April Fulton", "en", "April Fulton"),
            ("Article by Matias Heikkilä", "en", "Matias Heikkilä"),
            ("About the Author: Ada Lovelace is a writer", "en", "Ada Lovelace"),
            ("By: Ada Lovelace, Dec 17, 2025", "en", "Ada Lovelace"),
            ("BY ADA LOVELACE", "en", "ADA LOVELACE"),
            ("Written by:Ada Lovelace", "en", "Ada Lovelace"),
            ("Article written by: Ada Muster-Mann", "en", "Ada Muster-Mann"),
            ("By Ada · Dec 20, 2025", "en", "Ada"),
            ("September 1st, 2023 by Ada Lovelace", "en", "Ada Lovelace"),
            ("Posted on May 3, 2024 by Ada Lovelace in News", "en", "Ada Lovelace"),
            ("By Ada Lovelace - Mar 27, 2024", "en", "Ada Lovelace"),
            ("By Dr. Ada Lovelace and Alan Turing", "en", "Dr. Ada Lovelace and Alan Turing"),
            ("Discussion in 'Tools' started by AdaL, May 11, 2024.", "en", "AdaL"),
            ("Author: Ada Lovelace <ada at example dot com>", "en", "Ada Lovelace"),
            ("by A. J. Lovelace", "en", "A. J. Lovelace"),
            ("by Ada (Augusta) Lovelace", "en", "Ada (Augusta) Lovelace"),
            ("by Ada (Kettles) on May 3", "en", "Ada"),
            ("By Vincent van Gogh | 5 min read", "en", "Vincent van Gogh"),
            ("Von Ada Muster", "de", "Ada Muster"),
            ("von David", "de", "David"),
            ("Par Ada Dupont, le 3 mai 2024", "fr", "Ada Dupont"),
            ("Por Ada García", "es", "Ada García"),
            ("Di Ada Rossi", "it", "Ada Rossi"),
            ("Door Ada de Vries", "nl", "Ada de Vries"),
            ("Autor: Ada Nowak", "pl", "Ada Nowak"),
            ("Yazar: Ayşe Kaya", "tr", "Ayşe Kaya"),
            ("Yazan: Ayşe Kaya", "tr", "Ayşe Kaya"),
            ("Ayşe Kaya tarafından yazıldı", "tr", "Ayşe Kaya"),
            ("作者：王小明", "zh", "王小明"),
            ("di Marco Rossi, 3 maggio 2025", "it", "Marco Rossi"),
            ("Автор: Иван Петров", "ru", "Иван Петров"),
            ("작성자: 김민수", "ko", "김민수"),
            ("김민수 기자", "ko", "김민수"),
        ] {
            assert_eq!(name(line, code).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn no_names_are_invented() {
        for line in [
            "By email",
            "By Email",
            "By clicking Accept you agree",
            "By Clicking Accept You Agree",
            "By the numbers",
            "By The Numbers",
            "By the way, it is so",
            "By Category",
            "By June 2025 all of it was done",
            "By Googling you can find all of it",
            "Powered by Example",
            "The book was read by Ada Lovelace on a train",
            "Von Ada Muster",
            "Author guidelines",
            "Author CP",
            "by",
            "",
        ] {
            assert_eq!(name(line, "en"), None, "{line}");
        }
    }

    #[test]
    fn datelines_have_a_date_and_perhaps_a_name() {
        let is = |line| is_dateline(line, Language { code: Some("en") });
        assert!(
            is("April 8, 2024")
                && is("By Ada Lovelace - Mar 27, 2024")
                && is("May 1, 2026 | 3 min read")
        );
        assert!(is("Posted on May 3, 2024 by Ada Lovelace") && is("Fri 5 Dec 2025 12.00 CET"));
        for line in [
            "3/4/2025",
            "05 Nov 2025. 8 minute",
            "blog | February 01, 2022",
            "12.16.2025",
            "Ryan Bald 02 Feb 2026",
            "Jun 20, 2024 Share",
            "by Matt Miller on Dec 16, 2025 at 11:00 AM",
            "February 4, 2025 - 11 minutes",
        ] {
            assert!(is(line), "{line}");
        }
        for line in
            ["Founded May 3, 1999", "Valid until 31 December 2026", "Registration ends May 3, 2026"]
        {
            assert!(!is(line), "{line}");
        }
        assert!(!is("It happened on 1 November 2026") && !is("Fine 5 January 2024"));
        assert!(!is("Joined: 4 July 2012") && !is("Registered: 2025-11-01") && !is("May 2024"));
    }

    #[test]
    fn a_person_may_be_beside_a_date_or_a_role() {
        let english = Language { code: Some("en") };
        for line in [
            "Dec 17, 2025 Ada K. Lovelace",
            "Ada K. Lovelace, Dec 17, 2025",
            "2025-12-17 · Ada K. Lovelace",
        ] {
            assert_eq!(person_beside_date(line, english), Some("Ada K. Lovelace"), "{line}");
        }
        let line = "Dec. 19, 2025 · Ada Lovelace on behalf of the team";
        assert_eq!(person_beside_date(line, english), Some("Ada Lovelace"));
        assert!(
            is_dateline(line, english)
                && !is_dateline("May 3, 2025 Ada Lovelace was there", english)
        );
        assert_eq!(
            (account_in("by  ada99"), account_in("by email"), account_in("by the sea")),
            (Some("ada99"), None, None)
        );
        for line in [
            "Dec 17, 2025 Read More",
            "Dec 17, 2025",
            "The Big Event Dec 17, 2025",
            "Ada was born on Dec 17, 2025",
        ] {
            assert_eq!(person_beside_date(line, english), None, "{line}");
        }
        assert!(
            is_role("Tech Writer")
                && is_role("Founder at Kettles")
                && is_role("Senior Software Engineer")
        );
        assert!(
            !is_role("The writer of this text says so.")
                && !is_role("Read more")
                && !is_role("5 writers")
        );
        assert_eq!(person_with_role("Ada Lovelace, Tech Writer"), Some("Ada Lovelace"));
        assert_eq!(person_with_role("Read More, Tech Writer"), None);
    }

    #[test]
    fn persons_have_names_of_two_words() {
        assert!(is_person("Ada Lovelace") && is_person("Ada M. Lovelace"));
        assert!(is_person("Ada McDONALD") && !is_person("Mental HealthDECEMBER"));
        assert!(!is_person("Ada") && !is_person("Read More") && !is_person("Dec 2024"));
        assert!(is_opener("Written by:") && is_opener("By") && !is_opener("By Ada"));
    }
}
