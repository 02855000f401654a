//! `page-entity`: markup that says what the page is about.

use serde_json::{Map, Value};

use super::listed;
use crate::audit::facts::location::MarkupLocation;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::markup::Family;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::proposals::{Draft, lines};
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};

pub(super) static SIGNAL: Signal = Signal {
    id: "page-entity",
    code: "SD02",
    pillar: Pillar::Entity,
    weights: Weights {
        product: 30,
        collection: 50,
        article: 30,
        landing: 30,
        documentation: 20,
        forum: 70,
        listing: 65,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::All,
    outcomes: &[FOUND, NO_OFFER, UNFILLED, SITE_ONLY, OTHER_TYPES, ABSENT],
    sources: &[
        Spec {
            name: "Google: structured data search gallery",
            url: "https://developers.google.com/search/docs/appearance/structured-data/search-gallery",
        },
        Spec { name: "schema.org", url: "https://schema.org/docs/full.html" },
    ],
    evaluate,
};

const FOUND: Outcome = Outcome::pass("found");
const NO_OFFER: Outcome = Outcome::warn("product-without-offer");
const UNFILLED: Outcome = Outcome::warn("unfilled");
const SITE_ONLY: Outcome = Outcome::warn("site-only");
const OTHER_TYPES: Outcome = Outcome::fail("other-types");
const ABSENT: Outcome = Outcome::fail("absent");

/// Entities that are listed.
const MAX_ENTITIES: usize = 200;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let Some(main) = MainEntity::for_page(page) else { return without(page) };
    let kind = main
        .types
        .iter()
        .find(|name| Family::from_type(name) == Some(main.family))
        .map(String::as_str)
        .unwrap_or_default();
    let evidence = [place(page, &main)];
    let is_product = main.family == Family::Product;
    if is_product && page.markup.offers(&main.object).is_empty() {
        let finding = Finding::new(NO_OFFER.with("type", kind)).with_evidence(evidence);
        // A rating of a whole list is not a product for sale.
        let is_sold = page.profiles().is(Profile::Product);
        return ScoredFinding::new(Credit::from_share(0.5), finding)
            .with_fix_if_any(offer(page).filter(|_| is_sold));
    }
    if main.is_unfilled {
        let finding = Finding::new(UNFILLED.with("type", kind)).with_evidence(evidence);
        return ScoredFinding::new(Credit::from_share(0.5), finding);
    }
    ScoredFinding::new(Credit::FULL, Finding::new(FOUND.with("type", kind)).with_evidence(evidence))
}

/// What there is where the entity is missing.
fn without(page: &AuditedPage<'_>) -> ScoredFinding {
    const OF_SITES: [Profile; 3] = [Profile::Landing, Profile::Collection, Profile::Listing];
    // What the page is about may be in what we did not read.
    let draft = (!page.is_main_text_doubtful())
        .then(|| Draft::for_page(page.stated(), page.lasting_profiles()));
    let fix = draft.flatten().and_then(Draft::script);
    let entities = page.markup.entities.iter().take(MAX_ENTITIES);
    let types = listed(entities.flat_map(|entity| entity.types.iter().map(String::as_str)));
    let is_site = |types: &[String]| Family::from_types(types) == Some(Family::Site);
    let site = page.markup.top_level().find(|entity| is_site(&entity.types));
    let is_landing = OF_SITES.iter().any(|profile| page.profiles().may_be(*profile));
    let first = site.filter(|_| is_landing).or_else(|| page.markup.top_level().next());
    let evidence = first.map(|entity| {
        page.evidence(&format!("@type: {}", entity.types.join(", ")), entity.line, entity.node)
    });
    let (credit, decisive) = match (site, first) {
        (Some(_), _) if is_landing => (Credit::from_share(0.5), SITE_ONLY.with("types", types)),
        (_, Some(_)) => (Credit::NONE, OTHER_TYPES.with("types", types)),
        (_, None) => (Credit::NONE, ABSENT.detected()),
    };
    ScoredFinding::new(credit, Finding::new(decisive).with_evidence(evidence)).with_fix_if_any(fix)
}

/// Where the entity names its type.
fn place(page: &AuditedPage<'_>, main: &MainEntity) -> Evidence {
    let none = Value::Null;
    let value = main.object.get("@type").unwrap_or(&none);
    MarkupLocation::find(page, main, "@type", value).evidence(page)
}

/// The offer that a product lacks.
fn offer(page: &AuditedPage<'_>) -> Option<SnippetFix> {
    let draft = Draft::product(page.stated());
    let offer = draft.object.get("offers")?.clone();
    let snippet = lines(Map::from_iter([("offers".to_owned(), offer)]))?;
    let fix = SnippetFix::new(Placement::InPlace, SnippetLanguage::Json, snippet);
    Some(fix.with_inputs(draft.inputs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::audit::profile::Profile;

    fn read(json: &str, profile: Profile) -> ScoredFinding {
        let html = format!("<h1>Thing</h1>\n<script type=application/ld+json>{json}</script>");
        fixture(&html).with_profile(profile).read(&SIGNAL)
    }

    #[test]
    fn the_type_has_to_fit_the_page() {
        use Profile::{Article, Collection, Landing, Product};
        for (json, profile, expected, credit) in [
            (r#"{"@type":"Product","offers":{"@type":"Offer","price":1}}"#, Product, "found", 1000),
            (
                r#"{"@graph":[{"@type":["Thing","Product"],"offers":[{"@type":"Offer"}]}]}"#,
                Product,
                "found",
                1000,
            ),
            (
                r#"{"@type":"ProductGroup","hasVariant":[{"@type":"Product","offers":{"@type":"Offer"}}]}"#,
                Product,
                "found",
                1000,
            ),
            (r#"{"@type":"Product","name":"x"}"#, Product, "product-without-offer", 500),
            (r#"{"@type":"WebPage"}"#, Product, "other-types", 0),
            (r#"{"@type":"NewsArticle"}"#, Article, "found", 1000),
            (r#"{"@type":"Organization"}"#, Article, "other-types", 0),
            (r#"{"@type":"SoftwareApplication"}"#, Landing, "found", 1000),
            (r#"{"@type":"Bakery"}"#, Landing, "found", 1000),
            (r#"[{"@type":"WebSite"},{"@type":"Organization"}]"#, Landing, "site-only", 500),
            (r#"{"@type":"BreadcrumbList"}"#, Landing, "other-types", 0),
            (r#"{"@type":"CollectionPage"}"#, Collection, "found", 1000),
            ("[]", Landing, "absent", 0),
        ] {
            let scored = read(json, profile);
            assert_eq!(scored.finding.detections()[0].outcome.id, expected, "{json}");
            assert_eq!(scored.credit.map(Credit::per_mille), Some(credit), "{json}");
            // Nothing on this page shows what it offers.
            assert_eq!(scored.fix.is_some(), credit < 1000 && profile != Landing, "{json}");
        }
    }

    #[test]
    fn the_evidence_is_the_line_of_the_type() {
        let scored = read(
            "\n{\"@context\":\"https://schema.org\",\n\"@type\":\"Article\"}",
            Profile::Article,
        );
        let evidence = &scored.finding.evidence()[0];
        assert_eq!(
            (evidence.line, evidence.excerpt.as_deref()),
            (Some(4), Some("\"@type\":\"Article\""))
        );
    }

    #[test]
    fn nothing_is_proposed_where_the_main_content_may_have_been_missed() {
        let cards = "<li><a href=/a><img src=/a.png alt=a><h3>Balm</h3></a></li>".repeat(12);
        let main = format!("<main><h1>Gift sets</h1><p>{}</p></main>", "Terms apply. ".repeat(40));
        for (rest, is_proposed) in [(10, true), (1200, false)] {
            let nav = "<a href=/a>word</a> ".repeat(rest);
            let html = format!("<title>Gift sets</title><nav>{nav}<ul>{cards}</ul></nav>{main}");
            let scored = fixture(&html).with_profile(Profile::Article).read(&SIGNAL);
            assert_eq!(scored.fix.is_some(), is_proposed, "{rest}");
        }
    }

    #[test]
    fn microdata_is_markup_too() {
        let html = "<div itemscope itemtype='https://schema.org/Product'><h1 itemprop=name>x</h1>\
            <div itemprop=offers itemscope itemtype='https://schema.org/Offer'><meta itemprop=price content=5></div></div>";
        let scored = fixture(html).with_profile(Profile::Product).read(&SIGNAL);
        assert_eq!(scored.finding.detections()[0].outcome.id, "found");
    }
}
