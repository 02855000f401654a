//! Availability of a product, in markup and in prose.

use std::sync::OnceLock;

use crate::text::fold::fold_to_ascii;
use crate::text::phrases::{PhraseMatch, Phrases};

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

    /// What a line of text says of a thing, in one of the languages of the phrases.
    ///
    /// A line says it if it says nothing else: "In stock", "Only 3 left in stock!", "Available now, ships in
    /// 2 days". "Our team is available day and night" is about something else.
    pub fn from_text(text: &str) -> Option<Self> {
        let end = text.floor_char_boundary(MAX_BYTES);
        let folded = folded(text.get(..end).unwrap_or_default());
        let rank = |phrase| PHRASES.iter().position(|(_, phrases)| phrases.contains(&phrase));
        let found: Vec<PhraseMatch> = finder().find(&folded).collect();
        let best = found.iter().filter_map(|found| rank(found.phrase)).min()?;
        let (state, _) = PHRASES.get(best)?;
        let mut rest = folded;
        for one in found.iter().rev() {
            rest.replace_range(one.start..one.end, " ");
        }
        let mut words = rest.split(|ch: char| !ch.is_alphanumeric() && ch != '\'');
        words.all(is_of_stock).then_some(*state).flatten()
    }

    /// What the parts of a text say, each as long as a statement of stock may be.
    pub(crate) fn all_in(text: &str) -> impl Iterator<Item = Self> {
        let parts = text.split_inclusive(['.', '!', '?', ';', ',', '|', '·', '•', '\n']);
        let short =
            parts.take(MAX_PARTS).filter(|text| text.split_whitespace().count() <= MAX_WORDS);
        short.filter_map(Self::from_text)
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

/// Whether a word beside a phrase leaves it one about stock: numbers, prices, and words of [`BESIDE`].
fn is_of_stock(word: &str) -> bool {
    word.is_empty()
        || word.starts_with(|ch: char| ch.is_ascii_digit())
        || BESIDE.split_ascii_whitespace().any(|known| known == word)
}

/// Words beside such a phrase that say nothing of another thing, folded.
const BESIDE: &str = "a an and as at be by can currently day days delivery dispatch dispatched for free from full \
    get has have high hour hours hr hrs hurry immediate immediately in is it item items just last left limited low \
    many may monday more most next now of on one online only or order our out piece pieces product products quantity \
    quick quickly ready remaining right s same sale selling ship shipped shipping ships size soon status stock supply \
    that the there these they this to today tomorrow ship unit units until usually very we week weeks when will within \
    working you your yes availability available eur usd gbp try tl cad aud chf new color variant sorry will again \
    not are unfortunately business express fast instant low almost currently still limited warehouse \
    adet var hemen son stok stoklarda stokta durumu durum bugun yarin kargo kargoda teslimat ve bu urun urunde su anda \
    yalnizca sadece sinirli sayida gun icinde is ile kaldi az tek";

/// Parts of a text that are looked at, and words of the longest one.
const MAX_PARTS: usize = 10;
const MAX_WORDS: usize = 12;
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
            "nicht mehr lieferbar",
            "nicht mehr erhältlich",
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
            "ausverkauft",
            "nicht lieferbar",
            "nicht auf lager",
            "nicht vorrätig",
            "nicht verfugbar",
            "vergriffen",
            "rupture de stock",
            "en rupture",
            "épuisé",
            "agotado",
            "sin stock",
            "esaurito",
            "non disponibile",
            "esgotado",
            "uitverkocht",
            "niet op voorraad",
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
            "auf lager",
            "sofort lieferbar",
            "lieferbar",
            "vorrätig",
            "en stock",
            "disponibile",
            "em estoque",
            "op voorraad",
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
            ("Only 42 items left in stock!", Some(Availability::InStock)),
            ("Auf Lager", Some(Availability::InStock)),
            ("Nicht lieferbar", Some(Availability::OutOfStock)),
            ("En stock", Some(Availability::InStock)),
            ("Our monitoring team is available 24/7", None),
            ("Outlet items are not available in stores", None),
            ("In stock Gentoo", None),
            ("Available in five colors", None),
        ] {
            assert_eq!(Availability::from_text(text), state, "{text}");
        }
    }
}
