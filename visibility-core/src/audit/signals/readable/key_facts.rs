//! `key-facts`: what the page is about can be read in its text, and not only in its markup.

use serde_json::Value;

use crate::audit::availability::Availability;
use crate::audit::gap::has_gap;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::prose::fold::fold;
use crate::audit::prose::sentence::words;
use crate::audit::prose::{date, draft, subject};
use crate::audit::signal::{Credit, Fix, Grade, Pillar, Reading, Signal, SnippetLanguage, Weights};
use crate::audit::signals::evidence::price_in_text::{self, is_pricing};
use crate::audit::signals::number;
use crate::audit::signals::sources::WHAT_GETS_CITED;
use crate::audit::signals::trust::identity::{is_byline, is_name, name_of};
use crate::finding::{Evidence, Finding, Outcome, excerpt};
use crate::fix::Placement;
use crate::locale::Values;
use crate::report::escape;
use crate::rubric::{Effort, Spec};

pub(super) const SIGNAL: Signal = Signal {
    id: "key-facts",
    code: "RD04",
    pillar: Pillar::Readable,
    weights: Weights {
        product: 20,
        collection: 20,
        article: 20,
        landing: 20,
        documentation: 0,
        forum: 40,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::M,
    outcomes: &[
        ALL,
        SOME,
        NONE,
        NO_NAME,
        NO_PRICE,
        NO_AVAILABILITY,
        NO_HEADING,
        NO_DESCRIPTION,
        NO_PRICING,
        NO_AUTHOR,
        NO_DATE,
    ],
    sources: &[
        WHAT_GETS_CITED,
        Spec {
            name: "Google: structured data policies",
            url: "https://developers.google.com/search/docs/appearance/structured-data/sd-policies",
        },
    ],
    evaluate,
};

const ALL: Outcome = Outcome::pass("all");
const SOME: Outcome = Outcome::warn("some");
const NONE: Outcome = Outcome::fail("none");
const NO_NAME: Outcome = Outcome::fail("no-name");
const NO_PRICE: Outcome = Outcome::fail("no-price");
const NO_AVAILABILITY: Outcome = Outcome::warn("no-availability");
const NO_HEADING: Outcome = Outcome::fail("no-heading");
const NO_DESCRIPTION: Outcome = Outcome::fail("no-description");
const NO_PRICING: Outcome = Outcome::warn("no-pricing");
const NO_AUTHOR: Outcome = Outcome::fail("no-author");
const NO_DATE: Outcome = Outcome::fail("no-date");

/// Words of a line that can say whether something is to be had, or when it was written.
const MAX_LINE_WORDS: usize = 40;
/// Words of a sentence that says what something is.
const MAX_LEAD_WORDS: usize = 60;

/// A fact that the text should have: what is said if it has not, and where it stands.
type Fact = (Outcome, Option<Evidence>);

fn evaluate(page: &AuditedPage<'_>) -> Reading {
    let facts = facts(page);
    let found = facts.iter().filter(|(_, place)| place.is_some()).count();
    let credit = Credit::of(number(found) / number(facts.len()));
    let decisive = credit.pick([ALL, SOME, NONE]);
    let decisive = decisive.with("count", found).with("wanted", facts.len());
    let missing: Vec<Outcome> =
        facts.iter().filter(|(_, place)| place.is_none()).map(|(outcome, _)| *outcome).collect();
    let finding = missing.iter().fold(Finding::new(decisive), |all, one| all.also(one.found()));
    let finding = finding.because(facts.into_iter().filter_map(|(_, place)| place));
    let fix = (!missing.is_empty()).then(|| fix(page, &missing));
    Reading::new(credit, finding).paste_if(fix)
}

fn facts(page: &AuditedPage<'_>) -> [Fact; 3] {
    match page.profile() {
        Profile::Product => [
            (NO_NAME, name(page)),
            (NO_PRICE, price_in_text::seen(page)),
            (NO_AVAILABILITY, availability(page)),
        ],
        Profile::Landing | Profile::Collection | Profile::Listing => [
            (NO_HEADING, heading(page)),
            (NO_DESCRIPTION, description(page)),
            (NO_PRICING, price_in_text::seen(page).or_else(|| pricing(page))),
        ],
        Profile::Article | Profile::Documentation | Profile::Forum => {
            [(NO_HEADING, heading(page)), (NO_AUTHOR, author(page)), (NO_DATE, written(page))]
        }
    }
}

/// The first text that readers see of which something holds: in the main content, else anywhere.
fn line(page: &AuditedPage<'_>, holds: impl Fn(&str) -> bool) -> Option<Evidence> {
    let holds = |text: &str| holds(text) && !has_gap(text);
    let block = page.content.blocks.iter().find(|block| holds(&block.text));
    block.map(|block| page.block(block)).or_else(|| {
        let mut lines = page.page().visible_text.lines();
        lines.find(|line| holds(line)).map(|line| quoted(page, line))
    })
}

fn quoted(page: &AuditedPage<'_>, text: &str) -> Evidence {
    Evidence::at(page.response.url.as_str()).quote(text)
}

fn is_short(text: &str) -> bool {
    words(text).nth(MAX_LINE_WORDS).is_none()
}

/// The name of the product as the markup has it, else a heading.
fn name(page: &AuditedPage<'_>) -> Option<Evidence> {
    let marked = subject::name(page).map(|name| fold(&name));
    let named = marked.and_then(|name| line(page, |text| fold(text).contains(name.trim())));
    named.or_else(|| heading(page))
}

/// The heading, if readers see it.
fn heading(page: &AuditedPage<'_>) -> Option<Evidence> {
    let heading = subject::heading(page.page()).filter(|heading| !has_gap(&heading.text))?;
    // A heading may be broken into lines.
    let text = page.page().visible_text.replace('\n', " ");
    text.contains(heading.text.trim())
        .then(|| page.evidence(&heading.text, heading.line, heading.node))
}

fn availability(page: &AuditedPage<'_>) -> Option<Evidence> {
    let says = |text: &str| is_short(text) && Availability::of_text(text).is_some();
    let mut buttons = page.content.buttons.iter();
    line(page, says).or_else(|| buttons.find(|one| says(&one.text)).map(|one| page.block(one)))
}

/// A first paragraph that says in a sentence what this is.
fn description(page: &AuditedPage<'_>) -> Option<Evidence> {
    let lead = draft::lead(page)?;
    words(&lead.text).nth(MAX_LEAD_WORDS).is_none().then(|| page.block(lead))
}

fn pricing(page: &AuditedPage<'_>) -> Option<Evidence> {
    let link =
        page.page().anchors.iter().find(|anchor| is_pricing(anchor) && !has_gap(&anchor.href))?;
    Some(page.evidence(&link.text, link.line, link.node))
}

/// The name of an author that the markup has, or a line that begins like one.
fn author(page: &AuditedPage<'_>) -> Option<Evidence> {
    let folded = author_name(page).map(|name| fold(&name));
    line(page, |text| {
        is_byline(text) || folded.as_ref().is_some_and(|name| fold(text).contains(name.as_str()))
    })
}

fn author_name(page: &AuditedPage<'_>) -> Option<String> {
    let marked =
        page.markup.entities.iter().find_map(|entity| name_of(entity.object.get("author")?));
    let meta = || page.page().metas("author").next().map(|meta| meta.content.as_str());
    let name = marked.or_else(meta)?.trim();
    (!name.is_empty() && is_name(name)).then(|| name.to_owned())
}

/// A date that readers see.
fn written(page: &AuditedPage<'_>) -> Option<Evidence> {
    let time = page.content.times.iter().find(|time| !time.text.is_empty() && !has_gap(&time.text));
    let has_date =
        |text: &str| is_short(text) && date::written(text, page.language).next().is_some();
    time.map(|time| page.evidence(&time.text, time.line, time.node))
        .or_else(|| line(page, has_date))
}

/// A line with what is missing, as far as the markup says it.
fn fix(page: &AuditedPage<'_>, missing: &[Outcome]) -> Fix {
    let mut inputs = Vec::new();
    let mut lines = Vec::new();
    for outcome in missing {
        let (what, value) = wanted(page, *outcome);
        let mut or_gap = |name| page.or_gap(value.as_deref().map(excerpt), name, &mut inputs);
        lines.push(match what {
            "name" | "heading" => format!("<h1>{}</h1>", escape::html(&or_gap("NAME"))),
            "author" => {
                let path = ["drafts", "byline"];
                let values = Values::from([("author", or_gap("AUTHOR"))]);
                let line = draft::sentence(page.language, &path, &values);
                format!("<p class=\"author\">{}</p>", escape::html(&line))
            }
            "date" => {
                let day = escape::html(&or_gap("DATE"));
                format!("<time datetime=\"{day}\">{day}</time>")
            }
            "pricing" => {
                let text = draft::sentence(page.language, &["drafts", "pricing"], &Values::new());
                format!("<a href=\"{}\">{text}</a>", escape::html(&or_gap("PRICING_URL")))
            }
            "price" => {
                let is_known = value.is_some();
                let mut price = or_gap("PRICE");
                if !is_known {
                    price = format!("{price} {}", page.or_gap(None, "CURRENCY", &mut inputs));
                }
                format!("<p>{}</p>", escape::html(&price))
            }
            "availability" => format!("<p>{}</p>", escape::html(&or_gap("STOCK"))),
            _ => format!("<p>{}</p>", escape::html(&or_gap("DESCRIPTION"))),
        });
    }
    Fix::new(Placement::Main, SnippetLanguage::Html, lines.join("\n")).needing(inputs)
}

/// What a missing fact is called, and what the page says of it where readers do not see it.
fn wanted(page: &AuditedPage<'_>, missing: Outcome) -> (&'static str, Option<String>) {
    let title = || page.page().title.as_ref().map(|title| title.value.clone());
    let marked = |key: &str| {
        page.markup.entities.iter().find_map(|entity| match entity.object.get(key)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    };
    let (what, value) = match missing {
        NO_NAME => ("name", subject::name(page).or_else(title)),
        NO_HEADING => ("heading", title()),
        NO_PRICE => {
            let amount = marked("price").or_else(|| marked("lowPrice"));
            let currency = marked("priceCurrency").unwrap_or_default();
            ("price", amount.map(|amount| format!("{amount} {currency}").trim().to_owned()))
        }
        NO_AVAILABILITY => ("availability", available(page, marked("availability").as_deref())),
        NO_AUTHOR => ("author", author_name(page)),
        NO_DATE => {
            let date = marked("dateModified").or_else(|| marked("datePublished"));
            let day = date.and_then(|date| date::machine(&date, page.language));
            ("date", day.map(|day| day.to_string()))
        }
        NO_PRICING => ("pricing", None),
        _ => ("description", page.page().description.as_ref().map(|text| text.value.clone())),
    };
    (what, value.filter(|value| !value.trim().is_empty()))
}

/// Whether something is to be had, in the language of the page.
fn available(page: &AuditedPage<'_>, marked: Option<&str>) -> Option<String> {
    let state = Availability::of_markup(marked?)?;
    Some(draft::sentence(page.language, &["drafts", state.name()], &Values::new()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn read(kind: Profile, html: &str) -> Reading {
        fixture(&format!("<!doctype html>{html}")).of_kind(kind).read(&SIGNAL)
    }

    fn seen(kind: Profile, html: &str) -> (Vec<&'static str>, u32) {
        let reading = read(kind, html);
        let ids = reading.finding.signals().iter().map(|seen| seen.outcome.id).collect();
        (ids, reading.credit.unwrap().per_mille())
    }

    const PRODUCT: &str = "<script type=application/ld+json>{\"@type\":\"Product\",\
        \"name\":\"Kettle K1\",\"offers\":{\"@type\":\"Offer\",\"price\":\"349.00\",\
        \"priceCurrency\":\"EUR\",\"availability\":\"https://schema.org/InStock\"}}</script>";

    #[test]
    fn a_product_says_its_name_its_price_and_whether_it_is_to_be_had() {
        for (html, ids, credit) in [
            ("<h1>Kettle</h1><p>€ 349.00</p><p>In stock</p>", vec!["all"], 1000),
            ("<h1>Su ısıtıcı</h1><p>349,00 TL</p><p>Stokta var</p>", vec!["all"], 1000),
            ("<h1>Kettle</h1><p>349.00 EUR</p><button>Sold out</button>", vec!["all"], 1000),
            ("<h1>A kettle<br>to boil</h1><p>€ 349</p>", vec!["some", "no-availability"], 667),
            ("<h1>Kettle</h1>", vec!["some", "no-price", "no-availability"], 333),
            (
                "<p>Words without any meaning</p>",
                vec!["none", "no-name", "no-price", "no-availability"],
                0,
            ),
        ] {
            assert_eq!(
                seen(Profile::Product, &format!("<main>{html}</main>")),
                (ids, credit),
                "{html}"
            );
        }
    }

    #[test]
    fn markup_and_hidden_text_are_no_text() {
        let html = format!("{PRODUCT}<main><h1>Kettle K1</h1><p>Boils water.</p></main>");
        let ids = vec!["some", "no-price", "no-availability"];
        assert_eq!(seen(Profile::Product, &html), (ids.clone(), 333));
        let hidden =
            html.replace("<p>Boils", "<p style=display:none>349.00 EUR, in stock</p><p>Boils");
        assert_eq!(seen(Profile::Product, &hidden), (ids, 333));
    }

    #[test]
    fn a_landing_page_says_what_it_is_and_what_it_costs() {
        let lead =
            "<p>Parcelwise is a tool that tells shops where each of their parcels is now.</p>";
        for (html, ids, credit) in [
            (format!("<h1>Parcelwise</h1>{lead}<p>From $19 a month</p>"), vec!["all"], 1000),
            (format!("<h1>Parcelwise</h1>{lead}<a href=/pricing>Pricing</a>"), vec!["all"], 1000),
            (format!("<h1>Parcelwise</h1>{lead}"), vec!["some", "no-pricing"], 667),
            (
                "<h1>Parcelwise</h1><p>Hello</p>".to_owned(),
                vec!["some", "no-description", "no-pricing"],
                333,
            ),
            (
                "<p>Hello</p>".to_owned(),
                vec!["none", "no-heading", "no-description", "no-pricing"],
                0,
            ),
        ] {
            assert_eq!(seen(Profile::Landing, &html), (ids.clone(), credit), "{html}");
            assert_eq!(seen(Profile::Collection, &html), (ids, credit), "{html}");
        }
    }

    #[test]
    fn an_article_names_its_author_and_its_date() {
        let markup = "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":\
            {\"@type\":\"Person\",\"name\":\"Ayşe Kaya\"},\"datePublished\":\"2026-03-01\"}</script>";
        for (html, ids, credit) in [
            (
                "<h1>Kettles</h1><p>By Jane Doe</p><p>March 3, 2026</p>".to_owned(),
                vec!["all"],
                1000,
            ),
            (
                "<h1>Su</h1><p>Yazar: Ayşe Kaya</p><time>3 Mart 2026</time>".to_owned(),
                vec!["all"],
                1000,
            ),
            (format!("{markup}<h1>Su</h1><p>ayşe kaya · 03.03.2026</p>"), vec!["all"], 1000),
            (format!("{markup}<h1>Su</h1><p>Text"), vec!["some", "no-author", "no-date"], 333),
            ("<p>Text".to_owned(), vec!["none", "no-heading", "no-author", "no-date"], 0),
        ] {
            assert_eq!(seen(Profile::Article, &html), (ids, credit), "{html}");
        }
    }

    #[test]
    fn the_fix_takes_from_the_markup_what_the_text_does_not_say() {
        let html = format!("{PRODUCT}<main><h1>Kettle K1</h1><p>Boils water.</p></main>");
        let fix = read(Profile::Product, &html).fix.unwrap();
        assert_eq!(fix.snippet, "<p>349.00 EUR</p>\n<p>In stock</p>");
        assert!(fix.placeholders().is_empty());
        let bare = read(Profile::Article, "<title>A <b> & c</title><p>Text").fix.unwrap();
        assert!(bare.snippet.starts_with("<h1>A &lt;b&gt; &amp; c</h1>"), "{}", bare.snippet);
        assert_eq!(bare.placeholders(), ["[AUTHOR]", "[DATE]"]);
        let priceless = read(Profile::Landing, "<h1>Acme</h1><p>Text").fix.unwrap();
        let link = "<a href=\"[PRICING_URL]\">Pricing</a>";
        assert!(priceless.snippet.ends_with(link), "{}", priceless.snippet);
        assert!(!priceless.snippet.contains("><"), "{}", priceless.snippet);
    }
}
