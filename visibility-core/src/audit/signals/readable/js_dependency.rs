//! `js-dependency`: what scripts put into the page is not what matters in it.

mod withheld;

use self::withheld::WithheldText;
use super::{purpose, quoted, shell, wanted_words};
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
    outcomes: &[
        INDEPENDENT,
        HIDDEN_SLOTS,
        NOSCRIPT_TEXT,
        NOTICE,
        HYDRATION,
        SHELL,
        DOUBTFUL,
        NOTHING,
    ],
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
const NOTICE: Outcome = Outcome::warn("notice");
const HYDRATION: Outcome = Outcome::warn("hydration");
const SHELL: Outcome = Outcome::fail("shell");
const DOUBTFUL: Outcome = Outcome::unknown("doubtful");
const NOTHING: Outcome = Outcome::unknown("nothing");

/// Words below which there is nothing that could depend on anything.
const MIN_WORDS: usize = 10;
/// Words that are only in the data of a framework from which on they are what the page is about.
const MIN_WITHHELD_WORDS: usize = 60;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    if let Some(signs) = shell::signs(page) {
        let seen = SHELL.with("words", page.content.words);
        return ScoredFinding::new(Credit::NONE, Finding::new(seen).with_evidence(signs));
    }
    let is_empty = page.content.words < MIN_WORDS && !purpose::is_served(page);
    if is_empty {
        return ScoredFinding::unscored(Finding::new(NOTHING.with("words", page.content.words)));
    }
    // Nothing comes later where nothing runs.
    let has_scripts = !page.page().scripts.is_empty();
    let problems = if has_scripts {
        [scripted(page), notice(page), hydration(page)]
    } else {
        [None, None, None]
    };
    let (seen, evidence): (Vec<Seen>, Vec<Evidence>) = problems.into_iter().flatten().unzip();
    let mut seen = seen.into_iter();
    let Some(first) = seen.next() else {
        if page.is_main_text_doubtful() && has_scripts {
            let (words, body) = (page.content.words, page.content.body_words);
            let doubt = DOUBTFUL.with("words", words).with("body", body);
            return ScoredFinding::unscored(Finding::new(doubt));
        }
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
    (scripted > 0).then(|| (NOSCRIPT_TEXT.with("words", scripted), quoted(page, text)))
}

fn notice(page: &AuditedPage<'_>) -> Option<(Seen, Evidence)> {
    let notice = page.page().requires_js_notice().filter(|_| is_short(page))?;
    Some((NOTICE.with("text", notice), quoted(page, notice)))
}

/// The data for scripts have the text that the page is without.
fn hydration(page: &AuditedPage<'_>) -> Option<(Seen, Evidence)> {
    if !is_short(page) {
        return None;
    }
    let blobs = page.content.hydration.iter().filter(|blob| !is_slot(blob));
    let read = blobs.map(|blob| (blob, withheld::read(page, blob)));
    let (blob, WithheldText { words, first }) = read.max_by_key(|(_, text)| text.words)?;
    if words < MIN_WITHHELD_WORDS.max(page.content.words) {
        return None;
    }
    let seen = HYDRATION.with("name", &blob.name).with("words", words).with("text", &first);
    Some((seen, page.evidence(&first, blob.line, blob.node)))
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

    fn seen(body: &str) -> (Vec<&'static str>, Option<u32>) {
        let scored = fixture(&format!("<!doctype html><body>{body}")).read(&SIGNAL);
        let signals = scored.finding.detections().iter().map(|seen| seen.outcome.id).collect();
        (signals, scored.credit.map(Credit::per_mille))
    }

    fn text(words: usize) -> String {
        format!("<main><p>{}</p></main>", "word ".repeat(words))
    }

    fn data(text: &str) -> String {
        format!(
            "<script id=__NEXT_DATA__ type=application/json>{{\"body\":\"{text}\"}}</script><script src=/n.js></script>"
        )
    }

    const WITHHELD: &str = "The mill grinds two tonnes of rye each day, and what it does not sell by the \
                            evening goes to the bakery beside it, which bakes through the night. ";

    #[test]
    fn what_only_scripts_show_is_not_read() {
        let slot =
            |words: usize| format!("<div hidden id=S:0><p>{}</p></div>", "word ".repeat(words));
        let noscript =
            |words: usize| format!("<noscript><p>{}</p></noscript>", "word ".repeat(words));
        let nav = |words: usize| format!("<nav>{}</nav>", "<a href=/a>word</a> ".repeat(words));
        let notice = "<noscript>Please enable JavaScript.</noscript>";
        let script = "<script src=/a.js></script>";
        let numbers = data(&"1234567890,".repeat(1_000));
        let catalog = data(&"Add to cart\",\"".repeat(1_000));
        let shown = format!("<p>{WITHHELD}</p>");
        for (body, outcomes, credit) in [
            (text(300), vec!["independent"], Some(1000)),
            (text(300) + script, vec!["independent"], Some(1000)),
            (format!("<div id=root></div>{script}"), vec!["shell"], Some(0)),
            (text(70) + &slot(200) + script, vec!["hidden-slots"], Some(500)),
            (text(300) + &slot(200) + script, vec!["independent"], Some(1000)),
            (slot(800) + script, vec!["hidden-slots"], Some(500)),
            (text(300) + &noscript(300) + script, vec!["independent"], Some(1000)),
            (
                format!("<div id=root></div>{script}{}", noscript(300)),
                vec!["noscript-text"],
                Some(500),
            ),
            (text(60) + notice + script, vec!["notice"], Some(500)),
            (text(300) + notice + script, vec!["independent"], Some(1000)),
            (text(60) + &data(&WITHHELD.repeat(3)), vec!["hydration"], Some(500)),
            (
                text(60) + notice + &data(&WITHHELD.repeat(3)),
                vec!["notice", "hydration"],
                Some(500),
            ),
            // Much data is a matter of size.
            (text(300) + &data(&WITHHELD.repeat(30)), vec!["independent"], Some(1000)),
            (text(60) + &numbers, vec!["independent"], Some(1000)),
            (text(60) + &catalog, vec!["independent"], Some(1000)),
            (text(60) + &shown + &data(&WITHHELD.repeat(3)), vec!["independent"], Some(1000)),
            // We may have missed the content; without a script, nothing can bring it.
            (text(50) + &nav(300) + script, vec!["doubtful"], None),
            (text(50) + &nav(300), vec!["independent"], Some(1000)),
            (text(60) + notice, vec!["independent"], Some(1000)),
            (text(70) + &slot(200), vec!["independent"], Some(1000)),
        ] {
            let name: String =
                body.chars().rev().take(60).collect::<String>().chars().rev().collect();
            assert_eq!(seen(&body), (outcomes, credit), "{name}");
        }
    }

    #[test]
    fn every_firing_has_a_line_and_a_quote() {
        let script = "<script src=/a.js></script>";
        for (body, line, quote) in [
            (
                format!(
                    "<div id=root></div>{script}\n<noscript>\n<h1>Rye</h1><p>{}",
                    "word ".repeat(90)
                ),
                3,
                "Rye",
            ),
            (
                format!("{}{script}\n<noscript>Please enable JavaScript.</noscript>", text(60)),
                2,
                "Please enable JavaScript.",
            ),
            (format!("{}\n\n{}", text(60), data(&WITHHELD.repeat(3))), 3, "The mill grinds"),
        ] {
            let scored = fixture(&format!("<!doctype html><body>{body}")).read(&SIGNAL);
            let evidence = &scored.finding.evidence()[0];
            assert_eq!(evidence.line, Some(line), "{body}");
            let excerpt = evidence.excerpt.as_deref().unwrap();
            assert!(excerpt.starts_with(quote), "{excerpt}");
        }
    }
}
