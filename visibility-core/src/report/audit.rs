//! Renderers of an audit's result.

pub mod badge;
pub mod diff;
pub mod html;
pub mod junit;
pub mod lost;
pub mod markdown;
mod overview;
pub mod prompt;

#[cfg(test)]
pub(super) mod sample;

use crate::audit::result::{AuditEvidenceResult, AuditFixResult, AuditResult};
use crate::audit::score::Band;
use crate::report::labels::{Labels, points};
use crate::rubric::finding::Verdict;

/// A result and the file that the page was read from.
#[derive(Clone, Copy, Debug)]
pub struct Audited<'a> {
    /// The result.
    pub result: &'a AuditResult,
    /// Path of the file as given; `None` for what has none: an address, or standard input.
    pub file: Option<&'a str>,
}

/// The band, in the language of the result; how the visit came out if there was no page to judge.
pub fn band(result: &AuditResult, labels: Labels) -> String {
    match (&result.band_label, &result.band) {
        (Some(label), _) => label.clone(),
        (None, Some(band)) => labels.band(band),
        (None, None) => labels.status(result.status),
    }
}

/// The score before gates, and which gate took how much of it; nothing if none did.
pub fn before_gates(result: &AuditResult, labels: Labels) -> Option<String> {
    let raw = result.raw_score.filter(|_| is_capped(result))?;
    let hardest = result.gates.first()?;
    let values: [(&'static str, &dyn ToString); 3] =
        [("raw", &raw), ("limit", &hardest.limit), ("gate", &hardest.id.as_str())];
    Some(labels.audit_sentence("capped", &values))
}

/// Whether a gate took points.
fn is_capped(result: &AuditResult) -> bool {
    result.raw_score.is_some_and(|raw| raw > result.gpt_visibility_score)
}

/// How the visit came out, with the status code if there was one.
pub fn status(result: &AuditResult, labels: Labels) -> String {
    let status = labels.status(result.status);
    match result.http_status {
        Some(code) => labels.audit_sentence("status-http", &[("status", &status), ("code", &code)]),
        None => labels.audit_sentence("status", &[("status", &status)]),
    }
}

/// Where the score is in the corpus.
pub fn percentile(result: &AuditResult, labels: Labels) -> Option<String> {
    let found = result.percentile.as_ref()?;
    let values: [(&'static str, &dyn ToString); 2] =
        [("value", &found.value), ("corpus", &found.corpus)];
    Some(labels.audit_sentence("percentile", &values))
}

/// The band above, and where it begins.
pub fn next_band(result: &AuditResult, labels: Labels) -> Option<String> {
    let score = result.gpt_visibility_score;
    let next = Band::ALL.into_iter().find(|band| band.from() > score)?;
    let values: [(&'static str, &dyn ToString); 2] =
        [("band", &labels.band(next.as_str())), ("points", &next.from())];
    result.status.has_page().then(|| labels.audit_sentence("next-band", &values))
}

/// Share of what concerns the page that could be read.
pub fn coverage(result: &AuditResult, labels: Labels) -> String {
    // Whole points have no decimal mark, which languages write differently.
    let judged = points((result.coverage * 100.0).clamp(0.0, 100.0).floor());
    labels.audit_sentence("coverage", &[("points", &judged)])
}

/// What a fix brings.
pub fn gain(fix: &AuditFixResult, result: &AuditResult, labels: Labels) -> String {
    let raw = points(fix.raw_points);
    let mut text = if is_capped(result) {
        labels.audit_sentence("gain-capped", &[("points", &fix.points), ("raw", &raw)])
    } else {
        labels.audit_sentence("gain", &[("points", &raw)])
    };
    if let Some(limit) = fix.opens_gate {
        text.push_str(", ");
        text.push_str(&labels.audit_sentence("opens-gate", &[("limit", &limit)]));
    }
    text
}

/// The rules, the time and the name of the audit.
pub fn made(result: &AuditResult, labels: Labels) -> String {
    labels.audit_sentence(
        "made",
        &[("rubric", &result.rubric_version), ("time", &result.created_at), ("id", &result.id)],
    )
}

/// Numbers of the page with their labels, in order.
pub fn numbers(result: &AuditResult, labels: Labels) -> Vec<(String, String)> {
    let Some(page) = &result.page else { return Vec::new() };
    let text = |id, value: &Option<String>| Some((labels.audit(id), value.clone()?));
    let count = |id, value: usize| Some((labels.audit(id), value.to_string()));
    [
        text("title", &page.title),
        text("language", &page.language),
        count("main-words", page.main_words),
        count("body-words", page.body_words),
        count("html-bytes", page.html_bytes),
        count("html-tokens", page.html_tokens),
        count("main-tokens", page.main_tokens),
        count("tokens-before-main", page.tokens_before_main),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The remark of a piece of evidence, unless it repeats its line.
pub fn remark(evidence: &AuditEvidenceResult) -> Option<&str> {
    let line = evidence.line.map(|line| format!("line {line}"));
    evidence.note.as_deref().filter(|note| line.as_deref() != Some(*note))
}

/// Whether something is to be looked at.
pub(in crate::report) fn is_open(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Fail | Verdict::Warn | Verdict::Unknown)
}
