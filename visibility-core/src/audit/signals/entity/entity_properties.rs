//! `entity-properties`: the properties that search engines require and recommend.

use serde_json::{Map, Value, json};

use super::listed;
use crate::audit::facts::location::MarkupLocation;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::facts::properties::{Completeness, Wanted};
use crate::audit::gap;
use crate::audit::money::Money;
use crate::audit::page::AuditedPage;
use crate::audit::proposals::{Draft, lines};
use crate::audit::signal::Credit;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::rubric::finding::{Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::note::Note;

pub(super) static SIGNAL: Signal = Signal {
    id: "entity-properties",
    code: "SD03",
    pillar: Pillar::Entity,
    weights: Weights {
        product: 40,
        collection: 40,
        article: 30,
        landing: 30,
        documentation: 20,
        forum: 60,
        listing: 40,
    },
    grade: Grade::A,
    effort: Effort::M,
    languages: KnownLanguages::All,
    outcomes: &[
        COMPLETE,
        NEARLY,
        GAPS,
        MOSTLY_MISSING,
        RECOMMENDED_GAPS,
        FEW_RECOMMENDED,
        REQUIRED_GAPS,
        FEW_REQUIRED,
        NO_ENTITY,
        NO_RULE,
        INVALID,
        NO_DATE,
        NO_NUMBER,
        NO_COUNT,
        NO_AVAILABILITY,
        NO_ADDRESS,
        NO_CURRENCY,
    ],
    sources: &[
        Spec {
            name: "Google: merchant listing",
            url: "https://developers.google.com/search/docs/appearance/structured-data/merchant-listing",
        },
        Spec {
            name: "Google: structured data search gallery",
            url: "https://developers.google.com/search/docs/appearance/structured-data/search-gallery",
        },
    ],
    evaluate,
};

const COMPLETE: Outcome = Outcome::pass("complete");
const NEARLY: Outcome = Outcome::pass("nearly-complete");
const GAPS: Outcome = Outcome::warn("gaps");
const MOSTLY_MISSING: Outcome = Outcome::fail("mostly-missing");
const RECOMMENDED_GAPS: Outcome = Outcome::warn("recommended-gaps");
const FEW_RECOMMENDED: Outcome = Outcome::fail("few-recommended");
const REQUIRED_GAPS: Outcome = Outcome::warn("required-gaps");
const FEW_REQUIRED: Outcome = Outcome::fail("few-required");
const NO_ENTITY: Outcome = Outcome::not_applicable("no-entity");
const NO_RULE: Outcome = Outcome::not_applicable("no-rule");
const INVALID: Outcome = Outcome::fail("invalid-value");
const NO_DATE: Outcome = Outcome::fail("invalid-date");
const NO_NUMBER: Outcome = Outcome::fail("invalid-number");
const NO_COUNT: Outcome = Outcome::fail("invalid-count");
const NO_AVAILABILITY: Outcome = Outcome::fail("invalid-availability");
const NO_ADDRESS: Outcome = Outcome::fail("invalid-address");
const NO_CURRENCY: Outcome = Outcome::fail("invalid-currency");

/// What markup with a placeholder that was not filled is worth at most.
const UNFILLED_CREDIT: Credit = Credit::from_per_mille(800);
/// Invalid values that are shown.
const MAX_INVALID: usize = 5;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let Some(main) = MainEntity::for_page(page) else {
        return ScoredFinding::unscored(Finding::new(NO_ENTITY.detected()));
    };
    let Some(mut found) = Completeness::measure(&page.markup, &main) else {
        let types = listed(main.types.iter().map(String::as_str));
        return ScoredFinding::unscored(Finding::new(NO_RULE.with("types", types)));
    };
    if main.is_unfilled {
        found.credit = found.credit.min(UNFILLED_CREDIT);
    }
    let pass = if found.credit == Credit::FULL { COMPLETE } else { NEARLY };
    let required = listed(found.missing.iter().copied());
    let recommended = listed(found.advised.iter().copied());
    let decisive = found
        .credit
        .pick(outcomes(pass, &found))
        .with("type", found.kind)
        .with("required", &required)
        .with("recommended", &recommended);
    let mut finding = Finding::new(decisive).with_evidence([place(page, &main, &found)]);
    for invalid in found.invalid.iter().take(MAX_INVALID) {
        let spot = MarkupLocation::find(page, &main, invalid.property, &invalid.value);
        let shown = invalid.value.as_str().map_or_else(|| invalid.value.to_string(), str::to_owned);
        finding = finding
            .with_detection(
                outcome_of(invalid.wanted).with("property", invalid.property).with("value", shown),
            )
            .with_evidence([spot
                .evidence(page)
                .note(Note::new("invalid-property").with("property", invalid.property))]);
    }
    let fix = if found.credit == Credit::FULL { None } else { fix(page, &main, &found) };
    ScoredFinding::new(found.credit, finding).with_fix_if_any(fix)
}

/// What is said of a value that is not what it must be.
fn outcome_of(wanted: Wanted) -> Outcome {
    match wanted {
        Wanted::Date => NO_DATE,
        Wanted::Number => NO_NUMBER,
        Wanted::Count => NO_COUNT,
        Wanted::Availability => NO_AVAILABILITY,
        Wanted::Address => NO_ADDRESS,
        Wanted::Currency => NO_CURRENCY,
        Wanted::Possible => INVALID,
    }
}

/// The outcomes that fit what is missing: of what is required, and of what is recommended.
fn outcomes(pass: Outcome, found: &Completeness) -> [Outcome; 3] {
    match (found.missing.is_empty(), found.advised.is_empty()) {
        (true, _) => [pass, RECOMMENDED_GAPS, FEW_RECOMMENDED],
        (false, true) => [pass, REQUIRED_GAPS, FEW_REQUIRED],
        (false, false) => [pass, GAPS, MOSTLY_MISSING],
    }
}

/// The line of the entity, and what it lacks.
fn place(
    page: &AuditedPage<'_>,
    main: &MainEntity,
    found: &Completeness,
) -> crate::rubric::finding::Evidence {
    let none = Value::Null;
    let spot = MarkupLocation::find(page, main, "@type", main.object.get("@type").unwrap_or(&none));
    let note = match (found.missing.is_empty(), found.advised.is_empty()) {
        (true, true) => Note::new("properties-complete"),
        (false, true) => Note::new("properties-missing"),
        (true, false) => Note::new("properties-recommended"),
        (false, false) => Note::new("properties-missing-and-recommended"),
    };
    let mut note = note.with("rule", found.source);
    if !found.missing.is_empty() {
        note = note.with("missing", found.missing.join(", "));
    }
    if !found.advised.is_empty() {
        note = note.with("recommended", found.advised.join(", "));
    }
    spot.evidence(page).note(note)
}

/// The lines that are missing: what the page says, else placeholders. What only the records of the owner
/// hold, such as ratings, is left out.
fn fix(page: &AuditedPage<'_>, main: &MainEntity, found: &Completeness) -> Option<SnippetFix> {
    let draft = Draft::for_page(page.stated(), page.profiles());
    let (object, mut inputs) = draft.map(|draft| (draft.object, draft.inputs)).unwrap_or_default();
    let mut members: Map<String, Value> = Map::new();
    let mut offer = Map::new();
    for path in found.missing.iter().chain(&found.advised) {
        let lacking = path.split('|').find_map(|way| {
            let (outer, inner) = way.split_once('.').map_or((way, None), |(o, i)| (o, Some(i)));
            if let Some(value) = readable(page, main, found, way) {
                return Some((outer, inner, value));
            }
            let drafted = object.get(outer);
            let drafted = match inner {
                Some(inner) if outer == "offers" => drafted.and_then(|own| own.get(inner)),
                _ => drafted,
            };
            let value = drafted.cloned().or_else(|| {
                let (value, needed) = gap::property(way, page.today())?;
                inputs.extend(needed);
                Some(value)
            })?;
            Some((outer, inner, value))
        });
        match lacking {
            Some(("offers", Some(inner), value)) => _ = offer.insert(inner.to_owned(), value),
            Some((outer, Some(inner), value)) => {
                let own = members.remove(outer).or_else(|| main.inline(&page.markup, outer));
                // A name alone becomes the object that it represents.
                let own = match own {
                    Some(Value::String(name)) if outer == "author" => {
                        Some(json!({ "@type": "Person", "name": name }))
                    }
                    own => own,
                };
                members.extend(completed(own, inner, value).map(|whole| (outer.to_owned(), whole)));
            }
            Some((outer, None, value)) => _ = members.insert(outer.to_owned(), value),
            None => {}
        }
    }
    if !offer.is_empty() {
        members.extend(offers(page, main, offer).map(|whole| ("offers".to_owned(), whole)));
    }
    let snippet = lines(members)?;
    Some(SnippetFix::new(Placement::InPlace, SnippetLanguage::Json, snippet).with_inputs(inputs))
}

/// What the offer of the markup says in a way that people understand, in that of consumers: `39,99` is 39.99, and
/// `In Stock` is `https://schema.org/InStock`.
fn readable(
    page: &AuditedPage<'_>,
    main: &MainEntity,
    found: &Completeness,
    path: &str,
) -> Option<Value> {
    let is_wrong = |wanted| found.invalid.iter().any(|invalid| invalid.wanted == wanted);
    let mut offers = page.markup.offers(&main.object).into_iter();
    match path {
        "offers.price" if is_wrong(Wanted::Number) => {
            let prices = offers.flat_map(|offer| offer.prices);
            let mut own = prices.filter(|price| price.property == "price");
            Some(own.find_map(|price| price.money)?.markup_text().into())
        }
        "offers.availability" if is_wrong(Wanted::Availability) => {
            let state = offers.find_map(|offer| offer.availability())?;
            Some(format!("https://schema.org/{}", state.name()).into())
        }
        _ => None,
    }
}

/// A value with another property; `None` if it is not a single object.
fn completed(own: Option<Value>, key: &str, value: Value) -> Option<Value> {
    match own {
        // A drafted value may have the property already.
        None => Some(value).filter(Value::is_object),
        Some(Value::Object(mut own)) => {
            let value = value.get(key).cloned().unwrap_or(value);
            own.insert(key.to_owned(), value);
            Some(Value::Object(own))
        }
        Some(Value::Array(all)) => match <[Value; 1]>::try_from(all).ok()? {
            [only @ Value::Object(_)] => {
                completed(Some(only), key, value).map(|one| vec![one].into())
            }
            _ => None,
        },
        Some(_) => None,
    }
}

/// The offer that is there with what it lacks, or a new one; `None` if it cannot be determined which of several
/// lacks it.
fn offers(page: &AuditedPage<'_>, main: &MainEntity, lacks: Map<String, Value>) -> Option<Value> {
    let complete = |mut own: Map<String, Value>| {
        plain_price(&mut own);
        // What is there of these is not valid.
        own.extend(lacks);
        Value::Object(own)
    };
    match main.inline(&page.markup, "offers") {
        Some(Value::Object(own)) => Some(complete(own)),
        Some(Value::Array(all)) => match <[Value; 1]>::try_from(all).ok()? {
            [Value::Object(own)] => Some(Value::Array(vec![complete(own)])),
            _ => None,
        },
        Some(_) => None,
        None if main.object.contains_key("hasVariant") => None,
        None => Some(complete(Map::from_iter([("@type".to_owned(), "Offer".into())]))),
    }
}

/// Writes the price of an offer as markup wants it: `39,99` and `$168.00` are read as prices, and are no
/// numbers.
fn plain_price(offer: &mut Map<String, Value>) {
    let currency = offer.get("priceCurrency").and_then(Value::as_str);
    let written = offer.get("price").filter(|price| price.is_string());
    let money = written.and_then(|price| Money::from_markup(price, currency));
    let is_number = written.and_then(Value::as_str).is_some_and(|it| it.parse::<f64>().is_ok());
    if let Some(money) = money.filter(|_| !is_number) {
        offer.insert("price".to_owned(), money.markup_text().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::audit::profile::Profile;

    fn read(body: &str, json: &str) -> ScoredFinding {
        let html = format!("{body}\n<script type=application/ld+json>{json}</script>");
        fixture(&html).with_profile(Profile::Product).read(&SIGNAL)
    }

    const PAGE: &str = "<meta property=og:image content=/a.jpg><meta property=og:site_name content=Acme>\
        <h1>Lamp</h1><p>349,00 € <p>In stock <dl><dt>SKU<dd>L-1</dl>";

    #[test]
    fn a_price_that_is_there_is_written_as_a_number() {
        let offer = r#"{"@type":"Product","name":"Lamp","offers":{"@type":"Offer","price":"39,99","priceCurrency":"EUR"}}"#;
        let fix = read("<h1>Lamp</h1>", offer).fix.unwrap();
        let object: Value = serde_json::from_str(&format!("{{{}}}", fix.snippet)).unwrap();
        assert_eq!(object["offers"]["price"], "39.99");
    }

    #[test]
    fn what_is_missing_is_listed_with_the_lines_that_the_page_knows() {
        let scored = read(
            PAGE,
            r#"{"@type":"Product","name":"Lamp","offers":{"@type":"Offer","url":"/x"}}"#,
        );
        let seen = &scored.finding.detections()[0];
        assert_eq!(seen.outcome.id, "mostly-missing");
        assert_eq!(seen.values["required"], "image, offers.price, offers.priceCurrency");
        let fix = scored.fix.unwrap();
        let object: Value = serde_json::from_str(&format!("{{{}}}", fix.snippet)).unwrap();
        assert_eq!(object["image"], "https://example.com/a.jpg");
        assert_eq!(object["offers"]["price"], "349.00");
        assert_eq!(object["offers"]["priceCurrency"], "EUR");
        assert_eq!(
            (&object["offers"]["@type"], &object["offers"]["url"]),
            (&"Offer".into(), &"/x".into())
        );
        assert_eq!(object["sku"], "L-1");
        assert_eq!(object["brand"]["name"], "[BRAND]", "the site is not the brand");
        assert!(object.get("name").is_none() && object.get("aggregateRating").is_none());
        assert_eq!(fix.placeholders(), ["[DESCRIPTION]", "[BRAND]"]);
    }

    #[test]
    fn what_an_offer_lacks_is_pasted_with_what_it_has() {
        let product = |offers: &str| {
            format!(r#"{{"@type":"Product","name":"Lamp","image":"/a","offers":{offers}}}"#)
        };
        for (offers, expected) in [
            (
                r#"{"@type":"Offer","price":"349.00","url":"/x","availability":"InStock"}"#,
                r#"{"@type":"Offer","price":"349.00","url":"/x","availability":"InStock","priceCurrency":"EUR"}"#,
            ),
            (
                r#"[{"@type":"Offer","price":"349.00","availability":"InStock"}]"#,
                r#"[{"@type":"Offer","price":"349.00","availability":"InStock","priceCurrency":"EUR"}]"#,
            ),
            (
                r#"{"@type":"Offer","price":"349.00","availability":"InStock","priceCurrency":"€"}"#,
                r#"{"@type":"Offer","price":"349.00","availability":"InStock","priceCurrency":"EUR"}"#,
            ),
            (r#"[{"@type":"Offer","price":"349.00"},{"@type":"Offer","price":"399.00"}]"#, "null"),
        ] {
            let fix = read(PAGE, &product(offers)).fix.unwrap();
            let object: Value = serde_json::from_str(&format!("{{{}}}", fix.snippet)).unwrap();
            let pasted = object.get("offers").cloned().unwrap_or_default();
            assert_eq!(pasted, serde_json::from_str::<Value>(expected).unwrap(), "{offers}");
        }
    }

    #[test]
    fn invalid_values_are_shown_at_their_place() {
        let scored = read(
            "",
            "{\"@type\":\"Product\",\"name\":\"x\",\"image\":\"/a\",\n\"gtin13\":\"4006381333932\",\n\
             \"offers\":{\"@type\":\"Offer\",\"price\":\"NaN\",\"priceCurrency\":\"EURO\"}}",
        );
        let shown: Vec<_> =
            scored.finding.detections().iter().map(|seen| seen.outcome.id).collect();
        assert_eq!(
            shown,
            ["gaps", "invalid-number", "invalid-currency", "invalid-value", "invalid-address"]
        );
        let lines: Vec<_> =
            scored.finding.evidence().iter().map(|evidence| evidence.line).collect();
        assert_eq!(lines, [Some(2), Some(4), Some(4), Some(3), Some(2)]);
    }

    #[test]
    fn a_page_without_entity_has_no_properties() {
        let scored = read("<h1>x</h1>", "{}");
        assert_eq!((scored.finding.detections()[0].outcome.id, scored.credit), ("no-entity", None));
    }
}
