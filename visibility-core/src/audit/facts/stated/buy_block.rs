//! The price and the stock that a page states about the thing that it sells.

use super::proven::{Proof, Proven};
use crate::audit::availability::{Availability, folded};
use crate::audit::facts::visible::{self, VisiblePrice};
use crate::audit::money::{Currency, Money, prices};
use crate::audit::page::AuditedPage;
use crate::audit::profile::sells;
use crate::page::content::Block;

/// Buttons and links that are looked at.
const MAX_BUTTONS: usize = 2_000;
/// Words of a price line besides the price, folded. "From" and "starting at" are none of them: such a price is
/// that of another variant.
const PRICE_WORDS: &str = "price prices sale regular now only our your each incl including inclusive excl vat tax taxes \
    msrp rrp list special offer current unit per piece preis inkl mwst zzgl nur jetzt statt uvp stuck prix prezzo precio \
    ttc iva incluido inclusa inclus fiyat fiyati kdv dahil indirimli satis adet was reg usd eur gbp try tl cad aud chf us \
    a an the today bugun";

/// The price that is asked: the one of a line beside the main heading that says nothing else, or of the button to
/// buy. A symbol of several currencies means the one that the head names.
pub(super) fn price(page: &AuditedPage<'_>) -> Option<Proven<Money>> {
    let own = visible::own_prices(page);
    let is_certain = |seen: &&VisiblePrice<'_>| {
        let is_line = |block: &Block| is_price_line(block) || sells(&block.text);
        seen.is_plain(page) && seen.block.is_some_and(is_line)
    };
    let seen = visible::asking_price(&own).filter(is_certain)?;
    let mut money = seen.money;
    let metas = ["product:price:currency", "og:price:currency"];
    let meta = metas.into_iter().flat_map(|key| page.page().metas(key)).next();
    let named = meta.map_or(Currency::UNKNOWN, |meta| Currency::from_text(&meta.content));
    if named.code().is_some() && money.currency.fits(named) {
        money.currency = named;
    }
    Some(Proven::new(money, Proof::BuyBlock))
}

/// Whether the sentence with the price is nothing but that and words for it.
fn is_price_line(block: &Block) -> bool {
    let mut parts = vec![block.text.as_str()];
    for end in [". ", "! ", "; ", ", ", " | ", " · "] {
        parts = parts.into_iter().flat_map(|part| part.split(end)).collect();
    }
    let mut priced = parts.into_iter().filter(|part| !prices(part).is_empty());
    priced.all(|part| {
        let mut rest = part.to_owned();
        for price in prices(part).into_iter().rev() {
            rest.replace_range(price.range, " ");
        }
        let rest = folded(&rest);
        let mut words =
            rest.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty());
        words.all(|word| PRICE_WORDS.split_ascii_whitespace().any(|known| known == word))
    })
}

/// Whether it can be had, as said beside the main heading. What is sold out has no button to buy: many themes
/// have a badge for it in every page, which their style sheets hide.
pub(super) fn availability(page: &AuditedPage<'_>) -> Option<Proven<Availability>> {
    let mut said = visible::own_availability(page);
    said.retain(|(_, block)| visible::is_beside_heading(page, block));
    let state = visible::only_state(&said)?;
    let can_be_had = !matches!(state, Availability::OutOfStock | Availability::Discontinued);
    (can_be_had || !has_buy_button(page)).then(|| Proven::new(state, Proof::BuyBlock))
}

fn has_buy_button(page: &AuditedPage<'_>) -> bool {
    let buttons = page.content.buttons.iter().map(|button| button.text.as_str());
    let links = page.page().anchors.iter().map(|anchor| anchor.text.as_str());
    let forms = page.page().forms.iter().flat_map(|form| &form.buttons).map(String::as_str);
    buttons.chain(forms).chain(links).take(MAX_BUTTONS).any(sells)
}
