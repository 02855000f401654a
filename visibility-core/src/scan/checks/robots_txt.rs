//! `robots-txt`: a robots.txt that crawlers can read, and that names the sitemap.

use crate::documents::robots::{Lint, LintKind, RobotsFile, RobotsState, RobotsTxt};
use crate::fetch::{FetchError, Resource, Response};
use crate::limits::MAX_ROBOTS_BYTES;
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::draft;
use crate::scan::snapshot::SiteSnapshot;

pub(super) const CHECK: Check = Check {
    id: "robots-txt",
    category: Category::Policy,
    weight: 4,
    maturity: Maturity::Standard,
    effort: Effort::S,
    surfaces: &[],
    outcomes: &[
        COMPLETE,
        ABSENT,
        REFUSED,
        WRONG_TYPE,
        NO_GROUP,
        NO_SITEMAP,
        DEAD_SITEMAP,
        JUNK_LINES,
        TOO_LARGE,
        HTML,
        SERVER_ERROR,
        ENDLESS_REDIRECTS,
        CHALLENGED,
        RATE_LIMITED,
        UNREADABLE,
        DIFFERS_PER_HOST,
        MISSING_COLON,
        TYPO,
        RULE_OUTSIDE_GROUP,
        RELATIVE_PATTERN,
        AGENT_WITH_EXTRAS,
        AGENT_LIST,
        QUOTED_AGENT,
        URL_PATTERN,
        BAD_VALUE,
        UNKNOWN_KEY,
        LONG_LINE,
        UTF_16,
    ],
    covers: &["robots.txt", "RFC 9309"],
    specs: &[Spec { name: "RFC 9309", url: "https://www.rfc-editor.org/rfc/rfc9309" }],
    evaluate,
};

const COMPLETE: Outcome = Outcome::pass("complete");
const ABSENT: Outcome = Outcome::warn("absent");
const REFUSED: Outcome = Outcome::warn("refused");
const WRONG_TYPE: Outcome = Outcome::warn("wrong-type");
const NO_GROUP: Outcome = Outcome::warn("no-group");
const DEAD_SITEMAP: Outcome = Outcome::warn("dead-sitemap");
const NO_SITEMAP: Outcome = Outcome::warn("no-sitemap");
const JUNK_LINES: Outcome = Outcome::warn("junk-lines");
const TOO_LARGE: Outcome = Outcome::warn("too-large");
const HTML: Outcome = Outcome::fail("html");
const SERVER_ERROR: Outcome = Outcome::fail("server-error");
const ENDLESS_REDIRECTS: Outcome = Outcome::fail("endless-redirects");
const CHALLENGED: Outcome = Outcome::unknown("challenged");
const RATE_LIMITED: Outcome = Outcome::unknown("rate-limited");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");
const DIFFERS_PER_HOST: Outcome = Outcome::pass("differs-per-host");
// What a reader should fix, and what never decides.
const MISSING_COLON: Outcome = Outcome::warn("missing-colon");
const TYPO: Outcome = Outcome::warn("typo");
const RULE_OUTSIDE_GROUP: Outcome = Outcome::warn("rule-outside-group");
const RELATIVE_PATTERN: Outcome = Outcome::warn("relative-pattern");
const AGENT_LIST: Outcome = Outcome::warn("agent-list");
const QUOTED_AGENT: Outcome = Outcome::warn("quoted-agent");
const URL_PATTERN: Outcome = Outcome::warn("url-pattern");
const AGENT_WITH_EXTRAS: Outcome = Outcome::warn("agent-with-extras");
const BAD_VALUE: Outcome = Outcome::warn("bad-value");
const UNKNOWN_KEY: Outcome = Outcome::warn("unknown-key");
const LONG_LINE: Outcome = Outcome::warn("long-line");
const UTF_16: Outcome = Outcome::warn("utf-16");

/// Percent of the lines that may be no record at all.
const MAX_JUNK_PERCENT: usize = 10;
/// Lines that are quoted as evidence.
const MAX_QUOTED_LINES: usize = 10;

fn evaluate(site: &SiteSnapshot) -> Finding {
    let resource = site.robots_resource();
    let rules = &site.robots().rules;
    let mut finding = match site.fetch_result(&resource) {
        Some(Ok(response)) => judge(site, response, site.robots()),
        Some(Err(
            FetchError::RedirectLoop { .. }
            | FetchError::TooManyRedirects { .. }
            | FetchError::BadRedirect { .. },
        )) => Finding::new(ENDLESS_REDIRECTS.detected()),
        _ => Finding::new(UNREADABLE.detected()),
    };
    if differs_per_host(site) {
        let host = site.origin().host_str().unwrap_or_default();
        let asked = site.domain();
        finding = finding.with_detection(DIFFERS_PER_HOST.with("host", host).with("other", asked));
    }
    for lint in first_of_each_kind(&rules.lints) {
        let count = rules.lints.iter().filter(|other| other.kind == lint.kind).count();
        let detection = lint_outcome(lint.kind).with("line", lint.line).with("count", count);
        finding = finding.with_detection(detection);
    }
    let evidence: Vec<Evidence> = evidence(site, &rules.lints);
    let decisive = finding.detections().first().map(|detection| detection.outcome);
    let finding = finding.with_evidence(evidence);
    match decisive {
        Some(NO_SITEMAP | DEAD_SITEMAP) => finding.with_fix(draft::sitemap(site)),
        Some(ABSENT | HTML) => {
            let fix = draft::sitemap(site);
            let writes_file = fix.edits.iter().any(|edit| matches!(edit, Edit::Robots { .. }));
            // robots.txt could not be read, so it names no sitemap and the fix writes the file.
            finding.with_fix_if_any(writes_file.then_some(fix))
        }
        Some(NO_GROUP) => {
            finding.with_fix(Fix::new(draft::robots_lines(site, "User-agent: *\nAllow: /\n")))
        }
        // What is wrong has to be found in the file itself, or in front of it.
        _ => finding,
    }
}

fn judge(site: &SiteSnapshot, response: &Response, file: &RobotsFile) -> Finding {
    let rules = &file.rules;
    let status = response.status;
    if site.challenge(response).is_some() {
        return Finding::new(CHALLENGED.with("status", status));
    }
    let failed = match status {
        200..=299 => None,
        401 | 403 => Some(REFUSED),
        429 => Some(RATE_LIMITED),
        500.. => Some(SERVER_ERROR),
        _ => Some(ABSENT),
    };
    if let Some(outcome) = failed {
        return Finding::new(outcome.with("status", status));
    }
    match file.state {
        RobotsState::NotText => return Finding::new(HTML.detected()),
        // The body broke off.
        RobotsState::Unreachable => return Finding::new(UNREADABLE.detected()),
        _ => {}
    }
    let complete = COMPLETE
        .with("groups", rules.groups.len())
        .with("rules", rules.groups.iter().map(|group| group.rules.len()).sum::<usize>())
        .with("bytes", response.body.len());
    let mut detections = faults(site, response, rules);
    if detections.is_empty() {
        detections.push(complete);
    }
    Finding::from_worst(detections).unwrap_or_else(|| Finding::new(UNREADABLE.detected()))
}

/// What is wrong with a file that could be read, worst first.
fn faults(site: &SiteSnapshot, response: &Response, rules: &RobotsTxt) -> Vec<Detection> {
    let mut detections = Vec::new();
    if rules.groups.is_empty() {
        detections.push(NO_GROUP.detected());
    }
    if rules.truncated || response.body.len() > MAX_ROBOTS_BYTES {
        detections.push(TOO_LARGE.with("limit", MAX_ROBOTS_BYTES / 1024));
    }
    if rules.junk_lines * 100 > rules.content_lines * MAX_JUNK_PERCENT {
        let lines = JUNK_LINES.with("junk", rules.junk_lines);
        detections.push(lines.with("lines", rules.content_lines));
    }
    let media_type = response.media_type();
    if media_type != "text/plain" {
        let shown = if media_type.is_empty() { "-" } else { &media_type };
        detections.push(WRONG_TYPE.with("type", shown));
    }
    if rules.sitemaps.is_empty() {
        detections.push(NO_SITEMAP.detected());
    }
    detections.extend(dead_sitemap(site));
    detections
}

/// The first sitemap that the file names, if it is not there.
fn dead_sitemap(site: &SiteSnapshot) -> Option<Detection> {
    let named = site.robots().rules.sitemaps.first()?;
    let asked = &site.exchange(&Resource::Sitemap)?.probe.url;
    let is_named = site.origin().join(&named.value).is_ok_and(|url| url == *asked);
    let missing = site.response(&Resource::Sitemap).filter(|r| matches!(r.status, 404 | 410))?;
    let found = DEAD_SITEMAP.with("url", asked).with("line", named.line);
    is_named.then(|| found.with("status", missing.status))
}

fn lint_outcome(kind: LintKind) -> Outcome {
    match kind {
        LintKind::MissingColon => MISSING_COLON,
        LintKind::Typo => TYPO,
        LintKind::RuleOutsideGroup => RULE_OUTSIDE_GROUP,
        LintKind::RelativePattern => RELATIVE_PATTERN,
        LintKind::AgentWithExtras => AGENT_WITH_EXTRAS,
        LintKind::AgentList => AGENT_LIST,
        LintKind::QuotedAgent => QUOTED_AGENT,
        LintKind::UrlPattern => URL_PATTERN,
        LintKind::BadValue => BAD_VALUE,
        LintKind::UnknownKey => UNKNOWN_KEY,
        LintKind::LongLine => LONG_LINE,
        LintKind::Utf16 => UTF_16,
    }
}

fn first_of_each_kind(lints: &[Lint]) -> Vec<&Lint> {
    let mut first: Vec<&Lint> = Vec::new();
    for lint in lints {
        if !first.iter().any(|seen| seen.kind == lint.kind) {
            first.push(lint);
        }
    }
    first
}

/// Whether the domain and the host that it leads to serve different rules.
fn differs_per_host(site: &SiteSnapshot) -> bool {
    let asked = site.response(&Resource::RobotsTxt).filter(|r| r.is_success());
    let read = site.response(&Resource::FinalRobotsTxt).filter(|r| r.is_success());
    asked.zip(read).is_some_and(|(asked, read)| asked.body != read.body)
}

/// The requests, and the lines that a reader should fix.
fn evidence(site: &SiteSnapshot, lints: &[Lint]) -> Vec<Evidence> {
    let asked = [Resource::RobotsTxt, Resource::FinalRobotsTxt];
    let mut evidence: Vec<Evidence> =
        asked.iter().filter_map(|resource| site.evidence(resource)).collect();
    if let Some(response) = site.response(&site.robots_resource()) {
        let quoted = lints.iter().take(MAX_QUOTED_LINES);
        evidence
            .extend(quoted.map(|l| Evidence::from_response(response).line(l.line).quote(&l.text)));
    }
    evidence
}
