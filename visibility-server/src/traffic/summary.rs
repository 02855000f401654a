//! The most important numbers of some days, and of as many days before them.

use std::collections::BTreeSet;
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
use crate::stores::state::counts::{DayColumn, DayTable, RecordFilter};
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
    let state_store = stores.state_store();
    let days = selection.days();
    let before = period::before(selection);
    let both = *before.start()..=*days.end();
    let uncounted = state_store.uncounted_days(&selection.tenant, &both)?;
    let mut sums = [PeriodSums::default(), PeriodSums::default()];
    let directory = AgentDirectory::new();
    let filter = selection.filter(&both);
    let period_of = |day: NaiveDate| usize::from(before.contains(&day));
    state_store.for_each_agent_day(&filter, selection.day_table(), &mut |day, row| {
        let Some(sums) = sums.get_mut(period_of(day)) else { return };
        if row.records == 0 || !selection.has_agent(&directory, &row.agent) {
            return;
        }
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut sums.requests, row.records);
        add(&mut sums.bytes, row.bytes);
        if directory.purpose(&row.agent) == Purpose::User {
            add(&mut sums.asked_by_person, row.records);
        }
        if !sums.agents.contains(&row.agent) {
            sums.agents.insert(row.agent);
        }
    })?;
    for (days, sums) in [&days, &before].into_iter().zip(&mut sums) {
        let filter = RecordFilter { days, ..filter };
        state_store.for_each_error(&filter, selection.day_table(), &mut |row| {
            if selection.has_agent(&directory, &row.agent) {
                sums.errors.add(row.status, row.records);
            }
        })?;
    }
    let pages = match (selection.kind, selection.status) {
        (_, Some(StatusSelection::One(_))) => [None, None],
        (Some(PathKind::Page), _) => sums.each_ref().map(|sums| Some(sums.requests)),
        (Some(_), _) => [Some(0), Some(0)],
        (None, _) => pages(stores, selection, &before)?.map(Some),
    };
    let first_day = state_store.first_counted_day(&selection.tenant)?;
    let whole = Wholeness { first_day, today, uncounted: &uncounted };
    let [asked_sums, before_sums] = sums;
    let [asked_pages, before_pages] = pages;
    Ok(Summary {
        tenant: selection.tenant.clone(),
        period: asked_sums.summary(&days, asked_pages, &whole),
        before: before_sums.summary(&before, before_pages, &whole),
        uncounted,
    })
}

/// Requests for pages, of the days that were asked for and of those before them.
fn pages(
    stores: &Stores,
    selection: &Selection,
    before: &RangeInclusive<NaiveDate>,
) -> Result<[u64; 2], StoreError> {
    let both = *before.start()..=selection.to;
    let directory = AgentDirectory::new();
    let filter = RecordFilter { kind: Some(PathKind::Page), ..selection.filter(&both) };
    let first_day = i64::from(selection.from.to_epoch_days());
    let [mut asked, mut earlier] = [0_u64; 2];
    let by_agent = (DayTable::Kind, DayColumn::Agent);
    stores.state_store().for_each_day_count(&filter, by_agent, true, &mut |count| {
        if selection.has_agent(&directory, &count.agent) {
            let pages = if count.time < first_day { &mut earlier } else { &mut asked };
            *pages = pages.saturating_add(count.records);
        }
    })?;
    Ok([asked, earlier])
}

/// The sums of a period while they are added up.
#[derive(Debug, Default)]
struct PeriodSums {
    requests: u64,
    asked_by_person: u64,
    agents: BTreeSet<String>,
    errors: ErrorSums,
    bytes: u64,
}

impl PeriodSums {
    fn summary(
        self,
        days: &RangeInclusive<NaiveDate>,
        pages: Option<u64>,
        whole: &Wholeness<'_>,
    ) -> PeriodSummary {
        let not_whole = whole.lacks(days);
        PeriodSummary {
            from: *days.start(),
            to: *days.end(),
            whole: not_whole.is_empty(),
            not_whole,
            requests: self.requests,
            asked_by_person: self.asked_by_person,
            agents: u64::try_from(self.agents.len()).unwrap_or(u64::MAX),
            pages,
            refused: self.errors.refused,
            missing: self.errors.missing,
            failed: self.errors.failed,
            bytes: self.bytes,
        }
    }
}
