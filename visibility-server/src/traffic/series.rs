//! How many records there are day by day or hour by hour, each group for itself.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;
use visibility_core::store::sums::OTHER_HOST;

use super::directory::AgentDirectory;
use super::instant;
use super::selection::{ConflictError, CountTable, Grouping, Selection};
use crate::stores::Stores;
use crate::stores::state::counts::{CellCount, DayColumn, DayTable};
use crate::stores::state::uncounted::UncountedDays;

/// Most groups that are listed; the rest is `(other)`.
const MAX_GROUPS: usize = 40;
/// The vendor of agents that the registry does not know any more.
pub(crate) const NO_VENDOR: &str = "(unknown)";

/// What is counted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SeriesQuestion {
    /// Which records.
    pub selection: Selection,
    /// How long each span of time is.
    pub by: SeriesStep,
    /// What makes records a group.
    pub group: SeriesGroup,
}

/// How long each span of a series is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeriesStep {
    /// A day, UTC.
    Day,
    /// An hour.
    Hour,
}

/// What makes records of a series a group.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeriesGroup {
    /// What the agent is for.
    Purpose,
    /// The agent.
    Agent,
    /// Who runs the agent.
    Vendor,
    /// The host.
    Host,
    /// The HTTP status.
    Status,
    /// What the path leads to.
    Kind,
}

/// Records of each span of time, for each group.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct Series {
    /// Whose records.
    #[schema(value_type = String)]
    pub tenant: TenantSlug,
    /// First day, UTC.
    #[schema(value_type = String, format = Date)]
    pub from: NaiveDate,
    /// Last day.
    #[schema(value_type = String, format = Date)]
    pub to: NaiveDate,
    /// How long each span is.
    pub by: SeriesStep,
    /// What makes records a group.
    pub group: SeriesGroup,
    /// When each span begins, if it is a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<String>)]
    pub days: Option<Vec<NaiveDate>>,
    /// When each span begins, if it is an hour, such as `2026-11-01T15:00:00Z`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Vec<String>>,
    /// The groups, the busiest first.
    pub groups: Vec<GroupSeries>,
    /// Days of which records are missing here, as an earlier version has counted them.
    pub uncounted: Vec<UncountedDays>,
}

/// The records of a group.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct GroupSeries {
    /// Its value: an id of an agent, a host, a status.
    pub key: String,
    /// The same for people.
    pub name: String,
    /// All of its requests.
    pub requests: u64,
    /// Its requests in each span.
    pub values: Vec<u64>,
}

impl SeriesQuestion {
    /// Refuses what the stored counts cannot say.
    ///
    /// # Errors
    ///
    /// When it asks for hours of what is not counted by hour, of too many days, or of days that are too old, and for
    /// kinds of paths with single statuses.
    pub fn check(&self, today: NaiveDate) -> Result<(), ConflictError> {
        self.table()?;
        match self.by {
            SeriesStep::Day => Ok(()),
            SeriesStep::Hour => self.selection.check_hours(today),
        }
    }

    fn table(&self) -> Result<CountTable, ConflictError> {
        self.selection.table(Grouping {
            by_hour: self.by == SeriesStep::Hour,
            by_kind: self.group == SeriesGroup::Kind,
            by_status: self.group == SeriesGroup::Status,
        })
    }
}

/// Counts the records of a tenant.
///
/// # Errors
///
/// When the database cannot be read, and when no stored count answers the question.
pub fn series(stores: &Stores, question: &SeriesQuestion) -> Result<Series, StoreError> {
    let [series] = series_together(stores, question, [question.group])?;
    Ok(series)
}

/// The series of several groups of agents, read in one go; the group of the question does not matter.
///
/// # Errors
///
/// When the database cannot be read, and when no stored count answers the question.
pub(crate) fn series_together<const GROUPS: usize>(
    stores: &Stores,
    question: &SeriesQuestion,
    groups: [SeriesGroup; GROUPS],
) -> Result<[Series; GROUPS], StoreError> {
    let SeriesQuestion { selection, by, group } = question;
    let describe = || "count records by time".to_owned();
    let table = question.table().map_err(|error| StoreError::unchanged(describe(), error))?;
    let state_store = stores.state_store();
    let directory = AgentDirectory::new();
    let (spans, first) = spans(question);
    let mut counted = groups.map(|group| (group, BTreeMap::<String, Vec<u64>>::new()));
    let mut add = |count: CellCount| {
        let place = usize::try_from(count.time - first).ok().filter(|place| *place < spans);
        let Some(place) = place.filter(|_| count.records > 0) else { return };
        if !selection.has_agent(&directory, &count.agent) {
            return;
        }
        for (group, sums) in &mut counted {
            let key = key(*group, &count, &directory);
            if !sums.contains_key(key) {
                sums.insert(key.to_owned(), vec![0; spans]);
            }
            if let Some(value) = sums.get_mut(key).and_then(|values| values.get_mut(place)) {
                *value = value.saturating_add(count.records);
            }
        }
    };
    let days = selection.days();
    let filter = selection.filter(&days);
    match table {
        CountTable::Day(table) => {
            let with_agents = selection.is_about_agents_alike();
            let cells = (table, column(*group));
            state_store.for_each_day_count(&filter, cells, with_agents, &mut add)?;
        }
        CountTable::Hour(counted) => {
            let by_host = *group == SeriesGroup::Host;
            state_store.for_each_hour_count(&filter, counted, by_host, &mut add)?;
        }
    }
    let uncounted = match table {
        CountTable::Day(DayTable::Rollup) => Vec::new(),
        _ => state_store.uncounted_days(&selection.tenant, &days)?,
    };
    Ok(counted.map(|(group, sums)| Series {
        tenant: selection.tenant.clone(),
        from: selection.from,
        to: selection.to,
        by: *by,
        group,
        days: (*by == SeriesStep::Day).then(|| each_day(selection)),
        hours: (*by == SeriesStep::Hour).then(|| each_hour(question)),
        groups: busiest(sums, group, &directory),
        uncounted: uncounted.clone(),
    }))
}

/// The group that a count belongs to.
fn key<'a>(group: SeriesGroup, count: &'a CellCount, directory: &AgentDirectory) -> &'a str {
    match group {
        SeriesGroup::Purpose => directory.purpose(&count.agent).as_str(),
        SeriesGroup::Vendor => directory.vendor(&count.agent).unwrap_or(NO_VENDOR),
        SeriesGroup::Agent => &count.agent,
        SeriesGroup::Host | SeriesGroup::Status | SeriesGroup::Kind => &count.key,
    }
}

fn column(group: SeriesGroup) -> DayColumn {
    match group {
        SeriesGroup::Purpose | SeriesGroup::Agent | SeriesGroup::Vendor => DayColumn::Agent,
        SeriesGroup::Host => DayColumn::Host,
        SeriesGroup::Status => DayColumn::Status,
        SeriesGroup::Kind => DayColumn::Kind,
    }
}

/// How many spans there are, and the number of the first.
fn spans(question: &SeriesQuestion) -> (usize, i64) {
    let Selection { from, .. } = question.selection;
    let days = usize::try_from(question.selection.length()).unwrap_or_default();
    let first = i64::from(from.to_epoch_days());
    match question.by {
        SeriesStep::Day => (days, first),
        SeriesStep::Hour => (days * 24, first * 24),
    }
}

fn each_day(selection: &Selection) -> Vec<NaiveDate> {
    selection.from.iter_days().take_while(|day| *day <= selection.to).collect()
}

fn each_hour(question: &SeriesQuestion) -> Vec<String> {
    let (spans, first) = spans(question);
    let hour = |hour: i64| DateTime::<Utc>::from_timestamp(hour * 3600, 0);
    (first..).take(spans).filter_map(hour).map(instant).collect()
}

impl Series {
    /// When each span begins.
    pub(crate) fn times(&self) -> Vec<String> {
        match &self.days {
            Some(days) => days.iter().map(ToString::to_string).collect(),
            None => self.hours.clone().unwrap_or_default(),
        }
    }

    /// What each span is: `day` or `hour`.
    pub(crate) fn span_name(&self) -> &'static str {
        match self.by {
            SeriesStep::Day => "day",
            SeriesStep::Hour => "hour",
        }
    }
}

/// The busiest groups, and the rest as one.
fn busiest(
    groups: BTreeMap<String, Vec<u64>>,
    group: SeriesGroup,
    directory: &AgentDirectory,
) -> Vec<GroupSeries> {
    let mut series: Vec<GroupSeries> = groups
        .into_iter()
        .map(|(key, values)| GroupSeries {
            name: if group == SeriesGroup::Agent { directory.name(&key) } else { &key }.to_owned(),
            requests: values.iter().copied().fold(0, u64::saturating_add),
            key,
            values,
        })
        .collect();
    // The rest is no group of its own, however many records it has.
    series.sort_by_key(|group| (group.key == OTHER_HOST, Reverse(group.requests)));
    if series.len() <= MAX_GROUPS {
        return series;
    }
    let rest = series.split_off(MAX_GROUPS);
    let mut other = GroupSeries {
        key: OTHER_HOST.to_owned(),
        name: OTHER_HOST.to_owned(),
        requests: 0,
        values: Vec::new(),
    };
    for group in rest {
        other.requests = other.requests.saturating_add(group.requests);
        other.values.resize(group.values.len(), 0);
        for (sum, value) in other.values.iter_mut().zip(group.values) {
            *sum = sum.saturating_add(value);
        }
    }
    series.push(other);
    series
}

#[cfg(test)]
mod tests {
    use chrono::Days;

    use super::*;
    use crate::traffic::selection::ConflictReason;

    fn question(by: SeriesStep, group: SeriesGroup, days: u64) -> SeriesQuestion {
        let to = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        let from = to.checked_sub_days(Days::new(days - 1)).unwrap();
        let selection = Selection::of_days("acme".parse().unwrap(), from, to);
        SeriesQuestion { selection, by, group }
    }

    #[test]
    fn hours_are_refused_where_they_are_not_counted() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        let reason = |question: &SeriesQuestion, today| {
            question.check(today).map_err(|error| (error.parameters, error.reason))
        };
        let check = |group, days| reason(&question(SeriesStep::Hour, group, days), today);
        assert_eq!(check(SeriesGroup::Agent, 31), Ok(()));
        assert_eq!(
            check(SeriesGroup::Agent, 32),
            Err((["by", "from"], ConflictReason::TooManyHours))
        );
        assert_eq!(
            check(SeriesGroup::Kind, 1),
            Err((["by", "group"], ConflictReason::HoursByAgent))
        );
        let later = today.checked_add_days(Days::new(95)).unwrap();
        let one_day = question(SeriesStep::Hour, SeriesGroup::Host, 1);
        assert_eq!(reason(&one_day, later), Ok(()));
        assert_eq!(
            reason(&one_day, later.succ_opt().unwrap()),
            Err((["by", "from"], ConflictReason::HoursAreGone))
        );
        assert_eq!(question(SeriesStep::Day, SeriesGroup::Kind, 800).check(later), Ok(()));
    }

    #[test]
    fn each_span_has_a_time() {
        let days = question(SeriesStep::Day, SeriesGroup::Agent, 3);
        assert_eq!(each_day(&days.selection).len(), spans(&days).0);
        let hours = question(SeriesStep::Hour, SeriesGroup::Agent, 2);
        let times = each_hour(&hours);
        assert_eq!(times.len(), 48);
        assert_eq!(times.first().unwrap(), "2026-11-29T00:00:00Z");
        assert_eq!(times.last().unwrap(), "2026-11-30T23:00:00Z");
    }

    #[test]
    fn groups_beyond_the_limit_are_one() {
        let hosts = (0..50_u64).map(|number| (format!("{number}.example"), vec![number, 1]));
        let mut groups: BTreeMap<String, Vec<u64>> = hosts.collect();
        groups.insert(OTHER_HOST.to_owned(), vec![1000, 0]);
        let series = busiest(groups, SeriesGroup::Host, &AgentDirectory::new());
        assert_eq!(series.len(), MAX_GROUPS + 1);
        assert_eq!(series.first().unwrap().key, "49.example");
        let other = series.last().unwrap();
        assert_eq!((other.key.as_str(), other.requests), (OTHER_HOST, 1000 + 45 + 10));
        assert_eq!(other.values, [1045, 10]);
    }
}
