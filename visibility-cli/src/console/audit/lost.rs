//! What many pages lose points by.

use std::collections::BTreeMap;

use visibility_core::audit::gate::Gate;
use visibility_core::audit::result::AuditResult;
use visibility_core::report::scale::Scale;
use visibility_core::report::words::{Words, points};

use super::{lost, worst};
use crate::console::page::heading;
use crate::console::style::{BAD, DIM, paint};
use crate::console::table::{Cell, Table};

/// Signals that are shown.
const MAX_SIGNALS: usize = 10;

/// What was lost so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lost {
    gates: BTreeMap<u8, (Gate, usize)>,
    signals: BTreeMap<String, Loss>,
}

/// What one signal cost.
#[derive(Clone, Debug, Default)]
struct Loss {
    title: String,
    pages: usize,
    points: f64,
}

impl Lost {
    /// Counts a page.
    pub(crate) fn add(&mut self, result: &AuditResult) {
        for gate in &result.gates {
            self.gates.entry(gate.id.limit()).or_insert((gate.id, 0)).1 += 1;
        }
        let scale = Scale::of_audit(result);
        for signal in worst(result) {
            let loss = self.signals.entry(signal.code.clone()).or_default();
            loss.title.clone_from(&signal.title);
            loss.pages += 1;
            loss.points += lost(signal, scale);
        }
    }

    /// The gates that closed, and the signals that cost most; nothing if nothing was lost.
    pub(crate) fn table(&self, words: Words, width: usize) -> String {
        let mut text = String::new();
        if !self.gates.is_empty() || !self.signals.is_empty() {
            text.push_str(&format!("\n{}", heading(&words.label("lost-signals"))));
        }
        for (gate, pages) in self.gates.values() {
            let count = format!("{}: {pages}", words.label("pages"));
            text.push_str(&format!("  {} {}  {count}\n", paint(BAD, "▼"), gate.as_str()));
        }
        let mut losses: Vec<(&String, &Loss)> = self.signals.iter().collect();
        losses.sort_by(|a, b| b.1.points.total_cmp(&a.1.points));
        if losses.is_empty() {
            return text;
        }
        let titles = [
            words.label("code"),
            words.audit("signal"),
            words.label("pages"),
            words.label("lost-points"),
        ];
        let mut table = Table::new(&titles.each_ref().map(String::as_str));
        for (code, loss) in losses.iter().take(MAX_SIGNALS) {
            table.push([
                Cell::styled(code, DIM),
                Cell::from(&loss.title),
                Cell::from(loss.pages.to_string()),
                Cell::from(points(loss.points)),
            ]);
        }
        text + &table.render(2, width)
    }
}
