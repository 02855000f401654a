//! `quantified-claims`: passages that give a number.

use crate::audit::page::AuditedPage;
use crate::audit::prose::BlockMeasure;
use crate::audit::prose::fact::facts;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::number;
use crate::audit::signals::sources::{C_SEO_BENCH, GEO};
use crate::page::content::{Block, BlockKind};
use crate::rubric::Effort;
use crate::rubric::finding::{Finding, Outcome};
use crate::text::note::Note;

pub(super) const SIGNAL: Signal = Signal {
    id: "quantified-claims",
    code: "EV03",
    pillar: Pillar::Evidence,
    weights: Weights {
        product: 20,
        collection: 10,
        article: 30,
        landing: 30,
        documentation: 0,
        forum: 0,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::Listed(&["en", "tr", "de", "fr", "es", "it", "pt", "nl", "pl"]),
    outcomes: &[ENOUGH, FEW, NONE, NO_PASSAGES],
    sources: &[GEO, C_SEO_BENCH],
    evaluate,
};

const ENOUGH: Outcome = Outcome::pass("enough");
const FEW: Outcome = Outcome::warn("few");
const NONE: Outcome = Outcome::fail("none");
const NO_PASSAGES: Outcome = Outcome::fail("no-passages");

/// Words of a passage that could give a number, and of a row or an item that does.
const MIN_WORDS: usize = 8;
const MIN_ROW_WORDS: usize = 2;
/// Words of a page for each passage with a fact that it should have, and how many are enough however long it is.
const WORDS_FOR_FACT: usize = 150;
const MIN_WANTED: usize = 1;
const MAX_WANTED: usize = 5;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let passages: Vec<(&Block, &BlockMeasure)> =
        page.prose.pairs(&page.content).filter(is_claim).collect();
    if passages.is_empty() {
        return ScoredFinding::new(Credit::NONE, Finding::new(NO_PASSAGES.detected()));
    }
    let count = passages.iter().filter(|(_, measured)| measured.facts > 0).count();
    let rows = page.content.pairs.iter().chain(&page.content.wide_rows);
    let count = count + rows.filter(|row| facts(&row.value).next().is_some()).count();
    let wanted = (page.content.words / WORDS_FOR_FACT).clamp(MIN_WANTED, MAX_WANTED);
    let credit = Credit::ramp(number(count), 0.0, number(wanted));
    let best = passages
        .iter()
        .filter(|(_, measured)| measured.facts > 0)
        .max_by_key(|(_, measured)| measured.facts);
    let barren = passages
        .iter()
        .filter(|(_, measured)| measured.facts == 0)
        .max_by_key(|(_, measured)| measured.words);
    let evidence = [barren.filter(|_| credit < Credit::PASS), best].into_iter().flatten();
    let decisive = credit.pick([ENOUGH, FEW, NONE]).with("count", count);
    let finding = Finding::new(decisive.with("wanted", wanted)).with_evidence(evidence.map(
        |(block, measured)| {
            page.block(block).note(Note::new("facts").with("count", measured.facts))
        },
    ));
    ScoredFinding::new(credit, finding)
}

fn is_claim((block, measured): &(&Block, &BlockMeasure)) -> bool {
    let is_text = !matches!(block.kind, BlockKind::Heading(_) | BlockKind::Preformatted);
    let is_row = matches!(block.kind, BlockKind::ListItem | BlockKind::Description);
    let is_long = measured.words >= MIN_WORDS;
    is_text && (is_long || is_row && measured.words >= MIN_ROW_WORDS && measured.facts > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    const FACT: &str = "<p>The kettle boils 1.7 liters of water within four minutes.</p>\n";
    const BARREN: &str = "<p>The kettle boils a lot of water in no time.</p>\n";
    const FACT_TR: &str =
        "<p>Su ısıtıcısı 4 dakikada iki litre suyu hiç ses çıkarmadan kaynatır.</p>";
    const BARREN_TR: &str =
        "<p>Su ısıtıcısı çok kısa sürede bol suyu hiç ses çıkarmadan kaynatır.</p>";

    #[test]
    fn passages_with_numbers_are_counted() {
        for (html, credit, outcome) in [
            (format!("{}{}", FACT.repeat(2), BARREN.repeat(3)), 1000, "enough"),
            (format!("{FACT}{}", BARREN.repeat(4)), 1000, "enough"),
            (format!("{FACT}{}", BARREN.repeat(31)), 500, "few"),
            (format!("{FACT}{}", BARREN.repeat(90)), 200, "none"),
            (format!("{}{}", FACT.repeat(5), BARREN.repeat(900)), 1000, "enough"),
            ("<ul><li>Leek soup 6.50 EUR<li>Rye bread 8 EUR</ul>".to_owned(), 1000, "enough"),
            (
                format!(
                    "{}<table><tr><th>Weight<td>2 kg<tr><th>Height<td>20 cm</table>",
                    BARREN.repeat(31)
                ),
                1000,
                "enough",
            ),
            (BARREN.repeat(3), 0, "none"),
            (format!("{FACT_TR}{FACT_TR}{}", BARREN_TR.repeat(3)), 1000, "enough"),
            (BARREN_TR.repeat(3), 0, "none"),
            ("<p>Short 5 kg.</p>".to_owned(), 0, "no-passages"),
        ] {
            let html = format!("<main><h1>K2</h1>{html}</main>");
            let scored = fixture(&html).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
        }
    }

    #[test]
    fn a_barren_passage_is_shown_before_the_best_one() {
        let scored = fixture(&format!("<main>\n{FACT}{}</main>", BARREN.repeat(31))).read(&SIGNAL);
        let lines: Vec<_> =
            scored.finding.evidence().iter().map(|evidence| evidence.line).collect();
        assert_eq!(lines, [Some(33), Some(2)]);
    }
}
