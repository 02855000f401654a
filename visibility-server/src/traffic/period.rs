//! Some days and as many before them, and whether their numbers can be compared.

use std::fmt;
use std::ops::RangeInclusive;

use chrono::{Days, NaiveDate};
use serde::Serialize;
use utoipa::ToSchema;

use crate::stores::state::uncounted::UncountedDays;

/// Some days.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct Period {
    /// First day, UTC.
    #[schema(value_type = String, format = Date)]
    pub from: NaiveDate,
    /// Last day.
    #[schema(value_type = String, format = Date)]
    pub to: NaiveDate,
    /// Whether the numbers are those of all records of these days.
    pub whole: bool,
    /// Why they are not.
    pub not_whole: Vec<NotWhole>,
}

/// Why the numbers of some days are not whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotWhole {
    /// The first record that is stored is of a later day, or there is none.
    RecordsBeginLater,
    /// The last day is not over.
    NotOver,
    /// An earlier version has counted records without the kinds of their paths.
    KindsUncounted,
}

impl fmt::Display for NotWhole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::RecordsBeginLater => "records of later days are the first that are stored",
            Self::NotOver => "the last day is not over",
            Self::KindsUncounted => "not all records are counted by kind of path",
        })
    }
}

/// As many days before some days.
pub(super) fn before(days: &RangeInclusive<NaiveDate>) -> RangeInclusive<NaiveDate> {
    let length = (*days.end() - *days.start()).num_days() + 1;
    let length = Days::new(u64::try_from(length).unwrap_or_default());
    let begin = |day: NaiveDate| day.checked_sub_days(length).unwrap_or(NaiveDate::MIN);
    begin(*days.start())..=begin(*days.end())
}

/// What decides whether the numbers of some days are whole.
pub(super) struct Wholeness<'a> {
    pub(super) first_day: Option<NaiveDate>,
    pub(super) today: NaiveDate,
    pub(super) uncounted: &'a [UncountedDays],
}

impl Wholeness<'_> {
    /// What the numbers of some days lack.
    pub(super) fn lacks(&self, days: &RangeInclusive<NaiveDate>) -> Vec<NotWhole> {
        let begins_later = self.first_day.is_none_or(|first| first > *days.start());
        let is_not_over = *days.end() >= self.today;
        let is_uncounted =
            self.uncounted.iter().any(|row| row.from <= *days.end() && row.to >= *days.start());
        [
            (begins_later, NotWhole::RecordsBeginLater),
            (is_not_over, NotWhole::NotOver),
            (is_uncounted, NotWhole::KindsUncounted),
        ]
        .into_iter()
        .filter_map(|(holds, reason)| holds.then_some(reason))
        .collect()
    }

    /// Some days, with what their numbers lack.
    pub(super) fn period(&self, days: &RangeInclusive<NaiveDate>) -> Period {
        let not_whole = self.lacks(days);
        Period { from: *days.start(), to: *days.end(), whole: not_whole.is_empty(), not_whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_whole_if_they_are_over_and_all_records_are_here() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        let uncounted = [UncountedDays {
            tenant: "acme".parse().unwrap(),
            from: day(10),
            to: day(11),
            state: crate::stores::state::uncounted::UncountedState::Waiting,
        }];
        let whole = Wholeness { first_day: Some(day(5)), today: day(28), uncounted: &uncounted };
        for (from, to, expected) in [
            (12, 27, &[][..]),
            (5, 9, &[]),
            (4, 9, &[NotWhole::RecordsBeginLater]),
            (12, 28, &[NotWhole::NotOver]),
            (1, 30, &[NotWhole::RecordsBeginLater, NotWhole::NotOver, NotWhole::KindsUncounted]),
            (11, 12, &[NotWhole::KindsUncounted]),
        ] {
            assert_eq!(whole.lacks(&(day(from)..=day(to))), expected, "{from} to {to}");
        }
        let empty = Wholeness { first_day: None, ..whole };
        assert_eq!(empty.lacks(&(day(5)..=day(9))), [NotWhole::RecordsBeginLater]);
    }
}
