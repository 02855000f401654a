//! `visibility logs report`.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use visibility_core::access_log::summary::{SiteReport, Summary, SummarySettings};
use visibility_core::access_log::{Filter, FilterSettings, HashPeriod};
use visibility_core::agents::ranges::IdentityCheck;
use visibility_core::report::logs::{self, LogReport, SitemapFiles};

use super::log_reading::LogReading;
use super::report_inputs::{LogSource, ReportInputs};
use super::{hash_key, report_page, rules_of_any_time};
use crate::args::{LogReportArgs, LogReportFormat};
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

/// Runs `logs report`.
pub(super) fn run(arguments: &LogReportArgs, console: &Console) -> Result<Exit, CommandError> {
    let inputs = ReportInputs::read(arguments)?;
    if arguments.demo {
        console.note(&console.labels().label("demo-log"));
    }
    let mut output = console.output(arguments.output.as_deref())?;
    let mut reading = LogReading::new(&arguments.reading, arguments.no_progress, console);
    reading.needs_host = inputs.hosts.len() > 1;
    let settings = settings(arguments, &inputs)?;
    let rows = rows(arguments);
    let report = network::block_on(Threads::One, async {
        let work = tokio::task::spawn_blocking(move || read(&reading, inputs, settings, rows));
        work.await.map_err(|error| CommandError::internal("the log could not be read", error))?
    })?;
    match arguments.format {
        LogReportFormat::Human => {
            let text = report_page::document(&report, console.labels()).terminal(console::width());
            output.write(&text, Paint::Styled)?;
        }
        LogReportFormat::Markdown => {
            let text = report_page::document(&report, console.labels()).markdown();
            output.write(&text, Paint::Plain)?;
        }
        LogReportFormat::Html => {
            let page = logs::html::render(&report, console.lang());
            output.write(&page.into_string(), Paint::Plain)?;
        }
        LogReportFormat::Json => output.write(&to_json(&machine(&report))?, Paint::Plain)?,
    }
    output.finish()?;
    Ok(if report.counts.troubles() == 0 { Exit::Ok } else { Exit::SomeBad })
}

fn rows(arguments: &LogReportArgs) -> usize {
    let default = match arguments.format {
        LogReportFormat::Human | LogReportFormat::Markdown | LogReportFormat::Html => ROWS,
        LogReportFormat::Json => ROWS_OF_JSON,
    };
    arguments.top.and_then(|rows| usize::try_from(rows).ok()).unwrap_or(default)
}

fn settings(
    arguments: &LogReportArgs,
    inputs: &ReportInputs,
) -> Result<FilterSettings, CommandError> {
    let host = match inputs.hosts.as_slice() {
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
        identities: inputs.ranges.as_ref().map(|ranges| IdentityCheck::new(ranges, inputs.now)),
        drops_impostors: false,
        not_before: inputs.since.unwrap_or(DateTime::<Utc>::MIN_UTC),
        rules: rules_of_any_time(),
    })
}

fn read(
    reading: &LogReading,
    inputs: ReportInputs,
    settings: FilterSettings,
    rows: usize,
) -> Result<LogReport, CommandError> {
    let ReportInputs { log, hosts, robots, pages, sitemaps, ranges, since, .. } = inputs;
    let default_host = match hosts.as_slice() {
        [host] => Some(host.clone()),
        _ => None,
    };
    let summary = Summary::new(SummarySettings {
        hosts,
        default_host,
        not_before: since,
        robots,
        sitemap: pages,
    });
    let mut filter = Filter::new(reading.first_parser(), settings, summary);
    match log {
        LogSource::Files(files) => reading.read(&files, &mut filter, &mut |_| Ok(()))?,
        LogSource::Demo => reading.read_demo(&mut filter)?,
    }
    let counts = filter.counts().clone();
    let summary = filter.sink_mut();
    Ok(LogReport {
        counts,
        sites: summary.reports(rows),
        other_requests: summary.other_requests(),
        other_hosts: summary.other_hosts(rows),
        rows,
        is_since: since.is_some(),
        is_checked: ranges.is_some(),
        sitemaps,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    sitemaps: Option<&'a SitemapFiles>,
    sites: &'a [SiteReport],
}

fn machine(report: &LogReport) -> ReportFile<'_> {
    ReportFile {
        schema_version: SCHEMA_VERSION,
        lines: report.counts.to_json(),
        has_ranges: report.is_checked,
        other_requests: report.other_requests,
        other_hosts: &report.other_hosts,
        sitemaps: report.sitemaps.as_ref(),
        sites: &report.sites,
    }
}
