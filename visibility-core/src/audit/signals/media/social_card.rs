//! `social-card`: links to the page show its title, image and description.

use url::Url;

use crate::audit::facts::{draft, stated};
use crate::audit::gap::has_gap;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, Weights};
use crate::page::Meta;
use crate::rubric::finding::{Finding, Outcome};
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::excerpt::excerpt;

pub(super) const SIGNAL: Signal = Signal {
    id: "social-card",
    code: "ML04",
    pillar: Pillar::Media,
    weights: Weights {
        product: 10,
        collection: 10,
        article: 5,
        landing: 10,
        documentation: 5,
        forum: 5,
        listing: 10,
    },
    grade: Grade::C,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[COMPLETE, PARTIAL, POOR],
    sources: &[Spec { name: "Open Graph protocol", url: "https://ogp.me/" }],
    evaluate,
};

const COMPLETE: Outcome = Outcome::pass("complete");
const PARTIAL: Outcome = Outcome::warn("partial");
const POOR: Outcome = Outcome::fail("poor");

/// Properties and the tenths that each is worth.
const PROPERTIES: [(&str, u32); 3] = [("og:title", 4), ("og:image", 4), ("og:description", 2)];

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let found: Vec<(&str, u32, Option<&Meta>)> =
        PROPERTIES.iter().map(|(key, worth)| (*key, *worth, usable(page, key))).collect();
    let earned: u32 =
        found.iter().filter(|(_, _, meta)| meta.is_some()).map(|(_, worth, _)| worth).sum();
    let missing: Vec<&str> =
        found.iter().filter(|(_, _, meta)| meta.is_none()).map(|(key, ..)| *key).collect();
    let credit = Credit::from_share(f64::from(earned) / 10.0);
    let outcome = credit.pick([COMPLETE, PARTIAL, POOR]);
    let evidence: Vec<_> = found
        .iter()
        .filter_map(|(key, _, meta)| {
            let quote =
                |meta: &Meta| format!("<meta property=\"{key}\" content=\"{}\">", meta.content);
            meta.map(|meta| page.evidence(&quote(meta), meta.line, meta.node))
        })
        .collect();
    let decisive = outcome.with("missing", missing.join(", "));
    let fix = (!missing.is_empty()).then(|| fix(page, &missing));
    ScoredFinding::new(credit, Finding::new(decisive).with_evidence(evidence)).with_fix_if_any(fix)
}

/// The first property with this key that has a value; an image only with an absolute address.
fn usable<'p>(page: &'p AuditedPage<'_>, key: &'p str) -> Option<&'p Meta> {
    let url = page.page().metas("og:image:url").chain(page.page().metas("og:image:secure_url"));
    let others = url.filter(|_| key == "og:image");
    page.page().metas(key).chain(others).find(|meta| match key {
        "og:image" => is_web_address(&meta.content),
        _ => !meta.content.is_empty() && !has_gap(&meta.content),
    })
}

fn is_web_address(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// The properties that are missing, from what the page says elsewhere.
fn fix(page: &AuditedPage<'_>, missing: &[&str]) -> SnippetFix {
    let mut inputs = Vec::new();
    let mut added = Vec::new();
    let mut replacing = Vec::new();
    for key in missing {
        let (value, name) = match *key {
            "og:title" => (title(page), "TITLE"),
            "og:image" => (stated::value(page.stated().image.as_ref()), "IMAGE_URL"),
            _ => (description(page), "DESCRIPTION"),
        };
        let value = page.or_gap(value, name, &mut inputs);
        // An address that is cut leads nowhere.
        let value = if *key == "og:image" { value } else { excerpt(&value) };
        let value = escape::html(&value);
        let element = format!("<meta property=\"{key}\" content=\"{value}\">");
        let old = page.page().metas(key).next();
        match old.and_then(|old| page.element(old.line, "meta", key)) {
            Some(old) => replacing.push(SnippetFix::in_head(element, Some(old))),
            None => added.push(element),
        }
    }
    let added = (!added.is_empty()).then(|| SnippetFix::in_head(added.join("\n"), None));
    let parts = added.into_iter().chain(replacing);
    let fix = parts.reduce(SnippetFix::and).unwrap_or_else(|| SnippetFix::in_head("", None));
    fix.with_inputs(inputs)
}

fn title(page: &AuditedPage<'_>) -> Option<String> {
    page.stated().name().or_else(|| stated::clean(&page.page().title.as_ref()?.value))
}

fn description(page: &AuditedPage<'_>) -> Option<String> {
    let meta = page.page().description.as_ref().and_then(|meta| stated::clean(&meta.value));
    meta.or_else(|| draft::description(page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn read(head: &str) -> ScoredFinding {
        let body = "<main><h1>Kettle & \"Co\"</h1><p>★★★★☆ 4,6 (1.234 değerlendirme)</p>\
            <p>The kettle boils a liter of water in four minutes.</p><img src=/k.jpg alt=x width=640></main>";
        fixture(&format!("<!doctype html><head>{head}</head><body>{body}")).read(&SIGNAL)
    }

    #[test]
    fn properties_count_by_their_worth() {
        let title = "<meta property=og:title content=Kettle>";
        let image = "<meta property=og:image content=https://example.com/k.jpg>";
        let text = "<meta name=og:description content='Boils water'>";
        for (head, outcome, credit) in [
            (format!("{title}{image}{text}"), "complete", 1000),
            (format!("{title}{image}"), "partial", 800),
            (title.to_owned(), "partial", 400),
            (text.to_owned(), "poor", 200),
            (String::new(), "poor", 0),
            (format!("{title}{text}<meta property=og:image content=/k.jpg>"), "partial", 600),
            (
                format!("{title}{text}<meta property=og:image content=//e.com/k.jpg>"),
                "partial",
                600,
            ),
            ("<meta property=og:title content=''>".to_owned(), "poor", 0),
        ] {
            let scored = read(&head);
            let seen = scored.finding.detections()[0].outcome.id;
            assert_eq!((seen, scored.credit.unwrap().per_mille()), (outcome, credit), "{head}");
        }
    }

    #[test]
    fn the_fix_has_what_the_page_says_elsewhere() {
        assert_eq!(
            read("").fix.unwrap().snippet,
            "<meta property=\"og:title\" content=\"Kettle &amp; &quot;Co&quot;\">\n\
             <meta property=\"og:image\" content=\"https://example.com/k.jpg\">\n\
             <meta property=\"og:description\" content=\"The kettle boils a liter of water in four minutes.\">"
        );
        let empty = fixture("<!doctype html>").file().read(&SIGNAL).fix.unwrap();
        assert_eq!(empty.placeholders(), ["[TITLE]", "[IMAGE_URL]", "[DESCRIPTION]"]);
        assert_eq!(empty.snippet.matches("content=\"[").count(), 3, "{}", empty.snippet);
    }
}
