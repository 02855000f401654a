//! The checks, by category, each one to open.

use crate::report::html::frame::{self, FoldedItem, Frame};
use crate::report::paste;
use crate::report::product;
use crate::report::scale::Scale;
use crate::rubric::finding::Verdict;
use crate::scan::result::{CheckResult, EvidenceResult, FixResult, ScanResult};
use crate::text::escape::{html, html_sentence};

pub(super) fn section(result: &ScanResult, frame: &Frame) -> String {
    let mut text = String::new();
    let (mut passed, mut uncounted) = (Vec::new(), Vec::new());
    for category in &result.categories {
        let mut open = String::new();
        for check in result.checks.iter().filter(|check| check.category == category.id) {
            let fold = self::check(check, result, frame);
            match check.status {
                Verdict::Pass => passed.push(fold),
                Verdict::NotApplicable => uncounted.push(fold),
                Verdict::Warn | Verdict::Fail | Verdict::Unknown => open.push_str(&fold),
            }
        }
        if !open.is_empty() {
            text.push_str(&frame.heading(3, &html(&category.title)));
            text.push_str(&open);
        }
    }
    text.push_str(&frame.folded("passed", &passed));
    text.push_str(&frame.folded("not-counted", &uncounted));
    frame.section("checks", &frame.labels.label("checks"), &text)
}

fn check(check: &CheckResult, result: &ScanResult, frame: &Frame) -> String {
    let labels = frame.labels;
    let earned = match check.credit {
        Some(_) => Scale::for_scan(result).earned(check.points, f64::from(check.max_points)),
        None => "–".to_owned(),
    };
    let mut text = format!("<p>{}</p>\n", html_sentence(&check.summary));
    // The first one gave the summary.
    let others = check.signals.iter().skip(1);
    text.push_str(&frame::verdicts(
        others.map(|signal| (signal.status, signal.detail.as_str())),
        labels,
    ));
    if let Some(fix) = &check.fix {
        let is_planned = result.fix_plan.iter().any(|item| item.check == check.id);
        text.push_str(&self::fix(fix, is_planned, frame));
    }
    let rows: String = check.evidence.iter().map(evidence).collect();
    text.push_str(&frame.evidence(&rows));
    text.push_str(&frame::why(&check.why, labels));
    if !check.applies_because.is_empty() {
        text.push_str(&format!("<p>{}</p>\n", html_sentence(&check.applies_because)));
    }
    let maturity = html(&labels.maturity(check.maturity));
    text.push_str(&format!("<p class=\"specs\">{maturity}"));
    text.extend(check.specs.iter().map(|spec| frame::source(&spec.name, &spec.url)));
    text.push_str(&frame::explanation(&product::check_page(&check.id), labels));
    text.push_str("</p>\n");
    let fold =
        FoldedItem { id: &check.id, verdict: check.status, title: &check.title, earned: &earned };
    fold.render(&text, frame)
}

/// What to do. The plan has what there is to paste, if there is one.
fn fix(fix: &FixResult, is_planned: bool, frame: &Frame) -> String {
    let labels = frame.labels;
    let hint = frame::hint(&fix.hint, labels);
    if is_planned {
        let label = html(&labels.label("in-plan"));
        return format!("{hint}<p><a href=\"#{}\">{label}</a></p>\n", frame.id("plan"));
    }
    let needed = (&*labels.label("needs-input"), fix.needs_input.as_slice());
    hint + &frame::paste(&paste::scan_blocks(fix, labels), needed, fix.note.as_deref())
}

fn evidence(evidence: &EvidenceResult) -> String {
    let mut parts =
        vec![format!("<code>{} {}</code>", html(&evidence.method), html(&evidence.url))];
    parts.extend(evidence.status.map(|status| status.to_string()));
    parts.extend(evidence.content_type.as_deref().map(html));
    parts.extend(evidence.bytes.map(|bytes| format!("{bytes} B")));
    parts.extend(evidence.ms.map(|ms| format!("{ms} ms")));
    parts.extend(evidence.note.as_deref().map(html));
    let quote = evidence
        .excerpt
        .as_deref()
        .filter(|text| !text.is_empty())
        .map_or_else(String::new, |text| format!("<br><q>{}</q>", html(text)));
    format!("<li>{}{quote}</li>\n", parts.join(" · "))
}
