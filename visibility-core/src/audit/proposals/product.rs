//! `Product`, from what the page says.

use serde_json::{Value, json};

use super::{Draft, StatedFacts, value};
use crate::audit::money::Money;

/// A product with its offer. Its rating is never written: only the shop can know that it is real.
pub(super) fn draft(facts: &StatedFacts) -> Draft {
    let mut draft = Draft::new("Product", facts);
    draft.want("name", facts.name());
    draft.want("image", value(facts.image.as_ref()));
    draft.want("description", facts.description.clone());
    draft.want("brand", brand(facts));
    draft.may("gtin", facts.gtin.clone());
    if facts.sku.is_some() || facts.gtin.is_none() {
        draft.want("sku", facts.sku.clone());
    }
    draft.may("additionalProperty", properties(facts));
    let mut offer = offer(facts);
    let state = value(facts.availability.as_ref())
        .map(|state| format!("https://schema.org/{}", state.name()));
    offer.want_at("availability", "offers.availability", state);
    draft.may("offers", Some(offer.object));
    draft.inputs.extend(offer.inputs);
    draft
}

pub(super) fn brand(facts: &StatedFacts) -> Option<Value> {
    facts.brand.as_ref().map(|name| json!({ "@type": "Brand", "name": name }))
}

fn properties(facts: &StatedFacts) -> Option<Value> {
    let all: Vec<Value> = facts
        .pairs
        .iter()
        .map(|(name, value)| json!({ "@type": "PropertyValue", "name": name, "value": value }))
        .collect();
    (!all.is_empty()).then_some(Value::Array(all))
}

/// What is asked, as far as the page says it.
pub(super) fn offer(facts: &StatedFacts) -> Draft {
    let mut offer = Draft::new("Offer", facts);
    offer.may("url", facts.url.clone());
    offer.want_at("price", "offers.price", value(facts.price.as_ref()).map(Money::markup_text));
    let currency = value(facts.price.as_ref()).and_then(|money| money.currency.code());
    offer.want_at("priceCurrency", "offers.priceCurrency", currency);
    offer
}
