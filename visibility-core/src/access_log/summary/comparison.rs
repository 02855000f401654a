//! Key figures of whole days against those of as many days before, from the same files.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate};
use serde::Serialize;

use super::paths::{self, BoundedTable};
use super::site::{DAY_MILLIS, MAX_DAYS, reaching};
use crate::agents::Purpose;
use crate::traffic::{PathKind, ResponseClass};

/// A day has its begin if something was requested in its first hour, and its end if something was in its last.
const HOUR_MILLIS: i64 = 3_600_000;

/// What the requests of agents were on some days.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct KeyFigures {
    /// Their requests.
    pub requests: u64,
    /// Those because a person asked.
    pub asked_by_person: u64,
    /// Different pages that one of them got; `None` if there are more than are counted.
    pub pages: Option<u64>,
    /// Refused requests: 401, 403, 406, 429, 451.
    pub refused: u64,
    /// Requests for what is not there: 404, 410.
    pub missing: u64,
    /// Visits of people from AI assistants.
    pub visits: u64,
}

/// The whole days of a report, and as many days before.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct DayComparison {
    /// The first whole day.
    pub from: NaiveDate,
    /// The last one.
    pub to: NaiveDate,
    /// What was on these days.
    pub figures: KeyFigures,
    /// The first day of those before.
    pub before_from: NaiveDate,
    /// The last one, which is the day before `from`.
    pub before_to: NaiveDate,
    /// What was on those days.
    pub before: KeyFigures,
}

/// One day.
#[derive(Clone, Copy, Debug, Default)]
struct ComparedDay {
    figures: KeyFigures,
    /// Whether anyone requested anything.
    is_seen: bool,
}

/// When agents got a page: as much as decides whether it is among the pages of days that are known at the end alone.
#[derive(Clone, Copy, Debug, Default)]
struct PageDays {
    last_before: Option<i64>,
    first_since: Option<i64>,
}

/// What is counted to compare days.
#[derive(Debug)]
pub(super) struct ComparedDays {
    /// The first whole day of the report.
    first_day: i64,
    /// The first and the last request by anyone, in milliseconds.
    seen: Option<(i64, i64)>,
    days: BTreeMap<i64, ComparedDay>,
    pages: BoundedTable<PageDays>,
    has_all_pages: bool,
}

fn day_of(millis: i64) -> i64 {
    millis.div_euclid(DAY_MILLIS)
}

fn date(day: i64) -> Option<NaiveDate> {
    Some(DateTime::from_timestamp_millis(day.checked_mul(DAY_MILLIS)?)?.date_naive())
}

impl ComparedDays {
    /// For a report since a time.
    pub(super) fn new(since_millis: i64) -> Self {
        let day = day_of(since_millis);
        let begins_with_day = since_millis.rem_euclid(DAY_MILLIS) == 0;
        Self {
            first_day: if begins_with_day { day } else { day + 1 },
            seen: None,
            days: BTreeMap::new(),
            pages: paths::agent_paths(),
            has_all_pages: true,
        }
    }

    fn day(&mut self, millis: i64) -> Option<&mut ComparedDay> {
        let day = day_of(millis);
        // The days of the report, and as many before.
        if self.days.len() >= 2 * MAX_DAYS && !self.days.contains_key(&day) {
            return None;
        }
        Some(self.days.entry(day).or_default())
    }

    /// Counts a request by anyone.
    pub(super) fn request(&mut self, millis: i64) {
        self.seen = Some(reaching(self.seen, millis));
        if let Some(day) = self.day(millis) {
            day.is_seen = true;
        }
    }

    /// Counts a visit from an assistant.
    pub(super) fn visit(&mut self, millis: i64) {
        if let Some(day) = self.day(millis) {
            day.figures.visits += 1;
        }
    }

    /// Counts the request of an agent for a path, which is given with its host.
    pub(super) fn record(
        &mut self,
        millis: i64,
        purpose: Purpose,
        class: ResponseClass,
        (path, kind): (&str, PathKind),
    ) {
        let Some(ComparedDay { figures, .. }) = self.day(millis) else { return };
        figures.requests += 1;
        figures.asked_by_person += u64::from(purpose == Purpose::User);
        figures.refused += u64::from(class == ResponseClass::Refused);
        figures.missing += u64::from(class == ResponseClass::Missing);
        if kind != PathKind::Page || class != ResponseClass::Served {
            return;
        }
        let (day, first_day) = (day_of(millis), self.first_day);
        let Some(page) = self.pages.row(path, PageDays::default) else {
            self.has_all_pages = false;
            return;
        };
        if day < first_day {
            page.last_before = page.last_before.max(Some(day));
        } else {
            page.first_since = Some(page.first_since.map_or(day, |first| first.min(day)));
        }
    }

    /// The comparison; `None` if the files do not have all of the days whole.
    pub(super) fn comparison(&self) -> Option<DayComparison> {
        let (first_millis, last_millis) = self.seen?;
        let day_has_end = last_millis.rem_euclid(DAY_MILLIS) >= DAY_MILLIS - HOUR_MILLIS;
        let last_day = if day_has_end { day_of(last_millis) } else { day_of(last_millis) - 1 };
        let days = last_day - self.first_day + 1;
        let first_before = self.first_day.checked_sub(days)?;
        let begin = first_before.checked_mul(DAY_MILLIS)?;
        let has_begin = first_millis < begin.saturating_add(HOUR_MILLIS);
        // A day without any request is more likely one whose file is missing.
        let seen_days = self.days.range(first_before..=last_day.max(first_before));
        let seen_days = seen_days.filter(|(_, day)| day.is_seen).count();
        let is_whole = i64::try_from(seen_days).is_ok_and(|seen| seen == 2 * days);
        if days < 1 || !has_begin || !is_whole {
            return None;
        }
        Some(DayComparison {
            from: date(self.first_day)?,
            to: date(last_day)?,
            figures: self.figures(self.first_day, last_day, |page| {
                page.first_since.is_some_and(|day| day <= last_day)
            }),
            before_from: date(first_before)?,
            before_to: date(self.first_day - 1)?,
            before: self.figures(first_before, self.first_day - 1, |page| {
                page.last_before.is_some_and(|day| day >= first_before)
            }),
        })
    }

    fn figures(&self, from: i64, to: i64, is_read: impl Fn(&PageDays) -> bool) -> KeyFigures {
        let pages = self.pages.iter().filter(|(_, page)| is_read(page)).count();
        let pages = self.has_all_pages.then(|| u64::try_from(pages).unwrap_or(u64::MAX));
        let mut sums = KeyFigures { pages, ..KeyFigures::default() };
        for (_, ComparedDay { figures, .. }) in self.days.range(from..=to) {
            sums.requests += figures.requests;
            sums.asked_by_person += figures.asked_by_person;
            sums.refused += figures.refused;
            sums.missing += figures.missing;
            sums.visits += figures.visits;
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = HOUR_MILLIS;

    /// One request of an agent for `/{day}` and the hour on each day of a range, at these hours.
    fn counted(since: i64, days: std::ops::Range<i64>, hours: &[i64]) -> ComparedDays {
        let mut counted = ComparedDays::new(since);
        for day in days {
            for hour in hours {
                let millis = day * DAY_MILLIS + hour * HOUR;
                counted.request(millis);
                let path = format!("/{}", day % 3);
                let page = (path.as_str(), PathKind::Page);
                counted.record(millis, Purpose::User, ResponseClass::Served, page);
            }
        }
        counted
    }

    #[test]
    fn whole_days_are_compared_with_as_many_before() {
        let found = counted(10 * DAY_MILLIS, 0..20, &[0, 12, 23]).comparison().unwrap();
        assert_eq!((date(10), date(19)), (Some(found.from), Some(found.to)));
        assert_eq!((date(0), date(9)), (Some(found.before_from), Some(found.before_to)));
        let figures = KeyFigures {
            requests: 30,
            asked_by_person: 30,
            pages: Some(3),
            ..KeyFigures::default()
        };
        assert_eq!((found.figures, found.before), (figures, figures));
    }

    #[test]
    fn days_that_are_cut_are_left_out() {
        // From noon of the day 10 to noon of the day 14: the days 11 to 13, and 8 to 10 before them.
        let since = 10 * DAY_MILLIS + 12 * HOUR;
        let found = counted(since, 0..15, &[0, 12]).comparison().unwrap();
        assert_eq!((date(11), date(13)), (Some(found.from), Some(found.to)));
        assert_eq!((date(8), date(10)), (Some(found.before_from), Some(found.before_to)));
        assert_eq!(found.before.requests, 6);
    }

    #[test]
    fn nothing_is_compared_if_a_day_is_missing_or_the_files_begin_later() {
        let since = 10 * DAY_MILLIS;
        assert!(counted(since, 1..20, &[0, 23]).comparison().is_none());
        assert!(counted(since, 10..20, &[0, 23]).comparison().is_none());
        assert!(counted(since, 0..10, &[0, 23]).comparison().is_none());
        assert!(counted(since, 0..0, &[]).comparison().is_none());
        // The first of the days begins at one o'clock.
        assert!(counted(since, 0..20, &[1, 23]).comparison().is_none());
        let mut with_gap = counted(since, 0..5, &[0, 23]);
        let after = counted(since, 6..20, &[0, 23]);
        with_gap.days.extend(after.days);
        with_gap.seen = Some((0, 20 * DAY_MILLIS - HOUR));
        assert!(with_gap.comparison().is_none());
    }

    #[test]
    fn the_end_of_time_is_no_trouble() {
        for since in [i64::MIN, i64::MAX] {
            let mut counted = ComparedDays::new(since);
            for millis in [i64::MIN, 0, i64::MAX] {
                counted.request(millis);
            }
            assert!(counted.comparison().is_none());
        }
    }
}
