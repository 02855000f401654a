//! `visibility-server check`.

use chrono::Utc;
use serde::Serialize;

use super::location;
use crate::cli::args::{FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::ingest::scrub::{self, DeepCheck};
use crate::stores::check::{self, CheckReport, Difference};
use crate::stores::state::damage::DamagedObject;
use crate::stores::state::uncounted::DayTotals;

/// A report on the wire.
#[derive(Debug, Serialize)]
struct CheckReportView<'a> {
    ok: bool,
    #[serde(flatten)]
    report: &'a CheckReport,
    /// What was read, if everything was to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    deep: Option<DeepCheck>,
}

/// Checks the stores.
pub(super) fn run(
    (deep, max_mib_per_second): (bool, Option<u64>),
    format: FormatArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let progress = |text: &str| {
        if !format.is_json() {
            console.say(text);
        }
    };
    let mut deep_check = None;
    let report = check::check_location(location(global)?, now, &mut |stores| {
        if deep {
            deep_check = Some(scrub::check_deeply(stores, max_mib_per_second, now, &progress)?);
        }
        Ok(())
    })?;
    if format.is_json() {
        let view = CheckReportView { ok: report.is_clean(), report: &report, deep: deep_check };
        console.print_json(&view)?;
    } else {
        show(&report, console)?;
        if let Some(DeepCheck { objects, bytes, damaged }) = deep_check {
            let mebibytes = bytes / (1024 * 1024);
            let text = format!("read {objects} objects, {mebibytes} MiB: {damaged} damaged\n");
            console.print(&text)?;
        }
    }
    Ok(if report.is_clean() { Exit::Ok } else { Exit::CheckFailed })
}

fn show(report: &CheckReport, console: Console) -> Result<(), CommandError> {
    let is_some_set_aside = report.tenants.values().any(|books| books.set_aside > 0);
    let rows: Vec<Vec<String>> = report
        .tenants
        .iter()
        .map(|(tenant, books)| {
            let set_aside = is_some_set_aside.then_some(books.set_aside);
            let sums = [Some(books.ledger), Some(books.files), set_aside, Some(books.rollups)];
            let mut row = vec![tenant.to_string()];
            row.extend(sums.into_iter().flatten().map(|sum| sum.to_string()));
            row
        })
        .collect();
    if !rows.is_empty() {
        let names: &[&str] = if is_some_set_aside {
            &["tenant", "ledger", "files", "set aside", "rollups"]
        } else {
            &["tenant", "ledger", "files", "rollups"]
        };
        console.print_table(names, &rows)?;
    }
    for difference in &report.differences {
        console.print(&format!("DIFFERENT  {}\n", describe(difference)))?;
        if let Difference::Identity(problem) = difference {
            console.say(&format!("hint: {}", problem.hint()));
        }
    }
    if report.differences.iter().any(|found| matches!(found, Difference::Damaged(_))) {
        console.say(
            "hint: copy the object from a backup to its place, then run \
            `visibility-server check --deep`",
        );
    }
    if let Some(Difference::Day(DayTotals { tenant, day, .. })) =
        report.differences.iter().find(|found| matches!(found, Difference::Day(_)))
    {
        console.say(&format!(
            "hint: `visibility-server logs recount {tenant} --from {day} --to {day}` counts the \
            records of a day again"
        ));
    }
    for days in &report.uncounted {
        console.say(&format!("note: kinds and hours of {}, {days}", days.tenant));
    }
    if report.newer > 0 {
        console.say(&format!(
            "note: {} objects are newer than everything in the database. Batches that are being received or were \
            interrupted have such; if they are many, make sure that the database is the newest one",
            report.newer
        ));
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
            "tenant {tenant}: the ledger has {} records, the files {} and {} set aside, the rollups {}",
            books.ledger, books.files, books.set_aside, books.rollups
        ),
        Difference::Day(DayTotals { tenant, day, rollups, kinds, hours }) => format!(
            "tenant {tenant}, {day}: {rollups} records by status, {kinds} by kind, {hours} by hour"
        ),
        Difference::Damaged(object) => describe_damaged(object),
        Difference::Database { problem } => format!("the database is damaged: {problem}"),
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

fn describe_damaged(object: &DamagedObject) -> String {
    let DamagedObject { name, reason, records, .. } = object;
    let left_out = match (object.from, object.to) {
        (Some(from), Some(to)) => format!("; {records} records from {from} to {to} are left out"),
        _ => String::new(),
    };
    format!("{name} is damaged: {reason}{left_out}")
}
