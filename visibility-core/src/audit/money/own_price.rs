//! The price of the thing itself, and not what it costs to send it.

use super::{Priced, prices};
use crate::audit::prose::fold::fold_to_ascii;

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

/// The first price of a text that is not that of sending, and not a sum from which on sending is free.
pub(crate) fn own_price(text: &str) -> Option<Priced> {
    let all = prices(text);
    let ends = std::iter::once(0).chain(all.iter().map(|price| price.at.end));
    let starts = all.iter().skip(1).map(|price| price.at.start).chain([text.len()]);
    let around = ends.zip(starts);
    let mut own = all.iter().zip(around).filter(|(price, (last_end, next_start))| {
        let before = text.get(*last_end..price.at.start).unwrap_or_default();
        let after = text.get(price.at.end..*next_start).unwrap_or_default();
        !is_for_sending(before, after)
    });
    own.next().map(|(price, _)| price.clone())
}

fn is_for_sending(before: &str, after: &str) -> bool {
    const ENDS: [char; 8] = ['.', '!', '?', ';', '|', '•', '·', '\n'];
    let before = before.rsplit(ENDS).next().unwrap_or_default();
    let before = before.rsplit(',').next().unwrap_or_default();
    let before: String = before.chars().rev().take(CONTEXT_CHARS).collect();
    let before = fold_to_ascii(&before.chars().rev().collect::<String>());
    let after = after.split(ENDS).next().unwrap_or_default();
    let after = after.split(',').next().unwrap_or_default();
    let after = fold_to_ascii(&after.chars().take(CONTEXT_CHARS).collect::<String>());
    let is_sending = |word: &str| SENDING.iter().any(|start| word.starts_with(start));
    let has = |text: &str, wanted: &[&str]| words(text).any(|word| wanted.contains(&word));
    let is_free = has(&before, &FREE) && !has(&before, &FROM);
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

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sending_costs_is_not_the_price() {
        for (text, expected) in [
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
            ("no price", None),
            ("", None),
        ] {
            let found = own_price(text).and_then(|price| text.get(price.at));
            assert_eq!(found, expected, "{text}");
        }
    }
}
