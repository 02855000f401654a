//! Which records a question is about, and which of the stored counts can answer it.

use std::ops::RangeInclusive;
use std::str::FromStr;

use chrono::{Days, NaiveDate};
use serde::Deserialize;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;
use visibility_core::limits;
use visibility_core::traffic::{PathKind, ResponseClass};

use super::directory::AgentDirectory;
use crate::ingest::stats::{StatusFilter, StatusFilterError};
use crate::stores::state::counts::{DayTable, HourCount, RecordFilter, StatusSet};

/// The records that a question is about.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Selection {
    /// Whose records.
    pub tenant: TenantSlug,
    /// First day, UTC.
    pub from: NaiveDate,
    /// Last day.
    pub to: NaiveDate,
    /// Id of the only agent.
    pub agent: Option<String>,
    /// The only purpose of agents.
    pub purpose: Option<Purpose>,
    /// The only vendor of agents, in any case.
    pub vendor: Option<String>,
    /// The only host, in lower case.
    pub host: Option<String>,
    /// The only statuses.
    pub status: Option<StatusSelection>,
    /// The only kind of path.
    pub kind: Option<PathKind>,
}

/// Some statuses: those of one word on the wire.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(try_from = "String")]
pub enum StatusSelection {
    /// One status, such as `404`.
    One(u16),
    /// All that start with a digit, such as `4xx`.
    Class(u8),
    /// `refused`: 401, 403, 406, 429 and 451.
    Refused,
    /// `missing`: 404 and 410.
    Missing,
    /// `failed`: 5xx.
    Failed,
}

/// Why a text selects no statuses.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "a status is a number from 100 to 599, a class such as `4xx`, or `refused`, `missing` or `failed`"
)]
pub struct StatusSelectionError;

/// Two parameters of a question that no stored count answers together.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{}` and `{}` cannot be answered together: {reason}", .parameters[0], .parameters[1])]
pub struct ConflictError {
    /// Their names.
    pub parameters: [&'static str; 2],
    /// Why.
    pub reason: ConflictReason,
}

/// Why no stored count answers two parameters together.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ConflictReason {
    /// Counts by kind have no single statuses.
    #[error(
        "kinds of paths are counted with classes such as `4xx`, `refused` or `missing`, not with single statuses"
    )]
    KindsByClass,
    /// Counts by hour have neither kinds nor statuses.
    #[error(
        "hours are counted by agent and host, and of statuses as `refused`, `missing` and `failed` alone"
    )]
    HoursByAgent,
    /// There would be too many hours.
    #[error("at most {} days are shown by hour", limits::MAX_DAYS_BY_HOUR)]
    TooManyHours,
    /// The hours are not stored any more.
    #[error("counts by hour are stored for {} days", limits::HOUR_DAYS)]
    HoursAreGone,
}

/// What a question needs beside its selection.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Grouping {
    /// By hour and not by day.
    pub(super) by_hour: bool,
    /// By kind of path.
    pub(super) by_kind: bool,
    /// By single statuses.
    pub(super) by_status: bool,
}

/// The stored counts that answer a question.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum CountTable {
    Day(DayTable),
    Hour(HourCount),
}

impl Selection {
    /// All records of some days.
    pub fn of_days(tenant: TenantSlug, from: NaiveDate, to: NaiveDate) -> Self {
        Self {
            tenant,
            from,
            to,
            agent: None,
            purpose: None,
            vendor: None,
            host: None,
            status: None,
            kind: None,
        }
    }

    pub(super) fn days(&self) -> RangeInclusive<NaiveDate> {
        self.from..=self.to
    }

    /// How many days it is about.
    pub(super) fn length(&self) -> u64 {
        u64::try_from((self.to - self.from).num_days() + 1).unwrap_or_default()
    }

    /// Whether it names agents by what many of them have.
    pub(super) fn is_about_agents_alike(&self) -> bool {
        self.purpose.is_some() || self.vendor.is_some()
    }

    /// Whether an agent has the purpose and the vendor.
    pub(super) fn has_agent(&self, directory: &AgentDirectory, id: &str) -> bool {
        self.purpose.is_none_or(|only| only == directory.purpose(id))
            && self.vendor.as_deref().is_none_or(|only| {
                directory.vendor(id).is_some_and(|vendor| vendor.eq_ignore_ascii_case(only))
            })
    }

    /// What the database is asked for; the purpose and the vendor are left to [`Self::has_agent`].
    pub(super) fn filter<'a>(&'a self, days: &'a RangeInclusive<NaiveDate>) -> RecordFilter<'a> {
        RecordFilter {
            tenant: &self.tenant,
            days,
            agent: self.agent.as_deref(),
            host: self.host.as_deref(),
            statuses: self.status.map_or(StatusSet::ALL, StatusSelection::statuses),
            kind: self.kind,
        }
    }

    /// The one place that says which counts answer what.
    ///
    /// # Errors
    ///
    /// When none do: names the two parameters.
    pub(super) fn table(&self, grouping: Grouping) -> Result<CountTable, ConflictError> {
        let conflict =
            |first, second, reason| Err(ConflictError { parameters: [first, second], reason });
        let Grouping { by_hour, by_kind, by_status } = grouping;
        if by_hour {
            let reason = ConflictReason::HoursByAgent;
            return match self.status {
                _ if by_kind || by_status => conflict("by", "group", reason),
                _ if self.kind.is_some() => conflict("by", "kind", reason),
                Some(StatusSelection::One(_) | StatusSelection::Class(_)) => {
                    conflict("by", "status", reason)
                }
                None => Ok(CountTable::Hour(HourCount::All)),
                Some(StatusSelection::Refused) => Ok(CountTable::Hour(HourCount::Refused)),
                Some(StatusSelection::Missing) => Ok(CountTable::Hour(HourCount::Missing)),
                Some(StatusSelection::Failed) => Ok(CountTable::Hour(HourCount::Failed)),
            };
        }
        if !by_kind && self.kind.is_none() {
            return Ok(CountTable::Day(DayTable::Rollup));
        }
        let kind = if by_kind { "group" } else { "kind" };
        if by_status {
            return conflict("group", "kind", ConflictReason::KindsByClass);
        }
        if matches!(self.status, Some(StatusSelection::One(_))) {
            return conflict(kind, "status", ConflictReason::KindsByClass);
        }
        Ok(CountTable::Day(DayTable::Kind))
    }

    /// The table of counts by day, for a question that groups neither by kind nor by hour.
    pub(super) fn day_table(&self) -> DayTable {
        if self.kind.is_some() { DayTable::Kind } else { DayTable::Rollup }
    }

    /// Refuses days that are not shown by hour.
    pub(super) fn check_hours(&self, today: NaiveDate) -> Result<(), ConflictError> {
        let conflict = |reason| Err(ConflictError { parameters: ["by", "from"], reason });
        if (self.to - self.from).num_days() >= limits::MAX_DAYS_BY_HOUR {
            return conflict(ConflictReason::TooManyHours);
        }
        let first = today.checked_sub_days(Days::new(limits::HOUR_DAYS.into()));
        if first.is_some_and(|first| self.from < first) {
            return conflict(ConflictReason::HoursAreGone);
        }
        Ok(())
    }
}

impl StatusSelection {
    /// Each of the statuses.
    pub(crate) fn each(self) -> impl Iterator<Item = u16> {
        (100..=599).filter(move |status| match self {
            Self::One(only) => *status == only,
            Self::Class(class) => status / 100 == u16::from(class),
            Self::Failed => *status >= 500,
            Self::Refused => ResponseClass::of(*status) == ResponseClass::Refused,
            Self::Missing => ResponseClass::of(*status) == ResponseClass::Missing,
        })
    }

    fn statuses(self) -> StatusSet {
        match self {
            Self::One(status) => StatusSet::range(status..=status),
            Self::Class(class) => {
                let first = u16::from(class) * 100;
                StatusSet::range(first..=first + 99)
            }
            Self::Failed => StatusSet::range(500..=599),
            Self::Refused => StatusSet::of(statuses_of(ResponseClass::Refused)),
            Self::Missing => StatusSet::of(statuses_of(ResponseClass::Missing)),
        }
    }
}

fn statuses_of(class: ResponseClass) -> impl Iterator<Item = u16> {
    (100..=599).filter(move |status| ResponseClass::of(*status) == class)
}

impl TryFrom<String> for StatusSelection {
    type Error = StatusSelectionError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl FromStr for StatusSelection {
    type Err = StatusSelectionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "refused" => return Ok(Self::Refused),
            "missing" => return Ok(Self::Missing),
            "failed" => return Ok(Self::Failed),
            _ => {}
        }
        match text.parse() {
            Ok(StatusFilter::One(status)) => Ok(Self::One(status)),
            Ok(StatusFilter::Class(class)) => Ok(Self::Class(class)),
            Err(StatusFilterError) => Err(StatusSelectionError),
        }
    }
}
