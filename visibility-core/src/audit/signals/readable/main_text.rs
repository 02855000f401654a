//! `main-text`: there is enough to read in the HTML itself.

use super::shell::{self, Framework};
use super::{purpose, wanted_words};
use crate::audit::cap::AuditCap;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::number;
use crate::page::content::BlockKind;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};

pub(super) const SIGNAL: Signal = Signal {
    id: "main-text",
    code: "RD01",
    pillar: Pillar::Readable,
    weights: Weights {
        product: 80,
        collection: 80,
        article: 80,
        landing: 80,
        documentation: 90,
        forum: 125,
        listing: 110,
    },
    grade: Grade::A,
    effort: Effort::L,
    languages: KnownLanguages::All,
    outcomes: &[
        ENOUGH,
        LITTLE,
        SCARCE,
        THIN,
        SHELL_NEXT,
        SHELL_NUXT,
        SHELL_ANGULAR,
        SHELL_VITE,
        SHELL,
        DOUBTFUL,
    ],
    sources: &[
        Spec {
            name: "Google: JavaScript SEO",
            url: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        },
        Spec {
            name: "Vercel: the rise of the AI crawler",
            url: "https://vercel.com/blog/the-rise-of-the-ai-crawler",
        },
    ],
    evaluate,
};

const ENOUGH: Outcome = Outcome::pass("enough");
const LITTLE: Outcome = Outcome::warn("little");
const SCARCE: Outcome = Outcome::fail("scarce");
const THIN: Outcome = Outcome::fail("thin");
const SHELL_NEXT: Outcome = Outcome::fail("shell-next");
const SHELL_NUXT: Outcome = Outcome::fail("shell-nuxt");
const SHELL_ANGULAR: Outcome = Outcome::fail("shell-angular");
const SHELL_VITE: Outcome = Outcome::fail("shell-vite");
const SHELL: Outcome = Outcome::fail("shell");
const DOUBTFUL: Outcome = Outcome::unknown("doubtful");

/// Words of main content below which a page is thin.
const THIN_MAIN_WORDS: usize = 40;
/// Words of the whole body below which it is.
const THIN_BODY_WORDS: usize = 120;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let (words, body_words) = (page.content.words, page.content.body_words);
    let (least, enough) = wanted_words(page.profiles());
    let credit = Credit::ramp(number(words), f64::from(least), f64::from(enough));
    let signs = shell::signs(page);
    let has_few_words = words < THIN_MAIN_WORDS && body_words < THIN_BODY_WORDS;
    let is_thin = has_few_words && !purpose::is_served(page);
    if signs.is_none() && !is_thin && credit < Credit::FULL && page.is_main_text_doubtful() {
        let doubt = DOUBTFUL.with("words", words).with("body", body_words);
        return ScoredFinding::unscored(Finding::new(doubt).with_evidence(first_text(page)));
    }
    let (outcome, cap) = match &signs {
        Some(_) => (shell_outcome(page), Some(AuditCap::ScriptShell)),
        None if is_thin => (THIN, Some(AuditCap::ThinContent)),
        None => (credit.pick([ENOUGH, LITTLE, SCARCE]), None),
    };
    let decisive = outcome.with("words", words).with("body", body_words).with("wanted", enough);
    let evidence = signs.unwrap_or_else(|| first_text(page));
    let scored = ScoredFinding::new(credit, Finding::new(decisive).with_evidence(evidence));
    match cap {
        Some(cap) => scored.capped(cap),
        None => scored,
    }
}

fn shell_outcome(page: &AuditedPage<'_>) -> Outcome {
    match shell::framework(page) {
        Framework::Next => SHELL_NEXT,
        Framework::Nuxt => SHELL_NUXT,
        Framework::Angular => SHELL_ANGULAR,
        Framework::Vite => SHELL_VITE,
        Framework::Other => SHELL,
    }
}

/// Where the main content begins: its first paragraph, else whatever it begins with.
fn first_text(page: &AuditedPage<'_>) -> Vec<Evidence> {
    let blocks = &page.content.blocks;
    let paragraph = blocks.iter().find(|block| block.kind == BlockKind::Paragraph);
    paragraph.or_else(|| blocks.first()).map(|block| page.block(block)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::audit::profile::Profile;
    use crate::audit::status::Status;

    fn text(words: usize) -> String {
        format!("<!doctype html><main><p>{}</p></main>", "word ".repeat(words))
    }

    fn seen(scored: &ScoredFinding) -> (&'static str, Option<AuditCap>) {
        (scored.finding.detections()[0].outcome.id, scored.cap)
    }

    #[test]
    fn kinds_of_pages_need_different_lengths() {
        for (kind, words, outcome, credit) in [
            (Profile::Product, 250, "enough", 1000),
            (Profile::Product, 145, "little", 500),
            (Profile::Product, 60, "scarce", 95),
            (Profile::Landing, 400, "enough", 1000),
            (Profile::Landing, 250, "little", 531),
            (Profile::Landing, 90, "scarce", 31),
            (Profile::Article, 800, "enough", 1000),
            (Profile::Article, 250, "scarce", 83),
        ] {
            let scored = fixture(&text(words)).with_profile(kind).read(&SIGNAL);
            assert_eq!(scored.credit.unwrap().per_mille(), credit, "{kind:?} {words}");
            assert_eq!(seen(&scored), (outcome, None), "{kind:?} {words}");
        }
    }

    #[test]
    fn a_shell_is_empty_and_waits_for_scripts() {
        let script = "<script src=/main.js></script>";
        let (shell, thin) = (Some(AuditCap::ScriptShell), Some(AuditCap::ThinContent));
        for (html, expected) in [
            (format!("<div id=root></div>{script}"), ("shell", shell)),
            (
                "<div id=__next></div><script src=/_next/a.js></script>".to_owned(),
                ("shell-next", shell),
            ),
            (format!("<div id=__nuxt></div>{script}"), ("shell-nuxt", shell)),
            (format!("<app-root></app-root>{script}"), ("shell-angular", shell)),
            (
                "<div id=app></div><script type=module src=/assets/index-1a.js></script>"
                    .to_owned(),
                ("shell-vite", shell),
            ),
            (
                "<noscript>You need to enable JavaScript to run this app.</noscript>".to_owned(),
                ("shell", shell),
            ),
            (format!("<p>{}</p>{script}", "word ".repeat(45)), ("scarce", None)),
            (format!("<p>{}</p>{script}", "word ".repeat(20)), ("thin", thin)),
            (format!("<p>{}</p>{script}", "word ".repeat(150)), ("scarce", None)),
            ("<p>Hello world</p>".to_owned(), ("thin", thin)),
            (format!("<p>{}</p>", "word ".repeat(45)), ("scarce", None)),
        ] {
            let scored = fixture(&format!("<!doctype html><body>{html}")).read(&SIGNAL);
            assert_eq!(seen(&scored), expected, "{html}");
            assert!(!scored.finding.evidence().is_empty(), "{html}");
        }
    }

    #[test]
    fn where_the_rest_is_much_more_we_doubt_what_we_took() {
        let nav = "<a href=/a>word</a> ".repeat(400);
        for (words, outcome, is_scored) in [(60, "doubtful", false), (300, "little", true)] {
            let html = format!("{}<nav>{nav}</nav>", text(words));
            let scored = fixture(&html).with_profile(Profile::Landing).read(&SIGNAL);
            assert_eq!((seen(&scored), scored.credit.is_some()), ((outcome, None), is_scored));
            let snapshot = fixture(&html);
            let reason = Status::from_page(&snapshot.audited()).1.outcome.id;
            assert_eq!(reason == "doubtful", !is_scored, "{words}");
        }
    }

    #[test]
    fn a_long_list_of_links_is_no_shell() {
        let links = "<li><a href=/a>some category here</a></li>".repeat(60);
        let html = format!("<!doctype html><nav><ul>{links}</ul></nav><script src=/a.js></script>");
        assert_eq!(fixture(&html).read(&SIGNAL).cap, None);
    }
}
