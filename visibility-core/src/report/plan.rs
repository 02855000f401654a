//! The steps of a fix plan, as reports show them.

use crate::report::labels::{Labels, points};
use crate::scan::guide;
use crate::scan::result::{CheckResult, FixPlanItem, ScanResult};

/// One step: the check that it passes, and what the plan says about it.
#[derive(Clone, Copy, Debug)]
pub struct PlanStep<'a> {
    /// The step.
    pub item: &'a FixPlanItem,
    /// The result of the check that the step fixes.
    pub check: Option<&'a CheckResult>,
}

/// The steps of a result, best first.
pub fn steps(result: &ScanResult) -> impl Iterator<Item = PlanStep<'_>> {
    result.fix_plan.iter().map(|item| PlanStep {
        item,
        check: result.checks.iter().find(|check| check.id == item.check),
    })
}

/// The steps that count now, and those that count only after them: a cap holds the score.
pub fn now_and_later(result: &ScanResult) -> (Vec<PlanStep<'_>>, Vec<PlanStep<'_>>) {
    steps(result).partition(|step| !step.is_for_later())
}

/// The pages of the vendor for all steps, in a sentence; `None` without one.
pub fn vendor_pages(result: &ScanResult, labels: Labels) -> Option<String> {
    let mut pages: Vec<String> = Vec::new();
    let fixes = steps(result).filter_map(|step| step.check?.fix.as_ref());
    for page in fixes.flat_map(|fix| &fix.pages) {
        if !pages.contains(page) {
            pages.push(page.clone());
        }
    }
    guide::documented(&pages, result.platform, labels.catalog())
}

impl PlanStep<'_> {
    /// Whether the step adds nothing before a cap is lifted that another step lifts.
    pub fn is_for_later(self) -> bool {
        self.item.points <= 0.0 && self.item.points_without_cap > 0.0
    }

    /// `+8`; of a step that counts later what it is worth then, and `?` where that is unknown.
    pub fn gain(self) -> String {
        if self.item.ends_in_scan || !self.item.is_promised {
            return "?".to_owned();
        }
        let is_for_later = self.is_for_later();
        let gain = if is_for_later { self.item.points_without_cap } else { self.item.points };
        format!("+{}", points(gain))
    }

    /// `+8 points`; `?` where it is unknown.
    pub fn gain_in_words(self, labels: Labels) -> String {
        let gain = self.gain();
        match gain.strip_prefix('+') {
            Some(points) => labels.audit_sentence("gain", &[("points", &points)]),
            None => gain,
        }
    }

    /// `effort: medium, lifts the cap at 40`.
    pub fn terms(self, labels: Labels) -> String {
        let effort = labels.effort(self.item.effort);
        let mut terms = format!("{}: {effort}", labels.label("effort-term"));
        if let Some(limit) = self.item.lifts_cap {
            terms.push_str(", ");
            terms.push_str(&labels.sentence("lifts-cap", &[("limit", &limit)]));
        }
        terms
    }

    /// What else the step needs, and the score after it where the gain alone does not say it: under a cap, or in another tier.
    pub fn consequences(self, result: &ScanResult, labels: Labels) -> Vec<String> {
        let Self { item, .. } = self;
        let mut sentences: Vec<String> = item
            .includes
            .iter()
            .map(|next| {
                let values: [(&'static str, &dyn ToString); 3] =
                    [("title", &next.title), ("check", &next.check), ("hint", &next.hint)];
                labels.sentence("includes", &values)
            })
            .collect();
        let raised: Vec<String> = item
            .raises
            .iter()
            .filter_map(|id| result.checks.iter().find(|check| check.id == *id))
            .map(|check| format!("{} (`{}`)", check.title, check.id))
            .collect();
        if !raised.is_empty() {
            sentences.push(labels.sentence("raises", &[("checks", &raised.join(", "))]));
        }
        if item.ends_in_scan {
            sentences.push(labels.sentence("then-scan-again", &[]));
            return sentences;
        }
        if !item.is_promised {
            sentences.push(labels.sentence("not-tried", &[]));
        }
        if self.is_for_later() || !item.is_promised {
            return sentences;
        }
        let changes_tier = result.tier.as_ref().is_some_and(|tier| *tier != item.tier_after);
        if (!result.caps.is_empty() || changes_tier) && !item.tier_after.is_empty() {
            let tier = labels.tier(&item.tier_after);
            sentences.push(
                labels.sentence("score-after", &[("score", &item.score_after), ("tier", &tier)]),
            );
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::text::locale::Lang;

    #[test]
    fn a_step_says_what_it_leads_to() {
        let result = sample::with_files();
        let step = steps(&result).next().unwrap();
        let sentences = step.consequences(&result, Labels::new(Lang::En));
        assert_eq!(
            sentences,
            [
                "This step also needs a fix for Link headers (`link-headers`); its points are included: Add the `Link` header.",
                "After this step alone: 50 / 100, Discoverable",
            ]
        );
    }

    #[test]
    fn without_a_cap_the_gain_says_it_all() {
        let mut result = sample::with_files();
        result.caps.clear();
        let step = steps(&result).next().unwrap();
        assert_eq!(step.consequences(&result, Labels::new(Lang::Tr)).len(), 1);
    }
}
