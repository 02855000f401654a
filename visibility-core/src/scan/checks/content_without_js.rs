//! `content-without-js`: pages whose text is in the HTML that is sent.
//!
//! Most crawlers of AI search run no scripts: what is not in the HTML is not there for them.

mod inner;

use std::borrow::Cow;

use crate::fetch::{BodyEnd, Resource, Response};
use crate::page::Page;
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome, Verdict};
use crate::rubric::fix::{Edit, Fix, Task};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::error_document;
use crate::scan::home;
use crate::scan::language_choice;
use crate::scan::nothing_to_read::{self, NothingToRead, OwnWords};
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
        PARKED,
        NO_WORDS,
        NOT_TEXT,
        UNFINISHED,
        PLACEHOLDER,
        GATE,
        FRAMES,
        IMAGES,
        LANGUAGE_CHOICE,
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
        UNDECODABLE,
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
const BARE: Outcome = Outcome::fail("bare");
const LATE: Outcome = Outcome::warn("late");
const BURIED: Outcome = Outcome::fail("buried");
const EMPTY: Outcome = Outcome::fail("empty");
const PARKED: Outcome = Outcome::fail("parked");
const NO_WORDS: Outcome = Outcome::fail("no-words");
const NOT_TEXT: Outcome = Outcome::fail("not-text");
const UNFINISHED: Outcome = Outcome::fail("unfinished");
const PLACEHOLDER: Outcome = Outcome::fail("placeholder");
const GATE: Outcome = Outcome::fail("gate");
const FRAMES: Outcome = Outcome::fail("frames");
const IMAGES: Outcome = Outcome::fail("images");
const LANGUAGE_CHOICE: Outcome = Outcome::fail("language-choice");
const SHELL: Outcome = Outcome::fail("shell");
const SCRIPTED: Outcome = Outcome::fail("scripted");
const NOTICE: Outcome = Outcome::fail("script-notice");
const EMPTY_ELEMENT: Outcome = Outcome::warn("empty-element");
const INNER_SCRIPTED: Outcome = Outcome::warn("inner-pages-scripted");
const INNER_UNREADABLE: Outcome = Outcome::warn("inner-pages-unreadable");
const INNER_PAGE: Outcome = Outcome::pass("inner-page");
const INNER_PAGE_SCRIPTED: Outcome = Outcome::warn("inner-page-scripted");
const INNER_PAGE_UNREADABLE: Outcome = Outcome::warn("inner-page-unreadable");
const CUT: Outcome = Outcome::warn("cut");
const UNDECODABLE: Outcome = Outcome::unknown("undecodable");
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
    let Some(home) = site.home() else {
        return Finding::new(UNREADABLE.detected()).with_evidence(site.evidence(&Resource::Home));
    };
    if home.body_end == BodyEnd::Undecodable
        && site.page().is_none_or(|page| page.visible_chars() < MIN_CHARS)
    {
        let encoding = home.headers.first("content-encoding").unwrap_or_default();
        let found = UNDECODABLE.with("encoding", encoding.trim().to_ascii_lowercase());
        return Finding::new(found).with_evidence(site.evidence(&Resource::Home));
    }
    if let Some(words) = error_document::find(home) {
        let found = PLACEHOLDER.with("words", words);
        return Finding::new(found).with_evidence([Evidence::from_response(home)]);
    }
    let text = readable(site, home);
    let Some(page) = text.as_deref() else {
        let is_file = home.is_success() && site.challenge(home).is_none();
        let found = if is_file { not_text(home) } else { UNREADABLE.detected() };
        return Finding::new(found).with_evidence(site.evidence(&Resource::Home));
    };
    if let Some(names) = language_choice::find(site) {
        let found = LANGUAGE_CHOICE.with("languages", names.join(", "));
        let finding = Finding::new(found).with_evidence([evidence(home, page)]);
        return inner::InnerPages::from_site(site).add_to(finding);
    }
    let is_whole = home.body_end == BodyEnd::Complete;
    if let Some(nothing) = nothing_to_read::find(site, page).filter(|_| is_whole) {
        return Finding::new(empty_home(&nothing)).with_evidence([evidence(home, page)]);
    }
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
    let fix = matches!(decisive.outcome, SHELL | SCRIPTED | NOTICE | THIN | INNER_SCRIPTED)
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

/// The facts of the home page, or its text where it is text and no HTML; `None` where it is no text.
fn readable<'s>(site: &'s SiteSnapshot, home: &Response) -> Option<Cow<'s, Page>> {
    if let Some(page) = site.page() {
        return (!nothing_to_read::is_binary(&home.body)).then_some(Cow::Borrowed(page));
    }
    let is_text = home.is_success() && site.challenge(home).is_none();
    is_text.then(|| nothing_to_read::plain_text(home)).flatten().map(Cow::Owned)
}

fn not_text(home: &Response) -> Detection {
    NOT_TEXT.with("type", home.media_type()).with("bytes", home.body.len())
}

fn empty_home(why: &NothingToRead) -> Detection {
    match why {
        NothingToRead::Parked(sign) => PARKED.with("sign", sign),
        NothingToRead::NoWords => NO_WORDS.detected(),
        NothingToRead::Placeholder(words) => PLACEHOLDER.with("words", words),
        NothingToRead::Gate(words) => GATE.with("words", words),
        NothingToRead::Frames => FRAMES.detected(),
        NothingToRead::Images => IMAGES.detected(),
    }
}

/// Whether the response is one for a page and has none, to its end.
fn is_empty(home: &Response) -> bool {
    home.is_success() && home.is_blank() && !home.body_end.is_broken_off()
}

fn judge(home: &Response, page: &Page) -> Detection {
    let chars = page.visible_chars();
    if home.body_end.is_broken_off() {
        // More may have been to come, but a reader does not get it either.
        let outcome = if chars >= MIN_CHARS { CUT } else { UNFINISHED };
        return outcome.with("bytes", home.body.len()).with("chars", chars);
    }
    let says_something = OwnWords::of(page) == OwnWords::Enough;
    let structured = chars >= ENOUGH_CHARS_WITH_STRUCTURE
        && page.h1s().next().is_some()
        && page.anchors.len() >= ENOUGH_LINKS;
    if says_something && (chars >= ENOUGH_CHARS || structured) {
        return facts(READABLE, page);
    }
    if home.body_end == BodyEnd::Capped {
        // The rest may hold more; agents stop reading before that, too.
        if says_something && chars >= MIN_CHARS {
            return facts(LATE, page);
        }
        // Data and scripts explain a long page. Without any, it is a response without an end.
        if page.scripts.is_empty() && page.json_ld.is_empty() && page.anchors.is_empty() {
            return UNFINISHED.with("bytes", home.body.len()).with("chars", chars);
        }
        return facts(BURIED, page);
    }
    if says_something && chars >= MIN_CHARS {
        // What is in `<noscript>` alone may be about a part of the page.
        let notice = page.requires_js_notice().filter(|text| page.visible_text.contains(text));
        return notice.map_or_else(|| facts(THIN, page), |text| NOTICE.with("notice", text));
    }
    if page.empty_mount.is_some() || page.requires_js_notice().is_some() {
        return facts(SHELL, page);
    }
    if !nothing_to_read::has_rendering_script(page) {
        return facts(BARE, page);
    }
    if nothing_to_read::is_waiting(page) {
        return facts(SHELL, page);
    }
    facts(SCRIPTED, page).with("scripts", page.scripts.len())
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
