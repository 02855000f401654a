//! The sections that only a verbose report of an audit has: every signal with its evidence, and the page in numbers.

use visibility_core::audit::result::{
    AuditEvidenceResult, AuditResult, AuditSignalResult, PillarResult,
};
use visibility_core::report::audit;
use visibility_core::report::labels::sign;
use visibility_core::report::scale::Scale;
use visibility_core::rubric::finding::Verdict;

use crate::console::page::{TerminalPage, dim_lines, heading};

impl TerminalPage {
    pub(super) fn signals(self, result: &AuditResult) -> String {
        let scale = Scale::for_audit(result);
        let pillars = result.pillars.iter().map(|pillar| {
            let members: String = result
                .signals
                .iter()
                .filter(|signal| signal.pillar == pillar.id)
                .map(|signal| self.signal(signal, result))
                .collect();
            format!("{}{members}", self.pillar(pillar, scale))
        });
        pillars.collect::<Vec<_>>().join("\n")
    }

    fn pillar(self, pillar: &PillarResult, scale: Scale) -> String {
        let earned = if pillar.max_points > 0.0 {
            scale.earned(pillar.points, pillar.max_points)
        } else {
            String::new()
        };
        self.group(&pillar.title, &earned)
    }

    fn signal(self, signal: &AuditSignalResult, result: &AuditResult) -> String {
        let earned = match signal.credit {
            Some(_) => Scale::for_audit(result).earned(signal.points, signal.max_points),
            None => self.labels.verdict(signal.status),
        };
        let title = format!("{} ({}, {})", signal.title, signal.id, signal.code);
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
        text
    }

    /// `line 12 · html > body ...` and the quote; the address if it is another one.
    fn place(self, evidence: &AuditEvidenceResult, result: &AuditResult) -> String {
        let line = evidence.line.map(|line| self.labels.sentence("line", &[("line", &line)]));
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

    pub(super) fn information(self, result: &AuditResult) -> String {
        if result.information.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.labels.audit("information"));
        for item in &result.information {
            text.push_str(&self.hanging("  • ", &item.text));
        }
        text
    }

    pub(super) fn numbers(self, result: &AuditResult) -> String {
        let numbers = audit::numbers(result, self.labels);
        if numbers.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.labels.audit("page"));
        for (label, value) in &numbers {
            text.push_str(&self.hanging("  ", &format!("{label}: {value}")));
        }
        text
    }
}
