//! Prices and availability.

use serde_json::{Map, Value};

use super::correction::Correction;
use super::{Compared, VisibleValue};
use crate::audit::availability::Availability;
use crate::audit::facts::location::MarkupLocation;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::facts::visible::{self, VisiblePrice};
use crate::audit::markup::{MarkupOffer, MarkupPrice};
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
    let fits = |seen: &VisiblePrice<'_>| {
        money.iter().any(|own| seen.fits(*own))
            || range.is_some_and(|(low, high): (Money, Money)| {
                (low.amount..=high.amount).contains(&seen.money.amount)
                    && seen.money.currency.fits(low.currency)
            })
    };
    let own = visible::own_prices(page);
    let is_free = || money.iter().any(|own| own.amount == 0) && visible::says_free(page).is_some();
    let shown = if own.iter().any(fits) || is_free() {
        VisibleValue::Same
    } else if let Some(seen) = visible::asking_price(&own).filter(|seen| {
        seen.block.is_some_and(|block| {
            let own = own.iter().filter(|other| other.is_asking_price_in(block)).count();
            own == 1 && visible::is_beside_heading(page, block)
        })
    }) {
        other(page, seen, first)
    } else if visible::all_prices(page).any(|seen| fits(&seen)) || is_bare_number(page, &money) {
        VisibleValue::Same
    } else if money.iter().all(|own| own.amount == 0) {
        // What costs nothing often says so in other words, or not at all.
        return None;
    } else {
        hidden(page, fits).map_or(VisibleValue::Nothing, VisibleValue::Hidden)
    };
    Some(Compared {
        property: "price",
        markup: first.money.map(|money| money.to_string()).unwrap_or_default(),
        spot: MarkupLocation::find(page, main, first.property, first.value),
        shown,
    })
}

/// The lowest and the highest price of an aggregate.
fn range(prices: &[&MarkupPrice<'_>]) -> Option<(Money, Money)> {
    let of = |property| prices.iter().find(|price| price.property == property)?.money;
    Some((of("lowPrice")?, of("highPrice")?))
}

fn other<'a>(
    page: &AuditedPage<'_>,
    seen: &VisiblePrice<'a>,
    markup: &MarkupPrice<'_>,
) -> VisibleValue<'a> {
    let amount = Value::from(seen.money.markup_text());
    let mut members = Map::from_iter([(markup.property.to_owned(), amount)]);
    let own = markup.money.map(|money| money.currency);
    if let Some(code) = seen.money.currency.code()
        && own.is_none_or(|own| !own.fits(seen.money.currency))
    {
        members.insert("priceCurrency".to_owned(), code.into());
    }
    let is_alike = markup.money.is_some_and(|own| digits(&own.to_string()) == digits(seen.text));
    let text = if is_alike { seen.money.to_string() } else { seen.text.to_owned() };
    let right = || Correction::offer(markup.property, markup.value, members);
    VisibleValue::Other { text, block: seen.block, right: seen.is_plain(page).then(right) }
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Whether one of the prices appears as a number of its own in a short block: the currency may be a
/// picture.
fn is_bare_number(page: &AuditedPage<'_>, money: &[Money]) -> bool {
    let short = visible::own_blocks(page).iter().filter(|block| block.words() <= MAX_LABEL_WORDS);
    short.take(500).any(|block| {
        block.text.split_whitespace().any(|word| {
            decimal(word, 2).is_some_and(|amount| money.iter().any(|own| own.amount == amount))
        })
    })
}

fn hidden<'a>(
    page: &'a AuditedPage<'_>,
    fits: impl Fn(&VisiblePrice<'_>) -> bool,
) -> Option<&'a Block> {
    let prices = visible::prices_of(&page.content.hidden);
    prices.into_iter().find(|seen| fits(seen)).and_then(|seen| seen.block)
}

/// What the offers say of availability beside what the page says, if it says anything.
pub(super) fn availability<'a>(
    page: &'a AuditedPage<'_>,
    main: &MainEntity,
) -> Option<Compared<'a>> {
    let offers = page.markup.offers(&main.object);
    let stated: Vec<(&MarkupOffer<'_>, Availability)> =
        offers.iter().filter_map(|offer| Some((offer, offer.availability()?))).collect();
    let (first, _) = stated.first()?;
    let said = visible::own_availability(page);
    let (_, block) = said.first()?;
    let is_same = |own: Availability| {
        said.iter().any(|(seen, _)| own == *seen || (is_gone(own) && is_gone(*seen)))
    };
    let value = first.object.get("availability").unwrap_or(&Value::Null);
    let shown = if stated.iter().any(|(_, own)| is_same(*own)) {
        VisibleValue::Same
    } else {
        // Of several offers, the page may mean any.
        let only = visible::only_state(&said).filter(|_| stated.len() == 1);
        let right = only.map(|state| {
            let name = Value::from(format!("https://schema.org/{}", state.name()));
            let members = Map::from_iter([("availability".to_owned(), name)]);
            Correction::offer("availability", value, members)
        });
        VisibleValue::Other { text: block.text.clone(), block: Some(*block), right }
    };
    Some(Compared {
        property: "availability",
        markup: first.availability.clone().unwrap_or_default(),
        spot: MarkupLocation::find(page, main, "availability", value),
        shown,
    })
}

fn is_gone(state: Availability) -> bool {
    matches!(state, Availability::OutOfStock | Availability::Discontinued)
}
