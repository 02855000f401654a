//! What `logs report` reads: what was given, or the example that is inside the program.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use visibility_core::access_log::summary::SitemapPages;
use visibility_core::agents::ranges::AgentRanges;
use visibility_core::documents::robots::{RobotsFile, RobotsState, RobotsTxt};
use visibility_core::documents::sitemap::Sitemap;
use visibility_core::report::logs::SitemapFiles;

use super::{check_host, sitemap_files, sources};
use crate::args::LogReportArgs;
use crate::error::CommandError;
use crate::run::demo::{self, DEMO_LOG, DemoLog};
use crate::run::{range_file, robots_file};

/// Where the log is.
#[derive(Debug)]
pub(super) enum LogSource {
    Files(Vec<PathBuf>),
    /// Inside the program.
    Demo,
}

/// The log, and what its requests are compared with.
#[derive(Debug)]
pub(super) struct ReportInputs {
    pub(super) log: LogSource,
    pub(super) hosts: Vec<String>,
    pub(super) robots: Option<RobotsTxt>,
    pub(super) pages: Option<SitemapPages>,
    pub(super) sitemaps: Option<SitemapFiles>,
    pub(super) ranges: Option<AgentRanges>,
    /// Requests before this are left out.
    pub(super) since: Option<DateTime<Utc>>,
    /// The time that ranges are judged at.
    pub(super) now: DateTime<Utc>,
}

impl ReportInputs {
    /// What the arguments name, but for the log, which is read later.
    pub(super) fn read(arguments: &LogReportArgs) -> Result<Self, CommandError> {
        if arguments.demo {
            return Self::demo(arguments);
        }
        let files = sources(&arguments.files)?;
        arguments.host.iter().try_for_each(|host| check_host(host))?;
        check(arguments, &files)?;
        let (pages, sitemaps) = match arguments.sitemap.as_slice() {
            [] => (None, None),
            given => sitemap_files::read(given).map(|(pages, files)| (Some(pages), Some(files)))?,
        };
        let now = arguments.now.unwrap_or_else(Utc::now);
        Ok(Self {
            log: LogSource::Files(files),
            hosts: arguments.host.clone(),
            robots: arguments.robots.as_deref().map(robots).transpose()?,
            pages,
            sitemaps,
            ranges: arguments.ranges.as_deref().map(range_file::read).transpose()?,
            since: arguments.since.map(|since| since.before(now)),
            now,
        })
    }

    fn demo(arguments: &LogReportArgs) -> Result<Self, CommandError> {
        let internal = "the example cannot be read";
        let sitemap = Sitemap::parse(DEMO_LOG.sitemap, false)
            .map_err(|error| CommandError::internal(internal, error))?;
        let ranges = AgentRanges::from_json(DEMO_LOG.ranges)
            .map_err(|error| CommandError::internal(internal, error))?;
        let mut pages = SitemapPages::default();
        pages.add(&sitemap);
        let now = DemoLog::end();
        Ok(Self {
            log: LogSource::Demo,
            hosts: vec![demo::LOG_HOST.to_owned()],
            robots: Some(RobotsFile::from_text(DEMO_LOG.robots).rules),
            pages: Some(pages),
            sitemaps: Some(SitemapFiles { read: 1, ..SitemapFiles::default() }),
            ranges: Some(ranges),
            since: Some(arguments.since.map_or(DemoLog::since(), |since| since.before(now))),
            now,
        })
    }
}

/// Refuses what cannot be compared before anything is read.
fn check(arguments: &LogReportArgs, files: &[PathBuf]) -> Result<(), CommandError> {
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
