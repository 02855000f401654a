//! Validates values with a fixed format: GS1 numbers, currency codes.

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

#[cfg(test)]
mod tests {
    use super::*;

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
