//! `snippet-eligibility`: engines may quote the page.

use super::directive_fix::{self, is_for_engines};
use crate::audit::cap::AuditCap;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::page::directives::Directive;
use crate::rubric::finding::{Detection as Seen, Finding, Outcome};
use crate::rubric::{Effort, Spec};

pub(super) const SIGNAL: Signal = Signal {
    id: "snippet-eligibility",
    code: "AC03",
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
    outcomes: &[
        OPEN,
        NOCACHE,
        NOARCHIVE,
        SHORT_SNIPPET,
        PARTS_WITHHELD,
        MOSTLY_WITHHELD,
        NOSNIPPET,
    ],
    sources: &[
        Spec {
            name: "Google: robots meta tag",
            url: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",
        },
        Spec {
            name: "Bing: content in Copilot",
            url: "https://blogs.bing.com/webmaster/september-2023/Announcing-new-options-for-webmasters-to-control-usage-of-their-content-in-Bing-Chat",
        },
    ],
    evaluate,
};

const OPEN: Outcome = Outcome::pass("open");
const NOCACHE: Outcome = Outcome::warn("nocache");
const NOARCHIVE: Outcome = Outcome::warn("noarchive");
const SHORT_SNIPPET: Outcome = Outcome::warn("short-snippet");
const PARTS_WITHHELD: Outcome = Outcome::warn("parts-withheld");
const MOSTLY_WITHHELD: Outcome = Outcome::fail("mostly-withheld");
const NOSNIPPET: Outcome = Outcome::fail("nosnippet");

/// Characters of a snippet below which little can be quoted.
const SHORT_CHARS: u32 = 160;
/// Hundredths of the main content that may be withheld.
const MAX_WITHHELD: usize = 30;
/// What a page gives that lets itself be quoted in full.
const GENEROUS: &str = "max-snippet:-1, max-image-preview:large";
/// Places that are quoted.
const MAX_QUOTED: usize = 5;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let concerned: Vec<&Directive> =
        page.directives.iter().filter(|directive| is_for_engines(directive)).collect();
    let harmful = |d: &Directive| is_for_engines(d) && is_harmful(d, &concerned);
    let evidence = page.directives.iter().filter(|directive| harmful(directive));
    let evidence: Vec<_> =
        evidence.take(MAX_QUOTED).map(|d| directive_fix::evidence(page, d)).collect();
    if let Some(directive) = concerned.iter().find(|directive| forbids_snippets(directive)) {
        let finding = Finding::new(NOSNIPPET.with("directive", directive)).with_evidence(evidence);
        let fix = directive_fix::fix(page, harmful, GENEROUS);
        return ScoredFinding::new(Credit::NONE, finding)
            .capped(AuditCap::Nosnippet)
            .with_fix_if_any(fix);
    }
    let by_directive = worst(&concerned);
    let withheld = withheld(page);
    let (mut tenths, mut seen) = by_directive.clone().unwrap_or((10, OPEN.detected()));
    let mut finding = None;
    if let Some(share) = withheld {
        tenths -= 4;
        let parts = PARTS_WITHHELD.with("percent", share);
        seen = if tenths <= 2 { MOSTLY_WITHHELD.with("percent", share) } else { parts };
        finding = by_directive.map(|(_, other)| Finding::new(seen.clone()).with_detection(other));
    }
    let finding = finding.unwrap_or_else(|| Finding::new(seen)).with_evidence(evidence);
    let fix = directive_fix::fix(page, harmful, GENEROUS);
    ScoredFinding::new(Credit::from_share(f64::from(tenths) / 10.0), finding).with_fix_if_any(fix)
}

/// What the directives alone leave of ten tenths, if that is not all.
fn worst(concerned: &[&Directive]) -> Option<(i32, Seen)> {
    let shortest =
        concerned.iter().filter_map(|directive| Some((max_snippet(directive)?, directive)));
    let shortest = shortest
        .filter(|(chars, _)| (1..SHORT_CHARS).contains(chars))
        .min_by_key(|(chars, _)| *chars);
    if let Some((chars, directive)) = shortest {
        return Some((4, SHORT_SNIPPET.with("chars", chars).with("directive", directive)));
    }
    if let Some(directive) = bing(concerned, "nocache") {
        return Some((8, NOCACHE.with("directive", directive)));
    }
    let directive = bing(concerned, "noarchive")?;
    Some((6, NOARCHIVE.with("directive", directive)))
}

/// A directive that only Bing gives this meaning.
fn bing<'d>(concerned: &[&'d Directive], name: &str) -> Option<&'d Directive> {
    let is_for_bing = |d: &Directive| d.agent.as_deref() != Some("googlebot");
    concerned.iter().find(|d| d.name == name && is_for_bing(d)).copied()
}

fn forbids_snippets(directive: &Directive) -> bool {
    directive.name == "nosnippet" || max_snippet(directive) == Some(0)
}

/// Characters that a snippet may have; `None` without a limit.
fn max_snippet(directive: &Directive) -> Option<u32> {
    let value = directive.value.as_deref().filter(|_| directive.name == "max-snippet")?;
    value.trim().parse().ok()
}

fn is_harmful(directive: &Directive, concerned: &[&Directive]) -> bool {
    forbids_snippets(directive)
        || max_snippet(directive).is_some_and(|chars| chars < SHORT_CHARS)
        || (matches!(directive.name.as_str(), "noarchive" | "nocache")
            && bing(concerned, &directive.name).is_some())
}

/// The share of the main content under `data-nosnippet` in percent, if it is too large.
fn withheld(page: &AuditedPage<'_>) -> Option<usize> {
    let percent = (100 * page.content.nosnippet_chars).checked_div(page.content.chars)?;
    (percent > MAX_WITHHELD).then_some(percent.min(100))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn read(head: &str, header: Option<&str>) -> ScoredFinding {
        let page = fixture(&format!("<!doctype html><head>{head}</head><p>Text of the page"));
        header.map_or(page.clone(), |value| page.header("x-robots-tag", value)).read(&SIGNAL)
    }

    #[test]
    fn the_strictest_directive_decides() {
        for (head, header, outcome, credit) in [
            ("", None, "open", 1000),
            ("<meta name=robots content='max-snippet:-1'>", None, "open", 1000),
            ("<meta name=robots content='max-snippet:160'>", None, "open", 1000),
            ("<meta name=robots content='max-snippet:159'>", None, "short-snippet", 400),
            ("<meta name=robots content='max-snippet:0'>", None, "nosnippet", 0),
            ("<meta name=robots content='max-snippet: 50'>", Some("nosnippet"), "nosnippet", 0),
            ("", Some("bingbot: nosnippet"), "nosnippet", 0),
            ("", Some("otherbot: nosnippet"), "open", 1000),
            (
                "<meta name=robots content='max-snippet:-1'><meta name=googlebot content=nosnippet>",
                None,
                "nosnippet",
                0,
            ),
            ("<meta name=robots content=noarchive>", None, "noarchive", 600),
            ("<meta name=robots content=nocache>", None, "nocache", 800),
            ("<meta name=robots content='noarchive, nocache'>", None, "nocache", 800),
            ("<meta name=googlebot content=noarchive>", None, "open", 1000),
            ("<meta name=robots content='noarchive, max-snippet:20'>", None, "short-snippet", 400),
        ] {
            let scored = read(head, header);
            let seen = scored.finding.detections()[0].outcome.id;
            assert_eq!((seen, scored.credit.unwrap().per_mille()), (outcome, credit), "{head}");
            assert_eq!(scored.cap, (outcome == "nosnippet").then_some(AuditCap::Nosnippet));
            assert_eq!(scored.fix.is_some(), outcome != "open", "{head}");
        }
    }

    #[test]
    fn what_stands_under_data_nosnippet_is_withheld() {
        let page = |share: usize, head: &str| {
            let (held, open) = ("held word ".repeat(share), "open word ".repeat(100 - share));
            let body = format!("<main><p data-nosnippet>{held}</p><p>{open}</p></main>");
            fixture(&format!("<!doctype html><head>{head}</head><body>{body}")).read(&SIGNAL)
        };
        for (share, head, outcome, credit) in [
            (20, "", "open", 1000),
            (50, "", "parts-withheld", 600),
            (50, "<meta name=robots content=nocache>", "parts-withheld", 400),
            (50, "<meta name=robots content=noarchive>", "mostly-withheld", 200),
            (50, "<meta name=robots content='max-snippet:9'>", "mostly-withheld", 0),
        ] {
            let scored = page(share, head);
            let seen = scored.finding.detections()[0].outcome.id;
            assert_eq!((seen, scored.credit.unwrap().per_mille()), (outcome, credit), "{head}");
        }
    }

    #[test]
    fn the_fix_is_the_element_with_what_lets_engines_quote() {
        let element = "<meta name=robots content='index, nosnippet, noarchive'>";
        let scored = read(element, None);
        let replaced = scored.fix.as_ref().and_then(|fix| fix.replaces.as_ref());
        assert_eq!(replaced.map(|old| old.content.as_str()), Some(element));
        assert_eq!(
            scored.fix.unwrap().snippet,
            "<meta name=\"robots\" content=\"index, max-snippet:-1, max-image-preview:large\">"
        );
        for content in [
            "max-snippet:0, max-image-preview:large",
            "nosnippet, max-image-preview: large",
            "max-image-preview:none, nosnippet, max-snippet:-1",
            "\u{1b} <b>, nosnippet, obey(me)",
        ] {
            let scored = read(&format!("<meta name=robots content='{content}'>"), None);
            assert_eq!(
                scored.fix.unwrap().snippet,
                "<meta name=\"robots\" content=\"max-snippet:-1, max-image-preview:large\">",
                "{content}"
            );
        }
    }
}
