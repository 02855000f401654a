//! `Product`, from what the page says.

use serde_json::{Value, json};

use super::{Draft, Facts};

/// A product with its offer. Its rating is never written: only the shop can know that it is real.
pub(super) fn draft(facts: &Facts) -> Draft {
    let mut draft = Draft::new("Product");
    draft.want("name", facts.name.clone());
    draft.want("image", facts.image.clone());
    draft.want("description", facts.description.clone());
    draft.want("brand", brand(facts));
    draft.may("gtin", facts.gtin.clone());
    match &facts.sku {
        Some(sku) => draft.may("sku", Some(sku.clone())),
        None if facts.gtin.is_none() => draft.needs.push("sku"),
        None => {}
    }
    draft.may("additionalProperty", properties(facts));
    let (offer, needs) = offer(facts);
    draft.may("offers", offer);
    draft.needs.extend(needs);
    draft
}

pub(super) fn brand(facts: &Facts) -> Option<Value> {
    facts.brand.as_ref().map(|name| json!({ "@type": "Brand", "name": name }))
}

fn properties(facts: &Facts) -> Option<Value> {
    let property = |(name, value): &(String, String)| json!({ "@type": "PropertyValue", "name": name, "value": value });
    let all: Vec<Value> = facts.pairs.iter().map(property).collect();
    (!all.is_empty()).then_some(Value::Array(all))
}

/// The offer if the page says anything of it, and the paths of what the page does not say of it.
pub(super) fn offer(facts: &Facts) -> (Option<Value>, Vec<&'static str>) {
    let mut offer = Draft::new("Offer");
    offer.may("url", facts.url.clone());
    let mut needs = Vec::new();
    match facts.price {
        Some(money) => offer.may("price", Some(money.markup_text())),
        None => needs.push("offers.price"),
    }
    match facts.price.and_then(|money| money.currency.code()) {
        Some(code) => offer.may("priceCurrency", Some(code)),
        None => needs.push("offers.priceCurrency"),
    }
    match facts.availability {
        Some(state) => {
            offer.may("availability", Some(format!("https://schema.org/{}", state.name())));
        }
        None => needs.push("offers.availability"),
    }
    let offer = offer.says_something().then_some(Value::Object(offer.object));
    (offer, needs)
}
