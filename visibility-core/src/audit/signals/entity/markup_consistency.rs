//! `markup-consistency`: markup that says what the page shows.

mod correction;
mod dates;
mod names;
mod offers;
mod ratings;

use serde_json::Value;

use self::correction::Correction;
use super::listed;
use crate::audit::facts::location::MarkupLocation;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::page::content::Block;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};
use crate::text::note::Note;

pub(super) static SIGNAL: Signal = Signal {
    id: "markup-consistency",
    code: "SD04",
    pillar: Pillar::Entity,
    weights: Weights {
        product: 40,
        collection: 40,
        article: 20,
        landing: 30,
        documentation: 20,
        forum: 20,
        listing: 30,
    },
    grade: Grade::A,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[
        CONSISTENT,
        CONFLICTS,
        CONTRADICTION,
        NO_ENTITY,
        NOT_COMPARABLE,
        PRICE_DIFFERS,
        PRICE_UNSEEN,
        PRICE_HIDDEN,
        DIFFERS,
        UNSEEN,
    ],
    sources: &[
        Spec {
            name: "Google: general structured data guidelines",
            url: "https://developers.google.com/search/docs/appearance/structured-data/sd-policies",
        },
        Spec {
            name: "Google Merchant Center: price mismatch",
            url: "https://support.google.com/merchants/answer/12159029",
        },
    ],
    evaluate,
};

const CONSISTENT: Outcome = Outcome::pass("consistent");
const CONFLICTS: Outcome = Outcome::warn("conflicts");
const CONTRADICTION: Outcome = Outcome::fail("contradiction");
const NO_ENTITY: Outcome = Outcome::not_applicable("no-entity");
const NOT_COMPARABLE: Outcome = Outcome::not_applicable("nothing-to-compare");
const PRICE_DIFFERS: Outcome = Outcome::fail("price-differs");
const PRICE_UNSEEN: Outcome = Outcome::fail("price-not-visible");
const PRICE_HIDDEN: Outcome = Outcome::fail("price-hidden");
const DIFFERS: Outcome = Outcome::fail("differs");
const UNSEEN: Outcome = Outcome::fail("not-visible");

/// A property of the markup beside what a reader sees.
struct Compared<'a> {
    /// The property.
    property: &'static str,
    /// Its value in the markup, fit to show.
    markup: String,
    /// Where the markup says so.
    spot: MarkupLocation,
    /// What the page shows.
    shown: VisibleValue<'a>,
}

/// What a page shows of a property.
enum VisibleValue<'a> {
    /// The page shows the value of the markup.
    Same,
    /// Something else: as written, where, and what would be right if that is certain.
    Other { text: String, block: Option<&'a Block>, right: Option<Correction> },
    /// The page shows no such value.
    Nothing,
    /// Nothing, but what readers do not see says it.
    Hidden(&'a Block),
}

impl Compared<'_> {
    fn is_same(&self) -> bool {
        matches!(self.shown, VisibleValue::Same)
    }

    fn is_price(&self) -> bool {
        self.property == "price"
    }

    /// The sentence for a conflict.
    fn signal(&self) -> Option<crate::rubric::finding::Detection> {
        let outcome = match (&self.shown, self.is_price()) {
            (VisibleValue::Same, _) => return None,
            (VisibleValue::Other { .. }, true) => PRICE_DIFFERS,
            (VisibleValue::Other { .. }, false) => DIFFERS,
            (VisibleValue::Hidden(_), true) => PRICE_HIDDEN,
            (VisibleValue::Nothing, true) => PRICE_UNSEEN,
            (VisibleValue::Nothing | VisibleValue::Hidden(_), false) => UNSEEN,
        };
        let mut signal = outcome.with("markup", &self.markup).with("line", self.spot.line);
        if !self.is_price() {
            signal = signal.with("property", self.property);
        }
        if let VisibleValue::Other { text, .. } = &self.shown {
            signal = signal.with("visible", text);
        }
        Some(signal)
    }

    /// Both places of a conflict.
    fn evidence(&self, page: &AuditedPage<'_>) -> Vec<Evidence> {
        if self.is_same() {
            return Vec::new();
        }
        let markup = self.spot.evidence(page).note(
            Note::new("markup-value").with("property", self.property).with("value", &self.markup),
        );
        let visible = match &self.shown {
            VisibleValue::Other { text, block: Some(block), .. } => Some(page.block(block).note(
                Note::new("visible-value").with("property", self.property).with("value", text),
            )),
            VisibleValue::Hidden(block) => Some(
                page.block(block).note(Note::new("hidden-value").with("property", self.property)),
            ),
            _ => None,
        };
        std::iter::once(markup).chain(visible).collect()
    }
}

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let Some(main) = MainEntity::for_any_profile(page) else {
        return ScoredFinding::unscored(Finding::new(NO_ENTITY.detected()));
    };
    let mut all: Vec<Compared<'_>> = Vec::new();
    all.extend(offers::price(page, &main));
    all.extend(offers::availability(page, &main));
    all.extend(names::name(page, &main));
    all.extend(names::author(page, &main));
    all.extend(ratings::compare(page, &main));
    all.extend(dates::compare(page, &main));
    if all.is_empty() {
        return ScoredFinding::unscored(Finding::new(NOT_COMPARABLE.detected()));
    }
    let same = all.iter().filter(|one| one.is_same()).count();
    let credit = share(same, all.len());
    let fields = |is_same: bool| {
        listed(all.iter().filter(|one| one.is_same() == is_same).map(|one| one.property))
    };
    let decisive = credit
        .pick([CONSISTENT, CONFLICTS, CONTRADICTION])
        .with("same", fields(true))
        .with("different", fields(false));
    let mut finding = Finding::new(decisive);
    for one in &all {
        finding = finding.with_detection_if_any(one.signal()).with_evidence(one.evidence(page));
    }
    let rights = all.into_iter().filter_map(|one| match one.shown {
        VisibleValue::Other { right, .. } => right,
        _ => None,
    });
    ScoredFinding::new(credit, finding).with_fix_if_any(correction::fix(
        page,
        &main,
        rights.collect(),
    ))
}

fn share(part: usize, whole: usize) -> Credit {
    let number = |count: usize| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    Credit::from_share(number(part) / number(whole).max(1.0))
}

/// One line of markup.
#[expect(clippy::unnecessary_wraps, reason = "most of what differs can be corrected")]
fn right(key: &'static str, value: impl Into<Value>) -> Option<Correction> {
    Some(Correction::entity(key, value.into()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::audit::page::fixture::fixture;

    /// What differs: ids of the outcomes behind the decisive one, by property.
    fn conflicts(html: &str) -> String {
        let scored = fixture(html).read(&SIGNAL);
        let mut seen = scored.finding.detections().iter();
        let decisive = seen.next().unwrap().outcome.id;
        let details: Vec<String> = seen
            .map(|seen| {
                let property = seen.values.get("property").map(|name| format!(" {name}"));
                format!("{}{}", seen.outcome.id, property.unwrap_or_default())
            })
            .collect();
        if details.is_empty() { decisive.to_owned() } else { details.join(", ") }
    }

    /// A product page: its visible text, and the properties of its markup.
    fn page(body: &str, properties: &str) -> String {
        format!(
            "<html><body><main><h1>Blue Lamp</h1>{body}</main>\n<script type=application/ld+json>\n\
             {{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"Blue Lamp\",\n{properties}}}</script>"
        )
    }

    fn offer(price: &str, currency: &str) -> String {
        format!(
            "\"offers\":{{\"@type\":\"Offer\",\n\"price\":{price},\"priceCurrency\":\"{currency}\"}}"
        )
    }

    #[test]
    fn the_same_price_is_known_in_every_notation() {
        for (text, price, currency) in [
            ("1.299,00 TL", "\"1299.00\"", "TRY"),
            ("₺1.299", "1299", "TRY"),
            ("1,299.00 $", "\"1299.00\"", "USD"),
            ("$1,299", "\"1299\"", "CAD"),
            ("1 299,00 €", "1299.0", "EUR"),
            ("1&nbsp;299 €", "1299", "EUR"),
            ("<del>€399</del> <ins>€349</ins>", "349", "EUR"),
            ("<div>349<small>,90</small> TL</div>", "349.9", "TRY"),
            ("<span>349</span>", "349", "EUR"),
        ] {
            let html = page(&format!("<p>{text}</p>"), &offer(price, currency));
            assert_eq!(conflicts(&html), "consistent", "{text}");
        }
        let button = page("<p>€399</p><button>Add to cart €349</button>", &offer("349", "EUR"));
        assert_eq!(conflicts(&button), "consistent");
    }

    #[test]
    fn a_price_of_the_markup_that_is_not_the_visible_one_is_found() {
        let html = page("\n<p id=price>Only 349,90 TL today</p>", &offer("\"299.90\"", "TRY"));
        let scored = fixture(&html).read(&SIGNAL);
        let [decisive, detail] = scored.finding.detections() else { panic!("{scored:?}") };
        assert_eq!((decisive.outcome.id, detail.outcome.id), ("conflicts", "price-differs"));
        assert_eq!(detail.values["markup"], "299.90 TRY");
        assert_eq!(detail.values["visible"], "349,90 TL");
        let [markup, visible] = scored.finding.evidence() else { panic!("{scored:?}") };
        assert_eq!(
            (markup.line, markup.excerpt.as_deref()),
            (Some(6), Some("\"price\":\"299.90\""))
        );
        assert_eq!((visible.line, visible.css.as_deref()), (Some(2), Some("#price")));
        let offers = &pasted(&scored)["offers"];
        assert_eq!(
            (&offers["@type"], &offers["price"], &offers["priceCurrency"]),
            (&"Offer".into(), &"349.90".into(), &"TRY".into())
        );
    }

    /// What is offered to paste.
    fn pasted(scored: &ScoredFinding) -> Value {
        let snippet = scored.fix.as_ref().map(|fix| fix.snippet.as_str()).unwrap_or_default();
        serde_json::from_str(&format!("{{{snippet}}}")).unwrap()
    }

    #[test]
    fn only_what_the_page_says_of_the_thing_is_pasted() {
        let whole = r#""offers":[{"@type":"Offer","url":"/a","price":"10","priceCurrency":"USD","availability":"InStock"}]"#;
        let long = "<p>We have seen 349.90 € asked for this very lamp in several of the other shops in town.</p>";
        for (body, properties, expected) in [
            (
                "<p>12 €</p><p>Sold out</p>",
                whole,
                r#"{"offers":[{"@type":"Offer","url":"/a","price":"12.00","priceCurrency":"EUR","availability":"https://schema.org/OutOfStock"}]}"#,
            ),
            (long, whole, "{}"),
            ("<p>$10</p><p>Sold out</p><p>Pre-order</p>", whole, "{}"),
            (
                "<p>3.9 out of 5</p><p>17 reviews</p>",
                r#""aggregateRating":{"@type":"AggregateRating","ratingValue":4,"reviewCount":17}"#,
                r#"{"aggregateRating":{"@type":"AggregateRating","ratingValue":"3.9","reviewCount":17}}"#,
            ),
        ] {
            let pasted = pasted(&fixture(&page(body, properties)).read(&SIGNAL));
            assert_eq!(pasted, serde_json::from_str::<Value>(expected).unwrap(), "{body}");
        }
    }

    #[test]
    fn amounts_whose_digits_look_alike_are_shown_in_one_notation() {
        let scored = fixture(&page("<p>1.299 TL</p>", &offer("1.299", "TRY"))).read(&SIGNAL);
        let detail = &scored.finding.detections()[1];
        assert_eq!(
            (detail.values["markup"].as_str(), detail.values["visible"].as_str()),
            ("1.299 TRY", "1299.00 TRY")
        );
    }

    #[test]
    fn other_conflicts_of_prices_are_distinguished() {
        for (body, properties, expected) in [
            ("<p>349 €</p>", offer("349", "USD"), "price-differs"),
            ("<p style='display:none'>349 €</p><p>Nice</p>", offer("349", "EUR"), "price-hidden"),
            ("<p hidden>349 €</p><p>299 €</p>", offer("349", "EUR"), "price-differs"),
            ("<p>Nice</p>", offer("349", "EUR"), "price-not-visible"),
            ("<p>299 €</p><h2>Related products</h2><p>349 €</p>", offer("349", "EUR"), "price-differs"),
            ("<p>299 TL</p><h2>Benzer Ürünler</h2><p>349 TL</p>", offer("349", "TRY"), "price-differs"),
            (
                "<p>15 €</p>",
                r#""offers":{"@type":"AggregateOffer","lowPrice":10,"highPrice":20,"priceCurrency":"EUR"}"#.to_owned(),
                "consistent",
            ),
            (
                "<p>25 €</p>",
                r#""offers":{"@type":"AggregateOffer","lowPrice":10,"highPrice":20,"priceCurrency":"EUR"}"#.to_owned(),
                "price-differs",
            ),
            (
                "<p>12 €</p>",
                r#""offers":[{"@type":"Offer","price":10,"priceCurrency":"EUR"},{"@type":"Offer","price":12,"priceCurrency":"EUR"}]"#.to_owned(),
                "consistent",
            ),
            ("<p>12 €</p>", offer("\"NaN\"", "EUR"), "consistent"),
            ("<p>Free for ever, then 12 €</p>", offer("0", "EUR"), "consistent"),
            ("<p>12 €</p>", offer("0", "EUR"), "price-differs"),
            ("<p>İlk siparişe 100 TL indirim</p>", offer("4990", "TRY"), "price-not-visible"),
            ("<span>$</span><span>24</span><span>99</span>", offer("24.99", "USD"), "consistent"),
            ("<p>$2,499</p>", offer("24.99", "USD"), "price-differs"),
        ] {
            assert_eq!(conflicts(&page(body, &properties)), expected, "{body} {properties}");
        }
    }

    #[test]
    fn availability_is_compared_where_the_page_tells_it() {
        let offer = |state: &str| {
            format!(r#""offers":{{"@type":"Offer","availability":"https://schema.org/{state}"}}"#)
        };
        for (body, state, expected) in [
            ("<p>In stock</p>", "InStock", "consistent"),
            ("<p>Stokta</p>", "InStock", "consistent"),
            ("<ul><li>38 numara stokta yok</ul><p>Stokta</p>", "InStock", "consistent"),
            ("<ul><li>38 numara stokta yok</ul>", "InStock", "consistent"),
            ("<p>38 stokta yok</p><p>Stokta</p>", "InStock", "consistent"),
            ("<p>Sold out</p>", "InStock", "differs availability"),
            ("<p>Tükendi</p>", "InStock", "differs availability"),
            ("<p>Stokta var</p>", "OutOfStock", "differs availability"),
            ("<p>Sold out</p>", "Discontinued", "consistent"),
            ("<button disabled>Sold out</button>", "InStock", "differs availability"),
            (
                "<p>349 €, VAT included. Sold out, back in the shops in spring.</p>",
                "InStock",
                "differs availability",
            ),
            ("<button>Add to cart</button><p>x", "OutOfStock", "consistent"),
            (
                "<p>We have been sold out of most of our lamps in the past, which is why we now make more of them.</p>",
                "InStock",
                "consistent",
            ),
        ] {
            assert_eq!(conflicts(&page(body, &offer(state))), expected, "{body} {state}");
        }
    }

    #[test]
    fn names_are_compared_with_the_heading() {
        for (heading, name, expected) in [
            ("Blue Lamp", "Blue Lamp", "consistent"),
            ("Blue Lamp", "ACME Blue Lamp, 40 cm", "consistent"),
            ("Blue Lamp with a shade of linen", "Blue Lamp", "consistent"),
            ("Kırmızı Işık", "KIRMIZI IŞIK", "consistent"),
            ("Tom & Jerry", "Tom &amp; Jerry", "consistent"),
            ("Blue Lamp", "Garden Hose", "differs name"),
            ("", "Garden Hose", "not-visible name"),
        ] {
            let html = format!(
                "<h1>{heading}</h1><p>Text</p><script type=application/ld+json>{{\"@type\":\"Product\",\"name\":\"{name}\"}}</script>"
            );
            assert_eq!(conflicts(&html), expected, "{heading} {name}");
        }
    }

    #[test]
    fn ratings_have_to_be_visible_and_the_same() {
        let rating = |value: &str, count: &str| {
            format!(
                r#""aggregateRating":{{"@type":"AggregateRating","ratingValue":{value},"reviewCount":{count}}}"#
            )
        };
        for (body, value, count, expected) in [
            ("<p>4.6 out of 5 (1,234 reviews)</p>", "4.6", "1234", "consistent"),
            ("<p>4,6 / 5</p><p>1.234 değerlendirme</p>", "\"4.6\"", "\"1234\"", "consistent"),
            ("<p>4.6</p><p>(17)</p>", "4.62", "17", "consistent"),
            ("<p>Rated 5/5 by 1.2K reviews</p>", "5", "1210", "consistent"),
            ("<p>96 değerlendirmede 5 üzerinden 4,8 puan.</p>", "4.8", "96", "consistent"),
            ("<p>17 değerlendirme, 5 üzerinden 3,9</p>", "5", "17", "differs ratingValue"),
            ("<p>3.9 out of 5</p><p>17 reviews</p>", "4.6", "17", "differs ratingValue"),
            ("<p>4.6 / 5</p><p>17 yorum</p>", "4.6", "170", "differs reviewCount"),
            ("<p>Nice</p>", "4.6", "17", "not-visible ratingValue, not-visible reviewCount"),
            (
                "<p style=display:none>4.6 out of 5, 17 reviews</p>",
                "4.6",
                "17",
                "not-visible ratingValue, not-visible reviewCount",
            ),
        ] {
            assert_eq!(conflicts(&page(body, &rating(value, count))), expected, "{body}");
        }
    }

    #[test]
    fn authors_and_dates_of_articles_are_compared() {
        let article = |body: &str, properties: &str| {
            format!(
                "<h1>On lamps</h1>{body}<script type=application/ld+json>{{\"@type\":\"Article\",\"headline\":\"On lamps\",{properties}}}</script>"
            )
        };
        for (body, properties, expected) in [
            (
                "<p>By Ada Lovelace</p>",
                r#""author":{"@type":"Person","name":"Ada Lovelace"}"#,
                "consistent",
            ),
            ("<p>By Ada Lovelace</p>", r#""author":["Ada Lovelace","X"]"#, "consistent"),
            (
                "<p>By Ada Lovelace</p>",
                r#""author":{"@type":"Person","name":"Grace Hopper"}"#,
                "differs author",
            ),
            ("<p>Yazar: Ada Lovelace</p>", r#""author":"Grace Hopper""#, "differs author"),
            ("<p>text</p>", r#""author":"Grace Hopper""#, "consistent"),
            (
                "<p>Published 12 March 2026</p>",
                r#""datePublished":"2026-03-12T23:00:00+03:00""#,
                "consistent",
            ),
            (
                "<p>Published 12 March 2026</p>",
                r#""datePublished":"2025-03-12""#,
                "differs datePublished",
            ),
            (
                "<p>Güncelleme: 12 Mart 2026</p>",
                r#""dateModified":"2026-09-01""#,
                "differs dateModified",
            ),
            ("<p>Since 1 May 1999 it is so.</p>", r#""datePublished":"2025-03-12""#, "consistent"),
            (
                "<p>A study published on March 3, 2021 in Water Research found scale.</p>",
                r#""datePublished":"2026-10-01""#,
                "consistent",
            ),
            (
                "<p>By Ada, published March 3, 2021</p>",
                r#""datePublished":"2026-10-01""#,
                "differs datePublished",
            ),
            (
                "<ul><li><time class=published datetime=2021-03-03>x</time></ul>",
                r#""datePublished":"2026-10-01""#,
                "consistent",
            ),
        ] {
            assert_eq!(conflicts(&article(body, properties)), expected, "{body} {properties}");
        }
    }

    #[test]
    fn without_an_entity_there_is_nothing_to_compare() {
        assert_eq!(conflicts("<h1>x</h1>"), "no-entity");
        let nameless =
            "<h1>x</h1><script type=application/ld+json>{\"@type\":\"Product\"}</script>";
        assert_eq!(conflicts(nameless), "nothing-to-compare");
    }

    #[test]
    fn a_broken_block_is_compared_once_it_is_repaired() {
        let html = page("<p>349 €</p>", &format!("{},", offer("299", "EUR")));
        assert_eq!(conflicts(&html), "price-differs");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_markup_makes_a_signal_panic(
            body in "(<(p|h1|b|time|button)>|</p>|[0-9]{1,5}|[,.]|€|TL|\\$| |in stock|by|ü){0,30}",
            value in "(\\{|\\}|\\[|\\]|\"|:|,|null|NaN|1e9|-1|\"@type\":\"Product\"|\"offers\":|\"price\":|\"author\":|\"@id\":\"a\"|\"aggregateRating\":|\"ratingValue\":){0,30}",
        ) {
            let html = format!("{body}<script type=application/ld+json>{value}</script>{}", page(&body, "\"offers\":{}"));
            let snapshot = fixture(&html);
            for signal in crate::audit::signals::entity::SIGNALS {
                snapshot.read(signal);
            }
        }
    }
}
