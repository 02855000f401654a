//! `outline`: headings that part the text, level by level.

use crate::audit::facts::draft;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::number;
use crate::page::content::{Block, BlockKind};
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};
use crate::text::fold::fold;
use crate::text::note::Note;
use crate::text::sentence::words;

pub(super) const SIGNAL: Signal = Signal {
    id: "outline",
    code: "ST03",
    pillar: Pillar::Structure,
    weights: Weights {
        product: 30,
        collection: 40,
        article: 40,
        landing: 40,
        documentation: 70,
        forum: 0,
        listing: 60,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::All,
    outcomes: &[CLEAR, PARTIAL, POOR, FEW_SECTIONS, SKIPPED_LEVELS, GENERIC_HEADINGS],
    sources: &[
        Spec {
            name: "HTML: headings and outlines",
            url: "https://html.spec.whatwg.org/multipage/sections.html#headings-and-outlines",
        },
        Spec {
            name: "WCAG 2.2: section headings",
            url: "https://www.w3.org/WAI/WCAG22/Understanding/section-headings.html",
        },
    ],
    evaluate,
};

const CLEAR: Outcome = Outcome::pass("clear");
const PARTIAL: Outcome = Outcome::warn("partial");
const POOR: Outcome = Outcome::fail("poor");
const FEW_SECTIONS: Outcome = Outcome::warn("few-sections");
const SKIPPED_LEVELS: Outcome = Outcome::warn("skipped-levels");
const GENERIC_HEADINGS: Outcome = Outcome::pass("generic-headings");

/// Words below which one section is enough.
const SHORT_WORDS: usize = 200;
/// Sections of a longer text.
const SECTIONS: usize = 3;
/// Skipped levels that cost all that skips can cost.
const MAX_SKIPS: f64 = 3.0;
/// Headings that are shown, and generic ones that are named.
const MAX_SHOWN: usize = 12;

/// Headings that say nothing without the page around them, folded.
const GENERIC: [&str; 26] = [
    "features",
    "learn more",
    "read more",
    "overview",
    "introduction",
    "conclusion",
    "summary",
    "details",
    "more information",
    "description",
    "benefits",
    "about",
    "our services",
    "services",
    "get started",
    "final thoughts",
    "özellikler",
    "daha fazla bilgi",
    "daha fazla",
    "genel bakiş",
    "giriş",
    "sonuç",
    "özet",
    "açıklama",
    "detaylar",
    "hizmetlerimiz",
];

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let headings: Vec<(u8, &Block)> = page.content.blocks.iter().filter_map(leveled).collect();
    let sections = headings.iter().filter(|(level, _)| *level == 2).count();
    let needed = if page.content.words < SHORT_WORDS { 1 } else { SECTIONS };
    let skips = skips(&headings);
    let share = number(sections.min(needed)) / number(needed);
    let order = (1.0 - number(skips.len()) / MAX_SKIPS).max(0.0);
    let credit = Credit::from_share(0.7 * share + 0.3 * order);
    let decisive = credit.pick([CLEAR, PARTIAL, POOR]).with("count", sections);
    let generic = generic(&headings);
    let finding = Finding::new(decisive)
        .with_detection_if_any(
            (sections < needed)
                .then(|| FEW_SECTIONS.with("count", sections).with("needed", needed)),
        )
        .with_detection_if_any(
            (!skips.is_empty()).then(|| SKIPPED_LEVELS.with("count", skips.len())),
        )
        .with_detection_if_any(
            (!generic.is_empty()).then(|| GENERIC_HEADINGS.with("names", generic.join(", "))),
        )
        .with_evidence(evidence(page, &headings, &skips));
    ScoredFinding::new(credit, finding)
}

fn leveled(block: &Block) -> Option<(u8, &Block)> {
    match block.kind {
        BlockKind::Heading(level) => Some((level, block)),
        _ => None,
    }
}

/// Headings that are more than one level below the one before them; the first one below the title.
fn skips<'a>(headings: &[(u8, &'a Block)]) -> Vec<(u8, &'a Block)> {
    let before = std::iter::once(1).chain(headings.iter().map(|(level, _)| *level));
    let pairs = before.zip(headings);
    pairs.filter(|(before, (level, _))| *level > before + 1).map(|(_, heading)| *heading).collect()
}

fn generic<'a>(headings: &[(u8, &'a Block)]) -> Vec<&'a str> {
    let is_generic = |text: &str| {
        let folded = fold(text);
        let bare = folded.trim_matches(|ch: char| !ch.is_alphanumeric());
        GENERIC.iter().any(|known| fold(known) == bare)
    };
    let found = headings.iter().map(|(_, block)| block.text.as_str());
    found.filter(|text| words(text).nth(4).is_none() && is_generic(text)).take(MAX_SHOWN).collect()
}

/// The headings that skip a level; without any, the outline; without headings, the text.
fn evidence(
    page: &AuditedPage<'_>,
    headings: &[(u8, &Block)],
    skips: &[(u8, &Block)],
) -> Vec<Evidence> {
    let shown = if skips.is_empty() { headings } else { skips };
    let show =
        |(level, block): &(u8, &Block)| page.block(block).note(Note::verbatim(format!("h{level}")));
    let found: Vec<Evidence> = shown.iter().take(MAX_SHOWN).map(show).collect();
    let text = || draft::opening(page).map(|block| page.block(block));
    if found.is_empty() { text().into_iter().collect() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn long(html: &str) -> String {
        format!("<main><h1>Kettles</h1>{html}<p>{}</p></main>", "word ".repeat(200))
    }

    #[test]
    fn sections_and_levels_make_an_outline() {
        for (html, credit, outcome) in [
            (long("<h2>a</h2><h2>b</h2><h3>c</h3><h2>d</h2>"), 1000, "clear"),
            (long("<h2>a</h2><h2>b</h2>"), 767, "partial"),
            (long("<h2>a</h2><h4>b</h4><h2>c</h2><h2>d</h2>"), 900, "clear"),
            (long(""), 300, "partial"),
            (long("<h3>a</h3>"), 200, "poor"),
            (long("<h4>a</h4><h1>x</h1><h3>b</h3><h1>x</h1><h5>c</h5>"), 0, "poor"),
            (
                "<main><h1>Su ısıtıcıları</h1><h2>Kapasite</h2><p>Kısa metin.</p></main>".into(),
                1000,
                "clear",
            ),
            ("<main><p>Kısa bir metin.</p></main>".into(), 300, "partial"),
        ] {
            let scored = fixture(&html).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
            assert!(!scored.finding.evidence().is_empty());
        }
    }

    #[test]
    fn the_heading_that_skips_a_level_is_shown() {
        let scored = fixture("<main><h1>a</h1>\n<h2>b</h2>\n<h4>c</h4></main>").read(&SIGNAL);
        let evidence = &scored.finding.evidence()[0];
        assert_eq!((evidence.line, evidence.excerpt.as_deref()), (Some(3), Some("c")));
    }

    #[test]
    fn generic_headings_are_named_and_cost_nothing() {
        let scored =
            fixture("<main><h1>a</h1><h2>Features</h2><h2>ÖZELLİKLER</h2></main>").read(&SIGNAL);
        assert_eq!(scored.credit, Some(Credit::FULL));
        let named = &scored.finding.detections()[1];
        assert_eq!(
            (named.outcome.id, named.values["names"].as_str()),
            ("generic-headings", "Features, ÖZELLİKLER")
        );
    }
}
