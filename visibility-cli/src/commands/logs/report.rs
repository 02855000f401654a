//! `visibility logs report`.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use visibility_core::access_log::summary::{SiteReport, Summary, SummarySettings};
use visibility_core::access_log::{Filter, FilterSettings, HashPeriod, LineCounts};

use super::log_reading::LogReading;
use super::report_page;
use super::{check_host, hash_key, identities, rules_of_any_time, sources};
use crate::args::{ListFormat, LogReportArgs};
use crate::console::json::to_json;
use crate::console::output::Paint;
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::network::{self, Threads};

/// The version of the JSON form.
const SCHEMA_VERSION: u32 = 1;
/// Rows of each list for people.
const ROWS: usize = 10;
/// Rows of each list for programs.
const ROWS_OF_JSON: usize = 1_000;
/// What records have as their host where nothing says it (RFC 2606, section 2).
const NO_HOST: &str = "host.invalid";

/// What the logs have.
#[derive(Debug)]
pub(super) struct LogReport {
    pub(super) counts: LineCounts,
    pub(super) sites: Vec<SiteReport>,
    /// Requests for hosts that no report was wanted for.
    pub(super) other_requests: u64,
    /// Those hosts, with their requests.
    pub(super) other_hosts: Vec<(String, u64)>,
    /// Rows of each list.
    pub(super) rows: usize,
    /// Whether addresses were compared with lists.
    pub(super) is_checked: bool,
}

/// Runs `logs report`.
pub(super) fn run(arguments: &LogReportArgs, console: &Console) -> Result<Exit, CommandError> {
    let files = sources(&arguments.files)?;
    arguments.host.iter().try_for_each(|host| check_host(host))?;
    let settings = settings(arguments)?;
    let mut output = console.output(arguments.output.as_deref())?;
    let mut reading = LogReading::new(&arguments.reading, arguments.no_progress, console);
    reading.needs_host = arguments.host.len() > 1;
    let report = network::block_on(Threads::One, async {
        let summary = Summary::new(summary_settings(arguments, settings.not_before));
        let rows = rows(arguments);
        let work = move || read(&reading, &files, settings, summary, rows);
        let work = tokio::task::spawn_blocking(work);
        work.await.map_err(|error| CommandError::internal("the log could not be read", error))?
    })?;
    match arguments.format {
        ListFormat::Human => {
            let text = report_page::render(&report, console.labels(), console::width());
            output.write(&text, Paint::Styled)?;
        }
        ListFormat::Json => output.write(&to_json(&machine(&report))?, Paint::Plain)?,
    }
    output.finish()?;
    Ok(if report.counts.troubles() == 0 { Exit::Ok } else { Exit::SomeBad })
}

fn rows(arguments: &LogReportArgs) -> usize {
    let default = match arguments.format {
        ListFormat::Human => ROWS,
        ListFormat::Json => ROWS_OF_JSON,
    };
    arguments.top.and_then(|rows| usize::try_from(rows).ok()).unwrap_or(default)
}

fn settings(arguments: &LogReportArgs) -> Result<FilterSettings, CommandError> {
    let now = arguments.now.unwrap_or_else(Utc::now);
    let host = match arguments.host.as_slice() {
        [host] => host.clone(),
        _ => NO_HOST.to_owned(),
    };
    Ok(FilterSettings {
        // Only to count how many there are.
        key: hash_key::random()?,
        period: HashPeriod::NinetyDays,
        joins_ipv6_networks: false,
        default_host: Some(host),
        proxies: arguments.trusted_proxy.clone(),
        identities: identities(arguments.ranges.as_deref(), now)?,
        drops_impostors: false,
        not_before: arguments.since.map_or(DateTime::<Utc>::MIN_UTC, |since| since.before(now)),
        rules: rules_of_any_time(),
    })
}

fn summary_settings(arguments: &LogReportArgs, not_before: DateTime<Utc>) -> SummarySettings {
    let default_host = match arguments.host.as_slice() {
        [host] => Some(host.clone()),
        _ => None,
    };
    SummarySettings { hosts: arguments.host.clone(), default_host, not_before: Some(not_before) }
}

fn read(
    reading: &LogReading,
    files: &[PathBuf],
    settings: FilterSettings,
    summary: Summary,
    rows: usize,
) -> Result<LogReport, CommandError> {
    let is_checked = settings.identities.is_some();
    let mut filter = Filter::new(reading.first_parser(), settings, summary);
    reading.read(files, &mut filter, &mut |_| Ok(()))?;
    let counts = filter.counts().clone();
    let summary = filter.sink_mut();
    Ok(LogReport {
        counts,
        sites: summary.reports(rows),
        other_requests: summary.other_requests(),
        other_hosts: summary.other_hosts(rows),
        rows,
        is_checked,
    })
}

/// The JSON form.
#[derive(Serialize)]
struct ReportFile<'a> {
    schema_version: u32,
    lines: Value,
    has_ranges: bool,
    other_requests: u64,
    other_hosts: &'a [(String, u64)],
    sites: &'a [SiteReport],
}

fn machine(report: &LogReport) -> ReportFile<'_> {
    ReportFile {
        schema_version: SCHEMA_VERSION,
        lines: report.counts.to_json(),
        has_ranges: report.is_checked,
        other_requests: report.other_requests,
        other_hosts: &report.other_hosts,
        sites: &report.sites,
    }
}
