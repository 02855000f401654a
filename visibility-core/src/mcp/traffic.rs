//! Bot traffic on a tenant's own sites: query and result.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// By what requests are counted.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// By agent.
    #[default]
    Agent,
    /// By day.
    Day,
    /// By hour.
    Hour,
    /// By purpose of the agent.
    Purpose,
    /// By vendor of the agent.
    Vendor,
    /// By host.
    Host,
    /// By HTTP status.
    Status,
    /// By kind of path.
    Kind,
    /// By path.
    Path,
}

/// What is counted: the order of the rows goes by it.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Requests.
    #[default]
    Requests,
    /// Bytes that were answered.
    Bytes,
}

/// A question about traffic.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TrafficQuery {
    /// By what to count.
    pub group_by: GroupBy,
    /// What the rows are sorted by, the largest first; days, hours and statuses keep their own order.
    pub metric: Metric,
    /// First day, UTC.
    pub from: NaiveDate,
    /// Last day.
    pub to: NaiveDate,
    /// Id of the only agent.
    pub agent: Option<String>,
    /// The only host.
    pub host: Option<String>,
    /// What paths begin with; only if they are what is counted by.
    pub path_prefix: Option<String>,
    /// Most rows.
    pub limit: usize,
}

/// The answer.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Traffic {
    /// The rows.
    pub rows: Vec<TrafficRow>,
    /// Requests in all, also of rows that are left out.
    pub total_requests: u64,
    /// Bytes that were answered in all.
    pub total_bytes: u64,
    /// Whether rows are left out.
    pub truncated: bool,
    /// Whether some records of these days are in no row: an earlier version counted them otherwise.
    pub is_incomplete: bool,
}

/// One row.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TrafficRow {
    /// Day, hour, status, kind, or the id of an agent, purpose, host or path.
    pub key: String,
    /// Its name for people, where that is another.
    pub name: Option<String>,
    /// Requests.
    pub requests: u64,
    /// Bytes that were answered; hours do not count them.
    pub bytes: Option<u64>,
}
