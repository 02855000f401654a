//! The signals, by pillar, each one to open.

use crate::audit::result::{AuditEvidenceResult, AuditResult, AuditSignalResult};
use crate::report::audit::remark;
use crate::report::html::frame::{self, FoldedItem, Frame};
use crate::report::labels::Labels;
use crate::report::product;
use crate::report::scale::Scale;
use crate::rubric::finding::Verdict;
use crate::text::escape::{html, html_sentence};

pub(super) fn section(result: &AuditResult, frame: &Frame) -> String {
    let mut text = String::new();
    let (mut passed, mut uncounted) = (Vec::new(), Vec::new());
    let scale = Scale::for_audit(result);
    for pillar in &result.pillars {
        let mut open = String::new();
        for signal in result.signals.iter().filter(|signal| signal.pillar == pillar.id) {
            let fold = self::signal(signal, scale, frame);
            match signal.status {
                Verdict::Pass => passed.push(fold),
                Verdict::NotApplicable => uncounted.push(fold),
                Verdict::Warn | Verdict::Fail | Verdict::Unknown => open.push_str(&fold),
            }
        }
        if !open.is_empty() {
            text.push_str(&frame.heading(3, &html(&pillar.title)));
            text.push_str(&open);
        }
    }
    text.push_str(&frame.folded("passed", &passed));
    text.push_str(&frame.folded("not-counted", &uncounted));
    frame.section("signals", &frame.labels.audit("signals"), &text)
}

fn signal(signal: &AuditSignalResult, scale: Scale, frame: &Frame) -> String {
    let labels = frame.labels;
    let earned = match signal.credit {
        Some(_) => scale.earned(signal.points, signal.max_points),
        None => "–".to_owned(),
    };
    let mut text = format!("<p>{}</p>\n", html_sentence(&signal.summary));
    let details = signal.details.iter().map(|detail| (detail.status, detail.text.as_str()));
    text.push_str(&frame::verdicts(details, labels));
    let items: String =
        signal.evidence.iter().map(|evidence| evidence_item(evidence, labels)).collect();
    text.push_str(&frame.evidence(&items));
    text.push_str(&frame::why(&signal.why, labels));
    text.push_str(&format!(
        "<p class=\"specs\">{} · {} {}: {}",
        html(&signal.code),
        html(&labels.audit("grade")),
        signal.grade.as_str(),
        html(&labels.grade(signal.grade))
    ));
    text.extend(signal.sources.iter().map(|source| frame::source(&source.name, &source.url)));
    text.push_str(&frame::explanation(&product::signal_page(&signal.id), labels));
    text.push_str("</p>\n");
    let fold = FoldedItem {
        id: &signal.id,
        verdict: signal.status,
        title: &signal.title,
        earned: &earned,
    };
    fold.render(&text, frame)
}

/// Where, and the text there.
pub(super) fn evidence_item(evidence: &AuditEvidenceResult, labels: Labels) -> String {
    let mut parts = vec![format!("<code>{}</code>", html(&evidence.url))];
    parts.extend(evidence.line.map(|line| html(&labels.sentence("line", &[("line", &line)]))));
    parts.extend(evidence.css.as_deref().map(html));
    parts.extend(remark(evidence).map(html));
    let quote = evidence
        .quote
        .as_deref()
        .filter(|text| !text.is_empty())
        .map_or_else(String::new, |text| format!("<br><q>{}</q>", html(text)));
    format!("<li>{}{quote}</li>\n", parts.join(" · "))
}
