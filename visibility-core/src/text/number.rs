//! Numbers as people write them.

use super::locale::Lang;

/// A whole number with a mark between thousands: `1,234,567` in English, `1.234.567` in Turkish.
pub fn grouped(number: u64, lang: Lang) -> String {
    let mark = match lang {
        Lang::En => ',',
        Lang::Tr => '.',
    };
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(mark);
        }
        text.push(digit);
    }
    text
}

/// The share of a part in a whole in percent, with one digit after the point; less than a tenth is not said to be nothing.
pub fn percent(part: u64, whole: u64, lang: Lang) -> String {
    if part == 0 || whole == 0 {
        return "0".to_owned();
    }
    // Thousandths, rounded; in 128 bits, since the part may be any number.
    let thousandths = (u128::from(part) * 2_000 + u128::from(whole)) / (u128::from(whole) * 2);
    let mark = match lang {
        Lang::En => '.',
        Lang::Tr => ',',
    };
    match thousandths {
        0 => format!("<0{mark}1"),
        1_000 => "100".to_owned(),
        _ => format!("{}{mark}{}", thousandths / 10, thousandths % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_marked() {
        for (number, english, turkish) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1_000, "1,000", "1.000"),
            (12_345, "12,345", "12.345"),
            (1_234_567, "1,234,567", "1.234.567"),
            (u64::MAX, "18,446,744,073,709,551,615", "18.446.744.073.709.551.615"),
        ] {
            assert_eq!(grouped(number, Lang::En), english);
            assert_eq!(grouped(number, Lang::Tr), turkish);
        }
    }

    #[test]
    fn shares_are_rounded_and_small_ones_are_there() {
        for (part, whole, expected) in [
            (0, 10, "0"),
            (1, 0, "0"),
            (1, 3, "33.3"),
            (2, 3, "66.7"),
            (1, 100_000, "<0.1"),
            (1, 1_000, "0.1"),
            (10, 10, "100"),
            (u64::MAX, u64::MAX, "100"),
        ] {
            assert_eq!(percent(part, whole, Lang::En), expected, "{part} of {whole}");
        }
        assert_eq!(percent(1, 20, Lang::Tr), "5,0");
    }
}
