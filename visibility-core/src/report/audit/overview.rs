//! Summarizes several audits: how the scores are spread, where points are lost, and which pages
//! are alike.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use url::Url;

use crate::audit::result::{AuditResult, AuditSignalResult};
use crate::report::audit::is_open;
use crate::report::audit::lost::{LostPoints, lost_points};
use crate::report::junit::FailedTarget;
use crate::report::scale::Scale;
use crate::rubric::finding::Verdict;

/// Bars of the distribution: 0 to 9, 10 to 19 ... 90 to 100.
pub(super) const BINS: usize = 10;
/// Bytes of a report of several pages: single reports that are beyond are left out, for a file of all of them is slow
/// to open, and a job summary of GitHub may have 1 MiB.
pub(super) const MAX_BYTES: usize = 1_000_000;
/// Pages that have a report in any case.
const MIN_REPORTS: usize = 10;
/// Groups, and texts that several pages share, that are listed.
const MAX_LISTED: usize = 50;
/// Pages that are named of those that share a text.
pub(super) const MAX_NAMED: usize = 20;
/// Characters of a segment of an address that names no page.
const MAX_SEGMENT_CHARS: usize = 30;

/// Results, and what is common to them.
#[derive(Debug)]
pub(super) struct Overview<'a> {
    /// Results with their number in the list, counted from 1, lowest score first.
    pub(super) pages: Vec<(usize, &'a AuditResult)>,
    /// What has no result.
    pub(super) missing: Vec<&'a FailedTarget>,
    /// Pages by tens of points.
    pub(super) bins: [usize; BINS],
    /// Pages whose addresses have one form.
    pub(super) groups: Vec<AddressGroup>,
    /// Titles of several pages.
    pub(super) titles: Vec<SharedText<'a>>,
    /// Descriptions of several pages.
    pub(super) descriptions: Vec<SharedText<'a>>,
    /// What all pages lost points by.
    pub(super) lost: LostPoints,
    /// The signals that ask for work, those that cost most first.
    pub(super) signals: Vec<SharedSignal<'a>>,
    /// What the addresses of all pages begin with: scheme and host.
    pub(super) origin: Option<String>,
}

/// A signal that asks for work on some pages.
#[derive(Debug)]
pub(super) struct SharedSignal<'a> {
    /// The signal of one of the pages: its texts are the same on all of them.
    pub(super) signal: &'a AuditSignalResult,
    /// Points of the scores, in all.
    pub(super) points: f64,
    /// How many pages there are.
    pub(super) pages: usize,
    /// What was found, what most pages have first.
    pub(super) findings: Vec<SharedFinding<'a>>,
}

/// What was found on some pages, in the same words.
#[derive(Debug)]
pub(super) struct SharedFinding<'a> {
    pub(super) verdict: Verdict,
    pub(super) summary: &'a str,
    /// The pages with their numbers, lowest score first.
    pub(super) pages: Vec<(usize, &'a AuditResult)>,
}

/// Pages whose addresses have one form: most sites make them by one template.
#[derive(Debug)]
pub(super) struct AddressGroup {
    /// The form, such as `example.com/blog/*`.
    pub(super) form: String,
    /// How many there are.
    pub(super) pages: usize,
    /// The middle score.
    pub(super) median: u8,
    /// Title of the signal that costs them most.
    pub(super) worst: Option<String>,
}

/// A text that several pages have.
#[derive(Debug)]
pub(super) struct SharedText<'a> {
    pub(super) text: &'a str,
    /// The pages with their numbers.
    pub(super) pages: Vec<(usize, &'a AuditResult)>,
}

impl<'a> Overview<'a> {
    pub(super) fn new(results: &[Result<&'a AuditResult, &'a FailedTarget>]) -> Self {
        let mut lost = LostPoints::default();
        let mut bins = [0; BINS];
        let mut pages = Vec::new();
        let mut missing = Vec::new();
        for (at, result) in results.iter().enumerate() {
            match result {
                Ok(result) => {
                    lost.add(result);
                    let bin = usize::from(result.gpt_visibility_score / 10).min(BINS - 1);
                    if let Some(bin) = bins.get_mut(bin).filter(|_| result.status.has_page()) {
                        *bin += 1;
                    }
                    pages.push((at + 1, *result));
                }
                Err(none) => missing.push(*none),
            }
        }
        pages.sort_by_key(|(_, result)| result.gpt_visibility_score);
        let page = |result: &'a AuditResult| result.page.as_ref();
        Self {
            groups: groups(&pages),
            titles: shared(&pages, |result| page(result)?.title.as_deref()),
            descriptions: shared(&pages, |result| page(result)?.description.as_deref()),
            signals: signals(&pages),
            origin: origin(&pages),
            pages,
            missing,
            bins,
            lost,
        }
    }

    /// The reports of the pages with the lowest scores, as many as there is room for.
    pub(super) fn reports(
        &self,
        room: usize,
        render: impl Fn(usize, &AuditResult) -> String,
    ) -> Vec<String> {
        let mut reports = Vec::new();
        let mut bytes = 0;
        for (number, result) in &self.pages {
            let report = render(*number, result);
            bytes += report.len();
            if bytes > room && reports.len() >= MIN_REPORTS {
                break;
            }
            reports.push(report);
        }
        reports
    }

    /// The address of a page, without what all of them begin with.
    pub(super) fn short_address<'r>(&self, result: &'r AuditResult) -> &'r str {
        let prefix = self.origin.as_deref().unwrap_or_default();
        result.url.strip_prefix(prefix).filter(|path| path.starts_with('/')).unwrap_or(&result.url)
    }
}

/// Scheme and host of the addresses, if all have the same.
fn origin(pages: &[(usize, &AuditResult)]) -> Option<String> {
    let origin_of = |result: &AuditResult| {
        let url = Url::parse(&result.url).ok()?;
        let host = url.host_str().unwrap_or_default();
        Some(format!("{}://{host}", url.scheme()))
    };
    let mut origins = pages.iter().map(|(_, result)| origin_of(result));
    let first = origins.next().flatten()?;
    origins.all(|other| other.as_deref() == Some(first.as_str())).then_some(first)
}

/// The signals that ask for work, each with the pages on which it does.
fn signals<'a>(pages: &[(usize, &'a AuditResult)]) -> Vec<SharedSignal<'a>> {
    let mut signals: BTreeMap<&str, SharedSignal<'a>> = BTreeMap::new();
    for (number, result) in pages.iter().copied() {
        let scale = Scale::for_audit(result);
        for signal in result.signals.iter().filter(|signal| is_open(signal.status)) {
            let shared = signals.entry(signal.id.as_str()).or_insert_with(|| SharedSignal {
                signal,
                points: 0.0,
                pages: 0,
                findings: Vec::new(),
            });
            shared.points += lost_points(signal, scale);
            shared.pages += 1;
            shared.add(number, result, signal);
        }
    }
    let mut signals: Vec<SharedSignal<'_>> = signals.into_values().collect();
    signals.sort_by(|a, b| b.points.total_cmp(&a.points));
    for shared in &mut signals {
        shared.findings.sort_by_key(|finding| Reverse(finding.pages.len()));
    }
    signals
}

impl<'a> SharedSignal<'a> {
    fn add(&mut self, number: usize, result: &'a AuditResult, signal: &'a AuditSignalResult) {
        let is_same = |finding: &&mut SharedFinding<'_>| {
            finding.verdict == signal.status && finding.summary == signal.summary
        };
        if let Some(finding) = self.findings.iter_mut().find(is_same) {
            finding.pages.push((number, result));
            return;
        }
        self.findings.push(SharedFinding {
            verdict: signal.status,
            summary: &signal.summary,
            pages: vec![(number, result)],
        });
    }
}

fn groups(pages: &[(usize, &AuditResult)]) -> Vec<AddressGroup> {
    let mut forms: BTreeMap<String, Vec<&AuditResult>> = BTreeMap::new();
    for (_, result) in pages.iter().filter(|(_, result)| result.status.has_page()) {
        forms.entry(form(&result.url)).or_default().push(result);
    }
    let mut groups: Vec<AddressGroup> = forms
        .into_iter()
        .filter(|(_, results)| results.len() > 1)
        .map(|(form, results)| group(form, &results))
        .collect();
    groups.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.form.cmp(&b.form)));
    groups.truncate(MAX_LISTED);
    groups
}

fn group(form: String, results: &[&AuditResult]) -> AddressGroup {
    let mut lost = LostPoints::default();
    for result in results {
        lost.add(result);
    }
    // Pages come sorted by their scores.
    let median = results.get(results.len() / 2).map(|result| result.gpt_visibility_score);
    AddressGroup {
        form,
        pages: results.len(),
        median: median.unwrap_or_default(),
        worst: lost.signals().first().map(|loss| loss.title.clone()),
    }
}

/// The form of an address or path, with its host: its last segment, and those that look like names of things, as `*`.
fn form(address: &str) -> String {
    let url = Url::parse(address).ok();
    let path = url.as_ref().map_or(address, Url::path);
    let mut segments: Vec<&str> = path.split('/').collect();
    let is_folder = segments.last().is_some_and(|last| last.is_empty());
    if is_folder {
        segments.pop();
    }
    let last = segments.len().saturating_sub(1);
    let form: Vec<String> = segments
        .iter()
        .enumerate()
        .map(|(at, segment)| {
            let is_name = segment.bytes().any(|byte| byte.is_ascii_digit())
                || segment.chars().nth(MAX_SEGMENT_CHARS).is_some();
            if at > 0 && (at == last || is_name) { "*".to_owned() } else { (*segment).to_owned() }
        })
        .collect();
    let path = if form.len() < 2 { "/".to_owned() } else { form.join("/") };
    // The pages of two sites are made by two templates.
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    format!("{host}{path}")
}

/// Texts that more than one page has, those of most pages first.
fn shared<'a>(
    pages: &[(usize, &'a AuditResult)],
    text: impl Fn(&'a AuditResult) -> Option<&'a str>,
) -> Vec<SharedText<'a>> {
    let mut texts: BTreeMap<&str, Vec<(usize, &'a AuditResult)>> = BTreeMap::new();
    for (number, result) in pages {
        if let Some(text) = text(result).map(str::trim).filter(|text| !text.is_empty()) {
            texts.entry(text).or_default().push((*number, result));
        }
    }
    let several = texts.into_iter().filter(|(_, pages)| pages.len() > 1);
    let mut shared: Vec<SharedText<'_>> =
        several.map(|(text, pages)| SharedText { text, pages }).collect();
    shared.sort_by_key(|shared| Reverse(shared.pages.len()));
    shared.truncate(MAX_LISTED);
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;

    #[test]
    fn the_form_of_an_address_leaves_out_what_names_the_page() {
        for (address, expected) in [
            ("https://example.com/", "example.com/"),
            ("https://example.com", "example.com/"),
            ("https://example.com/blog/a-lamp?x=1", "example.com/blog/*"),
            ("https://example.com/blog/2026/03/a-lamp/", "example.com/blog/*/*/*"),
            ("https://example.com/about", "example.com/*"),
            ("file:///site/blog/a.html", "/site/blog/*"),
            ("site/blog/a.html", "site/blog/*"),
            ("", "/"),
        ] {
            assert_eq!(form(address), expected, "{address}");
        }
    }

    #[test]
    fn results_are_counted_sorted_and_compared() {
        let (mut first, mut second) = (sample::hostile(), sample::hostile());
        first.gpt_visibility_score = 100;
        second.gpt_visibility_score = 9;
        "https://shop.example.com/other".clone_into(&mut second.url);
        let refused = sample::refused();
        let gone = FailedTarget { name: "x".into(), code: "X".into(), message: "gone".into() };
        let all = Overview::new(&[Ok(&first), Err(&gone), Ok(&second), Ok(&refused)]);
        assert_eq!((all.bins[0], all.bins[9], all.missing.len()), (1, 1, 1));
        assert_eq!(all.pages.first().map(|(number, _)| *number), Some(4));
        assert_eq!(all.titles.len(), 1);
        assert_eq!(all.titles[0].pages.len(), 2);
        assert_eq!(all.groups[0].form, "shop.example.com/*");
    }

    #[test]
    fn each_signal_that_asks_for_work_names_its_pages() {
        let (first, mut second) = (sample::hostile(), sample::hostile());
        "https://shop.example.com/other".clone_into(&mut second.url);
        let open = second.signals.iter().position(|signal| is_open(signal.status)).unwrap();
        "something else".clone_into(&mut second.signals[open].summary);
        let all = Overview::new(&[Ok(&first), Ok(&second)]);
        let id = &second.signals[open].id;
        let shared = all.signals.iter().find(|shared| shared.signal.id == *id).unwrap();
        assert_eq!((shared.pages, shared.findings.len()), (2, 2));
        assert!(all.signals.iter().all(|shared| shared.pages == 2));
        assert!(all.signals.is_sorted_by(|a, b| a.points >= b.points));
        assert_eq!(all.origin.as_deref(), Some("https://shop.example.com"));
        assert_eq!(all.short_address(&second), "/other");
        "http://shop.example.com/other".clone_into(&mut second.url);
        assert_eq!(Overview::new(&[Ok(&first), Ok(&second)]).origin, None);
    }
}
