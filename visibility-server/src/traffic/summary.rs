//! The most important numbers of some days, and of as many days before them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;
use visibility_core::store::StoreError;
use visibility_core::traffic::PathKind;

use super::directory::AgentDirectory;
use super::errors::ErrorSums;
use super::period::{self, NotWhole, Wholeness};
use super::selection::{ConflictError, Grouping, Selection, StatusSelection};
use crate::stores::Stores;
use crate::stores::state::counts::{AgentDay, DayColumn, DayTable, RecordFilter};
use crate::stores::state::uncounted::UncountedDays;

/// What is counted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SummaryQuestion {
    /// Which records.
    pub selection: Selection,
}

/// The numbers of both periods.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct Summary {
    /// Whose records.
    #[schema(value_type = String)]
    pub tenant: TenantSlug,
    /// The days that were asked for.
    pub period: PeriodSummary,
    /// As many days before them.
    pub before: PeriodSummary,
    /// Days whose kinds of paths an earlier version has not counted.
    pub uncounted: Vec<UncountedDays>,
}

/// The numbers of some days.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct PeriodSummary {
    /// First day, UTC.
    #[schema(value_type = String, format = Date)]
    pub from: NaiveDate,
    /// Last day.
    #[schema(value_type = String, format = Date)]
    pub to: NaiveDate,
    /// Whether these numbers can be compared: all of the days are over, and records of all of them are here.
    pub whole: bool,
    /// Why it is not whole.
    pub not_whole: Vec<NotWhole>,
    /// Requests.
    pub requests: u64,
    /// Those that an agent made as a person asked it: of purpose `user`.
    pub asked_by_person: u64,
    /// How many agents made them.
    pub agents: u64,
    /// Requests for pages, and not for robots.txt, images and the like; not known if a single status was asked for.
    pub pages: Option<u64>,
    /// Requests that were refused: 401, 403, 406, 429, 451.
    pub refused: u64,
    /// Requests whose page was missing: 404, 410.
    pub missing: u64,
    /// Requests at which the server failed: 5xx.
    pub failed: u64,
    /// Bytes of the responses.
    pub bytes: u64,
}

impl SummaryQuestion {
    /// Refuses what the stored counts cannot say.
    ///
    /// # Errors
    ///
    /// When it asks for a kind of path with a single status.
    pub fn check(&self) -> Result<(), ConflictError> {
        self.selection.table(Grouping::default()).map(|_table| ())
    }
}

/// Counts the records of both periods.
///
/// # Errors
///
/// When the database cannot be read.
pub fn summary(
    stores: &Stores,
    question: &SummaryQuestion,
    today: NaiveDate,
) -> Result<Summary, StoreError> {
    let selection = &question.selection;
    let [counted] = summaries(stores, selection, [selection.days()], today)?;
    Ok(counted.summary)
}

/// A summary with the requests of each agent in both periods.
#[derive(Debug)]
pub(crate) struct CountedSummary {
    pub(crate) summary: Summary,
    /// By id.
    pub(crate) agents: BTreeMap<String, u64>,
    /// Those of the days before.
    pub(crate) agents_before: BTreeMap<String, u64>,
}

/// The summaries of several spans of days, read in one go; the days of the selection do not matter.
///
/// # Errors
///
/// When the database cannot be read.
pub(crate) fn summaries<const SPANS: usize>(
    stores: &Stores,
    selection: &Selection,
    spans: [RangeInclusive<NaiveDate>; SPANS],
    today: NaiveDate,
) -> Result<[CountedSummary; SPANS], StoreError> {
    let state_store = stores.state_store();
    let mut spans = spans.map(|days| {
        let before = period::before(&days);
        [PeriodSums::new(days), PeriodSums::new(before)]
    });
    let all = all_days(spans.iter().flatten());
    let uncounted = state_store.uncounted_days(&selection.tenant, &all)?;
    let directory = AgentDirectory::new();
    let filter = selection.filter(&all);
    state_store.for_each_agent_day(&filter, selection.day_table(), &mut |day, row| {
        if row.records > 0 && selection.has_agent(&directory, &row.agent) {
            let is_for_person = directory.purpose(&row.agent) == Purpose::User;
            for sums in spans.iter_mut().flatten().filter(|sums| sums.days.contains(&day)) {
                sums.add(&row, is_for_person);
            }
        }
    })?;
    for sums in spans.iter_mut().flatten() {
        let filter = RecordFilter { days: &sums.days, ..filter };
        state_store.for_each_error(&filter, selection.day_table(), &mut |row| {
            if selection.has_agent(&directory, &row.agent) {
                sums.errors.add(row.status, row.records);
            }
        })?;
    }
    match (selection.kind, selection.status) {
        (_, Some(StatusSelection::One(_))) => {}
        (Some(kind), _) => {
            for sums in spans.iter_mut().flatten() {
                sums.pages = Some(if kind == PathKind::Page { sums.requests } else { 0 });
            }
        }
        (None, _) => add_pages(stores, selection, &all, &mut spans)?,
    }
    let first_day = state_store.first_counted_day(&selection.tenant)?;
    Ok(spans.map(|[asked, before]| {
        let both = *before.days.start()..=*asked.days.end();
        let is_within = |row: &UncountedDays| row.from <= *both.end() && row.to >= *both.start();
        let uncounted: Vec<UncountedDays> =
            uncounted.iter().filter(|row| is_within(row)).cloned().collect();
        let whole = Wholeness { first_day, today, uncounted: &uncounted };
        let summary = Summary {
            tenant: selection.tenant.clone(),
            period: asked.summary(&whole),
            before: before.summary(&whole),
            uncounted: uncounted.clone(),
        };
        CountedSummary { summary, agents: asked.agents, agents_before: before.agents }
    }))
}

/// From the first day of any of them to the last.
fn all_days<'a>(spans: impl Iterator<Item = &'a PeriodSums>) -> RangeInclusive<NaiveDate> {
    let whole = (NaiveDate::MAX, NaiveDate::MIN);
    let (first, last) = spans.fold(whole, |(first, last), sums| {
        (first.min(*sums.days.start()), last.max(*sums.days.end()))
    });
    first..=last
}

/// Requests for pages, of each span.
fn add_pages(
    stores: &Stores,
    selection: &Selection,
    all: &RangeInclusive<NaiveDate>,
    spans: &mut [[PeriodSums; 2]],
) -> Result<(), StoreError> {
    let directory = AgentDirectory::new();
    let filter = RecordFilter { kind: Some(PathKind::Page), ..selection.filter(all) };
    let spans = spans.as_flattened_mut();
    for sums in spans.iter_mut() {
        sums.pages = Some(0);
    }
    let by_agent = (DayTable::Kind, DayColumn::Agent);
    stores.state_store().for_each_day_count(&filter, by_agent, true, &mut |count| {
        let day = i32::try_from(count.time).ok().and_then(NaiveDate::from_epoch_days);
        let Some(day) = day.filter(|_| selection.has_agent(&directory, &count.agent)) else {
            return;
        };
        for sums in spans.iter_mut().filter(|sums| sums.days.contains(&day)) {
            sums.pages = sums.pages.map(|pages| pages.saturating_add(count.records));
        }
    })
}

/// The sums of a period while they are added up.
#[derive(Debug)]
struct PeriodSums {
    days: RangeInclusive<NaiveDate>,
    requests: u64,
    asked_by_person: u64,
    agents: BTreeMap<String, u64>,
    pages: Option<u64>,
    errors: ErrorSums,
    bytes: u64,
}

impl PeriodSums {
    fn new(days: RangeInclusive<NaiveDate>) -> Self {
        Self {
            days,
            requests: 0,
            asked_by_person: 0,
            agents: BTreeMap::new(),
            pages: None,
            errors: ErrorSums::default(),
            bytes: 0,
        }
    }

    fn add(&mut self, row: &AgentDay, is_for_person: bool) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.requests, row.records);
        add(&mut self.bytes, row.bytes);
        if is_for_person {
            add(&mut self.asked_by_person, row.records);
        }
        match self.agents.get_mut(&row.agent) {
            Some(requests) => add(requests, row.records),
            None => {
                self.agents.insert(row.agent.clone(), row.records);
            }
        }
    }

    fn summary(&self, whole: &Wholeness<'_>) -> PeriodSummary {
        let not_whole = whole.lacks(&self.days);
        PeriodSummary {
            from: *self.days.start(),
            to: *self.days.end(),
            whole: not_whole.is_empty(),
            not_whole,
            requests: self.requests,
            asked_by_person: self.asked_by_person,
            agents: u64::try_from(self.agents.len()).unwrap_or(u64::MAX),
            pages: self.pages,
            refused: self.errors.refused,
            missing: self.errors.missing,
            failed: self.errors.failed,
            bytes: self.bytes,
        }
    }
}
