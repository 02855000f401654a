//! Offers of markup, whatever form their price has.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use crate::audit::availability::Availability;
use crate::audit::markup::{Markup, literal, members, types_of};
use crate::audit::money::Money;
use crate::page::json_ld::text_of;

/// Offers of one entity that are looked at.
const MAX_OFFERS: usize = 100;
/// Nesting in which offers are looked for: a group, its variants, their offers, those of an aggregate.
const MAX_DEPTH: usize = 4;

/// An offer.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkupOffer<'a> {
    /// The properties of the offer, as in the markup.
    pub object: &'a Map<String, Value>,
    /// Its price; of an `AggregateOffer`, the lowest and the highest.
    pub prices: Vec<MarkupPrice<'a>>,
    /// `priceCurrency`, as written.
    pub currency: Option<String>,
    /// `availability`, as written.
    pub availability: Option<String>,
}

/// A price of an offer.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkupPrice<'a> {
    /// `price`, `lowPrice` or `highPrice`.
    pub property: &'static str,
    /// The value, as written.
    pub value: &'a Value,
    /// The price, if it is one.
    pub money: Option<Money>,
}

impl MarkupOffer<'_> {
    /// Whether it can be had, if that is given in words of schema.org.
    pub fn availability(&self) -> Option<Availability> {
        Availability::from_markup(self.availability.as_deref()?)
    }
}

impl Markup {
    /// The offers of an entity, at most 100: of `offers`, of an `AggregateOffer`, and of the variants of
    /// a group.
    pub fn offers<'a>(&'a self, object: &'a Map<String, Value>) -> Vec<MarkupOffer<'a>> {
        let mut found = Vec::new();
        let mut open = VecDeque::from([(object, 0)]);
        let mut seen = 0;
        while let Some((owner, depth)) = open.pop_front() {
            seen += 1;
            if seen > MAX_OFFERS || depth > MAX_DEPTH {
                break;
            }
            if depth > 0 && is_offer(owner) {
                found.push(self.offer(owner));
            }
            for key in ["offers", "hasVariant"] {
                open.extend(self.objects(owner, key).map(|object| (object, depth + 1)));
            }
        }
        found
    }

    fn offer<'a>(&'a self, object: &'a Map<String, Value>) -> MarkupOffer<'a> {
        let specification = self.specification(object);
        let own = ["price", "lowPrice", "highPrice"].iter().any(|key| object.contains_key(*key));
        let holder = if own { object } else { specification.unwrap_or(object) };
        let text =
            |object: &Map<String, Value>, key| object.get(key).and_then(|value| text_of(value, 4));
        let currency = text(holder, "priceCurrency")
            .or_else(|| text(object, "priceCurrency"))
            .or_else(|| specification.and_then(|object| text(object, "priceCurrency")));
        let prices = ["price", "lowPrice", "highPrice"]
            .into_iter()
            .filter_map(|property: &'static str| {
                let value = literal(members(holder.get(property)?).first()?);
                let is_some = !value.is_null() && value.as_str() != Some("");
                let money = Money::from_markup(value, currency.as_deref());
                is_some.then_some(MarkupPrice { property, value, money })
            })
            .collect();
        MarkupOffer { object, prices, currency, availability: text(object, "availability") }
    }

    /// The specification of the price that is asked now, not of the one it is struck through for.
    fn specification<'a>(
        &'a self,
        object: &'a Map<String, Value>,
    ) -> Option<&'a Map<String, Value>> {
        let is_asked = |object: &&Map<String, Value>| {
            let kind =
                object.get("priceType").and_then(|value| text_of(value, 4)).unwrap_or_default();
            !["ListPrice", "StrikethroughPrice", "SRP", "MSRP"]
                .iter()
                .any(|old| kind.ends_with(old))
        };
        let mut all = self.objects(object, "priceSpecification");
        let first = all.next()?;
        if is_asked(&first) {
            return Some(first);
        }
        all.find(is_asked).or(Some(first))
    }
}

/// Whether an object is an offer: by its type, or by a price where it has none.
fn is_offer(object: &Map<String, Value>) -> bool {
    let types = types_of(object);
    let is_typed = types
        .iter()
        .any(|name| matches!(name.as_str(), "Offer" | "AggregateOffer" | "OfferForPurchase"));
    let has_price =
        ["price", "lowPrice", "priceSpecification"].iter().any(|key| object.contains_key(*key));
    is_typed || (types.is_empty() && has_price)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Document;

    fn shown(json: &str) -> String {
        let html = format!("<script type=application/ld+json>{json}</script>");
        let document = Document::parse(html.as_bytes(), None);
        let markup = Markup::from_document(&document, &document.content());
        let offers = markup.offers(&markup.entities[0].object);
        let prices = offers.iter().flat_map(|offer| &offer.prices);
        let prices = prices.map(|price| {
            let money = price.money.map_or("-".to_owned(), |money| money.to_string());
            format!("{}={money}", price.property)
        });
        prices.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_offer_has_its_price_in_many_forms() {
        for (json, expected) in [
            (
                r#"{"offers":{"@type":"Offer","price":"349.00","priceCurrency":"EUR"}}"#,
                "price=349.00 EUR",
            ),
            (
                r#"{"offers":[{"@type":"Offer","price":1,"priceCurrency":"USD"},{"@type":"Offer","price":2,"priceCurrency":"USD"}]}"#,
                "price=1.00 USD price=2.00 USD",
            ),
            (
                r#"{"offers":{"@type":"AggregateOffer","lowPrice":"10","highPrice":20,"priceCurrency":"USD","offers":[{"@type":"Offer","price":12}]}}"#,
                "lowPrice=10.00 USD highPrice=20.00 USD price=12.00",
            ),
            (
                r#"{"offers":{"@type":"Offer","priceSpecification":{"price":"5","priceCurrency":"TRY"}}}"#,
                "price=5.00 TRY",
            ),
            (
                r#"{"offers":{"@type":"Offer","priceCurrency":"TRY","priceSpecification":[{"price":"9","priceType":"https://schema.org/ListPrice"},{"price":"5"}]}}"#,
                "price=5.00 TRY",
            ),
            (
                r#"{"@type":"ProductGroup","hasVariant":[{"@type":"Product","offers":{"@type":"Offer","price":7,"priceCurrency":"EUR"}}]}"#,
                "price=7.00 EUR",
            ),
            (r#"{"offers":{"price":"3"}}"#, "price=3.00"),
            (r#"{"offers":{"@type":"Offer","price":"NaN"}}"#, "price=-"),
            (r#"{"offers":{"@type":"Offer","price":{"x":1}}}"#, "price=-"),
            (r#"{"offers":"https://example.com"}"#, ""),
            (r#"{"name":"x"}"#, ""),
        ] {
            assert_eq!(shown(json), expected, "{json}");
        }
    }

    #[test]
    fn offers_are_bounded_and_circles_end() {
        let many =
            format!(r#"{{"offers":[{}{{}}]}}"#, r#"{"@type":"Offer","price":1},"#.repeat(1000));
        assert_eq!(shown(&many).split(' ').count(), MAX_OFFERS - 1);
        let circle = r##"{"@id":"#a","@type":"Offer","price":1,"offers":{"@id":"#a"}}"##;
        assert!(shown(circle).split(' ').count() <= MAX_DEPTH);
    }
}
