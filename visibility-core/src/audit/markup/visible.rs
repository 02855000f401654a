//! What a reader sees of the thing that a page is about: its prices, and whether it can be had.

use crate::audit::availability::{Availability, folded, stands_in};
use crate::audit::money::{Money, prices};
use crate::audit::page::AuditedPage;
use crate::page::content::{Block, BlockKind};

/// Words of a block that can be a label or a heading.
const MAX_LABEL_WORDS: usize = 12;
/// Words of a block that is a price with a label.
const MAX_PRICE_WORDS: usize = 6;
/// Words of a block whose sentences are looked at, and how many of them are.
const MAX_SENTENCE_WORDS: usize = 40;
const MAX_SENTENCES: usize = 10;
/// Prices that are kept.
const MAX_PRICES: usize = 500;

/// A price that a reader sees.
#[derive(Clone, Debug)]
pub(crate) struct SeenPrice<'a> {
    /// The price.
    pub(crate) money: Money,
    /// The price, as written.
    pub(crate) text: &'a str,
    /// Where it stands; `None` outside of the main content.
    pub(crate) block: Option<&'a Block>,
}

/// The blocks about the thing itself: those before the ones about other things.
pub(crate) fn own_blocks<'a>(page: &'a AuditedPage<'_>) -> &'a [Block] {
    let blocks = page.content.blocks.as_slice();
    let is_title = |block: &Block| block.kind == BlockKind::Heading(1);
    let title = blocks.iter().position(is_title).unwrap_or(0);
    let after = blocks.iter().skip(title + 1);
    let end = after.clone().position(|block| is_title(block) || is_about_others(block));
    blocks.get(..end.map_or(blocks.len(), |end| title + 1 + end)).unwrap_or_default()
}

fn is_about_others(block: &Block) -> bool {
    const PHRASES: [&str; 22] = [
        "related products",
        "related items",
        "you may also",
        "you might also",
        "customers also",
        "similar products",
        "similar items",
        "recently viewed",
        "frequently bought",
        "recommended for you",
        "more from",
        "people also",
        "benzer urunler",
        "ilgili urunler",
        "bunlari da",
        "birlikte alinan",
        "son goruntulenen",
        "onerilen urunler",
        "sizin icin",
        "diger urunler",
        "ilginizi cekebilir",
        "bu urune bakanlar",
    ];
    let is_label = matches!(block.kind, BlockKind::Heading(_)) || block.words() <= MAX_LABEL_WORDS;
    is_label && {
        let text = folded(&block.text);
        PHRASES.iter().any(|phrase| stands_in(&text, phrase))
    }
}

/// The prices that a reader sees beside the thing itself, those of buttons last; none if there are none.
pub(crate) fn own_prices<'a>(page: &'a AuditedPage<'_>) -> Vec<SeenPrice<'a>> {
    let mut own = prices_of(own_blocks(page));
    own.extend(prices_of(&page.content.buttons));
    own
}

/// The price that is asked: the first one that is not about shipping or installments; of two that stand
/// together the lower one, as the other one is struck through or the regular one.
pub(crate) fn asked_price<'p, 'a>(own: &'p [SeenPrice<'a>]) -> Option<&'p SeenPrice<'a>> {
    let mut asked = own.iter().filter(|seen| !seen.block.is_some_and(is_about_terms));
    let Some(first) = asked.next() else { return own.first() };
    let is_beside = |other: &&SeenPrice<'_>| {
        let is_short = |block: &Block| block.words() <= MAX_PRICE_WORDS;
        let is_same = first.block.map(|block| block.node) == other.block.map(|block| block.node);
        is_same || [first.block, other.block].into_iter().all(|block| block.is_some_and(is_short))
    };
    let lower = asked.next().filter(is_beside).filter(|other| {
        let (one, two) = (first.money, other.money);
        one.currency.fits(two.currency)
            && two.amount < one.amount
            && two.amount * 10 > one.amount * 4
    });
    Some(lower.unwrap_or(first))
}

/// Whether a block is about shipping, installments or savings.
fn is_about_terms(block: &Block) -> bool {
    const PHRASES: [&str; 14] = [
        "shipping",
        "delivery",
        "orders over",
        "orders above",
        "spend",
        "save",
        "installments",
        "kargo",
        "teslimat",
        "uzeri",
        "uzerindeki",
        "taksit",
        "taksitle",
        "tasarruf",
    ];
    let text = folded(&block.text);
    let is_one = prices(&block.text).len() == 1;
    is_one && PHRASES.iter().any(|phrase| stands_in(&text, phrase)) && !stands_in(&text, "price")
}

/// All prices that a reader sees.
pub(crate) fn all_prices<'a>(page: &'a AuditedPage<'_>) -> impl Iterator<Item = SeenPrice<'a>> {
    let text = page.page().visible_text.as_str();
    let lines = text.lines().flat_map(|line| seen(line, None));
    prices_of(&page.content.blocks).into_iter().chain(lines).take(MAX_PRICES)
}

/// The prices of blocks.
pub(crate) fn prices_of(blocks: &[Block]) -> Vec<SeenPrice<'_>> {
    blocks.iter().flat_map(|block| seen(&block.text, Some(block))).take(MAX_PRICES).collect()
}

fn seen<'a>(text: &'a str, block: Option<&'a Block>) -> impl Iterator<Item = SeenPrice<'a>> {
    prices(text).into_iter().filter_map(move |price| {
        Some(SeenPrice { money: price.money, text: text.get(price.at)?, block })
    })
}

/// What the page says of whether the thing can be had, and where.
///
/// Only short sentences of short blocks count, and a button that says that it cannot be had where none sells it.
pub(crate) fn own_availability<'a>(page: &'a AuditedPage<'_>) -> Option<(Availability, &'a Block)> {
    let of_block = |block: &'a Block| {
        let sentences = block.text.split_inclusive(['.', '!', '?', ';', ',']).take(MAX_SENTENCES);
        let mut short = sentences.filter(|text| text.split_whitespace().count() <= MAX_LABEL_WORDS);
        Some((short.find_map(Availability::of_text)?, block))
    };
    let short = own_blocks(page).iter().filter(|block| block.words() <= MAX_SENTENCE_WORDS);
    if let Some(said) = short.into_iter().find_map(of_block) {
        return Some(said);
    }
    let buttons = page.content.buttons.as_slice();
    if buttons.iter().any(|button| crate::audit::profile::sells(&button.text)) {
        return None;
    }
    buttons.iter().find_map(of_block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    #[test]
    fn the_price_that_is_asked_is_told_from_others() {
        for (body, expected) in [
            ("<p>Shipping: 4.90 €</p><p>349 €</p>", "349.00 EUR"),
            ("<p>750 TL üzeri kargo bedava</p><p>349 TL</p>", "349.00 TRY"),
            ("<p><del>€399</del> <ins>€349</ins></p>", "349.00 EUR"),
            ("<p>Sale price €349</p><p>Regular price €399</p>", "349.00 EUR"),
            ("<p>€349</p><p>3 x €116.33</p>", "349.00 EUR"),
            ("<p>Price: €349, shipping €4.90</p>", "349.00 EUR"),
            ("<p>Delivery 5 €</p>", "5.00 EUR"),
            ("<p>Nothing</p>", "-"),
        ] {
            let snapshot = fixture(&format!("<h1>Lamp</h1>{body}"));
            let page = snapshot.audited();
            let own = own_prices(&page);
            let asked = asked_price(&own).map_or("-".to_owned(), |seen| seen.money.to_string());
            assert_eq!(asked, expected, "{body}");
        }
    }

    #[test]
    fn what_is_about_other_things_is_not_about_this_one() {
        let snapshot = fixture("<p>a</p><h1>Lamp</h1><p>b</p><h2>Benzer Ürünler</h2><p>c</p>");
        let page = snapshot.audited();
        let own: Vec<&str> = own_blocks(&page).iter().map(|block| block.text.as_str()).collect();
        assert_eq!(own, ["a", "Lamp", "b"]);
    }
}
