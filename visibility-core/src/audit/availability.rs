//! Availability of a product, in markup and in prose.

use std::sync::OnceLock;

use crate::text::fold::fold_to_ascii;
use crate::text::phrases::Phrases;

/// Whether something can be had.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Availability {
    /// Now.
    InStock,
    /// Later, and it can be ordered now.
    PreOrder,
    /// After a wait, and it can be ordered now.
    BackOrder,
    /// Not now.
    OutOfStock,
    /// Never again.
    Discontinued,
}

impl Availability {
    /// The state that a value of `availability` means: `https://schema.org/InStock`, `InStock`, `in_stock`.
    ///
    /// Those of schema.org that come to the same are one: `LimitedAvailability` is in stock, `SoldOut`
    /// is out of stock.
    pub fn from_markup(value: &str) -> Option<Self> {
        let name: String = value
            .trim()
            .trim_end_matches('/')
            .rsplit(['/', ':', '#'])
            .next()?
            .chars()
            .filter(char::is_ascii_alphabetic)
            .take(32)
            .collect::<String>()
            .to_ascii_lowercase();
        match name.as_str() {
            "instock" | "limitedavailability" | "instoreonly" | "onlineonly" => Some(Self::InStock),
            "preorder" | "presale" => Some(Self::PreOrder),
            "backorder" | "madetoorder" | "reserved" => Some(Self::BackOrder),
            "outofstock" | "soldout" => Some(Self::OutOfStock),
            "discontinued" => Some(Self::Discontinued),
            _ => None,
        }
    }

    /// What a line of text says, in English or Turkish.
    ///
    /// Only for short texts such as one block: in a long one the words may be about anything.
    pub fn from_text(text: &str) -> Option<Self> {
        let end = text.floor_char_boundary(MAX_BYTES);
        let folded = folded(text.get(..end).unwrap_or_default());
        let rank = |phrase| PHRASES.iter().position(|(_, phrases)| phrases.contains(&phrase));
        let meanings = finder().find(&folded).filter_map(|found| rank(found.phrase));
        PHRASES.get(meanings.min()?).and_then(|(state, _)| *state)
    }

    /// The name that schema.org has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::InStock => "InStock",
            Self::PreOrder => "PreOrder",
            Self::BackOrder => "BackOrder",
            Self::OutOfStock => "OutOfStock",
            Self::Discontinued => "Discontinued",
        }
    }
}

/// Bytes of a line that are looked at.
const MAX_BYTES: usize = 2_000;

/// Finds all phrases at once: this is asked of every block of a page.
fn finder() -> &'static Phrases {
    static FINDER: OnceLock<Phrases> = OnceLock::new();
    FINDER.get_or_init(|| {
        let phrases = PHRASES.iter().flat_map(|(_, phrases)| phrases.iter().copied());
        Phrases::new(&phrases.collect::<Vec<_>>(), &[])
    })
}

/// Phrases, folded, by what they mean; what comes first wins. `None` for what only sounds like one.
const PHRASES: [(Option<Availability>, &[&str]); 6] = [
    (
        None,
        &[
            "back in stock",
            "when in stock",
            "tekrar stokta",
            "stoga girince",
            "stoga gelince",
            "in stock photo",
            "in stock market",
            "stok kodu",
            "stok adedi",
        ],
    ),
    (
        Some(Availability::Discontinued),
        &[
            "discontinued",
            "no longer available",
            "uretimden kaldirildi",
            "artik satilmiyor",
            "uretimi durduruldu",
        ],
    ),
    (
        Some(Availability::OutOfStock),
        &[
            "out of stock",
            "sold out",
            "not in stock",
            "currently unavailable",
            "temporarily unavailable",
            "not available",
            "no stock",
            "tukendi",
            "tukenmistir",
            "stokta yok",
            "stokta bulunmuyor",
            "stokta bulunmamaktadir",
            "stokta kalmadi",
            "stoklarda yok",
            "stok yok",
            "stokta degil",
            "mevcut degil",
            "temin edilemiyor",
            "stok disi",
        ],
    ),
    (
        Some(Availability::PreOrder),
        &["pre-order", "preorder", "pre order", "on siparis", "on satis", "on siparise ozel"],
    ),
    (
        Some(Availability::BackOrder),
        &[
            "backorder",
            "back-order",
            "on backorder",
            "made to order",
            "siparis uzerine",
            "siparise ozel uretim",
        ],
    ),
    (
        Some(Availability::InStock),
        &[
            "in stock",
            "in-stock",
            "available now",
            "ready to ship",
            "ships today",
            "ships within",
            "left in stock",
            "stokta",
            "stokta var",
            "stokta mevcut",
            "stoklarda",
            "stokta mevcuttur",
            "stok var",
            "stok: var",
            "stok durumu: var",
            "hemen teslim",
            "ayni gun kargo",
            "bugun kargoda",
            "yarin kapinda",
            "hazir stok",
            "available",
        ],
    ),
];

/// Lower case, with the letters of Turkish as their nearest ones of ASCII, white space collapsed: what
/// two spellings of a word have in common.
pub fn folded(text: &str) -> String {
    let folded = fold_to_ascii(text);
    if is_collapsed(&folded) {
        return folded;
    }
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a text, [`folded`], one space apart and without what is between them.
pub(crate) fn folded_words(text: &str) -> String {
    let mut words = fold_to_ascii(text);
    words = words.replace(|ch: char| !ch.is_alphanumeric(), " ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether words are separated by single spaces, as those of blocks are.
fn is_collapsed(text: &str) -> bool {
    let spaces = text.bytes().map(|byte| byte.is_ascii_whitespace());
    let plain = text.bytes().all(|byte| byte == b' ' || !byte.is_ascii_whitespace());
    let apart = spaces.clone().zip(spaces.skip(1)).all(|(one, next)| !(one && next));
    plain && apart && text.trim_ascii().len() == text.len() && text.is_ascii()
}

/// Whether a phrase is in a folded text as whole words.
///
/// Lists of phrases are looked for in many short texts: a look at each first byte costs less than to make
/// a searcher ready.
pub fn contains_phrase(folded: &str, phrase: &str) -> bool {
    let Some(first) = phrase.bytes().next() else { return false };
    memchr::memchr_iter(first, folded.as_bytes()).any(|at| {
        let Some((before, from)) = folded.split_at_checked(at) else { return false };
        let rest = from.strip_prefix(phrase);
        rest.is_some_and(|rest| {
            !before.ends_with(char::is_alphanumeric) && !rest.starts_with(char::is_alphanumeric)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_names_a_state_in_many_ways() {
        for (value, state) in [
            ("https://schema.org/InStock", Some(Availability::InStock)),
            ("http://schema.org/OutOfStock/", Some(Availability::OutOfStock)),
            ("in_stock", Some(Availability::InStock)),
            ("schema:PreOrder", Some(Availability::PreOrder)),
            ("LimitedAvailability", Some(Availability::InStock)),
            ("SoldOut", Some(Availability::OutOfStock)),
            ("BackOrder", Some(Availability::BackOrder)),
            ("Discontinued", Some(Availability::Discontinued)),
            ("yes", None),
            ("", None),
        ] {
            assert_eq!(Availability::from_markup(value), state, "{value}");
        }
    }

    #[test]
    fn prose_says_it_in_english_and_turkish() {
        for (text, state) in [
            ("In stock", Some(Availability::InStock)),
            ("12 left in stock", Some(Availability::InStock)),
            ("IN STOCK!", Some(Availability::InStock)),
            ("Stokta", Some(Availability::InStock)),
            ("Stok durumu: VAR", Some(Availability::InStock)),
            ("Out of stock", Some(Availability::OutOfStock)),
            ("This is not in stock", Some(Availability::OutOfStock)),
            ("SOLD OUT", Some(Availability::OutOfStock)),
            ("TÜKENDİ", Some(Availability::OutOfStock)),
            ("Tükendi", Some(Availability::OutOfStock)),
            ("Stokta yok", Some(Availability::OutOfStock)),
            ("STOKTA KALMADI", Some(Availability::OutOfStock)),
            ("Pre-order now", Some(Availability::PreOrder)),
            ("Ön sipariş", Some(Availability::PreOrder)),
            ("Discontinued", Some(Availability::Discontinued)),
            ("Tell me when it is back in stock", None),
            ("stockings", None),
            ("Stok kodu: 42", None),
            ("Out\u{a0}of \u{200b}\n stock", Some(Availability::OutOfStock)),
            ("We sell socks", None),
        ] {
            assert_eq!(Availability::from_text(text), state, "{text}");
        }
    }
}
