//! `readability`: sentences that can be followed.

use crate::audit::page::AuditedPage;
use crate::audit::prose::readability::formula;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::number;
use crate::audit::signals::sources::GEO;
use crate::rubric::finding::{self, Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};

pub(super) const SIGNAL: Signal = Signal {
    id: "readability",
    code: "TR02",
    pillar: Pillar::Trust,
    weights: Weights {
        product: 20,
        collection: 10,
        article: 20,
        landing: 20,
        documentation: 20,
        forum: 0,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::All,
    outcomes: &[
        SHORT,
        LONG,
        VERY_LONG,
        TOO_FEW,
        NO_MARKS,
        VERY_EASY,
        EASY,
        MEDIUM,
        DIFFICULT,
        VERY_DIFFICULT,
    ],
    sources: &[
        GEO,
        Spec {
            name: "Flesch: A new readability yardstick",
            url: "https://doi.org/10.1037/h0057532",
        },
    ],
    evaluate,
};

const SHORT: Outcome = Outcome::pass("short");
const LONG: Outcome = Outcome::warn("long");
const VERY_LONG: Outcome = Outcome::fail("very-long");
const TOO_FEW: Outcome = Outcome::not_applicable("too-few");
const NO_MARKS: Outcome = Outcome::not_applicable("no-marks");
const VERY_EASY: Outcome = Outcome::pass("very-easy");
const EASY: Outcome = Outcome::pass("easy");
const MEDIUM: Outcome = Outcome::pass("medium");
const DIFFICULT: Outcome = Outcome::warn("difficult");
const VERY_DIFFICULT: Outcome = Outcome::warn("very-difficult");

/// Sentences that can be judged together.
const MIN_SENTENCES: usize = 5;
/// Words of a sentence, on the average, at which credit begins to fall and at which none is left.
const GOOD_WORDS: f64 = 22.0;
const BAD_WORDS: f64 = 35.0;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let sentences = &page.prose.sentences;
    // Thai and Lao end no sentence with a mark.
    if matches!(page.language.code, Some("th" | "lo")) {
        return ScoredFinding::unscored(Finding::new(NO_MARKS.detected()));
    }
    if sentences.count < MIN_SENTENCES {
        let too_few = TOO_FEW.with("count", sentences.count).with("needed", MIN_SENTENCES);
        return ScoredFinding::unscored(Finding::new(too_few));
    }
    let words = number(sentences.words) / number(sentences.count);
    let syllables = number(sentences.syllables) / number(sentences.words);
    let credit = Credit::ramp(words, GOOD_WORDS, BAD_WORDS).complement();
    let decisive = credit.pick([SHORT, LONG, VERY_LONG]).with("words", format!("{words:.1}"));
    let most = sentences.longest.as_ref().map_or(0, |longest| longest.words);
    let finding = Finding::new(decisive.with("count", sentences.count).with("longest", most))
        .with_detection_if_any(formula(page.language, words, syllables).map(band))
        .with_evidence(longest(page));
    ScoredFinding::new(credit, finding)
}

/// The value of the formula in words; both formulas have the same bands.
fn band((name, value): (&'static str, f64)) -> finding::Detection {
    let outcome = match value {
        90.0.. => VERY_EASY,
        70.0.. => EASY,
        50.0.. => MEDIUM,
        30.0.. => DIFFICULT,
        _ => VERY_DIFFICULT,
    };
    outcome.with("formula", name).with("value", format!("{value:.0}"))
}

fn longest(page: &AuditedPage<'_>) -> Option<Evidence> {
    let longest = page.prose.sentences.longest.as_ref()?;
    let block = page.content.blocks.get(longest.block)?;
    Some(page.evidence(&longest.text, block.line, block.node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn text(words: usize, count: usize) -> String {
        let sentence = format!("The {}.", vec!["kettle"; words - 1].join(" "));
        format!("<main><h1>K2</h1>\n<p>{}</p></main>", vec![sentence; count].join(" "))
    }

    #[test]
    fn long_sentences_cost_credit() {
        for (words, count, expected) in [
            (10, 6, Some((1000, "short"))),
            (22, 6, Some((1000, "short"))),
            (28, 6, Some((538, "long"))),
            (33, 6, Some((154, "very-long"))),
            (60, 6, Some((0, "very-long"))),
            (60, 4, None),
        ] {
            let scored = fixture(&text(words, count)).read(&SIGNAL);
            let seen =
                scored.credit.map(|c| (c.per_mille(), scored.finding.detections()[0].outcome.id));
            assert_eq!(seen, expected, "{words} {count}");
        }
    }

    #[test]
    fn a_language_without_marks_at_the_end_of_sentences_is_not_judged() {
        let text = "<p>หอสมุดประกาศเปิดถึงสี่ทุ่มในวันเสาร์และวันอาทิตย์ ปีที่แล้วมีผู้ใช้บริการมากกว่าสามแสนคน</p>";
        let scored = fixture(&format!("<main>{}</main>", text.repeat(6))).read(&SIGNAL);
        assert_eq!(scored.credit, None);
        assert_eq!(scored.finding.detections()[0].outcome.id, "no-marks");
    }

    #[test]
    fn the_formula_of_the_language_is_named() {
        for (html, name) in [
            (
                "<main>".to_owned()
                    + &"<p>The kettle boils the water for our tea within four minutes.</p>"
                        .repeat(6),
                "Flesch",
            ),
            (
                "<main>".to_owned()
                    + &"<p>Su ısıtıcısı çayımız için gereken suyu dört dakika içinde kaynatır.</p>"
                        .repeat(6),
                "Ateşman",
            ),
        ] {
            let scored = fixture(&html).read(&SIGNAL);
            assert_eq!(scored.finding.detections()[1].values["formula"], name);
        }
    }

    #[test]
    fn bands_begin_at_their_values() {
        for (value, id) in [
            (95.0, "very-easy"),
            (90.0, "very-easy"),
            (89.9, "easy"),
            (50.0, "medium"),
            (30.0, "difficult"),
            (-40.0, "very-difficult"),
        ] {
            assert_eq!(band(("Flesch", value)).outcome.id, id, "{value}");
        }
    }

    #[test]
    fn the_longest_sentence_is_shown() {
        let html = text(8, 5)
            .replace("</main>", &format!("\n<p>A {}sentence.</p></main>", "long ".repeat(20)));
        let scored = fixture(&html).read(&SIGNAL);
        let evidence = &scored.finding.evidence()[0];
        assert_eq!(evidence.line, Some(3));
        assert_eq!(scored.finding.detections()[0].values["longest"], "22");
    }
}
