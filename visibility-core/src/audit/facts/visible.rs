//! Prices and availability that the visible page states about its subject.

use crate::audit::availability::{Availability, contains_phrase, folded};
use crate::audit::money::{Money, PricePurpose, prices, purposes, speaks_of_sending};
use crate::audit::page::AuditedPage;
use crate::page::content::{Block, BlockKind, BlockPosition};

/// Words of a block that can be a label or a heading.
const MAX_LABEL_WORDS: usize = 12;
/// Words of a block that is a price with a label.
const MAX_PRICE_WORDS: usize = 6;
/// Words of a block whose sentences are looked at.
const MAX_SENTENCE_WORDS: usize = 40;
/// Statements that are kept.
const MAX_STATEMENTS: usize = 50;
/// Prices that are kept.
const MAX_PRICES: usize = 500;

/// A price that a reader sees.
#[derive(Clone, Debug)]
pub(crate) struct VisiblePrice<'a> {
    pub(crate) money: Money,
    /// The price, as written.
    pub(crate) text: &'a str,
    /// Where it is; `None` outside of the main content.
    pub(crate) block: Option<&'a Block>,
    /// What it is for.
    purpose: PricePurpose,
}

impl VisiblePrice<'_> {
    /// Whether it may be a price of markup. A fraction that is set small may be part of the number:
    /// `$2499` is 24.99.
    pub(crate) fn fits(&self, own: Money) -> bool {
        let is_whole = || !self.text.contains(['.', ',', '\'', '’', ' ', '\u{a0}', '\u{202f}']);
        let is_run_on = || self.money.amount == own.amount.saturating_mul(100);
        self.money.fits(own) || is_run_on() && is_whole() && self.money.currency.fits(own.currency)
    }

    /// Whether it is one of this block, and not about shipping, installments or savings.
    pub(crate) fn is_asking_price_in(&self, block: &Block) -> bool {
        let is_it = self.block.is_some_and(|own| std::ptr::eq(own, block));
        is_it && self.purpose == PricePurpose::Own
    }

    /// Whether it is a price of few words in the section of the main heading, or that of a button: one
    /// that says nothing else, and nothing of other things.
    pub(crate) fn is_plain(&self, page: &AuditedPage<'_>) -> bool {
        self.block
            .is_some_and(|block| block.words() <= MAX_LABEL_WORDS && is_beside_heading(page, block))
    }
}

/// Whether a block is in the section of the main heading, or is a button.
pub(crate) fn is_beside_heading(page: &AuditedPage<'_>, block: &Block) -> bool {
    let mut beside = section(page).iter().chain(&page.content.buttons);
    beside.any(|other| std::ptr::eq(other, block))
}

/// The blocks from the main heading to the next one that begins a part or names another thing by its
/// link; a list ends it too, as those of things to choose from have prices of their own. Empty without
/// a main heading.
fn section<'a>(page: &'a AuditedPage<'_>) -> &'a [Block] {
    let own = own_blocks(page).get(title_at(page)..).unwrap_or_default();
    if own.first().is_none_or(|block| block.kind != BlockKind::Heading(1)) {
        return &[];
    }
    let is_linked = |block: &Block| page.content.links.iter().any(|link| link.text == block.text);
    let end = own
        .iter()
        .skip(1)
        .position(|block| match block.kind {
            BlockKind::Heading(1 | 2) => true,
            BlockKind::Heading(_) => is_linked(block),
            _ => {
                matches!(block.place, BlockPosition::List { .. }) && !prices(&block.text).is_empty()
            }
        })
        .map_or(own.len(), |end| end + 1);
    own.get(..end).unwrap_or_default()
}

/// Blocks before the main heading.
fn title_at(page: &AuditedPage<'_>) -> usize {
    let mut blocks = own_blocks(page).iter();
    blocks.position(|block| block.kind == BlockKind::Heading(1)).unwrap_or(0)
}

/// The blocks about the thing itself: those before the ones about other things.
pub(crate) fn own_blocks<'a>(page: &'a AuditedPage<'_>) -> &'a [Block] {
    page.content.blocks.get(..page.own_blocks).unwrap_or_default()
}

/// The prices that a reader sees beside the thing itself: those behind the heading first, those of
/// buttons last; none if there are none.
pub(crate) fn own_prices<'a>(page: &'a AuditedPage<'_>) -> Vec<VisiblePrice<'a>> {
    let (before, behind) = own_blocks(page).split_at(title_at(page));
    let mut own = prices_of(behind);
    own.extend(prices_of(before));
    own.extend(prices_of(&page.content.buttons));
    own
}

/// The price that is asked: the first one that is not about shipping, installments or savings, if there
/// is one; of two next to each other the lower one, as the other one is struck through or the regular
/// one.
pub(crate) fn asking_price<'p, 'a>(own: &'p [VisiblePrice<'a>]) -> Option<&'p VisiblePrice<'a>> {
    let mut asked = own.iter().filter(|seen| {
        seen.purpose == PricePurpose::Own && !seen.block.is_some_and(is_about_terms)
    });
    let first = asked.next()?;
    let lower = asked
        .next()
        .filter(|other| {
            let is_same =
                first.block.map(|block| block.node) == other.block.map(|block| block.node);
            is_same
                || [first.block, other.block]
                    .into_iter()
                    .all(|block| block.is_some_and(|block| block.words() <= MAX_PRICE_WORDS))
        })
        .filter(|other| {
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
    is_one
        && PHRASES.iter().any(|phrase| contains_phrase(&text, phrase))
        && !contains_phrase(&text, "price")
}

/// All prices that a reader sees.
pub(crate) fn all_prices<'a>(page: &'a AuditedPage<'_>) -> impl Iterator<Item = VisiblePrice<'a>> {
    let text = page.page().visible_text.as_str();
    let lines = text.lines().flat_map(|line| seen(line, None));
    prices_of(&page.content.blocks).into_iter().chain(lines).take(MAX_PRICES)
}

/// The prices of blocks.
pub(crate) fn prices_of(blocks: &[Block]) -> Vec<VisiblePrice<'_>> {
    blocks.iter().flat_map(|block| seen(&block.text, Some(block))).take(MAX_PRICES).collect()
}

fn seen<'a>(text: &'a str, block: Option<&'a Block>) -> impl Iterator<Item = VisiblePrice<'a>> {
    purposes(text).into_iter().filter_map(move |(price, purpose)| {
        Some(VisiblePrice { money: price.money, text: text.get(price.range)?, block, purpose })
    })
}

/// Whether the page says in a word that it costs nothing, and where.
pub(crate) fn says_free<'a>(page: &'a AuditedPage<'_>) -> Option<&'a Block> {
    const WORDS: [&str; 4] = ["free", "ucretsiz", "bedava", "bedelsiz"];
    let mut blocks = own_blocks(page).iter().chain(&page.content.buttons).take(1_000);
    blocks.find(|block| {
        let text = folded(&block.text);
        WORDS.iter().any(|word| contains_phrase(&text, word)) && !speaks_of_sending(&block.text)
    })
}

/// What the page says of whether the thing can be had, and where, in order.
///
/// Only short sentences of short blocks count: not those of lists, which are about sizes and the like. If
/// there are none, a button counts that says that it cannot be had where none sells it.
pub(crate) fn own_availability<'a>(page: &'a AuditedPage<'_>) -> Vec<(Availability, &'a Block)> {
    let of_block =
        |block: &'a Block| Availability::all_in(&block.text).map(move |state| (state, block));
    let own = own_blocks(page).iter().filter(|block| {
        block.words() <= MAX_SENTENCE_WORDS && !matches!(block.place, BlockPosition::List { .. })
    });
    let said: Vec<_> = own.flat_map(of_block).take(MAX_STATEMENTS).collect();
    let buttons = page.content.buttons.as_slice();
    if said.is_empty() && !buttons.iter().any(|button| crate::audit::profile::sells(&button.text)) {
        return buttons.iter().flat_map(of_block).take(1).collect();
    }
    said
}

/// The one state that all statements name.
pub(crate) fn only_state(said: &[(Availability, &Block)]) -> Option<Availability> {
    let (first, _) = said.first()?;
    said.iter().all(|(state, _)| state == first).then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    #[test]
    fn the_asking_price_is_distinguished_from_others() {
        for (body, expected) in [
            ("<p>Shipping: 4.90 €</p><p>349 €</p>", "349.00 EUR"),
            ("<p>750 TL üzeri kargo bedava</p><p>349 TL</p>", "349.00 TRY"),
            ("<p><del>€399</del> <ins>€349</ins></p>", "349.00 EUR"),
            ("<p>Sale price €349</p><p>Regular price €399</p>", "349.00 EUR"),
            ("<p>€349</p><p>3 x €116.33</p>", "349.00 EUR"),
            ("<p>Price: €349, shipping €4.90</p>", "349.00 EUR"),
            ("<p>Delivery 5 €</p>", "-"),
            ("<p>İlk siparişe 100 TL indirim</p>", "-"),
            ("<p>Customers moved $2 billion</p>", "-"),
            ("<p>Free shipping from €50</p><p>349 €</p>", "349.00 EUR"),
            ("<p>Shipping €4.90. Price: €349</p>", "349.00 EUR"),
            ("<p>Nothing</p>", "-"),
        ] {
            let snapshot = fixture(&format!("<h1>Lamp</h1>{body}"));
            let page = snapshot.audited();
            let own = own_prices(&page);
            let asked = asking_price(&own).map_or("-".to_owned(), |seen| seen.money.to_string());
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
