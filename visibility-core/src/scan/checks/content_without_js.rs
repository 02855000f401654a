//! `content-without-js`: pages whose text is in the HTML that is sent.
//!
//! Most crawlers of AI search run no scripts: what is not in the HTML is not there for them.

mod inner;

use crate::fetch::{BodyEnd, Resource, Response};
use crate::page::Page;
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome, Verdict};
use crate::rubric::fix::{Edit, Fix, Task};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::home;
use crate::scan::snapshot::SiteSnapshot;
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "content-without-js",
    category: Category::Content,
    weight: 10,
    maturity: Maturity::Adopted,
    effort: Effort::L,
    surfaces: &[],
    outcomes: &[
        API_HOST,
        READABLE,
        THIN,
        BARE,
        LATE,
        BURIED,
        EMPTY,
        SHELL,
        SCRIPTED,
        NOTICE,
        EMPTY_ELEMENT,
        INNER_SCRIPTED,
        INNER_UNREADABLE,
        INNER_PAGE,
        INNER_PAGE_SCRIPTED,
        INNER_PAGE_UNREADABLE,
        CUT,
        UNREADABLE,
    ],
    covers: &["Server-side rendering"],
    specs: &[
        Spec {
            name: "JavaScript SEO basics",
            url: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        },
        Spec {
            name: "The rise of the AI crawler",
            url: "https://vercel.com/blog/the-rise-of-the-ai-crawler",
        },
    ],
    evaluate,
};

const API_HOST: Outcome = Outcome::not_applicable("api-host");
const READABLE: Outcome = Outcome::pass("readable");
const THIN: Outcome = Outcome::warn("thin");
const BARE: Outcome = Outcome::warn("bare");
const LATE: Outcome = Outcome::warn("late");
const BURIED: Outcome = Outcome::fail("buried");
const EMPTY: Outcome = Outcome::fail("empty");
const SHELL: Outcome = Outcome::fail("shell");
const SCRIPTED: Outcome = Outcome::fail("scripted");
const NOTICE: Outcome = Outcome::fail("script-notice");
const EMPTY_ELEMENT: Outcome = Outcome::warn("empty-element");
const INNER_SCRIPTED: Outcome = Outcome::warn("inner-pages-scripted");
const INNER_UNREADABLE: Outcome = Outcome::warn("inner-pages-unreadable");
const INNER_PAGE: Outcome = Outcome::pass("inner-page");
const INNER_PAGE_SCRIPTED: Outcome = Outcome::warn("inner-page-scripted");
const INNER_PAGE_UNREADABLE: Outcome = Outcome::warn("inner-page-unreadable");
const CUT: Outcome = Outcome::unknown("cut");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// Characters of visible text that are enough by themselves.
const ENOUGH_CHARS: usize = 800;
/// Characters that are enough with a heading and [`ENOUGH_LINKS`] links.
const ENOUGH_CHARS_WITH_STRUCTURE: usize = 400;
/// Links that show that a page has structure.
const ENOUGH_LINKS: usize = 5;
/// Characters below which nothing worth reading is there.
const MIN_CHARS: usize = 200;

fn evaluate(site: &SiteSnapshot) -> Finding {
    if home::is_for_programs(site) {
        return Finding::new(API_HOST.detected()).with_evidence(site.evidence(&Resource::Home));
    }
    if let Some(home) = site.home().filter(|home| is_empty(home)) {
        return Finding::new(EMPTY.with("status", home.status))
            .with_evidence([Evidence::from_response(home)]);
    }
    let (Some(home), Some(page)) = (site.home(), site.page()) else {
        return Finding::new(UNREADABLE.detected()).with_evidence(site.evidence(&Resource::Home));
    };
    let own = judge(home, page);
    let outcome = own.outcome;
    let notice = page.requires_js_notice().filter(|_| outcome == SHELL);
    let mount = page.empty_mount.as_ref().filter(|_| outcome.verdict != Verdict::Pass);
    let inner = inner::InnerPages::from_site(site);
    // The home page decides. What is found behind it can lower a pass, and lifts nothing.
    let (decisive, other) = match inner.verdict() {
        Some(worse) if outcome.verdict == Verdict::Pass => (worse, Some(own)),
        verdict => (own, verdict),
    };
    let fix = matches!(decisive.outcome, SHELL | SCRIPTED | NOTICE | THIN | BARE | INNER_SCRIPTED)
        .then(|| Fix::new(Edit::Code { task: Task::RenderOnServer }));
    let finding = Finding::new(decisive)
        .with_fix_if_any(fix)
        .with_detection_if_any(other)
        .with_detection_if_any(notice.map(|notice| NOTICE.with("notice", notice)))
        .with_detection_if_any(
            mount.map(|m| EMPTY_ELEMENT.with("element", &m.value).with("line", m.line)),
        )
        .with_evidence([evidence(home, page)]);
    inner.add_to(finding)
}

/// Whether the response is one for a page and has none, to its end.
fn is_empty(home: &Response) -> bool {
    home.is_success() && home.is_blank() && !home.body_end.is_broken_off()
}

fn judge(home: &Response, page: &Page) -> Detection {
    let chars = page.visible_chars();
    let structured = chars >= ENOUGH_CHARS_WITH_STRUCTURE
        && page.h1s().next().is_some()
        && page.anchors.len() >= ENOUGH_LINKS;
    if chars >= ENOUGH_CHARS || structured {
        return facts(READABLE, page);
    }
    if home.body_end.is_broken_off() {
        return CUT.with("bytes", home.body.len()).with("chars", chars);
    }
    if home.body_end == BodyEnd::Capped {
        // The rest may hold more; agents stop reading before that, too.
        return facts(if chars >= MIN_CHARS { LATE } else { BURIED }, page);
    }
    if chars >= MIN_CHARS {
        // What is in `<noscript>` alone may be about a part of the page.
        let notice = page.requires_js_notice().filter(|text| page.visible_text.contains(text));
        return notice.map_or_else(|| facts(THIN, page), |text| NOTICE.with("notice", text));
    }
    if page.empty_mount.is_some() || page.requires_js_notice().is_some() {
        return facts(SHELL, page);
    }
    match page.scripts.len() {
        0 => facts(BARE, page),
        _ if page.headings.is_empty() && page.anchors.is_empty() => facts(SHELL, page),
        scripts => facts(SCRIPTED, page).with("scripts", scripts),
    }
}

fn facts(outcome: Outcome, page: &Page) -> Detection {
    outcome
        .with("chars", page.visible_chars())
        .with("words", page.visible_words())
        .with("links", page.anchors.len())
        .with("headings", page.h1s().count())
}

/// What an agent reads, and how much of it there is.
fn evidence(home: &Response, page: &Page) -> Evidence {
    let note = Note::new("visible-text")
        .with("chars", page.visible_chars())
        .with("words", page.visible_words())
        .with("links", page.anchors.len())
        .with("headings", page.h1s().count())
        .with("scripts", page.scripts.len());
    Evidence::from_response(home).note(note).quote(&page.visible_text)
}
