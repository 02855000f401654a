//! Renders the report of an audit for a terminal: the score, what to do, and the score again.

pub(crate) mod lost;
mod whole;

use visibility_core::audit::result::{AuditFixResult, AuditResult};
use visibility_core::report::audit;
use visibility_core::report::audit::lost::worst;
use visibility_core::report::labels::{Labels, points};
use visibility_core::report::paste;
use visibility_core::report::scale::Scale;
use visibility_core::rubric::finding::Verdict;

use crate::console::page::{Detail, StepView, TerminalPage, bar, dim_lines, heading};
use crate::console::style::{HEADING, for_band, paint};
use crate::console::text::cut;

/// Steps that a brief report shows.
const MAX_STEPS: usize = 5;

/// Renders a result with styles, in its own language, under the name that the page was given.
/// `again` is the command that leads to it once more; `None` for what came on standard input.
pub(crate) fn render(
    result: &AuditResult,
    name: &str,
    again: Option<&str>,
    width: usize,
    detail: Detail,
) -> String {
    let page = TerminalPage { labels: Labels::for_lang(&result.lang), width, detail };
    let mut sections = vec![page.audit_head(result, name), page.gates(result), page.fixes(result)];
    if detail == Detail::Whole {
        sections.extend([page.signals(result), page.information(result), page.numbers(result)]);
    }
    sections.extend([page.audit_foot(result), page.audit_conclusion(result, again)]);
    sections.retain(|part| !part.is_empty());
    sections.join("\n")
}

/// The score and the band in one line; how the visit came out if there was no page to judge.
pub(crate) fn score_line(result: &AuditResult) -> String {
    let label = cut(&audit::band(result, Labels::for_lang(&result.lang)), 30);
    let style = for_band(result.band.as_deref()).bold();
    if result.status.has_page() {
        paint(style, &format!("{} / 100  {label}", result.gpt_visibility_score))
    } else {
        paint(style, &label)
    }
}

impl TerminalPage {
    fn audit_head(self, result: &AuditResult, name: &str) -> String {
        let labels = self.labels;
        let mut text = format!("\n{}\n\n", paint(HEADING, &cut(name, self.width)));
        text.push_str(&format!("  {}\n", score_line(result)));
        let has_page = result.status.has_page();
        if has_page {
            let style = for_band(result.band.as_deref());
            let share = f64::from(result.gpt_visibility_score) / 100.0;
            text.push_str(&format!("  {}\n", bar(share, self.width.saturating_sub(2), style)));
        }
        let capped = audit::before_gates(result, labels);
        let status = format!("{}. {}", audit::status(result, labels), result.summary);
        let redirected = result.final_url.as_ref().filter(|url| **url != result.url);
        let kind = result.profile.as_ref().map(|profile| {
            let kind = labels.audit_sentence("kind", &[("label", &profile.label)]);
            format!("{kind}. {}", profile.reason)
        });
        let coverage = (has_page && result.coverage < 1.0).then(|| audit::coverage(result, labels));
        let lines = [
            capped,
            Some(status),
            (!has_page).then(|| labels.status_meaning(result.status)),
            redirected.map(|url| labels.audit_sentence("final", &[("url", url)])),
            kind,
            coverage,
            audit::percentile(result, labels),
            audit::next_band(result, labels),
        ];
        let lines: String =
            lines.into_iter().flatten().map(|line| self.limited("  ", &line)).collect();
        let division = Scale::for_audit(result)
            .division(labels)
            .map(|line| dim_lines(&self.hanging("  ", &line)));
        text + &lines + &division.unwrap_or_default()
    }

    fn gates(self, result: &AuditResult) -> String {
        if result.gates.is_empty() {
            return String::new();
        }
        let gates = result.gates.iter().map(|gate| self.cap(&gate.text));
        heading(&self.labels.label("held-down")) + &gates.collect::<String>()
    }

    /// What to fix, best value first, and what could not be seen.
    fn fixes(self, result: &AuditResult) -> String {
        let list: Vec<StepView<'_>> =
            result.fixes.iter().map(|fix| self.fix(fix, result)).collect();
        let mut text = String::new();
        if !list.is_empty() {
            text.push_str(&heading(&self.labels.audit("fixes")));
            text.push_str(&self.steps(&list, 1, MAX_STEPS));
        }
        let unseen: Vec<String> = result
            .signals
            .iter()
            .filter(|signal| signal.status == Verdict::Unknown)
            .map(|signal| format!("{} ({})", signal.title, signal.id))
            .collect();
        if !unseen.is_empty() {
            let label = self.labels.label("not-seen");
            text.push_str(&self.limited("  ? ", &format!("{label} {}", unseen.join(", "))));
        }
        text
    }

    fn fix<'a>(self, fix: &'a AuditFixResult, result: &'a AuditResult) -> StepView<'a> {
        let labels = self.labels;
        let is_capped = audit::before_gates(result, labels).is_some();
        let gain = if is_capped { f64::from(fix.points) } else { fix.raw_points };
        let signal = result.signals.iter().find(|signal| signal.id == fix.signal);
        StepView {
            gain: format!("+{}", points(gain)),
            title: format!(
                "{} ({}, {}) · {}: {}",
                fix.title,
                fix.signal,
                fix.code,
                labels.label("effort-term"),
                labels.effort(fix.effort)
            ),
            found: signal.map_or("", |signal| &signal.summary),
            hint: &fix.hint,
            consequences: is_capped.then(|| audit::gain(fix, result, labels)).into_iter().collect(),
            paste: paste::audit_blocks(fix, labels),
            needs_input: (labels.audit("needs-input"), &fix.needs_input),
            note: fix.note.as_deref(),
        }
    }

    fn audit_foot(self, result: &AuditResult) -> String {
        let note = result
            .percentile
            .as_ref()
            .map(|percentile| percentile.note.clone())
            .filter(|_| !self.is_brief());
        let lines = [Some(result.disclaimer.clone()), note, Some(audit::made(result, self.labels))];
        lines.into_iter().flatten().map(|line| dim_lines(&self.limited("", &line))).collect()
    }

    /// The score again, and what to do next.
    fn audit_conclusion(self, result: &AuditResult, again: Option<&str>) -> String {
        let mut commands = Vec::new();
        let first = result
            .fixes
            .first()
            .map(|fix| cut(&fix.signal, 40))
            .or_else(|| worst(result).first().map(|signal| cut(&signal.id, 40)));
        if let Some(signal) = first {
            commands
                .push((format!("visibility explain {signal}"), self.labels.label("next-explain")));
            let files = again.map(|audit| format!("{audit} --write-fixes DIR"));
            commands.extend(files.map(|command| (command, self.labels.label("next-files"))));
        }
        if let Some(audit) = again.filter(|_| self.is_brief() && result.status.has_page()) {
            commands.push((format!("{audit} --verbose"), self.labels.audit("next-verbose")));
        }
        self.end(&score_line(result), &commands)
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
        for text in [
            render(&hostile(), name, None, 80, Detail::Whole),
            crate::console::brief::audit(&hostile(), name, 80),
        ] {
            let text = plain(&text);
            let bad = text.chars().find(|ch| (ch.is_control() && *ch != '\n') || *ch == '\u{202e}');
            assert_eq!(bad, None, "{text:?}");
            assert!(text.contains("a [31m"), "only the escape is gone: {text}");
        }
    }

    #[test]
    fn every_line_of_words_fits_its_width() {
        for width in [40, 60, 80, 100] {
            let mut result = hostile();
            result.fixes.clear();
            result.signals.iter_mut().for_each(|signal| signal.evidence.clear());
            for line in plain(&render(&result, "page.html", None, width, Detail::Whole)).lines() {
                // Commands and addresses stay whole, so that they can be copied.
                let is_whole =
                    line.starts_with("  visibility ") || line.split_whitespace().count() == 1;
                assert!(columns(line) <= width || is_whole, "{width}: {line}");
            }
        }
    }

    #[test]
    fn without_a_page_the_report_says_why_and_shows_no_points() {
        let text = plain(&render(&refused(), "https://example.com/", None, 80, Detail::Brief));
        assert!(!text.contains("/ 100") && !text.contains('█'), "{text}");
        assert!(text.contains(refused().summary.split_whitespace().next().unwrap()), "{text}");
    }
}
