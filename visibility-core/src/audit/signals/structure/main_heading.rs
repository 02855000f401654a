//! `main-heading`: one first-level heading that says what the title says.

use crate::audit::facts::subject::{is_same, tokens};
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::audit::signals::number;
use crate::page::Heading;
use crate::rubric::finding::{Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::words::is_spaceless;

pub(super) const SIGNAL: Signal = Signal {
    id: "main-heading",
    code: "ST02",
    pillar: Pillar::Structure,
    weights: Weights {
        product: 20,
        collection: 20,
        article: 20,
        landing: 20,
        documentation: 20,
        forum: 20,
        listing: 20,
    },
    grade: Grade::C,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[ONE, NONE, SEVERAL, OFF_TOPIC],
    sources: &[
        Spec {
            name: "HTML: headings and outlines",
            url: "https://html.spec.whatwg.org/multipage/sections.html#headings-and-outlines",
        },
        Spec {
            name: "Google: title links",
            url: "https://developers.google.com/search/docs/appearance/title-link",
        },
    ],
    evaluate,
};

const ONE: Outcome = Outcome::pass("one");
const NONE: Outcome = Outcome::fail("none");
const SEVERAL: Outcome = Outcome::warn("several");
const OFF_TOPIC: Outcome = Outcome::warn("off-topic");

/// What several headings, and one that shares little with the title, are worth.
const SOME: f64 = 0.6;
/// Share of words that heading and title have in common.
const MIN_OVERLAP: f64 = 0.3;
/// Headings that are shown.
const MAX_SHOWN: usize = 5;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let headings: Vec<&Heading> = page.page().h1s().filter(|h| !h.text.is_empty()).collect();
    let Some(first) = headings.first() else {
        return ScoredFinding::new(Credit::NONE, Finding::new(NONE.detected()))
            .with_fix_if_any(fix(page));
    };
    let title = page.page().title.as_ref().map(|title| title.value.as_str()).unwrap_or_default();
    let several = (headings.len() > 1).then(|| SEVERAL.with("count", headings.len()));
    // Words of scripts without spaces cannot be compared.
    let has_words = !first.text.chars().chain(title.chars()).any(is_spaceless);
    let off_topic = (has_words && overlap(&first.text, title) < MIN_OVERLAP)
        .then(|| OFF_TOPIC.with("heading", &first.text).with("title", title));
    let factor = |problem: bool| if problem { SOME } else { 1.0 };
    let credit = factor(several.is_some()) * factor(off_topic.is_some());
    let problems = several.into_iter().chain(off_topic).collect();
    let finding = Finding::from_worst(problems)
        .unwrap_or_else(|| Finding::new(ONE.with("heading", &first.text)));
    let shown = headings.iter().take(MAX_SHOWN);
    let evidence = shown.map(|heading| page.evidence(&heading.text, heading.line, heading.node));
    ScoredFinding::new(Credit::from_share(credit), finding.with_evidence(evidence))
}

/// The share of the shorter text's words that the other one has too; 1 if one of them has none.
fn overlap(one: &str, other: &str) -> f64 {
    let (one, other) = (tokens(one), tokens(other));
    let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let common = few.iter().filter(|token| many.iter().any(|known| is_same(token, known))).count();
    match few.len() {
        0 => 1.0,
        count => number(common) / number(count),
    }
}

/// A heading made of the title, without the name of the site behind it.
fn fix(page: &AuditedPage<'_>) -> Option<SnippetFix> {
    let title = page.page().title.as_ref()?.value.as_str();
    let ends =
        [" | ", " – ", " — ", " - "].into_iter().filter_map(|separator| title.find(separator));
    let subject = title.get(..ends.min().unwrap_or(title.len()))?.trim();
    if subject.is_empty() {
        return None;
    }
    let snippet = format!("<h1>{}</h1>", escape::html(subject));
    Some(SnippetFix::new(Placement::Main, SnippetLanguage::Html, snippet))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    #[test]
    fn there_is_one_heading_and_it_says_what_the_title_says() {
        for (html, credit, outcome) in [
            ("<title>K2 Kettle | Acme</title><h1>K2 Kettle</h1>", 1000, "one"),
            ("<title>Acme</title><h1>Kettles that boil fast</h1>", 600, "off-topic"),
            ("<title>K2 Kettle</title><h1>K2 Kettle</h1><h1>Reviews</h1>", 600, "several"),
            ("<title>Acme</title><h1>Kettles</h1><h1>Reviews</h1>", 360, "several"),
            ("<h1>Kettles</h1>", 1000, "one"),
            ("<title>Su ısıtıcıları | Acme</title><h1>SU ISITICISI K2</h1>", 1000, "one"),
            ("<title>Acme</title><h2>Kettles</h2>", 0, "none"),
            ("<title>Acme</title><h1> </h1>", 0, "none"),
        ] {
            let scored = fixture(html).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
        }
    }

    #[test]
    fn a_missing_heading_is_made_of_the_title() {
        for (title, heading) in
            [("K2 &amp; K3 | Acme", "K2 &amp; K3"), ("K2 – Acme", "K2"), ("K2-Kettle", "K2-Kettle")]
        {
            let fix = fixture(&format!("<title>{title}</title>")).read(&SIGNAL).fix.unwrap();
            assert_eq!(fix.snippet, format!("<h1>{heading}</h1>"));
        }
        assert_eq!(fixture("<p>x</p>").read(&SIGNAL).fix, None);
    }
}
