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
use crate::exit_code::Exit;
use crate::failure::CommandFailure;

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
    pub(super) fn of(check: &Check, words: Labels) -> Self {
        Self {
            id: check.id,
            title: title(check, words),
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

pub(super) fn title(check: &Check, words: Labels) -> String {
    words.catalog().text(&["checks", check.id, "title"])
}

/// Runs the command.
pub(super) fn run(arguments: &ListArgs, console: &Console) -> Result<Exit, CommandFailure> {
    let words = console.words();
    if arguments.format == ListFormat::Json {
        let entries: Vec<CheckEntry> =
            CHECKS.iter().map(|check| CheckEntry::of(check, words)).collect();
        print_json(&entries, console)?;
        return Ok(Exit::Ok);
    }
    let titles =
        ["id", "weight", "category", "maturity", "check", "covers"].map(|id| words.label(id));
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for check in CHECKS {
        table.push([
            Cell::styled(check.id, HEADING),
            Cell::from(format!("{:>3}", check.weight)),
            Cell::from(words.category(check.category)),
            Cell::styled(words.maturity(check.maturity), DIM),
            Cell::from(title(check, words)),
            Cell::styled(check.covers.join(", "), DIM),
        ]);
    }
    console.print(&table.render(0, console::width()))?;
    Ok(Exit::Ok)
}
