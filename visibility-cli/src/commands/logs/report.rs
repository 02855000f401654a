//! `visibility logs report`.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use visibility_core::access_log::summary::{SiteReport, Summary, SummarySettings};
use visibility_core::access_log::{Filter, FilterSettings, HashPeriod, LineCounts};
use visibility_core::documents::robots::{RobotsState, RobotsTxt};

use super::log_reading::LogReading;
use super::report_page;
use super::sitemap_files::{self, SitemapFiles};
use super::{check_host, hash_key, identities, rules_of_any_time, sources};
use crate::args::{LogReportArgs, LogReportFormat};
use crate::console::json::to_json;
use crate::console::output::Paint;
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::network::{self, Threads};
use crate::run::robots_file;

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
    /// The sitemaps that were read, if any were given.
    pub(super) sitemaps: Option<SitemapFiles>,
}

/// Runs `logs report`.
pub(super) fn run(arguments: &LogReportArgs, console: &Console) -> Result<Exit, CommandError> {
    let files = sources(&arguments.files)?;
    arguments.host.iter().try_for_each(|host| check_host(host))?;
    check_inputs(arguments, &files)?;
    let settings = settings(arguments)?;
    let robots = arguments.robots.as_deref().map(robots).transpose()?;
    let (pages, sitemaps) = match arguments.sitemap.as_slice() {
        [] => (None, None),
        given => sitemap_files::read(given).map(|(pages, files)| (Some(pages), Some(files)))?,
    };
    let mut output = console.output(arguments.output.as_deref())?;
    let mut reading = LogReading::new(&arguments.reading, arguments.no_progress, console);
    reading.needs_host = arguments.host.len() > 1;
    let report = network::block_on(Threads::One, async {
        let summary = Summary::new(SummarySettings {
            robots,
            sitemap: pages,
            ..summary_settings(arguments, settings.not_before)
        });
        let rows = rows(arguments);
        let work = move || {
            let report = read(&reading, &files, settings, summary, rows)?;
            Ok::<_, CommandError>(LogReport { sitemaps, ..report })
        };
        let work = tokio::task::spawn_blocking(work);
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
        LogReportFormat::Json => output.write(&to_json(&machine(&report))?, Paint::Plain)?,
    }
    output.finish()?;
    Ok(if report.counts.troubles() == 0 { Exit::Ok } else { Exit::SomeBad })
}

/// Refuses what cannot be compared before anything is read.
fn check_inputs(arguments: &LogReportArgs, files: &[PathBuf]) -> Result<(), CommandError> {
    let stdin = Path::new("-");
    let inputs = files.iter().chain(&arguments.sitemap);
    if inputs.filter(|path| path.as_path() == stdin).count() > 1 {
        return Err(CommandError::usage_with(
            "standard input cannot be two files",
            "give the log or the sitemap as a file",
        ));
    }
    if arguments.robots.is_some() && arguments.host.len() > 1 {
        return Err(CommandError::usage_with(
            "a robots.txt is for one site, and there are several",
            "give one --host with --robots",
        ));
    }
    Ok(())
}

/// The rules to compare requests with.
fn robots(path: &Path) -> Result<RobotsTxt, CommandError> {
    let file = robots_file::read(path)?;
    // An empty file allows everything, and so does one of comments.
    let is_something_else = file.rules.groups.is_empty() && file.rules.junk_lines > 0;
    if is_something_else || file.state == RobotsState::NotText {
        return Err(CommandError::usage_with(
            format!("`{}` is no robots.txt", path.display()),
            "save the file itself, such as with `curl -o robots.txt https://www.example.com/robots.txt`",
        ));
    }
    Ok(file.rules)
}

fn rows(arguments: &LogReportArgs) -> usize {
    let default = match arguments.format {
        LogReportFormat::Human | LogReportFormat::Markdown => ROWS,
        LogReportFormat::Json => ROWS_OF_JSON,
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
    SummarySettings {
        hosts: arguments.host.clone(),
        default_host,
        not_before: Some(not_before),
        ..SummarySettings::default()
    }
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
        sitemaps: None,
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
