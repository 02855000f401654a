//! What many pages lose points by.

use std::collections::BTreeMap;

use crate::audit::gate::Gate;
use crate::audit::result::{AuditResult, AuditSignalResult};
use crate::report::scale::Scale;

/// Fewer points are none.
const LEAST: f64 = 0.05;

/// What was lost so far.
#[derive(Clone, Debug, Default)]
pub struct Lost {
    gates: BTreeMap<u8, (Gate, usize)>,
    signals: BTreeMap<String, Loss>,
}

/// What one signal cost.
#[derive(Clone, Debug, Default)]
pub struct Loss {
    /// Code of the signal.
    pub code: String,
    /// Its title.
    pub title: String,
    /// Pages that lost points by it.
    pub pages: usize,
    /// Points of the scores, in all.
    pub points: f64,
}

impl Lost {
    /// Counts a page.
    pub fn add(&mut self, result: &AuditResult) {
        for gate in &result.gates {
            self.gates.entry(gate.id.limit()).or_insert((gate.id, 0)).1 += 1;
        }
        let scale = Scale::of_audit(result);
        for signal in worst(result) {
            let loss = self.signals.entry(signal.code.clone()).or_default();
            loss.code.clone_from(&signal.code);
            loss.title.clone_from(&signal.title);
            loss.pages += 1;
            loss.points += lost(signal, scale);
        }
    }

    /// The gates that closed, hardest first, and on how many pages.
    pub fn gates(&self) -> impl Iterator<Item = (Gate, usize)> {
        self.gates.values().copied()
    }

    /// The signals that cost points, those that cost most first.
    pub fn signals(&self) -> Vec<&Loss> {
        let mut losses: Vec<&Loss> = self.signals.values().collect();
        losses.sort_by(|a, b| b.points.total_cmp(&a.points));
        losses
    }
}

/// Signals that lost points, worst first.
pub fn worst(result: &AuditResult) -> Vec<&AuditSignalResult> {
    let scale = Scale::of_audit(result);
    let mut signals: Vec<&AuditSignalResult> =
        result.signals.iter().filter(|signal| lost(signal, scale) >= LEAST).collect();
    signals.sort_by(|a, b| lost(b, scale).total_cmp(&lost(a, scale)));
    signals
}

/// Points of 100 that a signal lost.
pub fn lost(signal: &AuditSignalResult, scale: Scale) -> f64 {
    scale.share(signal.max_points - signal.points)
}
