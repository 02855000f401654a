//! `llms-txt`: a Markdown overview of the site, written for language models.
//!
//! A proposal: no engine is known to depend on it, and the texts say so.

use crate::fetch::{Resource, Response};
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::draft;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};

pub(super) const CHECK: Check = Check {
    id: "llms-txt",
    category: Category::Discovery,
    weight: 3,
    maturity: Maturity::Experimental,
    effort: Effort::M,
    surfaces: &[],
    outcomes: &[
        COMPLETE, FULL_TEXT, NO_HEADING, NO_LINKS, TOO_LONG, WRONG_TYPE, ABSENT, HTML, UNREADABLE,
    ],
    covers: &["llms.txt"],
    specs: &[Spec { name: "llms.txt", url: "https://llmstxt.org/" }],
    evaluate,
};

const COMPLETE: Outcome = Outcome::pass("complete");
const FULL_TEXT: Outcome = Outcome::pass("full-text");
const NO_HEADING: Outcome = Outcome::warn("no-heading");
const NO_LINKS: Outcome = Outcome::warn("no-links");
const TOO_LONG: Outcome = Outcome::warn("too-long");
const WRONG_TYPE: Outcome = Outcome::warn("wrong-type");
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
    let text = response.text();
    let chars = text.chars().count();
    let heading = heading(&text);
    let links = links(&text);
    let media_type = response.media_type();
    let mut detections = vec![COMPLETE.with("chars", chars).with("links", links)];
    if heading.is_none() {
        detections.push(NO_HEADING.detected());
    }
    if links == 0 {
        detections.push(NO_LINKS.detected());
    }
    if chars > MAX_CHARS {
        detections.push(TOO_LONG.with("chars", chars));
    }
    if !matches!(media_type.as_str(), "text/plain" | "text/markdown") {
        detections.push(WRONG_TYPE.with("type", media_type));
    }
    if detections.len() > 1 {
        detections.remove(0);
    }
    if text.contains("llms-full.txt") || names_full_text(site) {
        detections.push(FULL_TEXT.detected());
    }
    let evidence = Evidence::from_response(response).quote(heading.unwrap_or_default());
    Finding::from_worst(detections)
        .unwrap_or_else(|| Finding::new(ABSENT.detected()))
        .with_evidence([evidence])
}

/// Whether a text without heading and links is what the site answers for any path.
fn is_fallback(site: &SiteSnapshot, response: &Response) -> bool {
    let text = response.text();
    let answers_everything = site.response(&Resource::MissingPath).is_some_and(|r| r.status == 200);
    answers_everything && heading(&text).is_none() && links(&text) == 0
}

/// Text of the first heading that has one.
fn heading(text: &str) -> Option<&str> {
    let mut headings = text.lines().filter_map(|line| line.strip_prefix("# ")).map(str::trim);
    headings.find(|heading| !heading.is_empty())
}

fn links(text: &str) -> usize {
    text.matches("](").count()
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
