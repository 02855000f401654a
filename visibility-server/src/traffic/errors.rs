//! What agents did not get: by agent and status, without paths.

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;
use visibility_core::traffic::ResponseClass;

use super::directory::AgentDirectory;
use super::page::Page;
use super::selection::{ConflictError, Grouping, Selection};
use crate::stores::Stores;
use crate::stores::state::counts::DayTable;
use crate::stores::state::uncounted::UncountedDays;

/// What is counted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ErrorsQuestion {
    /// Which records; of their statuses, only those from 400 are listed.
    pub selection: Selection,
    /// The part of the list.
    pub page: Page,
}

/// The errors.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct Errors {
    /// Whose records.
    #[schema(value_type = String)]
    pub tenant: TenantSlug,
    /// First day, UTC.
    #[schema(value_type = String, format = Date)]
    pub from: NaiveDate,
    /// Last day.
    #[schema(value_type = String, format = Date)]
    pub to: NaiveDate,
    /// Requests of all agents with a status from 400, also of rows that are not listed here.
    pub requests: u64,
    /// Agents and statuses, the most frequent first.
    pub errors: Vec<ErrorRow>,
    /// `after` of the next part of the list.
    pub next: Option<String>,
    /// Days whose kinds of paths an earlier version has not counted.
    pub uncounted: Vec<UncountedDays>,
}

/// Requests of an agent that got the same status.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct ErrorRow {
    /// Id of the agent.
    pub agent: String,
    /// Its name.
    pub name: String,
    /// The status; not known if a kind of path was asked for, as kinds are counted by class of statuses.
    pub status: Option<u16>,
    /// What the status says: `refused`, `missing`, `failed` or `other`.
    pub class: ResponseClass,
    /// Requests.
    pub requests: u64,
    /// The first of the days with one.
    #[schema(value_type = String, format = Date)]
    pub first_day: NaiveDate,
    /// The last day with one.
    #[schema(value_type = String, format = Date)]
    pub last_day: NaiveDate,
}

/// Requests that were refused, whose page was missing, and at which the server failed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ErrorSums {
    pub(super) refused: u64,
    pub(super) missing: u64,
    pub(super) failed: u64,
}

impl ErrorSums {
    /// Adds requests with the same status.
    pub(super) fn add(&mut self, status: u16, requests: u64) {
        let sum = match ResponseClass::of(status) {
            ResponseClass::Refused => &mut self.refused,
            ResponseClass::Missing => &mut self.missing,
            ResponseClass::Failed => &mut self.failed,
            ResponseClass::Served | ResponseClass::Redirected | ResponseClass::Other => return,
        };
        *sum = sum.saturating_add(requests);
    }
}

impl ErrorsQuestion {
    /// Refuses what the stored counts cannot say.
    ///
    /// # Errors
    ///
    /// When it asks for a kind of path with a single status.
    pub fn check(&self) -> Result<(), ConflictError> {
        self.selection.table(Grouping::default()).map(|_table| ())
    }
}

/// Counts the records with a status from 400.
///
/// # Errors
///
/// When the database cannot be read.
pub fn errors(stores: &Stores, question: &ErrorsQuestion) -> Result<Errors, StoreError> {
    let selection = &question.selection;
    let directory = AgentDirectory::new();
    let state_store = stores.state_store();
    let days = selection.days();
    let table = selection.day_table();
    let mut rows: Vec<(u16, ErrorRow)> = Vec::new();
    state_store.for_each_error(&selection.filter(&days), table, &mut |row| {
        if !selection.has_agent(&directory, &row.agent) {
            return;
        }
        let error = ErrorRow {
            name: directory.name(&row.agent).to_owned(),
            agent: row.agent,
            status: (table == DayTable::Rollup).then_some(row.status),
            class: ResponseClass::of(row.status),
            requests: row.records,
            first_day: row.first_day,
            last_day: row.last_day,
        };
        rows.push((row.status, error));
    })?;
    let uncounted = match table {
        DayTable::Rollup => Vec::new(),
        DayTable::Kind => state_store.uncounted_days(&selection.tenant, &days)?,
    };
    let requests = rows.iter().fold(0_u64, |sum, (_, row)| sum.saturating_add(row.requests));
    let place = |(status, row): &(u16, ErrorRow)| (row.requests, format!("{status}.{}", row.agent));
    let (rows, next) = question.page.take(rows, place);
    let errors = rows.into_iter().map(|(_, row)| row).collect();
    let (tenant, from, to) = (selection.tenant.clone(), selection.from, selection.to);
    Ok(Errors { tenant, from, to, requests, errors, next, uncounted })
}
