//! `price-in-text`: a price that readers see, and engines without scripts too.

use serde_json::{Value, json};

use crate::audit::facts::draft;
use crate::audit::facts::stated::Offering;
use crate::audit::facts::subject;
use crate::audit::facts::visible::{
    VisiblePrice, all_prices, asking_price, own_prices, prices_of, says_free,
};
use crate::audit::gap::has_gap;
use crate::audit::money::{Money, PricePurpose, purposes};
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::audit::signals::sources::WHAT_GETS_CITED;
use crate::page::Anchor;
use crate::page::content::Block;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::fold::{fold, fold_to_ascii};
use crate::text::locale::Values;

pub(super) const SIGNAL: Signal = Signal {
    id: "price-in-text",
    code: "EV01",
    pillar: Pillar::Evidence,
    weights: Weights {
        product: 60,
        collection: 70,
        article: 0,
        landing: 40,
        documentation: 0,
        forum: 0,
        listing: 0,
    },
    grade: Grade::B,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[SHOWN, MARKUP_ONLY, LINKED, NONE, MARKUP_ALONE, HIDDEN, NOT_SOLD, ON_REQUEST],
    sources: &[
        WHAT_GETS_CITED,
        Spec {
            name: "Google: merchant listings",
            url: "https://developers.google.com/search/docs/appearance/structured-data/merchant-listing",
        },
    ],
    evaluate,
};

const SHOWN: Outcome = Outcome::pass("shown");
const MARKUP_ONLY: Outcome = Outcome::warn("markup-only");
const LINKED: Outcome = Outcome::warn("linked");
const NONE: Outcome = Outcome::fail("none");
const MARKUP_ALONE: Outcome = Outcome::fail("markup-alone");
const HIDDEN: Outcome = Outcome::warn("hidden");
const NOT_SOLD: Outcome = Outcome::not_applicable("not-sold");
/// Work that is priced for each customer has no price that a page could name.
const ON_REQUEST: Outcome = Outcome::not_applicable("on-request");

/// The credit for a price that is only in the markup or behind a link.
const SOME: f64 = 0.4;

/// Characters of a text that says that a thing is free.
const MAX_FREE_CHARS: usize = 60;
/// Prices of markup that are looked at.
const MAX_MARKED_PRICES: usize = 50;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let is_product = page.profiles().is(Profile::Product);
    let in_markup = in_markup(page);
    if let Some((price, place)) = visible_price(page, in_markup.as_ref()) {
        let finding = Finding::new(SHOWN.with("price", price)).with_evidence([place]);
        return ScoredFinding::new(Credit::FULL, finding);
    }
    let link =
        page.page().anchors.iter().find(|anchor| is_pricing(anchor) && !has_gap(&anchor.href));
    let hidden = hidden(page);
    let has_sign = in_markup.is_some() || link.is_some() || hidden.is_some();
    if page.profiles().may_be(Profile::Landing) && !has_sign {
        match page.stated().offering {
            None => return ScoredFinding::unscored(Finding::new(NOT_SOLD.detected())),
            Some(Offering::Service) => {
                return ScoredFinding::unscored(Finding::new(ON_REQUEST.detected()));
            }
            Some(Offering::Software) => {}
        }
    }
    let decisive = match (&in_markup, link) {
        (Some(price), _) if is_product => MARKUP_ONLY.with("price", &price.text),
        (_, Some(link)) if !is_product => LINKED.with("link", &link.text),
        (Some(price), _) => MARKUP_ALONE.with("price", &price.text),
        _ => NONE.detected(),
    };
    let credit = if [NONE, MARKUP_ALONE].contains(&decisive.outcome) {
        Credit::NONE
    } else {
        Credit::from_share(SOME)
    };
    let finding = Finding::new(decisive)
        .with_detection_if_any(hidden.map(|(price, _)| HIDDEN.with("price", price)))
        .with_evidence(evidence(page, in_markup.as_ref(), link));
    // One sentence cannot name the prices of a whole list.
    let is_one = !page.profiles().may_be(Profile::Collection);
    let in_markup = in_markup.filter(|price| price.money.is_none_or(|money| money.amount > 0));
    ScoredFinding::new(credit, finding).with_fix_if_any(if is_one {
        fix(page, in_markup)
    } else {
        None
    })
}

/// The price that readers see. That of a product is the one of its markup, else one that is asked for the
/// thing itself; on other pages, any that is asked. None of a product whose own price is hidden.
fn visible_price(page: &AuditedPage<'_>, marked: Option<&Marked>) -> Option<(String, Evidence)> {
    let is_product = page.profiles().is(Profile::Product);
    if is_product && marked.is_some_and(|price| conceals(page, price)) {
        return None;
    }
    let named = if is_product { marked_prices(page, marked) } else { Vec::new() };
    let fits = |seen: &VisiblePrice<'_>| named.iter().any(|own| seen.fits(*own));
    let own = own_prices(page);
    let asked = asking_price(&own);
    let found = asked
        .filter(|seen| fits(seen))
        .or_else(|| own.iter().find(|seen| fits(seen)))
        .or(asked)
        .cloned()
        .or_else(|| all_prices(page).find(fits));
    if let Some(seen) = found {
        return Some((
            seen.text.to_owned(),
            seen.block.map_or_else(
                || Evidence::from_response(page.response).quote(seen.text),
                |block| page.block(block),
            ),
        ));
    }
    let is_free = marked.and_then(|price| price.money).is_some_and(|money| money.amount == 0);
    if let Some(block) = is_free.then(|| says_free(page)).flatten() {
        return Some((draft::shortened(&block.text, MAX_FREE_CHARS), page.block(block)));
    }
    let mut lines = page.page().visible_text.lines().filter(|_| !is_product);
    let (price, line) = lines.find_map(|line| Some((priced(line)?, line)))?;
    Some((price, Evidence::from_response(page.response).quote(line)))
}

/// The prices that the markup names.
fn marked_prices(page: &AuditedPage<'_>, first: Option<&Marked>) -> Vec<Money> {
    let entities = page.markup.entities.iter().flat_map(|entity| {
        let currency = entity.object.get("priceCurrency").and_then(Value::as_str);
        let prices =
            ["price", "lowPrice", "highPrice"].into_iter().filter_map(|key| entity.object.get(key));
        prices.filter_map(move |price| Money::from_markup(price, currency))
    });
    first
        .and_then(|first| first.money)
        .into_iter()
        .chain(entities)
        .take(MAX_MARKED_PRICES)
        .collect()
}

/// The first price of a text that may be asked for the thing itself.
fn priced(text: &str) -> Option<String> {
    let mut all = purposes(text).into_iter();
    let (first, _) = all.find(|(_, purpose)| *purpose == PricePurpose::Own)?;
    text.get(first.range).map(str::to_owned)
}

/// A price that only machines read.
struct Marked {
    text: String,
    money: Option<Money>,
    place: Evidence,
}

impl Marked {
    /// The text, with the currency that is beside it in the markup.
    fn with_currency(self) -> String {
        let is_whole = Money::parse(&self.text).is_some_and(|own| own.currency.code().is_some());
        let code = self.money.and_then(|money| money.currency.code()).filter(|_| !is_whole);
        code.map(|code| format!("{} {code}", self.text)).unwrap_or(self.text)
    }
}

fn in_markup(page: &AuditedPage<'_>) -> Option<Marked> {
    let offer = page.markup.entities.iter().find_map(|entity| {
        let price = ["price", "lowPrice"].into_iter().find_map(|key| entity.object.get(key))?;
        let currency = entity.object.get("priceCurrency").and_then(Value::as_str);
        let money = Money::from_markup(price, currency)?;
        let text = [&money.markup_text(), currency.unwrap_or_default()].join(" ");
        Some((text.trim().to_owned(), money, entity.line, entity.node))
    });
    if let Some((text, money, line, node)) = offer {
        let place = page.evidence(&text, line, node);
        return Some(Marked { text, money: Some(money), place });
    }
    let meta =
        page.page().metas("product:price:amount").chain(page.page().metas("og:price:amount"));
    let meta = meta.into_iter().find(|meta| !meta.content.is_empty())?;
    let place = page.evidence(&meta.content, meta.line, meta.node);
    let currency =
        page.page().metas("product:price:currency").next().map(|meta| meta.content.as_str());
    let money = Money::from_markup(&json!(meta.content), currency);
    Some(Marked { text: meta.content.clone(), money, place })
}

/// Whether the page hides the price of its markup: other prices, such as that of shipping, are not it.
fn conceals(page: &AuditedPage<'_>, marked: &Marked) -> bool {
    let Some(money) = marked.money else { return false };
    let is_hidden = prices_of(&page.content.hidden).iter().any(|seen| seen.money.fits(money));
    is_hidden && !all_prices(page).any(|seen| seen.money.fits(money))
}

/// A price in text that is hidden.
fn hidden<'a>(page: &'a AuditedPage<'_>) -> Option<(String, &'a Block)> {
    page.content.hidden.iter().find_map(|block| Some((priced(&block.text)?, block)))
}

/// Whether a link leads to prices.
fn is_pricing(anchor: &Anchor) -> bool {
    const TEXTS: [&str; 10] = [
        "pricing",
        "prices",
        "plans",
        "plans and pricing",
        "plans & pricing",
        "see pricing",
        "fiyatlar",
        "fiyatlandirma",
        "fiyat listesi",
        "paketler",
    ];
    const SEGMENTS: [&str; 6] =
        ["pricing", "prices", "plans", "fiyatlar", "fiyatlandirma", "fiyat-listesi"];
    let text = fold(&anchor.text);
    let path = anchor.href.split(['?', '#']).next().unwrap_or_default();
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let last = fold_to_ascii(last.split('.').next().unwrap_or_default());
    TEXTS.contains(&text.trim()) || SEGMENTS.contains(&last.as_str())
}

fn evidence(
    page: &AuditedPage<'_>,
    in_markup: Option<&Marked>,
    link: Option<&Anchor>,
) -> Vec<Evidence> {
    let marked = in_markup.map(|marked| marked.place.clone());
    let hidden = hidden(page).map(|(_, block)| page.block(block));
    let link = link.map(|link| page.evidence(&link.text, link.line, link.node));
    hidden.into_iter().chain(marked).chain(link).collect()
}

/// A sentence with the price.
fn fix(page: &AuditedPage<'_>, in_markup: Option<Marked>) -> Option<SnippetFix> {
    let mut inputs = Vec::new();
    let name = page.or_gap(subject::proven_name(page), "NAME", &mut inputs);
    let hidden = hidden(page).map(|(text, _)| text).filter(|text| Money::parse(text).is_some());
    let known = in_markup.map(Marked::with_currency).or(hidden);
    let price = if let Some(text) = known {
        text
    } else {
        let amount = page.or_gap(None, "PRICE", &mut inputs);
        format!("{amount} {}", page.or_gap(None, "CURRENCY", &mut inputs))
    };
    let values = Values::from([("name", name), ("price", price)]);
    let path = ["signals", SIGNAL.id, "template"];
    let sentence = draft::sentence(page, &path, &values)?;
    let snippet = format!("<p>{}</p>", escape::html(&sentence));
    Some(SnippetFix::new(Placement::Main, SnippetLanguage::Html, snippet).with_inputs(inputs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    const OFFER: &str = r#"<script type="application/ld+json">{"@type":"Product","name":"K2",
        "offers":{"@type":"Offer","price":"349.90","priceCurrency":"TRY"}}</script>"#;

    #[test]
    fn a_price_is_shown_or_not() {
        use Profile::{Collection, Landing, Product};
        for (html, profile, credit, outcome) in [
            ("<main><p>Only $19.99 today</p></main>".to_owned(), Product, 1000, "shown"),
            ("<main><p>Fiyat: 1.299,00 TL</p></main>".to_owned(), Product, 1000, "shown"),
            ("<main><p>Text</p></main><footer>349 €</footer>".to_owned(), Landing, 1000, "shown"),
            (format!("{OFFER}<main><p>Kettle</p></main>"), Product, 400, "markup-only"),
            (
                "<meta property=product:price:amount content=20><p>K</p>".to_owned(),
                Product,
                400,
                "markup-only",
            ),
            ("<p>Contact us for a quote</p>".to_owned(), Product, 0, "none"),
            ("<p>x</p><a href=/pricing>Pricing</a>".to_owned(), Product, 0, "none"),
            ("<p>x</p><a href=/pricing>See</a>".to_owned(), Landing, 400, "linked"),
            ("<p>x</p><a href=/tr/p>FİYATLANDIRMA</a>".to_owned(), Collection, 400, "linked"),
            (
                "<h1>Notes app for teams</h1><a href=/download>Download for Windows</a>".to_owned(),
                Landing,
                0,
                "none",
            ),
            (format!("{OFFER}<p>x</p>"), Landing, 0, "markup-alone"),
        ] {
            let scored = fixture(&html).with_profile(profile).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
            assert_eq!(scored.fix.is_none(), credit == 1000 || profile == Collection);
        }
    }

    #[test]
    fn a_page_that_sells_nothing_needs_no_price() {
        let scored = fixture("<h1>Radio Nine</h1><p>Live now</p>").with_profile(Profile::Landing);
        let scored = scored.read(&SIGNAL);
        assert_eq!(scored.finding.detections()[0].outcome.id, "not-sold");
        assert_eq!(scored.credit, None);
    }

    #[test]
    fn work_that_is_priced_for_each_customer_needs_no_price() {
        let service = "<h1>Çatı tamiri hizmeti</h1><p>Bize ulaşın</p>";
        let read = |html: &str| {
            let scored = fixture(html).with_profile(Profile::Landing).read(&SIGNAL);
            (scored.finding.detections()[0].outcome.id, scored.credit)
        };
        assert_eq!(read(service), ("on-request", None));
        let with_list = format!("{service}<a href=/fiyat-listesi>Fiyatlar</a>");
        assert_eq!(read(&with_list).0, "linked");
    }

    #[test]
    fn only_the_price_of_the_thing_itself_is_one() {
        use Profile::{Landing, Product};
        for (html, profile, credit, outcome) in [
            (format!("{OFFER}<h1>K2</h1><p>349,90 TL</p>"), Product, 1000, "shown"),
            (format!("{OFFER}<h1>K2</h1><p>399 TL</p>"), Product, 1000, "shown"),
            (
                format!("{OFFER}<p>Free shipping from €50</p><h1>K2</h1>"),
                Product,
                400,
                "markup-only",
            ),
            (
                format!("{OFFER}<h1>K2</h1><p>A desk</p><h2>You may also like</h2><p>Chair 89 TL"),
                Product,
                400,
                "markup-only",
            ),
            (
                "<h1>K2</h1><p>Kettle</p><h2>You may also like</h2><p>Chair 89 TL".to_owned(),
                Product,
                0,
                "none",
            ),
            (
                "<h1>Payment app</h1><a href=/app>Download</a><p>Customers moved $2 billion through us, and we raised $30M</p>".to_owned(),
                Landing,
                0,
                "none",
            ),
            (OFFER.replace("349.90", "0") + "<h1>K2</h1><p>Ücretsiz</p>", Product, 1000, "shown"),
            (OFFER.replace("349.90", "0") + "<h1>K2</h1><p>Free</p>", Landing, 1000, "shown"),
            (
                OFFER.replace("349.90", "0") + "<h1>K2</h1><p>Free shipping</p>",
                Product,
                400,
                "markup-only",
            ),
        ] {
            let scored = fixture(&html).with_profile(profile).read(&SIGNAL);
            let found = scored.finding.detections()[0].outcome.id;
            assert_eq!((scored.credit.unwrap().per_mille(), found), (credit, outcome), "{html}");
        }
    }

    #[test]
    fn the_price_that_is_asked_is_named_and_not_the_struck_one() {
        let html = "<h1>K2</h1><p><del>€399</del> <ins>€349</ins></p>";
        let scored = fixture(html).with_profile(Profile::Product).read(&SIGNAL);
        assert_eq!(scored.finding.detections()[0].values["price"], "€349");
    }

    #[test]
    fn a_hidden_price_is_found() {
        let page =
            fixture("<main><h1>K2</h1><p>A kettle.</p>\n<p style='display:none'>$19.99</p></main>");
        let scored = page.with_profile(Profile::Product).read(&SIGNAL);
        let seen: Vec<&str> =
            scored.finding.detections().iter().map(|seen| seen.outcome.id).collect();
        assert_eq!(seen, ["none", "hidden"]);
        assert_eq!(scored.finding.evidence()[0].line, Some(2));
        assert!(scored.fix.unwrap().snippet.contains("$19.99"));
    }

    #[test]
    fn the_sentence_has_what_the_page_knows() {
        let fix = fixture(&format!("{OFFER}<main><h1>K2</h1><p>Kettle</p></main>"))
            .with_profile(Profile::Product)
            .read(&SIGNAL)
            .fix
            .unwrap();
        assert_eq!(
            (fix.snippet.as_str(), fix.placeholders().len()),
            ("<p>K2 costs 349.90 TRY.</p>", 0)
        );
        let fix = fixture("<meta property=product:price:amount content='20'><meta property=product:price:currency content=EUR><h1>A &lt;b> &lt;/script></h1>")
            .with_profile(Profile::Product)
            .read(&SIGNAL)
            .fix
            .unwrap();
        assert_eq!(fix.snippet, "<p>A &lt;b&gt; &lt;/script&gt; costs 20 EUR.</p>");
        let fix = fixture("<p>x</p>").with_profile(Profile::Product).read(&SIGNAL).fix.unwrap();
        assert_eq!(fix.placeholders(), ["[NAME]", "[PRICE]", "[CURRENCY]"]);
    }
}
