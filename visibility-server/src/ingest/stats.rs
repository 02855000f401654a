//! Counts of a tenant's records: from rollups, and for paths from the partial counts beside the files.
//!
//! Files of records are never read. Rollups and partial counts are read one after the other, so a
//! batch that is published in between may be in only one of them.

mod top_paths;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::{Purpose, Registry};
use visibility_core::store::StoreError;
use visibility_core::store::sums::RollupRow;

pub use self::top_paths::{LeftOut, PathCount, PathOrder, PathQuery, TopPaths, top_paths};
use crate::stores::Stores;

/// Most paths that are listed.
pub const MAX_TOP: usize = 1000;

/// What is counted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StatsQuery {
    /// Whose records.
    pub tenant: TenantSlug,
    /// First day, UTC.
    pub from: NaiveDate,
    /// Last day.
    pub to: NaiveDate,
    /// Count only the agent with this id.
    pub agent: Option<String>,
    /// Count only agents with this purpose.
    pub purpose: Option<Purpose>,
    /// The only host.
    pub host: Option<String>,
    /// The only status, or class of it.
    pub status: Option<StatusFilter>,
    /// How many paths to list; at most [`MAX_TOP`], none without reading their counts.
    pub top: usize,
}

/// One status, or all of a class.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(try_from = "String")]
pub enum StatusFilter {
    /// One status, such as `404`.
    One(u16),
    /// All that start with a digit, such as `4xx`.
    Class(u8),
}

/// Why a text is not a status.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a status is a number from 100 to 599 or a class such as `4xx`")]
pub struct StatusFilterError;

/// Counts of records and of the bytes of their responses.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Stats {
    /// Whose records.
    #[schema(value_type = String)]
    pub tenant: TenantSlug,
    /// First day, UTC.
    #[schema(value_type = String, format = Date)]
    pub from: NaiveDate,
    /// Last day.
    #[schema(value_type = String, format = Date)]
    pub to: NaiveDate,
    /// All of them.
    #[serde(flatten)]
    pub total: Count,
    /// By day, in their order.
    pub days: Vec<DayCount>,
    /// By agent, the busiest first.
    pub agents: Vec<AgentCount>,
    /// By purpose of the agent, the busiest first.
    pub purposes: Vec<PurposeCount>,
    /// By host, the busiest first. Hosts beyond a tenant's thousandth are one, `(other)`.
    pub hosts: Vec<HostCount>,
    /// By status, in their order.
    pub statuses: Vec<StatusCount>,
    /// The busiest paths without their queries; none if they were not asked for, or if a single status
    /// was: paths are counted by classes of status.
    pub top_paths: Option<TopPaths>,
}

/// Records and bytes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, ToSchema)]
pub struct Count {
    /// Records.
    pub records: u64,
    /// Bytes of the responses.
    pub bytes: u64,
}

/// The count of a day.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct DayCount {
    /// Day, UTC.
    #[schema(value_type = String, format = Date)]
    pub day: NaiveDate,
    /// Its records.
    #[serde(flatten)]
    pub count: Count,
}

/// The count of an agent.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct AgentCount {
    /// Id of the agent.
    pub id: String,
    /// Its name; its id if the registry does not know it any more.
    pub name: String,
    /// Who runs it.
    pub vendor: Option<String>,
    /// What it is for.
    pub purpose: Purpose,
    /// Its records.
    #[serde(flatten)]
    pub count: Count,
}

/// The count of a purpose.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct PurposeCount {
    /// Purpose.
    pub purpose: Purpose,
    /// Its records.
    #[serde(flatten)]
    pub count: Count,
}

/// The count of a host.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct HostCount {
    /// Host.
    pub host: String,
    /// Its records.
    #[serde(flatten)]
    pub count: Count,
}

/// The count of a status.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct StatusCount {
    /// HTTP status.
    pub status: u16,
    /// Its records.
    #[serde(flatten)]
    pub count: Count,
}

/// Why there are no counts.
#[derive(Debug, thiserror::Error)]
pub enum StatsError {
    /// A store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was stopped in the middle.
    #[error("no one waits for the counts any more")]
    Stopped,
}

/// Counts the records of a tenant. Between two files it asks whether it is stopped.
///
/// # Errors
///
/// When a store cannot be read, and when it is stopped.
pub fn stats(
    stores: &Stores,
    query: &StatsQuery,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Stats, StatsError> {
    let mut groups = StatsBuilder::default();
    // Day by day: the rollups of two years may be many.
    for day in query.from.iter_days().take_while(|day| *day <= query.to) {
        for row in stores.state_store().rollups(&query.tenant, &(day..=day))? {
            if query.matches(&row.agent, &row.host) && query.matches_status(row.status) {
                groups.add(row);
            }
        }
    }
    let top_paths = if query.reads_files() {
        Some(top_paths(stores, query, PathQuery::default(), is_stopped)?)
    } else {
        None
    };
    Ok(groups.stats(query, top_paths))
}

impl StatsQuery {
    /// Whether partial counts are read for it, and not only tables that are small.
    pub(crate) fn reads_files(&self) -> bool {
        self.top > 0 && !matches!(self.status, Some(StatusFilter::One(_)))
    }

    fn matches(&self, agent: &str, host: &str) -> bool {
        self.matches_agent(agent) && self.host.as_deref().is_none_or(|only| only == host)
    }

    fn matches_agent(&self, agent: &str) -> bool {
        self.agent.as_deref().is_none_or(|only| only == agent)
            && self.purpose.is_none_or(|only| only == purpose_of(agent))
    }

    /// Whether not all agents are counted.
    fn is_about_some_agents(&self) -> bool {
        self.agent.is_some() || self.purpose.is_some()
    }

    fn matches_status(&self, status: u16) -> bool {
        match self.status {
            None => true,
            Some(StatusFilter::One(only)) => only == status,
            Some(StatusFilter::Class(class)) => u16::from(class) == status / 100,
        }
    }
}

impl TryFrom<String> for StatusFilter {
    type Error = StatusFilterError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl std::str::FromStr for StatusFilter {
    type Err = StatusFilterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_suffix("xx") {
            Some(class) => match class.parse() {
                Ok(class @ 1..=5) => Ok(Self::Class(class)),
                _ => Err(StatusFilterError),
            },
            None => match text.parse() {
                Ok(status @ 100..=599) => Ok(Self::One(status)),
                _ => Err(StatusFilterError),
            },
        }
    }
}

impl Count {
    fn add(&mut self, records: u64, bytes: u64) {
        self.records = self.records.saturating_add(records);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Counts while they are added up.
#[derive(Debug, Default)]
struct StatsBuilder {
    total: Count,
    days: BTreeMap<NaiveDate, Count>,
    agents: BTreeMap<String, Count>,
    purposes: BTreeMap<Purpose, Count>,
    hosts: BTreeMap<String, Count>,
    statuses: BTreeMap<u16, Count>,
}

impl StatsBuilder {
    fn add(&mut self, row: RollupRow) {
        let RollupRow { day, agent, host, status, records, bytes } = row;
        self.total.add(records, bytes);
        self.days.entry(day).or_default().add(records, bytes);
        self.purposes.entry(purpose_of(&agent)).or_default().add(records, bytes);
        self.agents.entry(agent).or_default().add(records, bytes);
        self.hosts.entry(host).or_default().add(records, bytes);
        self.statuses.entry(status).or_default().add(records, bytes);
    }

    fn stats(self, query: &StatsQuery, top_paths: Option<TopPaths>) -> Stats {
        let mut agents: Vec<AgentCount> =
            self.agents.into_iter().map(|(id, count)| AgentCount::new(id, count)).collect();
        agents.sort_by_key(|agent| Reverse(agent.count.records));
        let purpose = |(purpose, count)| PurposeCount { purpose, count };
        let mut purposes: Vec<PurposeCount> = self.purposes.into_iter().map(purpose).collect();
        purposes.sort_by_key(|purpose| Reverse(purpose.count.records));
        let host = |(host, count)| HostCount { host, count };
        let mut hosts: Vec<HostCount> = self.hosts.into_iter().map(host).collect();
        hosts.sort_by_key(|host| Reverse(host.count.records));
        Stats {
            tenant: query.tenant.clone(),
            from: query.from,
            to: query.to,
            total: self.total,
            days: self.days.into_iter().map(|(day, count)| DayCount { day, count }).collect(),
            agents,
            purposes,
            hosts,
            statuses: self
                .statuses
                .into_iter()
                .map(|(status, count)| StatusCount { status, count })
                .collect(),
            top_paths,
        }
    }
}

impl AgentCount {
    fn new(id: String, count: Count) -> Self {
        let agent = Registry::embedded().agents.iter().find(|agent| agent.id == id);
        Self {
            name: agent.map_or_else(|| id.clone(), |agent| agent.name.clone()),
            vendor: agent.map(|agent| agent.vendor.clone()),
            purpose: agent.map_or(Purpose::Other, |agent| agent.purpose),
            id,
            count,
        }
    }
}

/// What an agent is for, by its id.
pub(crate) fn purpose_of(agent: &str) -> Purpose {
    let known = Registry::embedded().agents.iter().find(|known| known.id == agent);
    known.map_or(Purpose::Other, |known| known.purpose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_a_number_or_a_class() {
        for (text, filter) in [
            ("404", Some(StatusFilter::One(404))),
            ("5xx", Some(StatusFilter::Class(5))),
            ("99", None),
            ("600", None),
            ("6xx", None),
            ("0xx", None),
            ("xx", None),
            ("4XX", None),
            ("", None),
            ("-404", None),
        ] {
            assert_eq!(text.parse::<StatusFilter>().ok(), filter, "{text}");
        }
    }
}
