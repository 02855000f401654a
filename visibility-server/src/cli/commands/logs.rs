//! `visibility-server logs`.

use chrono::{Days, NaiveDate, Utc};
use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;

use super::{expect_tenant, stores};
use crate::cli::args::{DaysArgs, GlobalArgs, LogsCommand, RecountArgs, SeriesArgs, StatsArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::ingest::recount::{self, RecountError};
use crate::ingest::stats::{self, Count, LeftOut, Stats, StatsQuery};
use crate::stores::Stores;
use crate::traffic::series::{self, GroupSeries, Series, SeriesQuestion, SeriesTimes};

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
        LogsCommand::Series(arguments) => series(arguments, global, console),
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

fn series(
    arguments: &SeriesArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let (from, to) = days(arguments.days, now.date_naive())?;
    let SeriesArgs { tenant, by, group, .. } = arguments;
    let question = SeriesQuestion { tenant: tenant.clone(), from, to, by: *by, group: *group };
    question.check(now.date_naive()).map_err(|error| {
        CommandError::usage(error.to_string(), "see `visibility-server logs series --help`")
    })?;
    let stores = stores(global)?;
    expect_tenant(&stores, tenant, now)?;
    let series = series::series(&stores, &question)?;
    if arguments.format.is_json() {
        console.print_json(&series)?;
    } else {
        show_series(&series, console)?;
    }
    Ok(Exit::Ok)
}

/// Columns of a table that people read; the JSON has all groups.
const MAX_COLUMNS: usize = 8;

fn show_series(series: &Series, console: Console) -> Result<(), CommandError> {
    let Series { tenant, from, to, groups, .. } = series;
    let records: u64 = groups.iter().map(|group| group.records).sum();
    console.print(&format!("{tenant}, {from} to {to} (UTC): {records} records\n"))?;
    let times: Vec<String> = match &series.times {
        SeriesTimes::Days(days) => days.iter().map(ToString::to_string).collect(),
        SeriesTimes::Hours(hours) => hours.clone(),
    };
    let columns = groups.get(..MAX_COLUMNS).unwrap_or(groups);
    let mut titles =
        vec![if matches!(series.times, SeriesTimes::Days(_)) { "day" } else { "hour" }];
    titles.extend(columns.iter().map(|group| group.name.as_str()));
    titles.push("all");
    let row = |(place, time): (usize, &String)| {
        let value = |group: &GroupSeries| group.values.get(place).copied().unwrap_or_default();
        let all: u64 = groups.iter().map(value).sum();
        let values = columns.iter().map(value).chain([all]).map(|value| value.to_string());
        (all > 0).then(|| std::iter::once(time.clone()).chain(values).collect())
    };
    let rows: Vec<Vec<String>> = times.iter().enumerate().filter_map(row).collect();
    if !rows.is_empty() {
        console.print("\n")?;
        console.print_table(&titles, &rows)?;
    }
    if groups.len() > columns.len() {
        console.say(&format!(
            "note: {} more groups; `--format json` has them",
            groups.len() - columns.len()
        ));
    }
    for days in &series.uncounted {
        console.say(&format!("note: not all records are in these counts: {days}"));
    }
    Ok(())
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
