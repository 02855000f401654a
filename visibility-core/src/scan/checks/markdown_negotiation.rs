//! `markdown-negotiation`: the same address as Markdown, for requests that prefer it.
//!
//! RFC 9110 section 12: the representation depends on `Accept`, and `Vary` says so to caches.

use crate::fetch::{Resource, Response};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, FileMode, Fix, ServerRule};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::{alternate, markdown_draft};
use crate::scan::home;
use crate::scan::nothing_to_read::OwnWords;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "markdown-negotiation",
    category: Category::Content,
    weight: 6,
    maturity: Maturity::Adopted,
    effort: Effort::M,
    surfaces: &[],
    outcomes: &[
        API_HOST,
        NEGOTIATED,
        NO_VARY,
        FOR_BROWSERS_TOO,
        WRONG_TYPE,
        ALTERNATE,
        UNSEEN_ALTERNATE,
        NOT_OFFERED,
        CACHED,
        RELABELED,
        EMPTY,
        NO_TEXT,
        NOTHING_TO_OFFER,
        DEAD_ALTERNATE,
        UNREADABLE,
    ],
    covers: &["Markdown for Agents"],
    specs: &[
        Spec { name: "RFC 9110", url: "https://www.rfc-editor.org/rfc/rfc9110#section-12" },
        Spec {
            name: "Markdown for Agents",
            url: "https://developers.cloudflare.com/fundamentals/reference/markdown-for-agents/",
        },
        Spec { name: "RFC 7763", url: "https://www.rfc-editor.org/rfc/rfc7763" },
    ],
    evaluate,
};

const API_HOST: Outcome = Outcome::not_applicable("api-host");
const NEGOTIATED: Outcome = Outcome::pass("negotiated");
const NO_VARY: Outcome = Outcome::warn("no-vary");
const FOR_BROWSERS_TOO: Outcome = Outcome::warn("for-browsers-too");
const WRONG_TYPE: Outcome = Outcome::warn("wrong-type");
const ALTERNATE: Outcome = Outcome::warn("alternate");
const UNSEEN_ALTERNATE: Outcome = Outcome::warn("unseen-alternate");
const NOT_OFFERED: Outcome = Outcome::fail("not-offered");
const CACHED: Outcome = Outcome::fail("cached");
const RELABELED: Outcome = Outcome::fail("relabeled");
const EMPTY: Outcome = Outcome::fail("empty");
const NO_TEXT: Outcome = Outcome::fail("no-text");
const NOTHING_TO_OFFER: Outcome = Outcome::fail("nothing-to-offer");
const DEAD_ALTERNATE: Outcome = Outcome::fail("dead-alternate");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// Own words of a page from which on a copy in Markdown is worth publishing: about a screen.
const MIN_OWN_WORDS: usize = 120;

/// Characters of one token, on average.
const CHARS_PER_TOKEN: usize = 4;

fn evaluate(site: &SiteSnapshot) -> Finding {
    if home::is_for_programs(site) {
        return Finding::new(API_HOST.detected()).with_evidence(site.evidence(&Resource::Home));
    }
    let asked = site.evidence(&Resource::HomeMarkdown);
    let Some(response) = site.response(&Resource::HomeMarkdown) else {
        return Finding::new(UNREADABLE.detected()).with_evidence(asked);
    };
    let refused = site.challenge(response).is_some()
        || matches!(response.status, 401 | 403 | 407 | 429 | 451 | 500..);
    if refused {
        return Finding::new(UNREADABLE.detected()).with_evidence(asked);
    }
    let text = response.text();
    let is_html = response.looks_like_html() || alternate::is_mostly_tags(&text);
    let typed = alternate::is_typed_markdown(response);
    let detection = match (response.is_success() && !site.is_off_site(response), typed) {
        (true, true) if text.trim().is_empty() => EMPTY.detected(),
        (true, true) if is_html => RELABELED.with("type", response.media_type()),
        (true, true) if !alternate::has_text(&text) => NO_TEXT.detected(),
        (true, true) if is_for_browsers_too(site) => FOR_BROWSERS_TOO.detected(),
        (true, true) if varies(response) => measured(NEGOTIATED, site, response),
        (true, true) => measured(NO_VARY, site, response),
        (true, false)
            if response.media_type() == "text/plain"
                && !is_html
                && alternate::reads_like_markdown(&text) =>
        {
            measured(WRONG_TYPE, site, response).with("type", response.media_type())
        }
        _ => return without_negotiation(site, response),
    };
    let outcome = detection.outcome;
    let finding = Finding::new(detection).with_evidence([evidence(response)]);
    let is_fixable = match outcome {
        NO_VARY => true,
        NEGOTIATED | FOR_BROWSERS_TOO => false,
        _ => is_worth_offering(site),
    };
    finding.with_fix_if_any(is_fixable.then(|| fix(site, outcome)))
}

/// The request for Markdown brought something else: is there Markdown at another address?
fn without_negotiation(site: &SiteSnapshot, response: &Response) -> Finding {
    let shown =
        if response.media_type().is_empty() { "-".to_owned() } else { response.media_type() };
    let answer = if response.is_success() && is_from_cache(response) && !varies(response) {
        CACHED.with("header", cache_field(response).unwrap_or_default())
    } else {
        NOT_OFFERED.with("type", shown).with("status", response.status)
    };
    let advertised = alternate::advertised(site).into_iter().next();
    let target = site.exchange(&Resource::MarkdownAlternate).map(|exchange| &exchange.probe.url);
    let address = target.or(advertised.as_ref()).map(ToString::to_string).unwrap_or_default();
    let found = match site.document(&Resource::MarkdownAlternate) {
        DocumentState::Present(document) if is_markdown(document) => Some(ALTERNATE),
        DocumentState::Refused(_)
        | DocumentState::Broken(_)
        | DocumentState::Failed(_)
        | DocumentState::NotAsked => advertised.is_some().then_some(UNSEEN_ALTERNATE),
        _ => Some(DEAD_ALTERNATE),
    };
    if found.is_none() && !has_something_to_offer(site) {
        return Finding::new(NOTHING_TO_OFFER.detected())
            .with_detection(answer)
            .with_evidence([evidence(response)]);
    }
    let finding = match found.map(|outcome| outcome.with("url", address)) {
        Some(detection) if detection.outcome != DEAD_ALTERNATE => {
            Finding::new(detection).with_detection(answer)
        }
        other => Finding::new(answer).with_detection_if_any(other),
    };
    let other = site.evidence(&Resource::MarkdownAlternate);
    finding
        .with_evidence([evidence(response)])
        .with_evidence(other)
        .with_fix_if_any(is_worth_offering(site).then(|| fix(site, NOT_OFFERED)))
}

/// Whether the home page has text that could be offered as Markdown.
fn has_something_to_offer(site: &SiteSnapshot) -> bool {
    site.page().is_some_and(OwnWords::are_in)
}

/// Whether a copy in Markdown is there, or worth publishing.
fn is_worth_offering(site: &SiteSnapshot) -> bool {
    let says_enough = |page| OwnWords::are_at_least(page, MIN_OWN_WORDS);
    alternate::home_file(site).is_some() || site.page().is_some_and(says_enough)
}

fn is_markdown(document: &Response) -> bool {
    let text = document.text();
    let readable = alternate::has_text(&text) && !alternate::is_mostly_tags(&text);
    readable && (alternate::is_typed_markdown(document) || alternate::reads_like_markdown(&text))
}

/// RFC 9110 section 12.5.5: a list of field names, or `*`. Where a redirect led to the Markdown, it is the redirect that
/// differs from one request to the other.
fn varies(response: &Response) -> bool {
    let names_accept = |vary: &str| {
        let mut names = vary.split(',').map(str::trim);
        names.any(|name| name == "*" || name.eq_ignore_ascii_case("accept"))
    };
    response.hops.iter().any(|hop| names_accept(&hop.vary))
        || response.headers.has_token("vary", "accept")
        || response.headers.has_token("vary", "*")
}

/// Whether a browser gets Markdown, too, and people read its source text.
fn is_for_browsers_too(site: &SiteSnapshot) -> bool {
    site.response(&Resource::HomeAsBrowser)
        .is_some_and(|page| page.is_success() && alternate::is_typed_markdown(page))
}

fn is_from_cache(response: &Response) -> bool {
    cache_field(response).is_some()
}

/// The header field by which a shared cache says that it answered.
fn cache_field(response: &Response) -> Option<String> {
    let hit = ["cf-cache-status", "x-cache", "x-vercel-cache", "cache-status"]
        .into_iter()
        .find_map(|name| {
            let value = response.headers.first(name)?;
            value.to_ascii_lowercase().contains("hit").then(|| format!("{name}: {value}"))
        });
    hit.or_else(|| {
        let age = response.headers.first("age")?.trim();
        age.parse::<u64>().is_ok_and(|seconds| seconds > 0).then(|| format!("age: {age}"))
    })
}

/// Tokens of the Markdown, and what it saves against the HTML.
fn measured(outcome: Outcome, site: &SiteSnapshot, response: &Response) -> Detection {
    let markdown = response.text().chars().count();
    let html =
        site.home().filter(|_| site.page().is_some()).map_or(0, |home| home.text().chars().count());
    let saved = (html.saturating_sub(markdown) * 100).checked_div(html).unwrap_or(0);
    outcome.with("tokens", markdown / CHARS_PER_TOKEN).with("saving", saved)
}

fn evidence(response: &Response) -> Evidence {
    let field = |name| response.headers.all(name).join(", ");
    let vary = field("vary");
    let tokens = field("x-markdown-tokens");
    let tokens = if tokens.is_empty() { tokens } else { format!("; x-markdown-tokens: {tokens}") };
    let note = if vary.is_empty() {
        Note::new("markdown-no-vary")
    } else {
        Note::new("markdown-vary").with("vary", vary)
    };
    let note = note.with("tokens", tokens);
    Evidence::from_response(response).note(note).quote(&response.text())
}

/// The home page in Markdown, and the rule that serves it to clients that ask for it; a field alone
/// where only `Vary` is missing.
fn fix(site: &SiteSnapshot, decisive: Outcome) -> Fix {
    if decisive == NO_VARY {
        return Fix::new(Edit::Header {
            mode: FileMode::Append,
            name: "Vary".to_owned(),
            value: "Accept".to_owned(),
        });
    }
    let host = site.origin().host_str().unwrap_or(site.domain().as_str()).to_owned();
    let rule = Edit::Server { rule: ServerRule::Markdown { host } };
    if alternate::home_file(site).is_some() {
        return Fix::new(rule);
    }
    Fix::from_edits(vec![
        Edit::Document {
            path: alternate::HOME_FILE.to_owned(),
            media_type: "text/markdown; charset=utf-8".to_owned(),
            content: markdown_draft::of_home(site).to_owned(),
        },
        rule,
    ])
}
