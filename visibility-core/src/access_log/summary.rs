//! What a log says about the AI agents that came, counted in one pass.

mod bots;
mod comparison;
mod disallowed;
mod impostors;
mod paths;
mod report;
mod site;
mod sitemap_pages;
mod visits;

use chrono::{DateTime, Utc};

pub use self::comparison::{DayComparison, KeyFigures};
use self::paths::BoundedTable;
pub use self::report::{
    AssistantRow, BotRow, DayRow, DisallowedRow, FoldedCounts, FolderRow, HostRow, ImpostorRow,
    KindRow, LandingPage, LoggedAgent, MissingPath, PathRow, PurposeRow, RobotsComparison,
    SiteReport, SitemapComparison, SitemapFolder, StatusRow, UnreadPage,
};
use self::site::SiteCounts;
pub use self::sitemap_pages::SitemapPages;
use super::entry::LogEntry;
use super::filter::{LogSink, without_port};
use crate::agents::Agent;
use crate::agents::ranges::Identity;
use crate::documents::robots::RobotsTxt;
use crate::ingest::{LogRecord, is_host};
use crate::store::StoreError;

/// Hosts without a report that are counted one by one.
const MAX_OTHER_HOSTS: usize = 1_000;
const MAX_HOST_BYTES: usize = 256;

/// What is counted.
#[derive(Clone, Debug, Default)]
pub struct SummarySettings {
    /// Hosts that get a report each. Without any there is one report for all hosts.
    pub hosts: Vec<String>,
    /// The site, for lines that do not say it.
    pub default_host: Option<String>,
    /// Requests before this are not counted, and are only used to compare days.
    pub not_before: Option<DateTime<Utc>>,
    /// The robots.txt of the site, to find requests for what it disallows.
    pub robots: Option<RobotsTxt>,
    /// The pages of the site, to find those that no agent has read.
    pub sitemap: Option<SitemapPages>,
}

/// Counts the requests of a log as a [`Filter`](super::Filter) reads it.
///
/// Its memory has a bound, whatever the log is: what is beyond it is folded, and the report says so.
#[derive(Debug)]
pub struct Summary {
    default_host: Option<String>,
    /// Since when requests are counted, in milliseconds.
    not_before_millis: Option<i64>,
    is_for_hosts: bool,
    sites: Vec<SiteCounts>,
    /// Requests for hosts that have no report.
    other_requests: u64,
    /// The same by host, up to a bound.
    other_hosts: BoundedTable<u64>,
    /// The site of the request that is about to become a record; none if it is not counted.
    current: Option<usize>,
    host: String,
}

impl Summary {
    /// Nothing is counted yet.
    pub fn new(settings: SummarySettings) -> Self {
        let SummarySettings { hosts, robots, sitemap, not_before, default_host } = settings;
        let is_for_hosts = !hosts.is_empty();
        let since = not_before.map(|time| time.timestamp_millis());
        let site = |host: Option<String>| {
            let pages = sitemap.as_ref().map(|pages| pages.of_host(host.as_deref()));
            SiteCounts::new(host, robots.clone(), pages, since)
        };
        let mut sites: Vec<SiteCounts> = Vec::new();
        for host in hosts {
            let host = host.to_ascii_lowercase();
            if sites.iter().all(|site| site.host() != Some(&host)) {
                sites.push(site(Some(host)));
            }
        }
        if !is_for_hosts {
            sites.push(site(None));
        }
        Self {
            default_host: default_host.map(|host| host.to_ascii_lowercase()),
            not_before_millis: since,
            is_for_hosts,
            sites,
            other_requests: 0,
            other_hosts: BoundedTable::new(MAX_OTHER_HOSTS, MAX_OTHER_HOSTS * MAX_HOST_BYTES),
            current: None,
            host: String::new(),
        }
    }

    /// One report for each host that was wanted, or one for all; with so many rows in each list.
    pub fn reports(&self, rows: usize) -> Vec<SiteReport> {
        self.sites.iter().map(|site| site.report(rows)).collect()
    }

    /// Requests for hosts that have no report.
    pub fn other_requests(&self) -> u64 {
        self.other_requests
    }

    /// So many of those hosts, with their requests, most often first.
    pub fn other_hosts(&self, rows: usize) -> Vec<(String, u64)> {
        let mut hosts: Vec<_> =
            self.other_hosts.iter().map(|(host, count)| (host.to_owned(), *count)).collect();
        hosts.sort_by(|(name, count), (other, most)| most.cmp(count).then(name.cmp(other)));
        hosts.truncate(rows);
        hosts
    }

    fn is_earlier(&self, millis: i64) -> bool {
        self.not_before_millis.is_some_and(|since| millis < since)
    }

    /// Where a request is counted.
    fn site_of(&mut self, entry: &LogEntry<'_>) -> Option<usize> {
        self.host.clear();
        let host = entry.host.as_deref().or(self.default_host.as_deref()).unwrap_or_default();
        self.host.push_str(without_port(host).trim_end_matches('.'));
        self.host.make_ascii_lowercase();
        if !self.is_for_hosts {
            return Some(0);
        }
        let site = self.sites.iter().position(|site| site.host() == Some(&self.host));
        if site.is_none() && !self.is_earlier(entry.time_millis) {
            self.other_requests += 1;
            let is_named = self.other_hosts.contains(&self.host) || is_host(&self.host);
            if let Some(count) = is_named.then(|| self.other_hosts.row(&self.host, || 0)).flatten()
            {
                *count += 1;
            }
        }
        site
    }
}

impl LogSink for Summary {
    fn request(&mut self, entry: &LogEntry<'_>, agent: Option<&'static Agent>) {
        let is_earlier = self.is_earlier(entry.time_millis);
        self.current = self.site_of(entry);
        let Some(site) = self.current.and_then(|site| self.sites.get_mut(site)) else { return };
        if is_earlier {
            site.earlier_request(entry, agent);
        } else {
            site.request(&self.host, entry, agent);
        }
    }

    fn takes_earlier_records(&self) -> bool {
        self.not_before_millis.is_some()
    }

    fn earlier_record(&mut self, record: &LogRecord<'_>, identity: Identity) {
        if let Some(site) = self.current.and_then(|site| self.sites.get_mut(site)) {
            site.earlier_record(&self.host, record, identity);
        }
    }

    fn record(&mut self, record: &LogRecord<'_>, identity: Identity) -> Result<(), StoreError> {
        if let Some(site) = self.current.and_then(|site| self.sites.get_mut(site)) {
            site.record(&self.host, record, identity);
        }
        Ok(())
    }
}
