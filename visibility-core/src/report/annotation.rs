//! Findings at their places: what the formats that point into files have in common.

use crate::audit::result::{AuditEvidenceResult, AuditResult, AuditSignalResult};
use crate::report::audit::Audited;
use crate::rubric::finding::Verdict;
use crate::scan::result::{CheckResult, ScanResult};
use crate::text::excerpt::excerpt;

/// Something that was found, where, and how bad it is.
#[derive(Clone, Debug)]
pub(super) struct Annotation<'a> {
    /// Id of the check or signal.
    pub(super) rule: &'a str,
    /// Name of the check or signal.
    pub(super) title: &'a str,
    pub(super) level: Level,
    /// What was found, and what to do. Not escaped.
    pub(super) message: String,
    /// The places, the decisive one first; never empty.
    pub(super) locations: Vec<SourceLocation<'a>>,
    /// Points that fixing it brings.
    pub(super) points: f64,
}

/// How bad something is, worst first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Level {
    Error,
    Warning,
    /// Nothing could be seen.
    Note,
}

impl Level {
    fn from_verdict(verdict: Verdict) -> Option<Self> {
        match verdict {
            Verdict::Fail => Some(Self::Error),
            Verdict::Warn => Some(Self::Warning),
            Verdict::Unknown => Some(Self::Note),
            Verdict::Pass | Verdict::NotApplicable => None,
        }
    }
}

/// A place in a file or behind an address.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct SourceLocation<'a> {
    pub(super) source: LocationSource<'a>,
    /// Counted from 1.
    pub(super) line: Option<usize>,
    /// The text there; untrusted.
    pub(super) quote: Option<&'a str>,
    pub(super) css: Option<&'a str>,
}

/// What a place is in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum LocationSource<'a> {
    /// A path, as given.
    File(&'a str),
    /// A URL.
    Url(&'a str),
}

impl<'a> SourceLocation<'a> {
    pub(super) fn url(url: &'a str) -> Self {
        Self { source: LocationSource::Url(url), line: None, quote: None, css: None }
    }
}

/// What is to be looked at on a page: best value first, then what has no fix, in the order of the
/// rubric.
pub(super) fn audit_annotations<'a>(audited: &Audited<'a>) -> Vec<Annotation<'a>> {
    let result = audited.result;
    let mut found: Vec<(usize, Annotation<'a>)> =
        result.signals.iter().filter_map(|signal| signal_annotation(audited, signal)).collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, annotation)| annotation).collect()
}

fn signal_annotation<'a>(
    audited: &Audited<'a>,
    signal: &'a AuditSignalResult,
) -> Option<(usize, Annotation<'a>)> {
    let level = Level::from_verdict(signal.status)?;
    let fixes = &audited.result.fixes;
    let rank = fixes.iter().position(|fix| fix.signal == signal.id);
    let fix = rank.and_then(|rank| fixes.get(rank));
    let hint = fix.map(|fix| fix.hint.as_str()).unwrap_or_default();
    let details = signal.details.iter();
    let parts = bad(details.map(|detail| (detail.status, detail.text.as_str())));
    let annotation = Annotation {
        rule: &signal.id,
        title: &signal.title,
        level,
        message: sentences([signal.summary.as_str()].into_iter().chain(parts).chain([hint])),
        locations: locations_on_page(audited, signal),
        points: fix.map(|fix| f64::from(fix.points)).unwrap_or_default(),
    };
    Some((rank.unwrap_or(usize::MAX), annotation))
}

/// The places of a signal, first those with a line. In a file, there is always one.
fn locations_on_page<'a>(
    audited: &Audited<'a>,
    signal: &'a AuditSignalResult,
) -> Vec<SourceLocation<'a>> {
    let mut places: Vec<SourceLocation<'a>> =
        signal.evidence.iter().map(|evidence| location_on_page(audited, evidence)).collect();
    let is_best = |place: &SourceLocation<'_>| match place.source {
        LocationSource::File(_) => place.line.is_some(),
        LocationSource::Url(_) => place.line.is_some() && audited.file.is_none(),
    };
    places.sort_by_key(|place| !is_best(place));
    if !places.first().is_some_and(is_best) {
        places.insert(0, page(audited));
    }
    places
}

fn location_on_page<'a>(
    audited: &Audited<'a>,
    evidence: &'a AuditEvidenceResult,
) -> SourceLocation<'a> {
    let source = match audited.file {
        Some(file) if is_page(&evidence.url, audited.result) => LocationSource::File(file),
        _ => LocationSource::Url(&evidence.url),
    };
    let (quote, css) = (evidence.quote.as_deref(), evidence.css.as_deref());
    SourceLocation { source, line: evidence.line, quote, css }
}

/// Whether evidence is from the page itself. Addresses in evidence are excerpts.
fn is_page(url: &str, result: &AuditResult) -> bool {
    url == result.url || url == excerpt(&result.url)
}

/// The page as a whole.
pub(super) fn page<'a>(audited: &Audited<'a>) -> SourceLocation<'a> {
    let result = audited.result;
    match audited.file {
        Some(file) => SourceLocation {
            source: LocationSource::File(file),
            line: Some(1),
            quote: None,
            css: None,
        },
        None => SourceLocation::url(result.final_url.as_deref().unwrap_or(&result.url)),
    }
}

/// What is to be looked at on a site: what the plan begins with first, then the rest in the order of
/// the rubric. `home` is the address of the site.
pub(super) fn scan_annotations<'a>(result: &'a ScanResult, home: &'a str) -> Vec<Annotation<'a>> {
    let mut found: Vec<(usize, Annotation<'a>)> =
        result.checks.iter().filter_map(|check| check_annotation(result, home, check)).collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, annotation)| annotation).collect()
}

fn check_annotation<'a>(
    result: &'a ScanResult,
    home: &'a str,
    check: &'a CheckResult,
) -> Option<(usize, Annotation<'a>)> {
    let level = Level::from_verdict(check.status)?;
    let rank = result.fix_plan.iter().position(|item| item.check == check.id);
    let planned = rank.and_then(|rank| result.fix_plan.get(rank));
    let hint = check.fix.as_ref().map(|fix| fix.hint.as_str()).unwrap_or_default();
    let mut places: Vec<SourceLocation<'a>> = check
        .evidence
        .iter()
        .map(|evidence| SourceLocation {
            line: evidence.line,
            quote: evidence.excerpt.as_deref(),
            ..SourceLocation::url(&evidence.url)
        })
        .collect();
    places.sort_by_key(|place| place.line.is_none());
    if places.is_empty() {
        places.push(SourceLocation::url(home));
    }
    // The first one gave the summary.
    let others = check.signals.iter().skip(1);
    let parts = bad(others.map(|signal| (signal.status, signal.detail.as_str())));
    let annotation = Annotation {
        rule: &check.id,
        title: &check.title,
        level,
        message: sentences([check.summary.as_str()].into_iter().chain(parts).chain([hint])),
        locations: places,
        points: planned.map(|item| item.points).unwrap_or_default(),
    };
    Some((rank.unwrap_or(usize::MAX), annotation))
}

/// What else failed or warned.
fn bad<'a>(seen: impl Iterator<Item = (Verdict, &'a str)>) -> impl Iterator<Item = &'a str> {
    let is_bad = |verdict| matches!(verdict, Verdict::Fail | Verdict::Warn);
    seen.filter(move |(verdict, _)| is_bad(*verdict)).map(|(_, text)| text)
}

/// Sentences behind each other; those that end without a mark get a full stop.
pub(super) fn sentences<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push_str(if text.ends_with(['.', '!', '?', ':', '…']) { " " } else { ". " });
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::result::AuditDetailResult;
    use crate::report::{audit, sample};

    #[test]
    fn what_brings_most_comes_first_and_what_is_fine_not_at_all() {
        let result = audit::sample::hostile();
        let found = audit_annotations(&Audited { result: &result, file: None });
        let rules: Vec<&str> = found.iter().map(|one| one.rule).collect();
        assert_eq!(
            rules,
            [
                "snippet-eligibility",
                "page-entity",
                "markup-consistency",
                "answer-bot-access",
                "freshness"
            ]
        );
        let site = sample::hostile();
        let found = scan_annotations(&site, "https://shop.example.com/");
        let rules: Vec<&str> = found.iter().map(|one| one.rule).collect();
        assert_eq!(rules, ["ai-crawler-rules", "robots-txt", "sitemap"]);
    }

    #[test]
    fn in_a_file_every_finding_has_a_line_of_that_file() {
        let result = audit::sample::hostile();
        let audited = Audited { result: &result, file: Some("dist/lamp.html") };
        let lines: Vec<(&str, LocationSource<'_>, Option<usize>)> = audit_annotations(&audited)
            .iter()
            .map(|one| (one.rule, one.locations[0].source, one.locations[0].line))
            .collect();
        let file = LocationSource::File("dist/lamp.html");
        assert_eq!(
            lines,
            [
                ("snippet-eligibility", file, Some(12)),
                ("page-entity", file, Some(1)),
                ("markup-consistency", file, Some(48)),
                // Its evidence is in robots.txt.
                ("answer-bot-access", file, Some(1)),
                ("freshness", file, Some(201)),
            ]
        );
    }

    #[test]
    fn a_message_tells_what_else_is_bad_and_not_what_is_fine() {
        let mut result = audit::sample::hostile();
        let detail = |status, text: &str| AuditDetailResult {
            id: "part".to_owned(),
            status,
            text: text.to_owned(),
        };
        result.signals[2].summary = "Sum".to_owned();
        result.signals[2].details =
            vec![detail(Verdict::Warn, "bad part"), detail(Verdict::Pass, "good part")];
        let found = audit_annotations(&Audited { result: &result, file: None });
        assert_eq!(found[0].message, "Sum. bad part. Allow quoting: replace `nosnippet`.");
    }

    #[test]
    fn sentences_are_divided_by_one_mark() {
        for (parts, expected) in
            [(["a", "B."], "a. B."), (["a.", "B."], "a. B."), (["a", ""], "a"), ([" ", "B"], "B")]
        {
            assert_eq!(sentences(parts), expected);
        }
    }
}
