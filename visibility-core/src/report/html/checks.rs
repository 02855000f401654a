//! The checks, by category, each one to open.

use crate::report::escape::{html, html_sentence};
use crate::report::html::frame::{self, Fold};
use crate::report::words::{Words, points};
use crate::scan::result::{CheckResult, EvidenceResult, FixResult, ScanResult};

pub(super) fn section(result: &ScanResult, words: Words) -> String {
    let mut text = String::new();
    for category in &result.categories {
        let members: String = result
            .checks
            .iter()
            .filter(|check| check.category == category.id)
            .map(|check| self::check(check, words))
            .collect();
        if !members.is_empty() {
            text.push_str(&format!("<h3>{}</h3>\n{members}", html(&category.title)));
        }
    }
    frame::section("checks", &words.label("checks"), &text)
}

fn check(check: &CheckResult, words: Words) -> String {
    let earned = match check.credit {
        Some(_) => format!("{} / {}", points(check.points), check.max_points),
        None => "–".to_owned(),
    };
    let mut text = format!("<p>{}</p>\n", html_sentence(&check.summary));
    // The first one gave the summary.
    let others = check.signals.iter().skip(1);
    text.push_str(&frame::verdicts(
        others.map(|signal| (signal.status, signal.detail.as_str())),
        words,
    ));
    if let Some(fix) = &check.fix {
        text.push_str(&self::fix(fix, words));
    }
    let rows: String = check.evidence.iter().map(evidence).collect();
    text.push_str(&frame::evidence(&rows, words));
    text.push_str(&frame::why(&check.why, words));
    if !check.applies_because.is_empty() {
        text.push_str(&format!("<p>{}</p>\n", html_sentence(&check.applies_because)));
    }
    let maturity = html(&words.maturity(check.maturity));
    text.push_str(&format!("<p class=\"specs\">{maturity}"));
    text.extend(check.specs.iter().map(|spec| frame::source(&spec.name, &spec.url)));
    text.push_str("</p>\n");
    let fold = Fold { id: &check.id, verdict: check.status, title: &check.title, earned: &earned };
    fold.render(&text, words)
}

fn fix(fix: &FixResult, words: Words) -> String {
    let snippet = fix.snippet.as_deref().map(frame::snippet);
    format!("{}{}", frame::hint(&fix.hint, words), snippet.unwrap_or_default())
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
