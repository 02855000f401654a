//! `index-directives`: the page does not keep itself out of indexes and answers.

use chrono::{DateTime, Utc};

use crate::agents::{Purpose, Registry};
use crate::fetch::{Resource, Response};
use crate::page::Page;
use crate::page::directives::{self, Directive, DirectiveSource, Misread};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, FileMode, Fix, ReplacedText};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::home;
use crate::scan::snapshot::SiteSnapshot;
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "index-directives",
    category: Category::Policy,
    weight: 4,
    maturity: Maturity::Adopted,
    effort: Effort::S,
    surfaces: &[],
    outcomes: &[
        API_HOST,
        OPEN,
        NOINDEX,
        EXPIRED,
        ENGINE_NOINDEX,
        AGENT_NOINDEX,
        NO_SNIPPET,
        NO_ARCHIVE,
        NO_AI,
        MISREAD,
        UNREADABLE,
    ],
    covers: &["X-Robots-Tag"],
    specs: &[
        Spec {
            name: "Robots meta tag",
            url: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",
        },
        Spec {
            name: "Bing robots meta tags",
            url: "https://www.bing.com/webmasters/help/which-robots-metatags-does-bing-support-5198d240",
        },
    ],
    evaluate,
};

const API_HOST: Outcome = Outcome::not_applicable("api-host");
const OPEN: Outcome = Outcome::pass("open");
const NOINDEX: Outcome = Outcome::fail("noindex");
const EXPIRED: Outcome = Outcome::fail("expired");
const ENGINE_NOINDEX: Outcome = Outcome::fail("engine-noindex");
const AGENT_NOINDEX: Outcome = Outcome::warn("agent-noindex");
const NO_SNIPPET: Outcome = Outcome::warn("no-snippet");
const NO_ARCHIVE: Outcome = Outcome::warn("no-archive");
const NO_AI: Outcome = Outcome::warn("no-ai");
const MISREAD: Outcome = Outcome::warn("misread");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// Names of the crawlers whose index most others build on, in lower case.
const MAIN_CRAWLERS: [&str; 3] = ["bingbot", "googlebot", "msnbot"];
/// What replaces the directives that take something away.
const OPEN_DIRECTIVES: &str = "index, follow, max-snippet:-1, max-image-preview:large";
/// Directives that are reported.
const MAX_DIRECTIVES: usize = 20;

fn evaluate(site: &SiteSnapshot) -> Finding {
    if home::is_for_programs(site) {
        return Finding::new(API_HOST.detected()).with_evidence(site.evidence(&Resource::Home));
    }
    let Some(home) = site.home().filter(|home| home.is_success() && site.challenge(home).is_none())
    else {
        let evidence = site.evidence(&Resource::Home);
        return Finding::new(UNREADABLE.detected()).with_evidence(evidence);
    };
    let all = site.directives();
    let evaluated: Vec<(&Directive, Outcome)> = all
        .iter()
        .filter_map(|directive| Some((directive, judge(directive, site.taken_at())?)))
        .take(MAX_DIRECTIVES)
        .collect();
    let detection = |(directive, outcome): &(&Directive, Outcome)| {
        let found = outcome.with("directive", directive);
        match &directive.agent {
            Some(agent) if *outcome == ENGINE_NOINDEX => found.with("engine", engine(agent)),
            _ => found,
        }
    };
    let mut detections: Vec<Detection> = evaluated.iter().map(detection).collect();
    let misread = misread(site, home);
    detections
        .extend(misread.iter().map(|one| MISREAD.with("written", one).with("meant", &one.meant)));
    let Some(finding) = Finding::from_worst(detections) else {
        return Finding::new(OPEN.detected()).with_evidence([Evidence::from_response(home)]);
    };
    let evidence = evaluated.iter().map(|(directive, _)| {
        Evidence::from_response(home).note(Note::verbatim(directive)).quote(&directive.raw)
    });
    if evaluated.is_empty() {
        // What was meant, only the owner knows.
        return finding.with_evidence(misread.iter().map(|one| {
            Evidence::from_response(home).note(Note::verbatim(one)).quote(&one.written)
        }));
    }
    let in_header =
        evaluated.iter().any(|(directive, _)| directive.source == DirectiveSource::Header);
    let head = opened_elements(home, evaluated.iter().map(|(directive, _)| *directive));
    let header = in_header.then(|| Edit::Header {
        mode: FileMode::Replace,
        name: "X-Robots-Tag".to_owned(),
        value: "max-snippet:-1, max-image-preview:large".to_owned(),
    });
    finding
        .with_evidence(evidence)
        .with_fix(Fix::from_edits(head.into_iter().chain(header).collect()))
}

/// The elements that hold these directives, each in the place of the one that there is.
fn opened_elements<'d>(
    home: &Response,
    directives: impl Iterator<Item = &'d Directive>,
) -> Vec<Edit> {
    let html = home.text();
    let mut edits = Vec::new();
    for directive in directives {
        let DirectiveSource::Meta { line, .. } = directive.source else { continue };
        let name = directive.agent.as_deref().unwrap_or("robots");
        let old = ReplacedText::element(&html, line, "meta", name);
        let edit = Edit::replace_in_head(
            format!(r#"<meta name="{name}" content="{OPEN_DIRECTIVES}">"#),
            old,
        );
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    edits
}

/// What a directive costs at this time; `None` if nothing, or if it is for training alone.
fn judge(directive: &Directive, now: DateTime<Utc>) -> Option<Outcome> {
    let purpose = directive.agent.as_deref().map(purpose);
    if purpose == Some(Purpose::Training) {
        return None;
    }
    let is_expired = directive.ends().is_some_and(|end| end <= now);
    if directive.forbids_indexing() || is_expired {
        return Some(match directive.agent.as_deref() {
            None if is_expired => EXPIRED,
            None => NOINDEX,
            Some(agent) if MAIN_CRAWLERS.contains(&agent) => ENGINE_NOINDEX,
            Some(_) => AGENT_NOINDEX,
        });
    }
    match directive.name.as_str() {
        "nosnippet" => Some(NO_SNIPPET),
        "max-snippet" if directive.value.as_deref() == Some("0") => Some(NO_SNIPPET),
        "noarchive" | "nocache" => Some(NO_ARCHIVE),
        "noai" | "noimageai" | "noml" => Some(NO_AI),
        _ => None,
    }
}

/// Directives that no crawler reads.
fn misread(site: &SiteSnapshot, home: &Response) -> Vec<Misread> {
    let nothing = Page::default();
    let mut found = directives::misread(site.page().unwrap_or(&nothing), &home.headers);
    found.truncate(MAX_DIRECTIVES);
    found
}

/// The engine whose index a crawler fills.
fn engine(crawler: &str) -> &'static str {
    if crawler == "googlebot" { "Google" } else { "Bing" }
}

/// What the crawler with this token is for.
fn purpose(token: &str) -> Purpose {
    Registry::embedded()
        .agents
        .iter()
        .find(|agent| {
            let aliases = agent.robots_token_aliases.iter();
            let mut tokens = std::iter::once(&agent.robots_token).chain(aliases);
            tokens.any(|known| known.eq_ignore_ascii_case(token))
        })
        .map_or(Purpose::Other, |agent| agent.purpose)
}
