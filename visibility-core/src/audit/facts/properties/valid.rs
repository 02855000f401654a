//! Validates values with a fixed format: GS1 numbers, currency codes.

use chrono::NaiveDate;

use crate::audit::money::Currency;

/// Whether a text is a GTIN of 8, 12, 13 or 14 digits, or an ISBN of 10, with the right check digit
/// (GS1 General Specifications, section 7.9; ISO 2108).
pub(crate) fn check_digit_is_right(text: &str) -> bool {
    let text: String = text
        .chars()
        .filter(|ch| !matches!(ch, ' ' | '-'))
        .take(20)
        .collect::<String>()
        .to_ascii_uppercase();
    let (digits, last) = match text.char_indices().next_back() {
        Some((at, last)) => (text.get(..at).unwrap_or_default(), last),
        None => return false,
    };
    let Some(numbers) = digits.chars().map(|ch| ch.to_digit(10)).collect::<Option<Vec<u32>>>()
    else {
        return false;
    };
    if text.len() == 10 {
        let sum: u32 =
            numbers.iter().zip((2..=10).rev()).map(|(number, weight)| number * weight).sum();
        let check = if last == 'X' { Some(10) } else { last.to_digit(10) };
        return check == Some((11 - sum % 11) % 11);
    }
    if !matches!(text.len(), 8 | 12 | 13 | 14) || numbers.iter().all(|number| *number == 0) {
        return false;
    }
    let weights = [3, 1].into_iter().cycle();
    let sum: u32 = numbers.iter().rev().zip(weights).map(|(number, weight)| number * weight).sum();
    last.to_digit(10) == Some((10 - sum % 10) % 10)
}

/// Whether a text is a code of ISO 4217, in upper case as the standard has it.
pub(super) fn is_currency(text: &str) -> bool {
    Currency::from_code(text).is_some()
}

/// Whether a text is a date of ISO 8601 as schema.org has it: a year, a month, a day, or a day and a time.
pub(crate) fn is_iso_date(text: &str) -> bool {
    let (day, time) = text.split_once('T').map_or((text, None), |(day, time)| (day, Some(time)));
    let parts: Vec<&str> = day.split('-').collect();
    let is_number = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_day = match parts.as_slice() {
        [year] if is_number(year, 8) => NaiveDate::parse_from_str(year, "%Y%m%d").is_ok(),
        [year] => is_number(year, 4) && time.is_none(),
        [year, month] => {
            let is_month = month.parse().is_ok_and(|month: u32| (1..=12).contains(&month));
            is_number(year, 4) && is_number(month, 2) && is_month && time.is_none()
        }
        [year, month, rest] => {
            is_number(year, 4)
                && is_number(month, 2)
                && is_number(rest, 2)
                && NaiveDate::parse_from_str(day, "%Y-%m-%d").is_ok()
        }
        _ => false,
    };
    is_day && time.is_none_or(is_iso_time)
}

/// `19:30`, `19:30:38.5`, `193038`, with `Z` or an offset such as `+03:00`.
fn is_iso_time(text: &str) -> bool {
    let end = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(end);
    let is_clock = |text: &str, most: usize| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
            && (2..=most).contains(&digits)
            && digits % 2 == 0
    };
    let (whole, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let is_zone = match zone.strip_prefix(['+', '-']) {
        Some(offset) => is_clock(offset, 4),
        None => zone.is_empty() || zone == "Z",
    };
    is_clock(whole, 6) && fraction.bytes().all(|byte| byte.is_ascii_digit()) && is_zone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_iso_8601_are_distinguished_from_others() {
        for text in [
            "2026",
            "2026-10",
            "2026-10-20",
            "20261020",
            "2026-10-20T19:30",
            "2026-10-20T19:30:38Z",
            "2026-10-20T19:30:38.123+03:00",
            "2026-10-20T193038-0500",
        ] {
            assert!(is_iso_date(text), "{text}");
        }
        for text in [
            "October 20, 2026",
            "20.10.2026",
            "10/20/2026",
            "2026-10-20 19:30:38",
            "2026-13-01",
            "2026-02-30",
            "2026-1-2",
            "2026-10-20T",
            "2026-10-20Tnoon",
            "end of June",
            "",
        ] {
            assert!(!is_iso_date(text), "{text}");
        }
    }

    #[test]
    fn a_check_digit_proves_the_others() {
        for (text, is_right) in [
            ("4006381333931", true),
            ("4006381333932", false),
            ("036000291452", true),
            ("96385074", true),
            ("10614141000415", true),
            ("978-3-16-148410-0", true),
            ("0-306-40615-2", true),
            ("080442957X", true),
            ("0804429570", false),
            ("0000000000000", false),
            ("123", false),
            ("", false),
            ("40063813339ab", false),
        ] {
            assert_eq!(check_digit_is_right(text), is_right, "{text}");
        }
    }
}
