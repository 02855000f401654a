//! The sections that only a verbose report of a scan has: every check with its evidence, every agent, observations.

use visibility_core::report::labels::sign;
use visibility_core::report::paste;
use visibility_core::report::scale::Scale;
use visibility_core::rubric::finding::Verdict;
use visibility_core::scan::result::{CheckResult, EvidenceResult, ScanResult};

use crate::console::matrix;
use crate::console::page::{TerminalPage, dim_lines, heading};

/// Before what belongs to a check.
const INDENT: &str = "    ";

impl TerminalPage {
    pub(super) fn checks(self, result: &ScanResult) -> String {
        let scale = Scale::for_scan(result);
        let categories = result.categories.iter().map(|category| {
            let members: String = result
                .checks
                .iter()
                .filter(|check| check.category == category.id)
                .map(|check| self.check(check, result))
                .collect();
            let earned = match category.max_points {
                0 => String::new(),
                _ if !Scale::is_known(result) => String::new(),
                max => scale.earned(category.points, f64::from(max)),
            };
            format!("{}{members}", self.group(&category.title, &earned))
        });
        categories.collect::<Vec<_>>().join("\n")
    }

    fn check(self, check: &CheckResult, result: &ScanResult) -> String {
        let earned = match check.credit {
            Some(_) => Scale::for_scan(result).earned(check.points, f64::from(check.max_points)),
            None => self.labels.verdict(check.status),
        };
        let title = format!("{} ({})", check.title, check.id);
        let mut text = self.member(check.status, &title, &earned);
        let summary = self.hanging(INDENT, &check.summary);
        match check.status {
            Verdict::Pass | Verdict::NotApplicable => text.push_str(&dim_lines(&summary)),
            Verdict::Warn | Verdict::Fail | Verdict::Unknown => text.push_str(&summary),
        }
        for signal in check.signals.iter().skip(1) {
            let lead = format!("{INDENT}{} ", sign(signal.status));
            text.push_str(&self.hanging(&lead, &signal.detail));
        }
        for evidence in &check.evidence {
            text.push_str(&dim_lines(&self.evidence(evidence)));
        }
        let is_planned = result.fix_plan.iter().any(|item| item.check == check.id);
        if let Some(fix) = check.fix.as_ref().filter(|_| !is_planned) {
            let label = self.labels.label("needs-input");
            text.push_str(&self.hint(INDENT, &fix.hint));
            let blocks = paste::scan_blocks(fix, self.labels);
            text.push_str(&self.paste(
                INDENT,
                &blocks,
                (&label, &fix.needs_input),
                fix.note.as_deref(),
            ));
        }
        text
    }

    fn evidence(self, evidence: &EvidenceResult) -> String {
        let mut parts = vec![format!("{} {}", evidence.method, evidence.url)];
        parts.extend(evidence.status.map(|status| status.to_string()));
        parts.extend(evidence.note.clone());
        let mut text = self.hanging("    → ", &parts.join(" · "));
        if let Some(excerpt) = evidence.excerpt.as_ref().filter(|text| !text.trim().is_empty()) {
            text.push_str(&self.hanging("      ", &format!("“{}”", excerpt.trim())));
        }
        text
    }

    pub(super) fn matrix(self, result: &ScanResult) -> String {
        if result.agents.is_empty() {
            return String::new();
        }
        let mut text = matrix::render(&result.agents, self.labels, self.width);
        if result.agents.iter().any(|agent| agent.advisory) {
            let note = format!("* {}", self.labels.label("advisory-note"));
            text.push_str(&dim_lines(&self.hanging("  ", &note)));
        }
        text
    }

    pub(super) fn observations(self, result: &ScanResult) -> String {
        if result.observations.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.labels.label("observations"));
        for observation in &result.observations {
            text.push_str(&self.hanging("  • ", &observation.text));
        }
        text
    }
}
