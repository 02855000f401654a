//! Properties that search engines require or recommend for an entity, and which of them are missing.

mod rules;
mod valid;
mod values;

use serde_json::{Map, Value};

use self::rules::PropertyRule;
pub(crate) use self::valid::{check_digit_is_right, is_iso_date};
pub(crate) use self::values::Wanted;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::markup::Markup;
use crate::audit::signal::Credit;
use crate::page::json_ld::text_of;

/// Nesting of the properties that rules name.
const MAX_DEPTH: usize = 3;
/// What an entity with a value that is not what it must be is worth at most.
const INVALID_CREDIT: Credit = Credit::from_per_mille(850);
/// Objects of one property that are looked at.
const MAX_OBJECTS: usize = 20;

/// What of the wanted properties an entity has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Completeness {
    /// The type whose rule was followed.
    pub(crate) kind: &'static str,
    /// Where the rule is.
    pub(crate) source: &'static str,
    /// Required properties that are absent or invalid, as paths such as `offers.price`.
    pub(crate) missing: Vec<&'static str>,
    /// Recommended properties that are absent or invalid.
    pub(crate) advised: Vec<&'static str>,
    /// Values that are no such thing.
    pub(crate) invalid: Vec<InvalidValue>,
    /// Share of what is wanted: seven tenths for what is required, three for what is recommended; where
    /// nothing is required, the share of what is recommended.
    pub(crate) credit: Credit,
}

/// A value that its property does not allow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InvalidValue {
    /// The property, without the path to it.
    pub(crate) property: &'static str,
    pub(crate) value: Value,
    /// What it must be.
    pub(crate) wanted: Wanted,
}

/// What a path leads to.
enum PropertyState {
    Nothing,
    Invalid(InvalidValue),
    Valid,
}

impl Completeness {
    /// What of the wanted properties an entity has; `None` for types without a rule.
    pub(crate) fn measure(markup: &Markup, main: &MainEntity) -> Option<Self> {
        let rule = PropertyRule::for_types(&main.types)?;
        let mut invalid = Vec::new();
        let mut lacking = |paths: &'static [&'static str]| -> Vec<&'static str> {
            let mut missing = Vec::new();
            for path in paths {
                match find(markup, main, rule, path) {
                    PropertyState::Valid => continue,
                    PropertyState::Invalid(one) => invalid.push(one),
                    PropertyState::Nothing => {}
                }
                missing.push(*path);
            }
            missing
        };
        let missing = lacking(rule.required);
        let advised = lacking(rule.recommended);
        invalid.extend(values::malformed(markup, main));
        invalid.dedup();
        let credit =
            credit((rule.required.len(), missing.len()), (rule.recommended.len(), advised.len()));
        // What consumers cannot read is not complete.
        let credit = if invalid.is_empty() { credit } else { credit.min(INVALID_CREDIT) };
        Some(Self {
            kind: rule.types.first()?,
            source: rule.source,
            missing,
            advised,
            invalid,
            credit,
        })
    }
}

/// The credit of how many are wanted and how many of those are missing, required and recommended ones.
fn credit(required: (usize, usize), recommended: (usize, usize)) -> Credit {
    let share = |(all, missing): (usize, usize)| match u32::try_from(all) {
        Ok(wanted) if wanted > 0 => {
            let there = u32::try_from(all - missing.min(all)).unwrap_or_default();
            Some(f64::from(there) / f64::from(wanted))
        }
        _ => None,
    };
    Credit::from_share(match (share(required), share(recommended)) {
        (Some(required), Some(recommended)) => 0.7 * required + 0.3 * recommended,
        (one, other) => one.or(other).unwrap_or(1.0),
    })
}

/// Looks for the first of the alternatives of a path, `sku|gtin|mpn`, that is there and valid.
fn find(
    markup: &Markup,
    main: &MainEntity,
    rule: &PropertyRule,
    path: &'static str,
) -> PropertyState {
    let mut worst = PropertyState::Nothing;
    for way in path.split('|') {
        match find_one(markup, main, rule, way) {
            PropertyState::Valid => return PropertyState::Valid,
            PropertyState::Invalid(invalid) => worst = PropertyState::Invalid(invalid),
            PropertyState::Nothing => {}
        }
    }
    worst
}

fn find_one(
    markup: &Markup,
    main: &MainEntity,
    rule: &PropertyRule,
    path: &'static str,
) -> PropertyState {
    match path {
        "offers.price" => price(markup, main, rule),
        "offers.priceCurrency" => currency(markup, main),
        "offers.availability" => availability(markup, main),
        "gtin" => gtin(markup, main),
        "offers.hasMerchantReturnPolicy" | "offers.shippingDetails" => policy(markup, main, path),
        _ => {
            let mut objects = vec![&main.object];
            // What the variants of a group have, the group has.
            objects.extend(markup.objects(&main.object, "hasVariant").take(MAX_OBJECTS));
            if has(markup, objects, path) { PropertyState::Valid } else { PropertyState::Nothing }
        }
    }
}

/// Whether one of the objects has something at a path.
fn has<'a>(markup: &'a Markup, mut objects: Vec<&'a Map<String, Value>>, path: &str) -> bool {
    let (outer, last) = path.rsplit_once('.').unwrap_or(("", path));
    for step in outer.split('.').filter(|step| !step.is_empty()).take(MAX_DEPTH) {
        let next = objects.iter().flat_map(|object| markup.objects(object, step).take(MAX_OBJECTS));
        objects = next.take(MAX_OBJECTS).collect();
    }
    objects.iter().any(|object| object.get(last).is_some_and(is_not_empty))
}

/// Whether a value is more than an empty place.
pub(in crate::audit) fn is_not_empty(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => items.iter().take(MAX_OBJECTS).any(|item| match item {
            Value::Array(_) | Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Object(object) => !object.is_empty(),
            Value::Bool(_) | Value::Number(_) => true,
        }),
        Value::Object(object) => object.keys().any(|key| key != "@type"),
    }
}

fn price(markup: &Markup, main: &MainEntity, rule: &PropertyRule) -> PropertyState {
    let mut found = PropertyState::Nothing;
    for offer in markup.offers(&main.object) {
        for price in &offer.prices {
            match price.money {
                Some(money)
                    if (money.amount > 0 || rule.may_be_free)
                        && values::is_plain_number(price.value) =>
                {
                    return PropertyState::Valid;
                }
                _ => {
                    let is_plain = values::is_plain_number(price.value);
                    let wanted = if is_plain { Wanted::Possible } else { Wanted::Number };
                    let (property, value) = (price.property, price.value.clone());
                    found = PropertyState::Invalid(InvalidValue { property, value, wanted });
                }
            }
        }
    }
    found
}

fn currency(markup: &Markup, main: &MainEntity) -> PropertyState {
    let mut found = PropertyState::Nothing;
    for offer in markup.offers(&main.object) {
        let Some(currency) = offer.currency else { continue };
        if valid::is_currency(&currency) {
            return PropertyState::Valid;
        }
        found = PropertyState::Invalid(InvalidValue {
            property: "priceCurrency",
            value: currency.into(),
            wanted: Wanted::Currency,
        });
    }
    found
}

fn availability(markup: &Markup, main: &MainEntity) -> PropertyState {
    let mut found = PropertyState::Nothing;
    for offer in markup.offers(&main.object) {
        if offer.availability.as_deref().is_some_and(values::is_availability) {
            return PropertyState::Valid;
        }
        if let Some(value) = offer.availability {
            found = PropertyState::Invalid(InvalidValue {
                property: "availability",
                value: value.into(),
                wanted: Wanted::Availability,
            });
        }
    }
    found
}

/// A number of GS1 with the right check digit, of the product, its variants or its offers.
fn gtin(markup: &Markup, main: &MainEntity) -> PropertyState {
    let mut found = PropertyState::Nothing;
    let variants = markup.objects(&main.object, "hasVariant").take(MAX_OBJECTS);
    let offers =
        markup.offers(&main.object).into_iter().map(|offer| offer.object).take(MAX_OBJECTS);
    for object in std::iter::once(&main.object).chain(variants).chain(offers) {
        for property in ["gtin", "gtin13", "gtin12", "gtin14", "gtin8", "isbn"] {
            let Some(text) = object.get(property).and_then(|value| text_of(value, 4)) else {
                continue;
            };
            if check_digit_is_right(&text) {
                return PropertyState::Valid;
            }
            found = PropertyState::Invalid(InvalidValue {
                property,
                value: text.into(),
                wanted: Wanted::Possible,
            });
        }
    }
    found
}

/// A policy of the offers, or of the organization for all that it sells.
fn policy(markup: &Markup, main: &MainEntity, path: &'static str) -> PropertyState {
    let property = path.rsplit('.').next().unwrap_or(path);
    let of_shop = if property == "shippingDetails" { "hasShippingService" } else { property };
    let says = |object: &Map<String, Value>, key: &str| object.get(key).is_some_and(is_not_empty);
    let of_offer = markup.offers(&main.object).iter().any(|offer| says(offer.object, property));
    let is_said = of_offer || markup.entities.iter().any(|entity| says(&entity.object, of_shop));
    if is_said { PropertyState::Valid } else { PropertyState::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::profile::Profile;
    use crate::page::Document;

    fn completeness(json: &str) -> Completeness {
        let html = format!("<script type=application/ld+json>{json}</script>");
        let document = Document::parse(html.as_bytes(), None);
        let markup = Markup::from_document(&document, &document.content());
        let kinds = [Profile::Product, Profile::Article, Profile::Landing];
        let main = kinds.iter().find_map(|kind| MainEntity::find(&markup, *kind, &[])).unwrap();
        Completeness::measure(&markup, &main).unwrap()
    }

    #[test]
    fn a_whole_product_lacks_nothing() {
        let whole = completeness(
            r#"{"@type":"Product","name":"x","image":"https://a.example/a.jpg","description":"d","sku":"1","brand":{"@type":"Brand","name":"b"},
            "aggregateRating":{"@type":"AggregateRating","ratingValue":4,"reviewCount":2},
            "offers":{"@type":"Offer","price":"3","priceCurrency":"EUR","availability":"https://schema.org/InStock",
            "shippingDetails":{"@type":"OfferShippingDetails","x":1},"hasMerchantReturnPolicy":{"@type":"MerchantReturnPolicy","x":1}}}"#,
        );
        assert_eq!((whole.credit, whole.missing.len(), whole.advised.len()), (Credit::FULL, 0, 0));
    }

    #[test]
    fn what_is_absent_or_invalid_is_listed() {
        let poor = completeness(
            r#"{"@type":"Product","name":" ","gtin13":"4006381333932","offers":{"@type":"Offer","price":0,"priceCurrency":"EURO"}}"#,
        );
        assert_eq!(poor.missing, ["name", "image", "offers.price", "offers.priceCurrency"]);
        assert!(poor.advised.contains(&"sku|gtin|mpn"));
        let invalid: Vec<_> = poor.invalid.iter().map(|one| one.property).collect();
        assert_eq!(invalid, ["price", "priceCurrency", "gtin13"]);
        assert_eq!(poor.credit, Credit::NONE);
    }

    #[test]
    fn values_that_consumers_do_not_read_are_listed_with_what_they_must_be() {
        let found = |properties: &str| {
            let json = format!(r#"{{"@type":"Product","name":"x",{properties}}}"#);
            let invalid = completeness(&json).invalid.into_iter();
            invalid.map(|one| (one.property, one.wanted)).collect::<Vec<_>>()
        };
        let offer = |offer: &str| {
            found(&format!(r#""offers":{{"@type":"Offer","priceCurrency":"EUR",{offer}}}"#))
        };
        for price in ["149,00", "149.00 €", "1.149,00", "1,149.00", "€149"] {
            let seen = offer(&format!(r#""price":"{price}""#));
            assert_eq!(seen, [("price", Wanted::Number)], "{price}");
        }
        assert_eq!(offer(r#""price":"149.00""#), []);
        assert_eq!(offer(r#""price":{"@value":"149.00"}"#), []);
        for state in ["In Stock", "https://schema.org/Instock", "yes"] {
            let seen = offer(&format!(r#""price":1,"availability":"{state}""#));
            assert_eq!(seen, [("availability", Wanted::Availability)], "{state}");
        }
        for state in ["InStock", "https://schema.org/InStock", "http://www.schema.org/PreOrder"] {
            assert_eq!(offer(&format!(r#""price":1,"availability":"{state}""#)), [], "{state}");
        }
        let until = offer(r#""price":1,"priceValidUntil":"end of June""#);
        assert_eq!(until, [("priceValidUntil", Wanted::Date)]);
        for image in [r#""/a.jpg""#, r#"{"@type":"ImageObject","url":"a.jpg"}"#] {
            let seen = found(&format!(r#""image":{image}"#));
            assert_eq!(seen, [("image", Wanted::Address)], "{image}");
        }
        for count in ["-3", "\"-3\"", "2.5", "\"many\""] {
            let rating =
                format!(r#""aggregateRating":{{"@type":"AggregateRating","reviewCount":{count}}}"#);
            assert_eq!(found(&rating), [("reviewCount", Wanted::Count)], "{count}");
        }
        for date in ["October 20, 2026", "2026-10-20 19:30:38"] {
            let seen = found(&format!(r#""releaseDate":["{date}"]"#));
            assert_eq!(seen, [("releaseDate", Wanted::Date)], "{date}");
        }
        assert_eq!(found(r#""releaseDate":{"@type":"Date","@value":"2026-10-20"}"#), []);
    }

    #[test]
    fn aggregates_specifications_and_variants_have_prices() {
        for offers in [
            r#""offers":{"@type":"AggregateOffer","lowPrice":"3","priceCurrency":"EUR"}"#,
            r#""offers":{"@type":"Offer","priceSpecification":{"@type":"UnitPriceSpecification","price":3,"priceCurrency":"EUR"}}"#,
            r#""hasVariant":[{"@type":"Product","image":"https://a.example/b.jpg","offers":{"@type":"Offer","price":3,"priceCurrency":"EUR"}}]"#,
        ] {
            let json = format!(
                r#"{{"@type":"ProductGroup","name":"x","image":"https://a.example/a.jpg",{offers}}}"#
            );
            assert!(completeness(&json).missing.is_empty(), "{offers}");
        }
    }

    #[test]
    fn where_nothing_is_required_what_is_recommended_counts() {
        let article = completeness(r#"{"@type":"BlogPosting","headline":"x"}"#);
        assert!(article.missing.is_empty() && article.advised.contains(&"image"));
        assert!(article.credit < Credit::from_share(0.5));
        let free = completeness(
            r#"{"@type":"WebApplication","name":"x","offers":{"@type":"Offer","price":0},"review":{"author":"a"}}"#,
        );
        assert!(free.missing.is_empty());
    }
}
