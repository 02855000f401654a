//! How many records there are day by day or hour by hour, each group for itself.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use chrono::{DateTime, Days, NaiveDate, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Registry;
use visibility_core::limits;
use visibility_core::store::StoreError;
use visibility_core::store::sums::OTHER_HOST;

use crate::ingest::stats::purpose_of;
use crate::stores::Stores;
use crate::stores::state::series::{Column, Span};
use crate::stores::state::uncounted::UncountedDays;

/// Most groups that are listed; the rest is `(other)`.
const MAX_GROUPS: usize = 40;
/// Most days that are shown hour by hour.
const MAX_DAYS_BY_HOUR: i64 = 31;

/// What is counted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SeriesQuestion {
    /// Whose records.
    pub tenant: TenantSlug,
    /// First day, UTC.
    pub from: NaiveDate,
    /// Last day.
    pub to: NaiveDate,
    /// How long each span of time is.
    pub by: SeriesStep,
    /// What makes records a group.
    pub group: SeriesGroup,
}

/// How long each span of a series is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesStep {
    /// A day, UTC.
    Day,
    /// An hour.
    Hour,
}

/// What makes records of a series a group.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesGroup {
    /// What the agent is for.
    Purpose,
    /// The agent.
    Agent,
    /// The host.
    Host,
    /// The HTTP status.
    Status,
    /// What the path leads to.
    Kind,
}

/// Why a series cannot be counted.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SeriesError {
    /// What is stored by hour does not say this.
    #[error("`by` cannot be `hour` while `group` is `{0}`: hours are counted by agent and host")]
    HoursWithoutGroup(&'static str),
    /// There would be too many hours.
    #[error("at most {MAX_DAYS_BY_HOUR} days can be shown by hour")]
    TooManyDays,
    /// The hours are not stored any more.
    #[error("counts by hour are stored for {days} days: since {0}", days = limits::HOUR_DAYS)]
    TooOld(NaiveDate),
}

/// Records of each span of time, for each group.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Series {
    /// Whose records.
    pub tenant: TenantSlug,
    /// First day, UTC.
    pub from: NaiveDate,
    /// Last day.
    pub to: NaiveDate,
    /// How long each span is.
    pub by: SeriesStep,
    /// What makes records a group.
    pub group: SeriesGroup,
    /// When each span begins.
    #[serde(flatten)]
    pub times: SeriesTimes,
    /// The groups, the busiest first.
    pub groups: Vec<GroupSeries>,
    /// Days of which records are missing here, as an earlier version has counted them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<UncountedDays>,
}

/// When each span of a series begins.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesTimes {
    /// Days, UTC.
    Days(Vec<NaiveDate>),
    /// Hours, such as `2026-11-01T15:00:00Z`.
    Hours(Vec<String>),
}

/// The records of a group.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct GroupSeries {
    /// Its value: an id of an agent, a host, a status.
    pub key: String,
    /// The same for people.
    pub name: String,
    /// All of its records.
    pub records: u64,
    /// Its records in each span.
    pub values: Vec<u64>,
}

impl SeriesQuestion {
    /// Refuses what the stored sums cannot say.
    ///
    /// # Errors
    ///
    /// When it asks for hours of what is not counted by hour, of too many days, or of days that are too old.
    pub fn check(&self, today: NaiveDate) -> Result<(), SeriesError> {
        if self.by == SeriesStep::Day {
            return Ok(());
        }
        match self.group {
            SeriesGroup::Status => return Err(SeriesError::HoursWithoutGroup("status")),
            SeriesGroup::Kind => return Err(SeriesError::HoursWithoutGroup("kind")),
            SeriesGroup::Purpose | SeriesGroup::Agent | SeriesGroup::Host => {}
        }
        if (self.to - self.from).num_days() >= MAX_DAYS_BY_HOUR {
            return Err(SeriesError::TooManyDays);
        }
        let first = today.checked_sub_days(Days::new(limits::HOUR_DAYS.into()));
        match first.filter(|first| self.from < *first) {
            Some(first) => Err(SeriesError::TooOld(first)),
            None => Ok(()),
        }
    }

    fn days(&self) -> RangeInclusive<NaiveDate> {
        self.from..=self.to
    }

    /// Whether the answer is from tables that an earlier version does not fill.
    fn is_of_newer_tables(&self) -> bool {
        self.by == SeriesStep::Hour || self.group == SeriesGroup::Kind
    }
}

/// Counts the records of a tenant.
///
/// # Errors
///
/// When the database cannot be read.
pub fn series(stores: &Stores, question: &SeriesQuestion) -> Result<Series, StoreError> {
    let state_store = stores.state_store();
    let SeriesQuestion { tenant, from, to, by, group } = question.clone();
    let (spans, first) = spans(question);
    let mut groups: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let step = match by {
        SeriesStep::Day => Span::Day,
        SeriesStep::Hour => Span::Hour,
    };
    state_store.for_each_count(&tenant, &question.days(), (step, column(group)), &mut |count| {
        let key = match group {
            SeriesGroup::Purpose => purpose_of(&count.key).as_str().to_owned(),
            _ => count.key,
        };
        let values = groups.entry(key).or_insert_with(|| vec![0; spans]);
        let place = usize::try_from(count.time - first).ok();
        if let Some(value) = place.and_then(|place| values.get_mut(place)) {
            *value = value.saturating_add(count.records);
        }
    })?;
    let uncounted = if question.is_of_newer_tables() {
        state_store.uncounted_days(&tenant, &question.days())?
    } else {
        Vec::new()
    };
    let times = times(question);
    Ok(Series { tenant, from, to, by, group, times, groups: busiest(groups, group), uncounted })
}

fn column(group: SeriesGroup) -> Column {
    match group {
        SeriesGroup::Purpose | SeriesGroup::Agent => Column::Agent,
        SeriesGroup::Host => Column::Host,
        SeriesGroup::Status => Column::Status,
        SeriesGroup::Kind => Column::Kind,
    }
}

/// How many spans there are, and the number of the first.
fn spans(question: &SeriesQuestion) -> (usize, i64) {
    let days = usize::try_from((question.to - question.from).num_days() + 1).unwrap_or_default();
    let first = i64::from(question.from.to_epoch_days());
    match question.by {
        SeriesStep::Day => (days, first),
        SeriesStep::Hour => (days * 24, first * 24),
    }
}

fn times(question: &SeriesQuestion) -> SeriesTimes {
    match question.by {
        SeriesStep::Day => SeriesTimes::Days(
            question.from.iter_days().take_while(|day| *day <= question.to).collect(),
        ),
        SeriesStep::Hour => {
            let (spans, first) = spans(question);
            let hour = |hour: i64| DateTime::<Utc>::from_timestamp(hour * 3600, 0);
            let hours = (first..).take(spans).filter_map(hour);
            SeriesTimes::Hours(
                hours.map(|hour| hour.to_rfc3339_opts(SecondsFormat::Secs, true)).collect(),
            )
        }
    }
}

/// The busiest groups, and the rest as one.
fn busiest(groups: BTreeMap<String, Vec<u64>>, group: SeriesGroup) -> Vec<GroupSeries> {
    let mut series: Vec<GroupSeries> = groups
        .into_iter()
        .map(|(key, values)| GroupSeries {
            name: name(&key, group),
            records: values.iter().copied().fold(0, u64::saturating_add),
            key,
            values,
        })
        .collect();
    // The rest is no group of its own, however many records it has.
    series.sort_by_key(|group| (group.key == OTHER_HOST, Reverse(group.records)));
    if series.len() <= MAX_GROUPS {
        return series;
    }
    let rest = series.split_off(MAX_GROUPS);
    let mut other = GroupSeries {
        key: OTHER_HOST.to_owned(),
        name: OTHER_HOST.to_owned(),
        records: 0,
        values: Vec::new(),
    };
    for group in rest {
        other.records = other.records.saturating_add(group.records);
        other.values.resize(group.values.len(), 0);
        for (sum, value) in other.values.iter_mut().zip(group.values) {
            *sum = sum.saturating_add(value);
        }
    }
    series.push(other);
    series
}

fn name(key: &str, group: SeriesGroup) -> String {
    let agents = || Registry::embedded().agents.iter();
    match group {
        SeriesGroup::Agent => {
            let agent = agents().find(|agent| agent.id == key);
            agent.map_or_else(|| key.to_owned(), |agent| agent.name.clone())
        }
        _ => key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(by: SeriesStep, group: SeriesGroup, days: u64) -> SeriesQuestion {
        let to = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        SeriesQuestion {
            tenant: "acme".parse().unwrap(),
            from: to.checked_sub_days(Days::new(days - 1)).unwrap(),
            to,
            by,
            group,
        }
    }

    #[test]
    fn hours_are_refused_where_they_are_not_counted() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        let check = |group, days| question(SeriesStep::Hour, group, days).check(today);
        assert_eq!(check(SeriesGroup::Agent, 31), Ok(()));
        assert_eq!(check(SeriesGroup::Agent, 32), Err(SeriesError::TooManyDays));
        assert_eq!(check(SeriesGroup::Kind, 1), Err(SeriesError::HoursWithoutGroup("kind")));
        let later = today.checked_add_days(Days::new(95)).unwrap();
        let first = today.checked_add_days(Days::new(1)).unwrap();
        let one_day = question(SeriesStep::Hour, SeriesGroup::Host, 1);
        assert_eq!(one_day.check(later), Ok(()));
        assert_eq!(one_day.check(later.succ_opt().unwrap()), Err(SeriesError::TooOld(first)));
        assert_eq!(question(SeriesStep::Day, SeriesGroup::Kind, 800).check(later), Ok(()));
    }

    #[test]
    fn each_span_has_a_time() {
        let days = question(SeriesStep::Day, SeriesGroup::Agent, 3);
        let SeriesTimes::Days(times) = times(&days) else { panic!("not days") };
        assert_eq!(times.len(), spans(&days).0);
        let hours = question(SeriesStep::Hour, SeriesGroup::Agent, 2);
        let SeriesTimes::Hours(times) = super::times(&hours) else { panic!("not hours") };
        assert_eq!(times.len(), 48);
        assert_eq!(times.first().unwrap(), "2026-11-29T00:00:00Z");
        assert_eq!(times.last().unwrap(), "2026-11-30T23:00:00Z");
    }

    #[test]
    fn groups_beyond_the_limit_are_one() {
        let hosts = (0..50_u64).map(|number| (format!("{number}.example"), vec![number, 1]));
        let mut groups: BTreeMap<String, Vec<u64>> = hosts.collect();
        groups.insert(OTHER_HOST.to_owned(), vec![1000, 0]);
        let series = busiest(groups, SeriesGroup::Host);
        assert_eq!(series.len(), MAX_GROUPS + 1);
        assert_eq!(series.first().unwrap().key, "49.example");
        let other = series.last().unwrap();
        assert_eq!((other.key.as_str(), other.records), (OTHER_HOST, 1000 + 45 + 10));
        assert_eq!(other.values, [1045, 10]);
    }
}
