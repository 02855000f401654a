//! Facts in text: numbers with units, prices, percentages and years.

mod unit;

use self::unit::is_unit;
use crate::page::price;
use crate::text::fold::fold;

/// A fact.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Fact<'t> {
    /// What it is.
    pub(crate) kind: FactKind,
    /// It as written.
    pub(crate) text: &'t str,
    /// Bytes of the text before it.
    pub(crate) start: usize,
}

impl Fact<'_> {
    /// Whether it is what surveys and studies find in the text that it is of: a share, or how many hundred people or
    /// millions there are. A range of shares is an estimate or an instruction, none and all of something are offers.
    pub(crate) fn is_of_others(&self, text: &str) -> bool {
        let unit = self.text.rsplit(|ch: char| !ch.is_alphabetic()).next().unwrap_or_default();
        let digits = || self.text.chars().filter(char::is_ascii_digit);
        match self.kind {
            FactKind::Percentage => {
                let before = text.get(..self.start).unwrap_or_default().trim_end();
                let is_range = before.strip_suffix(['-', '–', '—']).is_some_and(ends_with_number)
                    || before.strip_suffix(" to").is_some_and(ends_with_number);
                let number: String = digits().collect();
                !is_range && !["0", "00", "100"].contains(&number.as_str())
            }
            FactKind::Measure => {
                let folded = fold(unit);
                unit::is_large_number(&folded)
                    || unit::is_of_many(&folded) && digits().count() >= MIN_DIGITS_OF_MANY
            }
            FactKind::Price | FactKind::Year => false,
        }
    }
}

/// Digits of a number of people that no one counts at a table.
const MIN_DIGITS_OF_MANY: usize = 3;

fn ends_with_number(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches('%').trim_end();
    text.ends_with(|ch: char| ch.is_ascii_digit())
}

/// What a fact is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FactKind {
    /// A number with a unit, or with the name of what is counted.
    Measure,
    /// A number beside a currency.
    Price,
    /// A share of a hundred.
    Percentage,
    /// A year from 1900 to 2099, alone or in a date.
    Year,
}

/// Facts of a text, in order. One pass.
pub(crate) fn facts(text: &str) -> impl Iterator<Item = Fact<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let start = at + rest.find(|ch: char| ch.is_ascii_digit())?;
            let len = price::number_len(text.get(start..)?.as_bytes());
            let end = start + len;
            at = end;
            if let Some(fact) = fact(text, start, end) {
                at = fact.start + fact.text.len();
                return Some(fact);
            }
        }
    })
}

/// The fact that a number is part of.
fn fact(text: &str, start: usize, end: usize) -> Option<Fact<'_>> {
    let (before, number, after) = (text.get(..start)?, text.get(start..end)?, text.get(end..)?);
    let make = |kind, from: usize, to: usize| {
        text.get(from..to).map(|text| Fact { kind, text, start: from })
    };
    if number.len() > MAX_NUMBER_BYTES {
        return None;
    }
    if let Some(currency) = price::currency_before(before) {
        return make(FactKind::Price, start - currency.len(), end);
    }
    if is_part_of_a_name(before) {
        return None;
    }
    if let Some(percent) = percent_before(before) {
        return make(FactKind::Percentage, start - percent, end);
    }
    if let Some(currency) = price::currency_after(after) {
        return make(FactKind::Price, start, end + currency.len());
    }
    if let Some((kind, len)) = unit(after) {
        return make(kind, start, end + len);
    }
    is_year(before, number, after).then(|| make(FactKind::Year, start, end)).flatten()
}

/// Bytes of a number that is a quantity.
const MAX_NUMBER_BYTES: usize = 20;

/// Whether a number goes on with a name such as `A4`, `GPT-4` or `v1.2`, or with a time such as 10:30.
fn is_part_of_a_name(before: &str) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        Some('x' | '×') => back.next().is_none_or(|ch| !ch.is_ascii_digit()),
        Some(ch) if ch.is_alphabetic() || matches!(ch, '_' | '#' | '@') => true,
        Some('-' | '.' | '/' | ':' | ',') => back.next().is_some_and(|ch| {
            // `10-15 kg` and `4/5` are quantities.
            ch.is_alphabetic() || ch == '_' || (before.ends_with(':') && ch.is_ascii_digit())
        }),
        _ => false,
    }
}

/// Bytes of the sign or the word for a percentage before a number, as Turkish has it.
fn percent_before(before: &str) -> Option<usize> {
    if before.ends_with('%') {
        return Some(1);
    }
    let word = before.strip_suffix(' ')?;
    let start = word.rfind(' ').map_or(0, |at| at + 1);
    let word = word.get(start..)?;
    (word.len() <= 8 && fold(word) == "yüzde").then(|| before.len() - start)
}

/// The unit after a number, and its bytes with what comes before it.
fn unit(after: &str) -> Option<(FactKind, usize)> {
    let mut rest = after;
    for sign in ['+', ' ', '\u{a0}', '\u{202f}', '-'] {
        rest = rest.strip_prefix(sign).unwrap_or(rest);
    }
    let gap = after.len() - rest.len();
    match rest.chars().next()? {
        '%' => return Some((FactKind::Percentage, gap + 1)),
        '″' | '′' | '°' if gap == 0 || rest.starts_with('°') => {
            let sign = rest.chars().next()?.len_utf8();
            let scale = rest.get(sign..)?.starts_with(['C', 'F']);
            return Some((FactKind::Measure, gap + sign + usize::from(scale)));
        }
        '/' => return scale(rest).map(|len| (FactKind::Measure, gap + len)),
        _ => {}
    }
    let len = rest
        .find(|ch: char| !ch.is_alphabetic() && !matches!(ch, 'µ' | '²' | '³'))
        .unwrap_or(rest.len());
    let word = rest.get(..len).filter(|word| !word.is_empty() && word.len() <= MAX_UNIT_BYTES)?;
    let folded = fold(word);
    let kind = match folded.as_str() {
        "percent" | "pct" => FactKind::Percentage,
        "x" if rest.get(len..)?.starts_with(|ch: char| ch.is_ascii_digit()) => return None,
        _ if is_unit(&folded) => FactKind::Measure,
        _ => return None,
    };
    Some((kind, gap + len))
}

const MAX_UNIT_BYTES: usize = 24;

/// Bytes of the scale of a rating: `/5` or `/10`.
fn scale(rest: &str) -> Option<usize> {
    ["/5", "/10", "/ 5", "/ 10"].into_iter().find_map(|scale| {
        let after = rest.strip_prefix(scale)?;
        let goes_on = after.starts_with(|ch: char| ch.is_alphanumeric() || ch == '/');
        (!goes_on).then_some(scale.len())
    })
}

/// Whether a number is a year, and no year of a copyright.
fn is_year(before: &str, number: &str, after: &str) -> bool {
    let last = number.rsplit(['.', '/']).next().unwrap_or(number);
    let is_alone = number.len() == 4 || (last.len() == 4 && (8..=10).contains(&number.len()));
    let is_in_range = last.len() == 4 && ["19", "20"].iter().any(|c| last.starts_with(c));
    let goes_on = after.starts_with(|ch: char| ch.is_alphanumeric() && ch != 's');
    let lead = before.trim_end();
    let tail: String = lead.chars().rev().take(9).collect();
    let is_copyright = lead.ends_with('©') || {
        let tail = fold(&tail.chars().rev().collect::<String>());
        tail.ends_with("(c)") || tail.ends_with("copyright")
    };
    is_alone && is_in_range && !goes_on && !is_copyright
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        facts(text).map(|fact| fact.text).collect()
    }

    #[test]
    fn numbers_with_units_prices_percentages_and_years_are_facts() {
        for (text, facts) in [
            ("holds 1.7 liters and weighs 1,2 kg", vec!["1.7 liters", "1,2 kg"]),
            ("a 5-year warranty, 2,000+ customers", vec!["5-year", "2,000+ customers"]),
            ("from $19.99 or 1.299,00 TL", vec!["$19.99", "1.299,00 TL"]),
            ("grew 12% (12 percent) in 2024", vec!["12%", "12 percent", "2024"]),
            ("yüzde 20 daha az, %15 indirim", vec!["yüzde 20", "%15"]),
            (
                "2 yıllık garanti, 3 gündür, 10 dakikada",
                vec!["2 yıllık", "3 gündür", "10 dakikada"],
            ),
            ("256 GB, 40 °C, 4,5/5, 30x40 cm", vec!["256 GB", "40 °C", "4,5/5", "40 cm"]),
            ("21.11.2026 ve 2026-11-21", vec!["21.11.2026", "2026"]),
            ("3 milyon kullanıcı", vec!["3 milyon"]),
            ("10–15 kg, 3x faster", vec!["15 kg", "3x"]),
            (
                "24 Zentimeter lang, wiegt 140 Gramm, kostet 18 Euro",
                vec!["24 Zentimeter", "140 Gramm", "18 Euro"],
            ),
            ("bei 20 Grad, in 3 Stunden", vec!["20 Grad", "3 Stunden"]),
            ("pèse 140 grammes et coûte 18 euros", vec!["140 grammes", "18 euros"]),
            ("mide 24 centímetros y dura 3 años", vec!["24 centímetros", "3 años"]),
            ("pesa 140 grammi, 3 ore a 180 gradi", vec!["140 grammi", "3 ore", "180 gradi"]),
            ("pesa 140 gramas e dura 2 anos", vec!["140 gramas", "2 anos"]),
            ("weegt 140 gram, na 3 uur", vec!["140 gram", "3 uur"]),
            (
                "waży 140 gramów, po 3 godzinach, 18 złotych",
                vec!["140 gramów", "3 godzinach", "18 złotych"],
            ),
        ] {
            assert_eq!(found(text), facts, "{text}");
        }
    }

    #[test]
    fn numbers_without_a_unit_are_none() {
        for text in [
            "GPT-4 and A4 and v1.2",
            "24/7 support",
            "Top 10 features",
            "call 0850 123 45 67",
            "at 10:30",
            "© 2026 Example",
            "Copyright 2026",
            "3 ayakkabı",
            "chapter 3",
            "article 12345",
            "",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }

    proptest! {
        #[test]
        fn facts_lie_in_their_text(text in "([0-9]{1,5}|[.,/%-]|[a-zışğü°²€$ ]{1,6}|\\PC){0,40}") {
            for fact in facts(&text) {
                prop_assert_eq!(text.get(fact.start..fact.start + fact.text.len()), Some(fact.text));
            }
        }
    }
}
