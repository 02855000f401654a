//! Prices and availability.

use serde_json::Map;

use super::{Compared, Shown, right};
use crate::audit::availability::{Availability, folded, stands_in};
use crate::audit::markup::visible::{self, SeenPrice};
use crate::audit::markup::{MainEntity, MarkupOffer, MarkupPrice, Spot};
use crate::audit::money::{Money, decimal};
use crate::audit::page::AuditedPage;
use crate::page::content::Block;

/// Words of a block that may be a bare price.
const MAX_LABEL_WORDS: usize = 6;

/// The prices of the offers beside the visible ones.
///
/// One of them has to be visible, so that neither variants nor old prices that are struck through make
/// a conflict; of a range, any price in it.
pub(super) fn price<'a>(page: &'a AuditedPage<'_>, main: &MainEntity) -> Option<Compared<'a>> {
    let offers = page.markup.offers(&main.object);
    let prices: Vec<&MarkupPrice<'_>> = offers
        .iter()
        .flat_map(|offer| &offer.prices)
        .filter(|price| price.money.is_some())
        .collect();
    let first = prices.first()?;
    let money: Vec<Money> = prices.iter().filter_map(|price| price.money).collect();
    let range = range(&prices);
    let fits = |seen: Money| {
        let is_within = |(low, high): (Money, Money)| {
            (low.amount..=high.amount).contains(&seen.amount) && seen.currency.fits(low.currency)
        };
        money.iter().any(|own| own.fits(seen)) || range.is_some_and(is_within)
    };
    let own = visible::own_prices(page);
    let is_free = || money.iter().any(|own| own.amount == 0) && says_free(page);
    let shown = if own.iter().any(|seen| fits(seen.money)) || is_free() {
        Shown::Same
    } else if let Some(seen) = visible::asked_price(&own) {
        other(seen, first)
    } else if visible::all_prices(page).any(|seen| fits(seen.money)) || stands_bare(page, &money) {
        Shown::Same
    } else {
        hidden(page, fits).map_or(Shown::Nothing, Shown::Hidden)
    };
    Some(Compared {
        property: "price",
        markup: first.money.map(|money| money.to_string()).unwrap_or_default(),
        spot: Spot::of(page, main, first.property, first.value),
        shown,
    })
}

/// The lowest and the highest price of an aggregate.
fn range(prices: &[&MarkupPrice<'_>]) -> Option<(Money, Money)> {
    let of = |property| prices.iter().find(|price| price.property == property)?.money;
    Some((of("lowPrice")?, of("highPrice")?))
}

fn other<'a>(seen: &SeenPrice<'a>, markup: &MarkupPrice<'_>) -> Shown<'a> {
    let mut lines = right(markup.property, seen.money.markup_text());
    let own = markup.money.map(|money| money.currency);
    if let Some(code) = seen.money.currency.code()
        && own.is_none_or(|own| !own.fits(seen.money.currency))
    {
        lines.insert("priceCurrency".to_owned(), code.into());
    }
    Shown::Other { text: seen.text.to_owned(), block: seen.block, right: lines }
}

/// Whether the page says in a word that it costs nothing.
fn says_free(page: &AuditedPage<'_>) -> bool {
    let words = ["free", "ucretsiz", "bedava", "bedelsiz"];
    let blocks = visible::own_blocks(page).iter().chain(&page.content.buttons);
    blocks.take(1_000).any(|block| {
        let text = folded(&block.text);
        words.iter().any(|word| stands_in(&text, word))
    })
}

/// Whether one of the prices stands as a number of its own in a short block: the currency may be a
/// picture.
fn stands_bare(page: &AuditedPage<'_>, money: &[Money]) -> bool {
    let short = visible::own_blocks(page).iter().filter(|block| block.words() <= MAX_LABEL_WORDS);
    short.take(500).any(|block| {
        block.text.split_whitespace().any(|word| {
            decimal(word, 2).is_some_and(|amount| money.iter().any(|own| own.amount == amount))
        })
    })
}

fn hidden<'a>(page: &'a AuditedPage<'_>, fits: impl Fn(Money) -> bool) -> Option<&'a Block> {
    let prices = visible::prices_of(&page.content.hidden);
    prices.into_iter().find(|seen| fits(seen.money)).and_then(|seen| seen.block)
}

/// What the offers say of availability beside what the page says, if it says anything.
pub(super) fn availability<'a>(
    page: &'a AuditedPage<'_>,
    main: &MainEntity,
) -> Option<Compared<'a>> {
    let offers = page.markup.offers(&main.object);
    let first = offers.iter().find(|offer| offer.availability().is_some())?;
    let (seen, block) = visible::own_availability(page)?;
    let is_same = |own: Availability| own == seen || (is_gone(own) && is_gone(seen));
    let shown = if offers.iter().filter_map(MarkupOffer::availability).any(is_same) {
        Shown::Same
    } else {
        let value = format!("https://schema.org/{}", seen.name());
        Shown::Other {
            text: block.text.clone(),
            block: Some(block),
            right: right("availability", value),
        }
    };
    let empty = Map::new();
    let object = if first.object.contains_key("availability") { first.object } else { &empty };
    let value = object.get("availability").unwrap_or(&serde_json::Value::Null);
    Some(Compared {
        property: "availability",
        markup: first.availability.clone().unwrap_or_default(),
        spot: Spot::of(page, main, "availability", value),
        shown,
    })
}

fn is_gone(state: Availability) -> bool {
    matches!(state, Availability::OutOfStock | Availability::Discontinued)
}
