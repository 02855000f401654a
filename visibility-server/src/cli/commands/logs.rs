//! `visibility-server logs`.

mod traffic;

use chrono::{Days, NaiveDate, Utc};
use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;

use super::{expect_tenant, stores};
use crate::cli::args::{DaysArgs, GlobalArgs, LogsCommand, RecountArgs, StatsArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::ingest::recount::{self, RecountError};
use crate::ingest::stats::{self, Count, LeftOut, Stats, StatsQuery};
use crate::stores::Stores;

/// Days that are counted if nothing else is said, today included.
const DEFAULT_DAYS: u64 = 30;
/// Most days that are counted at once: as long as rollups are kept by default.
const MAX_DAYS: i64 = 800;

/// Runs a command about the records of a tenant.
pub(super) fn run(
    command: &LogsCommand,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    match command {
        LogsCommand::Stats(arguments) => stats(arguments, global, console),
        LogsCommand::Summary(arguments) => traffic::summary(arguments, global, console),
        LogsCommand::Series(arguments) => traffic::series(arguments, global, console),
        LogsCommand::Agents(arguments) => traffic::agents(arguments, global, console),
        LogsCommand::Hosts(arguments) => traffic::hosts(arguments, global, console),
        LogsCommand::Errors(arguments) => traffic::errors(arguments, global, console),
        LogsCommand::Sources(arguments) => traffic::sources(arguments, global, console),
        LogsCommand::Recount(arguments) => recount(arguments, global, console),
    }
}

fn stats(
    arguments: &StatsArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let (from, to) = days(arguments.days, now.date_naive())?;
    let stores = stores(global)?;
    expect_tenant(&stores, &arguments.tenant, now)?;
    let counted = stats::stats(
        &stores,
        &StatsQuery {
            tenant: arguments.tenant.clone(),
            from,
            to,
            agent: arguments.agent.clone(),
            purpose: arguments.purpose,
            host: arguments.host.as_ref().map(|host| host.to_ascii_lowercase()),
            status: arguments.status,
            top: arguments.top.into(),
        },
        &|| false,
    )?;
    if arguments.format.is_json() {
        console.print_json(&counted)?;
    } else {
        show(&counted, console)?;
    }
    Ok(Exit::Ok)
}

/// What became of the counts of a day.
#[derive(Debug, Serialize)]
struct RecountedDay {
    day: NaiveDate,
    /// Records that were counted again.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    /// Why none were.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

fn recount(
    arguments: &RecountArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let (from, to) = days(arguments.days, now.date_naive())?;
    let stores = stores(global)?;
    expect_tenant(&stores, &arguments.tenant, now)?;
    let mut days = Vec::new();
    for day in from.iter_days().take_while(|day| *day <= to) {
        let recounted = recount_day(&stores, &arguments.tenant, day)?;
        if !arguments.format.is_json() {
            show_recounted(&recounted, console)?;
        }
        days.push(recounted);
    }
    if arguments.format.is_json() {
        console.print_json(&serde_json::json!({ "tenant": arguments.tenant, "days": days }))?;
    }
    let is_refused = days.iter().any(|day| day.refused.is_some());
    Ok(if is_refused { Exit::CheckFailed } else { Exit::Ok })
}

fn recount_day(
    stores: &Stores,
    tenant: &TenantSlug,
    day: NaiveDate,
) -> Result<RecountedDay, CommandError> {
    let error = match recount::recount(stores, tenant, day, &|| false) {
        Ok(records) => return Ok(RecountedDay { day, records: Some(records), refused: None }),
        Err(RecountError::Store(error)) => return Err(error.into()),
        Err(error) => error,
    };
    if matches!(error, RecountError::RecordsForgotten { .. }) {
        stores.state_store().note_forgotten_day(tenant, day)?;
    }
    Ok(RecountedDay { day, records: None, refused: Some(error.to_string()) })
}

fn show_recounted(day: &RecountedDay, console: Console) -> Result<(), CommandError> {
    match (&day.records, &day.refused) {
        (_, Some(reason)) => console.print(&format!("{}  REFUSED: {reason}\n", day.day)),
        // Most of the days of a long span may have none.
        (None | Some(0), None) => Ok(()),
        (Some(records), None) => console.print(&format!("{}  {records} records\n", day.day)),
    }
}

/// First and last day.
fn days(arguments: DaysArgs, today: NaiveDate) -> Result<(NaiveDate, NaiveDate), CommandError> {
    let to = arguments.to.unwrap_or(today);
    let before = to.checked_sub_days(Days::new(DEFAULT_DAYS - 1));
    let from = arguments.from.or(before).unwrap_or(to);
    let length = (to - from).num_days();
    if (0..MAX_DAYS).contains(&length) {
        return Ok((from, to));
    }
    Err(CommandError::usage(
        format!("{from} to {to} cannot be counted"),
        format!("give the earlier day first, and at most {MAX_DAYS} days"),
    ))
}

fn show(counted: &Stats, console: Console) -> Result<(), CommandError> {
    let Stats { tenant, from, to, total, .. } = counted;
    console.print(&format!(
        "{tenant}, {from} to {to} (UTC): {} records, {} bytes\n",
        total.records, total.bytes
    ))?;
    let days = counted.days.iter().map(|day| (day.day.to_string(), day.count));
    section("day", days, console)?;
    let agents = counted.agents.iter().map(|agent| (agent.name.clone(), agent.count));
    section("agent", agents, console)?;
    let purposes = counted.purposes.iter();
    let purposes =
        purposes.map(|purpose| (format!("{:?}", purpose.purpose).to_lowercase(), purpose.count));
    section("purpose", purposes, console)?;
    section("host", counted.hosts.iter().map(|host| (host.host.clone(), host.count)), console)?;
    let statuses = counted.statuses.iter();
    section("status", statuses.map(|status| (status.status.to_string(), status.count)), console)?;
    let Some(top) = &counted.top_paths else { return Ok(()) };
    section("path", top.paths.iter().map(|path| (path.path.clone(), path.count)), console)?;
    if let Some(LeftOut { records, from, to }) = &top.left_out {
        console.say(&format!(
            "The counts of paths are without {records} records from {from} to {to}, which are \
            damaged: see `visibility-server check`."
        ));
    }
    Ok(())
}

/// A table under its own title, unless it is empty.
fn section(
    title: &str,
    counts: impl Iterator<Item = (String, Count)>,
    console: Console,
) -> Result<(), CommandError> {
    let rows: Vec<Vec<String>> = counts
        .map(|(name, count)| vec![count.records.to_string(), count.bytes.to_string(), name])
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    console.print("\n")?;
    console.print_table(&["records", "bytes", title], &rows)
}
