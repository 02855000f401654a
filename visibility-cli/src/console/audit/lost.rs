//! Renders the signals by which many pages lose points.

use visibility_core::report::audit::lost::LostPoints;
use visibility_core::report::labels::{Labels, points};

use crate::console::page::heading;
use crate::console::style::{BAD, DIM, paint};
use crate::console::table::{Cell, Table};

/// Signals that are shown.
const MAX_SIGNALS: usize = 10;

/// The gates that closed, and the signals that cost most; nothing if nothing was lost.
pub(crate) fn table(lost: &LostPoints, labels: Labels, width: usize) -> String {
    let mut text = String::new();
    let losses = lost.signals();
    if lost.caps().next().is_some() || !losses.is_empty() {
        text.push_str(&format!("\n{}", heading(&labels.label("lost-signals"))));
    }
    for (gate, pages) in lost.caps() {
        let count = format!("{}: {pages}", labels.label("pages"));
        text.push_str(&format!("  {} {}  {count}\n", paint(BAD, "▼"), gate.as_str()));
    }
    if losses.is_empty() {
        return text;
    }
    let titles = [
        labels.label("code"),
        labels.audit("signal"),
        labels.label("pages"),
        labels.label("lost-points"),
    ];
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for loss in losses.iter().take(MAX_SIGNALS) {
        table.push([
            Cell::styled(&loss.code, DIM),
            Cell::from(&loss.title),
            Cell::from(loss.pages.to_string()),
            Cell::from(points(loss.points)),
        ]);
    }
    text + &table.render(2, width)
}
