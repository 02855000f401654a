//! The checks, by category, each one to open.

use maud::{Markup, html};

use crate::report::html::frame::{self, FoldedItem, Frame, Paste};
use crate::report::paste;
use crate::report::product;
use crate::report::scale::Scale;
use crate::rubric::finding::Verdict;
use crate::scan::result::{CheckResult, EvidenceResult, FixResult, ScanResult};
use crate::text::markup::{sentence, shown};

pub(super) fn section(result: &ScanResult, frame: &Frame) -> Markup {
    let (mut passed, mut uncounted) = (Vec::new(), Vec::new());
    let mut open = Vec::new();
    for category in &result.categories {
        let mut members = Vec::new();
        for check in result.checks.iter().filter(|check| check.category == category.id) {
            let fold = self::check(check, result, frame);
            match check.status {
                Verdict::Pass => passed.push(fold),
                Verdict::NotApplicable => uncounted.push(fold),
                Verdict::Warn | Verdict::Fail | Verdict::Unknown => members.push(fold),
            }
        }
        if !members.is_empty() {
            open.push(frame.heading(3, &html! { (shown(&category.title)) }));
            open.append(&mut members);
        }
    }
    if result.checks.is_empty() {
        return html! {};
    }
    let body = html! {
        @for part in &open { (part) }
        (frame.folded("passed", &passed))
        (frame.folded("not-counted", &uncounted))
    };
    frame.section("checks", &frame.labels.label("checks"), &body)
}

fn check(check: &CheckResult, result: &ScanResult, frame: &Frame) -> Markup {
    let labels = frame.labels;
    let earned = match check.credit {
        Some(_) => Scale::for_scan(result).earned(check.points, f64::from(check.max_points)),
        None => "–".to_owned(),
    };
    // The first one gave the summary.
    let others = check.signals.iter().skip(1);
    let evidence: Vec<Markup> = check.evidence.iter().map(evidence).collect();
    let body = html! {
        p { (sentence(&check.summary)) }
        (frame::verdicts(others.map(|signal| (signal.status, signal.detail.as_str())), labels))
        @if let Some(fix) = &check.fix {
            @let is_planned = result.fix_plan.iter().any(|item| item.check == check.id);
            (self::fix(fix, is_planned, frame))
        }
        (frame.evidence(&evidence))
        (frame::why(&check.why, labels))
        @if !check.applies_because.is_empty() { p { (sentence(&check.applies_because)) } }
        p.specs {
            (labels.maturity(check.maturity))
            @for spec in &check.specs { (frame::source(&spec.name, &spec.url)) }
            (frame::explanation(&product::check_page(&check.id), labels))
        }
    };
    let fold =
        FoldedItem { id: &check.id, verdict: check.status, title: &check.title, earned: &earned };
    fold.render(&body, frame)
}

/// What to do. The plan has what there is to paste, if there is one.
fn fix(fix: &FixResult, is_planned: bool, frame: &Frame) -> Markup {
    let labels = frame.labels;
    html! {
        (frame::hint(&fix.hint, labels))
        @if is_planned {
            p { a href={ "#" (frame.id("plan")) } { (labels.label("in-plan")) } }
        } @else {
            @let blocks = paste::scan_blocks(fix, labels);
            @let paste = Paste {
                blocks: &blocks,
                needs_input: (&labels.label("needs-input"), &fix.needs_input),
                note: fix.note.as_deref(),
            };
            (paste.render())
        }
    }
}

fn evidence(evidence: &EvidenceResult) -> Markup {
    let quote = evidence.excerpt.as_deref().filter(|text| !text.is_empty());
    html! {
        li {
            code { (shown(&evidence.method)) " " (shown(&evidence.url)) }
            @if let Some(status) = evidence.status { " · " (status) }
            @if let Some(content_type) = &evidence.content_type { " · " (shown(content_type)) }
            @if let Some(bytes) = evidence.bytes { " · " (bytes) " B" }
            @if let Some(ms) = evidence.ms { " · " (ms) " ms" }
            @if let Some(note) = &evidence.note { " · " (shown(note)) }
            @if let Some(quote) = quote { br; q { (shown(quote)) } }
        }
    }
}
