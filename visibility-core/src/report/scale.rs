//! One scale for all points that people read: shares of the final 100.
//!
//! A result carries weights. What does not apply leaves the sum, so a weight of 6 is worth 8 points of a score
//! that 75 of 100 decide. Reports show the 8 everywhere: lost points, gains and categories add up to the score.

use crate::audit::result::AuditResult;
use crate::report::labels::{Labels, points};
use crate::rubric::finding::Verdict;
use crate::scan::result::{CheckResult, ScanResult};

/// What a weight is worth in points of the score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    earned: f64,
    possible: f64,
    has_score: bool,
    /// The score before caps, if the result has it: shares of rounded points may come out beside it.
    raw: Option<f64>,
    /// The cap that holds the score.
    limit: Option<u8>,
}

impl Scale {
    /// The scale of a scan. Without a score, which only all checks together have, weights stay as they are.
    pub fn for_scan(result: &ScanResult) -> Self {
        let counted = || result.checks.iter();
        Self {
            earned: counted().map(|check| check.points).sum(),
            possible: counted().map(|check| f64::from(check.max_points)).sum(),
            has_score: result.score.is_some(),
            raw: None,
            limit: result
                .caps
                .first()
                .map(|cap| cap.limit)
                .filter(|limit| result.score == Some(*limit)),
        }
    }

    /// The scale of an audit.
    pub fn for_audit(result: &AuditResult) -> Self {
        Self {
            earned: result.signals.iter().map(|signal| signal.points).sum(),
            possible: result.signals.iter().map(|signal| signal.max_points).sum(),
            has_score: result.status.has_page(),
            raw: result.raw_score.map(f64::from),
            limit: None,
        }
    }

    /// Whether at least half of what could count is known. Shares of the rest say nothing about the site.
    pub fn is_known(result: &ScanResult) -> bool {
        let weight = |check: &&CheckResult| u32::from(check.weight);
        let counting =
            || result.checks.iter().filter(|check| check.status != Verdict::NotApplicable);
        let unknown = counting().filter(|check| check.status == Verdict::Unknown);
        let unknown: u32 = unknown.map(|check| weight(&check)).sum();
        let all: u32 = counting().map(|check| weight(&check)).sum();
        2 * unknown <= all
    }

    /// What a weight is worth.
    pub fn share(self, weight: f64) -> f64 {
        if self.has_score && self.possible > 0.0 { 100.0 * weight / self.possible } else { weight }
    }

    /// `4.3 / 8`: what was earned of what could be.
    pub fn earned(self, earned: f64, max: f64) -> String {
        format!("{} / {}", points(self.share(earned)), points(self.share(max)))
    }

    /// The score before caps, and what its points are shares of: the weights of the rules that apply differ from
    /// result to result, so they are named nowhere.
    pub fn division(self, labels: Labels) -> Option<String> {
        if !self.has_score || self.possible <= 0.0 {
            return None;
        }
        let raw = self.raw.unwrap_or_else(|| (self.share(self.earned) + 0.5).floor());
        let limit = self.limit.unwrap_or(100);
        let id = if self.limit.is_some() { "division-limited" } else { "division" };
        let values: [(&'static str, &dyn ToString); 2] = [("limit", &limit), ("raw", &points(raw))];
        Some(labels.sentence(id, &values))
    }
}

/// What costs a site most: the cap that holds its score, else the check that lost most points.
pub fn worst_problem(result: &ScanResult) -> Option<(Verdict, &str, Option<&str>)> {
    let cap = result.caps.first().filter(|cap| result.score == Some(cap.limit));
    cap.map(|cap| (Verdict::Fail, cap.text.as_str(), None)).or_else(|| {
        let check = worst(result).into_iter().next()?;
        Some((check.status, check.title.as_str(), Some(check.summary.as_str())))
    })
}

/// Checks that lost points, worst first.
pub fn worst(result: &ScanResult) -> Vec<&CheckResult> {
    let lost = |check: &CheckResult| f64::from(check.max_points) - check.points;
    let mut checks: Vec<&CheckResult> =
        result.checks.iter().filter(|check| lost(check) > 0.0).collect();
    checks.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    checks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{audit, sample};
    use crate::text::locale::Lang;

    #[test]
    fn shares_add_up_to_a_hundred() {
        let result = sample::hostile();
        let scale = Scale::for_scan(&result);
        let all: f64 =
            result.checks.iter().map(|check| scale.share(f64::from(check.max_points))).sum();
        assert!((all - 100.0).abs() < 1e-9, "{all}");
        let result = audit::sample::hostile();
        let scale = Scale::for_audit(&result);
        let all: f64 = result.signals.iter().map(|signal| scale.share(signal.max_points)).sum();
        assert!((all - 100.0).abs() < 1e-9, "{all}");
    }

    #[test]
    fn the_division_is_the_score_before_caps() {
        let scale = Scale { earned: 65.0, possible: 75.0, has_score: true, raw: None, limit: None };
        let text = |scale: Scale| scale.division(Labels::new(Lang::En)).unwrap();
        assert_eq!(text(scale), "87 of 100 points, which the rules that apply here share");
        let exact = Scale { raw: Some(86.0), ..scale };
        assert_eq!(text(exact), "86 of 100 points, which the rules that apply here share");
        assert_eq!(scale.earned(6.0, 12.0), "8 / 16");
    }

    #[test]
    fn without_a_score_weights_stay_as_they_are() {
        let mut result = sample::hostile();
        result.score = None;
        let scale = Scale::for_scan(&result);
        assert_eq!(scale.earned(2.0, 4.0), "2 / 4");
        assert_eq!(scale.division(Labels::new(Lang::En)), None);
    }
}
