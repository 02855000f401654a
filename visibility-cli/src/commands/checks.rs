//! `visibility checks`.

use serde::Serialize;
use visibility_core::report::labels::Labels;
use visibility_core::rubric::{Effort, Spec};
use visibility_core::scan::check::{Category, Check, Maturity};
use visibility_core::scan::checks::CHECKS;
use visibility_core::scan::profile::Surface;

use crate::args::{ListArgs, ListFormat};
use crate::commands::print_json;
use crate::console::style::{DIM, HEADING};
use crate::console::table::{Cell, Table};
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;

/// A check for machines.
#[derive(Debug, Serialize)]
pub(super) struct CheckEntry {
    id: &'static str,
    title: String,
    category: Category,
    weight: u8,
    maturity: Maturity,
    effort: Effort,
    /// Empty for every site.
    surfaces: &'static [Surface],
    /// Names from other lists.
    covers: &'static [&'static str],
    specs: &'static [Spec],
}

impl CheckEntry {
    pub(super) fn new(check: &Check, labels: Labels) -> Self {
        Self {
            id: check.id,
            title: title(check, labels),
            category: check.category,
            weight: check.weight,
            maturity: check.maturity,
            effort: check.effort,
            surfaces: check.surfaces,
            covers: check.covers,
            specs: check.specs,
        }
    }
}

pub(super) fn title(check: &Check, labels: Labels) -> String {
    labels.catalog().text(&["checks", check.id, "title"])
}

/// Runs the command.
pub(super) fn run(arguments: &ListArgs, console: &Console) -> Result<Exit, CommandError> {
    let labels = console.labels();
    if arguments.format == ListFormat::Json {
        let entries: Vec<CheckEntry> =
            CHECKS.iter().map(|check| CheckEntry::new(check, labels)).collect();
        print_json(&entries, console)?;
        return Ok(Exit::Ok);
    }
    let titles =
        ["id", "weight", "category", "maturity", "check", "covers"].map(|id| labels.label(id));
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for check in CHECKS {
        table.push([
            Cell::styled(check.id, HEADING),
            Cell::from(format!("{:>3}", check.weight)),
            Cell::from(labels.category(check.category)),
            Cell::styled(labels.maturity(check.maturity), DIM),
            Cell::from(title(check, labels)),
            Cell::styled(check.covers.join(", "), DIM),
        ]);
    }
    console.print(&table.render(0, console::width()))?;
    Ok(Exit::Ok)
}
