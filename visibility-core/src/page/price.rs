//! Prices in text, found by a number beside a currency.

const MAX_PRICES: usize = 50;
const MAX_NUMBER_BYTES: usize = 20;

const SYMBOLS: &str = "$€£¥₺₹₽₩₪₫₴₦฿₱";
const CODES: [&str; 28] = [
    "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HUF", "INR",
    "JPY", "KRW", "MXN", "NOK", "NZD", "PLN", "RON", "SAR", "SEK", "SGD", "TRY", "UAH", "USD",
    "ZAR", "TL",
];
/// Written after a number only.
const UNITS: [&str; 12] = [
    "kr", "zł", "tl", "euros", "euro", "Euro", "dollars", "dólares", "złotych", "Kč", "reais",
    "Franken",
];

/// Prices of a text, in order, at most 50.
pub(super) fn find(text: &str) -> Vec<String> {
    let mut prices = Vec::new();
    let mut rest = text;
    let mut before = "";
    while prices.len() < MAX_PRICES
        && let Some(at) = rest.find(|ch: char| ch.is_ascii_digit())
    {
        let (skipped, number_on) = rest.split_at(at);
        before = if skipped.is_empty() { before } else { skipped };
        let (number, after) = number_on.split_at(number_len(number_on.as_bytes()));
        if number.len() <= MAX_NUMBER_BYTES && !before.ends_with(char::is_alphanumeric)
            || currency_before(before).is_some()
        {
            prices.extend(price(before, number, after));
        }
        before = "";
        rest = after;
    }
    prices
}

/// Whether a text has a price.
pub(crate) fn is_in(text: &str) -> bool {
    let mut rest = text;
    let mut before = "";
    while let Some(at) = rest.find(|ch: char| ch.is_ascii_digit()) {
        let (skipped, number_on) = rest.split_at(at);
        before = if skipped.is_empty() { before } else { skipped };
        let (_, after) = number_on.split_at(number_len(number_on.as_bytes()));
        let is_apart = !before.ends_with(char::is_alphanumeric);
        if currency_before(before).is_some() || (is_apart && currency_after(after).is_some()) {
            return true;
        }
        before = "";
        rest = after;
    }
    false
}

fn price(before: &str, number: &str, after: &str) -> Option<String> {
    if let Some(currency) = currency_before(before) {
        return Some(format!("{currency}{number}"));
    }
    currency_after(after).map(|currency| format!("{number}{currency}"))
}

/// Bytes of the number at the start: digits, with separators and spaces between groups of digits.
pub(crate) fn number_len(bytes: &[u8]) -> usize {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut len = 0;
    loop {
        match bytes.get(len) {
            Some(b'0'..=b'9') => len += 1,
            Some(b'.' | b',' | b'\'') if is_digit(len + 1) => len += 1,
            Some(b' ') if (1..=3).all(|i| is_digit(len + i)) && !is_digit(len + 4) => len += 1,
            _ => return len,
        }
    }
}

/// The currency that ends a text, with the space after it.
pub(crate) fn currency_before(text: &str) -> Option<&str> {
    let trimmed = text.strip_suffix(' ').unwrap_or(text);
    let last = trimmed.chars().next_back()?;
    let len = if SYMBOLS.contains(last) {
        last.len_utf8()
    } else {
        let code = CODES.iter().find(|code| trimmed.ends_with(**code))?;
        let before = trimmed.strip_suffix(code)?;
        (!before.ends_with(char::is_alphanumeric)).then_some(code.len())?
    };
    text.get(trimmed.len() - len..)
}

/// The currency that starts a text, with the space before it.
pub(crate) fn currency_after(text: &str) -> Option<&str> {
    let trimmed = text.strip_prefix(' ').unwrap_or(text);
    let first = trimmed.chars().next()?;
    let len = if SYMBOLS.contains(first) {
        first.len_utf8()
    } else {
        let unit = CODES.iter().chain(&UNITS).find(|unit| trimmed.starts_with(**unit))?;
        let after = trimmed.strip_prefix(unit)?;
        (!after.starts_with(char::is_alphanumeric)).then_some(unit.len())?
    };
    text.get(..text.len() - trimmed.len() + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_beside_a_currency_is_a_price() {
        let cases = [
            ("from $19.99 a month", "$19.99"),
            ("jetzt 1.299,00 € statt", "1.299,00 €"),
            ("fiyat: ₺349,90", "₺349,90"),
            ("1.299,00 TL", "1.299,00 TL"),
            ("349 tl", "349 tl"),
            ("EUR 20", "EUR 20"),
            ("(USD 1,000.50)", "USD 1,000.50"),
            ("1 299 kr", "1 299 kr"),
            ("CHF 1'200.-", "CHF 1'200"),
            ("US$5", "$5"),
            ("20EUR", "20EUR"),
        ];
        for (text, price) in cases {
            assert_eq!(find(text), [price], "{text}");
        }
    }

    #[test]
    fn a_number_without_a_currency_is_none() {
        for text in ["2026", "v2 EUROPE", "A4 USDA", "10 km", "$", "3,14", "12 kramer", "abc12 TL"]
        {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn at_most_fifty_prices_are_kept() {
        assert_eq!(find(&"€1 ".repeat(1000)).len(), 50);
        assert!(find(&"1".repeat(100_000)).is_empty());
    }
}
