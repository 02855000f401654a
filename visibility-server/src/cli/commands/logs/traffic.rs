//! Questions about the agents that came.

use chrono::{DateTime, Utc};
use visibility_core::text::locale::Lang;

use super::days;
use crate::cli::args::GlobalArgs;
use crate::cli::args::traffic::{
    AgentsArgs, AnswerFormat, AnswerFormatArgs, ErrorsArgs, HostsArgs, PageArgs, SelectionArgs,
    SeriesArgs, SourcesArgs, SummaryArgs,
};
use crate::cli::commands::{expect_tenant, stores};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::stores::state::uncounted::UncountedDays;
use crate::traffic::agents::AgentsQuestion;
use crate::traffic::errors::ErrorsQuestion;
use crate::traffic::hosts::HostsQuestion;
use crate::traffic::page::Page;
use crate::traffic::period::NotWhole;
use crate::traffic::selection::Selection;
use crate::traffic::series::{GroupSeries, Series, SeriesQuestion};
use crate::traffic::sources::{Gap, LogSources, SourcesQuestion};
use crate::traffic::summary::{PeriodSummary, Summary, SummaryQuestion};
use crate::traffic::table::{AnswerTable, Cell};
use crate::traffic::{Answer, Question, answer, known_vendor};

/// What a command was called with, beside its own arguments.
type Caller<'a> = (&'a GlobalArgs, Console);

/// The most important numbers.
pub(super) fn summary(
    arguments: &SummaryArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let selection = selection(&arguments.selection, now)?;
    let question = Question::Summary(SummaryQuestion { selection });
    print(&question, arguments.format, (global, console), now)
}

/// Requests by time.
pub(super) fn series(
    arguments: &SeriesArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let selection = selection(&arguments.selection, now)?;
    let SeriesArgs { by, group, .. } = *arguments;
    let question = Question::Series(SeriesQuestion { selection, by, group });
    print(&question, arguments.format, (global, console), now)
}

/// Each agent.
pub(super) fn agents(
    arguments: &AgentsArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let question = Question::Agents(AgentsQuestion {
        selection: selection(&arguments.selection, now)?,
        all: arguments.all,
        page: page(&arguments.page),
        lang: Lang::En,
    });
    print(&question, arguments.format, (global, console), now)
}

/// Each host against the days before.
pub(super) fn hosts(
    arguments: &HostsArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let selection = selection(&arguments.selection, now)?;
    let question = Question::Hosts(HostsQuestion { selection, page: page(&arguments.page) });
    print(&question, arguments.format, (global, console), now)
}

/// What agents did not get.
pub(super) fn errors(
    arguments: &ErrorsArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let selection = selection(&arguments.selection, now)?;
    let question = Question::Errors(ErrorsQuestion { selection, page: page(&arguments.page) });
    print(&question, arguments.format, (global, console), now)
}

/// Whether the logs are complete.
pub(super) fn sources(
    arguments: &SourcesArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let (from, to) = days(arguments.days, now.date_naive())?;
    let (tenant, page) = (arguments.tenant.clone(), page(&arguments.page));
    let question = Question::Sources(SourcesQuestion { tenant, from, to, page });
    print(&question, arguments.format, (global, console), now)
}

fn selection(arguments: &SelectionArgs, now: DateTime<Utc>) -> Result<Selection, CommandError> {
    let (from, to) = days(arguments.days, now.date_naive())?;
    let vendor = match &arguments.vendor {
        Some(name) => Some(known_vendor(name).ok_or_else(|| {
            CommandError::usage(
                format!("no agent has the vendor `{name}`"),
                "`visibility agents list --all` lists the vendors",
            )
        })?),
        None => None,
    };
    Ok(Selection {
        agent: arguments.agent.clone(),
        purpose: arguments.purpose,
        vendor: vendor.map(str::to_owned),
        host: arguments.host.as_ref().map(|host| host.to_ascii_lowercase()),
        status: arguments.status,
        kind: arguments.kind,
        ..Selection::of_days(arguments.tenant.clone(), from, to)
    })
}

fn page(arguments: &PageArgs) -> Page {
    Page { limit: arguments.limit.into(), after: arguments.after.clone() }
}

fn print(
    question: &Question,
    format: AnswerFormatArgs,
    (global, console): Caller<'_>,
    now: DateTime<Utc>,
) -> Result<Exit, CommandError> {
    question.check(now.date_naive()).map_err(|error| {
        CommandError::usage(error.to_string(), "see `visibility-server logs --help`")
    })?;
    let stores = stores(global)?;
    expect_tenant(&stores, question.tenant(), now)?;
    let answer = answer(&stores, question, now)?;
    match format.format {
        AnswerFormat::Human => show(&answer, console)?,
        // The bytes of the API, and the end of the line.
        AnswerFormat::Json => {
            let json = answer.json()?;
            console.print(&format!("{}\n", String::from_utf8_lossy(&json)))?;
        }
        AnswerFormat::Csv => {
            let csv = answer.csv()?;
            console.print(&String::from_utf8_lossy(&csv))?;
        }
    }
    Ok(Exit::Ok)
}

fn show(answer: &Answer, console: Console) -> Result<(), CommandError> {
    match answer {
        Answer::Summary(summary) => show_summary(summary, console)?,
        Answer::Series(series) => show_series(series, console)?,
        Answer::Agents(agents) => {
            let AnswerTable { titles, rows } = answer.table();
            // Notes are longer than a line of a terminal, and the id says as much as name and vendor.
            let shown = [
                "name",
                "purpose",
                "state",
                "requests",
                "refused",
                "missing",
                "failed",
                "last_seen",
            ];
            show_columns((&titles, &rows), &shown, console)?;
            say_uncounted(&agents.uncounted, console);
        }
        Answer::Hosts(hosts) => {
            let AnswerTable { titles, rows } = answer.table();
            let shown =
                ["host", "requests", "refused", "missing", "failed", "before_requests", "worse"];
            show_columns((&titles, &rows), &shown, console)?;
            for period in [&hosts.period, &hosts.before] {
                let days = format!("{} to {}", period.from, period.to);
                say_not_whole(&days, &period.not_whole, console);
            }
            say_uncounted(&hosts.uncounted, console);
        }
        Answer::Errors(errors) => {
            let AnswerTable { titles, rows } = answer.table();
            console.print(&format!("{} requests got an error\n\n", errors.requests))?;
            show_columns((&titles, &rows), &titles, console)?;
            say_uncounted(&errors.uncounted, console);
        }
        Answer::Sources(sources) => show_sources(sources, console)?,
    }
    if let Some(next) = answer.next() {
        console.say(&format!("note: there are more rows: `--after {next}`"));
    }
    Ok(())
}

fn show_columns(
    (titles, rows): (&[&'static str], &[Vec<Cell>]),
    shown: &[&'static str],
    console: Console,
) -> Result<(), CommandError> {
    let places = shown.iter().filter_map(|title| titles.iter().position(|other| other == title));
    let places: Vec<usize> = places.collect();
    let row = |row: &Vec<Cell>| -> Vec<String> {
        places.iter().filter_map(|place| row.get(*place)).map(Cell::text).collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(row).collect();
    console.print_table(shown, &rows)
}

fn show_summary(summary: &Summary, console: Console) -> Result<(), CommandError> {
    let Summary { tenant, period, before, uncounted } = summary;
    let days = |period: &PeriodSummary| format!("{} to {}", period.from, period.to);
    let (asked, earlier) = (days(period), days(before));
    console.print(&format!("{tenant} (UTC)\n\n"))?;
    let pages = |period: &PeriodSummary| {
        period.pages.map_or_else(|| "not counted".to_owned(), |pages| pages.to_string())
    };
    let number = |title: &str, of: fn(&PeriodSummary) -> u64| {
        vec![title.to_owned(), of(period).to_string(), of(before).to_string()]
    };
    let rows = [
        number("requests", |period| period.requests),
        number("asked by a person", |period| period.asked_by_person),
        number("agents", |period| period.agents),
        vec!["for pages".to_owned(), pages(period), pages(before)],
        number("refused", |period| period.refused),
        number("missing", |period| period.missing),
        number("failed", |period| period.failed),
        number("bytes", |period| period.bytes),
    ];
    console.print_table(&["", asked.as_str(), earlier.as_str()], &rows)?;
    for period in [period, before] {
        say_not_whole(&days(period), &period.not_whole, console);
    }
    say_uncounted(uncounted, console);
    Ok(())
}

fn say_not_whole(days: &str, reasons: &[NotWhole], console: Console) {
    for reason in reasons {
        console.say(&format!("note: {days} is not whole: {reason}"));
    }
}

fn show_sources(sources: &LogSources, console: Console) -> Result<(), CommandError> {
    let LogSources { tenant, from, to, batches, accepted, rejected, .. } = sources;
    console.print(&format!(
        "{tenant}, {from} to {to} (UTC): {batches} batches, {accepted} lines accepted, {rejected} rejected\n"
    ))?;
    let last = sources.last_batch.as_deref().unwrap_or("never");
    if let Some(first) = &sources.first_batch {
        console.print(&format!("first batch: {first}\n"))?;
    }
    console.print(&format!("last batch: {last}\n"))?;
    if let Some(seconds) = sources.usual_gap_seconds {
        console.print(&format!("usual time between batches: {seconds} s\n"))?;
    }
    if !sources.gaps.is_empty() {
        let gap = |gap: &Gap| {
            let to = gap.to.clone().unwrap_or_else(|| "now".to_owned());
            vec![gap.from.clone(), to, gap.seconds.to_string()]
        };
        let rows: Vec<Vec<String>> = sources.gaps.iter().map(gap).collect();
        console.print("\n")?;
        console.print_table(&["no batch from", "to", "seconds"], &rows)?;
    }
    if !sources.rejections.is_empty() {
        let rows = sources.rejections.iter();
        let rows: Vec<Vec<String>> =
            rows.map(|row| vec![row.lines.to_string(), row.reason.clone()]).collect();
        console.print("\n")?;
        console.print_table(&["lines", "rejected because"], &rows)?;
    }
    say_uncounted(&sources.uncounted, console);
    Ok(())
}

fn say_uncounted(uncounted: &[UncountedDays], console: Console) {
    for days in uncounted {
        console.say(&format!("note: not all records are in these counts: {days}"));
    }
}

/// Columns of a table that people read; the JSON has all groups.
const MAX_COLUMNS: usize = 8;

fn show_series(series: &Series, console: Console) -> Result<(), CommandError> {
    let Series { tenant, from, to, groups, .. } = series;
    let requests: u64 = groups.iter().map(|group| group.requests).sum();
    console.print(&format!("{tenant}, {from} to {to} (UTC): {requests} requests\n"))?;
    let times = series.times();
    let columns = groups.get(..MAX_COLUMNS).unwrap_or(groups);
    let mut titles = vec![series.span_name()];
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
    say_uncounted(&series.uncounted, console);
    Ok(())
}
