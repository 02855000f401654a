//! Counts of a tenant's records for the MCP tools: grouped, sorted and truncated.

use std::cmp::Reverse;

use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;
use visibility_core::mcp::traffic::{GroupBy, Metric, Traffic, TrafficQuery, TrafficRow};

use crate::http::response::ApiError;
use crate::ingest::stats::{
    self, Count, MAX_TOP, PathOrder, PathQuery, Stats, StatsError, StatsQuery,
};
use crate::state::{AppState, Question};
use crate::stores::Stores;

/// Counts the records of a tenant, in turn with all who do.
///
/// # Errors
///
/// 429 or 503 when too many wait for that, and 503 when a store fails.
pub(super) async fn count(
    state: &AppState,
    tenant: &TenantSlug,
    query: TrafficQuery,
) -> Result<Traffic, ApiError> {
    let question = Question { tenant, reads_files: query.group_by == GroupBy::Path };
    let of_tenant = tenant.clone();
    let counting = state
        .count(question, move |stores, is_stopped| traffic(stores, of_tenant, &query, is_stopped));
    counting.await
}

fn traffic(
    stores: &Stores,
    tenant: TenantSlug,
    query: &TrafficQuery,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Traffic, StatsError> {
    let is_by_path = query.group_by == GroupBy::Path;
    let wanted = StatsQuery {
        tenant,
        from: query.from,
        to: query.to,
        agent: query.agent.clone(),
        purpose: None,
        host: query.host.as_ref().map(|host| host.to_ascii_lowercase()),
        status: None,
        top: if is_by_path { query.limit.min(MAX_TOP) } else { 0 },
    };
    if is_by_path {
        return paths(stores, &wanted, query, is_stopped);
    }
    let counted = stats::stats(stores, &wanted, is_stopped)?;
    let total = counted.total;
    let mut rows = rows(counted, query.group_by);
    if !matches!(query.group_by, GroupBy::Day | GroupBy::Status) {
        rows.sort_by_key(|row| {
            Reverse(match query.metric {
                Metric::Requests => row.requests,
                Metric::Bytes => row.bytes,
            })
        });
    }
    let truncated = rows.len() > query.limit;
    rows.truncate(query.limit);
    Ok(Traffic { rows, total_requests: total.records, total_bytes: total.bytes, truncated })
}

fn paths(
    stores: &Stores,
    wanted: &StatsQuery,
    query: &TrafficQuery,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Traffic, StatsError> {
    let by = match query.metric {
        Metric::Requests => PathOrder::Records,
        Metric::Bytes => PathOrder::Bytes,
    };
    let wish = PathQuery { prefix: query.path_prefix.as_deref().unwrap_or_default(), by };
    let top = stats::top_paths(stores, wanted, wish, is_stopped)?;
    let listed: u64 = top.paths.iter().map(|path| path.count.records).sum();
    Ok(Traffic {
        truncated: listed < top.records,
        rows: top.paths.into_iter().map(|path| row(path.path, None, path.count)).collect(),
        total_requests: top.records,
        total_bytes: top.bytes,
    })
}

fn rows(counted: Stats, by: GroupBy) -> Vec<TrafficRow> {
    match by {
        GroupBy::Agent => {
            let agents = counted.agents.into_iter();
            agents.map(|agent| row(agent.id, Some(agent.name), agent.count)).collect()
        }
        GroupBy::Day => {
            let days = counted.days.into_iter();
            days.map(|day| row(day.day.to_string(), None, day.count)).collect()
        }
        GroupBy::Purpose => {
            let purposes = counted.purposes.into_iter();
            purposes.map(|found| row(name(found.purpose).to_owned(), None, found.count)).collect()
        }
        GroupBy::Host => {
            counted.hosts.into_iter().map(|host| row(host.host, None, host.count)).collect()
        }
        GroupBy::Status => {
            let statuses = counted.statuses.into_iter();
            statuses.map(|found| row(found.status.to_string(), None, found.count)).collect()
        }
        GroupBy::Path => Vec::new(),
    }
}

fn row(key: String, name: Option<String>, count: Count) -> TrafficRow {
    TrafficRow { key, name, requests: count.records, bytes: count.bytes }
}

fn name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Search => "search",
        Purpose::User => "user",
        Purpose::Training => "training",
        Purpose::Other => "other",
    }
}
