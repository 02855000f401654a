//! `key-facts`: what the markup says of the page can be read in its text, too.
//!
//! Missing facts are the matter of the signals for authors, dates, prices and headings.

use serde_json::Value;

use crate::audit::availability::Availability;
use crate::audit::facts::author::{is_name, name_of};
use crate::audit::facts::draft;
use crate::audit::facts::subject;
use crate::audit::facts::visible;
use crate::audit::gap::has_gap;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::prose::date;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::audit::signals::number;
use crate::audit::signals::sources::WHAT_GETS_CITED;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::excerpt::excerpt;
use crate::text::fold::fold;
use crate::text::locale::Values;
use crate::text::sentence::words;

pub(super) const SIGNAL: Signal = Signal {
    id: "key-facts",
    code: "RD04",
    pillar: Pillar::Readable,
    weights: Weights {
        product: 20,
        collection: 0,
        article: 20,
        landing: 0,
        documentation: 0,
        forum: 50,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::Listed(&["en", "tr", "de", "fr", "es", "it", "pt", "nl"]),
    outcomes: &[ALL, SOME, NONE, NO_NAME, NO_AVAILABILITY, NO_AUTHOR, NO_DATE, NOTHING_KNOWN],
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
const NO_AVAILABILITY: Outcome = Outcome::warn("no-availability");
const NO_AUTHOR: Outcome = Outcome::fail("no-author");
const NO_DATE: Outcome = Outcome::fail("no-date");
const NOTHING_KNOWN: Outcome = Outcome::not_applicable("nothing-known");

/// Words of a line that can say whether something is to be had, or when it was written.
const MAX_LINE_WORDS: usize = 40;

/// A fact that the text should have: what is said if it has not, and where it is.
type KeyFact = (Outcome, Option<Evidence>);

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let mut facts = facts(page);
    facts.retain(|(outcome, place)| place.is_some() || missing_fact(page, *outcome).1.is_some());
    if facts.is_empty() {
        return ScoredFinding::unscored(Finding::new(NOTHING_KNOWN.detected()));
    }
    let found = facts.iter().filter(|(_, place)| place.is_some()).count();
    let credit = Credit::from_share(number(found) / number(facts.len()));
    let decisive = credit.pick([ALL, SOME, NONE]).with("count", found).with("wanted", facts.len());
    let missing: Vec<Outcome> =
        facts.iter().filter(|(_, place)| place.is_none()).map(|(outcome, _)| *outcome).collect();
    let finding =
        missing.iter().fold(Finding::new(decisive), |all, one| all.with_detection(one.detected()));
    let finding = finding.with_evidence(facts.into_iter().filter_map(|(_, place)| place));
    let fix = if missing.is_empty() { None } else { fix(page, &missing) };
    ScoredFinding::new(credit, finding).with_fix_if_any(fix)
}

fn facts(page: &AuditedPage<'_>) -> Vec<KeyFact> {
    let is_of_product = page.profiles().in_common(|profile| match profile {
        Profile::Product => Some(true),
        Profile::Article | Profile::Documentation | Profile::Forum => Some(false),
        Profile::Landing | Profile::Collection | Profile::Listing => None,
    });
    match is_of_product.flatten() {
        Some(true) => vec![(NO_NAME, name(page)), (NO_AVAILABILITY, availability(page))],
        Some(false) => vec![(NO_AUTHOR, author(page)), (NO_DATE, written(page))],
        None => Vec::new(),
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
    Evidence::for_url(page.response.url.as_str()).quote(text)
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

/// What the page says of the thing itself: neither what is said of others nor what is hidden.
fn availability(page: &AuditedPage<'_>) -> Option<Evidence> {
    let said = visible::own_availability(page);
    said.first().map(|(_, block)| page.block(block))
}

/// The author, if readers see the name.
fn author(page: &AuditedPage<'_>) -> Option<Evidence> {
    page.author().filter(|author| author.is_visible(page)).map(|author| author.evidence.clone())
}

fn author_name(page: &AuditedPage<'_>) -> Option<String> {
    let marked =
        page.markup.entities.iter().find_map(|entity| name_of(entity.object.get("author")?));
    let name = marked
        .or_else(|| page.page().metas("author").next().map(|meta| meta.content.as_str()))?
        .trim();
    (!name.is_empty() && is_name(name)).then(|| name.to_owned())
}

/// A date that readers see.
fn written(page: &AuditedPage<'_>) -> Option<Evidence> {
    let time = page.content.times.iter().find(|time| !time.text.is_empty() && !has_gap(&time.text));
    let has_date =
        |text: &str| is_short(text) && date::find_dates(text, page.language).next().is_some();
    time.map(|time| page.evidence(&time.text, time.line, time.node))
        .or_else(|| line(page, has_date))
}

/// A line with what is missing, as far as the markup says it.
fn fix(page: &AuditedPage<'_>, missing: &[Outcome]) -> Option<SnippetFix> {
    let mut inputs = Vec::new();
    let mut lines = Vec::new();
    for outcome in missing {
        let (what, value) = missing_fact(page, *outcome);
        let mut or_gap = |name| page.or_gap(value.as_deref().map(excerpt), name, &mut inputs);
        lines.push(match what {
            "name" => format!("<h1>{}</h1>", escape::html(&or_gap("NAME"))),
            "author" => {
                let path = ["drafts", "byline"];
                let values = Values::from([("author", or_gap("AUTHOR"))]);
                let line = draft::sentence(page, &path, &values)?;
                format!("<p class=\"author\">{}</p>", escape::html(&line))
            }
            "date" => {
                let day = escape::html(&or_gap("DATE"));
                format!("<time datetime=\"{day}\">{day}</time>")
            }
            _ => format!("<p>{}</p>", escape::html(&or_gap("STOCK"))),
        });
    }
    let lines = lines.join("\n");
    Some(SnippetFix::new(Placement::Main, SnippetLanguage::Html, lines).with_inputs(inputs))
}

/// What a missing fact is called, and what the page says of it where readers do not see it.
fn missing_fact(page: &AuditedPage<'_>, missing: Outcome) -> (&'static str, Option<String>) {
    let marked = |key: &str| {
        page.markup.entities.iter().find_map(|entity| match entity.object.get(key)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    };
    let (what, value) = match missing {
        NO_NAME => ("name", subject::proven_name(page)),
        NO_AVAILABILITY => ("availability", available(page, marked("availability").as_deref())),
        NO_AUTHOR => ("author", author_name(page)),
        NO_DATE => {
            let date = marked("dateModified").or_else(|| marked("datePublished"));
            let day = date.and_then(|date| date::parse_machine_date(&date, page.language));
            ("date", day.map(|day| day.to_string()))
        }
        _ => ("", None),
    };
    (what, value.filter(|value| !value.trim().is_empty()))
}

/// Whether something is to be had, in the language of the page.
fn available(page: &AuditedPage<'_>, marked: Option<&str>) -> Option<String> {
    let state = Availability::from_markup(marked?)?;
    draft::sentence(page, &["drafts", state.name()], &Values::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn read(kind: Profile, html: &str) -> ScoredFinding {
        fixture(&format!("<!doctype html>{html}")).with_profile(kind).read(&SIGNAL)
    }

    fn seen(kind: Profile, html: &str) -> (Vec<&'static str>, u32) {
        let scored = read(kind, html);
        let ids = scored.finding.detections().iter().map(|seen| seen.outcome.id).collect();
        (ids, scored.credit.unwrap().per_mille())
    }

    const PRODUCT: &str = "<script type=application/ld+json>{\"@type\":\"Product\",\
        \"name\":\"Kettle K1\",\"offers\":{\"@type\":\"Offer\",\"price\":\"349.00\",\
        \"priceCurrency\":\"EUR\",\"availability\":\"https://schema.org/InStock\"}}</script>";

    #[test]
    fn values_of_the_markup_are_in_the_text() {
        for (html, ids, credit) in [
            ("<h1>Kettle K1</h1><p>In stock</p>", vec!["all"], 1000),
            ("<h1>Kettle K1</h1><button>Sold out</button>", vec!["all"], 1000),
            ("<h1>Kettle K1</h1><p>Boils water.</p>", vec!["some", "no-availability"], 500),
            (
                "<h1>Kettle K1</h1><p style=display:none>In stock</p>",
                vec!["some", "no-availability"],
                500,
            ),
            ("<p>Words without any meaning</p>", vec!["none", "no-name", "no-availability"], 0),
        ] {
            let html = format!("{PRODUCT}<main>{html}</main>");
            assert_eq!(seen(Profile::Product, &html), (ids, credit), "{html}");
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
            ("<h1>Kettles</h1><p>March 3, 2026</p>".to_owned(), vec!["all"], 1000),
            (format!("{markup}<h1>Su</h1><p>ayşe kaya · 03.03.2026</p>"), vec!["all"], 1000),
            (format!("{markup}<h1>Su</h1><p>Ayşe Kaya</p>"), vec!["some", "no-date"], 500),
            (format!("{markup}<h1>Su</h1><p>Text"), vec!["none", "no-author", "no-date"], 0),
        ] {
            assert_eq!(seen(Profile::Article, &html), (ids, credit), "{html}");
        }
    }

    #[test]
    fn what_is_said_nowhere_is_the_matter_of_other_signals() {
        for kind in [Profile::Article, Profile::Forum, Profile::Product] {
            let scored = read(kind, "<p>Text");
            assert_eq!(scored.finding.detections()[0].outcome.id, "nothing-known");
            assert_eq!(scored.credit, None);
        }
    }

    #[test]
    fn the_fix_takes_from_the_markup_what_the_text_does_not_say() {
        let html = format!("{PRODUCT}<main><h1>Kettle K1</h1><p>Boils water.</p></main>");
        let fix = read(Profile::Product, &html).fix.unwrap();
        assert_eq!(fix.snippet, "<p>In stock</p>");
        assert!(fix.placeholders().is_empty());
        let meta = "<meta name=author content='Ada <b> & co'><h1>A</h1><p>Text";
        let byline = read(Profile::Article, meta).fix.unwrap();
        assert!(byline.snippet.contains("Ada &lt;b&gt; &amp; co"), "{}", byline.snippet);
    }
}
