//! Days, as markup and as prose write them.

use chrono::NaiveDate;

use crate::audit::availability::folded;

/// A day of the calendar.
pub type Day = NaiveDate;

/// Days that are kept of one text.
const MAX_DAYS: usize = 50;
/// Days of other years are numbers of something else.
const YEARS: std::ops::RangeInclusive<i32> = 1990..=2100;

/// The day of a date of markup: `2026-03-12`, with or without a time.
pub fn iso_day(text: &str) -> Option<Day> {
    NaiveDate::parse_from_str(text.trim().get(..10)?, "%Y-%m-%d").ok()
}

/// Days that a text names in English or Turkish, in order, at most 50: `12 March 2026`, `Mar 12, 2026`,
/// `12 Mart 2026`, `2026-03-12`, `12.03.2026`. Of `03/04/2026` both readings.
pub fn dates(text: &str) -> Vec<Day> {
    let folded = folded(text);
    let mut days = Vec::new();
    let mut window = [Token::Other; 3];
    for token in tokens(&folded) {
        window = [window[1], window[2], token];
        if days.len() >= MAX_DAYS {
            break;
        }
        days.extend(day_of(window).into_iter().flatten());
    }
    days.truncate(MAX_DAYS);
    days
}

#[derive(Clone, Copy)]
enum Token {
    Number(u32),
    Month(u32),
    Other,
}

/// Numbers and words of a folded text; ordinals leave their number alone.
fn tokens(folded: &str) -> impl Iterator<Item = Token> {
    let mut rest = folded;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(|ch: char| !ch.is_alphanumeric());
            let first = rest.chars().next()?;
            let is_digit = first.is_ascii_digit();
            let end =
                rest.find(|ch: char| !ch.is_alphanumeric() || ch.is_ascii_digit() != is_digit);
            let (word, tail) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
            rest = tail;
            if is_digit {
                let number = if word.len() <= 4 { word.parse().ok() } else { None };
                return Some(number.map_or(Token::Other, Token::Number));
            }
            if !matches!(word, "st" | "nd" | "rd" | "th" | "of") {
                return Some(month(word).map_or(Token::Other, Token::Month));
            }
        }
    })
}

fn day_of(window: [Token; 3]) -> [Option<Day>; 2] {
    let day = |year: u32, month, day| {
        let year = i32::try_from(year).ok().filter(|year| YEARS.contains(year))?;
        NaiveDate::from_ymd_opt(year, month, day)
    };
    match window {
        [Token::Number(year), Token::Number(month), Token::Number(date)] if year > 31 => {
            [day(year, month, date), None]
        }
        [Token::Number(one), Token::Number(other), Token::Number(year)] => {
            let swapped = if one == other { None } else { day(year, one, other) };
            [day(year, other, one), swapped]
        }
        [Token::Number(date), Token::Month(month), Token::Number(year)]
        | [Token::Month(month), Token::Number(date), Token::Number(year)] => {
            [day(year, month, date), None]
        }
        _ => [None, None],
    }
}

/// The number of a month by its name, folded: English or Turkish, whole or its first three letters.
fn month(word: &str) -> Option<u32> {
    const MONTHS: [[&str; 4]; 12] = [
        ["january", "jan", "ocak", "oca"],
        ["february", "feb", "subat", "sub"],
        ["march", "mar", "mart", "mar"],
        ["april", "apr", "nisan", "nis"],
        ["may", "may", "mayis", "may"],
        ["june", "jun", "haziran", "haz"],
        ["july", "jul", "temmuz", "tem"],
        ["august", "aug", "agustos", "agu"],
        ["september", "sep", "eylul", "eyl"],
        ["october", "oct", "ekim", "eki"],
        ["november", "nov", "kasim", "kas"],
        ["december", "dec", "aralik", "ara"],
    ];
    let at = MONTHS
        .iter()
        .position(|names| names.contains(&word) || (word == "sept" && names[1] == "sep"))?;
    u32::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_in_both_languages() {
        for (text, expected) in [
            ("Published 12 March 2026 by Ada", "2026-03-12"),
            ("March 12, 2026", "2026-03-12"),
            ("Mar 12th, 2026", "2026-03-12"),
            ("the 1st of May 2026", "2026-05-01"),
            ("Güncelleme: 5 Ağustos 2025", "2025-08-05"),
            ("12 ŞUBAT 2026", "2026-02-12"),
            ("2026-03-12T10:00:00Z", "2026-03-12"),
            ("31.12.2025", "2025-12-31"),
            ("12/31/2025", "2025-12-31"),
            ("03/04/2026", "2026-04-03 2026-03-04"),
            ("© 2026", ""),
            ("31 February 2026", ""),
            ("12 March 1815", ""),
        ] {
            let found: Vec<String> = dates(text).iter().map(Day::to_string).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
        assert_eq!(dates(&"1 May 2026 ".repeat(500)).len(), MAX_DAYS);
    }

    #[test]
    fn a_date_of_markup_has_a_day() {
        for (text, day) in [
            ("2026-03-12", Some("2026-03-12")),
            ("2026-03-12T23:00:00+03:00", Some("2026-03-12")),
            ("2026-03", None),
            ("12.03.2026", None),
            ("çççççççççç", None),
        ] {
            assert_eq!(iso_day(text).map(|day| day.to_string()).as_deref(), day, "{text}");
        }
    }
}
