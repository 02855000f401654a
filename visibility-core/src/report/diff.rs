//! The differences between two scans of a site, and which of them are regressions.

use serde::Serialize;

use crate::agents::Purpose;
use crate::rubric::finding::Verdict;
use crate::scan::facts::access::Effective;
use crate::scan::result::{CheckResult, ScanResult};

/// What changed from one result to a later one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The domain of the later result.
    pub domain: String,
    /// The domain of the earlier result, when that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_with: Option<String>,
    /// The rules of both.
    pub rubric_version: String,
    /// The score before and after.
    pub score: Change<Option<u8>>,
    /// The tier before and after.
    pub tier: Change<Option<String>>,
    /// How much could be seen.
    pub confidence: Change<String>,
    /// Checks whose verdict changed, in the order of the rubric.
    pub checks: Vec<CheckChange>,
    /// Agents whose access changed, in the order of the matrix.
    pub agents: Vec<AgentChange>,
    /// Ids of caps that are new or lower than before.
    pub new_caps: Vec<String>,
    /// Ids of caps that are gone.
    pub lifted_caps: Vec<String>,
    /// Whether any of it is worse than before.
    pub is_regression: bool,
}

/// A value before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change<T> {
    /// Before.
    pub from: T,
    /// After.
    pub to: T,
}

/// A check whose verdict changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckChange {
    /// The id of the check.
    pub id: String,
    /// The title of the check.
    pub title: String,
    /// The verdict before; absent if the check was not run.
    pub from: Option<Verdict>,
    /// The verdict after; absent if the check was not run.
    pub to: Option<Verdict>,
    /// Whether it is worse than before.
    pub is_regression: bool,
}

/// An agent whose access changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentChange {
    /// The id of the agent.
    pub id: String,
    /// The name of the agent.
    pub name: String,
    /// What it met before.
    pub from: Effective,
    /// What it meets now.
    pub to: Effective,
    /// Whether it is worse than before. Keeping training agents out is a choice and never worse.
    pub is_regression: bool,
}

/// Two results that cannot be compared.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the results use different rubrics, `{before}` and `{after}`")]
pub struct RubricMismatch {
    /// The rules of the earlier result.
    pub before: String,
    /// The rules of the later result.
    pub after: String,
}

impl Difference {
    /// Compares two results.
    ///
    /// # Errors
    ///
    /// When they follow different versions of the rules.
    pub fn between(before: &ScanResult, after: &ScanResult) -> Result<Self, RubricMismatch> {
        if before.rubric_version != after.rubric_version {
            return Err(RubricMismatch {
                before: before.rubric_version.clone(),
                after: after.rubric_version.clone(),
            });
        }
        let checks = check_changes(before, after);
        let agents = agent_changes(before, after);
        let limit = |result: &ScanResult, id: &str| {
            result.caps.iter().find(|cap| cap.id == id).map(|cap| cap.limit)
        };
        let new_caps: Vec<String> = after
            .caps
            .iter()
            .filter(|cap| limit(before, &cap.id).is_none_or(|limit| cap.limit < limit))
            .map(|cap| cap.id.clone())
            .collect();
        let gone = before.caps.iter().filter(|cap| limit(after, &cap.id).is_none());
        let is_regression = !new_caps.is_empty()
            || checks.iter().any(|check| check.is_regression)
            || agents.iter().any(|agent| agent.is_regression);
        Ok(Self {
            domain: after.domain.clone(),
            compared_with: (before.domain != after.domain).then(|| before.domain.clone()),
            rubric_version: after.rubric_version.clone(),
            score: Change { from: before.score, to: after.score },
            tier: Change { from: before.tier.clone(), to: after.tier.clone() },
            confidence: Change { from: before.confidence.clone(), to: after.confidence.clone() },
            checks,
            agents,
            new_caps,
            lifted_caps: gone.map(|cap| cap.id.clone()).collect(),
            is_regression,
        })
    }

    /// Whether nothing that is compared changed.
    pub fn is_empty(&self) -> bool {
        self.score.from == self.score.to
            && self.tier.from == self.tier.to
            && self.confidence.from == self.confidence.to
            && self.checks.is_empty()
            && self.agents.is_empty()
            && self.new_caps.is_empty()
            && self.lifted_caps.is_empty()
    }
}

fn check_changes(before: &ScanResult, after: &ScanResult) -> Vec<CheckChange> {
    let find = |checks: &[CheckResult], id: &str| {
        checks.iter().find(|check| check.id == id).map(|check| check.status)
    };
    let gone = before.checks.iter().filter(|check| find(&after.checks, &check.id).is_none());
    after
        .checks
        .iter()
        .chain(gone)
        .filter_map(|check| {
            let from = find(&before.checks, &check.id);
            let to = find(&after.checks, &check.id);
            (from != to).then(|| CheckChange {
                id: check.id.clone(),
                title: check.title.clone(),
                from,
                to,
                is_regression: is_worse(from, to),
            })
        })
        .collect()
}

/// Whether credit was lost. Unknown results, and checks that were not asked for, are not a loss.
pub(super) fn is_worse(from: Option<Verdict>, to: Option<Verdict>) -> bool {
    let rank = |verdict| match verdict {
        Verdict::Pass | Verdict::NotApplicable => Some(2),
        Verdict::Warn => Some(1),
        Verdict::Fail => Some(0),
        Verdict::Unknown => None,
    };
    matches!((from.and_then(rank), to.and_then(rank)), (Some(before), Some(after)) if after < before)
}

fn agent_changes(before: &ScanResult, after: &ScanResult) -> Vec<AgentChange> {
    after
        .agents
        .iter()
        .filter_map(|agent| {
            let old = before.agents.iter().find(|old| old.id == agent.id)?;
            (old.effective != agent.effective).then(|| AgentChange {
                id: agent.id.clone(),
                name: agent.name.clone(),
                from: old.effective,
                to: agent.effective,
                is_regression: agent.purpose != Purpose::Training
                    && matches!(old.effective, Effective::Reachable | Effective::Untested)
                    && matches!(
                        agent.effective,
                        Effective::BlockedByRobots | Effective::BlockedByWall
                    ),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_result_differs_in_nothing_from_itself() {
        let result = sample::hostile();
        let difference = Difference::between(&result, &result).unwrap();
        assert!(difference.is_empty() && !difference.is_regression, "{difference:?}");
    }

    #[test]
    fn only_lost_credit_is_worse() {
        use Verdict::{Fail, NotApplicable, Pass, Unknown, Warn};
        let cases = [
            (Some(Pass), Some(Warn), true),
            (Some(Pass), Some(Fail), true),
            (Some(Warn), Some(Fail), true),
            (Some(NotApplicable), Some(Fail), true),
            (Some(Fail), Some(Warn), false),
            (Some(Pass), Some(NotApplicable), false),
            (Some(Pass), Some(Unknown), false),
            (Some(Unknown), Some(Fail), false),
            (None, Some(Fail), false),
            (Some(Pass), None, false),
        ];
        for (from, to, expected) in cases {
            assert_eq!(is_worse(from, to), expected, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn a_blocked_training_agent_is_a_change_and_no_regression() {
        let before = sample::hostile();
        for (index, expected) in [(0, true), (2, false)] {
            let mut after = before.clone();
            assert_eq!(after.agents[index].effective, Effective::Reachable);
            after.agents[index].effective = Effective::BlockedByRobots;
            let difference = Difference::between(&before, &after).unwrap();
            assert_eq!(difference.agents.len(), 1);
            assert_eq!(difference.is_regression, expected, "{difference:?}");
        }
    }

    #[test]
    fn a_new_or_lower_cap_is_worse() {
        let before = sample::hostile();
        let mut after = before.clone();
        after.caps[0].limit -= 1;
        let difference = Difference::between(&before, &after).unwrap();
        assert!(difference.is_regression);
        assert_eq!(difference.new_caps, [before.caps[0].id.clone()]);
        let difference = Difference::between(&after, &before).unwrap();
        assert!(!difference.is_regression);
    }

    #[test]
    fn results_of_different_rules_are_not_compared() {
        let before = sample::hostile();
        let mut after = before.clone();
        after.rubric_version = "2027.01".to_owned();
        let error = Difference::between(&before, &after).unwrap_err();
        assert_eq!(error.to_string(), "the results use different rubrics, `2026.11` and `2027.01`");
    }
}
