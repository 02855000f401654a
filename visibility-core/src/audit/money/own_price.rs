//! Finds the price of the product itself, as opposed to shipping costs and other prices.

use super::{PriceMatch, prices};
use crate::text::fold::fold_to_ascii;

/// Characters around a price that tell what it is for.
const CONTEXT_CHARS: usize = 50;

/// Beginnings of words for sending things, folded.
const SENDING: [&str; 9] = [
    "deliver", "gonderim", "kargo", "nakliye", "postage", "ship", "teslimat", "kuryeyle", "freight",
];
/// Words that make sending free, folded.
const FREE: [&str; 6] = ["bedava", "dahil", "free", "included", "includes", "ucretsiz"];
/// Words between free sending and the sum from which on it is, folded.
const FROM: [&str; 9] =
    ["above", "asan", "min", "minimum", "orders", "over", "siparislerde", "uzeri", "uzerinde"];

/// Words before a sum from which on sending is free, folded.
const FROM_BEFORE: [&str; 4] = ["from", "spend", "starting", "when"];
/// What is taken off or given, folded.
const REDUCTIONS: [&str; 17] = [
    "bonus", "cashback", "coupon", "discount", "gift", "hediye", "hediyesi", "indirim", "indirimi",
    "kazan", "kupon", "kuponu", "off", "puan", "save", "tasarruf", "voucher",
];
/// The text between a sum and that, folded.
const FILLERS: [&str; 10] =
    ["degerinde", "ek", "extra", "instant", "lik", "luk", "of", "tutarinda", "worth", "of"];
/// Words that make a number larger than the text there, folded; the short ones only without a space.
const SCALES: [&str; 21] = [
    "billion",
    "billionen",
    "billions",
    "bin",
    "bln",
    "bn",
    "milliard",
    "milliarden",
    "milliards",
    "million",
    "millionen",
    "millions",
    "milyar",
    "milyon",
    "mio",
    "mln",
    "mn",
    "mrd",
    "thousand",
    "tn",
    "trillion",
];
const SHORT_SCALES: [&str; 4] = ["b", "k", "m", "t"];

/// Beginnings of words for one of several payments.
const INSTALLMENTS: [&str; 6] = ["payment", "installment", "instalment", "rate", "taksit", "cuota"];
/// What a price is given for beside that of the thing.
const BASES: [&str; 8] = ["kg", "g", "l", "ml", "lb", "oz", "litre", "liter"];

/// Whether a price of a text is one that is asked for the thing itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum PricePurpose {
    /// It may be.
    Own,
    /// It is that of sending, a sum from which on sending is free, or what is taken off or given.
    Terms,
    /// It is not a price: billions.
    Amount,
}

/// The prices of a text in order, and what each is for. One pass.
pub(crate) fn purposes(text: &str) -> Vec<(PriceMatch, PricePurpose)> {
    let all = prices(text);
    let ends: Vec<usize> =
        std::iter::once(0).chain(all.iter().map(|price| price.range.end)).collect();
    let starts: Vec<usize> =
        all.iter().skip(1).map(|price| price.range.start).chain([text.len()]).collect();
    let around = ends.into_iter().zip(starts);
    let judged = all.into_iter().zip(around).map(|(price, (last_end, next_start))| {
        let before = text.get(last_end..price.range.start).unwrap_or_default();
        let after = text.get(price.range.end..next_start).unwrap_or_default();
        let purpose = if is_scaled(after) || is_measured_out(after) {
            PricePurpose::Amount
        } else if is_for_sending(before, after)
            || is_reduction(before, after)
            || is_rate(before, after)
        {
            PricePurpose::Terms
        } else {
            PricePurpose::Own
        };
        (price, purpose)
    });
    judged.collect()
}

/// Whether a text speaks of sending things.
pub(crate) fn speaks_of_sending(text: &str) -> bool {
    let start: String = text.chars().take(4 * CONTEXT_CHARS).collect();
    let folded = fold_to_ascii(&start);
    words(&folded).any(|word| SENDING.iter().any(|start| word.starts_with(start)))
}

const ENDS: [char; 8] = ['.', '!', '?', ';', '|', '•', '·', '\n'];

/// The text before a price in its part of the sentence, folded.
fn folded_before(before: &str) -> String {
    let before: String = before
        .rsplit(ENDS)
        .next()
        .unwrap_or_default()
        .rsplit(',')
        .next()
        .unwrap_or_default()
        .chars()
        .rev()
        .take(CONTEXT_CHARS)
        .collect();
    fold_to_ascii(&before.chars().rev().collect::<String>())
}

/// The text after a price in its part of the sentence, folded.
fn folded_after(after: &str) -> String {
    let after = after.split(ENDS).next().unwrap_or_default().split(',').next().unwrap_or_default();
    fold_to_ascii(&after.chars().take(CONTEXT_CHARS).collect::<String>())
}

fn is_for_sending(before: &str, after: &str) -> bool {
    let (before, after) = (folded_before(before), folded_after(after));
    let is_sending = |word: &str| SENDING.iter().any(|start| word.starts_with(start));
    let has = |text: &str, wanted: &[&str]| words(text).any(|word| wanted.contains(&word));
    let is_free = has(&before, &FREE) && !has(&before, &FROM) && !has(&before, &FROM_BEFORE);
    if words(&before).any(is_sending) && !is_free {
        return true;
    }
    let mut follow = words(&after);
    match follow.next() {
        Some(first) if is_sending(first) => !follow.take(2).any(|word| FREE.contains(&word)),
        Some("ve" | "and") => follow.next().is_some_and(|word| FROM.contains(&word)),
        Some(first) => FROM.contains(&first),
        None => false,
    }
}

/// Whether a sum is taken off or given: `$20 off`, `100 TL indirim`, `a coupon of $5`. Of percents, the
/// sum is what is left.
fn is_reduction(before: &str, after: &str) -> bool {
    let (before, after) = (folded_before(before), folded_after(after));
    let is_reduced = |word: &str| REDUCTIONS.contains(&word);
    let is_filler = |word: &&str| FILLERS.contains(word);
    let behind = words(&after).find(|word| !is_filler(word));
    if behind.is_some_and(is_reduced) {
        return true;
    }
    let last = words(&before).filter(|word| !is_filler(word)).last();
    !before.contains('%') && last.is_some_and(is_reduced)
}

/// Whether a number goes on: `$2 billion`, `$30M`.
fn is_scaled(after: &str) -> bool {
    let trimmed = after.trim_start_matches([' ', '\u{a0}']);
    let end = trimmed.find(|ch: char| !ch.is_alphabetic()).unwrap_or(trimmed.len());
    let Some(word) = trimmed.get(..end).filter(|word| word.len() <= 10) else { return false };
    let word = fold_to_ascii(word);
    let is_apart = trimmed.len() < after.len();
    SCALES.contains(&word.as_str()) || !is_apart && SHORT_SCALES.contains(&word.as_str())
}

/// Whether it is an amount of something: `2 TL of broth` are tablespoons.
fn is_measured_out(after: &str) -> bool {
    folded_after(after).trim_start().starts_with("of ")
}

/// Whether it is what one of several payments is, or an amount of the thing: `4 payments of 12.25 EUR`, `2.90 EUR / 100 g`.
fn is_rate(before: &str, after: &str) -> bool {
    let (before, after) = (folded_before(before), folded_after(after));
    let is_part = |word: &str| INSTALLMENTS.iter().any(|start| word.starts_with(start));
    let is_count = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut last =
        words(&before).filter(|word| !FILLERS.contains(word) && *word != "of").collect::<Vec<_>>();
    let is_payment = last.pop().is_some_and(is_part) && last.pop().is_some_and(is_count);
    let base = after.trim_start();
    let per = ["/", "per ", "je ", "pro ", "par "].iter().find_map(|sign| base.strip_prefix(sign));
    let is_of_amount = per.map(str::trim_start).is_some_and(|amount| {
        amount.starts_with(|ch: char| ch.is_ascii_digit())
            || words(amount).next().is_some_and(|unit| BASES.contains(&unit))
    });
    is_payment || is_of_amount
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sending_costs_is_not_the_price() {
        for (text, expected) in [
            ("Add 2 TL of broth", None),
            ("4 payments of 12.25 EUR", None),
            ("49 EUR or 4 payments of 12.25 EUR", Some("49 EUR")),
            ("2.90 EUR / 100 g", None),
            ("14.50 EUR (2.90 EUR/kg)", Some("14.50 EUR")),
            ("49 EUR / month", Some("49 EUR")),
            ("349.00 EUR", Some("349.00 EUR")),
            ("In stock, shipped within 2 days for 4.90 EUR", None),
            ("Price: 349 EUR, VAT included. Shipped for 4.90 EUR.", Some("349 EUR")),
            ("Shipping: 4.90 EUR. Price: 349 EUR", Some("349 EUR")),
            ("4.90 € shipping, 349 €", Some("349 €")),
            ("Free shipping over $35", None),
            ("Free shipping! $20", Some("$20")),
            ("349 EUR, free shipping", Some("349 EUR")),
            ("349 EUR shipping included", Some("349 EUR")),
            ("349,00 TL kargo bedava", Some("349,00 TL")),
            ("Kargo ücreti 49,90 TL", None),
            ("500 TL ve üzeri siparişlerde kargo ücretsiz", None),
            ("500 TL üzeri ücretsiz kargo", None),
            ("Free shipping from €50", None),
            ("Free shipping when you spend $40", None),
            ("Buy it for $349 from Acme", Some("$349")),
            ("İlk siparişe 100 TL indirim", None),
            ("50 TL'lik kupon", None),
            ("Get $20 off your first order", None),
            ("250 TL hediye çeki", None),
            ("Sepette %20 indirim 279 TL", Some("279 TL")),
            ("$279 (20% off)", Some("$279")),
            ("Customers moved $2 billion, and we raised $30M", None),
            ("Cybercrime costs $10.5T, and 3 Mrd. EUR, 20 Millionen", None),
            ("Umsatz von € 5 Milliarden", None),
            ("$5 milyon", None),
            ("$20/month", Some("$20")),
            ("349 TL M beden", Some("349 TL")),
            ("no price", None),
            ("", None),
        ] {
            let all = purposes(text).into_iter();
            let own = all.filter(|(_, purpose)| *purpose == PricePurpose::Own);
            let found = own.map(|(price, _)| price.range).next().and_then(|at| text.get(at));
            assert_eq!(found, expected, "{text}");
        }
    }
}
