//! `llms-txt`: a Markdown overview of the site, written for language models.
//!
//! A proposal: no engine is known to depend on it, and the texts say so.

use url::Url;

use crate::documents::llms_txt::LlmsTxt;
use crate::fetch::{Resource, Response};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::draft;
use crate::scan::facts::llms_txt::{self, LLMS_TXT_LINKS};
use crate::scan::snapshot::{DocumentState, SiteSnapshot};

pub(super) const CHECK: Check = Check {
    id: "llms-txt",
    category: Category::Discovery,
    weight: 3,
    maturity: Maturity::Experimental,
    effort: Effort::M,
    surfaces: &[],
    outcomes: &[
        COMPLETE,
        FULL_TEXT,
        ONLY_DEAD_LINKS,
        DEAD_LINK,
        NO_HEADING,
        NO_LINKS,
        TOO_LONG,
        WRONG_TYPE,
        NO_TYPE,
        ABSENT,
        HTML,
        UNREADABLE,
    ],
    covers: &["llms.txt"],
    specs: &[Spec { name: "llms.txt", url: "https://llmstxt.org/" }],
    evaluate,
};

const COMPLETE: Outcome = Outcome::pass("complete");
const FULL_TEXT: Outcome = Outcome::pass("full-text");
const ONLY_DEAD_LINKS: Outcome = Outcome::fail("only-dead-links");
const DEAD_LINK: Outcome = Outcome::warn("dead-link");
const NO_HEADING: Outcome = Outcome::warn("no-heading");
const NO_LINKS: Outcome = Outcome::warn("no-links");
const TOO_LONG: Outcome = Outcome::warn("too-long");
const WRONG_TYPE: Outcome = Outcome::warn("wrong-type");
const NO_TYPE: Outcome = Outcome::warn("no-type");
const ABSENT: Outcome = Outcome::fail("absent");
const HTML: Outcome = Outcome::fail("html");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// Agents are reported to cut such files at about this many characters.
const MAX_CHARS: usize = 100_000;

fn evaluate(site: &SiteSnapshot) -> Finding {
    let finding = match site.document(&Resource::LlmsTxt) {
        DocumentState::Present(response) if is_fallback(site, response) => {
            Finding::new(ABSENT.detected())
        }
        DocumentState::Present(response) => return judge(site, response),
        DocumentState::SoftMissing(response) if response.starts_with_tag() => {
            Finding::new(HTML.detected())
        }
        DocumentState::SoftMissing(_) | DocumentState::Missing(_) | DocumentState::OffSite(_) => {
            Finding::new(ABSENT.detected())
        }
        DocumentState::Refused(_)
        | DocumentState::Broken(_)
        | DocumentState::Failed(_)
        | DocumentState::NotAsked => Finding::new(UNREADABLE.detected()),
    };
    finding.with_evidence(site.evidence(&Resource::LlmsTxt)).with_fix(Fix::new(Edit::Document {
        path: "/llms.txt".to_owned(),
        media_type: "text/plain; charset=utf-8".to_owned(),
        content: draft(site),
    }))
}

fn judge(site: &SiteSnapshot, response: &Response) -> Finding {
    let file = LlmsTxt::parse(&response.body);
    let media_type = response.media_type();
    let mut detections: Vec<Detection> = Vec::new();
    detections.extend(dead_links(site, &file));
    if file.heading.is_none() {
        detections.push(NO_HEADING.detected());
    }
    if file.addresses() == 0 {
        detections.push(NO_LINKS.detected());
    }
    if file.chars > MAX_CHARS {
        detections.push(TOO_LONG.with("chars", file.chars));
    }
    match media_type.as_str() {
        "text/plain" | "text/markdown" => {}
        "" => detections.push(NO_TYPE.detected()),
        _ => detections.push(WRONG_TYPE.with("type", media_type)),
    }
    if detections.is_empty() {
        detections.push(COMPLETE.with("chars", file.chars).with("links", file.addresses()));
    }
    if response.text().contains("llms-full.txt") || names_full_text(site) {
        detections.push(FULL_TEXT.detected());
    }
    let heading = file.heading.unwrap_or_default();
    let links = LLMS_TXT_LINKS.into_iter().filter_map(|resource| site.evidence(&resource));
    Finding::from_worst(detections)
        .unwrap_or_else(|| Finding::new(ABSENT.detected()))
        .with_evidence([Evidence::from_response(response).quote(&heading)])
        .with_evidence(links)
}

/// Own pages that the file links to and that are not there, of those that were requested.
fn dead_links(site: &SiteSnapshot, file: &LlmsTxt) -> Option<Detection> {
    let targets = llms_txt::own_targets(site, file);
    let status = |url: &Url| {
        let asked = site.exchanges().filter(|exchange| exchange.probe.url == *url);
        asked.filter_map(|exchange| exchange.result.as_ref().ok()).map(|r| r.status).next()
    };
    let seen: Vec<(&Url, u16)> =
        targets.iter().filter_map(|url| Some((url, status(url)?))).collect();
    let is_dead = |status: u16| matches!(status, 404 | 410);
    let (url, first) = *seen.iter().find(|(_, status)| is_dead(*status))?;
    let dead = seen.iter().filter(|(_, status)| is_dead(*status)).count();
    let outcome = if dead == seen.len() { ONLY_DEAD_LINKS } else { DEAD_LINK };
    let found = outcome.with("url", url).with("status", first);
    Some(found.with("count", dead).with("tried", seen.len()))
}

/// Whether a text without heading and links is what the site answers for any path.
fn is_fallback(site: &SiteSnapshot, response: &Response) -> bool {
    let answers_everything = site.response(&Resource::MissingPath).is_some_and(|r| r.status == 200);
    let file = LlmsTxt::parse(&response.body);
    answers_everything && file.heading.is_none() && file.addresses() == 0
}

/// Whether the home page links to the long form.
fn names_full_text(site: &SiteSnapshot) -> bool {
    let is_full = |href: &str| href.ends_with("/llms-full.txt");
    site.page().is_some_and(|page| {
        page.anchors.iter().any(|anchor| is_full(&anchor.href))
            || page.links.iter().any(|link| is_full(&link.href))
    })
}

/// A first llms.txt, from what the home page says about itself and links to.
fn draft(site: &SiteSnapshot) -> String {
    let heading = format!("# {}\n", draft::site_name(site));
    let summary = draft::description(site).map(|summary| format!("> {summary}\n"));
    let links = draft::own_pages(site).into_iter().map(|(title, url)| {
        let title = title.replace(['[', ']'], " ");
        format!("- [{}]({url})", title.trim())
    });
    let head = [Some(heading), summary, Some("## Pages\n".to_owned())].into_iter().flatten();
    head.chain(links).collect::<Vec<_>>().join("\n")
}
