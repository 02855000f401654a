//! `json-ld-syntax`: JSON-LD that parses.

use super::listed;
use crate::audit::page::AuditedPage;
use crate::audit::proposals::for_script;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::fetch::BodyEnd;
use crate::page::NodeId;
use crate::page::json_ld::{JsonLdBlock, JsonLdError, Vocabulary};
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};

pub(super) static SIGNAL: Signal = Signal {
    id: "json-ld-syntax",
    code: "SD01",
    pillar: Pillar::Entity,
    weights: Weights {
        product: 20,
        collection: 20,
        article: 20,
        landing: 20,
        documentation: 20,
        forum: 20,
        listing: 20,
    },
    grade: Grade::A,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[PARSES, BROKEN, MOST_BROKEN, OTHER_WORDS, ONLY_OTHER_WORDS, MICRODATA, ABSENT],
    sources: &[
        Spec {
            name: "Google: structured data",
            url: "https://developers.google.com/search/docs/appearance/structured-data/intro-structured-data",
        },
        Spec { name: "RFC 8259", url: "https://www.rfc-editor.org/rfc/rfc8259" },
    ],
    evaluate,
};

const PARSES: Outcome = Outcome::pass("parses");
const BROKEN: Outcome = Outcome::warn("broken-block");
const MOST_BROKEN: Outcome = Outcome::fail("most-broken");
const OTHER_WORDS: Outcome = Outcome::warn("other-context");
const ONLY_OTHER_WORDS: Outcome = Outcome::fail("only-other-context");
const MICRODATA: Outcome = Outcome::not_applicable("microdata-only");
const ABSENT: Outcome = Outcome::not_applicable("no-json-ld");

/// Broken blocks that are shown.
const MAX_SHOWN: usize = 5;
/// The credit of a page with a broken block, however many others it has.
const MAX_CREDIT: f64 = 0.8;
/// Bytes of a repaired block that is offered to paste.
const MAX_SNIPPET_BYTES: usize = 20_000;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let (whole, broken) = blocks(page);
    let Some((first, _)) = broken.first() else {
        if whole == 0 {
            return ScoredFinding::unscored(Finding::new(absent(page)));
        }
        let passes = || ScoredFinding::new(Credit::FULL, Finding::new(PARSES.with("count", whole)));
        return of_other_words(page, whole).unwrap_or_else(passes);
    };
    let total = whole + broken.len();
    let credit = Credit::from_share(share(whole, total).min(MAX_CREDIT));
    let decisive = credit
        .pick([BROKEN, BROKEN, MOST_BROKEN])
        .with("count", broken.len())
        .with("total", total)
        .with("line", first.line)
        .with("column", first.column);
    let shown = broken.iter().take(MAX_SHOWN).map(|(error, node)| evidence(page, error, *node));
    ScoredFinding::new(credit, Finding::new(decisive).with_evidence(shown))
        .with_fix_if_any(fix(page, &broken))
}

/// What is said of blocks whose words are not those of schema.org, if there are any: consumers skip them.
fn of_other_words(page: &AuditedPage<'_>, whole: usize) -> Option<ScoredFinding> {
    let blocks = page.page().json_ld.iter().filter(|block| {
        block.vocabulary != Vocabulary::Known
            && block.nodes.as_ref().is_ok_and(|nodes| !nodes.is_empty())
    });
    let others: Vec<&JsonLdBlock> = blocks.collect();
    let first = others.first()?;
    let context = match &first.vocabulary {
        Vocabulary::Other(address) => address.as_str(),
        Vocabulary::Known | Vocabulary::Missing => "-",
    };
    let good = whole.saturating_sub(others.len());
    let credit = Credit::from_share(share(good, whole).min(MAX_CREDIT));
    let decisive = credit
        .pick([OTHER_WORDS, OTHER_WORDS, ONLY_OTHER_WORDS])
        .with("count", others.len())
        .with("total", whole)
        .with("context", context)
        .with("line", first.line);
    let shown = others.iter().take(MAX_SHOWN).map(|block| {
        let quote = match &block.vocabulary {
            Vocabulary::Other(address) => format!("\"@context\": \"{address}\""),
            Vocabulary::Known | Vocabulary::Missing => {
                let types = block.nodes.iter().flatten().flat_map(|node| &node.types);
                format!("\"@type\": \"{}\"", listed(types.map(String::as_str)))
            }
        };
        page.evidence(&quote, block.line, block.node)
    });
    Some(ScoredFinding::new(credit, Finding::new(decisive).with_evidence(shown)))
}

/// Blocks that parse, and those that do not. The last one of a page that was cut may be cut itself.
fn blocks<'a>(page: &'a AuditedPage<'_>) -> (usize, Vec<(&'a JsonLdError, NodeId)>) {
    let blocks = page.page().json_ld.as_slice();
    let is_cut = page.response.body_end != BodyEnd::Complete;
    let judged =
        blocks.len() - usize::from(is_cut && blocks.last().is_some_and(|b| b.nodes.is_err()));
    let judged: Vec<&JsonLdBlock> = blocks.iter().take(judged).collect();
    let whole = judged.iter().filter(|block| block.nodes.is_ok()).count();
    let broken = judged.iter().filter_map(|block| Some((block.nodes.as_ref().err()?, block.node)));
    (whole, broken.filter(|(error, _)| error.is_breakage()).collect())
}

fn absent(page: &AuditedPage<'_>) -> crate::rubric::finding::Detection {
    let types = page.page().microdata_types.iter();
    let names: Vec<&str> =
        types.map(|found| found.value.rsplit('/').next().unwrap_or(&found.value)).collect();
    if names.is_empty() { ABSENT.detected() } else { MICRODATA.with("types", listed(names)) }
}

fn evidence(page: &AuditedPage<'_>, error: &JsonLdError, node: NodeId) -> Evidence {
    page.evidence(&error.context, error.line, node).note(error.note())
}

/// The first broken block that can be repaired.
fn fix(page: &AuditedPage<'_>, broken: &[(&JsonLdError, NodeId)]) -> Option<SnippetFix> {
    let repairs = &page.markup.repairs;
    let repaired =
        repairs.iter().find(|repair| broken.iter().any(|(_, node)| *node == repair.node))?;
    let text = for_script(&repaired.text);
    (text.len() <= MAX_SNIPPET_BYTES)
        .then(|| SnippetFix::new(Placement::InPlace, SnippetLanguage::Json, text))
}

fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    number(part) / number(whole).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn outcome(scored: &ScoredFinding) -> &str {
        scored.finding.detections()[0].outcome.id
    }

    fn block(json: &str) -> String {
        format!("<script type=application/ld+json>{json}</script>\n")
    }

    #[test]
    fn words_need_a_vocabulary() {
        let read = |context: &str| {
            let scored =
                fixture(&block(&format!("{{{context}\"@type\":\"Product\"}}"))).read(&SIGNAL);
            (outcome(&scored).to_owned(), scored.credit.map(Credit::per_mille))
        };
        for context in [
            "\"@context\":\"https://schema.org\",",
            "\"@context\":\"http://www.schema.org/\",",
            "\"@context\":[\"https://schema.org\",{\"a\":\"https://a.example/\"}],",
            "\"@context\":{\"@vocab\":\"https://schema.org/\"},",
            "\"@context\":\"https://www.w3.org/ns/activitystreams\",",
        ] {
            assert_eq!(read(context), ("parses".to_owned(), Some(1000)), "{context}");
        }
        for context in
            ["", "\"@context\":\"https://shema.org\",", "\"@context\":\"https://example.org/x\","]
        {
            assert_eq!(read(context), ("only-other-context".to_owned(), Some(0)), "{context}");
        }
        let iri = block("{\"@type\":\"https://schema.org/Product\"}");
        assert_eq!(outcome(&fixture(&iri).read(&SIGNAL)), "parses");
    }

    #[test]
    fn blocks_that_parse_earn_everything_and_each_broken_one_costs() {
        let good = block("{\"@context\":\"https://schema.org\",\"@type\":\"A\"}");
        let bad = block("{\"@type\":\"A\",}");
        for (html, expected, credit) in [
            (good.clone(), "parses", Some(1000)),
            (format!("{good}{bad}{good}"), "broken-block", Some(667)),
            (format!("{}{bad}", good.repeat(20)), "broken-block", Some(800)),
            (bad, "most-broken", Some(0)),
            (
                "<div itemscope itemtype=https://schema.org/Product>".to_owned(),
                "microdata-only",
                None,
            ),
            ("<p>x".to_owned(), "no-json-ld", None),
            (block(" "), "no-json-ld", None),
        ] {
            let scored = fixture(&html).read(&SIGNAL);
            assert_eq!(outcome(&scored), expected, "{html}");
            assert_eq!(scored.credit.map(Credit::per_mille), credit, "{html}");
        }
    }

    #[test]
    fn an_error_has_its_place_and_the_repaired_block_is_offered() {
        let html = format!("<p>\n{}", block("\n{\"@type\": \"A\",\n \"name\": \"</b>\",}"));
        let scored = fixture(&html).read(&SIGNAL);
        let evidence = &scored.finding.evidence()[0];
        assert_eq!(evidence.line, Some(4));
        assert!(evidence.excerpt.as_deref().unwrap().contains("</b>\",}"), "{evidence:?}");
        assert!(evidence.css.is_some());
        let seen = &scored.finding.detections()[0];
        assert!(!seen.values.contains_key("reason"), "the parser's words are a note");
        let snippet = scored.fix.unwrap().snippet;
        assert!(snippet.contains("<\\/b>"));
        assert!(serde_json::from_str::<serde_json::Value>(&snippet).is_ok());
    }

    #[test]
    fn a_block_that_was_cut_with_its_page_is_not_broken() {
        let html = format!("{}{}", block("{}"), "<script type=application/ld+json>{\"a\":");
        let cut = fixture(&html).ending(BodyEnd::Capped).read(&SIGNAL);
        assert_eq!(outcome(&cut), "parses");
        assert_eq!(outcome(&fixture(&html).read(&SIGNAL)), "broken-block");
    }
}
