//! Renders the report of a scan for a terminal: the score, what to do, and the score again.

mod whole;

use visibility_core::report::labels::{Labels, points};
use visibility_core::report::opening::opening;
use visibility_core::report::paste;
use visibility_core::report::plan::{self, steps};
use visibility_core::report::reach::Reach;
use visibility_core::report::scale::{Scale, worst};
use visibility_core::rubric::finding::Verdict;
use visibility_core::scan::observation::DEADLINE;
use visibility_core::scan::result::{CheckResult, ScanResult};

use crate::console::page::{Detail, StepView, TerminalPage, bar, dim_lines, heading};
use crate::console::style::{HEADING, for_tier, paint};
use crate::console::text::cut;

/// Steps that a brief report shows.
const MAX_STEPS: usize = 5;

/// Renders a result with styles, in its own language.
/// `again` is the command that leads to it once more, if not `visibility scan` with its domain.
pub(crate) fn render(
    result: &ScanResult,
    again: Option<&str>,
    width: usize,
    detail: Detail,
) -> String {
    let labels = Labels::for_result(result);
    let page = TerminalPage { labels, width, detail };
    if detail == Detail::Whole {
        return page.sections(result, again, usize::MAX);
    }
    // A good site needs little advice. The first step is always shown.
    let most = if result.score.is_some_and(|score| score >= 75) { 60 } else { 100 };
    let shorter = (1..=MAX_STEPS).rev().map(|steps| page.sections(result, again, steps));
    let mut last = String::new();
    for text in shorter {
        last = text;
        if last.lines().count() <= most {
            break;
        }
    }
    last
}

/// The score and the tier in one line.
pub(crate) fn score_line(result: &ScanResult) -> String {
    let labels = Labels::for_result(result);
    let tier = result.tier.as_deref();
    match (result.score, tier) {
        (Some(score), Some(tier_id)) => {
            let label = result.tier_label.clone().unwrap_or_else(|| labels.tier(tier_id));
            let label = cut(&label, 30);
            paint(for_tier(tier).bold(), &format!("{score} / 100  {label}"))
        }
        _ => paint(HEADING, &labels.label("no-score")),
    }
}

impl TerminalPage {
    /// The report, with so many steps of the plan.
    fn sections(self, result: &ScanResult, again: Option<&str>, steps: usize) -> String {
        let mut sections = vec![
            self.head(result),
            self.caps(result),
            self.fix_plan(result, steps),
            self.next_tier(result),
            self.agents(result),
        ];
        if !self.is_brief() {
            sections.extend([self.matrix(result), self.checks(result), self.observations(result)]);
        }
        sections.extend([self.foot(result), self.conclusion(result, again)]);
        sections.retain(|part| !part.is_empty());
        sections.join("\n")
    }

    fn head(self, result: &ScanResult) -> String {
        let labels = self.labels;
        let surfaces: Vec<String> =
            result.profile.surfaces.iter().map(|surface| labels.surface(*surface)).collect();
        let confidence =
            labels.sentence("confidence", &[("level", &labels.confidence(&result.confidence))]);
        let profile = labels.sentence("profile", &[("surfaces", &surfaces.join(", "))]);
        let mut text = format!("\n{}\n\n", paint(HEADING, &cut(&result.domain, self.width)));
        text.push_str(&format!("  {}\n", score_line(result)));
        if let Some(score) = result.score {
            let style = for_tier(result.tier.as_deref());
            text.push_str(&format!(
                "  {}\n",
                bar(f64::from(score) / 100.0, self.width.saturating_sub(2), style)
            ));
        }
        let opening = opening(result, labels);
        if !opening.is_empty() {
            text.push_str(&self.hanging("  ", &opening));
        }
        text.push_str(&self.hanging("  ", &format!("{confidence} · {profile}")));
        let division = Scale::for_scan(result).division(labels);
        text.extend(division.map(|line| dim_lines(&self.hanging("  ", &line))));
        // What the scan could not finish qualifies everything below.
        let cut_short = result.observations.iter().find(|seen| seen.id == DEADLINE);
        text + &cut_short.map(|seen| self.hanging("  ! ", &seen.text)).unwrap_or_default()
    }

    fn caps(self, result: &ScanResult) -> String {
        if result.caps.is_empty() {
            return String::new();
        }
        let caps = result.caps.iter().map(|cap| self.cap(&cap.text));
        heading(&self.labels.label("held-down")) + &caps.collect::<String>()
    }

    /// The steps of the plan, or what lost points if there is no plan, and what could not be checked. Only results
    /// with a score have a plan.
    fn fix_plan(self, result: &ScanResult, most: usize) -> String {
        let (mut now, later) = plan::now_and_later(result);
        let has_promise = now.iter().any(|step| step.item.is_promised);
        let is_left_out =
            |step: &plan::PlanStep<'_>| self.is_brief() && has_promise && !step.item.is_promised;
        let left_out: Vec<String> = now
            .iter()
            .filter(|step| is_left_out(step))
            .map(|step| format!("{} ({})", step.item.title, step.item.check))
            .collect();
        now.retain(|step| !is_left_out(step));
        let mut now: Vec<StepView<'_>> =
            now.into_iter().map(|step| self.planned(step, result)).collect();
        let later: Vec<StepView<'_>> =
            later.into_iter().map(|step| self.planned(step, result)).collect();
        if now.is_empty() && later.is_empty() {
            now = worst(result).into_iter().map(|check| self.unplanned(check)).collect();
        }
        let mut text = String::new();
        if !now.is_empty() {
            text.push_str(&heading(&self.labels.label("fix-plan")));
            text.push_str(&self.steps(&now, 1, most));
        }
        if !later.is_empty() {
            text.push_str(&heading(&self.labels.label("after-that")));
            let first = now.len() + 1;
            text.push_str(&self.steps(&later, first, most.saturating_sub(now.len()).max(1)));
        }
        if let Some(pages) = plan::vendor_pages(result, self.labels) {
            text.push_str(&self.hanging("  ", &pages));
        }
        if !left_out.is_empty() {
            text.push_str(&self.hanging("  ? ", &self.labels.label("not-tried-here")));
            text.extend(left_out.iter().map(|step| self.hanging("    - ", step)));
        }
        let unseen: Vec<String> = result
            .checks
            .iter()
            .filter(|check| check.status == Verdict::Unknown)
            .map(|check| format!("{} ({})", check.title, check.id))
            .collect();
        if !unseen.is_empty() {
            let label = self.labels.label("not-seen");
            text.push_str(&self.limited("  ? ", &format!("{label} {}", unseen.join(", "))));
        }
        text
    }

    fn planned<'a>(self, step: plan::PlanStep<'a>, result: &ScanResult) -> StepView<'a> {
        let plan::PlanStep { item, check } = step;
        StepView {
            gain: step.gain(),
            title: format!("{} ({}) · {}", item.title, item.check, step.terms(self.labels)),
            found: check.map_or("", |check| &check.summary),
            hint: &item.hint,
            consequences: step.consequences(result, self.labels),
            ..self.fix_step(check)
        }
    }

    fn unplanned(self, check: &CheckResult) -> StepView<'_> {
        StepView {
            gain: format!("−{}", points(f64::from(check.max_points) - check.points)),
            title: format!("{} ({})", check.title, check.id),
            found: &check.summary,
            ..self.fix_step(Some(check))
        }
    }

    /// What the fix of a check says.
    fn fix_step(self, check: Option<&CheckResult>) -> StepView<'_> {
        let fix = check.and_then(|check| check.fix.as_ref());
        let names = fix.map(|fix| fix.needs_input.as_slice()).unwrap_or_default();
        StepView {
            gain: String::new(),
            title: String::new(),
            found: "",
            hint: fix.map_or("", |fix| &fix.hint),
            consequences: Vec::new(),
            paste: fix.map(|fix| paste::scan_blocks(fix, self.labels)).unwrap_or_default(),
            needs_input: (self.labels.label("needs-input"), names),
            note: fix.and_then(|fix| fix.note.as_deref()),
        }
    }

    fn next_tier(self, result: &ScanResult) -> String {
        let Some(next) = &result.next_tier else { return String::new() };
        let wanted = self.labels.sentence("next-tier", &[("label", &cut(&next.label, 40))]);
        let missing = next.missing.iter().map(|missing| self.hanging("  • ", missing));
        heading(&wanted) + &missing.collect::<String>()
    }

    fn agents(self, result: &ScanResult) -> String {
        if result.agents.is_empty() {
            return String::new();
        }
        let reach = Reach::from_agents(&result.agents, self.labels);
        heading(&self.labels.label("agents")) + &self.reach(&reach)
    }

    fn foot(self, result: &ScanResult) -> String {
        let made = self
            .labels
            .sentence("made", &[("rubric", &result.rubric_version), ("time", &result.scanned_at)]);
        dim_lines(&self.hanging("", &format!("{made} · {}", self.labels.cost(result))))
    }

    /// The score again, and what to do next.
    fn conclusion(self, result: &ScanResult, again: Option<&str>) -> String {
        let scan = again
            .map_or_else(|| format!("visibility scan {}", cut(&result.domain, 253)), str::to_owned);
        let mut commands = Vec::new();
        let first = steps(result)
            .next()
            .map(|step| step.item.check.as_str())
            .or_else(|| worst(result).first().map(|check| check.id.as_str()));
        if let Some(check) = first {
            let check = cut(check, 40);
            commands
                .push((format!("visibility explain {check}"), self.labels.label("next-explain")));
            commands.push((format!("{scan} --write-fixes DIR"), self.labels.label("next-files")));
        }
        if self.is_brief() {
            commands.push((format!("{scan} --verbose"), self.labels.label("next-verbose")));
        }
        self.end(&score_line(result), &commands)
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
        let text = render(&hostile(), None, 80, Detail::Whole);
        let plain = anstream::adapter::strip_str(&text).to_string();
        let bad = plain.chars().find(|ch| (ch.is_control() && *ch != '\n') || *ch == '\u{202e}');
        assert_eq!(bad, None, "{plain:?}");
        assert!(plain.contains("[31mred"), "only the escape is gone: {plain}");
    }

    #[test]
    fn every_line_of_words_fits_its_width() {
        for width in [40, 60, 80, 100] {
            let mut result = hostile();
            for check in &mut result.checks {
                check.fix = None;
            }
            let text = anstream::adapter::strip_str(&render(&result, None, width, Detail::Whole))
                .to_string();
            for line in text.lines() {
                // Commands and addresses stay whole, so that they can be copied.
                let is_whole =
                    line.starts_with("  visibility ") || line.split_whitespace().count() == 1;
                assert!(columns(line) <= width || is_whole, "{width}: {line}");
            }
        }
    }
}
