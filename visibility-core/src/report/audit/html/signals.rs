//! The signals, by pillar, each one to open.

use maud::{Markup, html};

use crate::audit::result::{AuditEvidenceResult, AuditResult, AuditSignalResult};
use crate::report::audit::remark;
use crate::report::html::frame::{self, FoldedItem, Frame};
use crate::report::labels::Labels;
use crate::report::product;
use crate::report::scale::Scale;
use crate::rubric::finding::Verdict;
use crate::text::markup::{sentence, shown};

pub(super) fn section(result: &AuditResult, frame: &Frame) -> Markup {
    let (mut passed, mut uncounted) = (Vec::new(), Vec::new());
    let mut open = Vec::new();
    let scale = Scale::for_audit(result);
    for pillar in &result.pillars {
        let mut members = Vec::new();
        for signal in result.signals.iter().filter(|signal| signal.pillar == pillar.id) {
            let fold = self::signal(signal, scale, frame);
            match signal.status {
                Verdict::Pass => passed.push(fold),
                Verdict::NotApplicable => uncounted.push(fold),
                Verdict::Warn | Verdict::Fail | Verdict::Unknown => members.push(fold),
            }
        }
        if !members.is_empty() {
            open.push(frame.heading(3, &html! { (shown(&pillar.title)) }));
            open.append(&mut members);
        }
    }
    if result.signals.is_empty() {
        return html! {};
    }
    let body = html! {
        @for part in &open { (part) }
        (frame.folded("passed", &passed))
        (frame.folded("not-counted", &uncounted))
    };
    frame.section("signals", &frame.labels.audit("signals"), &body)
}

fn signal(signal: &AuditSignalResult, scale: Scale, frame: &Frame) -> Markup {
    let labels = frame.labels;
    let earned = match signal.credit {
        Some(_) => scale.earned(signal.points, signal.max_points),
        None => "–".to_owned(),
    };
    let details = signal.details.iter().map(|detail| (detail.status, detail.text.as_str()));
    let evidence: Vec<Markup> =
        signal.evidence.iter().map(|evidence| evidence_item(evidence, labels)).collect();
    let body = html! {
        p { (sentence(&signal.summary)) }
        (frame::verdicts(details, labels))
        (frame.evidence(&evidence))
        (frame::why(&signal.why, labels))
        p.specs {
            (shown(&signal.code)) " · " (labels.audit("grade")) " " (signal.grade.as_str()) ": "
            (labels.grade(signal.grade))
            @for source in &signal.sources { (frame::source(&source.name, &source.url)) }
            (frame::explanation(&product::signal_page(&signal.id), labels))
        }
    };
    let fold = FoldedItem {
        id: &signal.id,
        verdict: signal.status,
        title: &signal.title,
        earned: &earned,
    };
    fold.render(&body, frame)
}

/// Where, and the text there.
pub(super) fn evidence_item(evidence: &AuditEvidenceResult, labels: Labels) -> Markup {
    let quote = evidence.quote.as_deref().filter(|text| !text.is_empty());
    html! {
        li {
            code { (shown(&evidence.url)) }
            @if let Some(line) = evidence.line { " · " (labels.sentence("line", &[("line", &line)])) }
            @if let Some(css) = &evidence.css { " · " (shown(css)) }
            @if let Some(remark) = remark(evidence) { " · " (shown(remark)) }
            @if let Some(quote) = quote { br; q { (shown(quote)) } }
        }
    }
}
