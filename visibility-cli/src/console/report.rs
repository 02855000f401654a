//! A whole report for a terminal: what counts first, everything after.

use visibility_core::finding::Verdict;
use visibility_core::report::words::{Words, points, sign};
use visibility_core::scan::result::{
    CategoryResult, CheckResult, EvidenceResult, FixResult, ScanResult,
};

use crate::console::matrix;
use crate::console::page::{Page, bar, dim_lines, heading};
use crate::console::style::{GOOD, HEADING, of_tier, paint};
use crate::console::text::{cut, pad};

/// Checks named under what holds the score down.
const MAX_WORST: usize = 5;

/// Renders a result with styles, in its own language.
pub(crate) fn render(result: &ScanResult, width: usize) -> String {
    let words = Words::for_result(result);
    let page = Page { words, width };
    let sections = [
        page.head(result),
        page.held_down(result),
        page.checks(result),
        page.fix_plan(result),
        page.agents(result),
        page.observations(result),
        page.foot(result),
    ];
    let sections: Vec<String> = sections.into_iter().filter(|part| !part.is_empty()).collect();
    sections.join("\n")
}

/// The score and the tier in one line.
pub(crate) fn score_line(result: &ScanResult) -> String {
    let words = Words::for_result(result);
    let tier = result.tier.as_deref();
    match (result.score, tier) {
        (Some(score), Some(tier_id)) => {
            let label = result.tier_label.clone().unwrap_or_else(|| words.tier(tier_id));
            let label = cut(&label, 30);
            paint(of_tier(tier).bold(), &format!("{score} / 100  {label}"))
        }
        _ => paint(HEADING, &words.label("no-score")),
    }
}

/// Checks that lost points, worst first.
pub(crate) fn worst(result: &ScanResult) -> Vec<&CheckResult> {
    let lost = |check: &CheckResult| f64::from(check.max_points) - check.points;
    let mut checks: Vec<&CheckResult> =
        result.checks.iter().filter(|check| lost(check) > 0.0).collect();
    checks.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    checks
}

impl Page {
    fn head(self, result: &ScanResult) -> String {
        let words = self.words;
        let surfaces: Vec<String> =
            result.profile.surfaces.iter().map(|surface| words.surface(*surface)).collect();
        let confidence =
            words.sentence("confidence", &[("level", &words.confidence(&result.confidence))]);
        let profile = words.sentence("profile", &[("surfaces", &surfaces.join(", "))]);
        let mut text = format!("\n{}\n\n", paint(HEADING, &cut(&result.domain, self.width)));
        text.push_str(&format!("  {}\n", score_line(result)));
        if let Some(score) = result.score {
            let style = of_tier(result.tier.as_deref());
            text.push_str(&format!("  {}\n", bar(f64::from(score) / 100.0, 40, style)));
        }
        text + &self.hanging("  ", &format!("{confidence} · {profile}"))
    }

    fn held_down(self, result: &ScanResult) -> String {
        let worst = worst(result);
        let mut text = String::new();
        if !result.caps.is_empty() || !worst.is_empty() {
            text.push_str(&heading(&self.words.label("held-down")));
        }
        for cap in &result.caps {
            text.push_str(&self.cap(&cap.text));
        }
        for check in worst.iter().take(MAX_WORST) {
            let lost = f64::from(check.max_points) - check.points;
            let sentence = format!("{}: {}", check.title, check.summary);
            text.push_str(&self.loss(lost, check.status, &sentence));
        }
        text.push_str(&self.more(worst.len().saturating_sub(MAX_WORST)));
        if let Some(next) = &result.next_tier {
            let gap = if text.is_empty() { "" } else { "\n" };
            let wanted = self.words.sentence("next-tier", &[("label", &cut(&next.label, 40))]);
            text.push_str(&format!("{gap}{}", heading(&wanted)));
            for missing in &next.missing {
                text.push_str(&self.hanging("  • ", missing));
            }
        }
        text
    }

    fn checks(self, result: &ScanResult) -> String {
        let categories = result.categories.iter().map(|category| {
            let members = result.checks.iter().filter(|check| check.category == category.id);
            let members: String = members.map(|check| self.check(check)).collect();
            format!("{}{members}", self.category(category))
        });
        categories.collect::<Vec<_>>().join("\n")
    }

    fn category(self, category: &CategoryResult) -> String {
        let earned = format!("{} / {}", points(category.points), category.max_points);
        self.group(&category.title, &earned)
    }

    fn check(self, check: &CheckResult) -> String {
        let earned = match check.credit {
            Some(_) => format!("{} / {}", points(check.points), check.max_points),
            None => self.words.verdict(check.status),
        };
        let mut text = self.member(check.status, &check.title, &earned);
        let summary = self.hanging("    ", &check.summary);
        match check.status {
            Verdict::Pass | Verdict::NotApplicable => text.push_str(&dim_lines(&summary)),
            Verdict::Warn | Verdict::Fail | Verdict::Unknown => {
                text.push_str(&summary);
                text.push_str(&self.details(check));
            }
        }
        text
    }

    fn details(self, check: &CheckResult) -> String {
        let mut text = String::new();
        for signal in check.signals.iter().skip(1) {
            let lead = format!("    {} ", sign(signal.status));
            text.push_str(&self.hanging(&lead, &signal.detail));
        }
        for evidence in &check.evidence {
            text.push_str(&dim_lines(&self.evidence(evidence)));
        }
        if let Some(fix) = &check.fix {
            text.push_str(&self.fix(fix));
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

    fn fix(self, fix: &FixResult) -> String {
        let snippet = fix.snippet.as_deref().map(|snippet| self.snippet(snippet));
        self.hint(&fix.hint) + &snippet.unwrap_or_default()
    }

    fn fix_plan(self, result: &ScanResult) -> String {
        if result.fix_plan.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.words.label("fix-plan"));
        for (index, item) in result.fix_plan.iter().enumerate() {
            let gain = format!("+{}", points(item.points));
            let lead = format!("{:>4}. {} ", index + 1, pad(&gain, 6));
            let effort = self.words.label("effort").to_lowercase();
            let sentence = format!(
                "{}: {} ({effort}: {})",
                item.title,
                item.hint.trim_end_matches('.'),
                self.words.effort(item.effort)
            );
            let lines = self.hanging(&lead, &sentence);
            text.push_str(&lines.replacen(&gain, &paint(GOOD, &gain), 1));
        }
        text
    }

    fn agents(self, result: &ScanResult) -> String {
        if result.agents.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.words.label("agents"));
        text.push_str(&matrix::render(&result.agents, self.words, self.width));
        if result.agents.iter().any(|agent| agent.advisory) {
            let note = format!("* {}", self.words.label("advisory-note"));
            text.push_str(&dim_lines(&self.hanging("  ", &note)));
        }
        text
    }

    fn observations(self, result: &ScanResult) -> String {
        if result.observations.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.words.label("observations"));
        for observation in &result.observations {
            text.push_str(&self.hanging("  • ", &observation.text));
        }
        text
    }

    fn foot(self, result: &ScanResult) -> String {
        let made = self
            .words
            .sentence("made", &[("rubric", &result.rubric_version), ("time", &result.scanned_at)]);
        dim_lines(&self.hanging("", &format!("{made} · {}", self.words.cost(result))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::text::columns;

    fn hostile() -> ScanResult {
        let json = include_str!("../../../visibility-core/testdata/reports/hostile.json");
        serde_json::from_str(json).expect("a result")
    }

    #[test]
    fn strangers_text_cannot_control_the_terminal() {
        let text = render(&hostile(), 80);
        let plain = anstream::adapter::strip_str(&text).to_string();
        let bad = plain.chars().find(|ch| (ch.is_control() && *ch != '\n') || *ch == '\u{202e}');
        assert_eq!(bad, None, "{plain:?}");
        assert!(plain.contains("[31mred"), "only the escape is gone: {plain}");
    }

    #[test]
    fn every_line_of_words_fits_its_width() {
        for width in [60, 80, 100] {
            let mut result = hostile();
            for check in &mut result.checks {
                check.fix = None;
            }
            let text = anstream::adapter::strip_str(&render(&result, width)).to_string();
            for line in text.lines() {
                assert!(columns(line) <= width, "{width}: {line}");
            }
        }
    }
}
