//! `visibility checks`.

use visibility_core::scan::checks::CHECKS;

use crate::args::{ListArgs, ListFormat};
use crate::console::check_entry::{CheckEntry, title};
use crate::console::json::print_json;
use crate::console::style::{DIM, HEADING};
use crate::console::table::{Cell, Table};
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;

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
