//! `page-weight`: engines that cut pages off still reach the content.

use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::number;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};
use crate::text::note::Note;

pub(super) const SIGNAL: Signal = Signal {
    id: "page-weight",
    code: "RD05",
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
    outcomes: &[LIGHT, HEAVY, TOO_HEAVY],
    sources: &[Spec {
        name: "Google: limits of Googlebot",
        url: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
    }],
    evaluate,
};

const LIGHT: Outcome = Outcome::pass("light");
const HEAVY: Outcome = Outcome::warn("heavy");
const TOO_HEAVY: Outcome = Outcome::fail("too-heavy");

/// KiB of HTML that cost nothing, and from which on nothing is earned.
const LIGHT_KIB: f64 = 300.0;
const HEAVY_KIB: f64 = 2_000.0;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let bytes = page.page().html_bytes;
    let credit = Credit::ramp(number(bytes) / 1024.0, LIGHT_KIB, HEAVY_KIB).complement();
    let cost = page.tokens;
    let decisive = credit
        .pick([LIGHT, HEAVY, TOO_HEAVY])
        .with("kib", bytes.div_ceil(1024))
        .with("tokens", cost.html)
        .with("main_tokens", cost.main)
        .with("before_tokens", cost.before_main);
    let heavy = page.content.heavy.iter().map(|blob| {
        page.evidence(&blob.name, blob.line, blob.node)
            .note(Note::new("bytes").with("bytes", blob.bytes))
    });
    let whole =
        Evidence::from_response(page.response).note(Note::new("html-bytes").with("bytes", bytes));
    ScoredFinding::new(
        credit,
        Finding::new(decisive).with_evidence(std::iter::once(whole).chain(heavy)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::text::locale::{Catalog, Lang};

    fn read(kib: usize) -> ScoredFinding {
        let head = "<!doctype html><style>";
        let tail = "</style><main><p>Some text to read here.</p></main>";
        let filler = "a".repeat(1024 * kib - head.len() - tail.len());
        fixture(&format!("{head}{filler}{tail}")).read(&SIGNAL)
    }

    #[test]
    fn kibibytes_decide() {
        for (kib, outcome, credit) in [
            (1, "light", 1000),
            (300, "light", 1000),
            (1150, "heavy", 500),
            (1700, "too-heavy", 176),
            (2000, "too-heavy", 0),
        ] {
            let scored = read(kib);
            let seen = scored.finding.detections()[0].outcome.id;
            assert_eq!((seen, scored.credit.unwrap().per_mille()), (outcome, credit), "{kib}");
        }
    }

    #[test]
    fn the_heaviest_parts_are_named() {
        let scored = read(400);
        let notes: Vec<_> =
            scored.finding.evidence().iter().map(|one| one.note.clone().unwrap()).collect();
        let notes: Vec<String> =
            notes.iter().map(|note| note.sentence(Catalog::for_lang(Lang::En))).collect();
        assert_eq!(notes[0], "409600 bytes of HTML");
        assert!(notes[1].ends_with(" bytes"), "{notes:?}");
        assert_eq!(scored.finding.evidence()[1].excerpt.as_deref(), Some("style"));
    }
}
