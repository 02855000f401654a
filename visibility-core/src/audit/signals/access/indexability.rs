//! `indexability`: nothing keeps the page out of the indexes that answers are built on.

use super::directive_fix::{self, is_for_engines};
use crate::audit::cap::AuditCap;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::page::directives::Directive;
use crate::rubric::finding::{Finding, Outcome};
use crate::rubric::{Effort, Spec};

pub(super) const SIGNAL: Signal = Signal {
    id: "indexability",
    code: "AC02",
    pillar: Pillar::Access,
    weights: Weights {
        product: 40,
        collection: 40,
        article: 40,
        landing: 40,
        documentation: 40,
        forum: 40,
        listing: 40,
    },
    grade: Grade::A,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[OPEN, EXPIRES, NOINDEX, EXPIRED],
    sources: &[
        Spec {
            name: "Google: robots meta tag",
            url: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",
        },
        Spec {
            name: "Bing: robots meta tags",
            url: "https://www.bing.com/webmasters/help/which-robots-metatags-does-bing-support-5198d240",
        },
    ],
    evaluate,
};

const OPEN: Outcome = Outcome::pass("open");
const EXPIRES: Outcome = Outcome::pass("expires");
const NOINDEX: Outcome = Outcome::fail("noindex");
const EXPIRED: Outcome = Outcome::fail("expired");

/// Places that are quoted.
const MAX_QUOTED: usize = 5;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let concerned = || page.directives.iter().filter(|directive| is_for_engines(directive));
    let forbidding: Vec<&Directive> = concerned().filter(|d| d.forbids_indexing()).collect();
    let evidence = |directives: &[&Directive]| -> Vec<_> {
        directives.iter().take(MAX_QUOTED).map(|d| directive_fix::evidence(page, d)).collect()
    };
    if let Some(first) = forbidding.first() {
        let finding =
            Finding::new(NOINDEX.with("directive", first)).with_evidence(evidence(&forbidding));
        let fix = directive_fix::fix(page, |d| is_for_engines(d) && d.forbids_indexing(), "");
        return ScoredFinding::new(Credit::NONE, finding)
            .capped(AuditCap::Noindex)
            .with_fix_if_any(fix);
    }
    let ending = concerned().filter_map(|directive| Some((directive.ends()?, directive)));
    let Some((end, directive)) = ending.min_by_key(|(end, _)| *end) else {
        return ScoredFinding::new(Credit::FULL, Finding::new(OPEN.detected()));
    };
    let day = end.date_naive();
    if end > page.snapshot.taken_at {
        let finding = Finding::new(EXPIRES.with("date", day)).with_evidence(evidence(&[directive]));
        return ScoredFinding::new(Credit::FULL, finding);
    }
    let finding = Finding::new(EXPIRED.with("date", day)).with_evidence(evidence(&[directive]));
    ScoredFinding::new(Credit::NONE, finding).with_fix_if_any(directive_fix::fix(
        page,
        |d| is_for_engines(d) && d.ends().is_some_and(|end| end <= page.snapshot.taken_at),
        "",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn read(head: &str, header: Option<&str>) -> ScoredFinding {
        let page = fixture(&format!("<!doctype html>\n<head>{head}</head><p>Text"));
        header.map_or(page.clone(), |value| page.header("x-robots-tag", value)).read(&SIGNAL)
    }

    #[test]
    fn elements_and_fields_are_merged() {
        for (head, header, outcome) in [
            ("", None, "open"),
            ("<meta name=robots content='index, follow'>", Some("max-snippet:-1"), "open"),
            ("<meta name=robots content=noindex>", None, "noindex"),
            ("<meta name=ROBOTS content='NONE'>", None, "noindex"),
            (
                "<meta name=robots content='index'><meta name=robots content='follow, noindex'>",
                None,
                "noindex",
            ),
            (
                "<meta name=robots content=index><meta name=googlebot content=noindex>",
                None,
                "noindex",
            ),
            ("<meta name=robots content=index>", Some("noindex"), "noindex"),
            ("", Some("bingbot: noindex"), "noindex"),
            ("", Some("unknownbot: noindex"), "open"),
            ("<meta name=gptbot content=noindex>", None, "open"),
            ("", Some("unavailable_after: 2026-11-19"), "expired"),
            ("", Some("unavailable_after: 25 Jun 2010 15:00:00 PST"), "expired"),
            ("", Some("unavailable_after: Friday, 25-Jun-10 15:00:00 UTC"), "expired"),
            ("", Some("unavailable_after: 2027-01-01T00:00:00Z"), "expires"),
            ("", Some("unavailable_after: some day"), "open"),
            (
                "<meta name=robots content='unavailable_after: 25-Aug-2007 15:00:00 EST'>",
                None,
                "expired",
            ),
        ] {
            let scored = read(head, header);
            let seen = scored.finding.detections()[0].outcome.id;
            assert_eq!(seen, outcome, "{head} {header:?}");
            assert_eq!(scored.cap, (outcome == "noindex").then_some(AuditCap::Noindex));
        }
    }

    #[test]
    fn the_fix_is_the_element_without_what_forbids() {
        for (head, header, snippet) in [
            (
                "<meta name=robots content='noindex, nofollow, max-snippet:-1'>",
                None,
                "<meta name=\"robots\" content=\"nofollow, max-snippet:-1\">",
            ),
            (
                "<meta name=googlebot content=none>",
                None,
                "<meta name=\"googlebot\" content=\"index, follow\">",
            ),
            ("", Some("noindex"), "X-Robots-Tag: all"),
            ("", Some("bingbot: noindex, nofollow"), "X-Robots-Tag: bingbot: nofollow"),
            (
                "<meta name=robots content='noindex, \"><script>'>",
                None,
                "<meta name=\"robots\" content=\"index, follow\">",
            ),
            (
                "<meta name=robots content='noindex, max-image-preview:\"><b>'>",
                None,
                "<meta name=\"robots\" content=\"max-image-preview:&quot;&gt;&lt;b&gt;\">",
            ),
        ] {
            assert_eq!(read(head, header).fix.unwrap().snippet, snippet);
        }
        assert_eq!(read("", None).fix, None);
    }

    #[test]
    fn evidence_is_the_element_with_its_line() {
        let scored = read("\n<meta name=robots content=noindex>", None);
        let evidence = &scored.finding.evidence()[0];
        assert_eq!(evidence.line, Some(3));
        assert_eq!(evidence.excerpt.as_deref(), Some("<meta name=\"robots\" content=\"noindex\">"));
        assert!(evidence.css.as_deref().is_some_and(|css| css.contains("meta")));
        let header = &read("", Some("noindex")).finding.evidence()[0].clone();
        assert_eq!(header.excerpt.as_deref(), Some("X-Robots-Tag: noindex"));
    }
}
