//! Each host: its numbers on some days against those of as many days before, the one that got worst first.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::directory::AgentDirectory;
use super::errors::ErrorSums;
use super::page::Page;
use super::period::{self, Period, Wholeness};
use super::selection::{ConflictError, Grouping, Selection};
use crate::stores::Stores;
use crate::stores::state::uncounted::UncountedDays;

/// What is counted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HostsQuestion {
    /// Which records.
    pub selection: Selection,
    /// The part of the list.
    pub page: Page,
}

/// The hosts.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct Hosts {
    /// Whose records.
    #[schema(value_type = String)]
    pub tenant: TenantSlug,
    /// The days that were asked for.
    pub period: Period,
    /// As many days before them.
    pub before: Period,
    /// The hosts, the one that got worst first; if nothing can be compared, the one with the most errors.
    pub hosts: Vec<HostRow>,
    /// `after` of the next part of the list.
    pub next: Option<String>,
    /// Days whose kinds of paths an earlier version has not counted.
    pub uncounted: Vec<UncountedDays>,
}

/// A host.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct HostRow {
    /// The host; `(other)` is all that are not counted one by one.
    pub host: String,
    /// Its numbers on the days.
    pub period: HostSums,
    /// Those of the days before.
    pub before: HostSums,
    /// Requests that did not come, against the days before, and errors beyond those that as many requests had before; none
    /// if one of the periods is not whole.
    pub worse: Option<u64>,
    /// Requests of each of the days.
    pub values: Vec<u64>,
}

/// Numbers of a host.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, ToSchema)]
pub struct HostSums {
    /// Requests.
    pub requests: u64,
    /// Those that were refused: 401, 403, 406, 429, 451.
    pub refused: u64,
    /// Those whose page was missing: 404, 410.
    pub missing: u64,
    /// Those at which the server failed: 5xx.
    pub failed: u64,
}

impl HostsQuestion {
    /// Refuses what the stored counts cannot say.
    ///
    /// # Errors
    ///
    /// When it asks for a kind of path with a single status.
    pub fn check(&self) -> Result<(), ConflictError> {
        self.selection.table(Grouping::default()).map(|_table| ())
    }
}

/// Counts the records of each host in both periods.
///
/// # Errors
///
/// When the database cannot be read.
pub fn hosts(
    stores: &Stores,
    question: &HostsQuestion,
    today: NaiveDate,
) -> Result<Hosts, StoreError> {
    let selection = &question.selection;
    let state_store = stores.state_store();
    let days = selection.days();
    let before = period::before(&days);
    let both = *before.start()..=*days.end();
    let directory = AgentDirectory::new();
    let length = usize::try_from(selection.length()).unwrap_or_default();
    let mut rows: BTreeMap<String, HostCounts> = BTreeMap::new();
    let filter = selection.filter(&both);
    let with_agents = selection.is_about_agents_alike();
    state_store.for_each_host_day(&filter, selection.day_table(), with_agents, &mut |count| {
        if count.records == 0 || !selection.has_agent(&directory, &count.agent) {
            return;
        }
        let row = rows.entry(count.host).or_insert_with(|| HostCounts::new(length));
        let place = usize::try_from((count.day - selection.from).num_days()).ok();
        row.add(place, count.status, count.records);
    })?;
    let uncounted = match selection.kind {
        Some(_) => state_store.uncounted_days(&selection.tenant, &both)?,
        None => Vec::new(),
    };
    let first_day = state_store.first_counted_day(&selection.tenant)?;
    let whole = Wholeness { first_day, today, uncounted: &uncounted };
    let (period, before) = (whole.period(&days), whole.period(&before));
    let is_comparable = period.whole && before.whole;
    let rows = rows.into_iter().map(|(host, counts)| counts.row(host, is_comparable)).collect();
    let place = |row: &HostRow| (row.worse.unwrap_or(row.period.errors()), row.host.clone());
    let (hosts, next) = question.page.take(rows, place);
    Ok(Hosts { tenant: selection.tenant.clone(), period, before, hosts, next, uncounted })
}

/// The numbers of a host while they are added up.
struct HostCounts {
    period: HostSums,
    before: HostSums,
    values: Vec<u64>,
}

impl HostCounts {
    fn new(days: usize) -> Self {
        Self { period: HostSums::default(), before: HostSums::default(), values: vec![0; days] }
    }

    /// Adds requests of a day of the period, or of one before it if there is no place.
    fn add(&mut self, place: Option<usize>, status: u16, requests: u64) {
        if let Some(value) = place.and_then(|place| self.values.get_mut(place)) {
            *value = value.saturating_add(requests);
            self.period.add(status, requests);
        } else {
            self.before.add(status, requests);
        }
    }

    fn row(self, host: String, is_comparable: bool) -> HostRow {
        let Self { period, before, values } = self;
        let worse = is_comparable.then(|| period.worse_than(before));
        HostRow { host, period, before, worse, values }
    }
}

impl HostSums {
    fn add(&mut self, status: u16, requests: u64) {
        self.requests = self.requests.saturating_add(requests);
        let mut errors =
            ErrorSums { refused: self.refused, missing: self.missing, failed: self.failed };
        errors.add(status, requests);
        (self.refused, self.missing, self.failed) = (errors.refused, errors.missing, errors.failed);
    }

    fn errors(self) -> u64 {
        self.refused.saturating_add(self.missing).saturating_add(self.failed)
    }

    /// Requests that are fewer than before, and errors that are more than as many requests had before.
    fn worse_than(self, before: Self) -> u64 {
        let fewer = before.requests.saturating_sub(self.requests);
        let usual = u128::from(before.errors()) * u128::from(self.requests);
        let usual = usual.checked_div(u128::from(before.requests)).unwrap_or_default();
        let usual = u64::try_from(usual).unwrap_or(u64::MAX);
        fewer.saturating_add(self.errors().saturating_sub(usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worse_is_what_did_not_come_and_what_failed_on_top() {
        let sums = |requests, refused, failed| HostSums { requests, refused, missing: 0, failed };
        for (period, before, worse) in [
            (sums(100, 0, 0), sums(100, 0, 0), 0),
            // Twice the requests with twice the errors are as good as before.
            (sums(200, 20, 0), sums(100, 10, 0), 0),
            (sums(100, 20, 5), sums(100, 10, 0), 15),
            (sums(60, 6, 0), sums(100, 10, 0), 40),
            (sums(0, 0, 0), sums(100, 10, 0), 100),
            // A new host has no errors from before.
            (sums(50, 7, 0), sums(0, 0, 0), 7),
            (sums(u64::MAX, 0, u64::MAX), sums(1, 1, 0), 0),
        ] {
            assert_eq!(period.worse_than(before), worse, "{period:?} after {before:?}");
        }
    }
}
