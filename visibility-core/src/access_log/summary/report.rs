//! The counts of a report as rows, in the order in which people read them.

mod robots;
mod sitemap;

pub use self::robots::{DisallowedRow, RobotsComparison};
pub use self::sitemap::{SitemapComparison, SitemapFolder, UnreadPage};

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use super::comparison::{ComparedDays, DayComparison};
use super::impostors::MAX_ADDRESSES;
use super::paths::{PathCounts, bit, split};
use super::site::{AgentCounts, DayCounts, SiteCounts};
use crate::agents::{Agent, Purpose, Registry};
use crate::ingest::redaction::Redaction;
use crate::traffic::{AssistantIndex, PathKind, ResponseClass, nearest_path};

/// Purposes in the order of reports: what a person has asked for comes first.
const PURPOSES: [Purpose; 4] = [Purpose::User, Purpose::Search, Purpose::Training, Purpose::Other];
/// Missing paths that a neighbour is looked for.
const MAX_NEIGHBOURS_LOOKED_FOR: usize = 200;

/// What one log, or several, says about the agents at one site.
#[derive(Clone, Debug, Serialize)]
pub struct SiteReport {
    /// The host that the report is for; `None` if it is for all hosts of the log.
    pub host: Option<String>,
    /// The first request by anyone.
    pub from: Option<DateTime<Utc>>,
    /// The last one.
    pub to: Option<DateTime<Utc>>,
    /// Requests by anyone.
    pub requests: u64,
    /// Requests of listed agents, without those of impostors.
    pub agent_requests: u64,
    /// Requests in the name of an agent that are not its operator's.
    pub impostor_requests: u64,
    /// Visits of people from AI assistants.
    pub visits: u64,
    /// The same by assistant, most visits first.
    pub assistants: Vec<AssistantRow>,
    /// Pages that those people landed on, most visits first.
    pub landing_pages: Vec<LandingPage>,
    /// Agents by purpose, those of most requests first.
    pub purposes: Vec<PurposeRow>,
    /// Each day with a request.
    pub days: Vec<DayRow>,
    /// Hosts by requests of agents.
    pub hosts: Vec<HostRow>,
    /// Pages that an agent got, by requests of agents.
    pub pages: Vec<PathRow>,
    /// The first folders of pages by requests of agents.
    pub folders: Vec<FolderRow>,
    /// Different pages that an agent got, beside those of `folded`.
    pub pages_read: u64,
    /// Requests of agents by kind of path.
    pub kinds: Vec<KindRow>,
    /// Files that are no pages, by requests of agents.
    pub files: Vec<PathRow>,
    /// Responses that are refusals, missing or failures, by agent and status.
    pub errors: Vec<StatusRow>,
    /// Paths that agents got more often as missing than as something to read, by requests of agents.
    pub missing: Vec<MissingPath>,
    /// What came in the name of agents.
    pub impostors: Vec<ImpostorRow>,
    /// Programs that are on no list of AI agents, by requests.
    pub unlisted_bots: Vec<BotRow>,
    /// Requests that the robots.txt that was given disallows; `None` if none was given.
    pub robots: Option<RobotsComparison>,
    /// The pages of the sitemaps that were given; `None` if none was.
    pub sitemap: Option<SitemapComparison>,
    /// Whole days against as many before, if the files have both and the report is not of everything.
    pub comparison: Option<DayComparison>,
    /// Requests that no row counts, because a table was full.
    pub folded: FoldedCounts,
}

/// Visits of people from one assistant.
#[derive(Clone, Debug, Serialize)]
pub struct AssistantRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Visits.
    pub visits: u64,
    /// Visits whose referrer is the assistant's.
    pub by_referrer: u64,
    /// Visits without that referrer, with the assistant in `utm_source` of the address.
    pub by_utm_source: u64,
}

/// A page that people from assistants landed on.
#[derive(Clone, Debug, Serialize)]
pub struct LandingPage {
    /// Its host; empty if the log does not say it.
    pub host: String,
    /// The path, without a query.
    pub path: String,
    /// Visits.
    pub visits: u64,
    /// Visits by assistant, with its id.
    pub assistants: BTreeMap<String, u64>,
}

/// Agents that come for the same purpose.
#[derive(Clone, Debug, Serialize)]
pub struct PurposeRow {
    /// The purpose.
    pub purpose: Purpose,
    /// Their requests.
    pub requests: u64,
    /// Different pages that one of them got.
    pub pages: u64,
    /// Refused requests: 401, 403, 406, 429, 451.
    pub refused: u64,
    /// Requests for what is not there: 404, 410.
    pub missing: u64,
    /// Requests that the server failed at: 5xx.
    pub failed: u64,
    /// The last request.
    pub last_seen: Option<DateTime<Utc>>,
    /// The agents, those of most requests first.
    pub agents: Vec<LoggedAgent>,
}

/// What one agent did.
#[derive(Clone, Debug, Serialize)]
pub struct LoggedAgent {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its operator.
    pub vendor: String,
    /// Its requests.
    pub requests: u64,
    /// Different pages that it got: 2xx and 304.
    pub pages: u64,
    /// Its requests for pages.
    pub page_requests: u64,
    /// Refused requests.
    pub refused: u64,
    /// Requests for what is not there.
    pub missing: u64,
    /// Requests that the server failed at.
    pub failed: u64,
    /// The first request.
    pub first_seen: Option<DateTime<Utc>>,
    /// The last request.
    pub last_seen: Option<DateTime<Utc>>,
    /// Requests whose address is in the operator's list.
    pub verified: u64,
    /// Requests whose address says nothing.
    pub unchecked: u64,
    /// Requests by status.
    pub statuses: BTreeMap<u16, u64>,
}

/// One day, UTC.
#[derive(Clone, Debug, Serialize)]
pub struct DayRow {
    /// The day.
    pub day: NaiveDate,
    /// Requests by anyone.
    pub requests: u64,
    /// Requests of agents.
    pub agent_requests: u64,
    /// Visits of people from AI assistants.
    pub visits: u64,
    /// Requests by purpose.
    pub purposes: BTreeMap<Purpose, u64>,
    /// Requests by agent, with its id.
    pub agents: BTreeMap<String, u64>,
}

/// One host.
#[derive(Clone, Debug, Serialize)]
pub struct HostRow {
    /// The host.
    pub host: String,
    /// Requests by anyone.
    pub requests: u64,
    /// Requests of agents.
    pub agent_requests: u64,
}

/// One path that agents asked for.
#[derive(Clone, Debug, Serialize)]
pub struct PathRow {
    /// Its host; empty if the log does not say it.
    pub host: String,
    /// The path, without a query.
    pub path: String,
    /// What it leads to.
    pub kind: PathKind,
    /// Requests of agents.
    pub requests: u64,
    /// Requests by purpose.
    pub purposes: BTreeMap<Purpose, u64>,
    /// Requests that got it: 2xx and 304.
    pub served: u64,
    /// Refused requests.
    pub refused: u64,
    /// Requests to which it was missing.
    pub missing: u64,
    /// Requests that the server failed at.
    pub failed: u64,
    /// The agents that asked for it, by id.
    pub agents: Vec<String>,
}

/// The pages in one folder.
#[derive(Clone, Debug, Serialize)]
pub struct FolderRow {
    /// Its host; empty if the log does not say it.
    pub host: String,
    /// The first folder of their paths: `/docs/`, or `/` for those in none.
    pub folder: String,
    /// Requests of agents.
    pub requests: u64,
    /// Requests by purpose.
    pub purposes: BTreeMap<Purpose, u64>,
    /// Different pages that an agent got.
    pub pages: u64,
}

/// One kind of path.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct KindRow {
    /// The kind.
    pub kind: PathKind,
    /// Requests of agents.
    pub requests: u64,
}

/// Responses of one status to one agent.
#[derive(Clone, Debug, Serialize)]
pub struct StatusRow {
    /// The id of the agent.
    pub agent: String,
    /// Its name.
    pub name: String,
    /// The status.
    pub status: u16,
    /// What it means.
    pub class: ResponseClass,
    /// Requests.
    pub requests: u64,
}

/// A path that is missing, always or mostly.
#[derive(Clone, Debug, Serialize)]
pub struct MissingPath {
    /// Its host; empty if the log does not say it.
    pub host: String,
    /// The path, without a query.
    pub path: String,
    /// Requests of agents that got 404 or 410.
    pub requests: u64,
    /// The agents that asked for it, by id.
    pub agents: Vec<String>,
    /// A page in the same folder with nearly the same name.
    pub nearest: Option<String>,
}

/// Requests in the name of one agent that are not its operator's.
#[derive(Clone, Debug, Serialize)]
pub struct ImpostorRow {
    /// The id of the agent.
    pub agent: String,
    /// Its name.
    pub name: String,
    /// Requests.
    pub requests: u64,
    /// Different addresses.
    pub addresses: u64,
    /// Whether there are more of them than are counted.
    pub has_more_addresses: bool,
    /// The last request.
    pub last_seen: Option<DateTime<Utc>>,
    /// What was asked for, most often first.
    pub paths: Vec<(String, u64)>,
}

/// A program that is on no list of AI agents.
#[derive(Clone, Debug, Serialize)]
pub struct BotRow {
    /// What it calls itself.
    pub name: String,
    /// Requests.
    pub requests: u64,
    /// The last request.
    pub last_seen: Option<DateTime<Utc>>,
}

/// Requests that have no row of their own.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FoldedCounts {
    /// Requests of agents for paths after the first 100,000; figures of pages are then the least that is true.
    pub paths: u64,
    /// Requests for hosts after the first 1,000, and for what is no host.
    pub hosts: u64,
    /// Requests on days after the first 1,100.
    pub days: u64,
    /// Requests of programs after the first 1,000.
    pub unlisted_bots: u64,
    /// Visits to pages after the first 10,000.
    pub landing_pages: u64,
    /// Requests that robots.txt disallows, after the first 10,000 pairs of an agent and a rule.
    pub disallowed: u64,
}

fn time(millis: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(millis)
}

fn agent(index: u16) -> Option<&'static Agent> {
    Registry::embedded().agents.get(usize::from(index))
}

fn day_row(day: i64, counts: &DayCounts) -> Option<DayRow> {
    let mut purposes = BTreeMap::new();
    let mut agents = BTreeMap::new();
    for (index, requests) in &counts.agents {
        let Some(agent) = agent(*index) else { continue };
        *purposes.entry(agent.purpose).or_default() += requests;
        agents.insert(agent.id.clone(), *requests);
    }
    Some(DayRow {
        day: DateTime::from_timestamp(day.checked_mul(86_400)?, 0)?.date_naive(),
        requests: counts.requests,
        agent_requests: counts.agents.values().sum(),
        visits: counts.visits,
        purposes,
        agents,
    })
}

/// Agents that a path has as bits, by id.
fn agents_of(bits: u128) -> Vec<String> {
    let agents = Registry::embedded().agents.iter().zip(0_u16..);
    agents.filter(|(_, index)| bits & bit(*index) != 0).map(|(agent, _)| agent.id.clone()).collect()
}

/// All purposes, in the order of their numbers.
const BY_NUMBER: [Purpose; 4] = [Purpose::Search, Purpose::User, Purpose::Training, Purpose::Other];

fn purposes_of(counts: &[u32; 4]) -> BTreeMap<Purpose, u64> {
    let pairs = BY_NUMBER.into_iter().zip(counts);
    pairs
        .filter(|(_, count)| **count > 0)
        .map(|(purpose, count)| (purpose, (*count).into()))
        .collect()
}

fn path_row(text: &str, counts: &PathCounts) -> PathRow {
    let (host, path) = split(text);
    PathRow {
        host: host.to_owned(),
        path: path.to_owned(),
        kind: counts.kind,
        requests: counts.requests(),
        purposes: purposes_of(&counts.by_purpose),
        served: counts.class(ResponseClass::Served),
        refused: counts.class(ResponseClass::Refused),
        missing: counts.class(ResponseClass::Missing),
        failed: counts.class(ResponseClass::Failed),
        agents: agents_of(counts.asked_by),
    }
}

/// The first folder of a path: `/docs/` of `/docs/a`, and `/` of `/a`.
fn folder_of(path: &str) -> &str {
    let behind = path.get(1..).and_then(|rest| rest.find('/'));
    behind.and_then(|at| path.get(..at + 2)).unwrap_or("/")
}

/// The first of a list in an order.
fn top<T, K: Ord>(mut rows: Vec<T>, most: usize, key: impl Fn(&T) -> K) -> Vec<T> {
    rows.sort_by_cached_key(key);
    rows.truncate(most);
    rows
}

impl SiteCounts {
    /// The report, with so many rows in each list of paths, folders, hosts and programs.
    pub(super) fn report(&self, rows: usize) -> SiteReport {
        let agent_requests = self.agents.values().map(|counts| counts.requests).sum();
        let impostors = self.impostors.by_agent.values();
        SiteReport {
            host: self.host().cloned(),
            from: self.seen.and_then(|(first, _)| time(first)),
            to: self.seen.and_then(|(_, last)| time(last)),
            requests: self.requests,
            agent_requests,
            impostor_requests: impostors.map(|counts| counts.requests).sum(),
            visits: self.visits.by_assistant.values().map(|counts| counts.total()).sum(),
            assistants: self.assistant_rows(),
            landing_pages: self.landing_pages(rows),
            purposes: self.purposes(),
            days: self.day_rows(),
            hosts: self.host_rows(rows),
            pages: self
                .path_rows(rows, |counts| counts.kind == PathKind::Page && counts.read_by != 0),
            folders: self.folder_rows(rows),
            pages_read: self.pages_read(),
            kinds: self.kind_rows(),
            files: self.path_rows(rows, |counts| counts.kind != PathKind::Page),
            errors: self.status_rows(),
            missing: self.missing_rows(rows),
            impostors: self.impostor_rows(rows),
            unlisted_bots: self.bot_rows(rows),
            robots: self.robots_comparison(rows),
            sitemap: self.sitemap_comparison(rows),
            comparison: self.compared.as_ref().and_then(ComparedDays::comparison),
            folded: FoldedCounts {
                paths: self.folded.paths,
                hosts: self.folded.hosts,
                days: self.folded.days,
                unlisted_bots: self.bots.folded,
                landing_pages: self.visits.folded,
                disallowed: self.disallowed.as_ref().map_or(0, |disallowed| disallowed.folded),
            },
        }
    }

    fn assistant_rows(&self) -> Vec<AssistantRow> {
        let rows = self.visits.by_assistant.iter().filter_map(|(at, counts)| {
            let assistant = AssistantIndex::embedded().get(*at)?;
            Some(AssistantRow {
                id: assistant.id.clone(),
                name: assistant.name.clone(),
                visits: counts.total(),
                by_referrer: counts.by_referrer,
                by_utm_source: counts.by_utm_source,
            })
        });
        top(rows.collect(), usize::MAX, |row| (Reverse(row.visits), row.id.clone()))
    }

    fn landing_pages(&self, most: usize) -> Vec<LandingPage> {
        let assistants = AssistantIndex::embedded();
        let total = |visits: &BTreeMap<usize, u64>| -> u64 { visits.values().sum() };
        let pages: Vec<_> = self.visits.pages.iter().collect();
        let pages = top(pages, most, |(page, visits)| (Reverse(total(visits)), *page));
        let rows = pages.into_iter().map(|(page, visits)| {
            let (host, path) = split(page);
            let named = visits.iter().filter_map(|(at, count)| {
                assistants.get(*at).map(|assistant| (assistant.id.clone(), *count))
            });
            LandingPage {
                host: host.to_owned(),
                path: path.to_owned(),
                visits: total(visits),
                assistants: named.collect(),
            }
        });
        rows.collect()
    }

    fn purposes(&self) -> Vec<PurposeRow> {
        let pages = self.pages_by_agent();
        let of_purpose = |purpose| {
            let of_purpose = self.agents.iter().filter_map(|(index, counts)| {
                let agent = agent(*index).filter(|agent| agent.purpose == purpose)?;
                Some((*index, agent, counts))
            });
            let of_purpose: Vec<_> = of_purpose.collect();
            let bits = of_purpose.iter().fold(0, |bits, (index, ..)| bits | bit(*index));
            let rows = of_purpose.into_iter().map(|(index, agent, counts)| {
                agent_row(agent, counts, pages.get(&index).copied().unwrap_or_default())
            });
            (bits, rows.collect::<Vec<_>>())
        };
        let purposes = PURPOSES.into_iter().filter_map(|purpose| {
            let (bits, agents) = of_purpose(purpose);
            (!agents.is_empty()).then(|| purpose_row(purpose, agents, self.pages_of(bits)))
        });
        purposes.collect()
    }

    /// Different pages that at least one of some agents got.
    fn pages_of(&self, bits: u128) -> u64 {
        let is_read =
            |counts: &PathCounts| counts.kind == PathKind::Page && counts.read_by & bits != 0;
        self.paths.iter().filter(|(_, counts)| is_read(counts)).count() as u64
    }

    fn pages_by_agent(&self) -> HashMap<u16, u64> {
        let mut pages: HashMap<u16, u64> = HashMap::new();
        let read = self.paths.iter().filter(|(_, counts)| counts.kind == PathKind::Page);
        for (_, counts) in read {
            for index in self.agents.keys().filter(|index| counts.read_by & bit(**index) != 0) {
                *pages.entry(*index).or_default() += 1;
            }
        }
        pages
    }

    fn day_rows(&self) -> Vec<DayRow> {
        let mut rows: Vec<DayRow> =
            self.days.iter().filter_map(|(day, counts)| day_row(*day, counts)).collect();
        rows.sort_by_key(|row| row.day);
        rows
    }

    fn host_rows(&self, most: usize) -> Vec<HostRow> {
        let rows = self.hosts.iter().filter(|(host, _)| !host.is_empty()).map(|(host, counts)| {
            let host = host.to_owned();
            HostRow { host, requests: counts.requests, agent_requests: counts.agent_requests }
        });
        top(rows.collect(), most, |row| {
            (Reverse(row.agent_requests), Reverse(row.requests), row.host.clone())
        })
    }

    fn path_rows(&self, most: usize, is_wanted: impl Fn(&PathCounts) -> bool) -> Vec<PathRow> {
        let wanted: Vec<_> = self.paths.iter().filter(|(_, counts)| is_wanted(counts)).collect();
        let rows = top(wanted, most, |(path, counts)| (Reverse(counts.requests()), *path));
        rows.into_iter().map(|(path, counts)| path_row(path, counts)).collect()
    }

    fn folder_rows(&self, most: usize) -> Vec<FolderRow> {
        let mut folders: BTreeMap<(&str, &str), ([u32; 4], u64)> = BTreeMap::new();
        for (text, counts) in self.paths.iter().filter(|(_, counts)| counts.kind == PathKind::Page)
        {
            let (host, path) = split(text);
            let (by_purpose, pages) = folders.entry((host, folder_of(path))).or_default();
            for (sum, count) in by_purpose.iter_mut().zip(&counts.by_purpose) {
                *sum = sum.saturating_add(*count);
            }
            *pages += u64::from(counts.read_by != 0);
        }
        let rows = folders.into_iter().map(|((host, folder), (by_purpose, pages))| FolderRow {
            host: host.to_owned(),
            folder: folder.to_owned(),
            requests: by_purpose.iter().map(|count| u64::from(*count)).sum(),
            purposes: purposes_of(&by_purpose),
            pages,
        });
        top(rows.collect(), most, |row| {
            (Reverse(row.requests), row.host.clone(), row.folder.clone())
        })
    }

    fn pages_read(&self) -> u64 {
        let is_read = |counts: &&PathCounts| counts.kind == PathKind::Page && counts.read_by != 0;
        let pages = self.paths.iter().map(|(_, counts)| counts).filter(is_read).count();
        u64::try_from(pages).unwrap_or(u64::MAX)
    }

    fn kind_rows(&self) -> Vec<KindRow> {
        let rows = PathKind::ALL.into_iter().map(|kind| {
            let of_kind = |counts: &AgentCounts| counts.by_kind.get(kind as usize).copied();
            KindRow { kind, requests: self.agents.values().filter_map(of_kind).sum() }
        });
        rows.filter(|row| row.requests > 0).collect()
    }

    fn status_rows(&self) -> Vec<StatusRow> {
        let rows = self.agents.iter().flat_map(|(index, counts)| {
            counts.by_status.iter().filter_map(|(status, requests)| {
                let class = ResponseClass::of(*status);
                let is_error = matches!(
                    class,
                    ResponseClass::Refused | ResponseClass::Missing | ResponseClass::Failed
                );
                let agent = agent(*index).filter(|_| is_error)?;
                let (id, name) = (agent.id.clone(), agent.name.clone());
                Some(StatusRow { agent: id, name, status: *status, class, requests: *requests })
            })
        });
        top(rows.collect(), usize::MAX, |row| {
            (row.class, Reverse(row.requests), row.agent.clone(), row.status)
        })
    }

    fn missing_rows(&self, most: usize) -> Vec<MissingPath> {
        let missing = |counts: &PathCounts| counts.class(ResponseClass::Missing);
        // What agents mostly got was asked for before it was there, or while something was wrong.
        let is_missing =
            |counts: &PathCounts| missing(counts) > counts.class(ResponseClass::Served);
        let found: Vec<_> = self.paths.iter().filter(|(_, counts)| is_missing(counts)).collect();
        let found = top(found, most, |(path, counts)| (Reverse(missing(counts)), *path));
        let neighbours = Neighbours::new(self.served.iter(), &found);
        let rows = found.into_iter().enumerate().map(|(at, (text, counts))| {
            let (host, path) = split(text);
            let is_looked_for = at < MAX_NEIGHBOURS_LOOKED_FOR && counts.kind == PathKind::Page;
            MissingPath {
                host: host.to_owned(),
                path: path.to_owned(),
                requests: missing(counts),
                agents: agents_of(counts.asked_by),
                nearest: is_looked_for.then(|| neighbours.nearest(text)).flatten(),
            }
        });
        rows.collect()
    }

    fn impostor_rows(&self, most: usize) -> Vec<ImpostorRow> {
        let rows = self.impostors.by_agent.iter().filter_map(|(index, counts)| {
            let agent = agent(*index)?;
            let paths: Vec<_> = counts.paths.iter().collect();
            let paths = top(paths, most, |(path, count)| (Reverse(**count), *path));
            Some(ImpostorRow {
                agent: agent.id.clone(),
                name: agent.name.clone(),
                requests: counts.requests,
                addresses: counts.addresses.len() as u64,
                has_more_addresses: counts.addresses.len() >= MAX_ADDRESSES,
                last_seen: time(counts.last_millis),
                paths: paths.into_iter().map(|(path, count)| (path.to_owned(), *count)).collect(),
            })
        });
        top(rows.collect(), usize::MAX, |row| (Reverse(row.requests), row.agent.clone()))
    }

    fn bot_rows(&self, most: usize) -> Vec<BotRow> {
        let rows = self.bots.names.iter().map(|(name, counts)| BotRow {
            name: name.to_owned(),
            requests: counts.requests,
            last_seen: time(counts.last_millis),
        });
        top(rows.collect(), most, |row| (Reverse(row.requests), row.name.clone()))
    }
}

fn agent_row(agent: &Agent, counts: &AgentCounts, pages: u64) -> LoggedAgent {
    let class = |class: ResponseClass| counts.by_class.get(class as usize).copied();
    LoggedAgent {
        id: agent.id.clone(),
        name: agent.name.clone(),
        vendor: agent.vendor.clone(),
        requests: counts.requests,
        pages,
        page_requests: counts.by_kind.get(PathKind::Page as usize).copied().unwrap_or_default(),
        refused: class(ResponseClass::Refused).unwrap_or_default(),
        missing: class(ResponseClass::Missing).unwrap_or_default(),
        failed: class(ResponseClass::Failed).unwrap_or_default(),
        first_seen: counts.seen.and_then(|(first, _)| time(first)),
        last_seen: counts.seen.and_then(|(_, last)| time(last)),
        verified: counts.verified,
        unchecked: counts.requests - counts.verified,
        statuses: counts.by_status.clone(),
    }
}

fn purpose_row(purpose: Purpose, mut agents: Vec<LoggedAgent>, pages: u64) -> PurposeRow {
    agents.sort_by_cached_key(|row| (Reverse(row.requests), row.name.clone()));
    let sum = |count: fn(&LoggedAgent) -> u64| agents.iter().map(count).sum();
    PurposeRow {
        purpose,
        requests: sum(|row| row.requests),
        pages,
        refused: sum(|row| row.refused),
        missing: sum(|row| row.missing),
        failed: sum(|row| row.failed),
        last_seen: agents.iter().filter_map(|row| row.last_seen).max(),
        agents,
    }
}

/// Pages that someone got, in the folders of the paths that are missing.
struct Neighbours<'a>(HashMap<&'a str, Vec<&'a str>>);

impl<'a> Neighbours<'a> {
    fn new(
        served: impl Iterator<Item = (&'a str, &'a PathKind)>,
        missing: &[(&'a str, &'a PathCounts)],
    ) -> Self {
        let mut folders: HashMap<&str, Vec<&str>> =
            missing.iter().map(|(text, _)| (folder(text), Vec::new())).collect();
        for (text, kind) in served {
            if *kind == PathKind::Page
                && let Some(paths) = folders.get_mut(folder(text))
            {
                paths.push(text);
            }
        }
        Self(folders)
    }

    /// The path of the page that a missing one was meant to be, unless it has something that is kept out of records.
    fn nearest(&self, text: &str) -> Option<String> {
        let nearest = nearest_path(text, self.0.get(folder(text))?.iter().copied())?;
        let (_, path) = split(nearest);
        let is_public = Redaction::default().redact(path, &mut String::new()) == path;
        is_public.then(|| path.to_owned())
    }
}

/// The folder that a path is in, with its host.
fn folder(text: &str) -> &str {
    let bare = text.strip_suffix('/').unwrap_or(text);
    bare.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_of_a_path() {
        for (path, folder) in
            [("/", "/"), ("/a", "/"), ("/a/", "/a/"), ("/a/b/c", "/a/"), ("", "/"), ("//a", "//")]
        {
            assert_eq!(folder_of(path), folder, "{path}");
        }
    }

    #[test]
    fn purposes_have_their_numbers() {
        for (number, purpose) in BY_NUMBER.into_iter().enumerate() {
            assert_eq!(purpose as usize, number);
        }
        assert_eq!(PURPOSES.len(), BY_NUMBER.len());
    }
}
