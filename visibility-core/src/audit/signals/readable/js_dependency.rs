//! `js-dependency`: what scripts put into the page is not what matters in it.

use super::{shell, wanted_words};
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::page::content::Blob;
use crate::rubric::finding::{Detection as Seen, Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};
use crate::text::note::Note;

pub(super) const SIGNAL: Signal = Signal {
    id: "js-dependency",
    code: "RD02",
    pillar: Pillar::Readable,
    weights: Weights {
        product: 40,
        collection: 40,
        article: 40,
        landing: 40,
        documentation: 55,
        forum: 75,
        listing: 60,
    },
    grade: Grade::C,
    effort: Effort::L,
    languages: KnownLanguages::All,
    outcomes: &[INDEPENDENT, HIDDEN_SLOTS, NOSCRIPT_TEXT, SCATTERED, NOTICE, HYDRATION, SHELL],
    sources: &[
        Spec {
            name: "Vercel: the rise of the AI crawler",
            url: "https://vercel.com/blog/the-rise-of-the-ai-crawler",
        },
        Spec {
            name: "Google: JavaScript SEO",
            url: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        },
    ],
    evaluate,
};

const INDEPENDENT: Outcome = Outcome::pass("independent");
const HIDDEN_SLOTS: Outcome = Outcome::warn("hidden-slots");
const NOSCRIPT_TEXT: Outcome = Outcome::warn("noscript-text");
const SCATTERED: Outcome = Outcome::warn("scattered");
const NOTICE: Outcome = Outcome::warn("notice");
const HYDRATION: Outcome = Outcome::warn("hydration");
const SHELL: Outcome = Outcome::fail("shell");

/// How many times the words of the main content those of the body may be.
const MAX_BODY_TIMES: usize = 5;
/// How many times the visible text the data of a framework may be.
const MAX_DATA_TIMES: usize = 3;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    if let Some(signs) = shell::signs(page) {
        let seen = SHELL.with("words", page.content.words);
        return ScoredFinding::new(Credit::NONE, Finding::new(seen).with_evidence(signs));
    }
    let problems = [scripted(page), scattered(page), notice(page), hydration(page)];
    let (seen, evidence): (Vec<Seen>, Vec<Evidence>) = problems.into_iter().flatten().unzip();
    let mut seen = seen.into_iter();
    let Some(first) = seen.next() else {
        return ScoredFinding::new(Credit::FULL, Finding::new(INDEPENDENT.detected()));
    };
    let finding = seen.fold(Finding::new(first), Finding::with_detection).with_evidence(evidence);
    ScoredFinding::new(Credit::from_share(0.5), finding)
}

fn is_short(page: &AuditedPage<'_>) -> bool {
    has_few(page, page.content.words)
}

/// Whether so many words are less than a page of this kind needs.
fn has_few(page: &AuditedPage<'_>, words: usize) -> bool {
    let (least, _) = wanted_words(page.profiles());
    words < usize::try_from(least).unwrap_or(usize::MAX)
}

/// The content is only in `noscript`, or in elements that a script is to move to their place.
fn scripted(page: &AuditedPage<'_>) -> Option<(Seen, Evidence)> {
    let slot = page.content.hydration.iter().find(|blob| is_slot(blob));
    let (words, scripted) = (page.content.words, page.content.scripted_words);
    if !has_few(page, words.saturating_sub(scripted)) {
        return None;
    }
    if let Some(slot) = slot {
        return Some((HIDDEN_SLOTS.with("id", &slot.name), blob(page, slot)));
    }
    let text = page.page().noscript_text.as_str();
    let evidence = || Evidence::for_url(page.response.url.as_str()).quote(text);
    (scripted > 0).then(|| (NOSCRIPT_TEXT.with("words", scripted), evidence()))
}

/// The body says far more than what was found as its content.
fn scattered(page: &AuditedPage<'_>) -> Option<(Seen, Evidence)> {
    let (words, body) = (page.content.words, page.content.body_words);
    let evidence = || Evidence::from_response(page.response);
    let seen = || SCATTERED.with("words", words).with("body", body);
    (body > MAX_BODY_TIMES.saturating_mul(words)).then(|| (seen(), evidence()))
}

fn notice(page: &AuditedPage<'_>) -> Option<(Seen, Evidence)> {
    let notice = page.page().requires_js_notice().filter(|_| is_short(page))?;
    Some((NOTICE.with("text", notice), Evidence::for_url(page.response.url.as_str()).quote(notice)))
}

/// The data for scripts hold far more than what can be read.
fn hydration(page: &AuditedPage<'_>) -> Option<(Seen, Evidence)> {
    let heaviest = page
        .content
        .hydration
        .iter()
        .filter(|blob| !is_slot(blob))
        .max_by_key(|blob| blob.bytes)?;
    let text = page.page().visible_text.len();
    let seen =
        || HYDRATION.with("name", &heaviest.name).with("bytes", heaviest.bytes).with("text", text);
    (heaviest.bytes >= MAX_DATA_TIMES.saturating_mul(text)).then(|| (seen(), blob(page, heaviest)))
}

/// A hidden element such as `<div hidden id="S:0">`.
fn is_slot(blob: &Blob) -> bool {
    blob.name.starts_with("S:")
}

fn blob(page: &AuditedPage<'_>, blob: &Blob) -> Evidence {
    page.evidence(&blob.name, blob.line, blob.node)
        .note(Note::new("bytes").with("bytes", blob.bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn seen(body: &str) -> (Vec<&'static str>, u32) {
        let scored = fixture(&format!("<!doctype html><body>{body}")).read(&SIGNAL);
        let signals = scored.finding.detections().iter().map(|seen| seen.outcome.id).collect();
        (signals, scored.credit.unwrap().per_mille())
    }

    fn text(words: usize) -> String {
        format!("<main><p>{}</p></main>", "word ".repeat(words))
    }

    #[test]
    fn what_only_scripts_show_is_not_read() {
        let data = |bytes: usize| {
            format!(
                "<script id=__NEXT_DATA__ type=application/json>\"{}\"</script>",
                "x".repeat(bytes)
            )
        };
        let slot =
            |words: usize| format!("<div hidden id=S:0><p>{}</p></div>", "word ".repeat(words));
        let noscript =
            |words: usize| format!("<noscript><p>{}</p></noscript>", "word ".repeat(words));
        let nav = |words: usize| format!("<nav>{}</nav>", "<a href=/a>word</a> ".repeat(words));
        let notice = "<noscript>Please enable JavaScript.</noscript>";
        for (body, outcomes, credit) in [
            (text(300), vec!["independent"], 1000),
            (text(300) + "<script src=/a.js></script>", vec!["independent"], 1000),
            ("<div id=root></div><script src=/a.js></script>".to_owned(), vec!["shell"], 0),
            (text(70) + &slot(200), vec!["hidden-slots"], 500),
            (text(300) + &slot(200), vec!["independent"], 1000),
            (slot(800), vec!["hidden-slots"], 500),
            (text(300) + &noscript(300), vec!["independent"], 1000),
            (
                "<div id=root></div><script src=/a.js></script>".to_owned() + &noscript(300),
                vec!["noscript-text"],
                500,
            ),
            (text(50) + &nav(300), vec!["scattered"], 500),
            (text(60) + notice, vec!["notice"], 500),
            (text(300) + notice, vec!["independent"], 1000),
            (text(300) + &data(10_000), vec!["hydration"], 500),
            (text(300) + &data(1_000), vec!["independent"], 1000),
            (text(60) + notice + &data(10_000), vec!["notice", "hydration"], 500),
        ] {
            let name: String =
                body.chars().rev().take(60).collect::<String>().chars().rev().collect();
            assert_eq!(seen(&body), (outcomes, credit), "{name}");
        }
    }
}
