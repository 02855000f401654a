//! A whole audit for a terminal: what counts first, everything after.

mod lost;

use visibility_core::audit::result::{
    AuditEvidenceResult, AuditFixResult, AuditResult, AuditSignalResult, PillarResult,
};
use visibility_core::finding::Verdict;
use visibility_core::report::audit;
use visibility_core::report::words::{Words, points, sign};

pub(crate) use self::lost::Lost;
use crate::console::page::{Page, bar, dim_lines, heading};
use crate::console::style::{HEADING, of_band, paint};
use crate::console::text::cut;

/// Signals named under what holds the score down.
const MAX_WORST: usize = 5;
/// Points that are none.
const LEAST: f64 = 0.05;

/// Renders a result with styles, in its own language, under the name that the page was given.
pub(crate) fn render(result: &AuditResult, name: &str, width: usize) -> String {
    let page = Page { words: Words::for_lang(&result.lang), width };
    let sections = [
        page.audit_head(result, name),
        page.audit_held_down(result),
        page.signals(result),
        page.fixes(result),
        page.information(result),
        page.numbers(result),
        page.audit_foot(result),
    ];
    let sections: Vec<String> = sections.into_iter().filter(|part| !part.is_empty()).collect();
    sections.join("\n")
}

/// The score and the band in one line; how the visit came out if there was no page to judge.
pub(crate) fn score_line(result: &AuditResult) -> String {
    let label = cut(&audit::band(result, Words::for_lang(&result.lang)), 30);
    let style = of_band(result.band.as_deref()).bold();
    if result.status.has_page() {
        paint(style, &format!("{} / 100  {label}", result.gpt_visibility_score))
    } else {
        paint(style, &label)
    }
}

/// Points that a signal lost.
pub(super) fn lost(signal: &AuditSignalResult) -> f64 {
    signal.max_points - signal.points
}

/// Signals that lost points, worst first.
pub(super) fn worst(result: &AuditResult) -> Vec<&AuditSignalResult> {
    let mut signals: Vec<&AuditSignalResult> =
        result.signals.iter().filter(|signal| lost(signal) >= LEAST).collect();
    signals.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    signals
}

impl Page {
    fn audit_head(self, result: &AuditResult, name: &str) -> String {
        let words = self.words;
        let mut text = format!("\n{}\n\n", paint(HEADING, &cut(name, self.width)));
        text.push_str(&format!("  {}\n", score_line(result)));
        let has_page = result.status.has_page();
        if has_page {
            let style = of_band(result.band.as_deref());
            let share = f64::from(result.gpt_visibility_score) / 100.0;
            text.push_str(&format!("  {}\n", bar(share, 40, style)));
        }
        let capped = audit::before_gates(result, words);
        let status = format!("{}. {}", audit::status(result, words), result.summary);
        let redirected = result.final_url.as_ref().filter(|url| **url != result.url);
        let kind = result.profile.as_ref().map(|profile| {
            let kind = words.audit_sentence("kind", &[("label", &profile.label)]);
            format!("{kind}. {}", profile.reason)
        });
        let coverage = (has_page && result.coverage < 1.0).then(|| audit::coverage(result, words));
        let lines = [
            capped,
            Some(status),
            (!has_page).then(|| words.status_meaning(result.status)),
            redirected.map(|url| words.audit_sentence("final", &[("url", url)])),
            kind,
            coverage,
            audit::percentile(result, words),
        ];
        let lines: String =
            lines.into_iter().flatten().map(|line| self.hanging("  ", &line)).collect();
        text + &lines
    }

    fn audit_held_down(self, result: &AuditResult) -> String {
        let worst = worst(result);
        let mut text = String::new();
        if !result.gates.is_empty() || !worst.is_empty() {
            text.push_str(&heading(&self.words.label("held-down")));
        }
        for gate in &result.gates {
            text.push_str(&self.cap(&gate.text));
        }
        for signal in worst.iter().take(MAX_WORST) {
            text.push_str(&self.loss(
                lost(signal),
                signal.status,
                &format!("{}: {}", signal.title, signal.summary),
            ));
        }
        text + &self.more(worst.len().saturating_sub(MAX_WORST))
    }

    fn signals(self, result: &AuditResult) -> String {
        let pillars = result.pillars.iter().map(|pillar| {
            let members = result.signals.iter().filter(|signal| signal.pillar == pillar.id);
            let members: String = members.map(|signal| self.signal(signal, result)).collect();
            format!("{}{members}", self.pillar(pillar))
        });
        pillars.collect::<Vec<_>>().join("\n")
    }

    fn pillar(self, pillar: &PillarResult) -> String {
        let earned = format!("{} / {}", points(pillar.points), points(pillar.max_points));
        self.group(&pillar.title, &earned)
    }

    fn signal(self, signal: &AuditSignalResult, result: &AuditResult) -> String {
        let earned = match signal.credit {
            Some(_) => format!("{} / {}", points(signal.points), points(signal.max_points)),
            None => self.words.verdict(signal.status),
        };
        let title = format!("{} {}", signal.code, signal.title);
        let earned = format!("{earned}  {}", signal.grade.as_str());
        let mut text = self.member(signal.status, &title, &earned);
        let summary = self.hanging("    ", &signal.summary);
        match signal.status {
            Verdict::Pass | Verdict::NotApplicable => text.push_str(&dim_lines(&summary)),
            Verdict::Warn | Verdict::Fail | Verdict::Unknown => {
                text.push_str(&summary);
                text.push_str(&self.signal_details(signal, result));
            }
        }
        text
    }

    fn signal_details(self, signal: &AuditSignalResult, result: &AuditResult) -> String {
        let mut text = String::new();
        for detail in &signal.details {
            let lead = format!("    {} ", sign(detail.status));
            text.push_str(&self.hanging(&lead, &detail.text));
        }
        for evidence in &signal.evidence {
            text.push_str(&dim_lines(&self.place(evidence, result)));
        }
        if let Some(fix) = result.fixes.iter().find(|fix| fix.signal == signal.id) {
            text.push_str(&self.remedy(fix));
        }
        text
    }

    /// `line 12 · html > body ...` and what stands there; the address if it is another one.
    fn place(self, evidence: &AuditEvidenceResult, result: &AuditResult) -> String {
        let line = evidence.line.map(|line| self.words.sentence("line", &[("line", &line)]));
        let page = result.final_url.as_ref().unwrap_or(&result.url);
        let elsewhere = (evidence.url != *page).then(|| evidence.url.clone());
        let css = evidence.css.clone().filter(|css| !css.is_empty());
        let remark = audit::remark(evidence).map(str::to_owned);
        let parts: Vec<String> = [elsewhere, line, css, remark].into_iter().flatten().collect();
        let quote = evidence.quote.as_deref().map(str::trim).filter(|quote| !quote.is_empty());
        let quote = quote.map(|quote| format!("“{quote}”"));
        match (parts.is_empty(), quote) {
            (true, None) => String::new(),
            (true, Some(quote)) => self.hanging("    → ", &quote),
            (false, quote) => {
                let quote = quote.map(|quote| self.hanging("      ", &quote));
                self.hanging("    → ", &parts.join(" · ")) + &quote.unwrap_or_default()
            }
        }
    }

    fn remedy(self, fix: &AuditFixResult) -> String {
        let mut text = self.hint(&fix.hint);
        if let Some(place) = fix.placement_label.as_ref().filter(|_| fix.snippet.is_some()) {
            let place = self.words.audit_sentence("placement", &[("place", place)]);
            text.push_str(&dim_lines(&self.hanging("      ", &place)));
        }
        if let Some(snippet) = &fix.snippet {
            text.push_str(&self.snippet(snippet));
        }
        if !fix.needs_input.is_empty() {
            let names = fix.needs_input.join(", ");
            let needed = format!("{} {names}", self.words.audit("needs-input"));
            text.push_str(&self.hanging("      ", &needed));
        }
        text
    }

    fn fixes(self, result: &AuditResult) -> String {
        if result.fixes.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.words.audit("fixes"));
        for (index, fix) in result.fixes.iter().enumerate() {
            let effort = self.words.label("effort").to_lowercase();
            let sentence = format!(
                "{}: {} ({}, {effort}: {})",
                fix.title,
                fix.hint.trim_end_matches('.'),
                audit::gain(fix, result, self.words),
                self.words.effort(fix.effort)
            );
            text.push_str(&self.hanging(&format!("{:>4}. ", index + 1), &sentence));
        }
        text
    }

    fn information(self, result: &AuditResult) -> String {
        if result.information.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.words.audit("information"));
        for item in &result.information {
            text.push_str(&self.hanging("  • ", &item.text));
        }
        text
    }

    fn numbers(self, result: &AuditResult) -> String {
        let numbers = audit::numbers(result, self.words);
        if numbers.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.words.audit("page"));
        for (label, value) in &numbers {
            text.push_str(&self.hanging("  ", &format!("{label}: {value}")));
        }
        text
    }

    fn audit_foot(self, result: &AuditResult) -> String {
        let note = result.percentile.as_ref().map(|percentile| percentile.note.clone());
        let lines = [Some(result.disclaimer.clone()), note, Some(audit::made(result, self.words))];
        lines.into_iter().flatten().map(|line| dim_lines(&self.hanging("", &line))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::text::columns;

    fn hostile() -> AuditResult {
        let json = include_str!("../../../visibility-core/testdata/reports/hostile_audit.json");
        serde_json::from_str(json).expect("a result")
    }

    fn refused() -> AuditResult {
        let json = include_str!("../../../visibility-core/testdata/reports/refused_audit.json");
        serde_json::from_str(json).expect("a result")
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn strangers_text_cannot_control_the_terminal() {
        let name = "a\u{1b}[31m\u{202e}\n.html";
        for text in
            [render(&hostile(), name, 80), crate::console::brief::audit(&hostile(), name, 80)]
        {
            let text = plain(&text);
            let bad = text.chars().find(|ch| (ch.is_control() && *ch != '\n') || *ch == '\u{202e}');
            assert_eq!(bad, None, "{text:?}");
            assert!(text.contains("a [31m"), "only the escape is gone: {text}");
        }
    }

    #[test]
    fn every_line_of_words_fits_its_width() {
        for width in [60, 80, 100] {
            let mut result = hostile();
            result.fixes.clear();
            result.signals.iter_mut().for_each(|signal| signal.evidence.clear());
            for line in plain(&render(&result, "page.html", width)).lines() {
                assert!(columns(line) <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn without_a_page_the_report_says_why_and_shows_no_points() {
        let text = plain(&render(&refused(), "https://example.com/", 80));
        assert!(!text.contains("/ 100") && !text.contains('█'), "{text}");
        assert!(text.contains(refused().summary.split_whitespace().next().unwrap()), "{text}");
    }
}
