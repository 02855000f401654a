//! Values that consumers of markup do not understand: each with what it must be.

use serde_json::{Map, Value};
use url::Url;

use super::{InvalidValue, MAX_OBJECTS};
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::markup::{Markup, literal, members};

/// What a value must be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wanted {
    /// A date of ISO 8601.
    Date,
    /// Digits, with a point before fractions and nothing else.
    Number,
    /// A whole number of 0 or more.
    Count,
    /// A value of schema.org's `ItemAvailability`.
    Availability,
    /// An absolute address.
    Address,
    /// A code of ISO 4217.
    Currency,
    /// A value of the property that is possible: a number of GS1 with its check digit, a price above 0.
    Possible,
}

/// Properties that are dates, of things and of offers.
const DATES: [&str; 12] = [
    "dateCreated",
    "dateModified",
    "datePosted",
    "datePublished",
    "endDate",
    "priceValidUntil",
    "releaseDate",
    "startDate",
    "uploadDate",
    "validFrom",
    "validThrough",
    "availabilityStarts",
];
/// Properties that count.
const COUNTS: [&str; 3] = ["reviewCount", "ratingCount", "answerCount"];
/// Properties that are addresses of pictures.
const PICTURES: [&str; 3] = ["image", "thumbnailUrl", "logo"];

/// Properties, what they must be, and whether a value is that.
type PropertyGroup = (&'static [&'static str], Wanted, fn(&Value) -> bool);

/// The values of an entity, its offers and its rating that are not what they must be, in the order of the properties
/// above.
pub(super) fn malformed(markup: &Markup, main: &MainEntity) -> Vec<InvalidValue> {
    let offers = markup.offers(&main.object).into_iter().map(|offer| offer.object);
    let ratings = markup.objects(&main.object, "aggregateRating");
    let objects: Vec<&Map<String, Value>> =
        std::iter::once(&main.object).chain(offers.chain(ratings).take(MAX_OBJECTS)).collect();
    let mut found = Vec::new();
    let groups: [PropertyGroup; 3] = [
        (&DATES, Wanted::Date, is_date),
        (&COUNTS, Wanted::Count, is_count),
        (&PICTURES, Wanted::Address, is_address),
    ];
    for (properties, wanted, is_right) in groups {
        for property in properties.iter().copied() {
            let values = objects.iter().filter_map(|object| object.get(property));
            let single = values.flat_map(|value| members(value).iter()).map(literal);
            let wrong = single.filter(|value| !is_right(value)).take(1).cloned();
            found.extend(wrong.map(|value| InvalidValue { property, value, wanted }));
        }
    }
    found
}

/// Whether a value is a date, or says nothing.
fn is_date(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty() || super::valid::is_iso_date(text.trim()),
        _ => true,
    }
}

fn is_count(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.as_f64().is_some_and(|count| count >= 0.0 && count.fract() == 0.0)
        }
        Value::String(text) => {
            let text = text.trim();
            text.is_empty() || text.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => true,
    }
}

/// Whether a picture is an absolute address: consumers that take markup out of a page have no other to join it to.
fn is_address(value: &Value) -> bool {
    let is_whole = |text: &str| {
        let text = text.trim();
        text.is_empty()
            || text.starts_with("data:")
            || Url::parse(text).is_ok_and(|url| url.has_host())
    };
    match value {
        Value::String(text) => is_whole(text),
        Value::Object(image) => ["url", "contentUrl"]
            .into_iter()
            .filter_map(|key| image.get(key)?.as_str())
            .all(is_whole),
        _ => true,
    }
}

/// Whether a price is written as consumers read it: digits, and a point before fractions.
pub(super) fn is_plain_number(value: &Value) -> bool {
    match literal(value) {
        Value::Number(number) => number.as_f64().is_some_and(|number| number >= 0.0),
        Value::String(text) => {
            let text = text.trim();
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            let is_digits =
                |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            is_digits(whole) && is_digits(fraction)
        }
        _ => false,
    }
}

/// Whether a text is a value of schema.org's `ItemAvailability`, alone or with its address.
pub(super) fn is_availability(text: &str) -> bool {
    const VALUES: [&str; 13] = [
        "BackOrder",
        "Discontinued",
        "InStock",
        "InStoreOnly",
        "LimitedAvailability",
        "MadeToOrder",
        "OnlineOnly",
        "OutOfStock",
        "PreOrder",
        "PreSale",
        "Reserved",
        "SoldOut",
        "OnOrder",
    ];
    let text = text.trim();
    let scheme = ["https://", "http://"].into_iter().find_map(|scheme| text.strip_prefix(scheme));
    let host = scheme.map(|rest| rest.strip_prefix("www.").unwrap_or(rest));
    let name = host.and_then(|host| host.strip_prefix("schema.org/"));
    let name = name.or_else(|| text.strip_prefix("schema:")).unwrap_or(text);
    VALUES.contains(&name.trim_end_matches('/'))
}
