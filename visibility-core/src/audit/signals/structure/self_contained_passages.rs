//! `self-contained-passages`: passages that can be quoted without the one before them.

use crate::audit::page::AuditedPage;
use crate::audit::prose::BlockMeasure;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::number;
use crate::page::content::Block;
use crate::rubric::finding::{Finding, Outcome};
use crate::rubric::{Effort, Spec};

pub(super) const SIGNAL: Signal = Signal {
    id: "self-contained-passages",
    code: "ST05",
    pillar: Pillar::Structure,
    weights: Weights {
        product: 20,
        collection: 10,
        article: 40,
        landing: 30,
        documentation: 70,
        forum: 30,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::Listed(&["en", "tr"]),
    outcomes: &[SELF_CONTAINED, MIXED, DEPENDENT, NO_PASSAGES, DANGLING, LONG],
    sources: &[Spec { name: "Dense X Retrieval", url: "https://arxiv.org/abs/2312.06648" }],
    evaluate,
};

const SELF_CONTAINED: Outcome = Outcome::pass("self-contained");
const MIXED: Outcome = Outcome::warn("mixed");
const DEPENDENT: Outcome = Outcome::fail("dependent");
const NO_PASSAGES: Outcome = Outcome::not_applicable("no-passages");
const DANGLING: Outcome = Outcome::warn("dangling");
const LONG: Outcome = Outcome::warn("long");

/// Words above which a passage is too long to be quoted whole.
const MAX_WORDS: usize = 180;
/// Passages that are shown.
const MAX_SHOWN: usize = 3;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let passages: Vec<(&Block, &BlockMeasure)> = page.prose.passages(&page.content).collect();
    if passages.is_empty() {
        return ScoredFinding::unscored(Finding::new(NO_PASSAGES.detected()));
    }
    let is_long = |measured: &BlockMeasure| measured.words > MAX_WORDS;
    let count = |wrong: &dyn Fn(&BlockMeasure) -> bool| {
        passages.iter().filter(|(_, measured)| wrong(measured)).count()
    };
    let (dangling, long) = (count(&|measured| measured.is_dangling), count(&is_long));
    let share = |part: usize| number(part) / number(passages.len());
    let free = Credit::ramp(1.0 - share(dangling), 0.5, 0.9).share();
    let short = 1.0 - Credit::ramp(share(long), 0.05, 0.4).share();
    let credit = Credit::from_share(0.6 * free + 0.4 * short);
    let total = passages.len();
    let mut shown: Vec<&(&Block, &BlockMeasure)> =
        passages.iter().filter(|(_, measured)| measured.is_dangling || is_long(measured)).collect();
    shown.sort_by_key(|(_, measured)| std::cmp::Reverse((is_long(measured), measured.is_dangling)));
    let finding =
        Finding::new(credit.pick([SELF_CONTAINED, MIXED, DEPENDENT]).with("total", total))
            .with_detection_if_any(
                (dangling > 0).then(|| DANGLING.with("count", dangling).with("total", total)),
            )
            .with_detection_if_any(
                (long > 0).then(|| LONG.with("count", long).with("words", MAX_WORDS)),
            )
            .with_evidence(shown.iter().take(MAX_SHOWN).map(|(block, _)| page.block(block)));
    ScoredFinding::new(credit, finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    const GOOD: &str =
        "<p>The K2 kettle boils one liter of water within two minutes in every kitchen.</p>";
    const DANGLING_EN: &str =
        "<p>This makes it the best choice for everybody who drinks a lot of black tea.</p>";
    const DANGLING_TR: &str = "<p>Bunun için her sabah önce suyu koyup sonra da düğmeye basmak yeterli olur, başka iş yok.</p>";
    const GOOD_TR: &str = "<p>Su ısıtıcısı her sabah bir litre suyu iki dakika içinde kaynatır ve sonra kendi kapanır.</p>";

    #[test]
    fn passages_stand_on_their_own_and_are_not_too_long() {
        let long = format!("<p>The kettle {}.</p>", "boils ".repeat(200));
        for (html, credit, outcome) in [
            (GOOD.repeat(4), 1000, "self-contained"),
            (format!("{}{DANGLING_EN}", GOOD.repeat(9)), 1000, "self-contained"),
            (format!("{}{}", GOOD.repeat(3), DANGLING_EN), 775, "mixed"),
            (DANGLING_EN.repeat(4), 400, "mixed"),
            (format!("{long}{DANGLING_EN}"), 0, "dependent"),
            (long.repeat(2), 600, "mixed"),
            (GOOD_TR.repeat(4), 1000, "self-contained"),
            (DANGLING_TR.repeat(4), 400, "mixed"),
        ] {
            let scored = fixture(&format!("<main><h1>K2</h1>{html}</main>")).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
        }
    }

    #[test]
    fn without_passages_there_is_nothing_to_judge() {
        let scored =
            fixture("<main><p>Short.</p><table><tr><td>a<td>b</table></main>").read(&SIGNAL);
        assert_eq!(scored.credit, None);
    }

    #[test]
    fn the_worst_passage_is_shown() {
        let html =
            format!("<main>{GOOD}\n{DANGLING_EN}\n<p>Kettles {}</p></main>", "boil ".repeat(300));
        let scored = fixture(&html).read(&SIGNAL);
        let lines: Vec<_> =
            scored.finding.evidence().iter().map(|evidence| evidence.line).collect();
        assert_eq!(lines, [Some(3), Some(2)]);
    }
}
