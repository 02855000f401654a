//! Prices in prose: a number beside a currency.

use std::ops::Range;

use super::currency::{SIGNS, Side, Sign};
use super::{Currency, Money, UNIT, decimal};
use crate::text::words::is_spaceless;

/// Prices that are kept of one text.
const MAX_PRICES: usize = 200;
/// Bytes of a number.
const MAX_NUMBER_BYTES: usize = 24;
/// Bytes before a number in which its currency is.
const MAX_CURRENCY_BYTES: usize = 16;

/// A price in a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PriceMatch {
    /// Amount and currency.
    pub money: Money,
    /// Bytes of the text that say so.
    pub range: Range<usize>,
}

/// Prices of a text in order, at most 200: `1.299,00 TL`, `₺349,90`, `EUR 20`, `349,- €`, `19€99`, both
/// ends of `19–29 €`.
pub fn prices(text: &str) -> Vec<PriceMatch> {
    let mut found: Vec<PriceMatch> = Vec::new();
    let mut at = 0;
    // Where the last price ended, and what it was in.
    let mut last: Option<(usize, Currency)> = None;
    // A number without a currency, which may be the first end of a range.
    let mut open: Option<Range<usize>> = None;
    while found.len() < MAX_PRICES
        && let Some(number) = next_number(text, at)
    {
        at = number.end;
        let free_from = last.map_or(0, |(end, _)| end);
        let sign = sign_of(text, free_from, &number);
        let ranged = last.filter(|(end, _)| is_dash(text, *end, number.start));
        let Some((currency, place)) =
            sign.or_else(|| ranged.map(|(_, currency)| (currency, number.clone())))
        else {
            last = None;
            open = Some(number);
            continue;
        };
        if let Some(first) = open.take()
            && is_dash(text, first.end, place.start)
        {
            found.extend(priced(text, first.clone(), first, currency));
        }
        let cents = cents(text, &number, place.end);
        at = at.max(place.end).max(cents.map_or(0, |(_, end)| end));
        if let Some(mut price) = priced(text, number, place, currency) {
            if let Some((cents, end)) = cents {
                price.money.amount += cents;
                price.range.end = end;
            }
            found.push(price);
        }
        last = Some((at, currency));
    }
    found
}

/// The next number at or after a byte: digits, with separators between groups of them.
pub(crate) fn next_number(text: &str, from: usize) -> Option<Range<usize>> {
    let start = from + text.get(from..)?.find(|ch: char| ch.is_ascii_digit())?;
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = start;
    let mut has_mark = false;
    loop {
        match bytes.get(end) {
            Some(b'0'..=b'9') => end += 1,
            Some(b'.' | b',' | b'\'') if is_digit(end + 1) => {
                has_mark = true;
                end += 1;
            }
            Some(_) => {
                let space = [" ", "\u{a0}", "\u{202f}", "\u{2009}", "’"]
                    .into_iter()
                    .find(|space| text.get(end..).is_some_and(|rest| rest.starts_with(space)));
                let Some(space) = space else { break };
                let group = end + space.len();
                let is_group = (0..3).all(|i| is_digit(group + i)) && !is_digit(group + 3);
                let is_first_short = end - start <= 3 || text.get(start..end)?.contains(is_space);
                if has_mark || !is_group || !is_first_short {
                    break;
                }
                end = group + 3;
            }
            None => break,
        }
    }
    Some(start..end)
}

fn is_space(ch: char) -> bool {
    matches!(ch, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '’')
}

/// The currency beside a number, and the bytes of both.
fn sign_of(
    text: &str,
    free_from: usize,
    number: &Range<usize>,
) -> Option<(Currency, Range<usize>)> {
    if number.len() > MAX_NUMBER_BYTES {
        return None;
    }
    let from = text.floor_char_boundary(number.start.saturating_sub(MAX_CURRENCY_BYTES));
    let before = text.get(from.max(free_from.min(number.start))..number.start)?;
    let digits = text.get(number.clone())?;
    if let Some((currency, len)) = currency_before(before, digits) {
        return Some((currency, number.start - len..number.end));
    }
    if before.ends_with(is_word) {
        return None;
    }
    let after = text.get(number.end..)?;
    let (currency, len) = currency_after(after, digits)?;
    Some((currency, number.start..number.end + len))
}

/// Whether a character runs on into a word beside it. Scripts without spaces have no such words, and
/// Korean puts its particles right behind a sum.
fn is_word(ch: char) -> bool {
    ch.is_alphanumeric() && !is_spaceless(ch) && !matches!(ch, '\u{ac00}'..='\u{d7a3}')
}

/// Whether a number is written as sums are: with thousands apart or two digits behind the mark.
fn is_sum(number: &str) -> bool {
    let fraction = number.rsplit(['.', ',']).next().unwrap_or_default();
    fraction.len() < number.len() && matches!(fraction.len(), 2 | 3) || number.contains(is_space)
}

/// The currency that ends a text, and its bytes with the space behind it.
fn currency_before(text: &str, number: &str) -> Option<(Currency, usize)> {
    let trimmed = text.strip_suffix(is_space).unwrap_or(text);
    // Most numbers follow a word or a mark that ends no sign: the list is not tried for them.
    let last = trimmed.chars().next_back()?;
    let is_end = |ch: char| !ch.is_ascii() || ch.is_ascii_uppercase() || "$.spr".contains(ch);
    if !is_end(last) {
        return None;
    }
    let begins_word =
        |rest: &str, first: &str| !first.starts_with(is_word) || !rest.ends_with(is_word);
    let is_apart = trimmed.len() < text.len();
    let sign = SIGNS.iter().filter(|sign| sign.side == Side::Either).find(|sign| {
        trimmed.strip_suffix(sign.text).is_some_and(|rest| begins_word(rest, sign.text))
    });
    let (currency, len) = if let Some(sign) = sign {
        (Currency::from_sign(sign), sign.text.len())
    } else {
        let at = trimmed.len().checked_sub(3)?;
        let (rest, code) = trimmed.split_at_checked(at)?;
        let currency = Currency::from_code(code).filter(|_| begins_word(rest, code))?;
        // `AMD64` is a processor, `TOP 10` a list.
        if !is_sum(number) && (!is_apart || currency.is_word()) {
            return None;
        }
        (currency, 3)
    };
    Some((currency, text.len() - trimmed.len() + len))
}

/// The currency that starts a text, and its bytes with what comes before it.
fn currency_after(text: &str, number: &str) -> Option<(Currency, usize)> {
    let mut rest = text;
    for mark in [",", "."] {
        let dash = rest.strip_prefix(mark).map(|tail| tail.trim_start_matches(['-', '–', '—']));
        rest = dash.filter(|tail| tail.len() + mark.len() < rest.len()).unwrap_or(rest);
    }
    let trimmed = rest.strip_prefix(is_space).unwrap_or(rest);
    let is_apart = trimmed.len() < rest.len();
    let first = trimmed.chars().next()?;
    let is_start = |ch: char| !ch.is_ascii() || ch.is_ascii_uppercase() || "$tlekz".contains(ch);
    if !is_start(first) {
        return None;
    }
    let (currency, tail) = SIGNS
        .iter()
        .find_map(|sign| Some((Currency::from_sign(sign), tail_of(trimmed, sign)?)))
        .or_else(|| {
            let (code, tail) = trimmed.split_at_checked(3)?;
            let ends_word = !tail.starts_with(is_word);
            let currency = Currency::from_code(code).filter(|_| ends_word)?;
            // `5 TOP TIPS`.
            let is_phrase = currency.is_word() && !is_sum(number) && leads_on(tail);
            (!is_phrase).then_some((currency, tail))
        })?;
    // `2 TL Salz`: a teaspoon of it.
    if trimmed.starts_with("TL") && number.len() == 1 && leads_on(tail) {
        return None;
    }
    // `5 $10`: the sign belongs to what it touches.
    if is_apart && tail.starts_with(|ch: char| ch.is_ascii_digit()) {
        return None;
    }
    Some((currency, text.len() - tail.len()))
}

fn tail_of<'a>(text: &'a str, sign: &Sign) -> Option<&'a str> {
    let tail = text.strip_prefix(sign.text)?;
    let runs_on = sign.text.ends_with(is_word) && tail.starts_with(is_word);
    (!runs_on).then_some(tail)
}

/// Whether a name follows: a space or hyphen, and a capital letter.
fn leads_on(tail: &str) -> bool {
    let rest = tail.strip_prefix(is_space).or_else(|| tail.strip_prefix('-'));
    rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

/// The two digits of `19€99`, in ten-thousandths, and where they end.
fn cents(text: &str, number: &Range<usize>, sign_end: usize) -> Option<(i64, usize)> {
    let is_plain = text.get(number.clone())?.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain || sign_end == number.end {
        return None;
    }
    let (digits, rest) = text.get(sign_end..)?.split_at_checked(2)?;
    let is_end = !rest.starts_with(|ch: char| is_word(ch) || matches!(ch, '.' | ','));
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    let cents: i64 = digits.parse().ok().filter(|_| is_end && are_digits)?;
    Some((cents * UNIT / 100, sign_end + 2))
}

fn priced(
    text: &str,
    number: Range<usize>,
    at: Range<usize>,
    currency: Currency,
) -> Option<PriceMatch> {
    let amount = decimal(text.get(number)?, currency.decimals())?;
    Some(PriceMatch { money: Money { amount, currency }, range: at })
}

fn is_dash(text: &str, from: usize, to: usize) -> bool {
    let gap = text.get(from..to).filter(|gap| gap.len() <= 8).unwrap_or_default();
    matches!(gap.trim(), "-" | "–" | "—" | "to")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_beside_a_currency_is_a_price() {
        for (text, expected) in [
            ("from $19.99 a month", "$19.99=19.99 $"),
            ("jetzt 1.299,00 € statt", "1.299,00 €=1299.00 EUR"),
            ("fiyat: ₺349,90", "₺349,90=349.90 TRY"),
            ("₺\u{a0}349,90", "₺\u{a0}349,90=349.90 TRY"),
            ("1.299,00 TL", "1.299,00 TL=1299.00 TRY"),
            ("349 tl.", "349 tl=349.00 TRY"),
            ("TL 349", "TL 349=349.00 TRY"),
            ("EUR 20", "EUR 20=20.00 EUR"),
            ("(USD 1,000.50)", "USD 1,000.50=1000.50 USD"),
            ("349,- €", "349,- €=349.00 EUR"),
            ("1 299 kr", "1 299 kr=1299.00 kr"),
            ("1\u{202f}299,50 €", "1\u{202f}299,50 €=1299.50 EUR"),
            ("CHF 1'200.-", "CHF 1'200=1200.00 CHF"),
            ("US$5", "US$5=5.00 USD"),
            ("20EUR", "20EUR=20.00 EUR"),
            ("19€99", "19€99=19.99 EUR"),
            ("19–29 €", "19=19.00 EUR|29 €=29.00 EUR"),
            ("$19-29", "$19=19.00 $|29=29.00 $"),
            ("$19.99 – $29.99", "$19.99=19.99 $|$29.99=29.99 $"),
            ("349 TL 299 TL", "349 TL=349.00 TRY|299 TL=299.00 TRY"),
            ("buy 5 $10 each", "$10=10.00 $"),
            ("20 EUR 30 USD", "20 EUR=20.00 EUR|30 USD=30.00 USD"),
            ("USD 20 EUR 30", "USD 20=20.00 USD|EUR 30=30.00 EUR"),
            ("2026 299 TL", "299 TL=299.00 TRY"),
            ("¥3,980", "¥3,980=3980.00 ¥"),
            ("50 Türk lirası", "50 Türk lirası=50.00 TRY"),
            ("349 TRY", "349 TRY=349.00 TRY"),
            ("TRY 349,90", "TRY 349,90=349.90 TRY"),
            ("PHP 1,299", "PHP 1,299=1299.00 PHP"),
            ("価格は550円です", "550円=550 JPY"),
            ("价格：99元起", "99元=99.00 CNY"),
            ("가격 5,000원입니다", "5,000원=5000 KRW"),
            ("ราคา 350 บาท", "350 บาท=350.00 THB"),
            ("USD1,000", "USD1,000=1000.00 USD"),
            ("9 TL kargo", "9 TL=9.00 TRY"),
        ] {
            let found: Vec<String> = prices(text)
                .into_iter()
                .map(|price| format!("{}={}", text.get(price.range).unwrap(), price.money))
                .collect();
            assert_eq!(found.join("|"), expected, "{text}");
        }
    }

    #[test]
    fn a_number_without_a_currency_is_none() {
        for text in [
            "2026",
            "v2 EUROPE",
            "A4 USDA",
            "10 km",
            "$",
            "3,14",
            "12 kramer",
            "abc12 TL",
            "5 Rust",
            "24 TLS",
            "7 leia",
            "AMD64",
            "for amd64 and AMD 64",
            "The TOP 10 of 2026",
            "ALL 50 STATES",
            "TRY 3 MONTHS",
            "5 TOP TIPS",
            "PHP 8",
            "CVE 2026",
            "2 TL Gemüsebrühe",
            "CAD2024",
        ] {
            assert!(prices(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn prices_are_capped_and_long_numbers_none() {
        assert_eq!(prices(&"€1 ".repeat(1000)).len(), MAX_PRICES);
        assert!(prices(&"1".repeat(100_000)).is_empty());
        assert!(prices(&format!("€{}", "1 ".repeat(50_000))).len() <= 1);
    }
}
