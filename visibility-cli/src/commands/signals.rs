//! `visibility signals`.

use visibility_core::audit::signals;

use crate::args::{ListArgs, ListFormat};
use crate::console::json::print_json;
use crate::console::signal_entry::{SignalEntry, title, weights};
use crate::console::style::{DIM, HEADING};
use crate::console::table::{Cell, Table};
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;

/// Runs the command.
pub(super) fn run(arguments: &ListArgs, console: &Console) -> Result<Exit, CommandError> {
    let labels = console.labels();
    if arguments.format == ListFormat::Json {
        let entries: Vec<SignalEntry> =
            signals::all().map(|signal| SignalEntry::new(signal, labels)).collect();
        print_json(&entries, console)?;
        return Ok(Exit::Ok);
    }
    let titles = [
        labels.label("code"),
        labels.label("id"),
        labels.label("weight"),
        labels.audit("grade"),
        labels.audit("signal"),
    ];
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for signal in signals::all() {
        table.push([
            Cell::styled(signal.code, HEADING),
            Cell::from(signal.id),
            Cell::from(weights(signal)),
            Cell::styled(signal.grade.as_str(), DIM),
            Cell::from(title(signal, labels)),
        ]);
    }
    console.print(&table.render(0, console::width()))?;
    Ok(Exit::Ok)
}
