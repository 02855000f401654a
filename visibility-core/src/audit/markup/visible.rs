//! What a reader sees of the thing that a page is about: its prices, and whether it can be had.

use crate::audit::availability::{Availability, folded, stands_in};
use crate::audit::money::{Money, prices};
use crate::audit::page::AuditedPage;
use crate::page::content::{Block, BlockKind};

/// Words of a block that can be a label or a heading.
const MAX_LABEL_WORDS: usize = 12;
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
        let sentences = block.text.split_inclusive(['.', '!', '?', ';']).take(MAX_SENTENCES);
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
