//! `hidden-text`: what the page says is not hidden from readers.

use crate::audit::facts::draft;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::audit::signals::number;
use crate::audit::signals::sources::MICROSOFT_ANSWERS;
use crate::page::content::Block;
use crate::rubric::finding::{Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;

pub(super) const SIGNAL: Signal = Signal {
    id: "hidden-text",
    code: "RD03",
    pillar: Pillar::Readable,
    weights: Weights {
        product: 20,
        collection: 20,
        article: 20,
        landing: 20,
        documentation: 25,
        forum: 30,
        listing: 25,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::All,
    outcomes: &[VISIBLE, PARTLY_HIDDEN, MOSTLY_HIDDEN, NO_TEXT],
    sources: &[
        MICROSOFT_ANSWERS,
        Spec {
            name: "Google: spam policies",
            url: "https://developers.google.com/search/docs/essentials/spam-policies#hidden-text-and-links",
        },
    ],
    evaluate,
};

const VISIBLE: Outcome = Outcome::pass("visible");
const PARTLY_HIDDEN: Outcome = Outcome::warn("partly-hidden");
const MOSTLY_HIDDEN: Outcome = Outcome::fail("mostly-hidden");
const NO_TEXT: Outcome = Outcome::not_applicable("no-text");

/// The share that may be hidden without harm, and the one from which on nothing is earned.
const HARMLESS: f64 = 0.3;
const HARMFUL: f64 = 0.8;
/// Characters of the line that opens a text.
const MAX_SUMMARY_CHARS: usize = 60;
/// Texts that are quoted, largest first.
const MAX_QUOTED: usize = 3;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let (hidden, main) = (page.content.hidden_chars, page.content.chars);
    let all = hidden.saturating_add(main);
    if all == 0 {
        return ScoredFinding::unscored(Finding::new(NO_TEXT.detected()));
    }
    let credit = worth(hidden, all);
    let outcome = credit.pick([VISIBLE, PARTLY_HIDDEN, MOSTLY_HIDDEN]);
    let percent = hidden.saturating_mul(100) / all;
    let mut largest: Vec<&Block> = page.content.hidden.iter().collect();
    largest.sort_by_key(|block| std::cmp::Reverse(block.text.len()));
    let decisive = outcome.with("percent", percent).with("chars", hidden);
    let evidence = largest.iter().take(MAX_QUOTED).map(|block| page.block(block));
    let fix = largest.first().filter(|_| outcome != VISIBLE).map(|block| disclosure(block));
    ScoredFinding::new(credit, Finding::new(decisive).with_evidence(evidence)).with_fix_if_any(fix)
}

/// The credit of a page, of whose characters so many are hidden.
fn worth(hidden: usize, all: usize) -> Credit {
    Credit::ramp(number(hidden) / number(all), HARMLESS, HARMFUL).complement()
}

/// The largest hidden text in an element that readers can open.
fn disclosure(block: &Block) -> SnippetFix {
    let text = escape::html(&block.text);
    let summary = escape::html(&draft::shortened(&block.text, MAX_SUMMARY_CHARS));
    let snippet = format!("<details>\n  <summary>{summary}</summary>\n  <p>{text}</p>\n</details>");
    SnippetFix::new(Placement::InPlace, SnippetLanguage::Html, snippet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn page(hidden: usize, attribute: &str) -> ScoredFinding {
        let (shown, held) = ("seen ".repeat(100 - hidden), "held ".repeat(hidden));
        let html = format!("<main><p>{shown}</p></main>\n<div {attribute}><p>{held}</p></div>");
        fixture(&format!("<!doctype html><body>{html}")).read(&SIGNAL)
    }

    #[test]
    fn a_large_share_of_hidden_text_costs() {
        for (hidden, attribute, outcome) in [
            (10, "hidden", "visible"),
            (30, "style=display:none", "visible"),
            (55, "style='display: none'", "partly-hidden"),
            (55, "style=visibility:hidden", "partly-hidden"),
            (55, "aria-hidden=true", "partly-hidden"),
            (90, "hidden", "mostly-hidden"),
            (0, "hidden", "visible"),
        ] {
            let scored = page(hidden, attribute);
            assert_eq!(scored.finding.detections()[0].outcome.id, outcome, "{hidden} {attribute}");
            assert_eq!(scored.fix.is_some(), outcome != "visible");
        }
    }

    #[test]
    fn a_price_that_is_hidden_is_quoted_with_its_place() {
        let scored = page(90, "id=price style=display:none");
        let evidence = &scored.finding.evidence()[0];
        assert!(evidence.excerpt.as_deref().is_some_and(|text| text.starts_with("held held")));
        assert_eq!(evidence.line, Some(2));
        assert!(evidence.css.is_some());
    }

    #[test]
    fn menus_and_what_readers_can_open_are_not_hidden() {
        let menu = "<a href=/a>entry of a menu</a> ".repeat(50);
        let text = "more words ".repeat(50);
        for hidden in [
            format!("<div hidden>{menu}</div>"),
            format!("<details><summary>More</summary><p>{text}</p></details>"),
        ] {
            let html = format!("<!doctype html><body><main><p>Some words here</p></main>{hidden}");
            let scored = fixture(&html).read(&SIGNAL);
            assert_eq!(scored.credit, Some(Credit::FULL), "{hidden}");
        }
        assert_eq!(fixture("<img>").read(&SIGNAL).credit, None);
    }
}
