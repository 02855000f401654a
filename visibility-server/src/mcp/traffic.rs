//! Counts of a tenant's records for the MCP tools: grouped, sorted and truncated.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;
use visibility_core::mcp::traffic::{GroupBy, Metric, Traffic, TrafficQuery, TrafficRow};
use visibility_core::store::StoreError;
use visibility_core::traffic::PathKind;

use crate::http::response::ApiError;
use crate::ingest::stats::{
    self, AgentCount, Count, MAX_TOP, PathOrder, PathQuery, Stats, StatsError, StatsQuery,
};
use crate::state::{AppState, CountRequest};
use crate::stores::Stores;
use crate::traffic::kinds;
use crate::traffic::selection::Selection;
use crate::traffic::series::{NO_VENDOR, SeriesGroup, SeriesQuestion, SeriesStep, series};

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
    let question = CountRequest { tenant, reads_files: query.group_by == GroupBy::Path };
    let of_tenant = tenant.clone();
    let counting = state.count(question, move |stores, is_stopped| {
        count_now(stores, of_tenant, &query, is_stopped)
    });
    counting.await
}

fn count_now(
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
    let newer = match query.group_by {
        GroupBy::Kind => Some(kinds(stores, &wanted)?),
        GroupBy::Hour => Some(hours(stores, &wanted)?),
        _ => None,
    };
    let is_incomplete = newer.is_some() && {
        let days = wanted.from..=wanted.to;
        !stores.state_store().uncounted_days(&wanted.tenant, &days)?.is_empty()
    };
    let mut rows = newer.unwrap_or_else(|| rows(counted, query.group_by));
    if !matches!(query.group_by, GroupBy::Day | GroupBy::Hour | GroupBy::Status) {
        rows.sort_by_key(|row| {
            Reverse(match query.metric {
                Metric::Requests => row.requests,
                Metric::Bytes => row.bytes.unwrap_or_default(),
            })
        });
    }
    let truncated = rows.len() > query.limit;
    rows.truncate(query.limit);
    let (total_requests, total_bytes) = (total.records, total.bytes);
    Ok(Traffic { rows, total_requests, total_bytes, truncated, is_incomplete })
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
        is_incomplete: false,
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
        GroupBy::Vendor => vendors(counted.agents),
        // Not from these counts.
        GroupBy::Path | GroupBy::Kind | GroupBy::Hour => Vec::new(),
    }
}

fn vendors(agents: Vec<AgentCount>) -> Vec<TrafficRow> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for agent in agents {
        let vendor = agent.vendor.unwrap_or_else(|| NO_VENDOR.to_owned());
        let count = counts.entry(vendor).or_default();
        count.records = count.records.saturating_add(agent.count.records);
        count.bytes = count.bytes.saturating_add(agent.count.bytes);
    }
    counts.into_iter().map(|(vendor, count)| row(vendor, None, count)).collect()
}

fn kinds(stores: &Stores, wanted: &StatsQuery) -> Result<Vec<TrafficRow>, StoreError> {
    let counts = kinds::kinds(stores, &selection(wanted))?;
    let row = |(kind, records, bytes): (PathKind, u64, u64)| {
        row(kind.as_str().to_owned(), None, Count { records, bytes })
    };
    Ok(counts.into_iter().map(row).collect())
}

/// Each hour with requests.
fn hours(stores: &Stores, wanted: &StatsQuery) -> Result<Vec<TrafficRow>, StoreError> {
    let selection = selection(wanted);
    let (by, group) = (SeriesStep::Hour, SeriesGroup::Purpose);
    let series = series(stores, &SeriesQuestion { selection, by, group })?;
    let requests = |place: usize| {
        let values = series.groups.iter().filter_map(|group| group.values.get(place));
        values.copied().fold(0, u64::saturating_add)
    };
    let hours = series.times().into_iter().enumerate();
    let rows = hours.map(|(place, key)| TrafficRow {
        key,
        name: None,
        requests: requests(place),
        bytes: None,
    });
    Ok(rows.filter(|row| row.requests > 0).collect())
}

fn selection(wanted: &StatsQuery) -> Selection {
    Selection {
        agent: wanted.agent.clone(),
        host: wanted.host.clone(),
        ..Selection::of_days(wanted.tenant.clone(), wanted.from, wanted.to)
    }
}

fn row(key: String, name: Option<String>, count: Count) -> TrafficRow {
    TrafficRow { key, name, requests: count.records, bytes: Some(count.bytes) }
}

fn name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Search => "search",
        Purpose::User => "user",
        Purpose::Training => "training",
        Purpose::Other => "other",
    }
}
