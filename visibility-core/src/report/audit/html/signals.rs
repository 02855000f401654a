//! The signals, by pillar, each one to open.

use crate::audit::result::{AuditEvidenceResult, AuditResult, AuditSignalResult};
use crate::report::audit::remark;
use crate::report::escape::{html, html_sentence};
use crate::report::html::frame::{self, Fold};
use crate::report::words::{Words, points};

pub(super) fn section(result: &AuditResult, words: Words) -> String {
    let mut text = String::new();
    for pillar in &result.pillars {
        let members: String = result
            .signals
            .iter()
            .filter(|signal| signal.pillar == pillar.id)
            .map(|signal| self::signal(signal, words))
            .collect();
        if !members.is_empty() {
            text.push_str(&format!("<h3>{}</h3>\n{members}", html(&pillar.title)));
        }
    }
    frame::section("signals", &words.audit("signals"), &text)
}

fn signal(signal: &AuditSignalResult, words: Words) -> String {
    let earned = match signal.credit {
        Some(_) => format!("{} / {}", points(signal.points), points(signal.max_points)),
        None => "–".to_owned(),
    };
    let mut text = format!("<p>{}</p>\n", html_sentence(&signal.summary));
    let details = signal.details.iter().map(|detail| (detail.status, detail.text.as_str()));
    text.push_str(&frame::verdicts(details, words));
    let items: String =
        signal.evidence.iter().map(|evidence| evidence_item(evidence, words)).collect();
    text.push_str(&frame::evidence(&items, words));
    text.push_str(&frame::why(&signal.why, words));
    text.push_str(&format!(
        "<p class=\"specs\">{} · {} {}: {}",
        html(&signal.code),
        html(&words.audit("grade")),
        signal.grade.as_str(),
        html(&words.grade(signal.grade))
    ));
    text.extend(signal.sources.iter().map(|source| frame::source(&source.name, &source.url)));
    text.push_str("</p>\n");
    let fold =
        Fold { id: &signal.id, verdict: signal.status, title: &signal.title, earned: &earned };
    fold.render(&text, words)
}

/// Where, and what stands there.
pub(super) fn evidence_item(evidence: &AuditEvidenceResult, words: Words) -> String {
    let mut parts = vec![format!("<code>{}</code>", html(&evidence.url))];
    parts.extend(evidence.line.map(|line| html(&words.sentence("line", &[("line", &line)]))));
    parts.extend(evidence.css.as_deref().map(html));
    parts.extend(remark(evidence).map(html));
    let quote = evidence
        .quote
        .as_deref()
        .filter(|text| !text.is_empty())
        .map_or_else(String::new, |text| format!("<br><q>{}</q>", html(text)));
    format!("<li>{}{quote}</li>\n", parts.join(" · "))
}
