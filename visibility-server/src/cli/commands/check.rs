//! `visibility-server check`.

use chrono::Utc;
use serde::Serialize;

use super::location;
use crate::cli::args::{FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::stores::check::{self, CheckReport, Difference};

/// A report on the wire.
#[derive(Debug, Serialize)]
struct CheckReportView<'a> {
    ok: bool,
    #[serde(flatten)]
    report: &'a CheckReport,
}

/// Checks the stores.
pub(super) fn run(
    format: FormatArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let report = check::check_location(location(global)?, Utc::now())?;
    if format.is_json() {
        console.print_json(&CheckReportView { ok: report.is_clean(), report: &report })?;
    } else {
        show(&report, console)?;
    }
    Ok(if report.is_clean() { Exit::Ok } else { Exit::CheckFailed })
}

fn show(report: &CheckReport, console: Console) -> Result<(), CommandError> {
    let rows: Vec<Vec<String>> = report
        .tenants
        .iter()
        .map(|(tenant, books)| {
            let sums = [books.ledger, books.files, books.rollups];
            let mut row = vec![tenant.to_string()];
            row.extend(sums.map(|sum| sum.to_string()));
            row
        })
        .collect();
    if !rows.is_empty() {
        console.print_table(&["tenant", "ledger", "files", "rollups"], &rows)?;
    }
    for difference in &report.differences {
        console.print(&format!("DIFFERENT  {}\n", describe(difference)))?;
        if let Difference::Identity(problem) = difference {
            console.say(&format!("hint: {}", problem.hint()));
        }
    }
    let verdict = if report.is_clean() { "ok" } else { "NOT OK" };
    console.print(&format!(
        "{verdict}: {} files, {} answers, {} differences, {} orphans to be swept, {} objects in the trash\n",
        report.files,
        report.answers,
        report.differences.len(),
        report.orphans.len(),
        report.trash.objects
    ))
}

fn describe(difference: &Difference) -> String {
    match difference {
        Difference::Identity(problem) => problem.to_string(),
        Difference::Sums { tenant, books } => format!(
            "tenant {tenant}: the ledger has {} records, the files {}, the rollups {}",
            books.ledger, books.files, books.rollups
        ),
        Difference::Missing { name } => format!("{name} does not exist"),
        Difference::Size { name, expected, found } => {
            format!("{name} has {found} bytes instead of {expected}")
        }
        Difference::Rows { name, expected, found } => {
            format!("{name} has {found} rows instead of {expected}")
        }
        Difference::Unreadable { name, reason } => format!("{name} cannot be read: {reason}"),
    }
}
