//! `unsupported-hype`: praise without facts beside it.

use std::collections::BTreeSet;

use crate::audit::page::AuditedPage;
use crate::audit::prose::hype::hype;
use crate::audit::prose::is_running;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::number;
use crate::audit::signals::sources::MICROSOFT_ANSWERS;
use crate::page::content::{Block, BlockKind};
use crate::rubric::Effort;
use crate::rubric::finding::{Finding, Outcome};
use crate::text::fold::fold;

pub(super) const SIGNAL: Signal = Signal {
    id: "unsupported-hype",
    code: "TR03",
    pillar: Pillar::Trust,
    weights: Weights {
        product: 10,
        collection: 10,
        article: 10,
        landing: 20,
        documentation: 10,
        forum: 0,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::Listed(&["en", "tr"]),
    outcomes: &[PLAIN, SOME, LOUD],
    sources: &[MICROSOFT_ANSWERS],
    evaluate,
};

const PLAIN: Outcome = Outcome::pass("plain");
const SOME: Outcome = Outcome::warn("some");
const LOUD: Outcome = Outcome::fail("loud");

/// Words of praise below which there is no pattern.
const MIN_PRAISES: usize = 2;
/// Passages that are shown, and words that are named.
const MAX_SHOWN: usize = 3;
const MAX_NAMED: usize = 8;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let mut count = 0;
    let mut named = BTreeSet::new();
    let mut shown = Vec::new();
    for block in page.content.blocks.iter().filter(|block| is_own(block)) {
        let folded = fold(&block.text);
        let before = count;
        for found in hype().find(&folded) {
            count += 1;
            if named.len() < MAX_NAMED {
                named.insert(found.phrase);
            }
        }
        if count > before && shown.len() < MAX_SHOWN {
            shown.push(page.block(block));
        }
    }
    let facts = page.prose.facts;
    let share = if count < MIN_PRAISES { 0.0 } else { number(count) / number(count + facts) };
    let credit = Credit::ramp(share, 0.3, 0.9).complement();
    let words: Vec<&str> = named.into_iter().collect();
    let words = if words.is_empty() { "-".to_owned() } else { words.join(", ") };
    let decisive = credit.pick([PLAIN, SOME, LOUD]).with("count", count).with("facts", facts);
    ScoredFinding::new(credit, Finding::new(decisive.with("words", words)).with_evidence(shown))
}

/// Whether the page itself speaks: what it quotes is praise by others.
fn is_own(block: &Block) -> bool {
    is_running(block) && block.kind != BlockKind::Quote
        || matches!(block.kind, BlockKind::Heading(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    #[test]
    fn praise_is_weighed_against_facts() {
        let fact = "<p>The kettle boils 1.7 liters in 4 minutes at 2200 watts.</p>";
        for (html, credit, outcome) in [
            ("<p>An amazing, revolutionary, world-class kettle.</p>".to_owned(), 0, "loud"),
            ("<p>Muhteşem, eşsiz ve rakipsiz bir su ısıtıcısı.</p>".to_owned(), 0, "loud"),
            (format!("<p>An amazing, revolutionary kettle.</p>{fact}"), 833, "some"),
            (format!("<p>An amazing, revolutionary kettle.</p>{fact}{fact}"), 1000, "plain"),
            ("<p>An amazing kettle.</p>".to_owned(), 1000, "plain"),
            (
                "<blockquote>Amazing, awesome, incredible, stunning!</blockquote>".to_owned(),
                1000,
                "plain",
            ),
            ("<p>Su ısıtıcısı suyu kaynatır.</p>".to_owned(), 1000, "plain"),
            (String::new(), 1000, "plain"),
        ] {
            let scored = fixture(&format!("<main>{html}</main>")).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
        }
    }

    #[test]
    fn the_passages_are_quoted() {
        let scored =
            fixture("<main><h1>K2</h1>\n<p>Simply amazing.</p>\n<p>So awesome.</p></main>")
                .read(&SIGNAL);
        let lines: Vec<_> =
            scored.finding.evidence().iter().map(|evidence| evidence.line).collect();
        assert_eq!(lines, [Some(2), Some(3)]);
        assert_eq!(scored.finding.detections()[0].values["words"], "amazing, awesome");
    }
}
