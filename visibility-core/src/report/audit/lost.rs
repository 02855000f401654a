//! The signals by which many pages lose points.

use std::collections::BTreeMap;

use crate::audit::cap::AuditCap;
use crate::audit::result::{AuditResult, AuditSignalResult};
use crate::report::scale::Scale;

/// Fewer points are none.
const LEAST: f64 = 0.05;

/// What was lost so far.
#[derive(Clone, Debug, Default)]
pub struct LostPoints {
    caps: BTreeMap<u8, (AuditCap, usize)>,
    signals: BTreeMap<String, SignalLoss>,
}

/// What one signal cost.
#[derive(Clone, Debug, Default)]
pub struct SignalLoss {
    /// Code of the signal.
    pub code: String,
    /// The title of the signal.
    pub title: String,
    /// Pages that lost points by it.
    pub pages: usize,
    /// Points of the scores, in all.
    pub points: f64,
}

impl LostPoints {
    /// Counts a page.
    pub fn add(&mut self, result: &AuditResult) {
        for cap in &result.gates {
            self.caps.entry(cap.id.limit()).or_insert((cap.id, 0)).1 += 1;
        }
        let scale = Scale::for_audit(result);
        for signal in worst(result) {
            let loss = self.signals.entry(signal.code.clone()).or_default();
            loss.code.clone_from(&signal.code);
            loss.title.clone_from(&signal.title);
            loss.pages += 1;
            loss.points += lost_points(signal, scale);
        }
    }

    /// The gates that closed, hardest first, and on how many pages.
    pub fn caps(&self) -> impl Iterator<Item = (AuditCap, usize)> {
        self.caps.values().copied()
    }

    /// The signals that cost points, those that cost most first.
    pub fn signals(&self) -> Vec<&SignalLoss> {
        let mut losses: Vec<&SignalLoss> = self.signals.values().collect();
        losses.sort_by(|a, b| b.points.total_cmp(&a.points));
        losses
    }
}

/// Signals that lost points, worst first.
pub fn worst(result: &AuditResult) -> Vec<&AuditSignalResult> {
    let scale = Scale::for_audit(result);
    let mut signals: Vec<&AuditSignalResult> =
        result.signals.iter().filter(|signal| lost_points(signal, scale) >= LEAST).collect();
    signals.sort_by(|a, b| lost_points(b, scale).total_cmp(&lost_points(a, scale)));
    signals
}

/// Points of 100 that a signal lost.
pub fn lost_points(signal: &AuditSignalResult, scale: Scale) -> f64 {
    scale.share(signal.max_points - signal.points)
}
