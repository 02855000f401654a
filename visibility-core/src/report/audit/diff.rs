//! The differences between two audits of a page, and which of them are regressions.

use serde::Serialize;

use crate::audit::cap::AuditCap;
use crate::audit::result::StatedProfile;
use crate::audit::result::{AuditResult, AuditSignalResult};
use crate::audit::status::Status;
use crate::report::diff::{Change, RubricMismatch, is_worse};
use crate::rubric::finding::Verdict;

/// What changed from one result to a later one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditDifference {
    /// The address of the later result.
    pub url: String,
    /// The address of the earlier result, when that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_with: Option<String>,
    /// The rules of both.
    pub rubric_version: String,
    /// The score before and after.
    pub score: Change<u8>,
    /// The score before gates.
    pub raw_score: Change<Option<u8>>,
    /// The band.
    pub band: Change<Option<String>>,
    /// How the visits came out.
    pub status: Change<Status>,
    /// What kind of page it is. Another kind has other weights, so the scores say less.
    pub profile: Change<Option<StatedProfile>>,
    /// Signals whose verdict changed, in the order of the rubric.
    pub signals: Vec<SignalChange>,
    /// Gates that are closed now and were open before.
    pub closed_gates: Vec<AuditCap>,
    /// Gates that are open now and were closed before.
    pub opened_gates: Vec<AuditCap>,
    /// Whether any of it is worse than before.
    pub is_regression: bool,
}

/// A signal whose verdict changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SignalChange {
    /// The id of the signal.
    pub id: String,
    /// Its short code.
    pub code: String,
    /// The title of the signal.
    pub title: String,
    /// The verdict before; absent if the signal was not read.
    pub from: Option<Verdict>,
    /// The verdict after; absent if the signal was not read.
    pub to: Option<Verdict>,
    /// Points lost or won, of 100.
    pub points: f64,
    /// Whether it is worse than before.
    pub is_regression: bool,
}

impl AuditDifference {
    /// Compares two results. Worse is a signal whose verdict got worse, a gate that closed, a lower score, also
    /// before gates, and a page that can no longer be read.
    ///
    /// # Errors
    ///
    /// When they follow different versions of the rules.
    pub fn between(before: &AuditResult, after: &AuditResult) -> Result<Self, RubricMismatch> {
        if before.rubric_version != after.rubric_version {
            return Err(RubricMismatch {
                before: before.rubric_version.clone(),
                after: after.rubric_version.clone(),
            });
        }
        let signals = signal_changes(before, after);
        let closed_gates = gates_beyond(after, before);
        let lost_page = before.status.has_page() && !after.status.has_page();
        let is_lower = after.gpt_visibility_score < before.gpt_visibility_score;
        // Behind a closed gate the score may stay the same while the page gets worse.
        let is_raw_lower =
            before.raw_score.zip(after.raw_score).is_some_and(|(before, after)| after < before);
        let is_regression = lost_page
            || is_lower
            || is_raw_lower
            || !closed_gates.is_empty()
            || signals.iter().any(|signal| signal.is_regression);
        let profile = |result: &AuditResult| result.profile.as_ref().map(|profile| profile.id);
        Ok(Self {
            url: after.url.clone(),
            compared_with: (before.url != after.url).then(|| before.url.clone()),
            rubric_version: after.rubric_version.clone(),
            score: Change { from: before.gpt_visibility_score, to: after.gpt_visibility_score },
            raw_score: Change { from: before.raw_score, to: after.raw_score },
            band: Change { from: before.band.clone(), to: after.band.clone() },
            status: Change { from: before.status, to: after.status },
            profile: Change { from: profile(before), to: profile(after) },
            signals,
            closed_gates,
            opened_gates: gates_beyond(before, after),
            is_regression,
        })
    }

    /// Whether nothing that is compared changed.
    pub fn is_empty(&self) -> bool {
        self.score.from == self.score.to
            && self.raw_score.from == self.raw_score.to
            && self.status.from == self.status.to
            && self.profile.from == self.profile.to
            && self.signals.is_empty()
            && self.closed_gates.is_empty()
            && self.opened_gates.is_empty()
    }
}

/// The gates that are closed in one result and not in another, hardest first. A page that could not
/// be judged says nothing about them.
fn gates_beyond(one: &AuditResult, other: &AuditResult) -> Vec<AuditCap> {
    if !one.status.has_page() || !other.status.has_page() {
        return Vec::new();
    }
    let is_closed =
        |result: &AuditResult, cap: AuditCap| result.gates.iter().any(|closed| closed.id == cap);
    AuditCap::ALL
        .into_iter()
        .filter(|cap| is_closed(one, *cap) && !is_closed(other, *cap))
        .collect()
}

/// Signals of which only one result knows are listed, too, unless there was no page to judge.
fn signal_changes(before: &AuditResult, after: &AuditResult) -> Vec<SignalChange> {
    if !before.status.has_page() || !after.status.has_page() {
        return Vec::new();
    }
    let find = |signals: &'_ [AuditSignalResult], id: &str| {
        let found = signals.iter().find(|signal| signal.id == id);
        found.map(|signal| (signal.status, signal.points))
    };
    let gone = before.signals.iter().filter(|signal| find(&after.signals, &signal.id).is_none());
    after
        .signals
        .iter()
        .chain(gone)
        .filter_map(|signal| {
            let old = find(&before.signals, &signal.id);
            let new = find(&after.signals, &signal.id);
            let (from, to) = (old.map(|old| old.0), new.map(|new| new.0));
            let points =
                |found: Option<(Verdict, f64)>| found.map(|found| found.1).unwrap_or_default();
            (from != to).then(|| SignalChange {
                id: signal.id.clone(),
                code: signal.code.clone(),
                title: signal.title.clone(),
                from,
                to,
                points: ((points(new) - points(old)) * 100.0).round() / 100.0,
                is_regression: is_worse(from, to),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;

    #[test]
    fn a_result_differs_in_nothing_from_itself() {
        for result in [sample::hostile(), sample::refused()] {
            let difference = AuditDifference::between(&result, &result).unwrap();
            assert!(difference.is_empty() && !difference.is_regression, "{difference:?}");
        }
    }

    #[test]
    fn a_signal_that_lost_credit_is_worse_and_one_that_won_is_not() {
        let before = sample::hostile();
        let mut after = before.clone();
        let index = after.signals.iter().position(|one| one.status == Verdict::Pass).unwrap();
        after.signals[index].status = Verdict::Fail;
        after.signals[index].points = 0.0;
        let worse = AuditDifference::between(&before, &after).unwrap();
        assert!(worse.is_regression);
        assert!(worse.signals[0].points < 0.0, "{worse:?}");
        let better = AuditDifference::between(&after, &before).unwrap();
        assert!(!better.is_regression && !better.is_empty(), "{better:?}");
    }

    #[test]
    fn a_lower_score_is_worse_and_a_higher_one_is_not() {
        let before = sample::hostile();
        let mut after = before.clone();
        after.gpt_visibility_score -= 1;
        assert!(AuditDifference::between(&before, &after).unwrap().is_regression);
        assert!(!AuditDifference::between(&after, &before).unwrap().is_regression);
    }

    #[test]
    fn a_lower_score_before_gates_is_worse_and_a_higher_one_is_not() {
        let before = sample::hostile();
        let mut after = before.clone();
        after.raw_score = before.raw_score.map(|score| score - 1);
        assert_ne!(after.raw_score, before.raw_score);
        assert!(AuditDifference::between(&before, &after).unwrap().is_regression);
        assert!(!AuditDifference::between(&after, &before).unwrap().is_regression);
    }

    #[test]
    fn a_closed_gate_is_worse_and_an_opened_one_is_not() {
        let before = sample::hostile();
        let mut after = before.clone();
        let opened: Vec<AuditCap> = after.gates.drain(..).map(|cap| cap.id).collect();
        let better = AuditDifference::between(&before, &after).unwrap();
        assert_eq!(better.opened_gates, opened);
        assert!(!better.is_regression);
        let worse = AuditDifference::between(&after, &before).unwrap();
        assert_eq!(worse.closed_gates, opened);
        assert!(worse.is_regression);
    }

    #[test]
    fn a_page_that_can_no_longer_be_read_is_one_regression_and_not_thirty_five() {
        let before = sample::hostile();
        let mut after = sample::refused();
        after.rubric_version.clone_from(&before.rubric_version);
        let difference = AuditDifference::between(&before, &after).unwrap();
        assert!(difference.is_regression);
        assert!(difference.signals.is_empty());
        assert!(!AuditDifference::between(&after, &before).unwrap().is_regression);
    }

    #[test]
    fn results_of_different_rules_are_not_compared() {
        let before = sample::hostile();
        let mut after = before.clone();
        after.rubric_version = "audit-2027.01".to_owned();
        let error = AuditDifference::between(&before, &after).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the results use different rubrics, `audit-2026.11` and `audit-2027.01`"
        );
    }
}
