//! Numbers with grouped digits and either sign before the fraction.

use super::UNIT;

/// Digits before the fraction: more is not a price.
const MAX_WHOLE_DIGITS: usize = 12;

/// A number and nothing else, in ten-thousandths; `decimals` are the digits of a fraction of its
/// currency.
///
/// Of `.` and `,` the last one parts the fraction, if it appears once; spaces and apostrophes
/// group. A lone `.` or `,` with exactly three digits behind it groups (`1.299` is 1299), unless
/// nothing but zero is before it, digits are grouped by something else, or the currency has
/// three decimals. `,-` and `.-` represent no fraction.
pub fn decimal(text: &str, decimals: usize) -> Option<i64> {
    let text = text.trim();
    let text = text.trim_end_matches(['-', '–', '—']).strip_suffix([',', '.']).unwrap_or(text);
    let mut groups = text.split(is_separator);
    if !groups.all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let marks: Vec<char> = text.chars().filter(|ch| is_separator(*ch)).take(8).collect();
    let points = marks.iter().filter(|mark| matches!(mark, '.' | ',')).count();
    let last = *marks.last().unwrap_or(&' ');
    let is_lone = matches!(last, '.' | ',') && marks.iter().filter(|m| **m == last).count() == 1;
    let (whole, fraction) = match text.rsplit_once(last) {
        Some((whole, fraction)) if is_lone => (whole, fraction),
        _ => (text, ""),
    };
    let groups = fraction.len() == 3
        && points == 1
        && marks.len() == 1
        && decimals != 3
        && whole.len() <= 3
        && !whole.starts_with('0');
    if groups { amount(text, "") } else { amount(whole, fraction) }
}

/// A number of JSON: `349`, `349.9`, `3.499e2`.
pub(super) fn from_json(text: &str) -> Option<i64> {
    if text.starts_with('-') {
        return None;
    }
    if let Some((mantissa, exponent)) = text.split_once(['e', 'E']) {
        let exponent: i32 = exponent.parse().ok()?;
        let shift = usize::try_from(exponent).ok().filter(|shift| *shift <= MAX_WHOLE_DIGITS)?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{fraction:0<shift$}");
        let (moved, left) = digits.split_at_checked(shift)?;
        return amount(&format!("{whole}{moved}"), left);
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    amount(whole, fraction)
}

fn is_separator(ch: char) -> bool {
    matches!(ch, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// The amount of a whole number whose groups have three digits, or two as in India, and a fraction.
fn amount(whole: &str, fraction: &str) -> Option<i64> {
    let mut groups = whole.split(is_separator);
    let first = groups.next()?;
    let groups: Vec<&str> = groups.collect();
    let (last, inner) = groups.split_last().unwrap_or((&"000", &[]));
    let is_grouped = last.len() == 3 && inner.iter().all(|group| matches!(group.len(), 2 | 3));
    if !is_grouped || (!groups.is_empty() && !(1..=3).contains(&first.len())) {
        return None;
    }
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    if digits.is_empty() || digits.len() > MAX_WHOLE_DIGITS {
        return None;
    }
    let fraction: String = fraction.chars().chain("0000".chars()).take(4).collect();
    let whole: i64 = digits.parse().ok()?;
    Some(whole * UNIT + fraction.parse::<i64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_separator_before_three_digits_groups() {
        for (text, decimals, amount) in [
            ("1.299", 2, Some(12_990_000)),
            ("1,299", 2, Some(12_990_000)),
            ("1.299", 3, Some(12_990)),
            ("0.299", 2, Some(2_990)),
            ("1299.000", 2, Some(12_990_000)),
            ("1 299.500", 2, Some(12_995_000)),
            ("12.99", 2, Some(129_900)),
            ("12,9", 2, Some(129_000)),
            ("349,-", 2, Some(3_490_000)),
            ("349.–", 2, Some(3_490_000)),
            ("1.299,-", 2, Some(12_990_000)),
            ("1.2.3", 2, None),
            (",5", 2, None),
            ("5,", 2, Some(50_000)),
            ("", 2, None),
            ("5 ", 2, Some(50_000)),
            ("5 5", 2, None),
            ("1234 567", 2, None),
        ] {
            assert_eq!(decimal(text, decimals), amount, "{text}");
        }
    }

    #[test]
    fn numbers_of_json_have_a_point_and_perhaps_an_exponent() {
        for (text, amount) in [
            ("349", Some(3_490_000)),
            ("1.299", Some(12_990)),
            ("3.499e2", Some(3_499_000)),
            ("1e+3", Some(10_000_000)),
            ("1e300", None),
            ("1e-3", None),
            ("-1", None),
        ] {
            assert_eq!(from_json(text), amount, "{text}");
        }
    }
}
