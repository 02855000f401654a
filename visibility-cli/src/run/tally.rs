//! Counts the outcomes of a command and derives its exit code.

use crate::error::target_error::TargetErrorKind;
use crate::exit_code::Exit;

/// Outcomes of the targets of a command.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Targets with a result.
    pub(crate) good: usize,
    pub(crate) bad_inputs: usize,
    pub(crate) unreachable: usize,
    pub(crate) internal: usize,
    /// Results that fail a gate.
    pub(crate) failed_gates: usize,
    /// Results that pass the gates with low confidence.
    pub(crate) low_confidence: usize,
}

impl Tally {
    /// Counts a target without a result.
    pub(crate) fn fail(&mut self, kind: TargetErrorKind) {
        match kind {
            TargetErrorKind::BadInput => self.bad_inputs += 1,
            TargetErrorKind::Unreachable => self.unreachable += 1,
            TargetErrorKind::Internal => self.internal += 1,
        }
    }

    /// All targets.
    pub(crate) fn count(&self) -> usize {
        self.good + self.bad_inputs + self.unreachable + self.internal
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        let failed = self.count() - self.good;
        if self.failed_gates > 0 {
            Exit::GateFailed
        } else if failed > 0 && self.good > 0 {
            Exit::SomeBad
        } else if self.internal > 0 {
            Exit::Internal
        } else if self.unreachable > 0 {
            Exit::Unreachable
        } else if self.bad_inputs > 0 {
            Exit::Usage
        } else if self.low_confidence > 0 {
            Exit::LowConfidence
        } else {
            Exit::Ok
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_gate_counts_before_bad_inputs_and_these_before_low_confidence() {
        let tally = |good, bad_inputs, unreachable, failed_gates, low_confidence| Tally {
            good,
            bad_inputs,
            unreachable,
            internal: 0,
            failed_gates,
            low_confidence,
        };
        let cases = [
            (tally(1, 0, 0, 0, 0), Exit::Ok),
            (tally(2, 1, 1, 1, 1), Exit::GateFailed),
            (tally(2, 1, 0, 0, 1), Exit::SomeBad),
            (tally(2, 0, 1, 0, 0), Exit::SomeBad),
            (tally(0, 1, 0, 0, 0), Exit::Usage),
            (tally(0, 1, 1, 0, 0), Exit::Unreachable),
            (tally(1, 0, 0, 0, 1), Exit::LowConfidence),
        ];
        for (tally, expected) in cases {
            assert_eq!(tally.exit(), expected, "{tally:?}");
        }
    }
}
