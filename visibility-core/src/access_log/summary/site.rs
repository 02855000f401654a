//! The counts of one report.

use std::collections::{BTreeMap, HashMap};

use super::bots::{Bots, is_bot};
use super::comparison::ComparedDays;
use super::disallowed::Disallowed;
use super::impostors::Impostors;
use super::paths::{self, BoundedTable, PathCounts, bit, without_query};
use super::sitemap_pages::{SitemapPages, SitemapReads};
use super::visits::{Visits, assistant_of};
use crate::access_log::LogEntry;
use crate::agents::Agent;
use crate::agents::ranges::Identity;
use crate::documents::robots::RobotsTxt;
use crate::ingest::{LogRecord, is_host};
use crate::traffic::{PathKind, ResponseClass};

pub(super) const DAY_MILLIS: i64 = 86_400_000;
/// Days that are counted one by one: three years.
pub(super) const MAX_DAYS: usize = 1_100;
/// Hosts that are counted one by one.
const MAX_HOSTS: usize = 1_000;
const MAX_HOST_BYTES: usize = 256 * 1_000;

/// Requests of one day.
#[derive(Clone, Debug, Default)]
pub(super) struct DayCounts {
    /// By anyone.
    pub(super) requests: u64,
    /// Of agents, by their number in the registry.
    pub(super) agents: BTreeMap<u16, u64>,
    /// Visits of people from AI assistants.
    pub(super) visits: u64,
}

/// What one agent did.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentCounts {
    pub(super) requests: u64,
    pub(super) verified: u64,
    /// By class, in the order of [`ResponseClass`].
    pub(super) by_class: [u64; 6],
    /// By kind of path, in the order of [`PathKind`].
    pub(super) by_kind: [u64; 8],
    pub(super) by_status: BTreeMap<u16, u64>,
    /// The first and the last request, in milliseconds.
    pub(super) seen: Option<(i64, i64)>,
    /// When it last got robots.txt.
    pub(super) robots_read: Option<i64>,
}

/// Requests for one host.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostCounts {
    pub(super) requests: u64,
    pub(super) agent_requests: u64,
}

/// Requests that had no room in a table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Folded {
    pub(super) paths: u64,
    pub(super) hosts: u64,
    pub(super) days: u64,
}

/// What is counted for one report.
#[derive(Debug)]
pub(super) struct SiteCounts {
    host: Option<String>,
    pub(super) requests: u64,
    /// The first and the last request, in milliseconds.
    pub(super) seen: Option<(i64, i64)>,
    pub(super) days: HashMap<i64, DayCounts, foldhash::fast::RandomState>,
    pub(super) hosts: BoundedTable<HostCounts>,
    /// The host of the request before this one and its place: mostly the same.
    last_host: Option<(String, usize)>,
    pub(super) agents: BTreeMap<u16, AgentCounts>,
    pub(super) paths: BoundedTable<PathCounts>,
    pub(super) served: BoundedTable<PathKind>,
    pub(super) impostors: Impostors,
    pub(super) bots: Bots,
    pub(super) visits: Visits,
    pub(super) disallowed: Option<Disallowed>,
    pub(super) sitemap: Option<SitemapReads>,
    /// Whole days against those before; none for a report of everything.
    pub(super) compared: Option<ComparedDays>,
    pub(super) folded: Folded,
    /// A host and a path.
    key: String,
}

/// A span that reaches to a time.
pub(super) fn reaching(seen: Option<(i64, i64)>, time: i64) -> (i64, i64) {
    let (first, last) = seen.unwrap_or((time, time));
    (first.min(time), last.max(time))
}

fn add<const N: usize>(counts: &mut [u64; N], at: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count += 1;
    }
}

fn add_small<const N: usize>(counts: &mut [u32; N], at: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count = count.saturating_add(1);
    }
}

impl SiteCounts {
    pub(super) fn new(
        host: Option<String>,
        robots: Option<RobotsTxt>,
        sitemap: Option<SitemapPages>,
        since_millis: Option<i64>,
    ) -> Self {
        Self {
            host,
            requests: 0,
            seen: None,
            days: HashMap::default(),
            hosts: BoundedTable::new(MAX_HOSTS, MAX_HOST_BYTES),
            last_host: None,
            agents: BTreeMap::new(),
            paths: paths::agent_paths(),
            served: paths::served_paths(),
            impostors: Impostors::default(),
            bots: Bots::default(),
            visits: Visits::default(),
            disallowed: robots.map(Disallowed::new),
            sitemap: sitemap.map(SitemapReads::new),
            compared: since_millis.map(ComparedDays::new),
            folded: Folded::default(),
            key: String::new(),
        }
    }

    /// The host that it is for; none if it is for all.
    pub(super) fn host(&self) -> Option<&String> {
        self.host.as_ref()
    }

    /// Counts a request by anyone.
    pub(super) fn request(
        &mut self,
        host: &str,
        entry: &LogEntry<'_>,
        agent: Option<&'static Agent>,
    ) {
        self.requests += 1;
        self.seen = Some(reaching(self.seen, entry.time_millis));
        if let Some(compared) = &mut self.compared {
            compared.request(entry.time_millis);
        }
        match self.day(entry.time_millis) {
            Some(day) => day.requests += 1,
            None => self.folded.days += 1,
        }
        match self.host_counts(host) {
            Some(counts) => counts.requests += 1,
            None => self.folded.hosts += 1,
        }
        let target = entry.target.as_deref().unwrap_or_default();
        if let (Some(agent), Some(disallowed)) = (agent, &mut self.disallowed) {
            disallowed.request(agent, target);
        }
        let is_person = agent.is_none()
            && !self.bots.count(entry.user_agent.as_deref().unwrap_or_default(), entry.time_millis);
        let class = entry.status.map(ResponseClass::of);
        if class != Some(ResponseClass::Served) {
            return;
        }
        let path = self.key(host, target);
        let kind = self.served.row(&path, || PathKind::of(target)).copied();
        if is_person && self.visits.count(&path, kind, entry) {
            self.visit(entry.time_millis);
        }
        self.key = path;
    }

    /// The counts of a host; none of what is no host, as strangers send anything.
    fn host_counts(&mut self, host: &str) -> Option<&mut HostCounts> {
        if let Some((last, place)) = &self.last_host
            && last == host
        {
            return self.hosts.at(*place);
        }
        if !(host.is_empty() || self.hosts.contains(host) || is_host(host)) {
            return None;
        }
        let place = self.hosts.place(host, HostCounts::default)?;
        self.last_host = Some((host.to_owned(), place));
        self.hosts.at(place)
    }

    fn visit(&mut self, time_millis: i64) {
        if let Some(day) = self.day(time_millis) {
            day.visits += 1;
        }
        if let Some(compared) = &mut self.compared {
            compared.visit(time_millis);
        }
    }

    /// Counts a request before the time of the report, for the comparison alone.
    pub(super) fn earlier_request(&mut self, entry: &LogEntry<'_>, agent: Option<&'static Agent>) {
        let Some(compared) = &mut self.compared else { return };
        compared.request(entry.time_millis);
        let is_served = entry.status.map(ResponseClass::of) == Some(ResponseClass::Served);
        let user_agent = entry.user_agent.as_deref().unwrap_or_default();
        if is_served && agent.is_none() && assistant_of(entry).is_some() && !is_bot(user_agent) {
            compared.visit(entry.time_millis);
        }
    }

    /// Counts the record of such a request.
    pub(super) fn earlier_record(
        &mut self,
        host: &str,
        record: &LogRecord<'_>,
        identity: Identity,
    ) {
        if identity != Identity::Impostor {
            let path = self.key(host, record.request_path);
            self.compare(record, &path);
            self.key = path;
        }
    }

    fn compare(&mut self, record: &LogRecord<'_>, path: &str) {
        let Some(compared) = &mut self.compared else { return };
        let kind = PathKind::of(without_query(record.request_path));
        let class = ResponseClass::of(record.status_code);
        let millis = record.timestamp_micros / 1_000;
        compared.record(millis, record.agent.purpose, class, (path, kind));
    }

    /// Counts the record of an agent's request.
    pub(super) fn record(&mut self, host: &str, record: &LogRecord<'_>, identity: Identity) {
        if identity == Identity::Impostor {
            self.impostors.count(record);
            return;
        }
        let millis = record.timestamp_micros / 1_000;
        let index = record.agent_index;
        if let Some(day) = self.day(millis) {
            *day.agents.entry(index).or_default() += 1;
        }
        if let Some(counts) = self.host_counts(host) {
            counts.agent_requests += 1;
        }
        if let Some(disallowed) = &mut self.disallowed {
            disallowed.record(index, without_query(record.request_path), millis);
        }
        if let Some(sitemap) = &mut self.sitemap {
            sitemap.record(host, record.request_path, index, record.status_code);
        }
        let class = ResponseClass::of(record.status_code);
        let path = self.key(host, record.request_path);
        let kind = PathKind::of(without_query(record.request_path));
        let agent = self.agents.entry(index).or_default();
        agent.requests += 1;
        agent.verified += u64::from(identity == Identity::Verified);
        agent.seen = Some(reaching(agent.seen, millis));
        *agent.by_status.entry(record.status_code).or_default() += 1;
        if kind == PathKind::Robots && class == ResponseClass::Served {
            agent.robots_read = agent.robots_read.max(Some(millis));
        }
        add(&mut agent.by_class, class as usize);
        add(&mut agent.by_kind, kind as usize);
        let counts = self.paths.row(&path, || PathCounts {
            kind,
            by_purpose: [0; 4],
            by_class: [0; 6],
            asked_by: 0,
            read_by: 0,
        });
        match counts {
            Some(counts) => {
                add_small(&mut counts.by_purpose, record.agent.purpose as usize);
                add_small(&mut counts.by_class, class as usize);
                counts.asked_by |= bit(index);
                if class == ResponseClass::Served {
                    counts.read_by |= bit(index);
                }
            }
            None => self.folded.paths += 1,
        }
        self.compare(record, &path);
        self.key = path;
    }

    fn day(&mut self, millis: i64) -> Option<&mut DayCounts> {
        let day = millis.div_euclid(DAY_MILLIS);
        if self.days.len() >= MAX_DAYS && !self.days.contains_key(&day) {
            return None;
        }
        Some(self.days.entry(day).or_default())
    }

    /// A host and a path without its query, in a text that is used again.
    fn key(&mut self, host: &str, target: &str) -> String {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.push_str(host);
        key.push_str(without_query(target));
        key
    }
}
